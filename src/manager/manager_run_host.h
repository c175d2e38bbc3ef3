/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The host of the engine of runs: rows in the batch of the turn, and attempts
 *
 * A batch is open from its first row to the end of the turn.
 */

#include "manager/manager_run_get.h"

extern const RunHost manager_run_host; /* its userdata are the runs */

/* The batch of the turn, for rows; NULL: there is no link to the store yet. */
RecordWriter *manager_run_writer(ManagerRuns *runs);
void manager_run_put_event(ManagerRuns *runs, ManagerRun *run,
                           ManagerRunEvent event); /* .id, .run and .at are set here */
int manager_run_persist(void *userdata, uint32_t *ret_batch); /* as RunHost.persist */
void manager_run_begin_missed(ManagerRuns *runs); /* attempts for which there was no memory */
