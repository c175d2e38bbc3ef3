/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits and weights of a control group
 */

#include <errno.h>

#include "exec/cgroup_control.h"
#include "process/group_limit.h"
#include "process/resource_attribute.h"

static void apply_controllers(const ResourceSettings *settings, Cgroup *group, GroupRefusals *refusals) {
        uint8_t wanted = resource_wanted_controllers(settings);

        for (unsigned i = 0; i < _CGROUP_CONTROLLER_MAX; i++) {
                CgroupController controller = (CgroupController) i;
                int r = wanted >> i & 1 ? cgroup_enable(group, controller) : 0;

                if (r < 0 && !(settings->delegate && r == -EOPNOTSUPP))
                        group_refusals_note(refusals, resource_wanting_directive(settings, controller),
                                            cgroup_controller_to_string(controller), r);
        }
}

static void apply_attribute(const CgroupAttribute *attribute, bool with_defaults, Cgroup *group,
                            GroupRefusals *refusals) {
        int r = attribute->error;

        if (attribute->is_default) {
                if (with_defaults && cgroup_is_enabled(group, attribute->controller))
                        (void) cgroup_set(group, attribute);
                return;
        }
        if (r == 0)
                r = cgroup_set(group, attribute);
        if (r < 0)
                group_refusals_note(refusals, attribute->directive,
                                    r == -EOPNOTSUPP ? cgroup_controller_to_string(attribute->controller)
                                                     : attribute->file, r);
}

bool group_limits_apply(const GroupLimits *limits, Cgroup *group, GroupRefusals *refusals) {
        const ResourceSettings *settings = limits->settings;
        ResourceDefaults defaults = limits->defaults;
        CgroupAttribute attributes[RESOURCE_ATTRIBUTES_MAX];
        size_t n;

        if (limits->is_slice)
                defaults.tasks_max = (ResourceLimit) {};
        if (!settings && !limits->with_defaults && !defaults.tasks_max.is_set)
                return false;
        if (limits->with_defaults) {
                cgroup_reset_devices(group, "io.weight");
                cgroup_reset_devices(group, "io.latency");
                cgroup_reset_devices(group, "io.max");
        }
        n = resource_list_attributes(settings, &defaults, attributes);
        for (size_t i = 0; i < n; i++)
                apply_attribute(&attributes[i], limits->with_defaults, group, refusals);
        if (settings && settings->delegate && !limits->is_slice)
                cgroup_set_delegated(group);
        if (settings)
                apply_controllers(settings, group, refusals);
        return true;
}

int group_limits_refuse(const ResourceSettings *settings, const char *reason, GroupRefusals *refusals) {
        CgroupAttribute attributes[RESOURCE_ATTRIBUTES_MAX];
        size_t n = resource_list_attributes(settings, NULL, attributes);

        for (size_t i = 0; i < n; i++) {
                int r = attributes[i].is_default ? 0 : group_refusals_add(refusals, attributes[i].directive, reason);

                if (r < 0)
                        return r;
        }
        return 0;
}
