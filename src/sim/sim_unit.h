/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units that do what the script says
 */

#include "basic/string_table.h"
#include "unit/unit.h"

typedef struct Sim Sim;

typedef enum SimOperation {
        SIM_START,
        SIM_STOP,
        SIM_RELOAD,
        _SIM_OPERATION_MAX,
} SimOperation;

/* What an operation does when the engine asks for it. */
typedef enum SimOutcome {
        SIM_OUTCOME_UNDER_WAY,          /* nothing, until the script reports a state */
        SIM_OUTCOME_DONE,               /* it succeeds at once */
        SIM_OUTCOME_FAIL,               /* at once: a start ends in failed, a stop or reload leaves the unit active */
        SIM_OUTCOME_AGAIN,              /* "not now" */
        SIM_OUTCOME_SKIP,               /* a condition is not met */
        SIM_OUTCOME_ASSERT,
        SIM_OUTCOME_UNSUPPORTED,
        SIM_OUTCOME_HANG,               /* as under-way, also with --auto: it never ends by itself */
        _SIM_OUTCOME_MAX,
} SimOutcome;

int sim_operation_from_string(const char *string);      /* "start", "stop", "reload": a SimOperation, or -EINVAL */
int sim_outcome_from_string(const char *string);        /* "under-way", "done", …: a SimOutcome, or -EINVAL */

/* The type @type in a simulation. */
UnitVTable sim_unit_vtable(UnitType type);

/* What the next @operation of @unit does; after it the default holds again. */
void sim_unit_set_outcome(Unit *unit, SimOperation operation, SimOutcome outcome);

/* Does @unit, in the state that it has now, wait to start again by itself? */
void sim_unit_set_will_restart(Unit *unit, bool will_restart);
