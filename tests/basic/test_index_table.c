/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The index table against a naive model: the set of its indexes.
 */

#include <stdio.h>

#include "basic/index_table.h"
#include "basic/macro.h"
#include "double/double_assert.h"

#define INDEXES 500

static unsigned next_random(uint64_t *seed) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        return (unsigned) (*seed >> 33);
}

/* Returns one of a few hashes, which are adjacent and at the end of the number range, so that they collide. */
static uint32_t hash_of(uint32_t index) {
        return UINT32_MAX - 40 + index % 80;
}

static bool has(const IndexTable *table, uint32_t index) {
        size_t probe = 0;
        uint32_t found;

        while (index_table_next(table, hash_of(index), &probe, &found)) {
                cr_assert(eq(u32, hash_of(found), hash_of(index)));
                if (found == index)
                        return true;
        }
        return false;
}

Test(index_table, agrees_with_an_array) {
        cleanup_(index_table_deinit) IndexTable table = {};
        bool model[INDEXES] = {};
        uint64_t seed = 11;
        size_t n = 0;

        for (int i = 0; i < 50000; i++) {
                uint32_t index = next_random(&seed) % INDEXES;

                if (!model[index] && next_random(&seed) % 2) {
                        cr_assert(eq(int, index_table_put(&table, hash_of(index), index), 0));
                        model[index] = true;
                        n++;
                } else {
                        cr_assert(eq(int, index_table_remove(&table, hash_of(index), index), model[index]));
                        n -= model[index];
                        model[index] = false;
                }
                cr_assert(eq(sz, table.n, n));
                index = next_random(&seed) % INDEXES;
                cr_assert(eq(int, has(&table, index), model[index]));
        }
        for (uint32_t index = 0; index < INDEXES; index++)
                cr_assert(eq(int, has(&table, index), model[index]));
}

Test(index_table, all_of_one_hash_are_found) {
        cleanup_(index_table_deinit) IndexTable table = {};
        size_t probe = 0;
        uint32_t index, n = 0, sum = 0;

        for (uint32_t i = 1; i <= 9; i++)
                cr_assert(eq(int, index_table_put(&table, 7, i), 0));
        cr_assert(eq(int, index_table_put(&table, 8, 100), 0));
        while (index_table_next(&table, 7, &probe, &index)) {
                n++;
                sum += index;
        }
        cr_assert(eq(u32, n, 9));
        cr_assert(eq(u32, sum, 45));
}

Test(index_table, an_empty_one_has_nothing) {
        cleanup_(index_table_deinit) IndexTable table = {};

        cr_assert(not(has(&table, 0)));
        cr_assert(not(index_table_remove(&table, hash_of(0), 0)));
        cr_assert(eq(int, index_table_put(&table, hash_of(0), 0), 0));
        cr_assert(has(&table, 0));
        cr_assert(index_table_remove(&table, hash_of(0), 0));
        cr_assert(not(has(&table, 0)));
        cr_assert(eq(sz, table.n, 0));
}

Test(index_table, reserved_room_is_enough) {
        cleanup_(index_table_deinit) IndexTable table = {};
        const IndexSlot *slots;

        cr_assert(eq(int, index_table_reserve(&table, 1000), 0));
        slots = table.slots;
        for (uint32_t i = 0; i < 1000; i++)
                cr_assert(eq(int, index_table_put(&table, i * 2654435761U, i), 0));
        cr_assert(table.slots == slots);
        cr_assert(table.n_slots * sizeof(IndexSlot) <= 1000 * 22);
}

Test(index_table, hashes_of_like_names_spread) {
        enum { NAMES = 4096, BUCKETS = 1024 };
        unsigned n_of[BUCKETS] = {}, most = 0;
        char name[32];

        for (int i = 0; i < NAMES; i++) {
                unsigned *n;

                snprintf(name, sizeof(name), "t%d.target", i);
                n = &n_of[index_table_hash(name) % BUCKETS];
                (*n)++;
                most = MAX(most, *n);
        }
        cr_assert(most < 20, "%u of %d names share a slot", most, NAMES);
}
