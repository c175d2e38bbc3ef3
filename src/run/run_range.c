/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A range: what is issued, what comes of it, and what waits
 *
 * Items of the window have their places in two rings, one of bits and one of
 * tries. The base moves over the items that are over a word of bits at a time.
 *
 * An error that is issued again stays over in the window, or below it: it must
 * not hold up the base. It has a struct of its own until it is over a second
 * time, found by a hash.
 *
 * The heap has handles of both: the place in the ring, or that in the array of
 * the others, marked. It has room for all that can wait, so that an answer
 * takes no memory.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "run/run_graph.h"
#include "run/run_range_private.h"
#include "run/run_retry.h"

#define SECOND (UINT32_C(1) << 31) /* marks a handle of RunRange.seconds */
#define PERCENT_FROM 100U /* items that are over, before the percentage of errors counts */

/* — the window — */

static bool is_in_window(const RunRange *range, uint64_t index) {
        return index >= range->base && index < range->next;
}

static uint64_t *word_of(const RunRange *range, uint64_t index) {
        return &range->done[(index & range->mask) / RANGE_WORD_BITS];
}

static uint64_t bit_of(uint64_t index) {
        return UINT64_C(1) << (index % RANGE_WORD_BITS);
}

bool range_is_done(const RunRange *range, uint64_t index) {
        return *word_of(range, index) & bit_of(index);
}

RangeItem *range_item(const RunRange *range, uint64_t index) {
        return &range->items[index & range->mask];
}

void range_set_done(RunRange *range, uint64_t index) {
        *word_of(range, index) |= bit_of(index);
        range->n_done++;
}

uint64_t range_word(const RunRange *range, uint64_t from) {
        const uint64_t first = from % RANGE_WORD_BITS, n_left = range->next - from;
        uint64_t word = *word_of(range, from) >> first;

        if (first > 0)
                word |= *word_of(range, from + RANGE_WORD_BITS - first) << (RANGE_WORD_BITS - first);
        return n_left < RANGE_WORD_BITS ? word & (bit_of(n_left) - 1) : word;
}

uint64_t range_find(const RunRange *range, uint64_t from, bool is_over) {
        while (from < range->next) {
                const uint64_t word = *word_of(range, from), first = from % RANGE_WORD_BITS;
                const uint64_t rest = (is_over ? word : ~word) >> first, n_left = range->next - from;

                if (rest)
                        return from + MIN((uint64_t) __builtin_ctzll(rest), n_left);
                from += MIN(RANGE_WORD_BITS - first, n_left);
        }
        return from;
}

/* The base goes up to the first item that is not over; what it passes is made zero for what comes there next. */
static void move_base(RunRange *range) {
        const uint64_t to = range_find(range, range->base, false);

        range->n_done -= to - range->base;
        while (range->base < to) {
                const uint64_t first = range->base % RANGE_WORD_BITS;
                const uint64_t n = MIN(RANGE_WORD_BITS - first, to - range->base);

                range->n_steps++;
                *word_of(range, range->base) &= ~((n == RANGE_WORD_BITS ? UINT64_MAX : bit_of(n) - 1) << first);
                range->base += n;
        }
}

/* — second tries of errors — */

