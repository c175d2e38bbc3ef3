/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The process that removes the directories of a unit of any type
 */

#include "types/unit_process.h"
#include "unit/exec_terms.h"

typedef struct UnitCleaning {
        const ExecTerms *terms;         /* borrowed: which directories, and how long it may take */
        UnitProcess *control;           /* borrowed: the unit's control process, which becomes this one */
        int kind;                       /* kind of command, of the unit's type; see ask_for_process() */
        char ***argv;                   /* the unit's field for the command, whose value is owned */
        int (*set_limit)(Unit *unit, usec_t span);
} UnitCleaning;

/* Requests the process: 0, or a negative errno with @ret_failure. */
int unit_cleaning_begin(Unit *unit, const UnitCleaning *cleaning, unsigned kinds, Failure *ret_failure);
/* Log why the process was not made, and how it ended unless it succeeded. */
void unit_cleaning_tell_failed(const Unit *unit, const ExecResult *result);
void unit_cleaning_tell_ended(const Unit *unit, const UnitExit *exit);
