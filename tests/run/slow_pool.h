/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The rules of run_pool.h in the plainest way there is: no queues, no bands, nothing kept between two questions
 */

#include <stdbool.h>
#include <stdint.h>

#include "run/run_pool.h"

#define SLOW_CLAIMS 24U
#define SLOW_RUN_LOCKS 3U
#define SLOW_LOCKS 6U /* the first ones are of runs, the others of nodes */
#define SLOW_NAMES 8U /* the others are resources */
#define SLOW_GATES 3U
#define SLOW_NONE UINT32_MAX

/* What the model does wrong, so that a comparison must find it. */
typedef enum SlowFault {
        SLOW_IS_RIGHT,
        SLOW_KEEPS_NOTHING_BACK, /* small claims pass big ones */
        SLOW_KEEPS_ALL_BACK, /* also from claims that the other one waits for */
        SLOW_FORGETS_AGE,
        SLOW_SERVES_LAST_FIRST,
        SLOW_COUNTS_OWN_SLOTS, /* not those of the others that hold the lock */
        SLOW_INHERITS_NOTHING,
        SLOW_IGNORES_GATES,
        _SLOW_FAULT_MAX,
} SlowFault;

typedef struct SlowClaim {
        bool is_there, waits;
        uint32_t above; /* SLOW_NONE */
        uint32_t gate; /* SLOW_NONE */
        uint8_t priority;
        usec_t since;
        uint64_t place;
        RunClaimKey key;
        uint64_t wants[SLOW_NAMES]; /* 0: does not */
        uint32_t slots[SLOW_LOCKS];
        bool is_queued[SLOW_NAMES], is_held[SLOW_NAMES];
} SlowClaim;

typedef struct SlowPool {
        SlowFault fault;
        usec_t now;
        uint64_t totals[SLOW_NAMES]; /* of resources */
        bool is_shut[SLOW_GATES];
        SlowClaim claims[SLOW_CLAIMS];
} SlowPool;

void slow_wait(SlowPool *pool, uint32_t claim, usec_t since, uint64_t place);
void slow_take(SlowPool *pool, uint32_t claim);
uint32_t slow_next(const SlowPool *pool); /* SLOW_NONE */
/* Whether the claim waits for ever, though all that need not wait give back what they hold. */
bool slow_is_stuck(const SlowPool *pool, uint32_t claim);
/* Whether no lock has more holders than one of them allows. */
bool slow_is_sound(const SlowPool *pool);
