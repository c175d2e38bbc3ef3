/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Changes of the machine's clock and time zone
 */

#include "manager/manager_turn.h"
#include "unit/unit_table.h"

typedef struct ManagerClock {
        ManagerTurn *turn;              /* borrowed */
        UnitTable *units;               /* borrowed */
        sd_event_source *clock_source, *zone_source;    /* owned */
        bool is_watched;                /* watched, or at least tried */
} ManagerClock;

/* From here on units are told: UnitVTable.clock_changed. */
void manager_clock_watch(ManagerClock *clock);
void manager_clock_deinit(ManagerClock *clock);
