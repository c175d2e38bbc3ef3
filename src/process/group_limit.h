/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Limits and weights of a control group
 */

#include <stdbool.h>

#include "exec/cgroup.h"
#include "process/group_refusal.h"
#include "unitfile/resource_settings.h"

typedef struct GroupLimits {
        const ResourceSettings *settings;       /* borrowed; NULL: no settings */
        ResourceDefaults defaults;
        bool is_slice;
        bool with_defaults;             /* settings that were removed get the kernel's default */
} GroupLimits;

/* Writes the settings; those that the kernel refuses are noted. False: there was nothing to write. */
bool group_limits_apply(const GroupLimits *limits, Cgroup *group, GroupRefusals *refusals);
/* Without control groups: notes each setting that would be written. 0 or -ENOMEM. */
int group_limits_refuse(const ResourceSettings *settings, const char *reason, GroupRefusals *refusals);
