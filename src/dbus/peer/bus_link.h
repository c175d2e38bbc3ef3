/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The connection to a message bus
 *
 * Looks for the session or system bus, takes our names there, and starts again
 * when the bus goes.
 */

#include "dbus/peer/bus_peer.h"

typedef struct BusLink BusLink;

/* Told to one listener: the bus knows us from now on (0 or -ENOMEM); NameOwnerChanged, @owner is "" for nobody. */
typedef struct BusLinkOps {
        int (*up)(void *userdata);
        void (*name_changed)(void *userdata, const char *name, const char *owner);
} BusLinkOps;

/*
 * @dialects: bits, those whose names are asked for. @address: NULL for the usual one of @is_user. No bus is no failure:
 * it is looked for again and again.
 */
int bus_link_new(BusLink **ret_link, BusPeers *peers, uint8_t dialects, const char *address, bool is_user);
/* Its connection stays until that is closed. */
BusLink *bus_link_free(BusLink *link);
DEFINE_CLEANUP(BusLink, bus_link_free)

/* @ops: NULL for nobody. */
void bus_link_listen(BusLink *link, const BusLinkOps *ops, void *userdata);

/* Is the bus there, and knows us? */
bool bus_link_is_up(const BusLink *link);
/* Looks often again for a bus that is not there, since something on it is waited for. */
void bus_link_hurry(BusLink *link);

/*
 * Calls the bus itself; @reply is called in a later turn, with a copy of @argument, if the connection lasts. NULL: no
 * answer.
 */
typedef void (*BusLinkReply)(void *userdata, const char *subject, DBusMessage *reply);
int bus_link_call(BusLink *link, const char *method, const char *argument, BusLinkReply reply, void *userdata);
