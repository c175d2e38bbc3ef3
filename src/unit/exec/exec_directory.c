/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories of a unit
 *
 * The child makes them (exec_child_directory.c). To remove them is ours: it is
 * done when no process of the unit is left, and what is to go by itself lies
 * on a tmpfs. Descriptors lead the way, so nobody who may write in there can
 * make us leave it by a symlink.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/exec/exec_directory.h"

#define DEPTH_MAX 256

static const struct {
        const char *system, *variable, *fallback;       /* the last one below the home of a user */
} bases[_EXEC_DIRECTORY_MAX] = {
        [EXEC_DIRECTORY_RUNTIME] = { "/run", "XDG_RUNTIME_DIR", NULL },
        [EXEC_DIRECTORY_STATE] = { "/var/lib", "XDG_STATE_HOME", ".local/state" },
        [EXEC_DIRECTORY_CACHE] = { "/var/cache", "XDG_CACHE_HOME", ".cache" },
        [EXEC_DIRECTORY_LOGS] = { "/var/log", "XDG_STATE_HOME", ".local/state" },
        [EXEC_DIRECTORY_CONFIGURATION] = { "/etc", "XDG_CONFIG_HOME", ".config" },
};

int exec_directory_base(ExecDirectoryKind kind, bool is_user, char **ret_base) {
        const char *variable = getenv(bases[kind].variable), *home = getenv("HOME");

        if (!is_user)
                return text_format(ret_base, "%s", bases[kind].system);
        if (variable && variable[0] == '/')
                return text_format(ret_base, "%s%s", variable, kind == EXEC_DIRECTORY_LOGS ? "/log" : "");
        if (!bases[kind].fallback)
                return text_format(ret_base, "/run/user/%u", (unsigned) geteuid());
        if (!home || home[0] != '/')
                return -ENOENT;
        return text_format(ret_base, "%s/%s%s", home, bases[kind].fallback, kind == EXEC_DIRECTORY_LOGS ? "/log" : "");
}

/* What goes with the unit may lie where it always does. */
bool exec_directory_is_private(const ExecTerms *terms, ExecDirectoryKind kind) {
        if (!terms->dynamic_user || kind == EXEC_DIRECTORY_CONFIGURATION)
                return false;
        return kind != EXEC_DIRECTORY_RUNTIME || terms->preserve != EXEC_PRESERVE_NO;
}

int exec_directory_list(const ExecTerms *terms, ExecDirectoryKind kind, bool is_user, char **ret_list) {
        const char *private = exec_directory_is_private(terms, kind) ? EXEC_PRIVATE_FOLDER "/" : "";
        cleanup_free_ char *base = NULL;
        Text list = {};
        int r;

        *ret_list = NULL;
        if (!terms->directories[kind].paths)
                return 0;
        r = exec_directory_base(kind, is_user, &base);
        if (r < 0)
                return r;
        strv_foreach(path, terms->directories[kind].paths)
                text_addf(&list, "%s%s/%s%.*s", list.n > 0 ? ":" : "", base, private, (int) strcspn(*path, ":"), *path);
        return text_finish(&list, ret_list);
}

