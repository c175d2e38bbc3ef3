/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The connection to a message bus
 *
 * Looks for the session or system bus, takes our names there, and starts again
 * when the bus goes.
 */

#include "dbus/bus_peer.h"

typedef struct BusLink BusLink;

/* @address: NULL for the usual one of @is_user. No bus is no failure: it is looked for again and again. */
int bus_link_new(BusLink **ret_link, Bus *bus, const char *address, bool is_user);
BusLink *bus_link_free(BusLink *link);
DEFINE_CLEANUP(BusLink, bus_link_free)

/* Is the bus there, and knows us? */
Bus *bus_link_bus(const BusLink *link);
bool bus_link_is_up(const BusLink *link);
/* Somebody waits for something on the bus: if it is not there, look for it often again. */
void bus_link_hurry(BusLink *link);

/* Calls the bus itself; @reply is told in a later turn, with a copy of @argument, if the connection lasts. NULL: no answer. */
typedef void (*BusReply)(BusLink *link, const char *subject, DBusMessage *reply);
int bus_link_call(BusLink *link, const char *method, const char *argument, BusReply reply);

/* Its connection is about to be closed. */
void bus_link_lost(BusLink *link, const BusPeer *peer);
