/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Telling clients what has changed
 *
 * Changes are noted when they happen and sent once a turn: new units and jobs,
 * then a unit's properties, then the end of its job. A reply that names a job
 * comes after the announcement of that job.
 */

#include "basic/arena.h"
#include "basic/vector.h"
#include "dbus/broadcast/bus_broadcast.h"

/* Unsent changes of a unit. */
typedef struct BusUnitNote {
        uint8_t marks;                          /* BusUnitMark */
        uint32_t news;                          /* place of its announcement in .notices, while that is there */
} BusUnitNote;

typedef struct BusSignals {
        BusTree *tree;                          /* borrowed */
        const BusKind *units, *jobs;
        BusBroadcast broadcast;
        VECTOR(BusNotice) notices;              /* in the order of the events */
        Arena names;                            /* of units in .notices, which may be gone when it is told */
        VECTOR(uint32_t) changed_units;         /* indexes */
        VECTOR(BusUnitNote) of_units;           /* by index */
        VECTOR(uint32_t) changed_jobs;
        bool has_new_jobs;
} BusSignals;

/* Starts to listen to the manager; bus_signals_detach() ends that. */
int bus_signals_attach(BusSignals *signals, BusTree *tree, const BusKind *units, const BusKind *jobs);
void bus_signals_detach(BusSignals *signals);

/* BusTree.before_reply: sends what is noted up to now if there are new jobs in it. */
void bus_signals_announce_jobs(void *signals);
