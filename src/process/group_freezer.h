/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The freezer of a control group
 */

#include <stdbool.h>

#include "exec/cgroup.h"

typedef struct GroupFreezer {
        bool is_frozen;                 /* or is about to be, by our wish … */
        bool is_thawing;                /* … and this is how it ends */
} GroupFreezer;

/* Has a program before this one frozen @group? */
void group_freezer_find(GroupFreezer *freezer, const Cgroup *group);
/* 0; -ENOENT: the kernel has none; or -errno. */
int group_freezer_set(GroupFreezer *freezer, const Cgroup *group, bool is_frozen);
/* "running", "freezing", "frozen" or "thawing". */
const char *group_freezer_look(GroupFreezer *freezer, const Cgroup *group);