/* Takes @name out of @folder if that is done with one call: 0, -EISDIR if it is a directory with something in it, or -errno. */
static int remove_entry(int folder, const char *name) {
        if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
                return 0;
        if (errno != EISDIR && errno != EPERM)
                return -errno;
        if (unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
                return 0;
        return errno == ENOTEMPTY || errno == EEXIST ? -EISDIR : -errno;
}

/* Empties what it can of an open folder: 1 with the folder in it that is to be emptied first, 0, or -errno. */
static int empty_folder(DIR *folder, char **ret_inner) {
        int error = 0;

        rewinddir(folder);
        for (;;) {
                const struct dirent *entry;
                int r;

                errno = 0;
                entry = readdir(folder);
                if (!entry)
                        return errno != 0 ? -errno : error;
                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                        continue;
                r = remove_entry(dirfd(folder), entry->d_name);
                if (r == -EISDIR) {
                        *ret_inner = strdup(entry->d_name);
                        return *ret_inner ? 1 : -ENOMEM;
                }
                if (r < 0)
                        error = r;
        }
}

static DIR *open_folder(int parent, const char *name) {
        int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        DIR *folder = fd < 0 ? NULL : fdopendir(fd);

        if (!folder && fd >= 0)
                close(fd);
        return folder;
}

/* Removes @name of @parent, the innermost first. */
static int remove_folder(int parent, const char *name) {
        DIR *folders[DEPTH_MAX];
        char *names[DEPTH_MAX];
        size_t depth = 1;
        int r = 0;

        folders[0] = open_folder(parent, name);
        if (!folders[0])
                return -errno;
        names[0] = NULL;
        while (depth > 0) {
                char *inner = NULL;

                r = r < 0 ? r : empty_folder(folders[depth - 1], &inner);
                if (r > 0 && depth < DEPTH_MAX && (folders[depth] = open_folder(dirfd(folders[depth - 1]), inner))) {
                        names[depth++] = inner;
                        continue;
                }
                if (r > 0) {
                        r = depth == DEPTH_MAX ? -ELOOP : -errno;
                        free(inner);
                }
                closedir(folders[--depth]);
                if (depth > 0 && r == 0 && unlinkat(dirfd(folders[depth - 1]), names[depth], AT_REMOVEDIR) < 0)
                        r = -errno;
                free(names[depth]);
        }
        return r < 0 ? r : remove_entry(parent, name);
}

/* Who may be in there is not the unit: only the link goes, and nothing that somebody has put in its place. */
static int remove_link(int folder, const char *name) {
        char target;

        return readlinkat(folder, name, &target, 1) < 0 ? 0 : remove_entry(folder, name);
}

static int remove_all(int folder, const char *name) {
        int r = remove_entry(folder, name);

        return r == -EISDIR ? remove_folder(folder, name) : r;
}

static int remove_below(int base, const char *path, int (*remove_it)(int folder, const char *name)) {
        const char *slash = strrchr(path, '/');
        int parent = base, r;

        /* The folders on the way: none of them may be a symlink. */
        for (const char *at = path; slash && at <= slash;) {
                cleanup_free_ char *name = strndup(at, strcspn(at, "/"));
                int next = name ? openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
                int error = errno;

                if (parent != base)
                        close(parent);
                if (next < 0)
                        return error == ENOENT ? 0 : -error;
                parent = next;
                at += strcspn(at, "/") + 1;
        }
        r = remove_it(parent, slash ? slash + 1 : path);
        if (parent != base)
                close(parent);
        return r;
}

int exec_remove_tree(const char *path) {
        const char *name = strrchr(path, '/');
        cleanup_free_ char *folder = name ? strndup(path, (size_t) (name - path) + 1) : NULL;
        int base, r;

        if (!folder)
                return name ? -ENOMEM : -EINVAL;
        base = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (base < 0)
                return errno == ENOENT ? 0 : -errno;
        r = remove_below(base, name + 1, remove_all);
        close(base);
        return r;
}

int exec_directory_remove_below(const char *base, const char *path, bool is_link) {
        int fd = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC), r;

        if (fd < 0)
                return errno == ENOENT ? 0 : -errno;
        r = remove_below(fd, path, is_link ? remove_link : remove_all);
        close(fd);
        return r;
}

static int remove_private(int base, const char *name) {
        cleanup_free_ char *path = NULL;
        int r = text_format(&path, EXEC_PRIVATE_FOLDER "/%s", name);

        return r < 0 ? r : remove_below(base, path, remove_all);
}

int exec_directory_remove(const ExecTerms *terms, ExecDirectoryKind kind, bool is_user) {
        cleanup_free_ char *base = NULL;
        int r, fd, error = 0;

        if (!terms->directories[kind].paths)
                return 0;
        r = exec_directory_base(kind, is_user, &base);
        if (r < 0)
                return r;
        fd = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? 0 : -errno;
        strv_foreach(entry, terms->directories[kind].paths) {
                const char *colon = strchr(*entry, ':');
                cleanup_free_ char *path = strndup(*entry, strcspn(*entry, ":"));

                r = path ? remove_below(fd, path, remove_all) : -ENOMEM;
                if (r == 0 && colon)
                        r = remove_below(fd, colon + 1, remove_link);
                if (r == 0 && exec_directory_is_private(terms, kind))
                        r = remove_private(fd, path);
                error = error < 0 ? error : r;
        }
        close(fd);
        return error;
}

static bool is_users_manager;

void exec_directory_set_user(bool is_user) {
        is_users_manager = is_user;
}

bool exec_directory_is_user(void) {
        return is_users_manager;
}

void exec_directory_drop_secrets(const ExecTerms *terms, const char *unit) {
        cleanup_free_ char *base = NULL;
        cleanup_free_ char *secrets = NULL;

        if (!terms || (!terms->load_credentials && !terms->set_credentials))
                return;
        if (exec_directory_base(EXEC_DIRECTORY_RUNTIME, is_users_manager, &base) == 0 &&
            text_format(&secrets, "%s/credentials/%s", base, unit) == 0)
                (void) exec_remove_tree(secrets);
}

void exec_directory_leave(const ExecTerms *terms, const char *unit, bool restarts) {
        if (terms->preserve == EXEC_PRESERVE_NO || (terms->preserve == EXEC_PRESERVE_RESTART && !restarts))
                (void) exec_directory_remove(terms, EXEC_DIRECTORY_RUNTIME, is_users_manager);
        exec_directory_drop_secrets(terms, unit);
}
