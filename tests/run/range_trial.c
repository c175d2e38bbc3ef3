/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A range beside a slow model of it, in random steps
 *
 * A death of core gives it what was saved last: what has been issued and has ended since is not known any more.
 */

#include <errno.h>
#include <string.h>

#include "item_trial.h"
#include "range_bytes.h"
#include "slow_range.h"

#define STEPS 250U
#define START USEC_PER_DAY

typedef struct Case {
        ItemTrial *trial; /* borrowed */
        usec_t now;
        RunRange *range;
        SlowRange slow;
        RecordWriter saved; /* what the store has */
        SlowRange saved_slow;
        usec_t saved_at;
} Case;

static const char *const faults[] = {
        [SLOW_IS_RIGHT] = NULL,
        [SLOW_PREFERS_NEW] = "prefers-new",
        [SLOW_FORGETS_LOSSES] = "forgets-losses",
        [SLOW_LOSS_IS_A_FAILURE] = "loss-is-a-failure",
        [SLOW_ERROR_HOLDS_BASE] = "error-holds-base",
        [SLOW_NEVER_MENDS] = "never-mends",
        [SLOW_FORGETS_BITS] = "forgets-bits",
        [SLOW_COUNTS_WINDOW] = "counts-window",
        [SLOW_BEGINS_FULL] = "begins-full",
        [SLOW_ROUNDS_TOKENS] = "rounds-tokens",
        [SLOW_COUNTS_MENDS] = "counts-mends",
        [SLOW_SPENDS_EARLY] = "spends-early",
        [SLOW_WAITS_ANEW] = "waits-anew",
        NULL,
};

static uint32_t pick(Case *test, uint32_t n) {
        return item_trial_pick(test->trial, n);
}

static void compare(Case *test, const char *what, uint64_t fast, uint64_t slow) {
        if (fast != slow)
                item_trial_complain(test->trial, "%s: %lu, and %lu in the model", what, fast, slow);
}

static RunRangeCounts count(const RunRange *range) {
        RunRangeCounts counts;

        run_range_count(range, &counts);
        return counts;
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

static void tell_settings(Case *test) {
        const RunRangeSettings *settings = &test->slow.settings;

        item_trial_tell(test->trial,
                        "  settings: items %lu to %lu%s, window %u, slots %u, rate %u in %lu us, burst %u, "
                        "retry %u, delay %lu us (backoff %u, at most %lu), errors %lu, %u %%, %lu in all",
                        test->slow.first, settings->n, settings->is_open ? " and more" : "", settings->window,
                        settings->slots, settings->rate, settings->period, settings->burst, settings->retry,
                        settings->delay, settings->backoff, settings->max_delay, settings->max_errors,
                        settings->max_error_percent, settings->max_errors_total);
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

                compare(test, "issue", issued, slow_range_issue(&test->slow, test->now, &slow));
                if (issued == RUN_RANGE_ISSUED)
                        item_trial_tell(test->trial, "  issue %lu", fast.index);
                compare(test, "index", fast.index, slow.index);
                compare(test, "tries", fast.tries, slow.tries);
                if (issued != RUN_RANGE_ISSUED || test->trial->difference[0] != '\0')
                        return;
        }
}

static void end_some(Case *test) {
        static const RunRangeEnd ends[] = { RUN_RANGE_SUCCESS, RUN_RANGE_SUCCESS, RUN_RANGE_SUCCESS, RUN_RANGE_SUCCESS,
                                            RUN_RANGE_FAILURE, RUN_RANGE_FAILURE, RUN_RANGE_AGAIN,   RUN_RANGE_LOST,
                                            RUN_RANGE_RETURNED };
        static const char *const end_names[] = {
                [RUN_RANGE_SUCCESS] = "success", [RUN_RANGE_FAILURE] = "failure", [RUN_RANGE_AGAIN] = "again",
                [RUN_RANGE_LOST] = "lost",       [RUN_RANGE_RETURNED] = "returned",
        };

        for (uint32_t n = pick(test, 40); n > 0; n--) {
                const uint64_t index = pick_index(test);
                const RunRangeEnd how = ends[pick(test, ELEMENTSOF(ends))];
                const usec_t again = pick(test, 50) ? pick(test, 3000) : USEC_INFINITY;

                item_trial_tell(test->trial, "  end %lu: %s", index, end_names[how]);
                compare(test, "is out", run_range_is_out(test->range, index),
                        slow_range_item(&test->slow, index) != SLOW_NONE &&
                                test->slow.items[slow_range_item(&test->slow, index)].state == SLOW_IS_OUT);
                compare(test, "end", run_range_end(test->range, index, how, test->now, again, 0),
                        slow_range_end(&test->slow, index, how, test->now, again));
        }
}

