/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From a message to its handler, and back
 */

#include "dbus/bus_peer.h"

/* The receiver of private connections: calls are answered, all else is passed over. */
void bus_dispatch_private(BusPeer *peer, DBusMessage *message);

/* Answers a call of a client whose credentials are known. */
void bus_dispatch_call(BusClient *client, DBusMessage *message);

/* Answers that it failed, in the own dialect. */
void bus_dispatch_failure(BusClient *client, DBusMessage *message, const Failure *failure);
