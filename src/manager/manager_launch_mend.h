/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Errors of a batch that are issued again
 *
 * Which items are errors only the store knows: there may be any number of them.
 * So a launch reads their rows some at a time, in the order of the items, and
 * has them issued as it goes. How far it is belongs to the cursor of the run.
 */

#include "manager/manager_attempt_launch.h"
#include "manager/manager_run_get.h"

/*
 * All errors that the run has now are issued again: by the launch that is there, by the next one of a run that is
 * paused, or by that of another round of a run that has ended. 0, or -ENOENT: it has none; -EINVAL: its state does not
 * allow that; -EAGAIN: its launch is about to begin; -EBADMSG: what is over cannot be read; -ENOMEM.
 */
int manager_launch_retry_errors(ManagerRuns *runs, ManagerRun *run);
/* Asks for the next rows, if there is room for more. */
void manager_launch_mend(ManagerRuns *runs, const ManagerRun *run, ManagerLaunch *launch);
/* As ManagerRunLinkOps, for the query of a launch; of others nothing happens. */
void manager_launch_take_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_launch_take_refusal(ManagerRuns *runs, uint64_t query); /* whether it is one */
