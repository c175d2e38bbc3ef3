/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The freezer of a control group
 */

#include <stdbool.h>

#include "exec/cgroup.h"

typedef struct GroupFreezer {
        bool is_frozen;                 /* on request; the kernel may still be freezing it */
        bool is_thawing;                /* a thaw was requested, the kernel may not have done it yet */
} GroupFreezer;

/* Sets @freezer from @group, which an earlier core may have frozen. */
void group_freezer_find(GroupFreezer *freezer, const Cgroup *group);
/* 0; -ENOENT: the kernel has no freezer; or -errno. */
int group_freezer_set(GroupFreezer *freezer, const Cgroup *group, bool is_frozen);
/* "running", "freezing", "frozen" or "thawing". */
const char *group_freezer_look(GroupFreezer *freezer, const Cgroup *group);
