/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Checkpoints of a range, large numbers, and what both are for: kills that cost little, and a batch of 10¹⁰ items that
 * costs no more than one of 10⁶
 */

#include <stdlib.h>
#include <string.h>

#include "double/double_memory.h"
#include "range_fixture.h"

#define HALF (UINT64_C(1) << 63)

Test(run_range_save, what_was_not_over_is_issued_again_and_what_was_over_is_not) {
        RunRange *range = new_plain(1000, 300, 300);
        bool is_over[300];

        (void) issue_all(range, START);
        for (uint64_t i = 0; i < 300; i++) {
                is_over[i] = i * 7 % 11 < 4;
                if (is_over[i])
                        (void) end(range, i, i % 2 ? RUN_RANGE_SUCCESS : RUN_RANGE_FAILURE);
        }
        range = reborn(range);
        cr_assert(eq(u32, count(range).out, 0));
        for (uint64_t i = 0; i < 300; i++)
                if (!is_over[i])
                        cr_assert(eq(u64, issue(range, START).index, i));
        run_range_free(range);
}

Test(run_range_save, counts_and_the_launch_stay) {
        RunRange *range = new_plain(1000, 300, 300);
        RunRangeCounts before, after;

        (void) issue_all(range, START);
        end_all(range, 50, 30, RUN_RANGE_FAILURE);
        run_range_launch(range, START);
        end_all(range, 100, 30, RUN_RANGE_SUCCESS);
        end_all(range, 150, 20, RUN_RANGE_FAILURE);
        end_all(range, 150, 3, RUN_RANGE_FAILURE);
        cr_assert(eq(int, run_range_retry(range, 55), 0));
        before = count(range);
        range = reborn(range);
        after = count(range);
        cr_assert(eq(u64, after.errors, 50));
        cr_assert(eq(u64, after.over, 79));
        cr_assert(eq(u64, after.launch_over, 50));
        cr_assert(eq(u64, after.launch_errors, 20));
        cr_assert(eq(u64, after.strange, 3));
        cr_assert(not(after.is_drained));
        cr_assert(eq(u64, after.base, before.base));
        cr_assert(eq(u64, after.next, before.next));
        cr_assert(eq(u32, after.waiting, before.out + before.waiting));
        cr_assert(eq(u32, after.out, 0));
        run_range_drain(range);
        range = reborn(range);
        cr_assert(count(range).is_drained);
        run_range_free(range);
}

Test(run_range_save, tries_losses_and_times_stay) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.retry = 2;
        settings.delay = USEC_PER_MINUTE;
        range = new_range(&settings);
        (void) issue_all(range, START);
        cr_assert(eq(int, end(range, 2, RUN_RANGE_LOST), RUN_RANGE_RETRIES));
        cr_assert(eq(int, end(range, 4, RUN_RANGE_FAILURE), RUN_RANGE_RETRIES));
        (void) run_range_end(range, 6, RUN_RANGE_AGAIN, START, USEC_INFINITY, 0);
        range = reborn(range);
        cr_assert(eq(u64, issue_all(range, START), 7));
        cr_assert(eq(u64, run_range_due(range, START), START + USEC_PER_MINUTE));
        cr_assert(eq(u64, issue_all(range, START + USEC_PER_MINUTE), 2));
        /* Those that are out keep theirs, too. */
        range = reborn(range);
        (void) issue_all(range, START);
        cr_assert(eq(int, end(range, 2, RUN_RANGE_LOST), RUN_RANGE_RETRIES));
        (void) issue_all(range, START + USEC_PER_MINUTE);
        cr_assert(eq(int, end(range, 2, RUN_RANGE_LOST), RUN_RANGE_POISON));
        cr_assert(eq(int, end(range, 4, RUN_RANGE_FAILURE), RUN_RANGE_RETRIES));
        (void) issue_all(range, START + USEC_PER_MINUTE);
        cr_assert(eq(int, end(range, 4, RUN_RANGE_FAILURE), RUN_RANGE_ERROR));
        run_range_free(range);
}

