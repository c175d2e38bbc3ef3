/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A range, for its own files and for tests that count steps
 */

#include "basic/index_table.h"
#include "basic/vector.h"
#include "run/run_bucket.h"
#include "run/run_range.h"

#define RANGE_WORD_BITS 64U
#define RANGE_NO_SPARE UINT32_MAX

/* An item that something goes on of: all zero, if nothing does. */
typedef struct RangeItem {
        usec_t due; /* of one that waits */
        uint32_t tries; /* that have failed */
        uint32_t place; /* in the heap; 0: it does not wait */
        uint8_t deaths;
        bool is_out;
} RangeItem;

/* An error that is issued again, wherever it is. */
typedef struct RangeSecond {
        RangeItem item;
        uint64_t index;
        uint32_t next_spare; /* of one that is free */
} RangeSecond;

struct RunRange {
        RunRangeSettings settings;
        uint64_t base, next;

        /* Rings: index & .mask is the place of an item in [base, next); outside of it all is zero. */
        uint64_t mask;
        uint64_t *done; /* owned */
        RangeItem *items; /* owned */
        uint64_t n_done; /* bits */

        VECTOR(RangeSecond) seconds;
        uint32_t spare; /* the first of .seconds that is free, or RANGE_NO_SPARE */
        uint32_t n_seconds; /* that are not */
        IndexTable by_index; /* of .seconds */

        uint32_t *heap; /* owned: what waits, from 1 on, by time and then by index; see heap_item() */
        uint32_t n_waiting, heap_allocated;
        uint32_t n_out;

        RunBucket bucket;
        bool has_launch, is_drained;
        uint64_t errors, launch_errors, launch_over, strange;
        uint64_t n_steps; /* of loops, since the range was made */
};

/* Of what is in [base, next], the first item from @from on that is over or is not, or .next. */
uint64_t range_find(const RunRange *range, uint64_t from, bool is_over);
/* The bits of the items from @from on, which is below .next: 0 of those that are not below it. */
uint64_t range_word(const RunRange *range, uint64_t from);
bool range_is_done(const RunRange *range, uint64_t index); /* in [base, next) */
RangeItem *range_item(const RunRange *range, uint64_t index); /* in [base, next) */
void range_set_done(RunRange *range, uint64_t index);
RangeSecond *range_find_second(const RunRange *range, uint64_t index);

/* An item of the window that waits; of an item that does not. */
void range_wait(RunRange *range, uint64_t index, usec_t due);
/* A second try of all tries: 0 or -ENOMEM. */
int range_add_second(RunRange *range, uint64_t index, const RangeItem *item);
/* A range of the settings, for items from @base to @next: 0, -EINVAL or -ENOMEM. */
int range_new(const RunRangeSettings *settings, uint64_t base, uint64_t next, RunRange **ret_range);
