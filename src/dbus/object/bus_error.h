/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Failures as D-Bus errors
 */

#include <dbus/dbus.h>

#include "basic/failure.h"
#include "dbus/peer/bus_path.h"

/* The error's name: of the standard where the standard has it, else of the dialect. */
int bus_error_name(const BusDialect *dialect, const Failure *failure, char **ret_name);

/* An error that says so, without serial, sender and destination; NULL if memory ran out. */
DBusMessage *bus_error_message(const BusDialect *dialect, const Failure *failure);
