/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Control groups: a folder for each unit
 *
 * A tree begins at a folder that is ours alone (cgroup_find.h). In it each
 * slice and each unit has a group; what a unit makes below its own is its own
 * affair. All work is relative to descriptors that are kept open.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/macro.h"
#include "exec/cgroup_name.h"
#include "exec/exec_process.h"

typedef struct CgroupTree CgroupTree;
typedef struct Cgroup Cgroup;

/* @folder is ours; @path is what the kernel calls it ("" for the root). 0 or -errno. */
int cgroup_tree_new(const char *folder, const char *path, CgroupTree **ret_tree);
CgroupTree *cgroup_tree_free(CgroupTree *tree);         /* the folders stay; all groups but slices are freed before */
DEFINE_CLEANUP(CgroupTree, cgroup_tree_free)

/* Moves all processes of the tree's own folder to a leaf: a group with any cannot pass controllers on. 0 or -errno. */
int cgroup_tree_move_manager(CgroupTree *tree);

/* Removes empty groups of units and slices that an earlier manager has left. */
void cgroup_tree_sweep(CgroupTree *tree);

bool cgroup_tree_has(const CgroupTree *tree, CgroupController controller);
const char *cgroup_tree_folder(const CgroupTree *tree);

/* A slice's group, made with those that it is in if they are not there yet; borrowed. 0, -EINVAL or -errno. */
int cgroup_tree_slice(CgroupTree *tree, const char *slice, Cgroup **ret_group);
Cgroup *cgroup_tree_find_slice(const CgroupTree *tree, const char *slice);      /* NULL if it was not made */
/* Makes those again that somebody else has removed: how many, or -errno. Nothing is set for them then. */
int cgroup_tree_mend(CgroupTree *tree);
/* Removes the folders of slices with nothing in them, the inner ones first. */
void cgroup_tree_remove_slices(CgroupTree *tree);
int cgroup_tree_remove_slice(CgroupTree *tree, const char *slice);      /* 0 or -EBUSY; it is not borrowed any more */

/* The group of @unit in @slice: 0, 1 if it was there already, or -errno. */
int cgroup_make(Cgroup *slice, const char *unit, Cgroup **ret_group);
/* The same, but only if it is there: 0, -ENOENT or -errno. */
int cgroup_open(Cgroup *slice, const char *unit, Cgroup **ret_group);
/*
 * The group in a delegated one where commands beside the main process run: a group that passes controllers on has no
 * processes of its own.
 */
int cgroup_make_control(Cgroup *group, Cgroup **ret_group);
Cgroup *cgroup_free(Cgroup *group);                     /* the folder stays */

/* Removes the folder with all in it: 0 also if it is gone already, -EBUSY if a process is in there, or -errno. */
int cgroup_remove(Cgroup *group);

int cgroup_fd(const Cgroup *group);                     /* of the folder, O_PATH; borrowed */
/*
 * May a process be made right in it? Linux (seen with 6.18) takes a process that is cloned into a group that was
 * killed at any time before for one that was forked meanwhile, and kills it. It can be moved there all the same.
 */
bool cgroup_takes_clones(const Cgroup *group);
/* Marks the group: it is the unit's own affair from now on, and cgroup_hand_over() gives it to the unit's user. */
void cgroup_set_delegated(Cgroup *group);
/* 0 also if it is not delegated, or -errno. */
int cgroup_hand_over(const Cgroup *group, uid_t uid, gid_t gid);
/* What the kernel calls it: "/system.slice/x.service". 0 or -ENOMEM. */
int cgroup_path(const Cgroup *group, char **ret_path);

/* The unit that a process is of by its control group: the first below slices. 0, -ENOENT if of none, or -errno. */
int cgroup_tree_find_unit(const CgroupTree *tree, pid_t pid, char **ret_unit);
/* The slice in which that unit has the process. 0, -ENOENT if it is not of that unit, or -errno. */
int cgroup_tree_find_slice_of(const CgroupTree *tree, pid_t pid, const char *unit, char **ret_slice);