Test(run_range_save, errors_that_are_issued_again_stay) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.retry = 1;
        settings.delay = USEC_PER_SEC;
        range = new_range(&settings);
        for (uint64_t i = 0; i < 4; i++) {
                (void) end(range, issue(range, START + 2 * i * USEC_PER_SEC).index, RUN_RANGE_FAILURE);
                (void) issue(range, START + (2 * i + 1) * USEC_PER_SEC);
                cr_assert(eq(int, end(range, i, RUN_RANGE_FAILURE), RUN_RANGE_ERROR));
        }
        for (uint64_t i = 0; i < 4; i++)
                cr_assert(eq(int, run_range_retry(range, 3 - i), 0));
        (void) issue(range, START);
        (void) issue(range, START);
        (void) end(range, 1, RUN_RANGE_FAILURE);
        range = reborn(range);
        cr_assert(eq(u64, count(range).over, 0));
        cr_assert(eq(u64, count(range).base, 4));
        cr_assert(eq(u64, issue(range, START).index, 0));
        cr_assert(eq(u64, issue(range, START).index, 2));
        cr_assert(eq(u64, issue(range, START).index, 3));
        cr_assert(eq(u64, issue(range, START).index, 4));
        cr_assert(eq(u32, issue(range, START + USEC_PER_SEC).tries, 1));
        cr_assert(eq(int, end(range, 1, RUN_RANGE_SUCCESS), RUN_RANGE_MENDED));
        cr_assert(eq(u64, count(range).errors, 3));
        run_range_free(range);
}

Test(run_range_save, the_bucket_is_empty_after_a_restore) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.rate = 10;
        settings.period = USEC_PER_SEC;
        settings.burst = 10;
        range = new_range(&settings);
        (void) issue(range, START + USEC_PER_SEC);
        range = reborn(range);
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_RATE));
        run_range_free(range);
}

Test(run_range_save, what_still_works_is_claimed) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.slots = 3;
        range = new_range(&settings);
        (void) end(range, issue(range, START).index, RUN_RANGE_FAILURE);
        (void) issue_all(range, START);
        (void) run_range_retry(range, 0);
        range = reborn(range);
        cr_assert(eq(int, run_range_claim(range, 2), 0));
        cr_assert(eq(int, run_range_claim(range, 2), -ENOENT));
        cr_assert(eq(int, run_range_claim(range, 4), -ENOENT));
        cr_assert(eq(int, run_range_claim(range, 0), 0));
        cr_assert(run_range_is_out(range, 0) && run_range_is_out(range, 2));
        cr_assert(eq(u64, issue(range, START).index, 1));
        cr_assert(eq(int, end(range, 0, RUN_RANGE_SUCCESS), RUN_RANGE_MENDED));
        cr_assert(eq(int, run_range_claim(range, 3), 0));
        cr_assert(eq(int, end(range, 2, RUN_RANGE_SUCCESS), RUN_RANGE_DONE));
        run_range_free(range);
}

Test(run_range_save, a_checkpoint_of_a_window_of_20000_takes_2_kib_and_a_half) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RunRange *range = new_plain(TEN_TO_TEN, 20000, 20000);
        uint32_t random = 1;
        size_t most = 0;

        cr_assert(eq(u64, issue_all(range, START), 20000));
        for (unsigned i = 0; i < 40000; i++) {
                random = random * 1664525 + 1013904223;
                (void) end(range, 1 + (uint64_t) random * 19999 / UINT32_MAX, RUN_RANGE_SUCCESS);
                if (i % 1000 > 0)
                        continue;
                save(range, START, &writer);
                most = MAX(most, writer.n);
        }
        cr_assert(most > 2500 && most <= 2560, "%zu", most);
        /* In order it takes next to nothing. */
        end_all(range, 0, 15000, RUN_RANGE_SUCCESS);
        end_all(range, 15000, 5000, RUN_RANGE_SUCCESS);
        (void) issue_all(range, START);
        end_all(range, 20001, 10000, RUN_RANGE_SUCCESS);
        save(range, START, &writer);
        cr_assert(writer.n < 40, "%zu", writer.n);
        run_range_free(range);
}

/* A range that has something of each kind. */
static RunRange *rich_range(void) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = 500;
        settings.window = settings.slots = 130;
        settings.retry = 1;
        settings.delay = USEC_PER_MINUTE;
        range = new_range(&settings);
        (void) issue_all(range, START);
        for (uint64_t i = 0; i < 20; i++) {
                (void) end(range, i, RUN_RANGE_FAILURE);
                (void) issue(range, START + USEC_PER_MINUTE);
                (void) end(range, i, i < 10 ? RUN_RANGE_FAILURE : RUN_RANGE_SUCCESS);
        }
        (void) issue_all(range, START);
        for (uint64_t i = 21; i < 140; i++)
                if (i * 31 % 7 < 2)
                        (void) end(range, i, i % 3 ? RUN_RANGE_SUCCESS : RUN_RANGE_FAILURE);
        (void) end(range, 33, RUN_RANGE_LOST);
        (void) run_range_end(range, 40, RUN_RANGE_AGAIN, START, USEC_INFINITY, 0);
        for (uint64_t i = 0; i < 5; i++)
                (void) run_range_retry(range, 2 * i);
        return range;
}

