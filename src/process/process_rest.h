/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Processes of an owner that are not in the table of processes, searched for on request
 */

#include "process/process_table.h"

typedef struct ProcessRest ProcessRest;

int process_rest_new(ProcessRest **ret_rest, const ProcessHost *host, const ProcessTable *table /* both borrowed */);
ProcessRest *process_rest_free(ProcessRest *rest);

/* The number of processes except the two and their process groups, or -errno. */
int process_rest_count(ProcessRest *rest, ProcessOwner *owner, pid_t main_pid, pid_t control_pid);
/* Whether the owner has no group and there is an orphan that may be its own, although nothing tells that. */
bool process_rest_may_hide(ProcessRest *rest, ProcessOwner *owner);
void process_rest_signal(ProcessRest *rest, ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid);
void process_rest_forget(ProcessRest *rest);    /* at the end of a turn: drops the list of orphans */
