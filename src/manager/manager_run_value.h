/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Values of a run: what conditions, lists and words of commands name
 */

#include "manager/manager_run_get.h"
#include "manager/manager_run_graph.h"

/* The name of run @id by RunName=. 0, -ENOMEM, or -EINVAL with a sentence, which the caller owns. */
int manager_run_make_name(const FlowSettings *settings, const ManagerRunFacts *facts, uint32_t id, char **ret_name,
                          char **ret_problem);

/* Evaluates the list of Foreach= of @node. 0, or a negative errno, perhaps with a sentence, which the caller owns. */
int manager_run_evaluate_items(const ManagerRuns *runs, ManagerRun *run, uint32_t node, ManagerItems **ret_items,
                               char **ret_problem);
usec_t manager_run_wake(void *userdata, uint32_t id, uint32_t node); /* as RunHost.wake */
RunCondition manager_run_judge(void *userdata, uint32_t id, uint32_t node); /* as RunHost.judge */
/*
 * The words of a command with the values that they name; the caller owns them. 0, -ENOENT, -ENOMEM, or -EINVAL and
 * -EFBIG with a sentence, which the caller owns.
 */
int manager_run_substitute(ManagerRuns *runs, const RunAttemptKey *key, const ExecCommand *command, char ***ret_argv,
                           char **ret_problem);
/*
 * Assignments of SubParams= with the values that they name; the caller owns them. 0, or a negative errno, perhaps with
 * a sentence, which the caller owns.
 */
int manager_run_make_params(const ManagerRuns *runs, ManagerRun *run, uint32_t node, char *const *words,
                            char ***ret_params, char **ret_problem);
