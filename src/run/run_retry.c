/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Delays between tries
 *
 * Products that do not fit in 64 bits are longer than any maximum.
 */

#include <assert.h>
#include <string.h>

#include "run/run_retry.h"

static usec_t multiply(usec_t delay, uint64_t factor) {
        usec_t product;

        return __builtin_mul_overflow(delay, factor, &product) ? USEC_INFINITY : product;
}

bool run_policy_retries(const RunPolicy *policy, uint16_t end) {
        static const RunEndSet every;

        return !run_end_set_has(policy->no_retry_ends, end) &&
               (memcmp(policy->retry_ends, every, sizeof(every)) == 0 || run_end_set_has(policy->retry_ends, end));
}

usec_t run_retry_delay(const RunPolicy *policy, uint32_t failures, uint32_t random) {
        uint64_t factor = 1;
        usec_t delay;
        double share;

        assert(failures > 0);
        if (policy->backoff == RUN_BACKOFF_LINEAR)
                factor = failures;
        else if (policy->backoff == RUN_BACKOFF_EXPONENTIAL)
                factor = UINT64_C(1) << MIN(failures - 1, 63U);
        delay = MIN(multiply(policy->delay, factor), policy->max_delay);
        if (delay == USEC_INFINITY)
                return delay;
        /* The share is random, so a double is exact enough; one of more than 73,000 years must not overflow. */
        share = (double) MIN(delay, UINT64_C(1) << 62) * policy->jitter / 100 * random / UINT32_MAX;
        return usec_add(delay, (usec_t) share);
}
