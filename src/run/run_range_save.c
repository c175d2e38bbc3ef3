/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A checkpoint of a range
 *
 * Items below the base are over, and those from .next on were not issued: what
 * is in between is a bit each. Tries are written only of items that have some,
 * or that wait for a time to come; all others that are not over are due at
 * once in the range that is restored.
 *
 * A checkpoint is a byte string with a hash behind it, so that a byte that has
 * changed is seen wherever it is. All values are judged all the same: a range
 * that is restored keeps the rules of this one.
 *
 *     format
 *     base, next - base, errors, errors and ends of the launch, strange answers, LAUNCH_…
 *     RUNS, and a byte string: lengths of runs, the first one of items that are not over, none of these at the end
 *         or RAW, and the bits in words of eight bytes
 *     a byte string: of each item with tries, or that waits: distance to the one before it, tries, deaths, µs to wait
 *     number of errors that are issued again; of each: index, tries, deaths, µs to wait
 */

#include <errno.h>

#include "basic/hash.h"
#include "run/run_range_private.h"

#define FORMAT 1U
#define SPAN_MAX RUN_RANGE_WINDOW_MAX /* from base to next */

enum {
        LAUNCH_BEGUN = 1 << 0,
        LAUNCH_DRAINED = 1 << 1,
        LAUNCH_ALL = LAUNCH_BEGUN | LAUNCH_DRAINED,
};

enum { RUNS, RAW, N_FORMS };

static uint64_t hash(const void *bytes, size_t n) {
        const char *at = bytes;
        uint64_t sum = HASH_BEGIN;

        for (size_t i = 0; i < n; i++)
                sum = hash_add_byte(sum, at[i]);
        return sum;
}

/* — writing — */

/* Whether the runs take less than @limit bytes; otherwise what was written of them has to go. */
static bool put_runs(const RunRange *range, size_t limit, RecordWriter *writer) {
        const size_t first = writer->n;
        uint64_t at = range->base;
        bool is_over = false;

        while (!writer->has_failed && writer->n - first < limit) {
                const uint64_t end = range_find(range, at, !is_over);

                if (end == range->next && !is_over)
                        return true;
                record_put(writer, end - at);
                at = end;
                is_over = !is_over;
        }
        return false;
}

static size_t n_words(uint64_t span) {
        return (size_t) ((span + RANGE_WORD_BITS - 1) / RANGE_WORD_BITS);
}

static void put_bits(const RunRange *range, RecordWriter *writer) {
        const size_t n = n_words(range->next - range->base), start = writer->n;
        size_t place;

        record_put(writer, RUNS);
        place = record_open(writer);
        if (put_runs(range, n * sizeof(uint64_t), writer)) {
                record_close(writer, place);
                return;
        }
        record_cut(writer, start);
        record_put(writer, RAW);
        for (size_t i = 0; i < n; i++)
                record_put_time(writer, range_word(range, range->base + i * RANGE_WORD_BITS));
}

static usec_t time_to_wait(const RangeItem *item, usec_t now) {
        if (item->is_out)
                return 0;
        return item->due == USEC_INFINITY ? USEC_INFINITY : usec_sub(item->due, now);
}

static void put_item(const RangeItem *item, usec_t now, RecordWriter *writer) {
        record_put(writer, item->tries);
        record_put(writer, item->deaths);
        record_put(writer, time_to_wait(item, now));
}

static void put_items(const RunRange *range, usec_t now, RecordWriter *writer) {
        const size_t place = record_open(writer);
        uint64_t last = range->base;

        for (uint64_t i = range_find(range, range->base, false); i < range->next; i = range_find(range, i + 1, false)) {
                const RangeItem *item = range_item(range, i);

                if (item->tries == 0 && item->deaths == 0 && time_to_wait(item, now) == 0)
                        continue;
                record_put(writer, i - last);
                put_item(item, now, writer);
                last = i;
        }
        record_close(writer, place);
}

