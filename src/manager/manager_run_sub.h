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

/* — for what looks at such a run — */

void manager_run_sub_end(ManagerSub *sub, RunEndKind kind, const char *problem); /* the end of its attempt */
void manager_run_sub_ask_later(const ManagerRuns *runs, ManagerSub *sub);
/* Looks for the run that the attempt with @key was, which may take an answer of the store: .run or .is_unknown. */
void manager_run_sub_find(ManagerRuns *runs, const ManagerRun *run, const RunAttemptKey *key, ManagerSub *sub);
/* Whether the run has taken the verb. */
bool manager_run_sub_tell(ManagerRuns *runs, ManagerRun *run, RunVerb verb, const char *name);
/* The row of the run as it is now will not be lost with core. */
bool manager_run_sub_is_kept(const ManagerRuns *runs, const ManagerRun *run, const RunRow *row);
/* The run is SUSPENDED, or was paused by somebody else than its parent. A hold that ends by itself is neither. */
bool manager_run_sub_waits_for_person(const RunRow *row, const ManagerSub *sub);
bool manager_run_sub_has_ended(const ManagerRuns *runs, const ManagerRun *run); /* … as the store knows */

/* — attempts — */

void manager_run_step_sub(void *userdata, const RunAttemptKey *key, ManagerSub *sub, bool ends);
void manager_run_answer_sub(ManagerRuns *runs, const ManagerRunAnswer *answer);
void manager_run_explain_sub(const ManagerRuns *runs, const RunAttemptKey *key, Text *text);
