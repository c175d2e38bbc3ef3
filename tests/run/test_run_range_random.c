/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A range beside a slow model of it, in random sequences; and the same with each fault of the model, which must show
 */

#include <stdio.h>
#include <string.h>

#include "range_fixture.h"
#include "slow_range.h"

#define SEQUENCES 400U
#define FAULTY_SEQUENCES 100U
#define STEPS 250U

typedef struct Case {
        uint64_t random;
        usec_t now;
        RunRange *range;
        SlowRange slow;
        char difference[160];
} Case;

static uint32_t pick(Case *test, uint32_t n) {
        test->random ^= test->random << 13;
        test->random ^= test->random >> 7;
        test->random ^= test->random << 17;
        return (uint32_t) (test->random >> 33) % n;
}

/* The first difference counts. */
static void compare(Case *test, const char *what, uint64_t fast, uint64_t slow) {
        if (fast != slow && test->difference[0] == '\0')
                snprintf(test->difference, sizeof(test->difference), "%s: %lu, and %lu in the model", what, fast, slow);
}

static RunRangeSettings random_settings(Case *test, uint64_t n) {
        static const uint32_t rates[] = { 0, 0, 1, 3, 7, 100 };
        RunRangeSettings settings = {
                .n = n,
                .window = 1 + pick(test, pick(test, 2) ? 150 : 20),
                .rate = rates[pick(test, 6)],
                .period = 500 + pick(test, 2000),
                .burst = pick(test, 2) * pick(test, 10),
                .retry = pick(test, 4),
                .backoff = pick(test, 3),
                .delay = pick(test, 2) * pick(test, 5000),
                .max_delay = pick(test, 2) ? USEC_INFINITY : pick(test, 8000),
                .max_errors = pick(test, 2) * pick(test, 30),
                .max_error_percent = pick(test, 2) * pick(test, 40),
                .max_errors_total = pick(test, 2) * pick(test, 100),
        };

        settings.slots = 1 + pick(test, settings.window);
        return settings;
}

/* Among those that were issued, or beside them. */
static uint64_t pick_index(Case *test) {
        const RunRangeCounts counts = count(test->range);

        if (pick(test, 20) == 0)
                return counts.next + pick(test, 200) - 100;
        if (counts.next > counts.base && pick(test, 3) > 0)
                return counts.base + pick(test, (uint32_t) (counts.next - counts.base));
        return test->slow.first + pick(test, (uint32_t) (counts.next - test->slow.first) + 1);
}

static void issue_some(Case *test) {
        for (uint32_t n = pick(test, 40); n > 0; n--) {
                RunRangeItem fast = {}, slow = {};
                const RunRangeIssue issued = run_range_issue(test->range, test->now, &fast);

                compare(test, "issue", issued, slow_issue(&test->slow, test->now, &slow));
                compare(test, "index", fast.index, slow.index);
                compare(test, "tries", fast.tries, slow.tries);
                if (issued != RUN_RANGE_ISSUED || test->difference[0] != '\0')
                        return;
        }
}

static void end_some(Case *test) {
        static const RunRangeEnd ends[] = { RUN_RANGE_SUCCESS, RUN_RANGE_SUCCESS, RUN_RANGE_SUCCESS, RUN_RANGE_SUCCESS,
                                            RUN_RANGE_FAILURE, RUN_RANGE_FAILURE, RUN_RANGE_AGAIN,   RUN_RANGE_LOST,
                                            RUN_RANGE_RETURNED };

        for (uint32_t n = pick(test, 40); n > 0; n--) {
                const uint64_t index = pick_index(test);
                const RunRangeEnd how = ends[pick(test, ELEMENTSOF(ends))];
                const usec_t again = pick(test, 50) ? pick(test, 3000) : USEC_INFINITY;

                compare(test, "is out", run_range_is_out(test->range, index),
                        slow_item(&test->slow, index) != SLOW_NONE &&
                                test->slow.items[slow_item(&test->slow, index)].state == SLOW_IS_OUT);
                compare(test, "end", run_range_end(test->range, index, how, test->now, again, 0),
                        slow_end(&test->slow, index, how, test->now, again));
        }
}

/* That it is an error is known to the model. */
static void retry_some(Case *test) {
        for (uint32_t n = pick(test, 20); n > 0; n--) {
                const uint64_t index = pick_index(test);
                const uint32_t i = slow_item(&test->slow, index);

                if (index < test->slow.first)
                        continue;
                if (i != SLOW_NONE && test->slow.items[i].state == SLOW_IS_OVER && !test->slow.items[i].is_error)
                        continue;
                compare(test, "retry", (uint64_t) run_range_retry(test->range, index),
                        (uint64_t) slow_retry(&test->slow, index));
        }
}

static void save_and_restore(Case *test) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        const usec_t later = pick(test, 2) ? START + pick(test, 1000) : test->now + pick(test, 3000);
        RecordReader reader;
        RunRange *range;

        run_range_save(test->range, test->now, &writer);
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, run_range_restore(&test->slow.settings, &reader, later, &range), 0));
        cr_assert(record_is_at_end(&reader));
        run_range_free(test->range);
        test->range = range;
        slow_save_and_restore(&test->slow, test->now, later);
        test->now = later;
        for (uint32_t n = pick(test, 10); n > 0; n--) {
                const uint64_t index = pick_index(test);

                compare(test, "claim", (uint64_t) run_range_claim(test->range, index),
                        (uint64_t) slow_claim(&test->slow, index));
        }
}

