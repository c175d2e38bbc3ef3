/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Processes that another program has started, given to an owner
 */

#include <stddef.h>
#include <sys/types.h>

#include "basic/failure.h"
#include "process/process_group.h"

/* 0 if a client of user @uid may give these processes to an owner; else a negative errno with @ret_failure. */
int process_adopt_check(const pid_t *pids, size_t n, uid_t uid, pid_t keeper, Failure *ret_failure);

/*
 * Moves the processes into the control group of @owner: 1; 0 without control groups, or if the owner has none; or
 * -errno after a message in the log. Processes that have ended are no error.
 */
int process_adopt(ProcessGroups *groups, ProcessOwner *owner, const pid_t *pids, size_t n);
