/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folder of the sockets
 *
 * The lock is on the folder itself: it needs no file, so a full file system is
 * no obstacle, and the kernel releases it however jobd ends. Where a keeper holds
 * a copy of the descriptor, the lock is released when the keeper has ended.
 *
 * In a container nothing is certain: the root may be read-only, /run missing,
 * the user anybody. A user without a login session (cron, su, ssh without
 * logind) has no folder of their own, either. /tmp is then the last place, where
 * others may write, too: so a link in place of the folder is never followed, and
 * its owner must be the user of jobd.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/log.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "core/runtime_directory.h"

#define USER_FOLDER "/run/user/%u"
#define USER_FOLDER_MAX 32

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

static int check_owner(int fd, const char *path, Failure *ret_failure) {
        struct stat folder;

        if (fstat(fd, &folder) < 0)
                return failure_set(ret_failure, -errno, "Failed", "%s: %s", path, strerror(errno));
        if (folder.st_uid != geteuid() || (folder.st_mode & (S_IWGRP | S_IWOTH)))
                return failure_set(ret_failure, -EPERM, "Failed", "%s belongs to another user, or others may write to "
                                   "it: that user could replace the sockets.", path);
        if (faccessat(fd, ".", W_OK, AT_EACCESS) < 0)
                return failure_set(ret_failure, -errno, "Failed", "Cannot write to the folder %s: %s", path,
                                   strerror(errno));
        return 0;
}

static bool is_kept(const char *path, int kept) {
        struct stat held, folder;

        return kept >= 0 && fstat(kept, &held) == 0 && lstat(path, &folder) == 0 && held.st_dev == folder.st_dev &&
               held.st_ino == folder.st_ino;
}

/* A copy of @kept, if that is this folder: the copy has the lock. */
static int take_kept(const char *path, int kept) {
        return is_kept(path, kept) ? fcntl(kept, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
}

int runtime_directory_open(const char *path, int kept, int *ret_fd, char **ret_path, Failure *ret_failure) {
        cleanup_fd_ int fd = -1;
        char *absolute;
        int r;

        assert(path);

        r = make_folders(path);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot make the folder %s: %s", path, strerror(-r));
        fd = take_kept(path, kept);
        if (fd < 0)
                fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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

typedef VECTOR(char *) PathList;

static int add_path(PathList *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int add_path(PathList *list, const char *format, ...) {
        char *path = NULL;
        va_list arguments;
        int r;

        va_start(arguments, format);
        r = text_vformat(&path, format, arguments);
        va_end(arguments);
        if (r < 0)
                return r;
        r = vector_push(list, path);
        if (r < 0)
                free(path);
        return r;
}

/* $XDG_RUNTIME_DIR; without it the folder that a login would make, if it is there. NULL if there is none. */
static const char *find_user_folder(bool is_user, char usual[static USER_FOLDER_MAX]) {
        const char *folder = getenv("XDG_RUNTIME_DIR");
        struct stat status;

        if (folder && folder[0] == '/')
                return folder;
        snprintf(usual, USER_FOLDER_MAX, USER_FOLDER, (unsigned) geteuid());
        return is_user && lstat(usual, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() ? usual
                                                                                                              : NULL;
}

static int list_candidates(bool is_user, PathList *list) {
        char usual[USER_FOLDER_MAX];
        const char *folder = find_user_folder(is_user, usual);
        int r = 0;

        if (!is_user)
                r = add_path(list, "/run/jobd");
        if (r == 0 && folder)
                r = add_path(list, "%s/jobd", folder);
        return r < 0 ? r : add_path(list, "/tmp/jobd-%u", (unsigned) geteuid());
}

static int try_all(const PathList *list, bool may_be_second, int kept, int *ret_fd, char **ret_path,
                   Failure *ret_failure) {
        int r = -ENOENT;

        /* A core that comes after another one stays in the folder of that one, even if a better one appeared. */
        for (size_t i = 0; i < list->n; i++)
                if (is_kept(list->items[i], kept))
                        return runtime_directory_open(list->items[i], kept, ret_fd, ret_path, ret_failure);
        for (size_t i = 0; i < list->n; i++) {
                if (i > 0)
                        log_notice("%s (trying %s)", failure_message(ret_failure), list->items[i]);
                failure_deinit(ret_failure);
                r = runtime_directory_open(list->items[i], kept, ret_fd, ret_path, ret_failure);
                if (r == 0 || r == -ENOMEM || (r == -EBUSY && !may_be_second))
                        return r;
        }
        return r;
}

int runtime_directory_find(bool is_user, bool may_be_second, int kept, int *ret_fd, char **ret_path,
                           Failure *ret_failure) {
        PathList list = {};
        int r;

        r = list_candidates(is_user, &list);
        r = r < 0 ? failure_set(ret_failure, r, "NoMemory", "Out of memory.")
                  : try_all(&list, may_be_second, kept, ret_fd, ret_path, ret_failure);
        for (size_t i = 0; i < list.n; i++)
                free(list.items[i]);
        vector_deinit(&list);
        return r;
}

int runtime_directory_set_environment(const char *path) {
        const char *folder = getenv("XDG_RUNTIME_DIR");
        char usual[USER_FOLDER_MAX + sizeof("/jobd")];
        cleanup_free_ char *below = NULL;

        if (folder && folder[0] == '/')
                return 0;
        snprintf(usual, sizeof(usual), USER_FOLDER "/jobd", (unsigned) geteuid());
        if (strcmp(path, usual) == 0) {
                *strrchr(usual, '/') = '\0';
                return setenv("XDG_RUNTIME_DIR", usual, 1) < 0 ? -errno : 0;
        }
        if (text_format(&below, "%s/run", path) < 0)
                return -ENOMEM;
        if (mkdir(below, 0700) < 0 && errno != EEXIST)
                return -errno;
        return setenv("XDG_RUNTIME_DIR", below, 1) < 0 ? -errno : 0;
}
