/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What units may reach, by programs of their control groups
 *
 * The devices of a slice hold for all in it by a program of its own. For
 * addresses a slice has none: its lists count for each unit in it, after those
 * of the unit, so that a unit may be let through to addresses that its slice is
 * kept from, as in systemd.
 *
 * A machine may have no such programs at all: that is said, and units run. But
 * where there are some, nothing begins that would go without its own.
 */

#include <errno.h>
#include <string.h>

#include "exec/cgroup_filter.h"
#include "manager/manager_group_private.h"
#include "types/resource_filter.h"
#include "unit/unit_table.h"

/* Slices can't be deeper than their names are long. */
#define SETTINGS_MAX 128U

static const Unit *slice_of(const Unit *unit) {
        UnitRelations slices = unit_relations(unit, UNIT_IN_SLICE);

        return slices.n > 0 ? unit_table_at(unit->table, slices.items[0].other) : NULL;
}

/* The unit's own settings, and those of all slices that it is in, as far as they say something of addresses. */
static size_t list_settings(const Unit *unit, const ResourceSettings *own,
                            const ResourceSettings *settings[static SETTINGS_MAX]) {
        size_t n = 0;

        if (resource_filters_addresses(own))
                settings[n++] = own;
        for (const Unit *slice = slice_of(unit); slice && n < SETTINGS_MAX; slice = slice_of(slice))
                if (slice->type == UNIT_SLICE && resource_filters_addresses(slice->type_settings))
                        settings[n++] = slice->type_settings;
        return n;
}

static int note(ManagerGroup *group, const char *directive, int error, bool (*can_filter)(const Cgroup *group),
                ExecResult *result) {
        bool is_none = error == -EPERM || error == -EACCES || error == -ENOSYS || error == -EINVAL ||
                       error == -EOPNOTSUPP;

        manager_group_note_unapplied(group, directive, "bpf", error);
        if (is_none && !can_filter(group->cgroup))
                return 0;
        exec_result_set(result, EXEC_STEP_CGROUP, error, "cannot set the filter for %s=", directive);
        return error;
}

static int apply_devices(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults,
                         ExecResult *result) {
        int r;

        if (!resource_filters_devices(resources)) {
                if (with_defaults)
                        (void) cgroup_unfilter_devices(group->cgroup);
                return 0;
        }
        r = resource_apply_devices(resources, group->cgroup);
        return r < 0 ? note(group, "DevicePolicy", r, cgroup_can_filter_devices, result) : 0;
}

static int apply_addresses(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults,
                           ExecResult *result) {
        const ResourceSettings *settings[SETTINGS_MAX];
        size_t n = list_settings(group->unit, resources, settings);
        int r;

        if (n == 0) {
                if (with_defaults)
                        (void) cgroup_unfilter_addresses(group->cgroup);
                return 0;
        }
        r = resource_apply_addresses(settings, n, group->cgroup);
        return r < 0 ? note(group, "IPAddressDeny", r, cgroup_can_filter_addresses, result) : 0;
}

int manager_group_apply_filters(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults,
                                ExecResult *result) {
        int r = apply_devices(group, resources, with_defaults, result);

        if (r == 0 && !group->is_slice)
                r = apply_addresses(group, resources, with_defaults, result);
        group->is_unfiltered = r < 0;
        if (r < 0 && group->is_slice)
                group->groups->has_unfiltered_slices = true;
        return r;
}

int manager_groups_check_slices(ManagerGroups *groups, const Unit *unit, ExecResult *result) {
        if (!groups->has_unfiltered_slices)
                return 0;
        for (const Unit *slice = slice_of(unit); slice; slice = slice_of(slice)) {
                const ManagerUnit *of_slice = manager_units_of(groups->rows, slice);

                if (!of_slice || !of_slice->group || !of_slice->group->is_unfiltered)
                        continue;
                exec_result_set(result, EXEC_STEP_CGROUP, 0, "what %s says of devices has no effect", slice->id);
                return -EPERM;
        }
        return 0;
}
