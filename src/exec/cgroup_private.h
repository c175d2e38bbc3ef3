/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of control groups share
 */

#include "basic/vector.h"
#include "exec/cgroup.h"

/* More groups, or deeper ones, are not looked at: a unit can make as many as it likes. */
#define CGROUP_FOLDERS_MAX 100000U

/* Slices within slices: a name has room for no more. */
#define CGROUP_DEPTH_MAX 128U

struct Cgroup {
        CgroupTree *tree;               /* borrowed */
        Cgroup *parent;                 /* borrowed; NULL: the tree's own folder */
        int fd;
        bool was_killed;                /* by cgroup.kill, or perhaps: see cgroup_takes_clones() */
        bool is_delegated;
        uint8_t enabled;                /* bits of controllers that it passes on */
        char *slice;                    /* owned: the name, if it is a slice's */
        char name[];                    /* of the folder */
};

typedef VECTOR(Cgroup *) Cgroups;

struct CgroupTree {
        char *folder, *path;            /* owned */
        Cgroup *root;                   /* owned */
        Cgroups slices;                 /* owned, those that are in others behind them */
        uint8_t controllers;            /* bits of those that there are */
};

int cgroup_new_root(CgroupTree *tree);                  /* 0 or -errno */

/* What the kernel calls the group of a process: 0, -ENOENT or -ENOMEM. */
int cgroup_read_path(pid_t pid, char **ret_path);

typedef VECTOR(char *) CgroupFolders;

/* The group and all below it, as paths relative to it: ".", "./a", "./a/b"; outer ones first. 0 or -errno. */
int cgroup_list_folders(const Cgroup *group, CgroupFolders *folders);
void cgroup_folders_deinit(CgroupFolders *folders);
