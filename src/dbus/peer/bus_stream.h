/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The socket of a message bus
 *
 * Reads whole messages, writes them into the ledger, and feeds them to libdbus.
 * So nothing that the bus has sent is in this process alone, and another core
 * can go on with the same socket.
 */

#include <systemd/sd-event.h>

#include "dbus/peer/bus_ledger.h"
#include "dbus/peer/bus_output.h"

typedef struct BusStream BusStream;

/* Connects to the first local socket of @address that answers at once: the descriptor, or a negative errno. */
int bus_stream_connect(const char *address);

/*
 * Serves @fd, of bus_stream_connect() or of a core before; with that the calls in the ledger come first, as far as they
 * can be repeated. @fd and @ledger (NULL: there is none) are taken over. *ret_connection belongs to the caller: what
 * libdbus reads. Nothing may be written there.
 */
int bus_stream_new(BusStream **ret_stream, sd_event *event, int fd, bool is_new, BusLedger *ledger,
                   DBusConnection **ret_connection);
BusStream *bus_stream_free(BusStream *stream);
DEFINE_CLEANUP(BusStream, bus_stream_free)

int bus_stream_fd(const BusStream *stream);
BusLedger *bus_stream_ledger(const BusStream *stream);  /* borrowed; NULL: there is none */

/* The same as for a connection of libdbus that it does not write: see bus_loop.h. */
void bus_stream_set_writer(BusStream *stream, void (*writer)(void *userdata), void *userdata);
/* Writes as much as the socket takes; calls whose answers are written leave the ledger. */
void bus_stream_write(BusStream *stream, BusOutput *output);
void bus_stream_want_write(BusStream *stream, bool is_wanted);
