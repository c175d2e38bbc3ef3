/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs of a flow that other units trigger
 */

#include "unit/unit.h"

/* As UnitVTable.triggered: submits a run. A failure is logged. */
void flow_triggered(Unit *unit, const UnitTrigger *trigger);
