/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The slow model of a range */

#include <errno.h>

#include "slow_range.h"

static uint32_t n_items(const SlowRange *range) {
        return (uint32_t) (range->settings.n - range->first);
}

static uint32_t count_state(const SlowRange *range, SlowState state) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < n_items(range); i++)
                n += range->items[i].state == state;
        return n;
}

static uint32_t n_errors(const SlowRange *range) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < n_items(range); i++)
                n += range->items[i].is_error;
        return n;
}

/* Errors that are issued again. */
static uint32_t n_seconds(const SlowRange *range) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < n_items(range); i++)
                n += range->items[i].is_error && range->items[i].state != SLOW_IS_OVER;
        return n;
}

static uint32_t base_of(const SlowRange *range) {
        uint32_t i = 0;

        while (i < n_items(range) && range->items[i].was_over &&
               (range->fault != SLOW_ERROR_HOLDS_BASE || range->items[i].state == SLOW_IS_OVER))
                i++;
        return i;
}

static uint32_t next_of(const SlowRange *range) {
        return n_items(range) - count_state(range, SLOW_IS_NEW);
}

static bool is_all_over(const SlowRange *range) {
        return count_state(range, SLOW_IS_OVER) == n_items(range) && !range->settings.is_open;
}

uint32_t slow_range_item(const SlowRange *range, uint64_t index) {
        return index >= range->first && index < range->settings.n ? (uint32_t) (index - range->first) : SLOW_NONE;
}

/* — the bucket — */

static uint64_t burst_of(const SlowRange *range) {
        const RunRangeSettings *settings = &range->settings;

        if (settings->burst > 0)
                return settings->burst;
        return MAX(UINT64_C(50000) * settings->rate / settings->period, UINT64_C(1));
}

static void pass_microsecond(SlowRange *range) {
        range->level = MIN(range->level + range->settings.rate, burst_of(range) * range->settings.period);
        range->since++;
}

static void pass_until(SlowRange *range, usec_t now) {
        while (range->since < now)
                pass_microsecond(range);
}

static bool has_token(const SlowRange *range) {
        return range->settings.rate == 0 || range->level >= range->settings.period;
}

static usec_t token_due(const SlowRange *range, usec_t now) {
        SlowRange then = *range;
        uint64_t group = 1;

        if (range->settings.rate == 0)
                return now;
        pass_until(&then, now);
        if (has_token(&then))
                return now;
        while (group * then.settings.period < UINT64_C(1000) * then.settings.rate && group < burst_of(&then))
                group++;
        while (then.level < group * then.settings.period)
                pass_microsecond(&then);
        return then.since;
}

void slow_range_launch(SlowRange *range, usec_t now) {
        range->has_launch = true;
        range->is_drained = false;
        range->launch_errors = range->launch_over = 0;
        range->since = now;
        range->level = range->fault == SLOW_BEGINS_FULL && range->settings.rate > 0 ?
                               burst_of(range) * range->settings.period :
                               0;
}

/* — issue — */

static uint32_t first_waiting(const SlowRange *range) {
        uint32_t first = SLOW_NONE;

        for (uint32_t i = 0; i < n_items(range); i++)
                if (range->items[i].state == SLOW_WAITS &&
                    (first == SLOW_NONE || range->items[i].due < range->items[first].due))
                        first = i;
        return first;
}

static bool has_room(const SlowRange *range) {
        uint32_t width = next_of(range) - base_of(range);

        if (range->fault == SLOW_COUNTS_WINDOW)
                width = count_state(range, SLOW_IS_OUT) + count_state(range, SLOW_WAITS);
        return width < range->settings.window;
}

static uint32_t choose(const SlowRange *range, usec_t now) {
        const uint32_t waiting = first_waiting(range), next = next_of(range);
        const bool is_due = waiting != SLOW_NONE && range->items[waiting].due <= now;
        const bool has_new = next < n_items(range) && has_room(range);

        if (has_new && (!is_due || range->fault == SLOW_PREFERS_NEW))
                return next;
        return is_due ? waiting : SLOW_NONE;
}

