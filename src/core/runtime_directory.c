/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folder of our sockets
 *
 * The lock is on the folder itself: it needs no file, so a full file system is
 * no obstacle, and the kernel gives it back however we end.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/runtime_directory.h"

static int make_folders(const char *path) {
        cleanup_free_ char *part = strdup(path);

        if (!part)
                return -ENOMEM;
        for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                if (mkdir(part, 0755) < 0 && errno != EEXIST)
                        return -errno;
                *slash = '/';
        }
        return mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static void close_fd(int *fd) {
        if (*fd >= 0)
                close(*fd);
}

static int check_owner(int fd, const char *path, Failure *ret_failure) {
        struct stat folder;

        if (fstat(fd, &folder) < 0)
                return failure_set(ret_failure, -errno, "Failed", "%s: %s", path, strerror(errno));
        if (folder.st_uid != geteuid() || (folder.st_mode & (S_IWGRP | S_IWOTH)))
                return failure_set(ret_failure, -EPERM, "Failed", "%s belongs to another user, or others may write to "
                                   "it: whoever made it could put his sockets in place of ours.", path);
        return 0;
}

int runtime_directory_open(const char *path, int *ret_fd, char **ret_path, Failure *ret_failure) {
        cleanup_(close_fd) int fd = -1;
        char *absolute;
        int r;

        assert(path);

        r = make_folders(path);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot make the folder %s: %s", path, strerror(-r));
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return failure_set(ret_failure, -errno, "Failed", "Cannot open the folder %s: %s", path,
                                   strerror(errno));
        r = check_owner(fd, path, ret_failure);
        if (r < 0)
                return r;
        if (flock(fd, LOCK_EX | LOCK_NB) < 0)
                return errno == EWOULDBLOCK ?
                        failure_set(ret_failure, -EBUSY, "Failed", "Another jobd runs in %s: end it, or use another "
                                    "folder with --runtime-dir.", path) :
                        failure_set(ret_failure, -errno, "Failed", "Cannot lock %s: %s", path, strerror(errno));
        absolute = realpath(path, NULL);
        if (!absolute)
                return failure_set(ret_failure, -errno, "Failed", "%s: %s", path, strerror(errno));

        *ret_fd = fd;
        *ret_path = absolute;
        fd = -1;
        return 0;
}
