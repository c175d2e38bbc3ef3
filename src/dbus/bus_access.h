/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Who may do what
 */

#include <stdbool.h>
#include <sys/types.h>

#include "dbus/bus_table.h"

typedef enum BusWho {
        BUS_WHO_NOBODY,                 /* a verb that the table does not name */
        BUS_WHO_ANYONE,                 /* who can connect */
        BUS_WHO_OWNER,                  /* root, and the user that the manager runs as */
} BusWho;

BusWho bus_access_who(BusVerb verb);
bool bus_access_is_allowed(BusVerb verb, uid_t uid, uid_t owner);
