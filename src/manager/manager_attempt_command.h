/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The command of an attempt: what the definition of the run says about its node
 *
 * A restored attempt has no definition until its run is loaded. Until then
 * nothing but the end of its process can be noted. The section of the node is
 * read when it is first needed (…_open()), and let go when the attempt is over:
 * functions that say "open" in their comment want that.
 */

#include "basic/log.h"
#include "flow/flow_definition.h"
#include "manager/manager_attempt.h"
#include "manager/manager_attempt_state.h"
#include "unitfile/exec_settings.h"

typedef struct ManagerAttemptCommand ManagerAttemptCommand;

/* For the attempt with @state, which is borrowed: its step says which command it is at. 0 or -ENOMEM. */
int manager_attempt_command_new(ManagerAttemptCommand **ret_command, const ManagerAttemptState *state);
ManagerAttemptCommand *manager_attempt_command_free(ManagerAttemptCommand *command); /* accepts NULL */

/* @graph: that of @definition, with instances of the run. */
void manager_attempt_command_define(ManagerAttemptCommand *command, FlowDefinition *definition, RunGraph *graph);
bool manager_attempt_command_is_defined(const ManagerAttemptCommand *command);
const char *manager_attempt_command_node_name(const ManagerAttemptCommand *command); /* NULL: it is not defined */

/* — of one that is defined — */

const FlowSettings *manager_attempt_command_flow(const ManagerAttemptCommand *command);
/* A compensation, or the final command. */
bool manager_attempt_command_is_of_end(const ManagerAttemptCommand *command);
/* With such an end of the process the node has succeeded. */
bool manager_attempt_command_accepts(const ManagerAttemptCommand *command, uint16_t end);

/* 0, also if it is open; -EINVAL: the section cannot be read again; -ENOMEM. */
int manager_attempt_command_open(ManagerAttemptCommand *command);
void manager_attempt_command_close(ManagerAttemptCommand *command);

/* The section of the node; of a compensation, that of the node that it undoes. NULL: it is not open. */
const FlowNode *manager_attempt_command_node(const ManagerAttemptCommand *command);

/* — of one that is open — */

bool manager_attempt_command_is_extra(const ManagerAttemptCommand *command); /* the node has no section of its own */
/* A compensation without a command has the run undone that its node was. */
bool manager_attempt_command_undoes_run(const ManagerAttemptCommand *command);
const FlowProcess *manager_attempt_command_process(const ManagerAttemptCommand *command);
/* Compensations and final commands leave no result, and get none. */
const FlowData *manager_attempt_command_data(const ManagerAttemptCommand *command);
/* [Policy …] that a question goes to; NULL: nobody is asked, or the flow has no such policy. */
const FlowPolicy *manager_attempt_command_policy(const ManagerAttemptCommand *command);
/* The command of the present step; NULL: there is none (any more). */
/* ItemTimeoutSec=, or PrepareTimeoutSec= of the command that prepares a launch. */
usec_t manager_attempt_command_item_timeout(const ManagerAttemptCommand *command);
const ExecCommand *manager_attempt_command_find(const ManagerAttemptCommand *command);
/* The setting that has it. */
const char *manager_attempt_command_setting(const ManagerAttemptCommand *command);
/* Script= of the node; NULL: none. Behind the words of the command of such a node the path of its script follows. */
const char *manager_attempt_command_script(const ManagerAttemptCommand *command);
bool manager_attempt_command_runs_script(const ManagerAttemptCommand *command); /* in the present step */

/* — for the parts of an attempt — */

/* The attempt, as its parts know it; all is borrowed. */
typedef struct ManagerAttemptBasis {
        const ManagerAttemptsHost *host;
        uint32_t number; /* of its record */
        const ManagerAttemptState *state;
        const ManagerAttemptCommand *command;
        Unit *unit;
        const char *name; /* unique: also that of files */
        const char *folder;
} ManagerAttemptBasis;

/* Writes a sentence about the attempt to the log of its unit. */
void manager_attempt_say(const ManagerAttemptBasis *basis, LogLevel level, const char *format, ...) printf_(3, 4);
