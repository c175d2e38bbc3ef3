/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * How fast the items of a batch come to their ends, and how long the rest takes
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/usec.h"

#define BATCH_SAMPLES 16U
/* How far back the rate looks. */
#define BATCH_RATE_SPAN (10 * USEC_PER_SEC)

typedef struct BatchCounts {
        uint64_t over, errors, out, total;
} BatchCounts;

/* The counts as they were at some times, the oldest first. */
typedef struct BatchProgress {
        struct {
                usec_t at;
                uint64_t over;
        } samples[BATCH_SAMPLES];
        size_t n;
        BatchCounts counts; /* the last ones */
} BatchProgress;

/* @now: of a clock that does not go back. */
void batch_progress_note(BatchProgress *progress, const BatchCounts *counts, usec_t now);
/* Items that came to their ends in a second, lately; < 0: not known yet. */
double batch_progress_rate(const BatchProgress *progress);
/* How long the rest takes at that rate; USEC_INFINITY: not known. */
usec_t batch_progress_left(const BatchProgress *progress);
/* "38 of 100 are over, 40/s, 2 errors, 4 out, 1.5s left": the caller owns it. 0 or -ENOMEM. */
int batch_progress_format(const BatchProgress *progress, char **ret_line);
