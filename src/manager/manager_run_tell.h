/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * News of runs for others: OnBegin=, OnResult=, Notify=, SummarySec=
 *
 * Each puts rows into the outbox, in the batch that has what they tell: 0 or
 * -ENOMEM.
 */

#include "manager/manager_alarm.h"
#include "manager/manager_run_get.h"

/* @news: as of manager_run_compare_node(); before that is marked. */
int manager_run_tell_node(ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, unsigned news);
int manager_run_tell_alarm(ManagerRuns *runs, ManagerRun *run, uint32_t node, ManagerAlarmKind kind);
int manager_run_tell_runs(ManagerRuns *runs); /* the new states of runs, at the end of a batch */
void manager_run_summarize(ManagerRuns *runs); /* in a turn */
