/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The freezer of a control group
 *
 * The state has no record of it: the next core reads from the group whether it is
 * frozen.
 */

#include "exec/cgroup_control.h"
#include "process/group_freezer.h"

#define FREEZE_FILE "cgroup.freeze"

static bool is_frozen_now(const Cgroup *group) {
        uint64_t is_frozen = 0;

        return cgroup_read(group, "cgroup.events", "frozen", &is_frozen) == 0 && is_frozen != 0;
}

void group_freezer_find(GroupFreezer *freezer, const Cgroup *group) {
        uint64_t is_frozen = 0;

        freezer->is_frozen = cgroup_read(group, FREEZE_FILE, NULL, &is_frozen) == 0 && is_frozen != 0;
}

int group_freezer_set(GroupFreezer *freezer, const Cgroup *group, bool is_frozen) {
        int r = cgroup_write(group, FREEZE_FILE, is_frozen ? "1" : "0");

        if (r < 0)
                return r;
        freezer->is_thawing = !is_frozen;
        freezer->is_frozen = is_frozen;
        return 0;
}

const char *group_freezer_look(GroupFreezer *freezer, const Cgroup *group) {
        if (freezer->is_frozen)
                return is_frozen_now(group) ? "frozen" : "freezing";
        freezer->is_thawing = freezer->is_thawing && is_frozen_now(group);
        return freezer->is_thawing ? "thawing" : "running";
}
