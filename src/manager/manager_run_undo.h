/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Compensations of nodes with Flow=: runs that have succeeded are undone
 *
 * An attempt of such a compensation finds the run that its node was, and has it
 * undone as a person would, with the same verb.
 */

#include "manager/manager_run_get.h"

/* Of an attempt that is a run, or has one undone. */
void manager_run_step_part(void *userdata, const RunAttemptKey *key, ManagerSub *sub, bool ends);
void manager_run_answer_part(ManagerRuns *runs, const ManagerRunAnswer *answer);
