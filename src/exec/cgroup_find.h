/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Where we may make control groups
 */

#include <stdbool.h>
#include <sys/types.h>

#include "basic/failure.h"

/* The leaf that the manager itself moves into. */
#define CGROUP_OWN_LEAF "init.scope"

typedef struct CgroupPlace {
        char *folder;                   /* owned: "/sys/fs/cgroup/user.slice/x", which is ours */
        char *path;                     /* owned: what the kernel calls it: "/user.slice/x"; "" for the root */
} CgroupPlace;

void cgroup_place_deinit(CgroupPlace *place);

/*
 * The group that we run in, if it is ours alone: of a version 2 hierarchy, writable, and without a process that is
 * neither us nor @keeper (0: none). If @owns_all (we or the keeper are PID 1) all processes are ours that can be seen.
 * 0, or -errno with the reason as a part of a sentence ("/sys/fs/cgroup is read-only").
 */
int cgroup_find(bool owns_all, pid_t keeper, CgroupPlace *ret_place, Failure *ret_failure);
