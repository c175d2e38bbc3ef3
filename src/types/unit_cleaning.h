/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The process that removes the directories of a unit, of whatever type
 */

#include "types/unit_process.h"
#include "unit/exec_terms.h"

typedef struct UnitCleaning {
        const ExecTerms *terms;         /* borrowed: which directories, and how long it may take */
        UnitProcess *control;           /* where the process will be */
        int kind;                       /* of the type's commands: it comes after a start */
        char ***argv;                   /* where its command is kept, owned */
        int (*set_limit)(Unit *unit, usec_t span);
} UnitCleaning;

/* Asks for the process: 0, or a negative errno with @ret_failure. */
int unit_cleaning_begin(Unit *unit, const UnitCleaning *cleaning, unsigned kinds, Failure *ret_failure);
/* Says why there is no process, or how it ended if that is no success. */
void unit_cleaning_tell_failed(const Unit *unit, const ExecResult *result);
void unit_cleaning_tell_ended(const Unit *unit, const UnitExit *exit);
