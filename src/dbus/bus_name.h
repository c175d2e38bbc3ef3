/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names on the message bus that units wait for (Type=dbus)
 */

#include "basic/vector.h"
#include "manager/manager.h"

typedef struct Bus Bus;

typedef struct BusName {
        char *name;                     /* owned */
        char *owner;                    /* owned: who has it, as the bus calls him; NULL: nobody, or not known */
} BusName;

typedef struct BusNames {
        Bus *bus;                       /* borrowed */
        VECTOR(BusName) watched;
} BusNames;

/* Tells the manager that it can ask for names, if there is to be a message bus. */
void bus_names_init(BusNames *names, Bus *bus);
void bus_names_deinit(BusNames *names);

/* The bus knows us from now on: all names are asked for. 0 or -ENOMEM. */
int bus_names_begin(BusNames *names);
/* NameOwnerChanged; @owner is "" for nobody. */
void bus_names_changed(BusNames *names, const char *name, const char *owner);
