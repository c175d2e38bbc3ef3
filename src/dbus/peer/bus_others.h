/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The share of other users
 *
 * Connections of users who may only read are served by an event loop of their
 * own, which gets at most half of the manager's time.
 */

#include <systemd/sd-event.h>

#include "basic/macro.h"

typedef struct BusOthers BusOthers;

int bus_others_new(BusOthers **ret_others, sd_event *event);
BusOthers *bus_others_free(BusOthers *others);
DEFINE_CLEANUP(BusOthers, bus_others_free)

/* The loop, for sources of the connections of other users. Borrowed. */
sd_event *bus_others_event(const BusOthers *others);
