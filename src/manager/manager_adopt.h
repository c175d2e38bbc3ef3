/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Processes that somebody else has started: see manager_groups_adopt()
 */

#include <sys/types.h>

#include "basic/failure.h"

/* May a client that runs as @uid give these processes to a unit? 0, or a negative errno with @ret_failure. */
int manager_adopt_check(const pid_t *pids, size_t n, uid_t uid, pid_t keeper, Failure *ret_failure);
