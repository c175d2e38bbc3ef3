/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A private socket
 *
 * Serves D-Bus on a socket of the file system, to any number of clients, with
 * or without Hello. Who a client is, the kernel says.
 */

#include "basic/failure.h"
#include "dbus/bus_table.h"

typedef struct BusServer BusServer;

#define BUS_CONNECTIONS_MAX 4096U
#define BUS_CONNECTIONS_PER_USER_MAX 256U

/*
 * Listens at @path (its folder is made if it is missing); a stale socket is replaced. Clients hear @dialect until they
 * use another. -EADDRINUSE if somebody serves it; other errors of the folder and the socket, with @ret_failure. @is_kept: a
 * keeper holds the socket, and we go on with it if it has one: clients wait while we are not there. One server can be that.
 */
int bus_server_new(BusServer **ret_server, Bus *bus, const char *path, BusDialectId dialect, bool is_kept,
                   Failure *ret_failure);
/* Stops listening and removes the socket, unless the next one goes on with it; its connections stay. */
BusServer *bus_server_free(BusServer *server);
DEFINE_CLEANUP(BusServer, bus_server_free)

/* The guid that clients were told. */
const char *bus_server_id(const BusServer *server);
