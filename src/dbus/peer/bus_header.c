/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The fields of a header are an array of (yv) behind twelve fixed bytes. Only
 * values of the types that the specification's own fields have are skipped; a
 * field of another type ends the search, and libdbus writes its own fields
 * before any that it does not know.
 */

#include <string.h>

#include <dbus/dbus.h>

#include "basic/macro.h"
#include "dbus/peer/bus_header.h"

#define TYPE_AT 1U
#define FLAGS_AT 2U
#define BODY_LENGTH_AT 4U
#define SERIAL_AT 8U
#define FIELDS_LENGTH_AT 12U
#define FIELDS_AT 16U

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

size_t bus_header_message_size(const uint8_t prefix[static BUS_HEADER_PREFIX]) {
        HeaderReader reader = { .bytes = prefix, .at = BODY_LENGTH_AT, .end = BUS_HEADER_PREFIX,
                                .is_big_endian = prefix[0] == 'B' };
        size_t body, fields;

        if (prefix[0] != 'l' && prefix[0] != 'B')
                return 0;
        body = read_u32(&reader);
        reader.at = FIELDS_LENGTH_AT;
        fields = read_u32(&reader);
        if (fields > DBUS_MAXIMUM_ARRAY_LENGTH || body > DBUS_MAXIMUM_MESSAGE_LENGTH)
                return 0;
        return FIELDS_AT + ((fields + 7U) & ~(size_t) 7) + body;
}

/* Goes over a value of that type: its number, or the length of its text at *ret_text. False for other types. */
static bool read_value(HeaderReader *reader, uint8_t type, uint32_t *ret_value, const char **ret_text) {
        *ret_text = NULL;
        if (type == 'g') {
                reader->at += reader->bytes[reader->at] + 2U;
                return true;
        }
        *ret_value = read_u32(reader);
        if (type == 's' || type == 'o') {
                *ret_text = (const char *) reader->bytes + reader->at;
                reader->at += (size_t) *ret_value + 1;
                return reader->at <= reader->end && !(*ret_text)[*ret_value];
        }
        return type == 'u';
}

BusHeader bus_header_read(const uint8_t *bytes, size_t n) {
        HeaderReader reader = { .bytes = bytes, .at = SERIAL_AT, .end = n };
        BusHeader header = {};

        if (n < FIELDS_AT)
                return header;
        reader.is_big_endian = bytes[0] == 'B';
        header.type = bytes[TYPE_AT];
        header.wants_reply = !(bytes[FLAGS_AT] & DBUS_HEADER_FLAG_NO_REPLY_EXPECTED);
        header.serial = read_u32(&reader);
        reader.at = FIELDS_LENGTH_AT;
        reader.end = MIN(FIELDS_AT + (size_t) read_u32(&reader), n);

        /* A field: code, then the length of the signature, the type, a zero byte, and the value. */
        for (reader.at = FIELDS_AT; reader.at + 4U < reader.end; reader.at = (reader.at + 7U) & ~(size_t) 7) {
                uint8_t code = bytes[reader.at], type = bytes[reader.at + 2];
                const char *text = NULL;
                uint32_t value = 0;

                if (bytes[reader.at + 1] != 1)
                        break;
                reader.at += 4;
                if (!read_value(&reader, type, &value, &text))
                        break;
                if (code == DBUS_HEADER_FIELD_UNIX_FDS && type == 'u')
                        header.n_descriptors = value;
                if (code == DBUS_HEADER_FIELD_SENDER && type == 's')
                        header.sender = text;
        }
        return header;
}
