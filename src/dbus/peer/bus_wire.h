/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Messages in the format of the wire: signals and replies
 *
 * libdbus takes a few microseconds for each value that is appended to a
 * message, and there are thousands of signals a second. This sink writes the
 * bytes itself, into memory that is used again for the next message.
 *
 * Text that is not UTF-8 is escaped, an invalid path is an error. A body grows
 * to 24 MiB at most: a system bus disconnects a sender of more than 32 MiB.
 */

#include <dbus/dbus.h>

#include "basic/sink.h"

#define BUS_WIRE_DEPTH 24
#define BUS_WIRE_BODY_MAX (24U * 1024U * 1024U)

typedef struct BusWireArray {
        size_t length_at;       /* where its length in bytes stands; SIZE_MAX: it is no array */
        size_t begin;           /* of its first item */
} BusWireArray;

typedef struct BusWireBytes {
        uint8_t *items;         /* owned */
        size_t n, allocated;
        int error;              /* 0 or -ENOMEM */
} BusWireBytes;

typedef struct BusWire {
        Sink sink;
        BusWireBytes header;    /* padded to a multiple of eight */
        BusWireBytes body;
        char signature[DBUS_MAXIMUM_SIGNATURE_LENGTH + 1];      /* of the body, as it was written */
        size_t n_signature;
        BusWireArray open[BUS_WIRE_DEPTH];
        unsigned depth;
} BusWire;

void bus_wire_deinit(BusWire *wire);

/* Empties it, and frees the memory of a large message: the body is written into wire->sink next. */
void bus_wire_begin(BusWire *wire);

/*
 * Writes the header of the signal that the body is for; its serial is 0. @destination: NULL: all, or the other end. 0,
 * -ENOMEM, -EMSGSIZE, or the error of the sink.
 */
int bus_wire_finish_signal(BusWire *wire, const char *path, const char *interface, const char *member,
                           const char *sender, const char *destination);

/* The same for the answer to the call of that serial. @sender and @destination may be NULL. */
int bus_wire_finish_reply(BusWire *wire, uint32_t reply_serial, const char *sender, const char *destination);

/* Copies the message to @bytes, which has room for bus_wire_size(). */
size_t bus_wire_size(const BusWire *wire);
void bus_wire_copy(const BusWire *wire, uint32_t serial, uint8_t *bytes);
