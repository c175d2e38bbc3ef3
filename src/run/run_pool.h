/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Locks with slots, and resources
 *
 * A claim is what one run, or one node of a run, takes: locks, of each one
 * slot, and amounts of resources. It waits until it can have all of them, and
 * takes them in one step, so that nothing is held while another lock is waited
 * for. Locks of runs and locks of nodes are two name spaces.
 *
 * Claims are served by effective priority: their own, and 16 more for each full
 * minute that they have waited, up to 255; then the one that has waited
 * longest, the lower place, the lower run and node. Age is judged once a
 * second. A claim that cannot have everything keeps back what it wants from
 * those behind it: they may take only what would still leave enough. So a big
 * claim is not passed for ever by small ones, and what it does not want goes
 * on. There is one exception: a claim that waits for a holder keeps nothing
 * back while the holder, or a claim below it, waits, too. Else the two could
 * wait for each other.
 *
 * A lock has as many slots as LockSlots= of the claim says that takes it. Where
 * claims name different numbers the lowest of those that hold the lock, and of
 * the one that takes it, counts: no claim ever shares the lock with more than
 * it allows.
 *
 * Memory is taken when a claim is made, and nowhere else. Times are µs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/usec.h"
#include "run/run_demand.h"

typedef struct RunPool RunPool;
typedef struct RunClaim RunClaim;

int run_pool_new(RunPool **ret_pool); /* -ENOMEM */
RunPool *run_pool_free(RunPool *pool); /* all claims have been freed */
DEFINE_CLEANUP(RunPool, run_pool_free)

/* Whether waiting raises the priority; at first it does. */
void run_pool_set_ageing(RunPool *pool, bool is_on);
/* There are @total of a resource. What is held of it stays held, even if that is more. -ERANGE, -ENOMEM. */
int run_pool_set_resource(RunPool *pool, const char *name, uint64_t total);
/* The number of the last grant, which is to be set again after a restart: no lock gives a number twice. */
uint64_t run_pool_fence(const RunPool *pool);
void run_pool_set_fence(RunPool *pool, uint64_t fence);

/*
 * Whether a claim could ever have @demand: 0, -ENOMEM, or with a sentence in *ret_problem (owned by the caller; NULL:
 * none is wanted) -EINVAL for a name that stands twice and an amount or a number of slots of 0, -ENOENT for a resource
 * that does not exist, -ERANGE for more than there is of one.
 */
int run_pool_check(const RunPool *pool, const RunDemand *demand, char **ret_problem);

/* — gates — */

/* A condition that several claims share: while the gate is shut they neither get anything nor keep it from others. */
typedef struct RunGate {
        bool is_shut;
        uint32_t n_waiting; /* claims */
} RunGate;

void run_gate_set(RunPool *pool, RunGate *gate, bool is_shut);

/* — claims — */

typedef struct RunClaimKey {
        uint32_t run;
        uint32_t node; /* UINT32_MAX: the claim is that of the run, and takes locks of runs */
} RunClaimKey;

#define RUN_CLAIM_OF_RUN UINT32_MAX

typedef struct RunClaimSpec {
        RunClaimKey key;
        RunDemand demand;
        uint8_t priority;
        RunClaim *above; /* borrowed: of the run of a node, of the node of a sub-run; or NULL */
        RunGate *gate; /* borrowed; NULL: none */
        bool is_unchecked; /* more than there is may be wanted: the claim waits for that, and keeps nothing back */
        void *userdata;
} RunClaimSpec;

/*
 * Neither waits nor holds. The demand is copied. Refused as run_pool_check() says, or -ENOMEM. Claims below are freed
 * before it.
 */
int run_claim_new(RunPool *pool, const RunClaimSpec *spec, RunClaim **ret_claim);
RunClaim *run_claim_free(RunClaim *claim); /* with all that it holds; accepts NULL, returns NULL */
DEFINE_CLEANUP(RunClaim, run_claim_free)

/* From now on @claim, which does not wait, is below @above, or below none. Claims below it stay there. */
void run_claim_move(RunClaim *claim, RunClaim *above);
const RunClaim *run_claim_above(const RunClaim *claim);
RunClaimKey run_claim_key(const RunClaim *claim);
void *run_claim_userdata(const RunClaim *claim);

