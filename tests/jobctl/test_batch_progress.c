/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The line about the progress of a batch, at times that the test chooses
 */

#include <stdlib.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/batch_progress.h"

#define NOTE(progress, over, errors, out, total, at) \
        batch_progress_note(progress, &(BatchCounts) { over, errors, out, total }, at)

static void expect(const BatchProgress *progress, const char *wanted) {
        cleanup_free_ char *line = NULL;

        cr_assert_eq(batch_progress_format(progress, &line), 0);
        cr_expect_str_eq(line, wanted);
}

Test(batch_progress, one_look_knows_no_rate) {
        BatchProgress progress = {};

        NOTE(&progress, 38, 1, 4, 100, 5 * USEC_PER_SEC);
        cr_expect_lt(batch_progress_rate(&progress), 0);
        cr_expect_eq(batch_progress_left(&progress), USEC_INFINITY);
        expect(&progress, "38 of 100 are over, 1 error, 4 out");
        /* Two at the same time are no more. */
        NOTE(&progress, 39, 1, 4, 100, 5 * USEC_PER_SEC);
        cr_expect_lt(batch_progress_rate(&progress), 0);
}

Test(batch_progress, two_looks_do) {
        BatchProgress progress = {};

        NOTE(&progress, 10, 0, 4, 1000, USEC_PER_SEC);
        NOTE(&progress, 90, 2, 4, 1000, 3 * USEC_PER_SEC);
        cr_expect_float_eq(batch_progress_rate(&progress), 40, 0.001);
        expect(&progress, "90 of 1000 are over, 40/s, 2 errors, 4 out, 22s left");
}

Test(batch_progress, a_slow_rate_has_a_fraction) {
        BatchProgress progress = {};

        NOTE(&progress, 0, 0, 1, 10, 0);
        NOTE(&progress, 1, 0, 1, 10, 4 * USEC_PER_SEC);
        expect(&progress, "1 of 10 are over, 0.2/s, 0 errors, 1 out, 36s left");
}

Test(batch_progress, only_the_last_seconds_count) {
        BatchProgress progress = {};

        NOTE(&progress, 0, 0, 4, 100000, 0);
        for (unsigned i = 1; i <= 100; i++)
                NOTE(&progress, i * 100, 0, 4, 100000, i * USEC_PER_SEC);
        for (unsigned i = 1; i <= 11; i++)
                NOTE(&progress, 10000 + i, 0, 4, 100000, (100 + i) * USEC_PER_SEC);
        cr_expect_float_eq(batch_progress_rate(&progress), 1, 0.001);
}

Test(batch_progress, many_looks_in_a_short_time) {
        BatchProgress progress = {};

        for (unsigned i = 0; i < 1000; i++)
                NOTE(&progress, i, 0, 4, 2000, i * 100 * USEC_PER_MSEC);
        cr_expect_float_eq(batch_progress_rate(&progress), 10, 0.001);
        cr_expect_leq(progress.n, BATCH_SAMPLES);
}

Test(batch_progress, nothing_moves) {
        BatchProgress progress = {};

        NOTE(&progress, 5, 0, 4, 10, 0);
        NOTE(&progress, 5, 0, 4, 10, USEC_PER_SEC);
        cr_expect_eq(batch_progress_left(&progress), USEC_INFINITY);
        expect(&progress, "5 of 10 are over, 0.0/s, 0 errors, 4 out");
}

Test(batch_progress, all_is_over) {
        BatchProgress progress = {};

        NOTE(&progress, 5, 0, 4, 10, 0);
        NOTE(&progress, 10, 3, 0, 10, USEC_PER_SEC);
        cr_expect_eq(batch_progress_left(&progress), 0);
        expect(&progress, "10 of 10 are over, 5.0/s, 3 errors, 0 out");
}

/* Errors that are issued again are over no more: a rate below 0 would be none. */
Test(batch_progress, fewer_are_over) {
        BatchProgress progress = {};

        NOTE(&progress, 10, 8, 0, 10, 0);
        NOTE(&progress, 2, 8, 4, 10, USEC_PER_SEC);
        expect(&progress, "2 of 10 are over, 8 errors, 4 out");
}

Test(batch_progress, ten_thousand_millions) {
        BatchProgress progress = {};

        NOTE(&progress, 0, 0, 4, UINT64_C(10000000000), 0);
        NOTE(&progress, 1, 0, 4, UINT64_C(10000000000), 10 * USEC_PER_SEC);
        cr_expect_eq(batch_progress_left(&progress), UINT64_C(9999999999) * 10 * USEC_PER_SEC);
        NOTE(&progress, 1, 0, 4, UINT64_MAX, 11 * USEC_PER_SEC);
        cr_expect_eq(batch_progress_left(&progress), USEC_INFINITY);
}
