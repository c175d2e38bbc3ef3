/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The range of a batch as the row of its run has it
 */

#include "manager/manager_attempt_launch.h"
#include "manager/manager_run_get.h"

/* 0, -EINVAL if the section of the items cannot be read again, or -ENOMEM. */
int manager_launch_describe(const ManagerRuns *runs, const ManagerRun *run, RunRangeSettings *ret_settings);
/* The row of the run gets the range, as a checkpoint. */
int manager_launch_put_cursor(ManagerRuns *runs, ManagerRun *run, const RunRange *range, const ManagerMend *mend);
/* The counts of items that the row has beside the cursor, from that. */
void manager_launch_count_saved(ManagerRuns *runs, ManagerRun *run);