static void launch(Case *test) {
        run_range_launch(test->range, test->now);
        slow_launch(&test->slow, test->now);
}

static void drain(Case *test) {
        run_range_drain(test->range);
        test->slow.is_drained = true;
}

static void extend(Case *test) {
        const bool is_last = pick(test, 4) == 0;
        uint64_t n = pick(test, 60);

        n = MIN(n, test->slow.first + SLOW_ITEMS - test->slow.settings.n);
        if (!test->slow.settings.is_open) {
                compare(test, "extend", (uint64_t) run_range_extend(test->range, n, is_last), (uint64_t) -EINVAL);
                return;
        }
        compare(test, "extend", (uint64_t) run_range_extend(test->range, n, is_last), 0);
        test->slow.settings.n += n;
        test->slow.settings.is_open = !is_last;
}

/* All comes back first; a launch follows. */
static void set(Case *test) {
        RunRangeSettings settings = random_settings(test, test->slow.settings.n);

        settings.is_open = test->slow.settings.is_open;
        if (pick(test, 4) == 0)
                settings.n -= MIN((uint64_t) pick(test, 50), settings.n - test->slow.first);
        for (uint32_t i = 0; i < SLOW_ITEMS && pick(test, 200) > 0; i++) {
                if (test->slow.items[i].state != SLOW_IS_OUT)
                        continue;
                compare(test, "end", run_range_end(test->range, test->slow.first + i, RUN_RANGE_AGAIN, test->now, i % 7, 0),
                        slow_end(&test->slow, test->slow.first + i, RUN_RANGE_AGAIN, test->now, i % 7));
        }
        compare(test, "set", (uint64_t) run_range_set(test->range, &settings), (uint64_t) slow_set(&test->slow, &settings));
        launch(test);
}

static void compare_all(Case *test) {
        RunRangeCounts fast, slow;

        run_range_count(test->range, &fast);
        slow_count(&test->slow, &slow);
        compare(test, "n", fast.n, slow.n);
        compare(test, "base", fast.base, slow.base);
        compare(test, "next", fast.next, slow.next);
        compare(test, "over", fast.over, slow.over);
        compare(test, "errors", fast.errors, slow.errors);
        compare(test, "seconds", fast.seconds, slow.seconds);
        compare(test, "errors of the launch", fast.launch_errors, slow.launch_errors);
        compare(test, "over in the launch", fast.launch_over, slow.launch_over);
        compare(test, "out", fast.out, slow.out);
        compare(test, "waiting", fast.waiting, slow.waiting);
        compare(test, "window", fast.window, slow.window);
        compare(test, "slots", fast.slots, slow.slots);
        compare(test, "strange", fast.strange, slow.strange);
        compare(test, "is open", fast.is_open, slow.is_open);
        compare(test, "is drained", fast.is_drained, slow.is_drained);
        compare(test, "is over", fast.is_over, slow.is_over);
        compare(test, "budget", run_range_budget(test->range), slow_budget(&test->slow));
        compare(test, "due", run_range_due(test->range, test->now), slow_due(&test->slow, test->now));
}

static void step(Case *test) {
        const uint32_t what = pick(test, 60);

        if (pick(test, 3) == 0)
                test->now += pick(test, pick(test, 5) ? 300 : 6000);
        issue_some(test);
        if (what < 40)
                end_some(test);
        else if (what < 44)
                retry_some(test);
        else if (what < 50)
                save_and_restore(test);
        else if (what < 52)
                launch(test);
        else if (what < 53)
                drain(test);
        else if (what < 57)
                extend(test);
        else if (what < 59)
                set(test);
        compare_all(test);
}

/* Whether the range and the model have differed; *ret_difference says where. */
static bool play(uint64_t seed, SlowFault fault, char ret_difference[static 160]) {
        static const uint64_t firsts[] = { 0, 0, 1000000, (UINT64_C(1) << 63) - 100, UINT64_MAX - 1 - SLOW_ITEMS };
        Case test = { .random = seed * 2654435761U + 88172645463325252U, .now = START };

        test.slow.fault = fault;
        test.slow.first = firsts[pick(&test, ELEMENTSOF(firsts))];
        test.slow.settings = random_settings(&test, test.slow.first + pick(&test, SLOW_ITEMS + 1));
        test.slow.settings.is_open = pick(&test, 3) == 0;
        test.range = made(&test.slow.settings, test.slow.first);
        launch(&test);
        for (uint32_t i = 0; i < STEPS && test.difference[0] == '\0'; i++)
                step(&test);
        run_range_free(test.range);
        memcpy(ret_difference, test.difference, sizeof(test.difference));
        return test.difference[0] != '\0';
}

Test(run_range_random, a_range_is_as_its_model, .timeout = 120) {
        char difference[160];

        for (uint64_t seed = 1; seed <= SEQUENCES; seed++)
                cr_assert(not(play(seed, SLOW_IS_RIGHT, difference)), "seed %lu: %s", seed, difference);
}

Test(run_range_random, each_fault_of_the_model_shows, .timeout = 120) {
        char difference[160];

        for (SlowFault fault = SLOW_IS_RIGHT + 1; fault < _SLOW_FAULT_MAX; fault++) {
                bool is_found = false;

                for (uint64_t seed = 1; seed <= FAULTY_SEQUENCES && !is_found; seed++)
                        is_found = play(seed, fault, difference);
                cr_assert(is_found, "fault %d", fault);
        }
}
