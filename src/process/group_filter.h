/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Filters of devices and addresses of a control group
 */

#include <stdbool.h>
#include <stddef.h>

#include "exec/cgroup.h"
#include "exec/exec.h"
#include "process/group_refusal.h"
#include "process/process_owner.h"
#include "unitfile/resource_settings.h"

typedef struct GroupFilter {
        const ResourceSettings *own;    /* borrowed, as is .slices; NULL: no settings */
        bool is_slice;
        bool with_defaults;             /* filters whose settings were removed are detached */
        const ProcessSlice *slices;     /* all slices that contain the group */
        size_t n_slices;
} GroupFilter;

/*
 * Attaches the filters. 0, also if the kernel has no filters, which is noted in @refusals; or < 0 with @result set: the
 * group keeps the filters it had, and no process may begin in it.
 */
int group_filter_apply(const GroupFilter *filter, const Cgroup *group, GroupRefusals *refusals, ExecResult *result);
/* Without control groups: notes each setting that asks for a filter. 0 or -ENOMEM. */
int group_filter_refuse(const ResourceSettings *settings, const char *reason, GroupRefusals *refusals);
