/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Failures as D-Bus errors
 */

#include <dbus/dbus.h>

#include "basic/failure.h"
#include "dbus/peer/bus_path.h"

/* The name of the error: the standard one if there is one, else in the dialect. */
int bus_error_name(const BusDialect *dialect, const Failure *failure, char **ret_name);

/* An error message without serial, sender and destination; NULL if memory ran out. */
DBusMessage *bus_error_message(const BusDialect *dialect, const Failure *failure);
