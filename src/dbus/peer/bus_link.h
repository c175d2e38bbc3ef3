/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The connection to a message bus
 *
 * Connects to the session or system bus, requests the manager's names there,
 * and reconnects when the bus goes.
 */

#include "dbus/peer/bus_peer.h"

typedef struct BusLink BusLink;

/* The error for clients that asked the core before this one for another image. */
#define BUS_REEXEC_FAILURE "The new image did not become ready: the one before it goes on."

/* For one listener: Hello is answered (returns 0 or -ENOMEM); NameOwnerChanged, with @owner "" for no owner. */
typedef struct BusLinkOps {
        int (*up)(void *userdata);
        void (*name_changed)(void *userdata, const char *name, const char *owner);
} BusLinkOps;

/*
 * @dialects: bits, whose names are requested. @address: NULL for the usual one of @is_user. That there is no bus is no
 * failure: connecting is tried again and again. With a keeper the connection of the core before is taken up.
 * @has_fallen_back: this is not the image that that core was to execute.
 */
int bus_link_new(BusLink **ret_link, BusPeers *peers, uint8_t dialects, const char *address, bool is_user,
                 bool has_fallen_back);
/* The connection stays until it is closed as a peer; and with a keeper until the keeper ends. */
BusLink *bus_link_free(BusLink *link);
DEFINE_CLEANUP(BusLink, bus_link_free)

/* @ops: NULL for no listener. */
void bus_link_listen(BusLink *link, const BusLinkOps *ops, void *userdata);

/* For requests of a bus daemon to start a unit, which come to the owner of systemd's name. NULL: none are taken. */
typedef void (*BusLinkActivation)(void *userdata, const char *unit);
void bus_link_serve(BusLink *link, BusLinkActivation activate, void *userdata);
/* Sends a message to the bus itself at the end of the turn; without a bus it is lost. 0 or -ENOMEM. */
int bus_link_tell(BusLink *link, DBusMessage *message /* borrowed */);

/* For one listener: the connection has ended, and with it all that was asked there. NULL: nobody listens. */
typedef void (*BusLinkEnd)(void *userdata);
void bus_link_watch(BusLink *link, BusLinkEnd end, void *userdata);

/*
 * Calls another program on the bus. @answer is called once in a later turn, with NULL if there is no reply within
 * @timeout µs, and the ask is gone then; it is not called if the ask is given up. Who asks gives up when the connection
 * ends, see bus_link_watch(). 0, -ENOTCONN without a bus, or -ENOMEM.
 */
typedef struct BusAsk BusAsk;
typedef void (*BusLinkAnswer)(void *userdata, DBusMessage *reply /* borrowed */);
int bus_link_ask(BusLink *link, DBusMessage *message /* borrowed */, usec_t timeout, BusLinkAnswer answer,
                 void *userdata, BusAsk **ret_ask);
BusAsk *bus_link_give_up(BusAsk *ask);

/* Returns true if there is a bus that has answered Hello. */
bool bus_link_is_up(const BusLink *link);
/* Tries to connect more often again, because a unit waits for a name on the bus. */
void bus_link_hurry(BusLink *link);

/*
 * Calls the bus itself; @reply is called in a later turn, with a copy of @argument, if the connection lasts. NULL: no
 * answer.
 */
typedef void (*BusLinkReply)(void *userdata, const char *subject, DBusMessage *reply);
int bus_link_call(BusLink *link, const char *method, const char *argument, BusLinkReply reply, void *userdata);
static inline bool bus_link_is_error(DBusMessage *reply) {
        return dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR;
}

/* Calls @method, AddMatch or RemoveMatch, with the rule for changes of the owner of @name. */
int bus_link_match(BusLink *link, const char *method, const char *name);
