/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A token bucket
 *
 * Tokens come at a rate, up to a number, and one is taken for each event. Parts
 * of a token are kept exactly, so the rate holds over any time, whatever the
 * times are at which it is asked. What comes to a full bucket is lost.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/usec.h"

typedef struct RunBucket {
        uint32_t rate; /* tokens in .period; 0: no limit */
        uint32_t burst; /* tokens that the bucket holds */
        uint32_t group; /* tokens that are waited for at an empty bucket */
        usec_t period;
        uint32_t tokens;
        uint64_t part; /* of the next token, in .period parts */
        usec_t since; /* what is there was there at this time */
} RunBucket;

/* @burst of 0: what comes in 50 ms, at least 1. -EINVAL if there is a @rate and no @period, or one of many years. */
int run_bucket_init(RunBucket *bucket, uint32_t rate, usec_t period, uint32_t burst);
/* Makes it empty. */
void run_bucket_begin(RunBucket *bucket, usec_t now);
/* Takes over what is in another one. */
void run_bucket_pour(RunBucket *bucket, const RunBucket *other);
bool run_bucket_has(RunBucket *bucket, usec_t now);
void run_bucket_take(RunBucket *bucket); /* run_bucket_has() was true */
/*
 * When there is a token, @now if there is one. As no timer is worth less than a millisecond, an empty bucket of a
 * higher rate has one only when there are those of a millisecond.
 */
usec_t run_bucket_due(const RunBucket *bucket, usec_t now);
