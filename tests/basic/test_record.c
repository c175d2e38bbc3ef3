/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A record as bytes
 */

#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/record.h"
#include "double/double_assert.h"

static const uint64_t numbers[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX };
static const int64_t signed_numbers[] = { 0, -1, 1, 63, 64, -64, -65, INT32_MIN, INT64_MAX, INT64_MIN };

Test(record, what_was_put_is_got) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RecordReader reader;
        size_t n;

        for (size_t i = 0; i < ELEMENTSOF(numbers); i++)
                record_put(&writer, numbers[i]);
        for (size_t i = 0; i < ELEMENTSOF(signed_numbers); i++)
                record_put_signed(&writer, signed_numbers[i]);
        record_put_string(&writer, "a.service");
        record_put_string(&writer, "");
        record_put_string(&writer, NULL);
        record_put_bytes(&writer, "\0\1\2", 3);
        cr_assert(not(writer.has_failed));

        record_reader_init(&reader, writer.bytes, writer.n);
        for (size_t i = 0; i < ELEMENTSOF(numbers); i++)
                cr_assert(eq(u64, record_get(&reader), numbers[i]));
        for (size_t i = 0; i < ELEMENTSOF(signed_numbers); i++)
                cr_assert(eq(i64, record_get_signed(&reader), signed_numbers[i]));
        assert_string(record_get_string(&reader), "a.service");
        assert_string(record_get_string(&reader), "");
        assert_null(record_get_string(&reader));
        cr_assert(memcmp(record_get_bytes(&reader, &n), "\0\1\2", 3) == 0);
        cr_assert(eq(sz, n, 3));
        cr_assert(record_is_at_end(&reader));
}

/* Copies outlive the bytes; a missing string differs from an empty one. */
Test(record, copies_are_the_callers) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RecordReader reader;
        char *full, *empty;

        record_put_string(&writer, "a.service");
        record_put_string(&writer, "");
        record_put_string(&writer, NULL);
        record_reader_init(&reader, writer.bytes, writer.n);
        full = record_get_string_copy(&reader);
        empty = record_get_string_copy(&reader);
        assert_null(record_get_string_copy(&reader));
        cr_assert(record_is_at_end(&reader));
        assert_null(record_get_string_copy(&reader));
        cr_assert(reader.has_failed);

        record_writer_deinit(&writer);
        assert_string(full, "a.service");
        assert_string(empty, "");
        free(full);
        free(empty);
}

Test(record, small_numbers_are_small) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};

        record_put(&writer, 127);
        record_put_signed(&writer, -64);
        cr_assert(eq(sz, writer.n, 2));
        record_writer_clear(&writer);
        cr_assert(eq(sz, writer.n, 0));
}

/* Every proper beginning of a record fails. */
Test(record, what_was_cut_off_fails) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};

        record_put(&writer, 300);
        record_put_string(&writer, "abc");
        for (size_t n = 0; n < writer.n; n++) {
                uint8_t *bytes = malloc(n + 1);         /* a copy, so that reading past its end is caught */
                RecordReader reader;

                memcpy(bytes, writer.bytes, n);
                record_reader_init(&reader, bytes, n);
                record_get(&reader);
                record_get_string(&reader);
                cr_assert(reader.has_failed, "%zu bytes", n);
                cr_assert(eq(u64, record_get(&reader), 0), "it goes on failing");
                cr_assert(not(record_is_at_end(&reader)));
                free(bytes);
        }
}

/* Of an empty row SQLite has no bytes. */
Test(record, nothing_is_at_its_end) {
        RecordReader reader;

        record_reader_init(&reader, NULL, 0);
        cr_expect(reader.at != NULL, "arithmetic on NULL is undefined");
        cr_expect(record_is_at_end(&reader));
        cr_expect(eq(u64, record_get_time(&reader), 0));
        cr_expect(reader.has_failed);
}

Test(record, nothing_comes_after_a_failure) {
        RecordReader reader;

        record_reader_init(&reader, "\1\2\3", 3);
        cr_assert(eq(u64, record_get_time(&reader), 0));
        cr_assert(reader.has_failed);
        cr_assert(eq(u64, record_get(&reader), 0));
        assert_null(record_get_string(&reader));
        cr_assert(not(record_is_at_end(&reader)));
}

Test(record, nonsense_fails) {
        static const uint8_t long_number[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2 };
        static const uint8_t no_end[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0 };
        static const uint8_t long_string[] = { 0xff, 0xff, 0xff, 0xff, 0x0f, 'a', 0 };
        static const uint8_t no_nul[] = { 2, 'a', 'b' };
        static const uint8_t two_nuls[] = { 3, 'a', 0, 0 };
        static const uint8_t nine[] = { 9 };
        RecordReader reader;

        record_reader_init(&reader, long_number, sizeof(long_number));
        record_get(&reader);
        cr_assert(reader.has_failed);
        record_reader_init(&reader, no_end, sizeof(no_end));
        record_get(&reader);
        cr_assert(reader.has_failed);
        record_reader_init(&reader, long_string, sizeof(long_string));
        assert_null(record_get_string(&reader));
        cr_assert(reader.has_failed);
        record_reader_init(&reader, no_nul, sizeof(no_nul));
        assert_null(record_get_string(&reader));
        cr_assert(reader.has_failed);
        record_reader_init(&reader, two_nuls, sizeof(two_nuls));
        assert_null(record_get_string(&reader));
        cr_assert(reader.has_failed);
        record_reader_init(&reader, nine, sizeof(nine));
        cr_assert(eq(u64, record_get_below(&reader, 9), 0));
        cr_assert(reader.has_failed);
}
