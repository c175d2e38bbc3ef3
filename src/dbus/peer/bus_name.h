/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names on the message bus that units wait for (Type=dbus)
 */

#include "basic/vector.h"
#include "dbus/peer/bus_link.h"
#include "manager/manager.h"

typedef struct BusName {
        char *name;                     /* owned */
        char *owner;                    /* owned: unique name of its owner; NULL: nobody, or not known */
} BusName;

typedef struct BusNames {
        Manager *manager;               /* borrowed */
        BusLink *link;                  /* borrowed; NULL: no message bus is used */
        VECTOR(BusName) watched;
} BusNames;

/* Offers the manager to watch names, if a message bus is used. */
void bus_names_init(BusNames *names, Manager *manager, BusLink *link);
void bus_names_deinit(BusNames *names);
