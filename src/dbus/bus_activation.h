/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units that the message bus asks for
 *
 * A bus daemon with --systemd-activation starts nothing itself where a service
 * file names a unit (SystemdService=): it asks the owner of systemd's name.
 */

#include "basic/vector.h"
#include "dbus/peer/bus_link.h"
#include "manager/manager.h"

/* A start that the bus waits for. */
typedef struct BusActivation {
        uint32_t job;
        char *unit;                     /* owned: the name that the bus asked for */
} BusActivation;

typedef struct BusActivations {
        Manager *manager;               /* borrowed */
        BusLink *link;                  /* borrowed; NULL: no message bus is used */
        VECTOR(BusActivation) waiting;
} BusActivations;

/* Serves the bus of @link, if there is one. 0 or -ENOMEM; requires bus_activations_deinit() in either case. */
int bus_activations_init(BusActivations *activations, Manager *manager, BusLink *link);
void bus_activations_deinit(BusActivations *activations);
