/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What belongs to an owner besides the processes that are known: found when it is asked for
 */

#include "process/process_table.h"

typedef struct ProcessRest ProcessRest;

int process_rest_new(ProcessRest **ret_rest, const ProcessHost *host, const ProcessTable *table /* both borrowed */);
ProcessRest *process_rest_free(ProcessRest *rest);

/* How many there are but the two and what is in their process groups, or -errno. */
int process_rest_count(ProcessRest *rest, ProcessOwner *owner, pid_t main_pid, pid_t control_pid);
void process_rest_signal(ProcessRest *rest, ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid);
void process_rest_forget(ProcessRest *rest);    /* the list that it keeps for many owners: when time has passed */
