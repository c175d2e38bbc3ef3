/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Control groups of units
 *
 * Where there are none all of these do nothing, and the callers find processes
 * as described in process/process_table.h. Where there are some, a process that
 * cannot be in its unit's group does not begin.
 */

#include "exec/cgroup.h"
#include "exec/exec.h"
#include "manager/manager_limitation.h"
#include "manager/manager_listener.h"
#include "manager/manager_options.h"
#include "manager/manager_stage_kind.h"
#include "manager/manager_unit_row.h"
#include "manager/manager_unload.h"
#include "unitfile/resource_settings.h"

typedef struct ManagerGroups {
        const ManagerOptions *options;  /* borrowed, as is all up to .stage */
        ManagerTurn *turn;
        UnitTable *units;
        ManagerUnits *rows;
        ManagerUnloading *unloading;
        ManagerLimitations *limitations;
        const ManagerListeners *listeners;
        const ManagerStage *stage;

        struct CgroupTree *tree;        /* owned; NULL: there are no control groups … */
        char *reason;                   /* owned: … and this is why */
        bool has_unfiltered_slices;     /* at some time */
        ResourceDefaults defaults;      /* as they were last applied */
} ManagerGroups;

/* Finds out whether there are any, and says so once. */
void manager_groups_init(ManagerGroups *groups);
void manager_groups_deinit(ManagerGroups *groups);

/*
 * The group that the next process of @unit is to begin in, made if need be, with its limits; borrowed. NULL: there are
 * none at all. 0; or < 0 with the result set: it must not begin elsewhere.
 */
int manager_groups_enter(ManagerGroups *groups, Unit *unit, UnitPurpose purpose, const Cgroup **ret_group,
                         ExecResult *result);
/* Puts processes into it that others have started, as UnitHostOps.adopt. */
int manager_groups_adopt(ManagerGroups *groups, Unit *unit, const pid_t *pids, size_t n);
/* The state of @unit is @state now: a slice's group comes and goes with the slice, a service's goes. */
void manager_groups_follow(ManagerGroups *groups, Unit *unit, UnitActiveState state);
void manager_groups_forget_unit(ManagerGroups *groups, Unit *unit);
/* Writes all settings again, after they were read again. */
void manager_groups_apply(ManagerGroups *groups);
/* Once a turn: settings for the startup begin and end with it. */
void manager_groups_follow_startup(ManagerGroups *groups);

/*
 * How many processes there are but the two, or -ENOENT: the group does not tell. If there are any, the unit is told
 * when the last has gone. An empty group is removed.
 */
int manager_groups_count(ManagerGroups *groups, Unit *unit, pid_t main_pid, pid_t control_pid);
/* To all but the two and what is in their process groups: 0, or -ENOENT as above. */
int manager_groups_signal(ManagerGroups *groups, Unit *unit, int signal, pid_t main_pid, pid_t control_pid);
/* Appends them: 1, 0 if there may be others, or -ENOMEM. */
int manager_groups_list(ManagerGroups *groups, Unit *unit, ExecPids *pids);
/* The only process of the group whose parent is us or our keeper, but @except; 0 if there is none or several. */
pid_t manager_groups_guess_main(ManagerGroups *groups, const Unit *unit, pid_t except);
Unit *manager_groups_find_unit(ManagerGroups *groups, pid_t pid);       /* NULL: of none */

/* As manager_freeze_unit(), in two steps: a job of the unit is the caller's business. */
int manager_groups_check_freeze(ManagerGroups *groups, const Unit *unit, bool freeze, Failure *ret_failure);
int manager_groups_freeze(ManagerGroups *groups, Unit *unit, bool freeze, Failure *ret_failure);
bool manager_groups_can_freeze(const ManagerGroups *groups, const Unit *unit);
const char *manager_groups_freezer_state(ManagerGroups *groups, const Unit *unit);

/* As the operations of UnitHostOps. */
int manager_groups_path(ManagerGroups *groups, const Unit *unit, char **ret_path);
int manager_groups_value(ManagerGroups *groups, const Unit *unit, UnitGroupValue what, uint64_t *ret_value);
int manager_groups_list_unapplied(ManagerGroups *groups, const Unit *unit, char ***ret_list);
