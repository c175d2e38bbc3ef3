/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Commands that judge whether nodes may run: [Policy …]
 *
 * A question to such a command is an attempt with number 0, and is kept by
 * nobody: an answer that is lost is asked for again.
 */

#include "manager/manager_run_get.h"

/* The last answer of the command that judges a node. */
typedef struct ManagerSaying {
        uint32_t node, generation;
        RunAnswer answer;
        char *reason; /* owned; NULL: none */
} ManagerSaying;

void manager_run_ask(void *userdata, uint32_t id, uint32_t node, uint32_t generation); /* as RunHost.ask */
/* The node of @row is to be asked about, and there was no memory for that. */
void manager_run_ask_missed(ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row);
int manager_run_question(void *userdata, const RunAttemptKey *key, const char *folder,
                         char **ret_json); /* as of ManagerAttemptsOps */
/* The engine has been told. @has_decided: the node is not WAITING any more. */
void manager_run_note_answer(ManagerRun *run, const RunAttemptKey *key, RunAnswer answer, const char *reason,
                             bool has_decided);
/* The command of a node has asked for a person. @reason: NULL or "": it has not said why. */
void manager_run_note_pending(ManagerRun *run, const RunAttemptKey *key, const char *reason);
/* The last answer about a node in its present generation; NULL: none is known. */
const ManagerSaying *manager_run_find_saying(const ManagerRun *run, const RunNodeRow *row);
/* The name of the policy of a node; the caller owns it. NULL: it has none. 0 or -errno. */
int manager_run_get_policy(const ManagerRun *run, uint32_t node, char **ret_name);
