/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A record as bytes
 *
 * Numbers take as many bytes as they need; strings and byte strings have
 * their length in front. After a failure (no memory, no more bytes) writer
 * and reader continue without harm, and the error is checked once, at the
 * end.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct RecordWriter {
        uint8_t *bytes;                 /* owned */
        size_t n, allocated;            /* after a failure both are 0 */
        bool has_failed;
} RecordWriter;

void record_writer_deinit(RecordWriter *writer);
void record_writer_clear(RecordWriter *writer);         /* empty, and without an error */

void record_put_large(RecordWriter *writer, uint64_t value);    /* record_put(), for any number */

/* Most numbers take a byte, and have room. */
static inline void record_put(RecordWriter *writer, uint64_t value) {
        if (value < 0x80 && writer->n < writer->allocated)
                writer->bytes[writer->n++] = (uint8_t) value;
        else
                record_put_large(writer, value);
}

void record_put_time(RecordWriter *writer, uint64_t value);     /* always eight bytes: for large values */
void record_put_bytes(RecordWriter *writer, const void *bytes, size_t n);

/* Small negative numbers stay small: 0, -1, 1, -2, … become 0, 1, 2, 3, … */
static inline void record_put_signed(RecordWriter *writer, int64_t value) {
        record_put(writer, (uint64_t) value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* NULL differs from "". Most optional strings of a record are not there. */
static inline void record_put_string(RecordWriter *writer, const char *string) {
        if (string)
                record_put_bytes(writer, string, strlen(string) + 1);
        else
                record_put(writer, 0);
}

/*
 * The bytes that are put between the two become one byte string, written where it stays. record_open() returns its
 * place for record_close(), which returns how many bytes were put.
 */
size_t record_open(RecordWriter *writer);
size_t record_close(RecordWriter *writer, size_t place);
void record_cut(RecordWriter *writer, size_t n);        /* only the first @n bytes stay */

typedef struct RecordReader {
        const uint8_t *at, *end;
        unsigned format;                /* the format of its file, see doc/decisions/0019; 0: no file */
        bool has_failed;
} RecordReader;

void record_reader_init(RecordReader *reader, const void *bytes, size_t n);
/* A reader of bytes that were part of another record, with the same format. */
void record_reader_init_inner(RecordReader *reader, const void *bytes, size_t n, const RecordReader *outer);

/* The functions below return 0 or NULL after a failure. Returned pointers live as long as the bytes. */
uint64_t record_get(RecordReader *reader);
uint64_t record_get_time(RecordReader *reader);
int64_t record_get_signed(RecordReader *reader);
/* A number that must be below @limit. */
uint64_t record_get_below(RecordReader *reader, uint64_t limit);
const void *record_get_bytes(RecordReader *reader, size_t *ret_n);
const char *record_get_string(RecordReader *reader);
/* As record_get_string(), but the caller owns the copy; fails without memory, too. */
char *record_get_string_copy(RecordReader *reader);
bool record_is_at_end(const RecordReader *reader);
