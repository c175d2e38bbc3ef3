/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Processes to be made and signals to be sent: what owners put into the outbox
 */

#include "basic/record.h"
#include "process/process_rest.h"
#include "process/process_table.h"

typedef struct ProcessErrands ProcessErrands;

int process_errands_new(ProcessErrands **ret_errands, const ProcessHost *host, ProcessTable *table,
                        ProcessRest *rest /* all borrowed */);
/* Behind the outbox, which owns the errands themselves. */
ProcessErrands *process_errands_free(ProcessErrands *errands);

/*
 * A process: when it leaves ProcessOwnerOps.prepare is asked for the command, and .spawned is told when it has its
 * program, or is known not to get it. 0 or -ENOMEM.
 */
int process_errands_spawn(ProcessErrands *errands, ProcessOwner *owner, UnitPurpose purpose);
/* The process of @purpose is not wanted any more, and .spawned is not told: one on its way to its program is killed. */
void process_errands_take_back(ProcessErrands *errands, const ProcessOwner *owner, UnitPurpose purpose);
/*
 * A signal to a process of @owner, and to the group that it leads: 0, -ESRCH if the owner has no such process, or
 * -errno.
 */
int process_errands_kill(ProcessErrands *errands, ProcessOwner *owner, pid_t pid, int signal, bool is_group);
/*
 * A signal to all of @owner but these two and what is in their process groups; 0 only looks. How many there are, or
 * -errno.
 */
int process_errands_kill_rest(ProcessErrands *errands, ProcessOwner *owner, int signal, pid_t main_pid,
                              pid_t control_pid);
void process_errands_forget_owner(ProcessErrands *errands, const ProcessOwner *owner);

/* Tells the owners of processes that have arrived at their programs, or failed to. */
void process_errands_collect(ProcessErrands *errands);
/* The owner of @pid, also of one on its way to its program; one that has arrived is told first. NULL: nobody's. */
ProcessOwner *process_errands_owner_of(ProcessErrands *errands, pid_t pid);

bool process_errands_is_empty(const ProcessErrands *errands);
bool process_errands_are_settled(const ProcessErrands *errands);        /* no process is on its way to its program */

/* Reading takes over what has left already, and puts the rest into the outbox again: 0, -EBADMSG or -ENOMEM. */
void process_errands_write(const ProcessErrands *errands, RecordWriter *writer);
int process_errands_read(ProcessErrands *errands, RecordReader *reader);
