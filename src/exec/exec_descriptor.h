/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Descriptors that a process is given besides the first three
 *
 * Those without a number of their own follow each other from 3 on, and are told
 * of by LISTEN_FDS=, LISTEN_FDNAMES= and LISTEN_PID= (sd_listen_fds(3)).
 */

#include "exec/exec_child.h"

/* LISTEN_FDS= and its sisters, if there is anything to tell: 0 or -ENOMEM. */
int exec_descriptor_set_environment(const ExecRequest *request, char ***environment);

/*
 * Which goes where, also those that are standard streams; @input is standard input, -1: that is none of ours.
 * *ret_places is the caller's. 0, -EBUSY with the result set if two want one number, or -ENOMEM.
 */
int exec_descriptor_plan(const ExecRequest *request, int input, ExecPlace **ret_places, size_t *ret_n,
                         ExecResult *result);

/* One more, behind all others, that the child closes itself: its number there, or -ENOMEM. */
int exec_descriptor_add_place(ExecPlace **places, size_t *n, int fd);

/* The values in @environment that are pids of the process itself, and not known yet. */
void exec_descriptor_find_pids(const ExecRequest *request, char *const *environment, char *pids[static EXEC_PIDS_MAX]);

/* In the child: all places are filled, and everything else above standard error is closed. 0 or -errno. */
int exec_descriptor_place(const ExecChild *child);
/* In the child: writes its pid where it is to be told. */
void exec_descriptor_tell_pid(const ExecChild *child);
