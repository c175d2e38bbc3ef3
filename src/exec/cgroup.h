/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Control groups: a folder for each unit
 *
 * A tree begins at a folder that belongs to this manager alone
 * (cgroup_find.h). Each slice and each unit has a group in it; groups that a
 * unit makes below its own are the unit's business. All operations are
 * relative to open descriptors.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/macro.h"
#include "exec/cgroup_name.h"
#include "exec/exec_process.h"

typedef struct CgroupTree CgroupTree;
typedef struct Cgroup Cgroup;

/* @folder must belong to this manager; @path is the kernel's name of it ("" for the root). 0 or -errno. */
int cgroup_tree_new(const char *folder, const char *path, CgroupTree **ret_tree);
CgroupTree *cgroup_tree_free(CgroupTree *tree);         /* the folders stay; groups of units must be freed first */
DEFINE_CLEANUP(CgroupTree, cgroup_tree_free)

/*
 * Moves all processes of the tree's own folder to a leaf, because a group with processes cannot enable controllers for
 * its children. 0 or -errno.
 */
int cgroup_tree_move_manager(CgroupTree *tree);

/* Removes empty groups of units and slices that an earlier manager left behind. */
void cgroup_tree_sweep(CgroupTree *tree);

bool cgroup_tree_has(const CgroupTree *tree, CgroupController controller);
const char *cgroup_tree_folder(const CgroupTree *tree);

/* The group of a slice, made with its parents if missing; borrowed. 0, -EINVAL or -errno. */
int cgroup_tree_slice(CgroupTree *tree, const char *slice, Cgroup **ret_group);
Cgroup *cgroup_tree_find_slice(const CgroupTree *tree, const char *slice);      /* NULL if it was not made */
/*
 * Makes slices again whose folders were removed from outside, without their attributes: returns their number, or
 * -errno.
 */
int cgroup_tree_mend(CgroupTree *tree);
/* Removes the folders of empty slices, inner ones first. */
void cgroup_tree_remove_slices(CgroupTree *tree);
int cgroup_tree_remove_slice(CgroupTree *tree, const char *slice);      /* 0 or -EBUSY; frees the slice's group */

/* The group of @unit in @slice: 0, 1 if it existed, or -errno. */
int cgroup_make(Cgroup *slice, const char *unit, Cgroup **ret_group);
/* The same for an existing group: 0, -ENOENT or -errno. */
int cgroup_open(Cgroup *slice, const char *unit, Cgroup **ret_group);
/*
 * Makes a subgroup of a delegated group for commands beside the main process, because a group that enables controllers
 * for its children cannot have processes of its own.
 */
int cgroup_make_control(Cgroup *group, Cgroup **ret_group);
Cgroup *cgroup_free(Cgroup *group);                     /* the folder stays */

/* Removes the folder with its contents: 0, even if it is gone already, -EBUSY if it contains a process, or -errno. */
int cgroup_remove(Cgroup *group);

int cgroup_fd(const Cgroup *group);                     /* of the folder, O_PATH; borrowed */
/*
 * Returns true if a process can be cloned into the group. Linux (seen with 6.18) kills a process that is cloned into a
 * group on which cgroup.kill was ever used, as if it had been forked at that time; moving a process there works.
 */
bool cgroup_takes_clones(const Cgroup *group);
/*
 * Marks the group as delegated: its contents are the unit's business, and cgroup_hand_over() gives it to the unit's
 * user.
 */
void cgroup_set_delegated(Cgroup *group);
/* Changes the owner of a delegated group: 0, even if it is not delegated, or -errno. */
int cgroup_hand_over(const Cgroup *group, uid_t uid, gid_t gid);
/* The kernel's name of the group: "/system.slice/x.service". 0 or -ENOMEM. */
int cgroup_path(const Cgroup *group, char **ret_path);

/*
 * The unit that a process belongs to by its control group: the first level below slices. 0, -ENOENT if none, or -errno.
 */
int cgroup_tree_find_unit(const CgroupTree *tree, pid_t pid, char **ret_unit);
/* The slice in which @unit has the process. 0, -ENOENT if the process is not in a group of that unit, or -errno. */
int cgroup_tree_find_slice_of(const CgroupTree *tree, pid_t pid, const char *unit, char **ret_slice);
