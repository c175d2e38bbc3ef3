/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Alarms of runs: what raises them
 *
 * The row of a node is compared with that of the batch before, so that each
 * thing is told once.
 */

#include "manager/manager_run_get.h"

/* The news of a node's row against the batch before; bits. */
enum {
        MANAGER_RUN_NODE_WAITS = 1 << 0, /* PENDING: a person is to decide */
        MANAGER_RUN_NODE_BEGINS = 1 << 1, /* an attempt */
        MANAGER_RUN_NODE_ENDS = 1 << 2,
};

unsigned manager_run_compare_node(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row);
void manager_run_mark_node(ManagerRun *run, const RunNodeRow *row);
/* Each raises an alarm, which is in the next batch: 0 or -ENOMEM. @node: its name. */
int manager_run_raise_pending(ManagerRuns *runs, const ManagerRun *run, const char *node, const RunNodeRow *row);
int manager_run_raise_suspended(ManagerRuns *runs, const ManagerRun *run);
void manager_run_raise_queue(ManagerRuns *runs, const ManagerFlow *flow, uint32_t max);
/* A callback was given up; a run has one such alarm at a time. */
void manager_run_raise_callback(ManagerRuns *runs, const char *unit, uint32_t run, uint32_t callback, uint32_t tries,
                                const char *problem);
void manager_run_refuse_acknowledgements(ManagerRuns *runs, const Failure *failure);
