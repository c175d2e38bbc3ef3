/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Retention: runs that have ended are removed from the store
 *
 * After the end of a run the store is asked which others of its flow may go; when
 * core begins, and each hour, which of all flows.
 */

#include "manager/manager_run_get.h"

void manager_run_retain(ManagerRuns *runs, const ManagerRun *run); /* it has ended: others of its flow may go */
void manager_run_retain_all(ManagerRuns *runs); /* core has begun: runs of all flows may go */
usec_t manager_run_retain_next(const ManagerRuns *runs);
void manager_run_retain_drop(ManagerRuns *runs); /* in a turn, before its batch ends … */
void manager_run_retain_step(ManagerRuns *runs); /* … and when runs that have ended were forgotten */
bool manager_run_retain_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_run_retain_refused(ManagerRuns *runs, uint64_t query);
void manager_run_drop_retentions(ManagerRuns *runs);
