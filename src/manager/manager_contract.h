/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * When the manager ends by itself, and with which status
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
        VECTOR(Unit *) units;           /* referenced: those of .exit_on, then in a container the default unit */
        size_t n_exit_units;            /* of the former */
        bool is_taken;                  /* these are known */
} ManagerContract;

/* Holds the units that count. 0 or -errno. */
int manager_contract_take(ManagerContract *contract);
void manager_contract_drop(ManagerContract *contract);

/* Has the unit ended that the manager is there for? Then that is logged. */
bool manager_contract_is_over(ManagerContract *contract, int *ret_status);

/* The default unit's name. */
const char *manager_contract_default_unit(const ManagerContract *contract);
