/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Processes that somebody else has started, and that are to be an owner's
 */

#include <stddef.h>
#include <sys/types.h>

#include "basic/failure.h"
#include "process/process_group.h"

/* May a client that runs as @uid give these processes to an owner? 0, or a negative errno with @ret_failure. */
int process_adopt_check(const pid_t *pids, size_t n, uid_t uid, pid_t keeper, Failure *ret_failure);

/*
 * Puts them into the control group of @owner: 1; 0: there are no groups, or the owner has none; or -errno, after what
 * is wrong was logged. Processes that have ended are no error.
 */
int process_adopt(ProcessGroups *groups, ProcessOwner *owner, const pid_t *pids, size_t n);
