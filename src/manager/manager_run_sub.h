/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Nodes with Flow=: runs of other flows
 *
 * An attempt that is a run asks for it until its number is known, and looks at
 * it from then on.
 */

#include "manager/manager_run_get.h"

/* The ticket of a sub-run: that of its ManagerSub is .b. */
#define MANAGER_RUN_OF_SUB (UINT64_MAX - 1)

/* Keys of sub-runs begin with it, and no others. */
#define MANAGER_RUN_SUB_KEY "sub-run "

void manager_run_step_sub(void *userdata, const RunAttemptKey *key, ManagerSub *sub, bool ends);
void manager_run_answer_sub(ManagerRuns *runs, const ManagerRunAnswer *answer);
void manager_run_explain_sub(const ManagerRuns *runs, const RunAttemptKey *key, Text *text);