static RunRangeIssue explain(const SlowRange *range) {
        if (!has_room(range) && (next_of(range) < n_items(range) || range->settings.is_open))
                return RUN_RANGE_WINDOW;
        if (range->settings.is_open)
                return RUN_RANGE_UNKNOWN;
        return first_waiting(range) != SLOW_NONE ? RUN_RANGE_WAITS : RUN_RANGE_ALL_OUT;
}

RunRangeIssue slow_range_issue(SlowRange *range, usec_t now, RunRangeItem *ret_item) {
        const uint32_t chosen = choose(range, now);

        pass_until(range, now);
        if (is_all_over(range))
                return RUN_RANGE_OVER;
        if (!range->has_launch || range->is_drained)
                return RUN_RANGE_DRAINED;
        if (chosen == SLOW_NONE)
                return explain(range);
        if (count_state(range, SLOW_IS_OUT) >= range->settings.slots)
                return RUN_RANGE_SLOTS;
        if (!has_token(range))
                return RUN_RANGE_RATE;
        if (range->settings.rate > 0)
                range->level -= range->settings.period;
        if (range->fault == SLOW_ROUNDS_TOKENS && range->settings.rate > 0)
                range->level -= range->level % range->settings.period;
        range->items[chosen].state = SLOW_IS_OUT;
        *ret_item = (RunRangeItem) { .index = range->first + chosen, .tries = range->items[chosen].tries };
        return RUN_RANGE_ISSUED;
}

usec_t slow_range_due(const SlowRange *range, usec_t now) {
        const uint32_t waiting = first_waiting(range);
        usec_t due;

        if (is_all_over(range) || !range->has_launch || range->is_drained ||
            count_state(range, SLOW_IS_OUT) >= range->settings.slots)
                return USEC_INFINITY;
        if (choose(range, now) != SLOW_NONE)
                return token_due(range, now);
        if (waiting == SLOW_NONE)
                return USEC_INFINITY;
        due = token_due(range, now);
        return MAX(due, range->items[waiting].due);
}

/* — answers — */

static void finish(SlowRange *range, SlowItem *item, bool is_error) {
        *item = (SlowItem) { .state = SLOW_IS_OVER, .is_error = is_error, .was_over = true };
        range->launch_over++;
        range->launch_errors += is_error;
}

static RunRangeFate wait_until(SlowItem *item, usec_t now, usec_t due) {
        item->state = SLOW_WAITS;
        item->begin = now;
        item->due = due;
        return RUN_RANGE_RETRIES;
}

static RunRangeFate try_again(const SlowRange *range, SlowItem *item, usec_t now) {
        const RunRangeSettings *settings = &range->settings;
        usec_t delay = settings->delay;

        for (uint32_t i = 1; i < item->tries + item->deaths; i++)
                if (settings->backoff == RUN_RANGE_LINEAR)
                        delay += settings->delay;
                else if (settings->backoff == RUN_RANGE_EXPONENTIAL)
                        delay *= 2;
        return wait_until(item, now, now + MIN(delay, settings->max_delay));
}

RunRangeFate slow_range_end(SlowRange *range, uint64_t index, RunRangeEnd end, usec_t now, usec_t again) {
        const uint32_t i = slow_range_item(range, index);
        SlowItem *item = &range->items[i == SLOW_NONE ? 0 : i];
        const bool was_error = item->is_error;

        if (i == SLOW_NONE || item->state != SLOW_IS_OUT) {
                range->strange++;
                return RUN_RANGE_STRANGE;
        }
        if (end == RUN_RANGE_SUCCESS) {
                finish(range, item, false);
                item->is_error = was_error && range->fault == SLOW_NEVER_MENDS;
                return was_error ? RUN_RANGE_MENDED : RUN_RANGE_DONE;
        }
        if (end == RUN_RANGE_LOST && ++item->deaths == RUN_RANGE_DEATHS_MAX) {
                finish(range, item, true);
                return RUN_RANGE_POISON;
        }
        if (end == RUN_RANGE_FAILURE || (end == RUN_RANGE_LOST && range->fault == SLOW_LOSS_IS_A_FAILURE)) {
                if (item->tries >= range->settings.retry) {
                        finish(range, item, true);
                        return RUN_RANGE_ERROR;
                }
                item->tries++;
        }
        if (end == RUN_RANGE_AGAIN)
                return wait_until(item, now, again == USEC_INFINITY ? again : now + again);
        return end == RUN_RANGE_RETURNED ? wait_until(item, now, now) : try_again(range, item, now);
}

