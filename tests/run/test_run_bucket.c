/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The token bucket: its rate over long times, its burst, and when there is a token */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "run/run_bucket.h"

#define START USEC_PER_HOUR

static RunBucket new_bucket(uint32_t rate, usec_t period, uint32_t burst) {
        RunBucket bucket;

        cr_assert(eq(int, run_bucket_init(&bucket, rate, period, burst), 0));
        run_bucket_begin(&bucket, START);
        return bucket;
}

static uint64_t take_all(RunBucket *bucket, usec_t now) {
        uint64_t n = 0;

        for (; run_bucket_has(bucket, now); n++)
                run_bucket_take(bucket);
        return n;
}

/* Tokens that are taken in @time by somebody who comes when they are due, and each time up to @late µs later. */
static uint64_t take_for(RunBucket *bucket, usec_t time, uint32_t late) {
        uint32_t random = 1;
        usec_t now = START;
        uint64_t n = 0;

        for (;;) {
                random = random * 1664525 + 1013904223;
                now = run_bucket_due(bucket, now) + (late > 0 ? (random >> 8) % late : 0);
                if (now > START + time)
                        return n + take_all(bucket, START + time);
                n += take_all(bucket, now);
        }
}

Test(run_bucket, without_a_rate_there_is_no_limit) {
        RunBucket bucket = new_bucket(0, 0, 0);

        for (unsigned i = 0; i < 1000; i++) {
                cr_assert(run_bucket_has(&bucket, START));
                run_bucket_take(&bucket);
        }
        cr_assert(eq(u64, run_bucket_due(&bucket, START), START));
}

Test(run_bucket, begins_empty) {
        RunBucket bucket = new_bucket(10, USEC_PER_SEC, 5);

        cr_assert(eq(u64, take_all(&bucket, START + 99999), 0));
        cr_assert(eq(u64, take_all(&bucket, START + 100000), 1));
}

Test(run_bucket, holds_no_more_than_its_burst) {
        RunBucket bucket = new_bucket(1000, USEC_PER_SEC, 7);

        cr_assert(eq(u64, take_all(&bucket, START + USEC_PER_DAY), 7));
        cr_assert(eq(u64, take_all(&bucket, START + USEC_PER_DAY + 999), 0));
        cr_assert(eq(u64, take_all(&bucket, USEC_INFINITY), 7));
}

Test(run_bucket, the_burst_is_a_twentieth_of_a_second_and_at_least_a_token) {
        cr_assert(eq(u32, new_bucket(2000, USEC_PER_SEC, 0).burst, 100));
        cr_assert(eq(u32, new_bucket(60000, USEC_PER_MINUTE, 0).burst, 50));
        cr_assert(eq(u32, new_bucket(3, USEC_PER_SEC, 0).burst, 1));
        cr_assert(eq(u32, new_bucket(2000, USEC_PER_SEC, 9).burst, 9));
        cr_assert(eq(u32, new_bucket(UINT32_MAX, 1, 0).burst, UINT32_MAX));
}

