/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Calls that are answered later
 *
 * A handler that cannot answer yet keeps the call, remembers its name (a
 * BusLater) and returns BUS_CALL_LATER. In a later turn the call is answered
 * or failed by that name, once; until then it counts among what its client
 * holds. A call whose client has disconnected is forgotten: an answer to it
 * does nothing. Nor does a second answer.
 */

#include <limits.h>

#include "dbus/object/bus_call.h"
#include "dbus/object/bus_reply.h"

/* Returned by a handler that has kept the call. No outcome of another function has this value. */
#define BUS_CALL_LATER INT_MAX

/*
 * The name of a call. It contains no pointer, and may be used as long as the process executes this program: its numbers
 * begin anew when it executes itself, and all connections have ended then, so it is not to be recorded.
 */
typedef struct BusLater {
        uint64_t peer;
        uint64_t number;                /* 0: no call */
} BusLater;

/* Keeps the call of a handler. LimitsExceeded if the client has BUS_LATER_MAX of them already, or -ENOMEM. */
int bus_call_keep(BusCall *call, BusLater *ret_later);
/* Forgets the call again: the handler has failed, and its failure is the answer. */
void bus_call_unkeep(BusCall *call);

/* Forgets the call, which is run now, and so answered as any other: its client, or NULL as below. */
BusClient *bus_later_take(const BusTree *tree, BusLater later);

/* Whether the call is of that client, and has no answer. */
bool bus_later_is_of(BusLater later, const BusClient *client);

/* The client of the call; NULL if it has gone, or the call is answered. */
const BusClient *bus_later_client(const BusTree *tree, BusLater later);
/* The connection that its answer would go to; false likewise. */
bool bus_later_reply(const BusTree *tree, BusLater later, BusReply *ret_reply);

/*
 * Answers with the values that @write writes, by the signature of the method; its view has no object. False if the
 * client has gone, or the call is answered. A body that is too large for a message is answered as a failure.
 */
typedef void (*BusLaterWrite)(const BusView *view, const void *data, Sink *sink);
bool bus_later_answer(const BusTree *tree, BusLater later, BusLaterWrite write, const void *data);
bool bus_later_fail(const BusTree *tree, BusLater later, const Failure *failure);
