/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A jobd-runstore, and core's end of it
 *
 * The test does the work of core. All waiting is for a frame of the store.
 */

#include <sqlite3.h>
#include <sys/types.h>

#include "runstore/runstore_client.h"

typedef struct RunStoreSeen {
        unsigned n_welcomed, n_lost, n_refused, n_stored, n_rows;
        uint64_t accepted, durable;
        RunStoreWelcome welcome;
        RunStoreReason reason;          /* of the last refusal */
        uint64_t refused_number, stored_number, stored_bytes;
        uint8_t hash[RUNSTORE_HASH_BYTES];
        char sentence[512];
        /* of the last page: */
        uint64_t n_page;
        bool has_more;
        RunStoreValue cursor[RUNSTORE_KEY_MAX];
        int64_t ids[RUNSTORE_LIMIT_MAX];        /* the first column of each row */
        char text[64];                  /* of the last row: the cursor's text, if it has one */
} RunStoreSeen;

typedef struct RunStoreWorld {
        char folder[64], file[96], socket[96];
        const char *mode;               /* "--sync=normal" */
        const char *ballast;
        pid_t store;                    /* 0: does not run */
} RunStoreWorld;

extern RunStoreWorld world;

void world_begin(void);
void world_end(void);
void world_start_store(void);           /* returns when it listens */
void world_kill_store(int signal);      /* returns when it has ended */

typedef struct WorldCore {
        RunStoreClient *client;
        RunStoreSeen seen;
} WorldCore;

/* A core that has connected; world_wait…() serve it. */
WorldCore *world_core_new(uint64_t instance);
void world_core_free(WorldCore *core);
void world_connect(WorldCore *core);    /* again, after the loss of the link */

/* Serves until the condition holds, and connects again where the link is lost; the test fails after 60 s. */
#define world_wait(core, condition)                                                          \
        do {                                                                                 \
                double limit_ = world_now() + 60;                                            \
                while (!(condition)) {                                                       \
                        cr_assert(lt(dbl, world_now(), limit_), "waited for: %s", #condition); \
                        world_serve(core);                                                   \
                }                                                                            \
        } while (0)

double world_now(void);
int world_serve(WorldCore *core);       /* waits for a moment: what runstore_client_serve() says */

/* A batch that makes run @id with that name; its number. */
uint64_t world_put_run(WorldCore *core, int64_t id, const char *name);
void world_wait_durable(WorldCore *core, uint64_t number);

/* Reads the file: the number that a statement gives. */
int64_t world_ask(const char *sql);
