/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Errands: requests of owners for processes and signals, sent with the outbox
 */

#include "basic/record.h"
#include "process/process_rest.h"
#include "process/process_table.h"

typedef struct ProcessErrands ProcessErrands;

int process_errands_new(ProcessErrands **ret_errands, const ProcessHost *host, ProcessTable *table,
                        ProcessRest *rest /* all borrowed */);
/* To be called after the outbox, which owns the errands, was freed. */
ProcessErrands *process_errands_free(ProcessErrands *errands);

/*
 * Requests a process. When the errand is sent, ProcessOwnerOps.prepare is called for the command; .spawned is called
 * when the process has arrived or has failed. 0 or -ENOMEM.
 */
int process_errands_spawn(ProcessErrands *errands, ProcessOwner *owner, UnitPurpose purpose);
/*
 * Takes back a request for a process: .spawned is not called, and a process on its way is killed. With @ret_result a
 * process that has its program by now is not: it is the owner's, and the answer is true, with what .spawned would tell.
 */
bool process_errands_take_back(ProcessErrands *errands, const ProcessOwner *owner, UnitPurpose purpose,
                               struct ExecResult *ret_result /* may be NULL */);
/* Whether a process that was requested is on its way: its program may run already. */
bool process_errands_are_coming(const ProcessErrands *errands, const ProcessOwner *owner, UnitPurpose purpose);
/*
 * Requests a signal to a process of @owner; with @is_group to its process group, too. 0, -ESRCH if the owner has no
 * such process, or -errno.
 */
int process_errands_kill(ProcessErrands *errands, ProcessOwner *owner, pid_t pid, int signal, bool is_group);
/*
 * Requests a signal to all processes of @owner other than these two and their process groups; signal 0 only counts.
 * Returns the number of these processes, or -errno.
 */
int process_errands_kill_rest(ProcessErrands *errands, ProcessOwner *owner, int signal, pid_t main_pid,
                              pid_t control_pid);
void process_errands_forget_owner(ProcessErrands *errands, const ProcessOwner *owner);

/* Informs the owners of processes that have arrived, or have failed before that. */
void process_errands_collect(ProcessErrands *errands);
/* The owner of @pid, or NULL. If a process on its way has arrived, its owner is informed first. */
ProcessOwner *process_errands_owner_of(ProcessErrands *errands, pid_t pid);

bool process_errands_are_settled(const ProcessErrands *errands);        /* no spawn waits, no process is on its way */

/*
 * Each errand has a record, with a number of its own. What is read is kept until process_errands_repeat(), which takes
 * over processes that have arrived, and queues the other errands again. 0, -EBADMSG or -ENOMEM.
 */
void process_errands_write(const ProcessErrands *errands, uint32_t number, RecordWriter *writer);
/* The first number from @number on with a record: 1, or 0 if there is none. */
int process_errands_next(const ProcessErrands *errands, uint32_t number, uint32_t *ret_number);
int process_errands_read(ProcessErrands *errands, RecordReader *reader);
int process_errands_read_list(ProcessErrands *errands, RecordReader *reader);   /* as earlier versions wrote them */
int process_errands_repeat(ProcessErrands *errands);
