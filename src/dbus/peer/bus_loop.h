/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * libdbus on sd-event
 *
 * Serves the descriptors, timeouts and queued messages of one connection, or
 * of one server, in an event loop.
 */

#include <stdbool.h>

#include <dbus/dbus.h>
#include <systemd/sd-event.h>

#include "basic/macro.h"

typedef struct BusLoop BusLoop;

/*
 * Event loop and connection are borrowed and must outlive the BusLoop. Messages that are queued already are dispatched,
 * too.
 */
int bus_loop_new_for_connection(BusLoop **ret_loop, sd_event *event, DBusConnection *connection);
int bus_loop_new_for_server(BusLoop **ret_loop, sd_event *event, DBusServer *server);

/*
 * For a connection whose descriptor is not written by libdbus: @writer is called when the descriptor can be written to,
 * or has broken, while that is wanted.
 */
typedef void (*BusLoopWriter)(void *userdata);
void bus_loop_set_writer(BusLoop *loop, BusLoopWriter writer, void *userdata);
void bus_loop_want_write(BusLoop *loop, bool is_wanted);

/* Returns true if a message has come over the connection, even one that libdbus has answered itself. */
bool bus_loop_has_message(const BusLoop *loop);

/* Not from inside a callback of the connection. */
BusLoop *bus_loop_free(BusLoop *loop);
DEFINE_CLEANUP(BusLoop, bus_loop_free)
