/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A control group, for the files of manager_group
 */

#include "exec/cgroup_control.h"
#include "manager/manager_group.h"
#include "manager/manager_priority.h"

/* A file of the group that tells of a change. */
typedef struct ManagerGroupWatch {
        sd_event_source *source;        /* owned; NULL: not watched */
        int fd;                         /* owned; valid if .source is there */
} ManagerGroupWatch;

typedef struct ManagerGroup {
        ManagerGroups *groups;          /* borrowed */
        Unit *unit;                     /* borrowed */
        Cgroup *cgroup;                 /* owned, but not a slice's; NULL: it was found empty, and is removed */
        Cgroup *control;                /* owned: within .cgroup, if the unit may change that; made when needed */
        bool is_slice;
        bool is_frozen;                 /* or is about to be, by our wish … */
        bool is_thawing;                /* … and this is how it ends */
        bool is_unfiltered;             /* without a filter that the machine could have */
        uint64_t oom_kills;             /* that are known of, or were there before */
        ManagerGroupWatch events;       /* is anybody in it? Watched while that matters */
        ManagerGroupWatch memory;       /* was one killed for lack of memory? */
        char **unapplied;               /* owned: settings that the kernel refused, with the reason */
} ManagerGroup;

/* The group of @unit, also if a manager before us has made it. NULL: there is none. */
ManagerGroup *manager_groups_find(ManagerGroups *groups, const Unit *unit);

/* A setting that the kernel did not take, of a controller or file, with an errno. */
void manager_group_note_unapplied(ManagerGroup *group, const char *directive, const char *what, int error);

void manager_group_watch_events(ManagerGroup *group);         /* is anybody in it, are they frozen? */

/* manager_group_freeze.c: what an earlier manager has frozen; news of it; before the unit does anything else. */
void manager_group_find_frozen(ManagerGroup *group);
void manager_group_frozen_changed(ManagerGroup *group);
void manager_groups_thaw(ManagerGroups *groups, Unit *unit);

/*
 * manager_group_filter.c: what the unit may reach. @with_defaults: what was set before is taken back. 0, also where the
 * machine has no filters; or < 0 with the result set: what it had before, if anything, is there still.
 */
struct ResourceSettings;
int manager_group_apply_filters(ManagerGroup *group, const struct ResourceSettings *resources, bool with_defaults,
                          ExecResult *result);
/* Have all slices that the unit is in the filters they should have? 0; or < 0 with the result set. */
int manager_groups_check_slices(ManagerGroups *groups, const Unit *unit, ExecResult *result);
