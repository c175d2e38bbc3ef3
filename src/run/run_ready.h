/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Whether a node may run, by counts of its parents
 *
 * The counts change as parents change state, so that the end of a node costs
 * its children, not the parents of these.
 */

#include "run/run_engine.h"

/* The outcome that a node counts as for its children. */
typedef enum RunParent {
        RUN_PARENT_UNFINISHED,
        RUN_PARENT_SUCCEEDED,
        RUN_PARENT_FAILED,                      /* FAILED, TIMEOUT, CANCELLED */
        RUN_PARENT_SKIPPED,
        RUN_PARENT_PENDING,                     /* PENDING, BLOCKED */
        _RUN_PARENT_MAX,
} RunParent;

typedef struct RunCounts {
        uint32_t n[_RUN_PARENT_MAX];            /* parents of each kind */
} RunCounts;

/* @reason: of the state; @edge: RunEdge of what joins the two. */
RunParent run_parent_of(RunNodeState state, RunReason reason, uint8_t edge);

/* All parents are unfinished. */
void run_counts_init(RunCounts *counts, uint32_t n_parents);
void run_counts_move(RunCounts *counts, RunParent from, RunParent to);
/* So many parents of that kind are lists, each of more items than a node can have. */
void run_counts_add_lists(RunCounts *counts, RunParent kind, uint32_t n_lists);

/*
 * RUN_NODE_EVENT_FIT, _WAIT, _BLOCK or _NEVER. What is certain to be impossible is NEVER, even if a parent is PENDING.
 */
RunNodeEvent run_ready(const RunPolicy *policy, const RunCounts *counts);
