/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Control groups of owners
 *
 * An owner that has one says so by ProcessOwnerOps.describe_group, and is told
 * what happens in it. Where there are no control groups all of these do
 * nothing, and the callers find processes as described in process_table.h.
 * Where there are some, a process that cannot be in its owner's group does not
 * begin.
 *
 * Groups are known by the names of their owners, so a program that follows on
 * another finds them again when it needs them.
 */

#include "basic/failure.h"
#include "exec/cgroup.h"
#include "exec/exec.h"
#include "process/process_host.h"
#include "process/process_owner.h"
#include "unit/unit_host.h"
#include "unitfile/resource_settings.h"

typedef struct ProcessGroups ProcessGroups;

/* The tree that is ours, the program in a leaf of it. 0, or -errno with the reason. */
int process_groups_find_tree(const ProcessHost *host, CgroupTree **ret_tree, Failure *ret_failure);

/*
 * @tree: owned; NULL: there are no control groups, for the @reason given. @tasks_max: the limit of a unit that says
 * nothing of it; NULL or not set: 15 %. 0 or -ENOMEM.
 */
int process_groups_new(ProcessGroups **ret_groups, const ProcessHost *host /* borrowed */, bool is_user,
                       const ResourceLimit *tasks_max, CgroupTree *tree, const char *reason);
ProcessGroups *process_groups_free(ProcessGroups *groups);      /* no owner has any; the folders of slices go */

const char *process_groups_reason(const ProcessGroups *groups); /* why there are none; NULL: there are */
const ResourceDefaults *process_groups_defaults(const ProcessGroups *groups);   /* as they were last applied */

/*
 * The group that the next process of @owner is to begin in, made if need be, with its limits; borrowed. NULL: there are
 * none at all. 0; or < 0 with the result set: it must not begin elsewhere.
 */
int process_groups_enter(ProcessGroups *groups, ProcessOwner *owner, UnitPurpose purpose, const Cgroup **ret_group,
                         ExecResult *result);
/*
 * The state of @owner is another now: a slice's group comes and goes with the slice, another's goes. Unless @owner is
 * active, it is thawed: frozen processes neither hear that they are to end, nor do commands beside them run.
 */
void process_groups_follow(ProcessGroups *groups, ProcessOwner *owner, bool is_active);
void process_groups_forget_owner(ProcessOwner *owner);
/* Writes all settings of @owner again, after they were read again. */
void process_groups_apply(ProcessGroups *groups, ProcessOwner *owner);
/* Called in each turn: applies and removes the settings for the startup. */
void process_groups_follow_startup(ProcessGroups *groups, bool is_startup);

/*
 * How many processes there are but the two, or -ENOENT: the group does not tell. If there are any, the owner is told
 * when the last has gone. An empty group is removed.
 */
int process_groups_count(ProcessGroups *groups, ProcessOwner *owner, pid_t main_pid, pid_t control_pid);
/* Signals all processes but the two and their process groups: 0, or -ENOENT as above. */
int process_groups_signal(ProcessGroups *groups, ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid);
/* In place of what is in @pids, all of them: 1, 0 if there may be others, or -ENOMEM. */
int process_groups_list(ProcessGroups *groups, ProcessOwner *owner, ExecPids *pids);
/*
 * The only process of the group, other than @except, whose parent is the manager or the keeper; 0 if there is none or
 * several.
 */
pid_t process_groups_guess_main(ProcessGroups *groups, ProcessOwner *owner, pid_t except);
/* The name of the owner whose group @pid is in, the caller's. 0, -ENOENT if of none, or -errno. */
int process_groups_find_name(const ProcessGroups *groups, pid_t pid, char **ret_name);

/* 0, or a negative errno with @ret_failure. */
int process_groups_freeze(ProcessGroups *groups, ProcessOwner *owner, bool freeze, Failure *ret_failure);
const char *process_groups_freezer_state(ProcessGroups *groups, ProcessOwner *owner);

/* As the operations of UnitHostOps. */
int process_groups_path(ProcessGroups *groups, ProcessOwner *owner, char **ret_path);
int process_groups_value(ProcessGroups *groups, ProcessOwner *owner, UnitGroupValue what, uint64_t *ret_value);
int process_groups_list_unapplied(ProcessGroups *groups, ProcessOwner *owner, char ***ret_list);
/* The same where there are no control groups, for any settings, which may be NULL. */
int process_groups_list_missing(const ProcessGroups *groups, const ResourceSettings *settings, char ***ret_list);
