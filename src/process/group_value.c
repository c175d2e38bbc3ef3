/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The use of resources of a control group, from its files
 */

#include <errno.h>

#include "exec/cgroup_control.h"
#include "process/group_value.h"

int group_value_read(const Cgroup *group, UnitGroupValue what, uint64_t *ret_value) {
        int r;

        switch (what) {
        case UNIT_GROUP_MEMORY:
                return cgroup_read(group, "memory.current", NULL, ret_value);
        case UNIT_GROUP_MEMORY_PEAK:
                return cgroup_read(group, "memory.peak", NULL, ret_value);
        case UNIT_GROUP_CPU_NSEC:
                r = cgroup_read(group, "cpu.stat", "usage_usec", ret_value);
                if (r == 0)
                        *ret_value *= 1000;
                return r;
        case UNIT_GROUP_TASKS:
                return cgroup_read(group, "pids.current", NULL, ret_value);
        case UNIT_GROUP_OOM_KILLS:
                return cgroup_is_enabled(group, CGROUP_MEMORY)
                               ? cgroup_read(group, "memory.events", "oom_kill", ret_value)
                               : -ENODATA;
        case _UNIT_GROUP_VALUE_MAX:
                break;
        }
        return -ENODATA;
}
