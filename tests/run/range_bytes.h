/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What is saved of a range, made by hand
 */

#include "basic/hash.h"
#include "run/run_range_private.h"

static inline void seal(RecordWriter *writer, const RecordWriter *inner) {
        uint64_t sum = HASH_BEGIN;

        for (size_t i = 0; i < inner->n; i++)
                sum = hash_add_byte(sum, (char) inner->bytes[i]);
        record_put_bytes(writer, inner->bytes, inner->n);
        record_put_time(writer, sum);
}

/* A range that has come to @base, and of which nothing more is known: an offset. */
static inline int make_range(const RunRangeSettings *settings, uint64_t base, usec_t now, RunRange **ret_range) {
        cleanup_(record_writer_deinit) RecordWriter writer = {}, inner = {};
        RecordReader reader;

        record_put(&inner, 1);
        record_put(&inner, base);
        for (unsigned i = 0; i < 5; i++)
                record_put(&inner, 0);
        record_put(&inner, 1); /* has a launch */
        for (unsigned i = 0; i < 4; i++)
                record_put(&inner, 0);
        seal(&writer, &inner);
        record_reader_init(&reader, writer.bytes, writer.n);
        return run_range_restore(settings, &reader, now, ret_range);
}
