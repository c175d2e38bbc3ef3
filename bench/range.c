/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What the range of a batch takes for an item, in processor time, as JSON: in ns
 *
 *     range
 *
 * "item": issue and end of one of 10⁶ items, a window of 2,000, 64 of them out, which end in any order; "failures": the
 * same, where each tenth fails and is tried again after a while; "checkpoint": one of a window of 20,000 of which half are
 * over, in any order. Each is the least of some trials.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "run/run_range.h"

#define ITEMS 1000000U
#define PARALLEL 64U
#define LARGE 20000U
#define SAVES 100
#define TRIALS 5

static uint64_t now_ns(void) {
        struct timespec time;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static uint32_t pick(uint64_t *random, uint32_t n) {
        *random = *random * 6364136223846793005U + 1442695040888963407U;
        return (uint32_t) (*random >> 33) % n;
}

static RunRange *new_range(uint64_t n, uint32_t window, uint32_t slots) {
        RunRange *range;

        if (run_range_new(&(RunRangeSettings) { .n = n, .window = window, .slots = slots, .retry = UINT32_MAX, .delay = 500,
                                                .max_delay = USEC_INFINITY },
                          &range) < 0)
                exit(1);
        run_range_launch(range, 0);
        return range;
}

static double measure_items(uint32_t failures) {
        RunRange *range = new_range(ITEMS, 2000, PARALLEL);
        uint64_t out[PARALLEL], random = 1, begin = now_ns();
        uint32_t n_out = 0;
        RunRangeIssue issued;
        RunRangeItem item;

        for (usec_t now = 0;; now++) {
                while ((issued = run_range_issue(range, now, &item)) == RUN_RANGE_ISSUED)
                        out[n_out++] = item.index;
                if (issued == RUN_RANGE_OVER)
                        break;
                if (n_out == 0)
                        continue;
                const uint32_t at = pick(&random, n_out);

                (void) run_range_end(range, out[at], pick(&random, 100) < failures ? RUN_RANGE_FAILURE : RUN_RANGE_SUCCESS,
                                     now, 0, 0);
                out[at] = out[--n_out];
        }
        begin = now_ns() - begin;
        run_range_free(range);
        return (double) begin / ITEMS;
}

static double measure_checkpoints(void) {
        RunRange *range = new_range(2 * LARGE, LARGE, LARGE);
        RecordWriter writer = {};
        RunRangeItem item;
        uint64_t random = 1, begin;

        while (run_range_issue(range, 0, &item) == RUN_RANGE_ISSUED)
                ;
        for (uint32_t i = 0; i < LARGE; i++)
                (void) run_range_end(range, 1 + pick(&random, LARGE - 1), RUN_RANGE_SUCCESS, 0, 0, 0);
        begin = now_ns();
        for (unsigned i = 0; i < SAVES; i++) {
                record_writer_clear(&writer);
                run_range_save(range, 0, &writer);
        }
        begin = now_ns() - begin;
        record_writer_deinit(&writer);
        run_range_free(range);
        return (double) begin / SAVES;
}

int main(void) {
        double item = 1e9, failures = 1e9, checkpoint = 1e9;

        for (unsigned i = 0; i < TRIALS; i++) {
                item = MIN(item, measure_items(0));
                failures = MIN(failures, measure_items(10));
                checkpoint = MIN(checkpoint, measure_checkpoints());
        }
        printf("{\"item\": %.1f, \"failures\": %.1f, \"checkpoint\": %.0f}\n", item, failures, checkpoint);
        return 0;
}
