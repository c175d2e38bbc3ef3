/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A signal in the format of the wire
 *
 * Values stand in the byte order of the machine, each aligned to its size,
 * counted from the beginning of the body, which is itself aligned to eight. A
 * header says the signature of the body, so it is written behind it and put in
 * front.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "dbus/bus_wire.h"

enum {
        FIELD_PATH = 1,
        FIELD_INTERFACE = 2,
        FIELD_MEMBER = 3,
        FIELD_SENDER = 7,
        FIELD_SIGNATURE = 8,
};

#define FIXED_HEADER_SIZE 16U
#define BODY_LENGTH_AT 4U
#define SERIAL_AT 8U
#define FIELDS_LENGTH_AT 12U

static void put_bytes(Text *text, const void *bytes, size_t n) {
        text_add_n(text, bytes, n);
}

static void put_padding(Text *text, size_t alignment) {
        static const char zeros[8];

        put_bytes(text, zeros, (alignment - text->n % alignment) % alignment);
}

static void put_aligned(Text *text, const void *bytes, size_t n) {
        put_padding(text, n);
        put_bytes(text, bytes, n);
}

static void put_u32(Text *text, uint32_t value) {
        put_aligned(text, &value, sizeof(value));
}

static void put_string(Text *text, const char *string) {
        size_t n = strlen(string);

        put_u32(text, (uint32_t) n);
        put_bytes(text, string, n + 1);
}

static void put_signature(Text *text, const char *signature) {
        uint8_t n = (uint8_t) strlen(signature);

        put_bytes(text, &n, 1);
        put_bytes(text, signature, (size_t) n + 1);
}

/* Later, when it is known. */
static void set_u32(Text *text, size_t at, uint32_t value) {
        if (text->error == 0)
                memcpy(text->string + at, &value, sizeof(value));
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

/* Is there room, and no error so far? */
static bool wire_accepts(BusWire *wire) {
        if (wire->sink.error == 0 && wire->body.error < 0)
                wire->sink.error = wire->body.error;
        if (wire->sink.error == 0 && wire->body.n > BUS_WIRE_BODY_MAX)
                wire->sink.error = -EMSGSIZE;
        return wire->sink.error == 0;
}

/* What stands at the top of the body is what its signature names. */
static void wire_sign(BusWire *wire, const char *before, const char *contents, const char *after) {
        size_t n = strlen(before) + strlen(contents) + strlen(after);

        if (wire->depth > 0)
                return;
        if (wire->n_signature + n >= sizeof(wire->signature)) {
                wire->sink.error = -EMSGSIZE;
                return;
        }
        stpcpy(stpcpy(stpcpy(wire->signature + wire->n_signature, before), contents), after);
        wire->n_signature += n;
}

static void wire_put_string(BusWire *wire, char type, const char *string) {
        cleanup_free_ char *escaped = NULL;

        if (type == 'o' && !dbus_validate_path(string, NULL))
                wire->sink.error = -EINVAL;
        else if (type == 's' && !text_is_utf8(string)) {
                wire->sink.error = text_escape_control(string, &escaped);
                string = escaped;
        }
        if (wire->sink.error == 0)
                put_string(&wire->body, string);
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
        else if (type == 's' || type == 'o')
                wire_put_string(wire, type, value);
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
                put_padding(&wire->body, alignment_of(contents[0]));
                array.begin = wire->body.n;
                break;
        case 'v':
                wire_sign(wire, "v", "", "");
                put_signature(&wire->body, contents);
                break;
        default:
                wire_sign(wire, container == 'r' ? "(" : "{", contents, container == 'r' ? ")" : "}");
                put_padding(&wire->body, 8);
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

void bus_wire_deinit(BusWire *wire) {
        text_deinit(&wire->header);
        text_deinit(&wire->body);
}

static void wire_empty(Text *text) {
        text->n = 0;
        text->error = 0;
}

void bus_wire_begin(BusWire *wire) {
        wire->sink = (Sink) { .ops = &wire_ops };
        wire_empty(&wire->header);
        wire_empty(&wire->body);
        wire->n_signature = 0;
        wire->signature[0] = '\0';
        wire->depth = 0;
}

static void put_field(Text *header, uint8_t field, const char *type, const char *value) {
        put_padding(header, 8);
        put_bytes(header, &field, 1);
        put_signature(header, type);
        if (type[0] == 'g')
                put_signature(header, value);
        else
                put_string(header, value);
}

int bus_wire_finish_signal(BusWire *wire, const char *path, const char *interface, const char *member,
                           const char *sender) {
        static const uint8_t fixed[FIXED_HEADER_SIZE] = {
                __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'B', DBUS_MESSAGE_TYPE_SIGNAL,
                DBUS_HEADER_FLAG_NO_REPLY_EXPECTED, DBUS_MAJOR_PROTOCOL_VERSION,
        };
        Text *header = &wire->header;

        if (!wire_accepts(wire))
                return wire->sink.error;
        assert(wire->depth == 0);

        put_bytes(header, fixed, sizeof(fixed));
        put_field(header, FIELD_PATH, "o", path);
        put_field(header, FIELD_INTERFACE, "s", interface);
        put_field(header, FIELD_MEMBER, "s", member);
        put_field(header, FIELD_SENDER, "s", sender);
        if (wire->n_signature > 0)
                put_field(header, FIELD_SIGNATURE, "g", wire->signature);
        set_u32(header, BODY_LENGTH_AT, (uint32_t) wire->body.n);
        set_u32(header, FIELDS_LENGTH_AT, (uint32_t) (header->n - FIXED_HEADER_SIZE));
        put_padding(header, 8);
        return header->error;
}

size_t bus_wire_size(const BusWire *wire) {
        return wire->header.n + wire->body.n;
}

void bus_wire_copy(const BusWire *wire, uint32_t serial, uint8_t *bytes) {
        memcpy(bytes, wire->header.string, wire->header.n);
        memcpy(bytes + SERIAL_AT, &serial, sizeof(serial));
        if (wire->body.n > 0)
                memcpy(bytes + wire->header.n, wire->body.string, wire->body.n);
}

/* A message that is read has a serial, a copy of it has none yet: the connection gives it one. */
int bus_wire_to_message(const BusWire *wire, DBusMessage **ret_message) {
        cleanup_free_ uint8_t *bytes = malloc(bus_wire_size(wire));
        DBusMessage *read;

        if (!bytes)
                return -ENOMEM;
        bus_wire_copy(wire, 1, bytes);
        read = dbus_message_demarshal((const char *) bytes, (int) bus_wire_size(wire), NULL);
        if (!read)
                return -ENOMEM;
        *ret_message = dbus_message_copy(read);
        dbus_message_unref(read);
        return *ret_message ? 0 : -ENOMEM;
}
