/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Private sockets
 *
 * Serves D-Bus on sockets of the file system, to any number of clients, with
 * or without Hello. Who a client is, the kernel says.
 */

#include "basic/failure.h"
#include "dbus/peer/bus_peer.h"

typedef struct BusServer BusServer;

/*
 * libdbus takes sockets that listen already only under the numbers from this one on: with a keeper, nothing else may
 * have them when a server is made.
 */
#define BUS_SERVER_FD 3
#define BUS_SERVER_FDS 2

#define BUS_CONNECTIONS_MAX 4096U
#define BUS_CONNECTIONS_PER_USER_MAX 256U

typedef struct BusPlace {
        const char *path;               /* its folder is made if it is missing, a stale socket is replaced */
        const char *kept_name;          /* that the keeper holds the socket under */
        BusDialectId dialect;           /* what clients hear until they use another */
} BusPlace;

/*
 * Listens at all @places, or none: -EADDRINUSE if somebody serves one; other errors of the folder and the socket, with
 * @ret_failure. With a keeper it holds the sockets, and we go on with those that it has: clients wait while we are not
 * there. Then there can be one server only, of at most BUS_SERVER_FDS places; without, a server has one place.
 */
int bus_server_new(BusServer **ret_server, BusPeers *peers, const BusPlace *places, size_t n_places,
                   Failure *ret_failure);
/* Stops listening and removes the sockets, unless the next one goes on with them; its connections stay. */
BusServer *bus_server_free(BusServer *server);
DEFINE_CLEANUP(BusServer, bus_server_free)
