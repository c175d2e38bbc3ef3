/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Finding the part of the hierarchy that belongs to this manager
 */

#include <stdbool.h>
#include <sys/types.h>

#include "basic/failure.h"

/* The leaf that the manager itself moves into. */
#define CGROUP_OWN_LEAF "init.scope"

typedef struct CgroupPlace {
        char *folder;                   /* owned: the manager's folder: "/sys/fs/cgroup/user.slice/x" */
        char *path;                     /* owned: the kernel's name of it: "/user.slice/x"; "" for the root */
} CgroupPlace;

void cgroup_place_deinit(CgroupPlace *place);

/*
 * Finds the group that the manager runs in, if it belongs to the manager alone: in a version 2 hierarchy, writable, and
 * without processes other than the manager and @keeper (0: none). With @owns_all (the manager or the keeper is PID 1)
 * all visible processes count as the manager's. Beside systemd the group must be marked as delegated, but for a user
 * manager. 0, or -errno with the reason as a part of a sentence ("/sys/fs/cgroup is read-only").
 */
int cgroup_find(bool owns_all, bool is_user, pid_t keeper, CgroupPlace *ret_place, Failure *ret_failure);
