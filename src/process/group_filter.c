/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filters of devices and addresses, which are BPF programs of a control group
 *
 * The device filter of a slice is a program of the slice's own group, and so holds
 * for all groups in it. A slice has no address filter: its address lists are
 * appended to those of each group in it, so that a unit can be allowed addresses
 * that are denied to its slice, as in systemd.
 *
 * On a kernel without BPF programs for control groups the settings are reported as
 * without effect, and units run. On a kernel with them, no process begins in a
 * group whose filter could not be attached.
 */

#include <errno.h>

#include "basic/macro.h"
#include "exec/cgroup_filter.h"
#include "process/group_filter.h"
#include "process/resource_filter.h"

/* The settings of the group and of its slices, if they restrict addresses. */
static size_t list_settings(const GroupFilter *filter,
                            const ResourceSettings *settings[static PROCESS_SLICES_MAX + 1]) {
        size_t n = 0;

        if (resource_filters_addresses(filter->own))
                settings[n++] = filter->own;
        for (size_t i = 0; i < MIN(filter->n_slices, (size_t) PROCESS_SLICES_MAX); i++)
                if (resource_filters_addresses(filter->slices[i].resources))
                        settings[n++] = filter->slices[i].resources;
        return n;
}

static int note(const Cgroup *group, const char *directive, int error, bool (*can_filter)(const Cgroup *group),
                GroupRefusals *refusals, ExecResult *result) {
        bool is_none = error == -EPERM || error == -EACCES || error == -ENOSYS || error == -EINVAL ||
                       error == -EOPNOTSUPP;

        group_refusals_note(refusals, directive, "bpf", error);
        if (is_none && !can_filter(group))
                return 0;
        exec_result_set(result, EXEC_STEP_CGROUP, error, "cannot set the filter for %s=", directive);
        return error;
}

static int apply_devices(const GroupFilter *filter, const Cgroup *group, GroupRefusals *refusals,
                         ExecResult *result) {
        int r;

        if (!resource_filters_devices(filter->own)) {
                if (filter->with_defaults)
                        (void) cgroup_unfilter_devices(group);
                return 0;
        }
        r = resource_apply_devices(filter->own, group);
        return r < 0 ? note(group, "DevicePolicy", r, cgroup_can_filter_devices, refusals, result) : 0;
}

static int apply_addresses(const GroupFilter *filter, const Cgroup *group, GroupRefusals *refusals,
                           ExecResult *result) {
        const ResourceSettings *settings[PROCESS_SLICES_MAX + 1];
        size_t n = list_settings(filter, settings);
        int r;

        if (n == 0) {
                if (filter->with_defaults)
                        (void) cgroup_unfilter_addresses(group);
                return 0;
        }
        r = resource_apply_addresses(settings, n, group);
        return r < 0 ? note(group, "IPAddressDeny", r, cgroup_can_filter_addresses, refusals, result) : 0;
}

int group_filter_apply(const GroupFilter *filter, const Cgroup *group, GroupRefusals *refusals, ExecResult *result) {
        int r = apply_devices(filter, group, refusals, result);

        return r < 0 || filter->is_slice ? r : apply_addresses(filter, group, refusals, result);
}

int group_filter_refuse(const ResourceSettings *settings, const char *reason, GroupRefusals *refusals) {
        int r = resource_filters_devices(settings) ? group_refusals_add(refusals, "DeviceAllow", reason) : 0;

        if (r == 0 && resource_filters_addresses(settings))
                r = group_refusals_add(refusals, "IPAddressDeny", reason);
        return r;
}
