/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A connection of libdbus that reads what this process writes
 *
 * libdbus makes connections by itself only: it has no call that takes a
 * descriptor over. Here it connects to a socket of this process, which plays
 * the server until libdbus has authenticated itself. Whole messages that are
 * written to the other end are what libdbus reads.
 */

#include <dbus/dbus.h>

/* *ret_fd: the other end, non-blocking. Both belong to the caller. 0 or a negative errno. */
int bus_feed_new(DBusConnection **ret_connection, int *ret_fd);
