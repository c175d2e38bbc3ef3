/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The rules of run_range.h in the plainest way there is: a list of all items, which each question walks, and a bucket
 * that is filled microsecond by microsecond
 */

#include "run/run_range.h"

#define SLOW_ITEMS 400U
#define SLOW_NONE UINT32_MAX

/* What the model does wrong, so that a comparison must find it. */
typedef enum SlowFault {
        SLOW_IS_RIGHT,
        SLOW_PREFERS_NEW,
        SLOW_FORGETS_LOSSES, /* when it is saved */
        SLOW_LOSS_IS_A_FAILURE,
        SLOW_ERROR_HOLDS_BASE, /* one that is issued again */
        SLOW_NEVER_MENDS,
        SLOW_FORGETS_BITS, /* of what is over above the base, when it is saved */
        SLOW_COUNTS_WINDOW, /* not its width, but what is not over */
        SLOW_BEGINS_FULL, /* the bucket */
        SLOW_ROUNDS_TOKENS,
        SLOW_COUNTS_MENDS, /* errors that are issued again, in the budget of the whole life */
        SLOW_SPENDS_EARLY, /* at the number of errors, not above it */
        SLOW_WAITS_ANEW, /* after a restore, all of the delay */
        _SLOW_FAULT_MAX,
} SlowFault;

typedef enum SlowState { SLOW_IS_NEW, SLOW_IS_OUT, SLOW_WAITS, SLOW_IS_OVER } SlowState;

typedef struct SlowItem {
        SlowState state;
        bool is_error; /* counts as one */
        bool was_over; /* once: the base may pass it */
        uint32_t tries, deaths;
        usec_t due, begin; /* of what waits */
} SlowItem;

typedef struct SlowRange {
        SlowFault fault;
        RunRangeSettings settings;
        uint64_t first; /* the index of .items[0] */
        SlowItem items[SLOW_ITEMS];
        bool has_launch, is_drained;
        uint64_t launch_errors, launch_over, strange;
        uint64_t level; /* of the bucket: a token is .period */
        usec_t since;
} SlowRange;

void slow_range_launch(SlowRange *range, usec_t now);
RunRangeIssue slow_range_issue(SlowRange *range, usec_t now, RunRangeItem *ret_item);
usec_t slow_range_due(const SlowRange *range, usec_t now);
RunRangeFate slow_range_end(SlowRange *range, uint64_t index, RunRangeEnd end, usec_t now, usec_t again);
int slow_range_retry(SlowRange *range, uint64_t index);
int slow_range_claim(SlowRange *range, uint64_t index);
int slow_range_set(SlowRange *range, const RunRangeSettings *settings);
void slow_range_save_and_restore(SlowRange *range, usec_t now, usec_t later);
RunRangeBudget slow_range_budget(const SlowRange *range);
void slow_range_count(const SlowRange *range, RunRangeCounts *ret_counts);
/* The item of an index, SLOW_NONE: it is none. */
uint32_t slow_range_item(const SlowRange *range, uint64_t index);
