/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Control groups of owners
 *
 * An owner has a group if its ProcessOwnerOps.describe_group says so, and is told
 * of events in the group. Without control groups all functions below do nothing,
 * and processes are found as described in process_table.h. With control groups, a
 * process that cannot enter the group of its owner is not started.
 *
 * The path of a group follows from the name of its owner: the next core finds the
 * groups of its owners without a record.
 */

#include "basic/failure.h"
#include "exec/cgroup.h"
#include "exec/exec.h"
#include "process/process_host.h"
#include "process/process_owner.h"
#include "unit/unit_host.h"
#include "unitfile/resource_settings.h"

typedef struct ProcessGroups ProcessGroups;

/* Finds the part of the tree that jobd may change, and moves jobd into a leaf of it. 0, or -errno with the reason. */
int process_groups_find_tree(const ProcessHost *host, bool is_user, CgroupTree **ret_tree, Failure *ret_failure);

/*
 * @tree: owned; NULL: there are no control groups, for the @reason given. @tasks_max: the limit of a unit without
 * TasksMax=; NULL or not set: 15 %. 0 or -ENOMEM.
 */
int process_groups_new(ProcessGroups **ret_groups, const ProcessHost *host /* borrowed */, bool is_user,
                       const ResourceLimit *tasks_max, CgroupTree *tree, const char *reason);
ProcessGroups *process_groups_free(ProcessGroups *groups);      /* no owner may have a group; removes those of slices */

const char *process_groups_reason(const ProcessGroups *groups); /* why there are no control groups; NULL: there are */
const ResourceDefaults *process_groups_defaults(const ProcessGroups *groups);   /* as last applied */

/*
 * Gives the group in which the next process of @owner begins, made if necessary, with its limits; borrowed. NULL: there
 * are no control groups. 0; or < 0 with @result set: the process must not be started.
 */
int process_groups_enter(ProcessGroups *groups, ProcessOwner *owner, UnitPurpose purpose, const Cgroup **ret_group,
                         ExecResult *result);
/*
 * To be called when the state of @owner has changed. The group of a slice is made and removed with the slice; the group
 * of another owner is removed when it ends. The group of an owner that is not active is thawed: frozen processes get no
 * signals, and ExecStop= commands in a frozen group do not run.
 */
void process_groups_follow(ProcessGroups *groups, ProcessOwner *owner, bool is_active);
void process_groups_forget_owner(ProcessOwner *owner);
/* Writes all settings of the group of @owner, after the unit file was read again. */
void process_groups_apply(ProcessGroups *groups, ProcessOwner *owner);
/* To be called in each turn: applies the Startup…= settings, and removes them when the startup has ended. */
void process_groups_follow_startup(ProcessGroups *groups, bool is_startup);

/*
 * For ProcessOwnerOps.list_slices of an owner whose group is in that of @above, which is as a slice to it, called
 * @name: the slices of @above behind that one. @above: NULL: there are none.
 */
size_t process_slices_below(ProcessOwner *above, const char *name, const struct ResourceSettings *resources,
                            ProcessSlice slices[static PROCESS_SLICES_MAX]);
/*
 * The number of processes in the group except the two; or -ENOENT if there is no group. If there are any, the owner is
 * told when the last one has ended. An empty group is removed.
 */
int process_groups_count(ProcessGroups *groups, ProcessOwner *owner, pid_t main_pid, pid_t control_pid);
/* Signals all processes in the group except the two and their process groups: 0, or -ENOENT as above. */
int process_groups_signal(ProcessGroups *groups, ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid);
/* Replaces @pids by the processes in the group: 1; 0 if there may be others; or -ENOMEM. */
int process_groups_list(ProcessGroups *groups, ProcessOwner *owner, ExecPids *pids);
/*
 * The only process of the group, other than @except, whose parent is the manager or the keeper; 0 if there is none or
 * several.
 */
pid_t process_groups_guess_main(ProcessGroups *groups, ProcessOwner *owner, pid_t except);
/* The name of the owner whose group has the process @pid; the caller owns it. 0, -ENOENT if none has, or -errno. */
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
