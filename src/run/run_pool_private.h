/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The pool from inside
 *
 * A name is a lock of runs, a lock of nodes, or a resource. A link joins a
 * claim with a name: it is in the list of the name's holders, or in a queue of
 * those that wait for it. The queue of a name is cut into bands of one
 * priority and one gate each. Within a band those that have waited longer are
 * never behind, whatever their age has done, so the order of all is a merge of
 * the bands; those of shut gates are left out at once.
 */

#include "basic/index_table.h"
#include "basic/vector.h"
#include "run/run_pool.h"

typedef enum PoolKind {
        POOL_RUN_LOCK,
        POOL_NODE_LOCK,
        POOL_RESOURCE,
        POOL_NOTHING, /* what a claim waits for that wants nothing more: there is always enough */
} PoolKind;

typedef enum PoolLinkState {
        POOL_LINK_IDLE,
        POOL_LINK_WAITS,
        POOL_LINK_HELD,
} PoolLinkState;

typedef struct PoolLink {
        struct PoolName *name; /* a reference */
        struct PoolBand *band; /* of the name; a reference */
        RunClaim *claim; /* borrowed: its owner */
        struct PoolLink *next, *previous; /* of the holders, by slot; or of the band */
        uint64_t amount; /* of a lock 1 */
        uint32_t slots; /* of a lock */
        uint32_t slot;
        uint64_t fence;
        PoolLinkState state;
} PoolLink;

typedef struct PoolBand {
        struct PoolBand *next;
        const RunGate *gate; /* borrowed */
        PoolLink *first, *last; /* borrowed */
        PoolLink *at; /* the next one of the walk over the name */
        uint32_t n_refs; /* links */
        uint8_t priority;
} PoolBand;

typedef struct PoolName {
        RunPool *pool; /* borrowed */
        char *name; /* owned */
        PoolKind kind;
        uint32_t n_refs; /* links, and one of a resource that has a total */
        uint32_t n_waiting;
        uint32_t limit; /* the lowest number of slots of those that hold it; UINT32_MAX: none do */
        uint32_t place; /* in .names of the pool */
        uint64_t used, total; /* .total: of a resource */
        PoolLink *first, *last; /* holders; borrowed */
        PoolBand *bands; /* owned */
        struct PoolName *next_touched; /* the next one */
        bool is_touched; /* a claim for it may have become one that can be served */
        bool has_total;
} PoolName;

struct RunClaim {
        RunPool *pool; /* borrowed */
        RunClaimKey key;
        RunClaim *above; /* borrowed */
        RunGate *gate; /* borrowed */
        void *userdata;
        RunClaim *next, *previous; /* that wait */
        usec_t since;
        uint64_t place;
        uint32_t n_held; /* links */
        uint32_t n_waiting; /* of this claim and all below it */
        uint32_t n_below; /* claims right below it */
        uint32_t n_stuck; /* as .n_waiting, in the search for a cycle */
        uint32_t n_links; /* the last one is for the name that stands for nothing */
        uint8_t priority;
        bool waits;
        bool is_stuck;
        PoolLink links[];
};

struct RunPool {
        VECTOR(PoolName *) names; /* owned */
        IndexTable by_name;
        PoolName nothing;
        PoolName *touched; /* borrowed */
        RunClaim *waiting; /* borrowed: the first one */
        uint32_t n_claims;
        uint64_t fence;
        usec_t second; /* when age was judged last */
        bool has_ageing;
};

/* How much of a name is not for a claim: held, and kept back by claims before it. */
typedef struct PoolLoad {
        uint64_t n;
        uint32_t limit;
} PoolLoad;

/* A walk over the queue of a name, in the order of service. A name has one at a time. */
typedef struct PoolWalk {
        const PoolName *name;
        usec_t now;
} PoolWalk;

/* — run_pool_name.c — */

/* Finds or makes a name. The reference is the caller's. 0 or -ENOMEM. */
int pool_name_take(RunPool *pool, PoolKind kind, const char *text, PoolName **ret_name);
void pool_name_unref(PoolName *name);
void pool_touch(PoolName *name); /* a claim that waits for it may be one that can be served now */
void pool_touch_all(RunPool *pool);
void pool_untouch(PoolName *name);
PoolLoad pool_load(const PoolName *name); /* what is held */
void pool_load_add(PoolLoad *load, const PoolLink *link);
bool pool_load_fits(const PoolLoad *load, const PoolLink *link);
bool pool_load_is_full(const PoolLoad *load, const PoolName *name);

/* — run_pool.c — */

/* Leaves out claims behind shut gates, but those of the gate @own. */
void pool_walk_begin(PoolWalk *walk, const PoolName *name, const RunGate *own, usec_t now);
PoolLink *pool_walk_next(PoolWalk *walk); /* NULL at the end */

/* The claim wants more than there is: until there is more it is not served, and keeps nothing back. */
bool pool_claim_is_impossible(const RunClaim *claim);
/* The same is so, or the gate of the claim is shut. */
bool pool_claim_is_passed_over(const RunClaim *claim);
/* Whether all that the claim waits for would be free if the holders that need not wait gave it back. */
bool pool_claim_is_near(const RunClaim *claim);
/* Whether the claim can have what @link is for, behind those before it in the queue. */
bool pool_link_fits(const PoolLink *link, usec_t now);
