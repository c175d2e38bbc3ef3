/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * How long turns of the event loop take
 */

#include "basic/clock.h"
#include "manager_world.h"

#define LONG (50 * USEC_PER_MSEC)

/* A turn that takes so long, on a machine with other work perhaps longer. */
static int on_long(sd_event_source *source, void *userdata) {
        const usec_t end = clock_monotonic() + LONG;

        while (clock_monotonic() < end)
                ;
        return 0;
}

static void add_long_turn(World *world) {
        sd_event_source *source;

        cr_assert(ge(int, sd_event_add_defer(manager_event(world->manager), &source, on_long, NULL), 0));
        sd_event_source_set_floating(source, true);
        sd_event_source_unref(source);
}

Test(manager_turn, the_longest_turn_is_known) {
        cleanup_(world_freep) World *world = world_new();

        world_settle(world);
        manager_forget_longest_turn(world->manager);
        cr_assert(eq(u64, manager_longest_turn(world->manager), 0));
        add_long_turn(world);
        world_settle(world);
        cr_assert(ge(u64, manager_longest_turn(world->manager), LONG));
        manager_forget_longest_turn(world->manager);
        cr_assert(eq(u64, manager_longest_turn(world->manager), 0));
}

/* One that is followed by another at once counts, too, and ends where that begins. */
Test(manager_turn, a_turn_ends_where_the_next_one_begins) {
        cleanup_(world_freep) World *world = world_new();
        usec_t first, both;

        world_settle(world);
        manager_forget_longest_turn(world->manager);
        both = clock_monotonic();
        add_long_turn(world);
        add_long_turn(world);
        world_settle(world);
        both = clock_monotonic() - both;
        first = manager_longest_turn(world->manager);
        cr_assert(ge(u64, first, LONG));
        cr_assert(le(u64, first, both - LONG));
}

/* The manager sleeps for most of the time. */
Test(manager_turn, sleep_is_no_part_of_a_turn) {
        cleanup_(world_freep) World *world = world_new();
        usec_t slept;

        world_settle(world);
        manager_forget_longest_turn(world->manager);
        slept = clock_monotonic();
        cr_assert(eq(int, manager_turn(world->manager, 4 * LONG), 0));
        slept = clock_monotonic() - slept;
        world_settle(world);
        cr_assert(le(u64, 4 * LONG, slept));
        cr_assert(lt(u64, manager_longest_turn(world->manager), slept));
}