/*
 * Waits, since @since, for all that the claim does not hold. A lock that a claim above it of the same kind holds counts
 * as its own; resources do not. Does nothing if it waits.
 */
void run_claim_wait(RunClaim *claim, usec_t since, uint64_t place);
void run_claim_leave(RunClaim *claim); /* does nothing if it does not wait */
bool run_claim_waits(const RunClaim *claim);
uint8_t run_claim_priority(const RunClaim *claim, usec_t now); /* the effective one */
/* The effective priority of something that has waited since @since. */
uint8_t run_pool_priority(const RunPool *pool, uint8_t priority, usec_t since, usec_t now);

/* The first claim that can take what it waits for, or NULL. @now does not fall. */
RunClaim *run_pool_next(RunPool *pool, usec_t now);
/* When run_pool_next() may answer otherwise only because time has passed; USEC_INFINITY: never. */
usec_t run_pool_deadline(const RunPool *pool, usec_t now);
/* Takes what it waits for, and waits no more; the claim is the one that run_pool_next() has returned. */
void run_claim_take(RunClaim *claim);

typedef enum RunClaimPart {
        RUN_CLAIM_LOCKS = 1,
        RUN_CLAIM_NEEDS = 2,
        RUN_CLAIM_ALL = 3,
} RunClaimPart;

void run_claim_release(RunClaim *claim, RunClaimPart part); /* what it holds of it */
bool run_claim_holds(const RunClaim *claim, RunClaimPart part); /* something of it */
/* Takes what it does not hold, whether it is free or not: after a restart, for what was held before. */
void run_claim_force(RunClaim *claim, RunClaimPart part);

/* A lock that is held: what a store keeps. */
typedef struct RunLockRow {
        const char *name; /* borrowed from the claim */
        uint32_t slot; /* from 0 */
        uint64_t fence; /* the number of the grant */
} RunLockRow;

/* The locks that the claim holds, by name: false once @at is their number. */
bool run_claim_lock(const RunClaim *claim, size_t at, RunLockRow *ret_row);
/* Holds a lock as it was kept. -ENOENT: it does not want that lock; -EBUSY: the slot is taken, or it has one. */
int run_claim_restore_lock(RunClaim *claim, const RunLockRow *row);

/* — what can be asked — */

/* A claim with a lock or resource: it holds it, or waits for it. */
typedef struct RunLockEntry {
        const char *name; /* borrowed */
        RunClaimKey key;
        bool is_lock; /* else a resource */
        bool is_held;
        uint32_t slot; /* of a lock that is held, from 0 */
        uint64_t amount, total; /* slots; amounts */
        uint8_t priority; /* the effective one, of a claim that waits … */
        usec_t since; /* … since then */
} RunLockEntry;

typedef void (*RunLockVisitor)(void *userdata, const RunLockEntry *entry);

/*
 * Of each name the claims that hold it, by slot, those that wait in the order of service, and those that wait behind a
 * gate that is shut. @visit may not change the pool.
 */
void run_pool_visit(const RunPool *pool, usec_t now, RunLockVisitor visit, void *userdata);

typedef struct RunClaimWhy {
        const char *name; /* borrowed: the first by name that it cannot have, locks first */
        bool is_lock;
        bool has_holder, has_other; /* .holder, .other are set */
        RunClaimKey holder; /* of the lowest slot; of the resource the one that holds it longest */
        RunClaimKey other; /* the first one before it in the queue */
        uint32_t n_before; /* in the queue */
        uint64_t wanted, unused, total; /* slots; amounts */
} RunClaimWhy;

/* Whether it waits, and cannot have something. A claim that could have all waits for its turn, or its gate. */
bool run_claim_why(const RunClaim *claim, usec_t now, RunClaimWhy *ret_why);

/*
 * The claims that wait for each other for ever, if @claim is one of them, or waits for them: their number, and the keys
 * of the first @n_max. 0: none do. To be asked when a claim begins to wait: the last one closes the circle.
 */
size_t run_claim_find_cycle(const RunClaim *claim, RunClaimKey *ret_keys, size_t n_max);
