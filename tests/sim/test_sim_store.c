/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The store of a simulation: marks, and what is lost above them
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "sim/sim_store.h"

/* A batch with one row of run @id. */
static uint32_t send(SimStore *store, uint32_t id) {
        const SimRow row = { .id = id };
        uint32_t number = 0;

        cr_assert(eq(int, sim_store_put(store, &row), 0));
        cr_assert(eq(int, sim_store_send(store, &number), 0));
        return number;
}

static void expect_marks(const SimStore *store, uint32_t accepted, uint32_t durable) {
        cr_expect(eq(u32, store->accepted, accepted));
        cr_expect(eq(u32, store->durable, durable));
}

Test(sim_store, makes_durable_at_once) {
        SimStore store = {};

        cr_expect(eq(u32, send(&store, 7), 1));
        cr_expect(eq(u32, send(&store, 8), 2));
        expect_marks(&store, 0, 0);
        cr_expect(sim_store_accept(&store, 5));
        cr_expect(not(sim_store_accept(&store, 5)));
        cr_expect(eq(u64, sim_store_next(&store), 5));
        cr_expect(sim_store_sync(&store, 5));
        expect_marks(&store, 2, 2);
        cr_expect(eq(u64, sim_store_next(&store), USEC_INFINITY));
        cr_expect(eq(u32, store.batches.items[1].rows.items[0].id, 8));
        sim_store_deinit(&store);
}

Test(sim_store, slow_takes_time_for_each_batch) {
        SimStore store = { .mode = SIM_STORE_SLOW, .delay = 10 };

        (void) send(&store, 1);
        (void) sim_store_accept(&store, 100);
        (void) send(&store, 1);
        (void) sim_store_accept(&store, 105);
        cr_expect(eq(u64, sim_store_next(&store), 110));
        cr_expect(not(sim_store_sync(&store, 109)));
        cr_expect(sim_store_sync(&store, 110));
        expect_marks(&store, 2, 1);
        cr_expect(eq(u64, sim_store_next(&store), 115));
        store.mode = SIM_STORE_OK;
        cr_expect(sim_store_sync(&store, 111));
        expect_marks(&store, 2, 2);
        sim_store_deinit(&store);
}

Test(sim_store, accepts_nothing_while_it_hangs) {
        SimStore store = { .mode = SIM_STORE_HANG };

        (void) send(&store, 1);
        cr_expect(not(sim_store_accept(&store, 1)));
        cr_expect(eq(u64, sim_store_next(&store), USEC_INFINITY));
        cr_expect(not(sim_store_sync(&store, USEC_INFINITY - 1)));
        expect_marks(&store, 0, 0);
        sim_store_deinit(&store);
}

Test(sim_store, a_death_drops_what_is_above_a_mark) {
        SimStore store = {};
        const SimRow row = { .id = 9 };

        for (uint32_t i = 1; i <= 4; i++)
                (void) send(&store, i);
        (void) sim_store_accept(&store, 1);
        (void) sim_store_sync(&store, 1);
        sim_store_drop(&store, 2);
        expect_marks(&store, 2, 2);
        cr_expect(eq(sz, store.batches.n, 2));
        sim_store_drop(&store, 3);
        cr_expect(eq(sz, store.batches.n, 2));
        cr_assert(eq(int, sim_store_put(&store, &row), 0));
        sim_store_drop_open(&store);
        cr_expect(eq(u32, send(&store, 5), 3));
        cr_expect(eq(sz, store.batches.items[2].rows.n, 1));
        sim_store_deinit(&store);
}
