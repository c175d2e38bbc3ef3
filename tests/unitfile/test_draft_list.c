/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists whose entries have names: the last entry of each name counts, whatever the length of the list
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "double/double_assert.h"
#include "unitfile/draft_list.h"

typedef struct World {
        DraftLists lists;
        char **list, **other;
} World;

static void world_stop(World *world) {
        draft_lists_deinit(&world->lists);
        strv_free(world->list);
        strv_free(world->other);
}

static void set(World *world, char ***list, unsigned name, unsigned value) {
        char entry[32];

        snprintf(entry, sizeof(entry), "V%u=%u", name, value);
        cr_assert(eq(int, draft_lists_set(&world->lists, list, strdup(entry), '='), 0));
}

static void expect(char *const *list, unsigned place, const char *expected) {
        cr_expect(eq(str, list[place], (char *) expected));
}

Test(draft_list, the_last_one_of_a_name_counts_at_the_place_of_the_first) {
        cleanup_(world_stop) World world = {};

        for (unsigned i = 0; i < 100; i++)
                set(&world, &world.list, i, 1);
        for (unsigned i = 0; i < 100; i += 2)
                set(&world, &world.list, i, 2);
        cr_assert(eq(sz, strv_length(world.list), 100));
        expect(world.list, 0, "V0=2");
        expect(world.list, 1, "V1=1");
        expect(world.list, 98, "V98=2");
        expect(world.list, 99, "V99=1");
}

/* "V1" is no beginning of "V10", nor its own end. */
Test(draft_list, a_name_ends_at_the_separator) {
        cleanup_(world_stop) World world = {};

        for (unsigned i = 0; i < 30; i++) {
                set(&world, &world.list, i, i);
                cr_assert(eq(int, draft_lists_set(&world.lists, &world.other, strdup(i % 2 ? "a:b=c" : "a"), ':'), 0));
        }
        cr_expect(eq(sz, strv_length(world.list), 30));
        cr_expect(eq(sz, strv_length(world.other), 2));
}

Test(draft_list, an_emptied_list_begins_anew) {
        cleanup_(world_stop) World world = {};

        for (unsigned n = 0; n < 3; n++) {
                for (unsigned i = 0; i < 40; i++) {
                        set(&world, &world.list, i * (n + 1), n);
                        set(&world, &world.other, i, n);
                }
                cr_assert(eq(sz, strv_length(world.list), 40));
                expect(world.list, 39, n == 0 ? "V39=0" : n == 1 ? "V78=1" : "V117=2");
                world.list = strv_free(world.list);
        }
        cr_expect(eq(sz, strv_length(world.other), 40));
        expect(world.other, 39, "V39=2");
}

/* Names that are compared, for an entry of a long list. */
Test(draft_list, the_length_of_the_list_costs_nothing) {
        cleanup_(world_stop) World world = {};
        uint64_t before;

        for (unsigned i = 0; i < 100000; i++)
                set(&world, &world.list, i, 1);
        before = world.lists.n_compared;
        for (unsigned i = 0; i < 1000; i++)
                set(&world, &world.list, i * 100, 2);
        cr_expect(le(u64, world.lists.n_compared - before, 2000));
        cr_expect(le(u64, before, 100000));
        expect(world.list, 99900, "V99900=2");
}