static uint32_t hash(uint64_t index) {
        return (uint32_t) (index * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

RangeSecond *range_find_second(const RunRange *range, uint64_t index) {
        size_t probe = 0;
        uint32_t at;

        if (range->n_seconds == 0)
                return NULL;
        while (index_table_next(&range->by_index, hash(index), &probe, &at))
                if (range->seconds.items[at].index == index)
                        return &range->seconds.items[at];
        return NULL;
}

static void drop_second(RunRange *range, RangeSecond *second) {
        const uint32_t at = (uint32_t) (second - range->seconds.items);

        index_table_remove(&range->by_index, hash(second->index), at);
        *second = (RangeSecond) { .next_spare = range->spare };
        range->spare = at;
        range->n_seconds--;
}

/* — what waits — */

static RangeItem *heap_item(const RunRange *range, uint32_t handle) {
        return handle & SECOND ? &range->seconds.items[handle & ~SECOND].item : &range->items[handle];
}

static uint64_t heap_index(const RunRange *range, uint32_t handle) {
        if (handle & SECOND)
                return range->seconds.items[handle & ~SECOND].index;
        return range->base + ((handle - range->base) & range->mask);
}

static bool is_before(const RunRange *range, uint32_t a, uint32_t b) {
        const usec_t left = heap_item(range, a)->due, right = heap_item(range, b)->due;

        return left != right ? left < right : heap_index(range, a) < heap_index(range, b);
}

static void heap_set(RunRange *range, uint32_t place, uint32_t handle) {
        range->n_steps++;
        range->heap[place] = handle;
        heap_item(range, handle)->place = place;
}

static void heap_rise(RunRange *range, uint32_t place, uint32_t handle) {
        while (place > 1 && is_before(range, handle, range->heap[place / 2])) {
                heap_set(range, place, range->heap[place / 2]);
                place /= 2;
        }
        heap_set(range, place, handle);
}

static void heap_sink(RunRange *range, uint32_t place, uint32_t handle) {
        for (uint32_t child = 2 * place; child <= range->n_waiting; child = 2 * place) {
                if (child < range->n_waiting && is_before(range, range->heap[child + 1], range->heap[child]))
                        child++;
                if (!is_before(range, range->heap[child], handle))
                        break;
                heap_set(range, place, range->heap[child]);
                place = child;
        }
        heap_set(range, place, handle);
}

static void heap_add(RunRange *range, uint32_t handle, usec_t due) {
        RangeItem *item = heap_item(range, handle);

        assert(item->place == 0 && range->n_waiting + 1 < range->heap_allocated);
        item->due = due;
        heap_rise(range, ++range->n_waiting, handle);
}

static void heap_remove_item(RunRange *range, RangeItem *item) {
        const uint32_t place = item->place, last = range->heap[range->n_waiting--];

        item->place = 0;
        if (place > range->n_waiting)
                return;
        if (place > 1 && is_before(range, last, range->heap[place / 2]))
                heap_rise(range, place, last);
        else
                heap_sink(range, place, last);
}

void range_wait(RunRange *range, uint64_t index, usec_t due) {
        heap_add(range, (uint32_t) (index & range->mask), due);
}

/* Room for one more second try: 0 or -ENOMEM. */
static int reserve_second(RunRange *range) {
        const size_t wanted = range->mask + 2 + MAX(range->seconds.n + 1, range->seconds.allocated);
        uint32_t *heap;
        int r;

        if (range->spare != RANGE_NO_SPARE)
                return 0;
        if (range->seconds.n >= SECOND - 1)
                return -ENOMEM;
        r = vector_reserve(&range->seconds, 1);
        if (r >= 0)
                r = index_table_reserve(&range->by_index, range->seconds.allocated - range->by_index.n);
        if (r < 0 || wanted <= range->heap_allocated)
                return r;
        heap = realloc(range->heap, (range->mask + 2 + range->seconds.allocated) * sizeof(*heap));
        if (!heap)
                return -ENOMEM;
        range->heap = heap;
        range->heap_allocated = (uint32_t) (range->mask + 2 + range->seconds.allocated);
        return 0;
}

int range_add_second(RunRange *range, uint64_t index, const RangeItem *item) {
        const int r = reserve_second(range);
        uint32_t at = range->spare;

        if (r < 0)
                return r;
        if (at == RANGE_NO_SPARE)
                at = (uint32_t) range->seconds.n++;
        else
                range->spare = range->seconds.items[at].next_spare;
        range->seconds.items[at] = (RangeSecond) { .item = *item, .index = index };
        (void) index_table_put(&range->by_index, hash(index), at);
        range->n_seconds++;
        heap_add(range, at | SECOND, item->due);
        return 0;
}

/* — a range — */

static bool are_valid(const RunRangeSettings *settings) {
        return settings->n < UINT64_MAX && settings->window > 0 && settings->window <= RUN_RANGE_WINDOW_MAX &&
               settings->slots > 0 && settings->slots <= settings->window && settings->max_error_percent <= 100;
}

int range_new(const RunRangeSettings *settings, uint64_t base, uint64_t next, RunRange **ret_range) {
        const uint64_t wanted = MAX((uint64_t) settings->window, next - base);
        cleanup_(run_range_freep) RunRange *range = NULL;
        uint64_t n = RANGE_WORD_BITS;

        if (!are_valid(settings) || next > settings->n)
                return -EINVAL;
        range = calloc(1, sizeof(*range));
        if (!range)
                return -ENOMEM;
        range->settings = *settings;
        range->base = base;
        range->next = next;
        range->spare = RANGE_NO_SPARE;
        if (run_bucket_init(&range->bucket, settings->rate, settings->period, settings->burst) < 0)
                return -EINVAL;
        while (n < wanted)
                n *= 2;
        range->mask = n - 1;
        range->heap_allocated = (uint32_t) n + 1;
        range->done = calloc(n / RANGE_WORD_BITS, sizeof(*range->done));
        range->items = calloc(n, sizeof(*range->items));
        range->heap = malloc(range->heap_allocated * sizeof(*range->heap));
        if (!range->done || !range->items || !range->heap)
                return -ENOMEM;
        *ret_range = take_ptr(range);
        return 0;
}

int run_range_new(const RunRangeSettings *settings, RunRange **ret_range) {
        return range_new(settings, 0, 0, ret_range);
}

int run_range_new_from(const RunRangeSettings *settings, uint64_t first, RunRange **ret_range) {
        return first > settings->n ? -EINVAL : range_new(settings, first, first, ret_range);
}

RunRange *run_range_free(RunRange *range) {
        if (!range)
                return NULL;
        index_table_deinit(&range->by_index);
        vector_deinit(&range->seconds);
        free(range->done);
        free(range->items);
        free(range->heap);
        free(range);
        return NULL;
}

void run_range_launch(RunRange *range, usec_t now) {
        range->has_launch = true;
        range->is_drained = false;
        range->launch_errors = range->launch_over = 0;
        run_bucket_begin(&range->bucket, now);
}

void run_range_drain(RunRange *range) {
        range->is_drained = true;
}

static bool is_over(const RunRange *range) {
        return range->base == range->settings.n && !range->settings.is_open && range->n_seconds == 0;
}

/* — issue — */

static bool has_new(const RunRange *range) {
        return range->next < range->settings.n && range->next - range->base < range->settings.window;
}

static usec_t first_due(const RunRange *range) {
        return range->n_waiting > 0 ? heap_item(range, range->heap[1])->due : USEC_INFINITY;
}

/* Why there is no item that could be issued if there were a slot and a token. */
static RunRangeIssue explain(const RunRange *range) {
        if (range->next - range->base >= range->settings.window &&
            (range->next < range->settings.n || range->settings.is_open))
                return RUN_RANGE_WINDOW;
        if (range->settings.is_open)
                return RUN_RANGE_UNKNOWN;
        return range->n_waiting > 0 ? RUN_RANGE_WAITS : RUN_RANGE_ALL_OUT;
}

static void begin_new(RunRange *range, RunRangeItem *ret_item) {
        RangeItem *item = range_item(range, range->next);

        *item = (RangeItem) { .is_out = true };
        *ret_item = (RunRangeItem) { .index = range->next++ };
}

static void begin_waiting(RunRange *range, RunRangeItem *ret_item) {
        const uint32_t handle = range->heap[1];
        RangeItem *item = heap_item(range, handle);

        *ret_item = (RunRangeItem) { .index = heap_index(range, handle), .tries = item->tries };
        heap_remove_item(range, item);
        item->is_out = true;
}

RunRangeIssue run_range_issue(RunRange *range, usec_t now, RunRangeItem *ret_item) {
        bool is_second;

        if (is_over(range))
                return RUN_RANGE_OVER;
        if (!range->has_launch || range->is_drained)
                return RUN_RANGE_DRAINED;
        is_second = range->n_waiting > 0 && first_due(range) <= now;
        if (!is_second && !has_new(range))
                return explain(range);
        if (range->n_out >= range->settings.slots)
                return RUN_RANGE_SLOTS;
        if (!run_bucket_has(&range->bucket, now))
                return RUN_RANGE_RATE;
        run_bucket_take(&range->bucket);
        if (is_second)
                begin_waiting(range, ret_item);
        else
                begin_new(range, ret_item);
        range->n_out++;
        return RUN_RANGE_ISSUED;
}

usec_t run_range_due(const RunRange *range, usec_t now) {
        usec_t due = now;

        if (is_over(range) || !range->has_launch || range->is_drained || range->n_out >= range->settings.slots)
                return USEC_INFINITY;
        if (!has_new(range))
                due = MAX(first_due(range), now);
        return MAX(due, run_bucket_due(&range->bucket, now));
}

/* — answers — */

/* An item that is out, or that waits; *ret_second is NULL for one of the window. */
static RangeItem *find(const RunRange *range, uint64_t index, RangeSecond **ret_second) {
        *ret_second = range_find_second(range, index);
        if (*ret_second)
                return &(*ret_second)->item;
        return is_in_window(range, index) ? range_item(range, index) : NULL;
}

static void finish(RunRange *range, uint64_t index, RangeSecond *second) {
        range->launch_over++;
        if (second) {
                drop_second(range, second);
                return;
        }
        *range_item(range, index) = (RangeItem) {};
        range_set_done(range, index);
        if (index == range->base)
                move_base(range);
}

static RunRangeFate fail(RunRange *range, uint64_t index, RangeSecond *second, RunRangeFate fate) {
        range->launch_errors++;
        range->errors += second == NULL;
        finish(range, index, second);
        return fate;
}

static RunRangeFate wait_again(RunRange *range, uint64_t index, RangeSecond *second, usec_t due) {
        if (second)
                heap_add(range, (uint32_t) (second - range->seconds.items) | SECOND, due);
        else
                range_wait(range, index, due);
        return RUN_RANGE_RETRIES;
}

static usec_t next_try(const RunRange *range, const RangeItem *item, usec_t now, uint32_t random) {
        const RunRangeSettings *settings = &range->settings;
        const uint64_t failures = (uint64_t) item->tries + item->deaths;
        const RunPolicy policy = { .backoff = (RunBackoff) settings->backoff,
                                   .delay = settings->delay,
                                   .max_delay = settings->max_delay,
                                   .jitter = settings->jitter };

        _Static_assert((int) RUN_RANGE_FIXED == RUN_BACKOFF_FIXED && (int) RUN_RANGE_LINEAR == RUN_BACKOFF_LINEAR &&
                               (int) RUN_RANGE_EXPONENTIAL == RUN_BACKOFF_EXPONENTIAL,
                       "the words of a node and of an item are the same");
        return usec_add(now, run_retry_delay(&policy, (uint32_t) MIN(failures, (uint64_t) UINT32_MAX), random));
}

RunRangeFate run_range_end(RunRange *range, uint64_t index, RunRangeEnd end, usec_t now, usec_t again,
                           uint32_t random) {
        RangeSecond *second;
        RangeItem *item = find(range, index, &second);

        if (!item || !item->is_out) {
                range->strange++;
                return RUN_RANGE_STRANGE;
        }
        item->is_out = false;
        range->n_out--;
        switch (end) {
        case RUN_RANGE_SUCCESS:
                range->errors -= second != NULL;
                finish(range, index, second);
                return second ? RUN_RANGE_MENDED : RUN_RANGE_DONE;
        case RUN_RANGE_FAILURE:
                if (item->tries >= range->settings.retry)
                        return fail(range, index, second, RUN_RANGE_ERROR);
                item->tries++;
                return wait_again(range, index, second, next_try(range, item, now, random));
        case RUN_RANGE_FINAL:
                return fail(range, index, second, RUN_RANGE_ERROR);
        case RUN_RANGE_LOST:
                if (++item->deaths >= RUN_RANGE_DEATHS_MAX)
                        return fail(range, index, second, RUN_RANGE_POISON);
                return wait_again(range, index, second, next_try(range, item, now, random));
        case RUN_RANGE_AGAIN:
                return wait_again(range, index, second, usec_add(now, again));
        case RUN_RANGE_RETURNED:
                break;
        }
        return wait_again(range, index, second, now);
}

/* — items — */

int run_range_extend(RunRange *range, uint64_t n, bool is_last) {
        if (!range->settings.is_open)
                return -EINVAL;
        if (n >= UINT64_MAX - range->settings.n)
                return -EOVERFLOW;
        range->settings.n += n;
        range->settings.is_open = !is_last;
        return 0;
}

int run_range_retry(RunRange *range, uint64_t index) {
        const bool was_over = index < range->base || (is_in_window(range, index) && range_is_done(range, index));

        if (!was_over || range->n_seconds >= range->errors || range_find_second(range, index))
                return -EINVAL;
        return range_add_second(range, index, &(RangeItem) {});
}

int run_range_claim(RunRange *range, uint64_t index) {
        RangeSecond *second;
        RangeItem *item = find(range, index, &second);

        if (!item || item->place == 0)
                return -ENOENT;
        heap_remove_item(range, item);
        item->is_out = true;
        range->n_out++;
        return 0;
}

bool run_range_is_out(const RunRange *range, uint64_t index) {
        RangeSecond *second;
        const RangeItem *item = find(range, index, &second);

        return item && item->is_out;
}

/* — what can be asked — */

/* Whether @part of @all is more than @percent; no product is larger than they. */
static bool is_more_than(uint64_t part, uint64_t all, uint32_t percent) {
        return part > all / 100 * percent + all % 100 * percent / 100;
}

RunRangeBudget run_range_launch_budget(const RunRange *range) {
        const RunRangeSettings *settings = &range->settings;

        if (settings->max_errors > 0 && range->launch_errors > settings->max_errors)
                return RUN_RANGE_SPENT;
        if (settings->max_error_percent > 0 && range->launch_over >= PERCENT_FROM &&
            is_more_than(range->launch_errors, range->launch_over, settings->max_error_percent))
                return RUN_RANGE_SPENT;
        return RUN_RANGE_WITHIN;
}

RunRangeBudget run_range_budget(const RunRange *range) {
        const uint64_t max = range->settings.max_errors_total;

        return max > 0 && range->errors - range->n_seconds > max ? RUN_RANGE_SPENT_TOTAL
                                                                 : run_range_launch_budget(range);
}

void run_range_count(const RunRange *range, RunRangeCounts *ret_counts) {
        *ret_counts = (RunRangeCounts) {
                .n = range->settings.n,
                .base = range->base,
                .next = range->next,
                .over = range->base + range->n_done - range->n_seconds,
                .errors = range->errors,
                .seconds = range->n_seconds,
                .launch_errors = range->launch_errors,
                .launch_over = range->launch_over,
                .out = range->n_out,
                .waiting = range->n_waiting,
                .window = range->settings.window,
                .slots = range->settings.slots,
                .strange = range->strange,
                .is_open = range->settings.is_open,
                .is_drained = range->is_drained || !range->has_launch,
                .is_over = is_over(range),
        };
}
