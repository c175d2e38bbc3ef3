/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A store of runs in memory
 *
 * Rows of a batch are never forgotten while the batch is there: what a run is
 * follows from the last rows below a mark.
 */

#include "sim/sim_store.h"

static void clear_rows(SimRows *rows) {
        for (size_t i = 0; i < rows->n; i++) {
                free(rows->items[i].unit);
                free(rows->items[i].cursor);
                flow_definition_unref(rows->items[i].definition);
        }
        vector_deinit(rows);
}

void sim_store_deinit(SimStore *store) {
        sim_store_drop_open(store);
        sim_store_drop(store, 0);
        vector_deinit(&store->batches);
}

int sim_store_put(SimStore *store, const SimRow *row) {
        int r = vector_push(&store->open, *row);

        if (r < 0) {
                free(row->unit);
                free(row->cursor);
                flow_definition_unref(row->definition);
        }
        return r;
}

int sim_store_send(SimStore *store, uint32_t *ret_number) {
        const SimBatch batch = { .rows = store->open };
        int r = vector_push(&store->batches, batch);

        if (r < 0)
                return r;
        store->open = (SimRows) {};
        *ret_number = (uint32_t) store->batches.n;
        return 0;
}

void sim_store_drop_open(SimStore *store) {
        clear_rows(&store->open);
}

void sim_store_drop(SimStore *store, uint32_t number) {
        while (store->batches.n > number)
                clear_rows(&vector_pop(&store->batches).rows);
        store->accepted = MIN(store->accepted, number);
        store->durable = MIN(store->durable, number);
}

bool sim_store_accept(SimStore *store, usec_t now) {
        const uint32_t before = store->accepted;

        if (store->mode == SIM_STORE_HANG)
                return false;
        while (store->accepted < store->batches.n)
                store->batches.items[store->accepted++].accepted_at = now;
        return store->accepted > before;
}

usec_t sim_store_next(const SimStore *store) {
        if (store->mode == SIM_STORE_HANG || store->durable == store->accepted)
                return USEC_INFINITY;
        return usec_add(store->batches.items[store->durable].accepted_at,
                        store->mode == SIM_STORE_SLOW ? store->delay : 0);
}

bool sim_store_sync(SimStore *store, usec_t now) {
        const uint32_t before = store->durable;

        while (sim_store_next(store) <= now)
                store->durable++;
        return store->durable > before;
}