/* Plays a range to its end, whatever it is, and judges its counts. */
static void play_out(RunRange *range) {
        RunRangeItem item;

        cr_assert(count(range).errors <= count(range).over + range->n_seconds);
        run_range_launch(range, START);
        while (run_range_issue(range, USEC_INFINITY, &item) == RUN_RANGE_ISSUED)
                (void) end(range, item.index, RUN_RANGE_SUCCESS);
        cr_assert(count(range).is_over);
        cr_assert(eq(u64, count(range).over, count(range).n));
        run_range_free(range);
}

Test(run_range_save, a_checkpoint_is_the_same_when_it_is_restored_and_saved) {
        cleanup_(record_writer_deinit) RecordWriter writer = {}, again = {};
        RunRange *range = rich_range(), *other;

        save(range, START, &writer);
        cr_assert(eq(int, restore(&range->settings, writer.bytes, writer.n, &other), 0));
        save(other, START, &again);
        cr_assert(eq(sz, again.n, writer.n));
        cr_assert(eq(int, memcmp(again.bytes, writer.bytes, writer.n), 0));
        run_range_free(range);
        play_out(other);
}

/* With and without a hash that fits: in the latter case what is restored has to be a range. */
static void check_damaged(const RunRangeSettings *settings, const uint8_t *bytes, size_t n, bool is_sealed) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        uint8_t *copy = malloc(n > 0 ? n : 1); /* of this size: reads behind it are seen */
        RunRange *range = NULL;
        int r;

        if (is_sealed)
                seal(&writer, &(RecordWriter) { .bytes = (uint8_t *) bytes, .n = n });
        else
                memcpy(copy, bytes, n);
        r = restore(settings, is_sealed ? writer.bytes : copy, is_sealed ? writer.n : n, &range);
        cr_assert(r == -EBADMSG || (is_sealed && (r == 0 || r == -EINVAL)), "%d", r);
        if (r == 0)
                play_out(range);
        free(copy);
}

Test(run_range_save, a_damaged_checkpoint_is_refused) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RunRange *range = rich_range();
        const RunRangeSettings settings = range->settings;
        RecordReader reader;
        uint8_t *inner;
        size_t n;

        save(range, START, &writer);
        run_range_free(range);
        for (size_t i = 0; i < writer.n; i++) {
                check_damaged(&settings, writer.bytes, i, false);
                for (unsigned bits = 1; bits < 256; bits++) {
                        writer.bytes[i] ^= (uint8_t) bits;
                        check_damaged(&settings, writer.bytes, writer.n, false);
                        writer.bytes[i] ^= (uint8_t) bits;
                }
        }
        record_reader_init(&reader, writer.bytes, writer.n);
        inner = (uint8_t *) record_get_bytes(&reader, &n);
        for (size_t i = 0; i < n; i++) {
                check_damaged(&settings, inner, i, true);
                for (unsigned bits = 1; bits < 256; bits++) {
                        inner[i] ^= (uint8_t) bits;
                        check_damaged(&settings, inner, n, true);
                        inner[i] ^= (uint8_t) bits;
                }
        }
}

Test(run_range_save, random_bytes_with_a_hash_that_fits_are_no_crash) {
        RunRangeSettings settings = plain;
        uint64_t random = 88172645463325252U;
        uint8_t bytes[64];

        settings.n = 1000;
        for (unsigned i = 0; i < 100000; i++) {
                for (size_t k = 0; k < sizeof(bytes); k++) {
                        random ^= random << 13;
                        random ^= random >> 7;
                        random ^= random << 17;
                        bytes[k] = (uint8_t) (random % 7 < 4 ? random >> 8 & 3 : random >> 16);
                }
                bytes[0] = 1;
                check_damaged(&settings, bytes, i % sizeof(bytes), true);
        }
}

