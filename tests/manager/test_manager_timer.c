/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Timers that units set: one a purpose, in order, never early.
 */

#include <stdio.h>

#include "basic/clock.h"
#include "manager_world.h"

static const char *const service = "[Service]\nExecStart=/bin/true\n";

static World *world_with_two(void) {
        World *world = world_new();

        world_fake_services(world);
        world_write(world, "a.service", service);
        world_write(world, "b.service", service);
        unit_ref(world_load(world, "a.service"));
        unit_ref(world_load(world, "b.service"));
        world_settle(world);
        return world;
}

static void set(World *world, const char *name, UnitPurpose purpose, usec_t deadline) {
        Unit *unit = manager_find_unit(world->manager, name);
        UnitHost *host = unit_table_host(unit->table);

        cr_assert(eq(int, host->ops->set_timer(host, unit, purpose, deadline), 0));
        process_table_arm(world->manager->processes);      /* a turn, at whose end timers are armed */
}

Test(manager_timer, elapse_in_the_order_of_deadlines) {
        cleanup_(world_freep) World *world = world_with_two();
        usec_t now = clock_monotonic();

        set(world, "a.service", UNIT_PURPOSE_WATCHDOG, now + 30000);
        set(world, "b.service", UNIT_PURPOSE_RESTART, now + 10000);
        set(world, "a.service", UNIT_PURPOSE_STATE_LIMIT, now + 20000);
        world_wait(world, world_has_calls, "timer 5 a.service");
        assert_string(world_calls(world), "timer 3 b.service;timer 2 a.service;timer 5 a.service;");
        cr_assert(ge(u64, clock_monotonic(), now + 30000));
}

Test(manager_timer, setting_again_moves_and_infinity_clears) {
        cleanup_(world_freep) World *world = world_with_two();
        usec_t now = clock_monotonic();

        set(world, "a.service", UNIT_PURPOSE_RESTART, now + 1000);
        set(world, "a.service", UNIT_PURPOSE_RESTART, now + 20000);
        set(world, "b.service", UNIT_PURPOSE_RESTART, now + 5000);
        set(world, "b.service", UNIT_PURPOSE_RESTART, USEC_INFINITY);
        world_wait(world, world_has_calls, "timer 3 a.service");
        assert_string(world_calls(world), "timer 3 a.service;");
        cr_assert(ge(u64, clock_monotonic(), now + 20000));
        cr_assert(eq(sz, process_timers_count(world->manager->timers), 0));
}

Test(manager_timer, of_a_unit_that_goes_are_forgotten) {
        cleanup_(world_freep) World *world = world_with_two();
        Unit *unit = manager_find_unit(world->manager, "a.service");

        set(world, "a.service", UNIT_PURPOSE_RESTART, clock_monotonic() + 1000);
        set(world, "b.service", UNIT_PURPOSE_RESTART, clock_monotonic() + 2000);
        unit_unref(unit);
        unit_table_remove(manager_units(world->manager), unit);
        world_wait(world, world_has_calls, "b.service");
        assert_string(world_calls(world), "timer 3 b.service;");
}

Test(manager_timer, a_crowd_does_not_take_one_turn) {
        cleanup_(world_freep) World *world = world_new();
        usec_t now = clock_monotonic();
        char name[32];

        world_fake_services(world);
        world_write(world, "x@.service", service);
        for (unsigned i = 0; i < 300; i++) {
                snprintf(name, sizeof(name), "x@%u.service", i);
                world_load(world, name);
                set(world, name, UNIT_PURPOSE_RESTART, now);
        }
        cr_assert(eq(sz, process_timers_count(world->manager->timers), 300));
        manager_turn_read_clock(&world->manager->turn);
        process_timers_run(world->manager->timers, manager_now(world->manager));
        cr_assert(eq(sz, process_timers_count(world->manager->timers), 44));
        world_settle(world);
        cr_assert(eq(sz, process_timers_count(world->manager->timers), 0));
}
