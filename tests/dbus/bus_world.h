/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A manager and the parts of its bus in the process of the test, and one client of its socket
 *
 * The test says which kinds of objects there are.
 */

#include "basic/text.h"
#include "basic/usec.h"
#include "dbus/broadcast/bus_signal.h"
#include "dbus/object/bus_dispatch.h"
#include "dbus/peer/bus_server.h"

/* It only ends a test that hangs. */
#define BUS_WORLD_PATIENCE USEC_PER_MINUTE

typedef struct BusWorld {
        char folder[32];                /* has units/ and run/ */
        Manager *manager;
        BusPeers peers;
        BusTree tree;
        BusDispatch dispatch;
        BusSignals signals;
        BusServer *server;
        int client;                     /* its socket */
        uint32_t serial;                /* of its last call */
        Text seen;                      /* all that came to it, but NULs */
} BusWorld;

/* @kinds: beside units and jobs, which come first; ends with NULL. NULL: none. */
void bus_world_start(BusWorld *world, const BusKind *const *kinds);
void bus_world_stop(BusWorld *world);
void bus_world_add_unit(const BusWorld *world, const char *name, const char *text);

/* One turn; an event is waited for. */
void bus_world_turn(BusWorld *world);
/* All turns that have something to do now. */
void bus_world_settle(BusWorld *world);

/* Calls a method without arguments. The answer is not waited for. */
void bus_world_call(BusWorld *world, const char *path, const char *interface, const char *method);
void bus_world_send(BusWorld *world, DBusMessage *message);     /* takes it over */

/* From now on the client hears signals, also those about objects that come and go. */
void bus_world_listen(BusWorld *world);

/* Takes whatever has come. */
void bus_world_drain(BusWorld *world);
/* Passes over what has come. */
void bus_world_forget(BusWorld *world);
bool bus_world_has_seen(const BusWorld *world, const char *text);
/* Takes turns until it has come. */
void bus_world_wait(BusWorld *world, const char *text);

BusPeer *bus_world_peer(const BusWorld *world);
