/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Failures as D-Bus errors
 */

#include <dbus/dbus.h>

#include "basic/failure.h"
#include "dbus/bus_path.h"

/* The error's name: of the standard where the standard has it, else of the dialect. */
int bus_error_name(const BusDialect *dialect, const Failure *failure, char **ret_name);

/* The answer to @call that says so; NULL if memory ran out. */
DBusMessage *bus_error_reply(const BusDialect *dialect, DBusMessage *call, const Failure *failure);