Test(run_range_save, memory_that_runs_out_is_said) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RunRange *range = rich_range(), *other = NULL;
        const RunRangeSettings settings = range->settings;
        bool was_reached = true;

        save(range, START, &writer);
        for (size_t i = 1; was_reached; i++) {
                int r;

                double_memory_arm(i, false);
                r = restore(&settings, writer.bytes, writer.n, &other);
                was_reached = double_memory_disarm();
                cr_assert(eq(int, r, was_reached ? -ENOMEM : 0));
                other = was_reached ? NULL : run_range_free(other);
        }
        for (uint64_t i = 0; i < 5; i++) {
                bool was_short;
                int r;

                double_memory_arm(1, true);
                r = run_range_retry(range, 2 * i + 1);
                was_short = double_memory_disarm();
                cr_assert(eq(int, r, was_short ? -ENOMEM : 0));
                cr_assert(eq(int, run_range_retry(range, 2 * i + 1), was_short ? 0 : -EINVAL));
        }
        run_range_free(range);
}

/* — large numbers — */

Test(run_range_save, indexes_go_up_to_the_last_number) {
        static const uint64_t ends[] = { HALF - 1, HALF, HALF + 1, HALF + 100, UINT64_MAX - 1 };
        RunRangeSettings settings = plain;

        settings.window = settings.slots = 100;
        for (size_t k = 0; k < ELEMENTSOF(ends); k++) {
                RunRange *range;
                RunRangeItem item;

                settings.n = ends[k];
                range = made(&settings, ends[k] - 150);
                for (uint64_t i = 0; i < 100; i++)
                        cr_assert(eq(u64, issue(range, START).index, ends[k] - 150 + i));
                cr_assert(eq(int, try_issue(range, START), RUN_RANGE_WINDOW));
                for (uint64_t i = 100; i > 0; i--)
                        (void) end(range, ends[k] - 151 + i, i % 10 ? RUN_RANGE_SUCCESS : RUN_RANGE_FAILURE);
                cr_assert(eq(u64, count(range).errors, 10));
                cr_assert(eq(int, run_range_retry(range, ends[k] - 150 + 9), 0));
                range = reborn(range);
                cr_assert(eq(u64, issue(range, START).index, ends[k] - 150 + 9));
                cr_assert(eq(int, end(range, ends[k] - 150 + 9, RUN_RANGE_SUCCESS), RUN_RANGE_MENDED));
                while (run_range_issue(range, START, &item) == RUN_RANGE_ISSUED)
                        (void) end(range, item.index, RUN_RANGE_SUCCESS);
                cr_assert(eq(u64, count(range).over, ends[k]));
                cr_assert(count(range).is_over);
                run_range_free(range);
        }
}

typedef struct Cost {
        uint64_t n_steps, n_ends;
        size_t checkpoint;
        bool took_memory;
} Cost;

/* The last 10⁶ of @n items, in an order that is mixed in the window; of each hundred one fails and is tried again. */
static Cost play_million(uint64_t n) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RunRangeSettings settings = plain;
        uint64_t out[1000], random = 1;
        size_t n_out = 0;
        RunRangeItem item;
        Cost cost = {};
        RunRange *range;

        settings.n = n;
        settings.window = 2000;
        settings.slots = ELEMENTSOF(out);
        settings.retry = 1;
        settings.delay = 5;
        range = made(&settings, n - 1000000);
        range->n_steps = 0;
        save(range, START, &writer);
        double_memory_arm(1, true);
        for (usec_t now = START;; now++) {
                RunRangeIssue issued;
                size_t at;

                while ((issued = run_range_issue(range, now, &item)) == RUN_RANGE_ISSUED)
                        out[n_out++] = item.index;
                if (issued == RUN_RANGE_OVER)
                        break;
                if (n_out == 0)
                        continue;
                random = random * 6364136223846793005U + 1442695040888963407U;
                at = (random >> 33) % n_out;
                (void) end_at(range, out[at], (random >> 40) % 100 == 0 ? RUN_RANGE_FAILURE : RUN_RANGE_SUCCESS, now);
                out[at] = out[--n_out];
                cost.n_ends++;
                if (cost.n_ends == 500000) {
                        save(range, now, &writer);
                        cost.checkpoint = writer.n;
                }
        }
        cost.took_memory = double_memory_disarm();
        cr_assert(count(range).is_over);
        cr_assert(eq(u64, count(range).over, n));
        cr_assert(eq(u64, count(range).launch_over, 1000000));
        cost.n_steps = range->n_steps;
        run_range_free(range);
        return cost;
}

/* The writer has all its memory before: so what is taken would be of the range. */
Test(run_range_save, ten_to_the_ten_items_cost_as_much_as_a_million) {
        const Cost small = play_million(1000000), large = play_million(TEN_TO_TEN);

        cr_assert(not(small.took_memory || large.took_memory));
        cr_assert(eq(u64, large.n_ends, small.n_ends));
        cr_assert(large.n_steps < small.n_steps * 101 / 100, "%lu, %lu", large.n_steps, small.n_steps);
        cr_assert(large.n_steps < 2 * large.n_ends, "%lu", large.n_steps);
        cr_assert(large.checkpoint <= small.checkpoint + 3, "%zu, %zu", large.checkpoint, small.checkpoint);
}

