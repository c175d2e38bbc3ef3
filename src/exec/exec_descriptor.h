/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Descriptors passed to a process besides the first three
 *
 * Those without a number get consecutive ones from 3 on, and are announced by
 * LISTEN_FDS=, LISTEN_FDNAMES= and LISTEN_PID= (sd_listen_fds(3)).
 */

#include "exec/exec_child.h"

/* Sets LISTEN_FDS= and the related variables if descriptors are passed: 0 or -ENOMEM. */
int exec_descriptor_set_environment(const ExecRequest *request, char ***environment);

/*
 * Plans the places of all descriptors, standard streams included; @input is standard input, -1 if it is not passed.
 * *ret_places is the caller's. 0, -EBUSY with the result set if two want one number, or -ENOMEM.
 */
int exec_descriptor_plan(const ExecRequest *request, int input, ExecPlace **ret_places, size_t *ret_n,
                         ExecResult *result);

/* Adds a descriptor after all others, which the child closes itself: its number there, or -ENOMEM. */
int exec_descriptor_add_place(ExecPlace **places, size_t *n, int fd);

/* Finds the values in @environment that must become the pid of the process. */
void exec_descriptor_find_pids(const ExecRequest *request, char *const *environment, char *pids[static EXEC_PIDS_MAX]);

/* In the child: moves all descriptors to their places and closes everything else above standard error. 0 or -errno. */
int exec_descriptor_place(const ExecChild *child);
/* In the child: writes its pid to the reserved places. */
void exec_descriptor_tell_pid(const ExecChild *child);
