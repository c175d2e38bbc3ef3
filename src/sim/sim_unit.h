/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units whose operations the script decides
 */

#include "basic/string_table.h"
#include "basic/usec.h"
#include "unit/unit.h"

typedef struct Sim Sim;

typedef enum SimOperation {
        SIM_START,
        SIM_STOP,
        SIM_RELOAD,
        _SIM_OPERATION_MAX,
} SimOperation;

/* The outcome of an operation. */
typedef enum SimOutcome {
        SIM_OUTCOME_UNDER_WAY,          /* under way until the script reports a state */
        SIM_OUTCOME_DONE,               /* it succeeds at once */
        SIM_OUTCOME_FAIL,               /* at once: a start ends in failed, a stop or reload leaves the unit active */
        SIM_OUTCOME_AGAIN,              /* "not now" */
        SIM_OUTCOME_SKIP,               /* a condition is not met */
        SIM_OUTCOME_ASSERT,
        SIM_OUTCOME_UNSUPPORTED,
        SIM_OUTCOME_HANG,               /* like under-way, also with --auto: only the unit's time limit ends it */
        _SIM_OUTCOME_MAX,
} SimOutcome;

int sim_operation_from_string(const char *string);      /* "start", "stop", "reload": a SimOperation, or -EINVAL */
int sim_outcome_from_string(const char *string);        /* "under-way", "done", …: a SimOutcome, or -EINVAL */

/* The functions of units of type @type in a simulation. */
UnitVTable sim_unit_vtable(UnitType type);

/* Sets the outcome of the next @operation of @unit; the default applies after that. */
void sim_unit_set_outcome(Unit *unit, SimOperation operation, SimOutcome outcome);

/* Another report has ended the operation that hung, if one did. */
void sim_unit_end_hanging(Unit *unit);

/* When the next time limit of a unit ends an operation that hangs; USEC_INFINITY: never. */
usec_t sim_units_next_deadline(const Sim *sim);
/* Ends those whose time is over, as the manager would: a start or stop fails, and so does a reload of what runs on. */
void sim_units_expire(Sim *sim);

/* Whether @unit, in its present state, will restart automatically. */
void sim_unit_set_will_restart(Unit *unit, bool will_restart);
