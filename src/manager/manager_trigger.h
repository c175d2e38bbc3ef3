/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Telling units about changes of the units that they trigger
 */

#include "basic/failure.h"
#include "basic/vector.h"
#include "manager/manager_turn.h"
#include "unit/unit_table.h"

typedef struct ManagerTriggers {
        ManagerTurn *turn;              /* borrowed */
        UnitTable *units;               /* borrowed */
        VECTOR(uint32_t) changed;       /* indexes of units whose triggering units are to be told */
} ManagerTriggers;

void manager_triggers_deinit(ManagerTriggers *triggers);

void manager_triggers_note(ManagerTriggers *triggers, const Unit *unit);
void manager_triggers_tell(ManagerTriggers *triggers);          /* at the end of a turn */
/* A job of @unit was refused: the units that trigger it may have requested the job. */
void manager_triggers_tell_refused(ManagerTriggers *triggers, Unit *unit, const Failure *failure);
