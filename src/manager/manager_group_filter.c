/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What units may reach, by programs of their control groups
 *
 * What a slice says of devices holds for all in it by a program of its own. Of
 * addresses it has none: what it says of them counts for each unit in it, after
 * what that unit says itself, so that a unit may be let through to what its
 * slice is kept from, as systemd has it.
 */

#include <errno.h>
#include <string.h>

#include "manager/manager_group_private.h"
#include "unit/exec/cgroup_filter.h"
#include "unit/types/resource_filter.h"
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

static void apply_devices(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults) {
        int r;

        if (!resource_filters_devices(resources)) {
                if (with_defaults)
                        (void) cgroup_unfilter_devices(group->cgroup);
                return;
        }
        r = resource_apply_devices(resources, group->cgroup);
        if (r < 0)
                manager_note_unapplied(group, "DevicePolicy", "bpf", r);
}

static void apply_addresses(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults) {
        const ResourceSettings *settings[SETTINGS_MAX];
        size_t n = list_settings(group->unit, resources, settings);
        int r;

        if (n == 0) {
                if (with_defaults)
                        (void) cgroup_unfilter_addresses(group->cgroup);
                return;
        }
        r = resource_apply_addresses(settings, n, group->cgroup);
        if (r < 0)
                manager_note_unapplied(group, "IPAddressDeny", "bpf", r);
}

void manager_apply_filters(ManagerGroup *group, const ResourceSettings *resources, bool with_defaults) {
        apply_devices(group, resources, with_defaults);
        if (!group->is_slice)
                apply_addresses(group, resources, with_defaults);
}
