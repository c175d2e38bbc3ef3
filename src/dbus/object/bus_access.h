/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The rights of clients
 */

#include <stdbool.h>
#include <sys/types.h>

#include "dbus/object/bus_tree.h"

typedef enum BusWho {
        BUS_WHO_NOBODY,                 /* a verb that the table does not name */
        BUS_WHO_ANYONE,                 /* every client */
        BUS_WHO_OWNER,                  /* root, and the user that the manager runs as */
} BusWho;

/* The rule of the table, for all objects. */
BusWho bus_access_who(BusVerb verb);
/* The same for one object, with the grants of its kind. */
bool bus_access_is_allowed(const BusTree *tree, const BusObject *object, BusVerb verb, const BusClient *client);

/* The polkit action that allows it to others: the last part of its name, or NULL. */
const char *bus_access_action(BusVerb verb);
