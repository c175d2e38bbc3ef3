/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Control groups of units
 *
 * Where there are none all of these do nothing, and the callers find processes
 * as described in process/process_table.h. Where there are some, a process that cannot
 * be in its unit's does not begin.
 */

#include "exec/cgroup.h"
#include "exec/exec.h"
#include "manager/manager.h"

/* Finds out whether there are any, and says so once. */
void manager_init_groups(Manager *manager);
void manager_free_groups(Manager *manager);

/*
 * The group that the next process of @unit is to begin in, made if need be, with its limits; borrowed. NULL: there are
 * none at all. 0; or < 0 with the result set: it must not begin elsewhere.
 */
int manager_enter_group(Manager *manager, Unit *unit, UnitPurpose purpose, const Cgroup **ret_group, ExecResult *result);
/* Puts processes into it that others have started, as UnitHostOps.adopt. */
int manager_adopt_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n);
/* The state of @unit is @state now: a slice's group comes and goes with it, a service's goes. */
void manager_follow_group(Manager *manager, Unit *unit, UnitActiveState state);
void manager_forget_group(Manager *manager, Unit *unit);
/* Writes all settings again, after they were read again. */
void manager_apply_groups(Manager *manager);
/* Once a turn: what is said for the startup begins and ends with it. */
void manager_follow_startup(Manager *manager);

/*
 * How many processes there are but the two, or -ENOENT: the group does not tell. If there are any, the unit is told when
 * the last has gone. An empty group is removed.
 */
int manager_count_group(Manager *manager, Unit *unit, pid_t main_pid, pid_t control_pid);
/* To all but the two and what is in their process groups: 0, or -ENOENT as above. */
int manager_signal_group(Manager *manager, Unit *unit, int signal, pid_t main_pid, pid_t control_pid);
/* Appends them: 1, 0 if there may be others, or -ENOMEM. */
int manager_list_group(Manager *manager, Unit *unit, ExecPids *pids);
/* The only process of the group whose parent is us or our keeper, but @except; 0 if there is none or several. */
pid_t manager_guess_main(Manager *manager, const Unit *unit, pid_t except);
Unit *manager_unit_of_group(Manager *manager, pid_t pid);       /* NULL: of none */

/* As the operations of UnitHostOps. */
int manager_group_path(Manager *manager, const Unit *unit, char **ret_path);
int manager_group_value(Manager *manager, const Unit *unit, UnitGroupValue what, uint64_t *ret_value);
int manager_list_unapplied(Manager *manager, const Unit *unit, char ***ret_list);
