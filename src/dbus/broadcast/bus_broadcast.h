/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Signals as messages
 *
 * Each function puts a signal into the outbox once for every peer that listens,
 * in the dialects that it hears.
 */

#include "dbus/object/bus_tree.h"

typedef struct BusBroadcast {
        const BusTree *tree;            /* borrowed */
        BusWire wire;                   /* the signal that is being written */
} BusBroadcast;

typedef void (*BusSignalWrite)(const BusView *view, const void *data, Sink *sink);

/* Returns true if any peer gets signals. */
bool bus_broadcast_is_heard(const BusBroadcast *broadcast);

/* A signal of the manager. */
void bus_broadcast_of_manager(BusBroadcast *broadcast, const char *member, BusSignalWrite write, const void *data,
                              uint8_t flags);
/* A signal of an object without a body. */
void bus_broadcast_of_object(BusBroadcast *broadcast, const BusObject *object, const char *interface,
                             const char *member);
/* A signal of an object to one client, whatever it has subscribed to, by jobd's own names alone. */
void bus_broadcast_to_client(BusBroadcast *broadcast, const BusClient *client, const BusObject *object,
                             const char *interface, const char *member, BusSignalWrite write, const void *data);
/* The values of the properties of an object that have all of @flags, a signal for each interface with any. */
void bus_broadcast_changes(BusBroadcast *broadcast, const BusObject *object, uint8_t flags);
/* Announces that an object was added or removed. */
void bus_broadcast_notice(BusBroadcast *broadcast, const BusNotice *notice);
/*
 * Announces to clients of systemd that an object went and came: there a reload replaces it, and the client reads its
 * constant properties again.
 */
void bus_broadcast_replaced(BusBroadcast *broadcast, const BusNotice *notice);

/* Disconnects all private peers after an event that cannot be reported; clients reconnect and ask again. */
void bus_broadcast_drop_all(BusBroadcast *broadcast);
