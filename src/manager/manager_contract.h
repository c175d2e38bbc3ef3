/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The end of the manager with its units, and the exit status
 */

#include "basic/vector.h"
#include "job/job_manager.h"
#include "manager/manager_options.h"
#include "manager/manager_unit_row.h"

typedef struct ManagerContract {
        const ManagerOptions *options;  /* borrowed, as are the next three */
        UnitTable *table;
        JobManager *jobs;
        const ManagerUnits *rows;
        VECTOR(Unit *) units;           /* referenced: .exit_on, then in a container the default unit */
        size_t n_exit_units;            /* number of units from .exit_on */
        bool is_taken;                  /* .units is filled in */
} ManagerContract;

/* References the units that count. 0 or -errno. */
int manager_contract_take(ManagerContract *contract);
void manager_contract_drop(ManagerContract *contract);

/* Returns true, and logs the reason, if a unit has ended for which the manager exists. */
bool manager_contract_is_over(ManagerContract *contract, int *ret_status);

/* The default unit's name. */
const char *manager_contract_default_unit(const ManagerContract *contract);
