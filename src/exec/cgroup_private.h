/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shared by the files of control groups
 */

#include "basic/vector.h"
#include "exec/cgroup.h"

/* Limit on the groups looked at, because a unit can make any number of them. */
#define CGROUP_FOLDERS_MAX 100000U

/* Limit on nested slices; a longer name is not valid. */
#define CGROUP_DEPTH_MAX 128U

struct Cgroup {
        CgroupTree *tree;               /* borrowed */
        Cgroup *parent;                 /* borrowed; NULL: the tree's own folder */
        int fd;
        bool was_killed;                /* by cgroup.kill, or perhaps: see cgroup_takes_clones() */
        bool is_delegated;
        uint8_t enabled;                /* bits of the controllers enabled for its children */
        char *slice;                    /* owned: name of the slice, if it is one */
        char name[];                    /* of the folder */
};

typedef VECTOR(Cgroup *) Cgroups;

struct CgroupTree {
        char *folder, *path;            /* owned */
        Cgroup *root;                   /* owned */
        Cgroups slices;                 /* owned, parents first */
        uint8_t controllers;            /* bits of the available controllers */
};

int cgroup_new_root(CgroupTree *tree);                  /* 0 or -errno */

/* The kernel's name of a process's group: 0, -ENOENT or -ENOMEM. */
int cgroup_read_path(pid_t pid, char **ret_path);

typedef VECTOR(char *) CgroupFolders;

/* The group and all groups below it, as relative paths: ".", "./a", "./a/b"; parents first. 0 or -errno. */
int cgroup_list_folders(const Cgroup *group, CgroupFolders *folders);
void cgroup_folders_deinit(CgroupFolders *folders);
