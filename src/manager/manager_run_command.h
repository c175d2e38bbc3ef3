/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Commands for runs that are not there yet
 *
 * A command for a run that only the store has waits until that is loaded.
 */

#include "manager/manager_run_get.h"

/*
 * Executes those commands whose run is there, and fails those for @id, 0: none, which is not. @has_failed: it could not
 * be loaded, and may be in the store.
 */
void manager_run_take_pending(ManagerRuns *runs, uint32_t id, bool has_failed);
void manager_run_refuse_pending(ManagerRuns *runs, const Failure *failure);
void manager_run_drop_pending(ManagerRuns *runs);
bool manager_run_is_pending(const ManagerRuns *runs, uint32_t id); /* a command waits for that run */
uint32_t manager_run_find_pending(const ManagerRuns *runs); /* the run that the first one is for; 0: there is none */
