/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A record as bytes
 *
 * A number takes seven bits per byte, the lowest first; the eighth bit is set
 * if more bytes follow. A string includes its NUL, so a reader returns it in
 * place.
 */

#include <stdlib.h>
#include <string.h>

#include "basic/record.h"

#define NUMBER_BYTES_MAX 10

void record_writer_deinit(RecordWriter *writer) {
        free(writer->bytes);
        *writer = (RecordWriter) {};
}

void record_writer_clear(RecordWriter *writer) {
        writer->n = 0;
        writer->has_failed = false;
}

static bool grow(RecordWriter *writer, size_t wanted) {
        size_t size = writer->allocated ? writer->allocated : 256;
        uint8_t *bytes;

        while (size < wanted)
                size *= 2;
        bytes = realloc(writer->bytes, size);
        if (!bytes) {
                record_writer_deinit(writer);
                writer->has_failed = true;
                return false;
        }
        writer->bytes = bytes;
        writer->allocated = size;
        return true;
}

/* Nearly always there is room. */
static inline uint8_t *make_room(RecordWriter *writer, size_t n) {
        if (writer->has_failed || (n > writer->allocated - writer->n && !grow(writer, writer->n + n)))
                return NULL;
        return writer->bytes + writer->n;
}

/* Returns the place behind it. */
static inline uint8_t *put_number(uint8_t *at, uint64_t value) {
        while (value >= 0x80) {
                *at++ = (uint8_t) (value | 0x80);
                value >>= 7;
        }
        *at++ = (uint8_t) value;
        return at;
}

void record_put_large(RecordWriter *writer, uint64_t value) {
        uint8_t *at = make_room(writer, NUMBER_BYTES_MAX);

        if (at)
                writer->n = (size_t) (put_number(at, value) - writer->bytes);
}

void record_put_time(RecordWriter *writer, uint64_t value) {
        uint8_t *at = make_room(writer, sizeof(value));

        if (!at)
                return;
        memcpy(at, &value, sizeof(value));
        writer->n += sizeof(value);
}

void record_put_bytes(RecordWriter *writer, const void *bytes, size_t n) {
        uint8_t *at = make_room(writer, NUMBER_BYTES_MAX + n);

        if (!at)
                return;
        at = put_number(at, n);
        if (n > 0)
                memcpy(at, bytes, n);
        writer->n = (size_t) (at - writer->bytes) + n;
}

size_t record_open(RecordWriter *writer) {
        record_put(writer, 0);
        return writer->n;
}

/* There is a byte for the length, which is enough for most: what is longer moves up. */
size_t record_close(RecordWriter *writer, size_t place) {
        size_t n = writer->n - place, n_more;
        uint8_t length[NUMBER_BYTES_MAX];

        if (writer->has_failed)
                return 0;
        n_more = (size_t) (put_number(length, n) - length) - 1;
        if (n_more > 0) {
                if (!make_room(writer, n_more))
                        return 0;
                memmove(writer->bytes + place + n_more, writer->bytes + place, n);
                writer->n += n_more;
        }
        memcpy(writer->bytes + place - 1, length, n_more + 1);
        return n;
}

void record_cut(RecordWriter *writer, size_t n) {
        writer->n = n;
}

void record_reader_init(RecordReader *reader, const void *bytes, size_t n) {
        static const uint8_t nothing[1];

        if (!bytes)
                bytes = nothing;        /* nothing may be added to NULL, not even 0 */
        *reader = (RecordReader) { .at = bytes, .end = (const uint8_t *) bytes + n };
}

void record_reader_init_inner(RecordReader *reader, const void *bytes, size_t n, const RecordReader *outer) {
        record_reader_init(reader, bytes, n);
        reader->format = outer->format;
}

static uint64_t fail(RecordReader *reader) {
        reader->has_failed = true;
        reader->at = reader->end;
        return 0;
}

uint64_t record_get(RecordReader *reader) {
        uint64_t value = 0;

        for (unsigned shift = 0; shift < 64; shift += 7) {
                uint64_t bits;

                if (reader->at == reader->end)
                        return fail(reader);
                bits = *reader->at & 0x7f;
                if (shift == 63 && bits > 1)
                        return fail(reader);
                value |= bits << shift;
                if (!(*reader->at++ & 0x80))
                        return value;
        }
        return fail(reader);
}

uint64_t record_get_time(RecordReader *reader) {
        uint64_t value = 0;

        if (reader->has_failed || (size_t) (reader->end - reader->at) < sizeof(value))
                return fail(reader);
        memcpy(&value, reader->at, sizeof(value));
        reader->at += sizeof(value);
        return value;
}

int64_t record_get_signed(RecordReader *reader) {
        uint64_t value = record_get(reader);

        return (int64_t) (value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

uint64_t record_get_below(RecordReader *reader, uint64_t limit) {
        uint64_t value = record_get(reader);

        return value < limit ? value : fail(reader);
}

const void *record_get_bytes(RecordReader *reader, size_t *ret_n) {
        uint64_t n = record_get(reader);
        const uint8_t *bytes = reader->at;

        *ret_n = 0;
        if (n > (uint64_t) (reader->end - reader->at))
                fail(reader);
        if (reader->has_failed)
                return NULL;
        reader->at += n;
        *ret_n = (size_t) n;
        return bytes;
}

const char *record_get_string(RecordReader *reader) {
        size_t n;
        const char *string = record_get_bytes(reader, &n);

        if (n == 0)
                return NULL;
        if (memchr(string, '\0', n) != string + n - 1) {
                fail(reader);
                return NULL;
        }
        return string;
}

char *record_get_string_copy(RecordReader *reader) {
        const char *string = record_get_string(reader);
        char *copy = string ? strdup(string) : NULL;

        if (string && !copy)
                fail(reader);
        return copy;
}

bool record_is_at_end(const RecordReader *reader) {
        return reader->at == reader->end && !reader->has_failed;
}
