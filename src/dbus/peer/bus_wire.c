/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Messages in the format of the wire
 *
 * Values stand in the byte order of the machine, each aligned to its size,
 * counted from the beginning of the body, which is itself aligned to eight. A
 * header contains the signature of the body, so the header is written after the
 * body.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "dbus/peer/bus_wire.h"

enum {
        FIELD_PATH = 1,
        FIELD_INTERFACE = 2,
        FIELD_MEMBER = 3,
        FIELD_REPLY_SERIAL = 5,
        FIELD_DESTINATION = 6,
        FIELD_SENDER = 7,
        FIELD_SIGNATURE = 8,
};

/* Memory that is kept for the next message. */
#define KEPT_BYTES ((size_t) 64 * 1024)

#define FIXED_HEADER_SIZE 16U
#define BODY_LENGTH_AT 4U
#define SERIAL_AT 8U
#define FIELDS_LENGTH_AT 12U

/* Room for @n bytes behind zeros up to a multiple of @alignment; NULL without memory. */
static uint8_t *extend(BusWireBytes *bytes, size_t alignment, size_t n) {
        size_t at = (bytes->n + alignment - 1) & ~(alignment - 1);

        if (at + n > bytes->allocated && bytes->error == 0)
                bytes->error = vector_reserve_raw((void **) &bytes->items, &bytes->allocated, 1, at + n);
        if (bytes->error < 0)
                return NULL;
        for (; bytes->n < at; bytes->n++)
                bytes->items[bytes->n] = 0;
        bytes->n += n;
        return bytes->items + at;
}

static void put_aligned(BusWireBytes *bytes, const void *value, size_t n) {
        uint8_t *place = extend(bytes, n, n);

        if (place)
                memcpy(place, value, n);
}

static void put_u32(BusWireBytes *bytes, uint32_t value) {
        put_aligned(bytes, &value, sizeof(value));
}

static void put_string(BusWireBytes *bytes, const char *string, size_t n) {
        uint32_t length = (uint32_t) n;
        uint8_t *place = extend(bytes, sizeof(length), sizeof(length) + n + 1);

        if (!place)
                return;
        memcpy(place, &length, sizeof(length));
        memcpy(place + sizeof(length), string, n + 1);
}

static void put_signature(BusWireBytes *bytes, const char *signature) {
        size_t n = strlen(signature);
        uint8_t *place = extend(bytes, 1, n + 2);

        if (!place)
                return;
        place[0] = (uint8_t) n;
        memcpy(place + 1, signature, n + 1);
}

/* Writes a length into its place, once it is known. */
static void set_u32(BusWireBytes *bytes, size_t at, uint32_t value) {
        if (bytes->error == 0)
                memcpy(bytes->items + at, &value, sizeof(value));
}

static size_t alignment_of(char type) {
        switch (type) {
        case 'y': case 'g': case 'v':
                return 1;
        case 'n': case 'q':
                return 2;
        case 'x': case 't': case 'd': case '(': case '{':
                return 8;
        default:
                return 4;
        }
}

/* Returns true if there is space, and no error so far. */
static bool wire_accepts(BusWire *wire) {
        if (wire->sink.error == 0 && wire->body.error < 0)
                wire->sink.error = wire->body.error;
        if (wire->sink.error == 0 && wire->body.n > BUS_WIRE_BODY_MAX)
                wire->sink.error = -EMSGSIZE;
        return wire->sink.error == 0;
}

/* Only values at the top of the body add to its signature. */
static void wire_sign(BusWire *wire, const char *before, const char *contents, const char *after) {
        size_t n;

        if (wire->depth > 0)
                return;
        n = strlen(before) + strlen(contents) + strlen(after);
        if (wire->n_signature + n >= sizeof(wire->signature)) {
                wire->sink.error = -EMSGSIZE;
                return;
        }
        stpcpy(stpcpy(stpcpy(wire->signature + wire->n_signature, before), contents), after);
        wire->n_signature += n;
}

/* Most text is ASCII, which is checked eight bytes at a time. */
static bool is_ascii(const char *string, size_t n) {
        uint64_t seen = 0, word;
        size_t i;

        for (i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
                memcpy(&word, string + i, sizeof(word));
                seen |= word;
        }
        for (; i < n; i++)
                seen |= (uint8_t) string[i];
        return !(seen & UINT64_C(0x8080808080808080));
}

static void wire_put_string(BusWire *wire, const char *string) {
        cleanup_free_ char *escaped = NULL;
        size_t n = strlen(string);

        if (!is_ascii(string, n) && !text_is_utf8(string)) {
                wire->sink.error = text_escape_control(string, &escaped);
                if (wire->sink.error < 0)
                        return;
                string = escaped;
                n = strlen(string);
        }
        put_string(&wire->body, string, n);
}

static void wire_put_path(BusWire *wire, const char *path) {
        if (dbus_validate_path(path, NULL))
                put_string(&wire->body, path, strlen(path));
        else
                wire->sink.error = -EINVAL;
}

static void wire_put_signature(BusWire *wire, const char *signature) {
        if (dbus_signature_validate(signature, NULL))
                put_signature(&wire->body, signature);
        else
                wire->sink.error = -EINVAL;
}

static void wire_put(Sink *base, char type, const void *value) {
        BusWire *wire = container_of(base, BusWire, sink);

        if (!wire_accepts(wire))
                return;

        wire_sign(wire, (char[]) { type, '\0' }, "", "");
        if (type == 'b')
                put_u32(&wire->body, *(const bool *) value);
        else if (type == 's')
                wire_put_string(wire, value);
        else if (type == 'o')
                wire_put_path(wire, value);
        else if (type == 'g')
                wire_put_signature(wire, value);
        else
                put_aligned(&wire->body, value, alignment_of(type));
}