/* That it is an error is known to the model. */
static void retry_some(Case *test) {
        for (uint32_t n = pick(test, 20); n > 0; n--) {
                const uint64_t index = pick_index(test);
                const uint32_t i = slow_range_item(&test->slow, index);

                if (index < test->slow.first)
                        continue;
                if (i != SLOW_NONE && test->slow.items[i].state == SLOW_IS_OVER && !test->slow.items[i].is_error)
                        continue;
                item_trial_tell(test->trial, "  retry %lu", index);
                compare(test, "retry", (uint64_t) run_range_retry(test->range, index),
                        (uint64_t) slow_range_retry(&test->slow, index));
        }
}

static void save(Case *test) {
        item_trial_tell(test->trial, "  save");
        record_writer_clear(&test->saved);
        run_range_save(test->range, test->now, &test->saved);
        test->saved_slow = test->slow;
        test->saved_at = test->now;
}

static void claim_some(Case *test) {
        for (uint32_t n = pick(test, 10); n > 0; n--) {
                const uint64_t index = pick_index(test);

                item_trial_tell(test->trial, "  claim %lu", index);
                compare(test, "claim", (uint64_t) run_range_claim(test->range, index),
                        (uint64_t) slow_range_claim(&test->slow, index));
        }
}

/* Core dies, and has what the store has: half of the time all there is. */
static void die(Case *test) {
        RecordReader reader;
        RunRange *range;

        if (pick(test, 2))
                save(test);
        test->now = pick(test, 2) ? START + pick(test, 1000) : test->now + pick(test, 3000);
        item_trial_tell(test->trial, "  core dies, and is there again at %lu", test->now);
        record_reader_init(&reader, test->saved.bytes, test->saved.n);
        if (run_range_restore(&test->saved_slow.settings, &reader, test->now, &range) < 0) {
                item_trial_complain(test->trial, "what was saved is no range");
                return;
        }
        compare(test, "bytes are left", !record_is_at_end(&reader), false);
        run_range_free(test->range);
        test->range = range;
        test->slow = test->saved_slow;
        slow_range_save_and_restore(&test->slow, test->saved_at, test->now);
        claim_some(test);
}

static void launch(Case *test) {
        item_trial_tell(test->trial, "  launch");
        run_range_launch(test->range, test->now);
        slow_range_launch(&test->slow, test->now);
}

static void drain(Case *test) {
        item_trial_tell(test->trial, "  drain");
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
        item_trial_tell(test->trial, "  extend by %lu%s", n, is_last ? ", the last" : "");
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
                        slow_range_end(&test->slow, test->slow.first + i, RUN_RANGE_AGAIN, test->now, i % 7));
        }
        compare(test, "set", (uint64_t) run_range_set(test->range, &settings), (uint64_t) slow_range_set(&test->slow, &settings));
        tell_settings(test);
        launch(test);
}

static void compare_all(Case *test) {
        RunRangeCounts fast, slow;

        run_range_count(test->range, &fast);
        slow_range_count(&test->slow, &slow);
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
        compare(test, "budget", run_range_budget(test->range), slow_range_budget(&test->slow));
        compare(test, "due", run_range_due(test->range, test->now), slow_range_due(&test->slow, test->now));
}

static void step(Case *test) {
        const uint32_t what = pick(test, 60);

        if (pick(test, 3) == 0)
                test->now += pick(test, pick(test, 5) ? 300 : 6000);
        item_trial_tell(test->trial, "  at %lu", test->now);
        issue_some(test);
        if (what < 40)
                end_some(test);
        else if (what < 44)
                retry_some(test);
        else if (what < 46)
                save(test);
        else if (what < 50)
                die(test);
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

static void play(ItemTrial *trial) {
        static const uint64_t firsts[] = { 0, 0, 1000000, (UINT64_C(1) << 63) - 100, UINT64_MAX - 1 - SLOW_ITEMS };
        Case test = { .trial = trial, .now = START };

        item_trial_begin(trial);
        test.slow.fault = trial->fault;
        test.slow.first = firsts[pick(&test, ELEMENTSOF(firsts))];
        test.slow.settings = random_settings(&test, test.slow.first + pick(&test, SLOW_ITEMS + 1));
        test.slow.settings.is_open = pick(&test, 3) == 0;
        if (make_range(&test.slow.settings, test.slow.first, START, &test.range) < 0) {
                item_trial_complain(trial, "no range can be made");
                return;
        }
        tell_settings(&test);
        launch(&test);
        save(&test);
        for (uint32_t i = 0; i < STEPS; i++)
                if (item_trial_step(trial, i))
                        step(&test);
        record_writer_deinit(&test.saved);
        run_range_free(test.range);
}

const ItemSubject range_subject = { .name = "range", .faults = faults, .n_steps = STEPS, .play = play };
