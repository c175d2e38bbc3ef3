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

/* The time limit of a test that hangs. */
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
        Text seen;                      /* all bytes that it has received, without NULs */
} BusWorld;

/* @kinds: kinds besides units and jobs; ends with NULL. NULL: none. */
void bus_world_start(BusWorld *world, const BusKind *const *kinds);
void bus_world_stop(BusWorld *world);
void bus_world_add_unit(const BusWorld *world, const char *name, const char *text);

/* Runs one turn, for which it waits for an event. */
void bus_world_turn(BusWorld *world);
/* Runs turns as long as there is something to do. */
void bus_world_settle(BusWorld *world);

/* Calls a method without arguments, and does not wait for the reply. */
void bus_world_call(BusWorld *world, const char *path, const char *interface, const char *method);
void bus_world_send(BusWorld *world, DBusMessage *message);     /* takes it over */

/* Subscribes the client to signals, also to those about added and removed objects. */
void bus_world_listen(BusWorld *world);

/* Reads all that has arrived. */
void bus_world_drain(BusWorld *world);
/* Reads and drops all that has arrived. */
void bus_world_forget(BusWorld *world);
bool bus_world_has_seen(const BusWorld *world, const char *text);
/* Runs turns until the client has received @text. */
void bus_world_wait(BusWorld *world, const char *text);

BusPeer *bus_world_peer(const BusWorld *world);