/* To the token, as the parts of one are not rounded. */
Test(run_bucket, the_rate_holds_over_long_times) {
        static const struct {
                uint32_t rate;
                usec_t period, time;
        } cases[] = {
                { 2000, USEC_PER_SEC, USEC_PER_MINUTE },   { 7, USEC_PER_SEC, 10 * USEC_PER_HOUR },
                { 3333, USEC_PER_SEC, 2 * USEC_PER_MINUTE }, { 1001, USEC_PER_MINUTE, 10 * USEC_PER_HOUR },
                { 999983, 7 * USEC_PER_SEC, USEC_PER_MINUTE }, { 1, 3 * USEC_PER_DAY, 10000 * USEC_PER_DAY },
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                for (uint32_t late = 0; late < 10000; late += 9000) {
                        RunBucket bucket = new_bucket(cases[i].rate, cases[i].period, 1000000);
                        const uint64_t wanted = (uint64_t) ((double) cases[i].time / (double) cases[i].period * cases[i].rate);

                        cr_assert(eq(u64, take_for(&bucket, cases[i].time, late), wanted), "%zu, %u", i, late);
                }
}

/* Two thousand a second, asked for up to 30 ms late: within 1 % in a minute, and no 100 ms have more than 1.2 times. */
Test(run_bucket, a_late_timer_costs_nothing) {
        RunBucket bucket = new_bucket(2000, USEC_PER_SEC, 0);
        const uint64_t n = take_for(&bucket, USEC_PER_MINUTE, 30000);

        cr_assert(eq(u64, n, 120000));
}

Test(run_bucket, no_slot_of_100_ms_has_more_than_a_fifth_above_the_rate) {
        RunBucket bucket = new_bucket(2000, USEC_PER_SEC, 0);
        uint64_t slots[20] = {};

        for (usec_t now = START; now < START + 2 * USEC_PER_SEC; now = run_bucket_due(&bucket, now + 500))
                slots[(now - START) / (100 * USEC_PER_MSEC)] += take_all(&bucket, now);
        for (unsigned i = 0; i < 20; i++)
                cr_assert(slots[i] <= 240 && slots[i] >= 160, "%u: %lu", i, slots[i]);
}

Test(run_bucket, a_token_is_there_when_it_is_due_and_not_before) {
        for (uint32_t rate = 1; rate <= 1000; rate += 37) {
                RunBucket bucket = new_bucket(rate, USEC_PER_SEC, 0);
                usec_t now = START;

                for (unsigned i = 0; i < 100; i++) {
                        const usec_t due = run_bucket_due(&bucket, now);

                        cr_assert(eq(u64, take_all(&bucket, due - 1), 0));
                        cr_assert(eq(u64, take_all(&bucket, due), 1));
                        now = due;
                }
        }
}

Test(run_bucket, higher_rates_are_due_in_groups) {
        RunBucket bucket = new_bucket(100000, USEC_PER_SEC, 0);

        cr_assert(eq(u64, run_bucket_due(&bucket, START), START + 1000));
        cr_assert(eq(u64, take_all(&bucket, START + 1000), 100));
        bucket = new_bucket(1500, USEC_PER_SEC, 0);
        cr_assert(eq(u64, run_bucket_due(&bucket, START), START + 1334));
        /* A bucket that holds less is waited for until it is full. */
        bucket = new_bucket(100000, USEC_PER_SEC, 10);
        cr_assert(eq(u64, run_bucket_due(&bucket, START), START + 100));
        /* What is there is there. */
        cr_assert(run_bucket_has(&bucket, START + 10));
        cr_assert(eq(u64, run_bucket_due(&bucket, START + 10), START + 10));
}

Test(run_bucket, a_clock_that_goes_back_brings_nothing) {
        RunBucket bucket = new_bucket(1000, USEC_PER_SEC, 10);

        cr_assert(eq(u64, take_all(&bucket, START + 5000), 5));
        cr_assert(eq(u64, take_all(&bucket, START), 0));
        cr_assert(eq(u64, take_all(&bucket, START + 6000), 1));
}

Test(run_bucket, a_period_is_there_and_not_beyond_all_numbers) {
        RunBucket bucket;

        cr_assert(eq(int, run_bucket_init(&bucket, 1, 0, 0), -EINVAL));
        cr_assert(eq(int, run_bucket_init(&bucket, 1, UINT64_MAX, 0), -EINVAL));
        cr_assert(eq(int, run_bucket_init(&bucket, 1000, UINT64_MAX / 1000, 0), -EINVAL));
        cr_assert(eq(int, run_bucket_init(&bucket, 999, UINT64_MAX / 1000, 0), 0));
        cr_assert(eq(int, run_bucket_init(&bucket, UINT32_MAX, USEC_PER_HOUR, UINT32_MAX), 0));
        run_bucket_begin(&bucket, 0);
        cr_assert(run_bucket_has(&bucket, USEC_INFINITY));
        cr_assert(eq(u32, bucket.tokens, UINT32_MAX));
}
