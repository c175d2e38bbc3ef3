/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What tests of ranges have in common
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "range_bytes.h"

#define START USEC_PER_DAY
#define TEN_TO_TEN UINT64_C(10000000000)

static const RunRangeSettings plain = { .n = 10, .window = 10, .slots = 10, .max_delay = USEC_INFINITY };

static inline RunRange *new_range(const RunRangeSettings *settings) {
        RunRange *range;

        cr_assert(eq(int, run_range_new(settings, &range), 0));
        run_range_launch(range, START);
        return range;
}

static inline RunRange *new_plain(uint64_t n, uint32_t window, uint32_t slots) {
        RunRangeSettings settings = plain;

        settings.n = n;
        settings.window = window;
        settings.slots = slots;
        return new_range(&settings);
}

static inline RunRangeIssue try_issue(RunRange *range, usec_t now) {
        RunRangeItem item;

        return run_range_issue(range, now, &item);
}

static inline RunRangeItem issue(RunRange *range, usec_t now) {
        RunRangeItem item;

        cr_assert(eq(int, run_range_issue(range, now, &item), RUN_RANGE_ISSUED));
        return item;
}

static inline uint64_t issue_all(RunRange *range, usec_t now) {
        uint64_t n = 0;

        while (try_issue(range, now) == RUN_RANGE_ISSUED)
                n++;
        return n;
}

static inline RunRangeFate end_at(RunRange *range, uint64_t index, RunRangeEnd end, usec_t now) {
        return run_range_end(range, index, end, now, 0, 0);
}

static inline RunRangeFate end(RunRange *range, uint64_t index, RunRangeEnd end_of_item) {
        return end_at(range, index, end_of_item, START);
}

static inline void end_all(RunRange *range, uint64_t first, uint64_t n, RunRangeEnd end_of_item) {
        for (uint64_t i = first; i < first + n; i++)
                (void) end(range, i, end_of_item);
}

static inline RunRangeCounts count(const RunRange *range) {
        RunRangeCounts counts;

        run_range_count(range, &counts);
        return counts;
}

static inline void save(const RunRange *range, usec_t now, RecordWriter *writer) {
        record_writer_clear(writer);
        run_range_save(range, now, writer);
        cr_assert(not(writer->has_failed));
}

static inline int restore(const RunRangeSettings *settings, const void *bytes, size_t n, RunRange **ret_range) {
        RecordReader reader;
        int r;

        record_reader_init(&reader, bytes, n);
        r = run_range_restore(settings, &reader, START, ret_range);
        cr_assert(r < 0 || record_is_at_end(&reader));
        return r;
}

/* What comes of the range if core dies now. */
static inline RunRange *reborn(RunRange *range) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RunRange *other;

        save(range, START, &writer);
        cr_assert(eq(int, restore(&range->settings, writer.bytes, writer.n, &other), 0));
        run_range_free(range);
        return other;
}

/* A range that has come to @base, and of which nothing more is known: an offset. */
static inline RunRange *made(const RunRangeSettings *settings, uint64_t base) {
        RunRange *range;

        cr_assert(eq(int, make_range(settings, base, START, &range), 0));
        return range;
}
