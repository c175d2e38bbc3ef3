/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the processes of a control group may reach: devices and addresses
 */

#include <stdbool.h>
#include <stddef.h>

#include "exec/cgroup.h"
#include "exec/exec.h"
#include "process/group_refusal.h"
#include "process/process_owner.h"
#include "unitfile/resource_settings.h"

typedef struct GroupFilter {
        const ResourceSettings *own;    /* borrowed, as is .slices; NULL: nothing is said */
        bool is_slice;
        bool with_defaults;             /* what was set before and is not any more is taken back */
        const ProcessSlice *slices;     /* all that the group is in */
        size_t n_slices;
} GroupFilter;

/*
 * 0, also where the machine has no filters, which is noted; or < 0 with the result set: what the group had before, if
 * anything, is there still, and nothing may begin in it.
 */
int group_filter_apply(const GroupFilter *filter, const Cgroup *group, GroupRefusals *refusals, ExecResult *result);
/* Without any groups: each setting that a filter would have been made of. 0 or -ENOMEM. */
int group_filter_refuse(const ResourceSettings *settings, const char *reason, GroupRefusals *refusals);
