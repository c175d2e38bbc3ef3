/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs of a flow that other units trigger
 */

#include "unit/unit.h"
#include "unitfile/flow_settings.h"

/* As UnitVTable.triggered: submits a run. A failure is logged. */
void flow_triggered(Unit *unit, const UnitTrigger *trigger);

/* CatchUp= of a flow; FLOW_CATCH_UP_UNSET of any other unit, also NULL. */
FlowCatchUp flow_catch_up(const Unit *unit);