static void put_seconds(const RunRange *range, usec_t now, RecordWriter *writer) {
        record_put(writer, range->n_seconds);
        for (size_t i = 0; i < range->seconds.n; i++) {
                const RangeSecond *second = &range->seconds.items[i];

                if (!second->item.is_out && second->item.place == 0)
                        continue;
                record_put(writer, second->index);
                put_item(&second->item, now, writer);
        }
}

void run_range_save(const RunRange *range, usec_t now, RecordWriter *writer) {
        const size_t place = record_open(writer);
        size_t n;

        record_put(writer, FORMAT);
        record_put(writer, range->base);
        record_put(writer, range->next - range->base);
        record_put(writer, range->errors);
        record_put(writer, range->launch_errors);
        record_put(writer, range->launch_over);
        record_put(writer, range->strange);
        record_put(writer, (range->has_launch ? LAUNCH_BEGUN : 0) | (range->is_drained ? LAUNCH_DRAINED : 0));
        put_bits(range, writer);
        put_items(range, now, writer);
        put_seconds(range, now, writer);
        n = record_close(writer, place);
        if (!writer->has_failed)
                record_put_time(writer, hash(writer->bytes + writer->n - n, n));
}

/* — reading: 0 or a negative errno; what the reader could not read is found in the end — */

static int get_runs(RunRange *range, RecordReader *reader) {
        uint64_t at = range->base;
        RecordReader runs;
        const void *bytes;
        bool is_over = false;
        size_t n;

        bytes = record_get_bytes(reader, &n);
        record_reader_init_inner(&runs, bytes, n, reader);
        while (!record_is_at_end(&runs)) {
                const uint64_t length = record_get(&runs);

                if (length == 0 || length > range->next - at)
                        return -EBADMSG;
                if (is_over)
                        for (uint64_t i = 0; i < length; i++)
                                range_set_done(range, at + i);
                at += length;
                is_over = !is_over;
        }
        return is_over ? -EBADMSG : 0;
}

static int get_raw(RunRange *range, RecordReader *reader) {
        for (uint64_t at = range->base; at < range->next && !reader->has_failed; at += RANGE_WORD_BITS) {
                const uint64_t n = MIN((uint64_t) RANGE_WORD_BITS, range->next - at);
                const uint64_t word = record_get_time(reader);

                for (uint64_t i = 0; i < RANGE_WORD_BITS; i++) {
                        if (!(word >> i & 1))
                                continue;
                        if (i >= n)
                                return -EBADMSG;
                        range_set_done(range, at + i);
                }
        }
        return 0;
}

static int get_bits(RunRange *range, RecordReader *reader) {
        const uint64_t form = record_get_below(reader, N_FORMS);
        const int r = form == RAW ? get_raw(range, reader) : get_runs(range, reader);

        if (r < 0)
                return r;
        return range->base < range->next && range_is_done(range, range->base) ? -EBADMSG : 0;
}

static RangeItem get_item(RecordReader *reader, usec_t now) {
        const uint64_t tries = record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        const uint64_t deaths = record_get_below(reader, RUN_RANGE_DEATHS_MAX);

        return (RangeItem) { .due = usec_add(now, record_get(reader)),
                             .tries = (uint32_t) tries,
                             .deaths = (uint8_t) deaths };
}

/* Tries are put in their places; then all that is not over waits. */
static int get_items(RunRange *range, RecordReader *reader, usec_t now) {
        uint64_t at = range->base;
        RecordReader items;
        const void *bytes;
        size_t n;

        for (uint64_t i = at; i < range->next; i++)
                range_item(range, i)->due = now;
        bytes = record_get_bytes(reader, &n);
        record_reader_init_inner(&items, bytes, n, reader);
        for (bool is_first = true; !record_is_at_end(&items); is_first = false) {
                const uint64_t distance = record_get(&items);

                if (items.has_failed || distance >= range->next - at || (distance == 0 && !is_first))
                        return -EBADMSG;
                at += distance;
                if (range_is_done(range, at))
                        return -EBADMSG;
                *range_item(range, at) = get_item(&items, now);
                if (items.has_failed)
                        return -EBADMSG;
        }
        for (uint64_t i = range->base; i < range->next; i++)
                if (range_is_done(range, i))
                        *range_item(range, i) = (RangeItem) {};
                else
                        range_wait(range, i, range_item(range, i)->due);
        return 0;
}

