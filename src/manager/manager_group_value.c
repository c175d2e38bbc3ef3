/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of units that their control groups tell
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_group_private.h"
#include "types/resource_attribute.h"
#include "types/resource_filter.h"
#include "unitfile/resource_settings.h"

int manager_groups_path(ManagerGroups *groups, const Unit *unit, char **ret_path) {
        const ManagerGroup *group = manager_groups_find(groups, unit);

        return group && group->cgroup ? cgroup_path(group->cgroup, ret_path) : -ENOENT;
}

int manager_groups_value(ManagerGroups *groups, const Unit *unit, UnitGroupValue what, uint64_t *ret_value) {
        const ManagerGroup *group = manager_groups_find(groups, unit);
        int r;

        if (!group || !group->cgroup)
                return -ENODATA;
        switch (what) {
        case UNIT_GROUP_MEMORY:
                return cgroup_read(group->cgroup, "memory.current", NULL, ret_value);
        case UNIT_GROUP_MEMORY_PEAK:
                return cgroup_read(group->cgroup, "memory.peak", NULL, ret_value);
        case UNIT_GROUP_CPU_NSEC:
                r = cgroup_read(group->cgroup, "cpu.stat", "usage_usec", ret_value);
                if (r == 0)
                        *ret_value *= 1000;
                return r;
        case UNIT_GROUP_TASKS:
                return cgroup_read(group->cgroup, "pids.current", NULL, ret_value);
        case UNIT_GROUP_OOM_KILLS:
                r = cgroup_is_enabled(group->cgroup, CGROUP_MEMORY)
                            ? cgroup_read(group->cgroup, "memory.events", "oom_kill", ret_value)
                            : -ENODATA;
                if (r == 0)
                        *ret_value -= group->oom_kills;
                return r;
        case _UNIT_GROUP_VALUE_MAX:
                break;
        }
        return -ENODATA;
}

static int list_one(const ManagerGroups *groups, const char *directive, char ***list) {
        cleanup_free_ char *line = NULL;
        int r = text_format(&line, "%s= (%s)", directive,
                            groups->reason ? groups->reason : "there are no control groups");

        return r < 0 || strv_contains(*list, line) ? r : strv_push(list, line);
}

/* Without any groups nothing is applied, and for each setting that is the reason. */
static int list_all(const ManagerGroups *groups, const ResourceSettings *resources, char ***ret_list) {
        CgroupAttribute attributes[RESOURCE_ATTRIBUTES_MAX];
        size_t n = resource_list_attributes(resources, NULL, attributes);

        for (size_t i = 0; i < n; i++) {
                int r = attributes[i].is_default ? 0 : list_one(groups, attributes[i].directive, ret_list);

                if (r < 0)
                        return r;
        }
        if (resource_filters_devices(resources) && list_one(groups, "DeviceAllow", ret_list) < 0)
                return -ENOMEM;
        if (resource_filters_addresses(resources) && list_one(groups, "IPAddressDeny", ret_list) < 0)
                return -ENOMEM;
        return 0;
}

int manager_groups_list_unapplied(ManagerGroups *groups, const Unit *unit, char ***ret_list) {
        const ManagerGroup *group = manager_groups_find(groups, unit);
        UnitGroup wanted = {};

        *ret_list = NULL;
        if (group)
                return strv_copy(group->unapplied, ret_list);
        if (groups->tree || !unit->vtable->group)
                return 0;
        unit->vtable->group(unit, &wanted);
        return wanted.resources ? list_all(groups, wanted.resources, ret_list) : 0;
}
