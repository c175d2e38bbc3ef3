/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Parts: which runs are those of nodes with Flow=, and what can be said of them
 */

#include "manager/manager_run_get.h"

bool manager_run_is_below(const ManagerRuns *runs, const ManagerRun *run, uint32_t other); /* over however many runs */
/* A run that is part of run @id and goes on; NULL: there is none. */
const ManagerRun *manager_run_find_live_part(const ManagerRuns *runs, uint32_t id);
/*
 * The run that a node is, or undoes, which is PENDING because of that; if that has ended, a part of it that goes on.
 * NULL: there is none.
 */
const ManagerRun *manager_run_find_waiting_sub(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row);
