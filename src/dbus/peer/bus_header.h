/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The header of a marshalled message, for what libdbus does not tell of it
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that tell the size of a message. */
#define BUS_HEADER_PREFIX 16U

/* The size of the message that begins so: 0 if no message does. */
size_t bus_header_message_size(const uint8_t prefix[static BUS_HEADER_PREFIX]);

typedef struct BusHeader {
        uint8_t type;                   /* DBUS_MESSAGE_TYPE_… */
        bool wants_reply;
        uint32_t serial;
        const char *sender;             /* in the bytes that were read; NULL: it has none */
        unsigned n_descriptors;
} BusHeader;

/* Of a message of these @n bytes, which its sender or a bus has checked; all zero if they are too few. */
BusHeader bus_header_read(const uint8_t *bytes, size_t n);

/* The descriptors that come with it, by its header. */
static inline unsigned bus_header_descriptors(const uint8_t *bytes, size_t n) {
        return bus_header_read(bytes, n).n_descriptors;
}
