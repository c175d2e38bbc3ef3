/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding the part of the hierarchy that belongs to this manager
 *
 * The kernel requires that one program alone manages a part of the hierarchy.
 * A group that was delegated to the manager (by another manager's Delegate=,
 * by a container engine, or because it is PID 1) contains no processes but the
 * manager's. A group that the manager was merely started in, for example a
 * login session's, contains others; systemd also marks delegated groups. A
 * process of another pid namespace is listed as 0.
 *
 * Version 2 is mounted at /sys/fs/cgroup or, beside version 1, at its
 * "unified", where controllers may be missing: it is used all the same.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/cgroup_find.h"

#define MOUNT "/sys/fs/cgroup"
#define NAME "NoControlGroups"

static void close_file(FILE **file) {
        if (*file)
                fclose(*file);
}

void cgroup_place_deinit(CgroupPlace *place) {
        free(place->folder);
        free(place->path);
        *place = (CgroupPlace) {};
}

static const char *find_mount(void) {
        static const char *const places[] = { MOUNT, MOUNT "/unified" };
        struct statfs status;

        for (size_t i = 0; i < ELEMENTSOF(places); i++)
                if (statfs(places[i], &status) == 0 && status.f_type == CGROUP2_SUPER_MAGIC)
                        return places[i];
        return NULL;
}

/* The manager's own group, without the leaf that an earlier manager moved into: 0, -ENOENT or -ENOMEM. */
static int read_own_path(char **ret_path) {
        cleanup_(close_file) FILE *file = fopen("/proc/self/cgroup", "re");
        cleanup_free_ char *line = NULL;
        size_t size = 0;

        while (file && getline(&line, &size, file) > 0) {
                char *path = line + strlen("0::");

                if (!text_starts_with(line, "0::/"))
                        continue;
                path[strcspn(path, "\n")] = '\0';
                if (text_ends_with(path, "/" CGROUP_OWN_LEAF))
                        path[strlen(path) - strlen("/" CGROUP_OWN_LEAF)] = '\0';
                if (strcmp(path, "/") == 0)
                        path[0] = '\0';
                *ret_path = strdup(path);
                return *ret_path ? 0 : -ENOMEM;
        }
        return -ENOENT;
}

/* 1 if all processes in @folder belong to the manager, 0 if not, or -errno. */
static int is_ours(const char *folder, bool owns_all, pid_t keeper) {
        cleanup_(close_file) FILE *file = NULL;
        cleanup_free_ char *path = NULL;
        int pid;

        if (text_join_path(folder, "cgroup.procs", &path) < 0)
                return -ENOMEM;
        file = fopen(path, "re");
        if (!file)
                return -errno;
        while (fscanf(file, "%d", &pid) == 1)
                if (pid == 0 || (!owns_all && pid != getpid() && pid != keeper))
                        return 0;
        return 1;
}

/*
 * Returns true if @folder may be used. A group that systemd has not marked as delegated is systemd's, even if it is
 * writable and contains no other process. Other managers leave no mark; and without root, a group is writable only if
 * it was given to the user. A user manager takes what it can write, as systemd --user does.
 */
static bool is_given_away(const char *folder, bool is_user) {
        if (is_user || geteuid() != 0 || access("/run/systemd/system", F_OK) < 0)
                return true;
        return getxattr(folder, "trusted.delegate", NULL, 0) > 0 || getxattr(folder, "user.delegate", NULL, 0) > 0;
}

static int check_folder(const char *folder, bool owns_all, bool is_user, pid_t keeper, Failure *ret_failure) {
        cleanup_free_ char *procs = NULL;
        int r;

        if (text_join_path(folder, "cgroup.procs", &procs) < 0)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "out of memory");
        if (faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) < 0 || faccessat(AT_FDCWD, procs, W_OK, AT_EACCESS) < 0)
                return failure_set(ret_failure, -errno, NAME, "%s is not writable: %s", folder, strerror(errno));
        r = is_ours(folder, owns_all, keeper);
        if (r < 0)
                return failure_set(ret_failure, r, NAME, "%s cannot be read: %s", folder, strerror(-r));
        if (r == 0)
                return failure_set(ret_failure, -EBUSY, NAME, "%s is not ours: others run there, too", folder);
        if (!owns_all && !is_given_away(folder, is_user))
                return failure_set(ret_failure, -EPERM, NAME, "%s was not given to us (by Delegate=yes)", folder);
        return 0;
}

int cgroup_find(bool owns_all, bool is_user, pid_t keeper, CgroupPlace *ret_place, Failure *ret_failure) {
        cleanup_(cgroup_place_deinit) CgroupPlace place = {};
        const char *mount = find_mount();
        int r;

        if (!mount)
                return failure_set(ret_failure, -ENOENT, NAME, "there is no version 2 hierarchy at " MOUNT);
        r = read_own_path(&place.path);
        if (r == -ENOENT)
                return failure_set(ret_failure, r, NAME, "/proc/self/cgroup does not name the manager's own");
        if (r == 0 && text_starts_with(place.path, "/.."))
                return failure_set(ret_failure, -EXDEV, NAME, "the manager's own is not visible in this namespace");
        if (r == 0)
                r = text_format(&place.folder, "%s%s", mount, place.path);
        if (r < 0)
                return failure_set(ret_failure, r, "NoMemory", "out of memory");
        r = check_folder(place.folder, owns_all, is_user, keeper, ret_failure);
        if (r < 0)
                return r;
        *ret_place = place;
        place = (CgroupPlace) {};
        return 0;
}
