/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Delays between tries
 *
 * S004-15
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "run/run_retry.h"

static usec_t after(RunBackoff backoff, uint32_t failures) {
        return run_retry_delay(&(RunPolicy) { .backoff = backoff, .delay = 5, .max_delay = 300 }, failures, 0);
}

Test(run_retry, backoff_grows_up_to_the_maximum) {
        const usec_t fixed[] = { 5, 5, 5, 5 }, linear[] = { 5, 10, 15, 20 }, exponential[] = { 5, 10, 20, 40 };

        for (uint32_t i = 0; i < 4; i++) {
                cr_assert(eq(u64, after(RUN_BACKOFF_FIXED, i + 1), fixed[i]));
                cr_assert(eq(u64, after(RUN_BACKOFF_LINEAR, i + 1), linear[i]));
                cr_assert(eq(u64, after(RUN_BACKOFF_EXPONENTIAL, i + 1), exponential[i]));
        }
        cr_assert(eq(u64, after(RUN_BACKOFF_LINEAR, 60), 300));
        cr_assert(eq(u64, after(RUN_BACKOFF_LINEAR, 61), 300));
        cr_assert(eq(u64, after(RUN_BACKOFF_EXPONENTIAL, 7), 300));
        cr_assert(eq(u64, after(RUN_BACKOFF_EXPONENTIAL, 64), 300));
        cr_assert(eq(u64, after(RUN_BACKOFF_EXPONENTIAL, UINT32_MAX), 300));
}

/* A share of the delay is added, also to the maximum. */
Test(run_retry, jitter) {
        const RunPolicy policy = { .delay = 1000, .max_delay = 1000, .jitter = 20 };

        cr_assert(eq(u64, run_retry_delay(&policy, 1, 0), 1000));
        cr_assert(eq(u64, run_retry_delay(&policy, 1, UINT32_MAX / 2), 1099));
        cr_assert(eq(u64, run_retry_delay(&policy, 1, UINT32_MAX), 1200));
}

Test(run_retry, long_delays_stay_long) {
        const RunPolicy policy = { .backoff = RUN_BACKOFF_EXPONENTIAL, .delay = UINT64_MAX / 2, .jitter = 100,
                                   .max_delay = USEC_INFINITY };

        cr_assert(eq(u64, run_retry_delay(&policy, 1, UINT32_MAX), UINT64_MAX / 2 + (UINT64_C(1) << 62)));
        cr_assert(eq(u64, run_retry_delay(&policy, 9, UINT32_MAX), USEC_INFINITY));
}
