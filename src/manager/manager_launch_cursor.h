/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The range of a batch as the row of its run has it
 */

#include "manager/manager_attempt_launch.h"
#include "manager/manager_run_get.h"

/* 0, -EINVAL if the section of the items cannot be read again, or -ENOMEM. */
int manager_launch_describe(const ManagerRuns *runs, const ManagerRun *run, RunRangeSettings *ret_settings);
RunPageSource manager_launch_source(const ManagerRun *run); /* of items that have texts */
/* The row of the run gets what the launch knows, as a checkpoint. 0 or -ENOMEM. */
int manager_launch_put_cursor(ManagerRuns *runs, ManagerRun *run, const ManagerLaunch *launch);
/* A launch that has no range gets that of the row: 0, -EINVAL, -EBADMSG or -ENOMEM. */
int manager_launch_open_cursor(const ManagerRuns *runs, const ManagerRun *run, ManagerLaunch *launch);
/* The row of a new run gets a cursor by which the items below @first are over: 0, -EINVAL or -ENOMEM. */
int manager_launch_put_first(ManagerRuns *runs, ManagerRun *run, uint64_t first);
/* The counts of items that the row has beside the cursor, from that. */
void manager_launch_count_saved(ManagerRuns *runs, ManagerRun *run);
/* After a restart: the cursor of the run is that of a launch that is over, and counts its errors. */
void manager_launch_give_errors(ManagerRuns *runs, const ManagerRun *run);

/* — errors — */

/* An item is an error, or none any more: *@error gets the time. The row follows with the next checkpoint, soon. */
void manager_launch_note_error(ManagerRuns *runs, ManagerLaunch *launch, ManagerItemError *error, const char *why,
                               const char *text);
/* Into the batch that gets the row of the run: rows of the errors that its cursor counts. */
void manager_launch_put_errors(ManagerRuns *runs, const ManagerRun *run, RecordWriter *writer);
/* Whether there are such rows, and the batch that is to have them is not queued. */
bool manager_launch_has_unput(const ManagerRuns *runs, uint32_t run);
void manager_launches_note_batch(ManagerRuns *runs, uint64_t batch); /* was made; 0: it could not be */
void manager_launches_forget_stored(ManagerRuns *runs); /* what is durable */
void manager_launches_put_again(ManagerRuns *runs); /* another file has nothing of it */
