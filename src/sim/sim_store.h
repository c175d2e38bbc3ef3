/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A store of runs: batches of rows, with two marks
 *
 * An accepted row outlives core, a durable one outlives the store and the
 * machine. Batches have the numbers 1, 2, 3, …
 */

#include "basic/vector.h"
#include "flow/flow_definition.h"
#include "run/run_engine.h"

typedef enum SimStoreMode {
        SIM_STORE_OK,
        SIM_STORE_SLOW, /* a batch is durable .delay after it was accepted */
        SIM_STORE_HANG, /* nothing is accepted */
        SIM_STORE_FULL, /* rows are taken, but neither runs nor attempts */
} SimStoreMode;

typedef struct SimRow {
        uint32_t id; /* of the run */
        bool is_node;
        RunRow run;
        RunNodeRow node;
        usec_t at;
        uint32_t boot; /* in which it was put */
        char *unit; /* owned, as the definition: with the first row of a run, else NULL */
        FlowDefinition *definition;
        uint8_t *cursor; /* owned: the items of a batch, as of the last checkpoint; NULL: none */
        size_t n_cursor;
} SimRow;

typedef VECTOR(SimRow) SimRows;

typedef struct SimBatch {
        SimRows rows;
        usec_t accepted_at;
} SimBatch;

typedef struct SimStore {
        VECTOR(SimBatch) batches; /* number 1 first */
        SimRows open; /* of the batch at hand */
        SimStoreMode mode;
        usec_t delay;
        uint32_t accepted, durable;
} SimStore;

void sim_store_deinit(SimStore *store);

/* Adds a row to the batch at hand. Takes what the row owns, also on failure: 0 or -ENOMEM. */
int sim_store_put(SimStore *store, const SimRow *row);
/* Sends the batch at hand, which gets a number: 0 or -ENOMEM, and then the rows stay. */
int sim_store_send(SimStore *store, uint32_t *ret_number);
/* Drops the batch at hand. */
void sim_store_drop_open(SimStore *store);
/* Drops all batches above @number, and lowers the marks. */
void sim_store_drop(SimStore *store, uint32_t number);

/* Each returns whether it has moved a mark. */
bool sim_store_accept(SimStore *store, usec_t now);
bool sim_store_sync(SimStore *store, usec_t now);
/* When the next batch is durable; USEC_INFINITY: not by time. */
usec_t sim_store_next(const SimStore *store);
