/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs that units trigger
 *
 * A trigger waits for a later step of the turn, and is kept until its run is
 * durable or refused.
 */

#include "manager/manager_run_get.h"

/* The ticket of a trigger: its number is .b. */
#define MANAGER_RUN_OF_TRIGGER UINT64_MAX

bool manager_run_next_trigger(ManagerRuns *runs, ManagerRunRequest *ret_request); /* that was not submitted yet */
void manager_run_end_trigger(ManagerRuns *runs, uint64_t number, const Failure *failure);
uint32_t manager_run_count_triggers(const ManagerRuns *runs, const Unit *unit);
void manager_run_drop_triggers(ManagerRuns *runs);
