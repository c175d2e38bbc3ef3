/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The request for a process of an attempt: its words, environment, folders and input
 *
 * Before the first process the folder of the attempt is made, with the input
 * of the node and its script; later ones find it. The command that judges a
 * node reads the question from standard input and writes its answer into a
 * pipe, whose other end is here.
 *
 * A request of this kind is filled anew for each process, and what it points
 * to lives here until the next one.
 */

#include "exec/exec.h"
#include "manager/manager_attempt_command.h"

typedef struct ManagerAttemptRequest ManagerAttemptRequest;

/* 0 or -ENOMEM. @basis: borrowed. */
int manager_attempt_request_new(ManagerAttemptRequest **ret_request, const ManagerAttemptBasis *basis);
ManagerAttemptRequest *manager_attempt_request_free(ManagerAttemptRequest *request); /* accepts NULL */

/*
 * Fills @exec for the process of the present step; the command is open. 0, or -errno, for which @result need not be
 * set. *ret_lacks_input: something that the node needs is not there.
 */
int manager_attempt_request_fill(ManagerAttemptRequest *request, ExecRequest *exec, ExecResult *result,
                                 bool *ret_lacks_input);
/* Adds the connection to the log, when nothing else can fail. */
void manager_attempt_request_add_log(const ManagerAttemptRequest *request, ExecRequest *exec);

/*
 * No process was made, as @result says. True if it has failed because what its folder is in is gone: another one, whose
 * folder the manager makes, may be asked for. To be called before …_let_go().
 */
bool manager_attempt_request_has_failed(ManagerAttemptRequest *request, const ExecResult *result);
/* A signal has ended a process, perhaps before it could make the folder: then the next one gets one. */
void manager_attempt_request_look_for_folder(ManagerAttemptRequest *request);
/* The process has its end of the pipe and its input, or there is none. */
void manager_attempt_request_let_go(ManagerAttemptRequest *request);
/* The read end for the answer to a question, or the socket of a worker; -1: nothing was asked. */
int manager_attempt_request_answer(const ManagerAttemptRequest *request);
void manager_attempt_request_set_answer(ManagerAttemptRequest *request, int fd); /* takes @fd, after a restart */
