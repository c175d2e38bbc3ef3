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
        const ResourceSettings *settings;       /* borrowed; NULL: nothing is said */
        ResourceDefaults defaults;
        bool is_slice;
        bool with_defaults;             /* what was set before and is not any more is taken back */
} GroupLimits;

/* What the kernel refuses is noted. False: nothing was to be done. */
bool group_limits_apply(const GroupLimits *limits, Cgroup *group, GroupRefusals *refusals);
/* Without any groups: each setting that would have been applied. 0 or -ENOMEM. */
int group_limits_refuse(const ResourceSettings *settings, const char *reason, GroupRefusals *refusals);
