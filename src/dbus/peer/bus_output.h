/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Output of a private connection
 *
 * libdbus writes each message with a system call of its own, which wakes the
 * reader each time. Here the messages of a turn are queued in one buffer and
 * leave in one write.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dbus/peer/bus_wire.h"

typedef struct BusOutput {
        uint8_t *bytes;         /* owned */
        size_t begin, end;      /* unwritten bytes */
        size_t allocated;
        size_t last;            /* size of the message that was added last */
        size_t added;           /* since bus_output_take_unread() */
        uint32_t serial;        /* of that message */
        bool is_broken;         /* the other end is closed: messages are dropped */
} BusOutput;

void bus_output_deinit(BusOutput *output);

/* Each copies a message, with the next serial: 0 or -ENOMEM. */
int bus_output_add_message(BusOutput *output, DBusMessage *message);
int bus_output_add_wire(BusOutput *output, const BusWire *wire);

/* Writes as much as the socket takes. */
void bus_output_write(BusOutput *output, int fd);

size_t bus_output_size(const BusOutput *output);

/* The size without the last message. */
size_t bus_output_backlog(const BusOutput *output);

/* How much of the size is older than the last call of this function: the reader has had the time since then. */
size_t bus_output_take_unread(BusOutput *output);
