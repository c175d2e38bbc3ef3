/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A record as bytes
 *
 * Numbers take as many bytes as they need, strings and byte strings have their
 * length in front. A writer that ran out of memory, or a reader that ran out
 * of bytes, goes on without harm and says so in the end: only that is asked.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RecordWriter {
        uint8_t *bytes;                 /* owned */
        size_t n, allocated;
        bool has_failed;
} RecordWriter;

void record_writer_deinit(RecordWriter *writer);
void record_writer_clear(RecordWriter *writer);         /* empty, and able again */

void record_put(RecordWriter *writer, uint64_t value);
void record_put_time(RecordWriter *writer, uint64_t value);     /* eight bytes, at once: for what is nearly always large */
void record_put_signed(RecordWriter *writer, int64_t value);
void record_put_bytes(RecordWriter *writer, const void *bytes, size_t n);
void record_put_string(RecordWriter *writer, const char *string);       /* NULL is another string than "" */

typedef struct RecordReader {
        const uint8_t *at, *end;
        unsigned format;                /* of the file that it is from: see doc/decisions/0019; 0: of none */
        bool has_failed;
} RecordReader;

void record_reader_init(RecordReader *reader, const void *bytes, size_t n);
/* Of bytes that were in another record: of the same format. */
void record_reader_init_inner(RecordReader *reader, const void *bytes, size_t n, const RecordReader *outer);

/* 0 and NULL after a failure. What is returned lives as long as the bytes. */
uint64_t record_get(RecordReader *reader);
uint64_t record_get_time(RecordReader *reader);
int64_t record_get_signed(RecordReader *reader);
/* A number that must be below @limit. */
uint64_t record_get_below(RecordReader *reader, uint64_t limit);
const void *record_get_bytes(RecordReader *reader, size_t *ret_n);
const char *record_get_string(RecordReader *reader);
/* As record_get_string(), in memory that the caller owns; it fails for want of memory, too. */
char *record_get_string_copy(RecordReader *reader);
bool record_is_at_end(const RecordReader *reader);
