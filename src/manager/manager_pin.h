/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units that clients keep loaded
 */

#include "basic/record.h"
#include "manager/manager_turn.h"
#include "manager/manager_unit_row.h"
#include "manager/manager_unload.h"

typedef struct ManagerPins {
        ManagerTurn *turn;              /* borrowed, as are the next two */
        ManagerUnits *rows;
        ManagerUnloading *unloading;
        VECTOR(Unit *) held;            /* held for clients of the earlier core, once for each */
        sd_event_source *held_source;   /* owned: ends that */
} ManagerPins;

/* Adds a client's reference to @unit, which stays loaded as long as the client has it. 0 or -ENOMEM. */
int manager_pins_add(ManagerPins *pins, Unit *unit);
void manager_pins_remove(ManagerPins *pins, Unit *unit);

/*
 * The part at the end of a unit's record, read before manager_pins_hold(), once. 0, -ENOMEM, or the reader's failure.
 */
void manager_pins_write(const ManagerPins *pins, const Unit *unit, RecordWriter *writer);
int manager_pins_read(ManagerPins *pins, Unit *unit, RecordReader *reader);
void manager_pins_hold(ManagerPins *pins);
void manager_pins_drop(ManagerPins *pins);