static void wire_open(Sink *base, char container, const char *contents) {
        BusWire *wire = container_of(base, BusWire, sink);
        BusWireArray array = { .length_at = SIZE_MAX };

        if (!wire_accepts(wire))
                return;

        assert(wire->depth < BUS_WIRE_DEPTH);
        switch (container) {
        case 'a':
                wire_sign(wire, "a", contents, "");
                put_u32(&wire->body, 0);
                array.length_at = wire->body.n - sizeof(uint32_t);
                (void) extend(&wire->body, alignment_of(contents[0]), 0);
                array.begin = wire->body.n;
                break;
        case 'v':
                wire_sign(wire, "v", "", "");
                put_signature(&wire->body, contents);
                break;
        default:
                wire_sign(wire, container == 'r' ? "(" : "{", contents, container == 'r' ? ")" : "}");
                (void) extend(&wire->body, 8, 0);
                break;
        }
        wire->open[wire->depth++] = array;
}

static void wire_close(Sink *base) {
        BusWire *wire = container_of(base, BusWire, sink);
        const BusWireArray *array;

        if (!wire_accepts(wire))
                return;

        assert(wire->depth > 0);
        array = &wire->open[--wire->depth];
        if (array->length_at != SIZE_MAX)
                set_u32(&wire->body, array->length_at, (uint32_t) (wire->body.n - array->begin));
}

static const SinkOps wire_ops = {
        .put = wire_put,
        .open = wire_open,
        .close = wire_close,
};

static void bytes_deinit(BusWireBytes *bytes) {
        free(bytes->items);
        *bytes = (BusWireBytes) {};
}

void bus_wire_deinit(BusWire *wire) {
        bytes_deinit(&wire->header);
        bytes_deinit(&wire->body);
}

/* Frees the memory of a large message. */
static void bytes_clear(BusWireBytes *bytes) {
        if (bytes->allocated > KEPT_BYTES)
                bytes_deinit(bytes);
        bytes->n = 0;
        bytes->error = 0;
}

void bus_wire_begin(BusWire *wire) {
        wire->sink = (Sink) { .ops = &wire_ops };
        bytes_clear(&wire->header);
        bytes_clear(&wire->body);
        wire->n_signature = 0;
        wire->signature[0] = '\0';
        wire->depth = 0;
}

static void put_field_start(BusWireBytes *header, uint8_t field, char type) {
        uint8_t *place = extend(header, 8, 4);

        if (place)
                memcpy(place, (uint8_t[]) { field, 1, (uint8_t) type, 0 }, 4);
}

static void put_field(BusWireBytes *header, uint8_t field, char type, const char *value) {
        put_field_start(header, field, type);
        if (type == 'g')
                put_signature(header, value);
        else
                put_string(header, value, strlen(value));
}

static void header_begin(BusWire *wire, uint8_t message_type) {
        const uint8_t fixed[FIXED_HEADER_SIZE] = {
                __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'B', message_type,
                DBUS_HEADER_FLAG_NO_REPLY_EXPECTED, DBUS_MAJOR_PROTOCOL_VERSION,
        };
        uint8_t *place = extend(&wire->header, 1, sizeof(fixed));

        if (place)
                memcpy(place, fixed, sizeof(fixed));
}

static int header_end(BusWire *wire) {
        BusWireBytes *header = &wire->header;

        if (wire->n_signature > 0)
                put_field(header, FIELD_SIGNATURE, 'g', wire->signature);
        set_u32(header, BODY_LENGTH_AT, (uint32_t) wire->body.n);
        set_u32(header, FIELDS_LENGTH_AT, (uint32_t) (header->n - FIXED_HEADER_SIZE));
        (void) extend(header, 8, 0);
        return header->error;
}

int bus_wire_finish_signal(BusWire *wire, const char *path, const char *interface, const char *member,
                           const char *sender, const char *destination) {
        if (!wire_accepts(wire))
                return wire->sink.error;
        assert(wire->depth == 0);

        header_begin(wire, DBUS_MESSAGE_TYPE_SIGNAL);
        put_field(&wire->header, FIELD_PATH, 'o', path);
        put_field(&wire->header, FIELD_INTERFACE, 's', interface);
        put_field(&wire->header, FIELD_MEMBER, 's', member);
        if (destination)
                put_field(&wire->header, FIELD_DESTINATION, 's', destination);
        put_field(&wire->header, FIELD_SENDER, 's', sender);
        return header_end(wire);
}

int bus_wire_finish_reply(BusWire *wire, uint32_t reply_serial, const char *sender, const char *destination) {
        if (!wire_accepts(wire))
                return wire->sink.error;
        assert(wire->depth == 0);

        header_begin(wire, DBUS_MESSAGE_TYPE_METHOD_RETURN);
        put_field_start(&wire->header, FIELD_REPLY_SERIAL, 'u');
        put_u32(&wire->header, reply_serial);
        if (destination)
                put_field(&wire->header, FIELD_DESTINATION, 's', destination);
        if (sender)
                put_field(&wire->header, FIELD_SENDER, 's', sender);
        return header_end(wire);
}

size_t bus_wire_size(const BusWire *wire) {
        return wire->header.n + wire->body.n;
}

void bus_wire_copy(const BusWire *wire, uint32_t serial, uint8_t *bytes) {
        memcpy(bytes, wire->header.items, wire->header.n);
        memcpy(bytes + SERIAL_AT, &serial, sizeof(serial));
        if (wire->body.n > 0)
                memcpy(bytes + wire->header.n, wire->body.items, wire->body.n);
}
