/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs that the stop of their unit holds
 *
 * A stop by a person is kept until the store has recorded that the runs are
 * held, however long their unit has waited for that.
 */

#include "manager/manager_run_get.h"

void manager_run_hold(ManagerRuns *runs, ManagerFlow *flow); /* its unit is being stopped */
/* The runs of the flow are loaded: they are held if its unit was stopped before, and that stop is done. */
void manager_run_hold_late(ManagerRuns *runs, ManagerFlow *flow);
void manager_run_let_go(ManagerRuns *runs, ManagerFlow *flow); /* its unit is started */
void manager_run_put_holds(ManagerRuns *runs); /* at the end of a batch */
void manager_run_forget_holds(ManagerRuns *runs); /* in a turn, those that are durable */
/* A part of the record of triggers. */
bool manager_run_has_holds(const ManagerRuns *runs);
void manager_run_write_holds(const ManagerRuns *runs, RecordWriter *writer);
int manager_run_read_holds(ManagerRuns *runs, RecordReader *reader); /* 0, -EBADMSG or -ENOMEM */