/* — kills — */

#define ITEMS 20000U
#define PARALLEL 64U
#define KILLS 20U
#define SYNC 500U

typedef struct Work {
        uint64_t index;
        usec_t end;
} Work;

typedef struct Simulation {
        RunRangeSettings settings;
        uint64_t random;
        usec_t now;
        RunRange *range;
        Work out[PARALLEL];
        size_t n_out;
        RecordWriter checkpoint;
        uint64_t offset, n_issued;
        bool is_over[ITEMS];
} Simulation;

static uint64_t pick(Simulation *simulation, uint64_t n) {
        simulation->random = simulation->random * 6364136223846793005U + 1442695040888963407U;
        return (simulation->random >> 33) % n;
}

static void checkpoint(Simulation *simulation) {
        save(simulation->range, simulation->now, &simulation->checkpoint);
        simulation->offset = count(simulation->range).base;
}

static void fill(Simulation *simulation) {
        RunRangeItem item;

        while (run_range_issue(simulation->range, simulation->now, &item) == RUN_RANGE_ISSUED) {
                const usec_t time = pick(simulation, 200) == 0 ? 20000 : 10;

                simulation->n_issued++;
                simulation->out[simulation->n_out++] =
                        (Work) { item.index, simulation->now + time * (1000 + pick(simulation, 1000)) };
        }
}

static void end_first(Simulation *simulation) {
        size_t first = 0;

        for (size_t i = 1; i < simulation->n_out; i++)
                if (simulation->out[i].end < simulation->out[first].end)
                        first = i;
        simulation->now = simulation->out[first].end;
        simulation->is_over[simulation->out[first].index] = true;
        (void) end_at(simulation->range, simulation->out[first].index, RUN_RANGE_SUCCESS, simulation->now);
        simulation->out[first] = simulation->out[--simulation->n_out];
}

static void die(Simulation *simulation, bool has_bits) {
        run_range_free(simulation->range);
        simulation->n_out = 0;
        if (has_bits)
                cr_assert(eq(int,
                             restore(&simulation->settings, simulation->checkpoint.bytes, simulation->checkpoint.n,
                                     &simulation->range),
                             0));
        else
                simulation->range = made(&simulation->settings, simulation->offset);
}

/* How many items are issued again in all. */
static uint64_t simulate(uint64_t seed, bool has_bits) {
        Simulation *simulation = calloc(1, sizeof(*simulation));
        unsigned n_ends = 0, n_kills = 0, next_kill;
        uint64_t n;

        *simulation = (Simulation) { .settings = plain, .random = seed, .now = START };
        simulation->settings.n = ITEMS;
        simulation->settings.window = 2000;
        simulation->settings.slots = PARALLEL;
        simulation->range = new_range(&simulation->settings);
        checkpoint(simulation);
        next_kill = 500 + (unsigned) pick(simulation, 1000);
        for (;;) {
                fill(simulation);
                if (simulation->n_out == 0)
                        break;
                end_first(simulation);
                n_ends++;
                if (n_ends % SYNC == 0)
                        checkpoint(simulation);
                if (n_kills == KILLS || n_ends != next_kill)
                        continue;
                die(simulation, has_bits);
                n_kills++;
                next_kill += 500 + (unsigned) pick(simulation, 1000);
        }
        cr_assert(count(simulation->range).is_over);
        cr_assert(eq(uint, n_kills, KILLS));
        for (unsigned i = 0; i < ITEMS; i++)
                cr_assert(simulation->is_over[i]);
        n = simulation->n_issued - ITEMS;
        run_range_free(simulation->range);
        record_writer_deinit(&simulation->checkpoint);
        free(simulation);
        return n;
}

/* One item in 200 takes 2,000 times as long: without bits, all that has passed it is done again. */
Test(run_range_save, kills_repeat_what_was_out_and_not_the_window) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
                const uint64_t bits = simulate(seed, true), offset = simulate(seed, false);

                cr_log_info("repeats: %lu with bits, %lu with an offset", bits, offset);
                cr_assert(bits <= KILLS * (PARALLEL + SYNC), "%lu", bits);
                cr_assert(2 * bits < offset, "%lu, %lu", bits, offset);
        }
}
