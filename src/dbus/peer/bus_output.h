/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What is to be written to a private connection
 *
 * libdbus writes each message with a system call of its own, which wakes the
 * reader each time. Here messages of a turn stand one behind the other and leave
 * in one write.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dbus/peer/bus_wire.h"

typedef struct BusOutput {
        uint8_t *bytes;         /* owned */
        size_t begin, end;      /* what is not written yet */
        size_t allocated;
        size_t last;            /* size of the message that was added last */
        size_t added;           /* since bus_output_take_unread() */
        uint32_t serial;        /* of that message */
        bool is_broken;         /* nobody is at the other end: what is added is forgotten */
} BusOutput;

void bus_output_deinit(BusOutput *output);

/* Each copies a message, with the next serial: 0 or -ENOMEM. */
int bus_output_add_message(BusOutput *output, DBusMessage *message);
int bus_output_add_wire(BusOutput *output, const BusWire *wire);

/* Writes what the socket takes. */
void bus_output_write(BusOutput *output, int fd);

size_t bus_output_size(const BusOutput *output);

/* How much of that had been there before the last message came. */
size_t bus_output_backlog(const BusOutput *output);

/* How much of it had been there when this was last asked: the reader has had the time since then. */
size_t bus_output_take_unread(BusOutput *output);
