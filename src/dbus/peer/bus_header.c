/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The fields of a header are an array of (yv) behind twelve fixed bytes. Only
 * values of the types that the specification's own fields have are skipped; a
 * field of another type ends the search, and libdbus writes its own fields
 * before any that it does not know.
 */

#include <stdbool.h>
#include <string.h>

#include "basic/macro.h"
#include "dbus/peer/bus_header.h"

#define FIELDS_LENGTH_AT 12U
#define FIELDS_AT 16U
#define FIELD_UNIX_FDS 9

typedef struct HeaderReader {
        const uint8_t *bytes;
        size_t at, end;
        bool is_big_endian;
} HeaderReader;

static uint32_t read_u32(HeaderReader *reader) {
        const uint8_t *b;

        reader->at = (reader->at + 3U) & ~(size_t) 3;
        if (reader->at + 4U > reader->end) {
                reader->at = reader->end;
                return 0;
        }
        b = reader->bytes + reader->at;
        reader->at += 4;
        return reader->is_big_endian ? (uint32_t) b[0] << 24 | (uint32_t) b[1] << 16 | (uint32_t) b[2] << 8 | b[3] :
                                       (uint32_t) b[3] << 24 | (uint32_t) b[2] << 16 | (uint32_t) b[1] << 8 | b[0];
}

unsigned bus_header_descriptors(const uint8_t *bytes, size_t n) {
        HeaderReader reader = { .bytes = bytes, .at = FIELDS_LENGTH_AT, .end = n };

        if (n < FIELDS_AT)
                return 0;
        reader.is_big_endian = bytes[0] == 'B';
        reader.end = MIN(FIELDS_AT + (size_t) read_u32(&reader), n);

        /* A field: code, then the length of the signature, the type, a zero byte, and the value. */
        for (reader.at = FIELDS_AT; reader.at + 4U < reader.end; reader.at = (reader.at + 7U) & ~(size_t) 7) {
                uint8_t code = bytes[reader.at], type = bytes[reader.at + 2];
                uint32_t value;

                if (bytes[reader.at + 1] != 1)
                        return 0;
                reader.at += 4;
                if (type == 'g') {
                        reader.at += bytes[reader.at] + 2U;
                        continue;
                }
                value = read_u32(&reader);
                if (code == FIELD_UNIX_FDS && type == 'u')
                        return value;
                if (type == 's' || type == 'o')
                        reader.at += (size_t) value + 1;
                else if (type != 'u')
                        return 0;
        }
        return 0;
}