static int get_seconds(RunRange *range, RecordReader *reader, usec_t now) {
        const uint64_t n = record_get(reader);

        if (n > range->errors)
                return -EBADMSG;
        for (uint64_t i = 0; i < n; i++) {
                const uint64_t index = record_get(reader);
                const RangeItem item = get_item(reader, now);
                int r;

                if (reader->has_failed || index >= range->next ||
                    (index >= range->base && !range_is_done(range, index)) || range_find_second(range, index))
                        return -EBADMSG;
                r = range_add_second(range, index, &item);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int get_counts(RunRange *range, RecordReader *reader) {
        uint64_t flags;

        range->launch_errors = record_get(reader);
        range->launch_over = record_get(reader);
        range->strange = record_get(reader);
        flags = record_get_below(reader, LAUNCH_ALL + 1);
        range->has_launch = flags & LAUNCH_BEGUN;
        range->is_drained = flags & LAUNCH_DRAINED;
        return range->launch_errors > range->launch_over ? -EBADMSG : 0;
}

/* The byte string that run_range_save() has put. */
static int get_range(const RunRangeSettings *settings, RecordReader *reader, usec_t now, RunRange **ret_range) {
        const uint64_t format = record_get(reader), base = record_get(reader);
        const uint64_t span = record_get_below(reader, SPAN_MAX + UINT64_C(1)), errors = record_get(reader);
        cleanup_(run_range_freep) RunRange *range = NULL;
        int r;

        if (reader->has_failed || format != FORMAT || span > UINT64_MAX - base)
                return -EBADMSG;
        r = range_new(settings, base, base + span, &range);
        if (r < 0)
                return r;
        range->errors = errors;
        r = get_counts(range, reader);
        if (r >= 0)
                r = get_bits(range, reader);
        if (r >= 0)
                r = get_items(range, reader, now);
        if (r >= 0)
                r = get_seconds(range, reader, now);
        if (r < 0)
                return r;
        if (!record_is_at_end(reader) || errors > range->base + range->n_done)
                return -EBADMSG;
        run_bucket_begin(&range->bucket, now);
        *ret_range = take_ptr(range);
        return 0;
}

int run_range_restore(const RunRangeSettings *settings, RecordReader *reader, usec_t now, RunRange **ret_range) {
        RecordReader inner;
        const void *bytes;
        uint64_t sum;
        size_t n;

        bytes = record_get_bytes(reader, &n);
        sum = record_get_time(reader);
        if (reader->has_failed || sum != hash(bytes, n))
                return -EBADMSG;
        record_reader_init_inner(&inner, bytes, n, reader);
        return get_range(settings, &inner, now, ret_range);
}

/* — other settings — */

int run_range_set(RunRange *range, const RunRangeSettings *settings) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        cleanup_(run_range_freep) RunRange *other = NULL;
        RecordReader reader;
        RunRange old;
        int r;

        if (range->n_out > 0)
                return -EBUSY;
        /* A record has times to wait, here from the beginning of time. */
        run_range_save(range, 0, &writer);
        if (writer.has_failed)
                return -ENOMEM;
        record_reader_init(&reader, writer.bytes, writer.n);
        r = run_range_restore(settings, &reader, 0, &other);
        if (r < 0)
                return r;
        run_bucket_pour(&other->bucket, &range->bucket);
        old = *range;
        *range = *other;
        *other = old;
        return 0;
}