/* — items — */

int slow_range_retry(SlowRange *range, uint64_t index) {
        const uint32_t i = slow_range_item(range, index);

        if (i == SLOW_NONE || range->items[i].state != SLOW_IS_OVER || !range->items[i].is_error)
                return -EINVAL;
        range->items[i].state = SLOW_WAITS;
        range->items[i].due = 0;
        return 0;
}

int slow_range_claim(SlowRange *range, uint64_t index) {
        const uint32_t i = slow_range_item(range, index);

        if (i == SLOW_NONE || range->items[i].state != SLOW_WAITS)
                return -ENOENT;
        range->items[i].state = SLOW_IS_OUT;
        return 0;
}

int slow_range_set(SlowRange *range, const RunRangeSettings *settings) {
        if (count_state(range, SLOW_IS_OUT) > 0)
                return -EBUSY;
        if (settings->n < range->first + next_of(range))
                return -EINVAL;
        range->settings = *settings;
        return 0;
}

void slow_range_save_and_restore(SlowRange *range, usec_t now, usec_t later) {
        const uint32_t base = base_of(range);

        for (uint32_t i = 0; i < n_items(range); i++) {
                SlowItem *item = &range->items[i];

                if (range->fault == SLOW_FORGETS_LOSSES)
                        item->deaths = 0;
                if (range->fault == SLOW_FORGETS_BITS && i > base && item->state == SLOW_IS_OVER)
                        *item = (SlowItem) { .state = SLOW_WAITS };
                if (item->state == SLOW_IS_OUT) {
                        item->state = SLOW_WAITS;
                        item->due = later;
                } else if (item->state == SLOW_WAITS && item->due != USEC_INFINITY) {
                        if (range->fault == SLOW_WAITS_ANEW && item->due > now)
                                item->due = now + (item->due - item->begin);
                        item->due = item->due > now ? later + (item->due - now) : later;
                }
        }
        range->level = 0;
        range->since = later;
}

/* — what can be asked — */

RunRangeBudget slow_range_budget(const SlowRange *range) {
        const RunRangeSettings *settings = &range->settings;
        const uint64_t errors = n_errors(range) - (range->fault == SLOW_COUNTS_MENDS ? 0 : n_seconds(range));

        if (settings->max_errors_total > 0 && errors > settings->max_errors_total)
                return RUN_RANGE_SPENT_TOTAL;
        if (settings->max_errors > 0 &&
            range->launch_errors + (range->fault == SLOW_SPENDS_EARLY) > settings->max_errors)
                return RUN_RANGE_SPENT;
        if (settings->max_error_percent > 0 && range->launch_over >= 100 &&
            (double) range->launch_errors / (double) range->launch_over > settings->max_error_percent / 100.0 + 1e-9)
                return RUN_RANGE_SPENT;
        return RUN_RANGE_WITHIN;
}

void slow_range_count(const SlowRange *range, RunRangeCounts *ret_counts) {
        *ret_counts = (RunRangeCounts) {
                .n = range->settings.n,
                .base = range->first + base_of(range),
                .next = range->first + next_of(range),
                .over = range->first + count_state(range, SLOW_IS_OVER),
                .errors = n_errors(range),
                .seconds = n_seconds(range),
                .launch_errors = range->launch_errors,
                .launch_over = range->launch_over,
                .out = count_state(range, SLOW_IS_OUT),
                .waiting = count_state(range, SLOW_WAITS),
                .window = range->settings.window,
                .slots = range->settings.slots,
                .strange = range->strange,
                .is_open = range->settings.is_open,
                .is_drained = range->is_drained || !range->has_launch,
                .is_over = is_all_over(range),
        };
}
