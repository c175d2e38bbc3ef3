/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folders of unit files
 *
 * Another root folder may contain any symlinks, for example from /etc/jobd to
 * the host's /etc/jobd. So files there are written through descriptors that
 * the kernel has opened within the root.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/install_folder.h"

/* Is @path right below a folder whose path ends with @parent? */
static bool is_below(const char *path, const char *parent) {
        const char *slash = strrchr(path, '/');
        const size_t n = strlen(parent);

        return slash && (size_t) (slash - path) >= n && memcmp(slash - n, parent, n) == 0;
}

bool folder_has_transient(const char *path) {
        return path && is_below(path, "/" TRANSIENT_FOLDER);
}

FolderKind folder_kind(const char *folder, const char *runtime) {
        const bool is_control = text_ends_with(folder, "/system.control") || text_ends_with(folder, "/user.control");
        bool is_runtime;

        if (text_ends_with(folder, "/" TRANSIENT_FOLDER))
                return FOLDER_TRANSIENT;
        if (!runtime)
                runtime = getenv("XDG_RUNTIME_DIR");
        is_runtime = text_starts_with(folder, "/run/") || (runtime && *runtime && text_starts_with(folder, runtime));
        if (is_control)
                return is_runtime ? FOLDER_CONTROL_RUNTIME : FOLDER_CONTROL;
        if (is_runtime)
                return strstr(folder, "/generator") ? FOLDER_GENERATED : FOLDER_RUNTIME;
        if (text_starts_with(folder, "/usr/lib/") || text_starts_with(folder, "/usr/local/lib/") ||
            text_starts_with(folder, "/lib/") || text_starts_with(folder, "/usr/share/"))
                return FOLDER_PACKAGE;
        return FOLDER_CONFIG;
}

const char *folder_choose(char *const *search_path, FolderKind kind, const char *runtime, bool into_systemd) {
        const char *first = NULL;

        strv_foreach(folder, search_path) {
                if (folder_kind(*folder, runtime) != kind || (*folder)[0] != '/')
                        continue;
                if (!first)
                        first = *folder;
                if (!into_systemd || !is_below(first, "/jobd"))
                        return first;
                if (is_below(*folder, "/systemd"))
                        return *folder;
        }
        return first;
}

static int open_below(const char *root, const char *folder, int *ret_fd) {
        struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
        int root_fd, fd;

        if (!*root)
                fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        else {
                root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
                if (root_fd < 0)
                        return -errno;
                fd = (int) syscall(SYS_openat2, root_fd, folder, &how, sizeof(how));
                if (fd < 0)
                        fd = -errno;
                close(root_fd);
                errno = fd < 0 ? -fd : 0;
        }
        if (fd < 0)
                return -errno;
        *ret_fd = fd;
        return 0;
}

/* Makes the last folder of @path, whose parent exists; cuts off that last name. */
static int make_last(const char *root, char *path) {
        char *slash = strrchr(path, '/');
        int fd = -1, r;

        *slash = '\0';
        r = open_below(root, slash == path ? "/" : path, &fd);
        if (r == 0 && mkdirat(fd, slash + 1, 0755) < 0 && errno != EEXIST)
                r = -errno;
        if (r == 0)
                close(fd);
        *slash = '/';
        return r;
}

static int make_all(const char *root, const char *folder) {
        char path[PATH_MAX];

        if (strlen(folder) >= sizeof(path))
                return -ENAMETOOLONG;
        strcpy(path, folder);
        for (char *end = strchr(path + 1, '/');; end = strchr(end + 1, '/')) {
                int r;

                if (end)
                        *end = '\0';
                r = make_last(root, path);
                if (r < 0 || !end)
                        return r;
                *end = '/';
        }
}

int folder_open(const char *root, const char *folder, bool create, int *ret_fd) {
        int r = open_below(root, folder, ret_fd);

        if (r != -ENOENT || !create)
                return r;
        r = make_all(root, folder);
        return r < 0 ? r : open_below(root, folder, ret_fd);
}

int folder_list(const char *root, const char *folder, DIR **ret_dir) {
        int fd;

        *ret_dir = NULL;
        if (folder_open(root, folder, false, &fd) < 0)
                return 0;
        *ret_dir = fdopendir(fd);
        if (*ret_dir)
                return 0;
        close(fd);
        return -ENOMEM;
}

int folder_make_link(int folder, const char *name, const char *target) {
        char temporary[64];

        if (symlinkat(target, folder, name) == 0)
                return 0;
        if (errno != EEXIST)
                return -errno;
        for (unsigned i = 0; i < 100; i++) {
                snprintf(temporary, sizeof(temporary), ".#link-%d-%u", (int) getpid(), i);
                if (symlinkat(target, folder, temporary) == 0) {
                        int r = renameat(folder, temporary, folder, name) < 0 ? -errno : 0;

                        if (r < 0)
                                (void) unlinkat(folder, temporary, 0);
                        return r;
                }
                if (errno != EEXIST)
                        return -errno;
        }
        return -EEXIST;
}

int folder_read_link(int folder, const char *name, char **ret_target) {
        char target[PATH_MAX];
        ssize_t n = readlinkat(folder, name, target, sizeof(target) - 1);

        if (n < 0)
                return -errno;
        target[n] = '\0';
        *ret_target = strdup(target);
        return *ret_target ? 0 : -ENOMEM;
}
