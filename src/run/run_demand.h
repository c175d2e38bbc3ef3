/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The demand of a run or a node: locks, of each one slot, and amounts of resources
 */

#include <stddef.h>
#include <stdint.h>

#define RUN_PRIORITY_MAX 255U
#define RUN_AMOUNT_MAX (UINT64_C(1) << 56) /* of a resource */

typedef struct RunDemandLock {
        const char *name;
        uint32_t slots; /* at least 1 */
} RunDemandLock;

typedef struct RunDemandNeed {
        const char *name;
        uint64_t amount; /* at least 1 */
} RunDemandNeed;

/* All pointers are borrowed. No name stands twice. */
typedef struct RunDemand {
        const RunDemandLock *locks;
        const RunDemandNeed *needs;
        size_t n_locks, n_needs;
} RunDemand;

/* A copy with all that it points to, in one allocation (owned by the caller); NULL if memory is short. */
RunDemand *run_demands_copy(const RunDemand *demands, size_t n);
size_t run_demands_bytes(const RunDemand *demands, size_t n); /* what such a copy takes */
