/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A token bucket
 *
 * A microsecond brings .rate parts of a token, which has .period of them. All
 * products fit, as .period × (.rate + 1) does: run_bucket_init() sees to it.
 */

#include <assert.h>
#include <errno.h>

#include "basic/macro.h"
#include "run/run_bucket.h"

/* The tokens that come in @time, which is at most a second. */
static uint64_t tokens_in(const RunBucket *bucket, usec_t time, bool is_rounded_up) {
        const uint64_t parts = time * bucket->rate;

        return parts / bucket->period + (is_rounded_up && parts % bucket->period > 0);
}

int run_bucket_init(RunBucket *bucket, uint32_t rate, usec_t period, uint32_t burst) {
        RunBucket made = { .rate = rate, .period = period };
        uint64_t product;

        if (rate > 0) {
                if (period == 0 || __builtin_mul_overflow(period, (uint64_t) rate + 1, &product))
                        return -EINVAL;
                made.burst = burst;
                if (burst == 0)
                        made.burst = (uint32_t) MIN(MAX(tokens_in(&made, 50 * USEC_PER_MSEC, false), UINT64_C(1)),
                                                    (uint64_t) UINT32_MAX);
                made.group = (uint32_t) MIN(tokens_in(&made, USEC_PER_MSEC, true), (uint64_t) made.burst);
        }
        *bucket = made;
        return 0;
}

void run_bucket_begin(RunBucket *bucket, usec_t now) {
        bucket->tokens = 0;
        bucket->part = 0;
        bucket->since = now;
}

void run_bucket_pour(RunBucket *bucket, const RunBucket *other) {
        bucket->tokens = MIN(other->tokens, bucket->burst);
        bucket->part = 0;
        bucket->since = other->since;
}

static void fill(RunBucket *bucket, usec_t now) {
        const usec_t time = now > bucket->since ? now - bucket->since : 0;
        uint64_t come, parts;

        if (time == 0)
                return;
        bucket->since = now;
        parts = time % bucket->period * bucket->rate + bucket->part;
        bucket->part = parts % bucket->period;
        if (__builtin_mul_overflow(time / bucket->period, (uint64_t) bucket->rate, &come) ||
            __builtin_add_overflow(come, parts / bucket->period, &come) ||
            come >= bucket->burst - bucket->tokens) {
                bucket->tokens = bucket->burst;
                bucket->part = 0;
                return;
        }
        bucket->tokens += (uint32_t) come;
}

bool run_bucket_has(RunBucket *bucket, usec_t now) {
        if (bucket->rate == 0)
                return true;
        fill(bucket, now);
        return bucket->tokens > 0;
}

void run_bucket_take(RunBucket *bucket) {
        if (bucket->rate == 0)
                return;
        assert(bucket->tokens > 0);
        bucket->tokens--;
}

usec_t run_bucket_due(const RunBucket *bucket, usec_t now) {
        RunBucket then = *bucket;
        uint64_t parts;

        if (run_bucket_has(&then, now))
                return now;
        parts = then.group * then.period - then.part;
        return usec_add(now, parts / then.rate + (parts % then.rate > 0));
}
