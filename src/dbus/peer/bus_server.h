/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Private sockets
 *
 * Serves D-Bus on sockets of the file system, to any number of clients, with or
 * without Hello. The credentials of a client come from the kernel.
 */

#include "basic/failure.h"
#include "dbus/peer/bus_peer.h"

typedef struct BusServer BusServer;

/*
 * libdbus takes over listening sockets only under the numbers from this one on: with a keeper, nothing else may have
 * these numbers when a server is made.
 */
#define BUS_SERVER_FD 3
#define BUS_SERVER_FDS 2

/*
 * Connections in all, or half the limit of open files if that is less, and of one user who is neither root nor the
 * owner of the manager. All such users together have half of them: the rest is the reserve of root and the owner.
 */
#define BUS_CONNECTIONS_MAX 4096U
#define BUS_CONNECTIONS_PER_USER_MAX 256U
/* Connections beyond these limits whose calls are answered with a refusal; further ones are closed at once. */
#define BUS_REFUSED_MAX 64U
/*
 * Connections that are not accepted yet. Root waits behind those of others, who can keep the queue full: so it has room
 * for what connects while there is no core, and for no more than is accepted in some hundredths of a second.
 */
#define BUS_QUEUE_MAX 1024

typedef struct BusPlace {
        const char *path;               /* its folder is made if it is missing, a stale socket is replaced */
        const char *kept_name;          /* of the socket, in the keeper */
        BusDialectId dialect;           /* of signals, until a client uses another */
} BusPlace;

/*
 * Listens at all @places, or none: -EADDRINUSE if another process serves one; other errors of the folder and the
 * socket, with @ret_failure. A keeper holds the sockets and passes them to the next core: clients wait while there is
 * none. Then there can be one server only, of at most BUS_SERVER_FDS places; without a keeper a server has one place.
 */
int bus_server_new(BusServer **ret_server, BusPeers *peers, const BusPlace *places, size_t n_places,
                   Failure *ret_failure);
/* Stops listening, and removes the sockets unless the next core takes them over; connections stay. */
BusServer *bus_server_free(BusServer *server);
DEFINE_CLEANUP(BusServer, bus_server_free)
