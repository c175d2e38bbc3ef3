/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removal of trees that units have filled
 *
 * The walk uses descriptors, so a writer in the tree cannot redirect it by a
 * symlink. Depth is not limited: folders that are too deep are moved up to the
 * top first.
 *
 * The manager must not wait for work whose length a unit determines. With
 * EXEC_REMOVE_SOON the manager removes only small trees itself; it moves
 * others aside in one step, out of the way of the unit's next start, and a
 * forked copy of the manager (which may use the C library) removes them there.
 * If that copy dies, the next manager finds them.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/exec_remove.h"

/* descriptors open at once */
#define DEPTH_MAX 32U
/* the number of entries that count as small */
#define LITTLE 128U
#define NAMES_MAX 64

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)

typedef struct Removal {
        bool is_limited;                /* at most .left entries, and nothing that may block */
        size_t left;
        bool has_raised;                /* something was moved to the top since reading began */
        unsigned n_names;
        int error;                      /* of the first entry that could not be removed */
} Removal;

static void note(Removal *removal, int error) {
        if (removal->error == 0)
                removal->error = error;
}

/* Removes @name from @folder if one call suffices: 0, -EISDIR if it is a non-empty directory, or -errno. */
static int remove_entry(int folder, const char *name) {
        if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
                return 0;
        if (errno != EISDIR && errno != EPERM)
                return -errno;
        if (unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
                return 0;
        return errno == ENOTEMPTY || errno == EEXIST ? -EISDIR : -errno;
}

/* For kernels that cannot refuse mounts by themselves. */
static int open_on_device(int parent, const char *name) {
        struct stat here, there;
        int fd = openat(parent, name, FOLDER_FLAGS);

        if (fd < 0)
                return -errno;
        if (fstat(parent, &here) == 0 && fstat(fd, &there) == 0 && here.st_dev == there.st_dev)
                return fd;
        close(fd);
        return -EXDEV;
}

/* Opens a folder that is no mount, or -errno; -E2BIG: it may take long. */
static int open_folder(const Removal *removal, int parent, const char *name) {
        struct open_how how = { .flags = FOLDER_FLAGS, .resolve = RESOLVE_NO_XDEV };
        int fd = (int) syscall(SYS_openat2, parent, name, &how, sizeof(how));

        if (fd >= 0)
                return fd;
        if (errno != ENOSYS && errno != EPERM)
                return -errno;
        return removal->is_limited ? -E2BIG : open_on_device(parent, name);
}

static int open_stream(int fd, DIR **ret_stream) {
        if (fd < 0)
                return fd;
        *ret_stream = fdopendir(fd);
        if (*ret_stream)
                return 0;
        close(fd);
        return -ENOMEM;
}

/* Opens a subfolder: 1, or -errno. */
static int open_inner(const Removal *removal, int parent, const char *name, DIR **ret_inner, char **ret_name) {
        int r = open_stream(open_folder(removal, parent, name), ret_inner);

        if (r < 0)
                return r == -ENOENT ? 0 : r;
        *ret_name = strdup(name);
        if (*ret_name)
                return 1;
        closedir(*ret_inner);
        return -ENOMEM;
}

/* Continues in an open folder: 1 with the next subfolder that must be emptied first, 0 at the end, or -E2BIG. */
static int empty_folder(Removal *removal, DIR *folder, DIR **ret_inner, char **ret_name) {
        for (;;) {
                const struct dirent *entry;
                int r;

                errno = 0;
                entry = readdir(folder);
                if (!entry) {
                        note(removal, -errno);
                        return 0;
                }
                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                        continue;
                if (removal->is_limited && removal->left-- == 0)
                        return -E2BIG;
                r = remove_entry(dirfd(folder), entry->d_name);
                if (r == -EISDIR)
                        r = open_inner(removal, dirfd(folder), entry->d_name, ret_inner, ret_name);
                if (r > 0 || r == -E2BIG)
                        return r;
                note(removal, r);
        }
}

/* Moves an entry to @to under an unused name: 0 or -errno. */
static int move(int from, const char *name, int to, const char *prefix, unsigned *n_names,
                char new_name[static NAMES_MAX]) {
        for (unsigned tries = 0; tries < 1000; tries++) {
                snprintf(new_name, NAMES_MAX, "%s-%d-%u", prefix, (int) getpid(), (*n_names)++);
                if (renameat2(from, name, to, new_name, RENAME_NOREPLACE) == 0)
                        return 0;
                if (errno != EEXIST)
                        return -errno;
        }
        return -EEXIST;
}

static void raise_folder(Removal *removal, DIR *parent, const char *name, DIR *top) {
        char new_name[NAMES_MAX];
        int r = move(dirfd(parent), name, dirfd(top), "removed", &removal->n_names, new_name);

        removal->has_raised = removal->has_raised || r == 0;
        note(removal, r);
}

/* Empties @top, each folder after its contents. 0 or -E2BIG. */
static int empty_tree(Removal *removal, DIR *top) {
        DIR *folders[DEPTH_MAX + 1] = { top };
        char *names[DEPTH_MAX + 1];
        size_t depth = 0;
        int r = 0;

        for (;;) {
                if (r == 0)
                        r = empty_folder(removal, folders[depth], &folders[depth + 1], &names[depth + 1]);
                if (r > 0 && ++depth < DEPTH_MAX) {
                        r = 0;
                        continue;
                }
                if (depth == 0)
                        return r;
                closedir(folders[depth]);
                if (r > 0)
                        raise_folder(removal, folders[depth - 1], names[depth], top);
                else if (r == 0 && unlinkat(dirfd(folders[depth - 1]), names[depth], AT_REMOVEDIR) < 0 &&
                         errno != ENOENT)
                        note(removal, -errno);
                free(names[depth--]);
                r = MIN(r, 0);
        }
}

/* A unit's own folder may be a mount; its contents are the unit's. */
static int open_top(const Removal *removal, int parent, const char *name) {
        int fd;

        if (removal->is_limited)
                return open_folder(removal, parent, name);
        fd = openat(parent, name, FOLDER_FLAGS);
        return fd < 0 ? -errno : fd;
}

static int remove_folder(Removal *removal, int parent, const char *name) {
        DIR *top;
        int r;

        r = open_stream(open_top(removal, parent, name), &top);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        do {
                removal->has_raised = false;
                rewinddir(top);
                r = empty_tree(removal, top);
        } while (r == 0 && removal->has_raised);
        closedir(top);
        if (r == 0)
                r = remove_entry(parent, name);
        return r == -EISDIR && removal->error < 0 ? removal->error : r;
}

static int remove_all(int folder, const char *name) {
        Removal removal = {};
        int r = remove_entry(folder, name);

        return r == -EISDIR ? remove_folder(&removal, folder, name) : r;
}

static int remove_little(int folder, const char *name) {
        Removal removal = { .is_limited = true, .left = LITTLE };
        int r = remove_entry(folder, name);

        return r == -EISDIR ? remove_folder(&removal, folder, name) : r;
}

/* Other users may have access to the folder: only a link is removed, nothing that has replaced it. */
static int remove_link(int folder, const char *name) {
        char target;

        return readlinkat(folder, name, &target, 1) < 0 ? 0 : remove_entry(folder, name);
}

/* — aside — */

static bool has_leftovers;              /* entries that no background process removes */

/* Opens the folder for moved trees, "jobd/removed" below @base, which only the owner may enter. */
static int open_aside(int base, bool makes) {
        static const struct {
                const char *name;
                mode_t mode;
        } steps[] = { { "jobd", 0755 }, { "removed", 0700 } };
        struct stat status;
        int at = base;

        for (size_t i = 0; i < ELEMENTSOF(steps); i++) {
                int outer = at, r = 0;

                if (makes && mkdirat(outer, steps[i].name, steps[i].mode) < 0 && errno != EEXIST)
                        r = -errno;
                at = r < 0 ? r : openat(outer, steps[i].name, FOLDER_FLAGS);
                r = r < 0 ? r : -errno;
                if (outer != base)
                        close(outer);
                if (at < 0)
                        return r;
        }
        if (fstat(at, &status) == 0 && status.st_uid == geteuid())
                return at;
        close(at);
        return -EPERM;
}

static void remove_all_in(int folder) {
        DIR *stream = fdopendir(folder);
        const struct dirent *entry;

        while (stream && (entry = readdir(stream)))
                if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                        (void) remove_all(folder, entry->d_name);
}

/* Forks a process that removes @name, or everything for NULL. */
static void remove_in_background(int aside, const char *name) {
        const int kept = STDERR_FILENO + 1;
        sigset_t none;
        pid_t pid;

        pid = fork();
        if (pid < 0)
                has_leftovers = true;
        if (pid > 0 && !name)
                has_leftovers = false;
        if (pid != 0)
                return;
        (void) dup2(aside, kept);
        (void) close_range((unsigned) kept + 1, ~0U, 0);
        signal(SIGTERM, SIG_DFL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (name)
                (void) remove_all(kept, name);
        else
                remove_all_in(kept);
        _exit(EXIT_SUCCESS);
}

static int set_aside(int base, int folder, const char *name) {
        static unsigned n_names;
        char new_name[NAMES_MAX];
        int aside, r;

        aside = open_aside(base, true);
        if (aside < 0)
                return aside;
        r = move(folder, name, aside, "unit", &n_names, new_name);
        if (r == 0)
                remove_in_background(aside, has_leftovers ? NULL : new_name);
        close(aside);
        return r == -ENOENT ? 0 : r;
}

void exec_remove_leftovers(const char *base) {
        int fd = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC), aside;
        struct stat status;

        if (fd < 0)
                return;
        aside = open_aside(fd, false);
        /* A link count other than 2 means that there are subfolders. */
        if (aside >= 0 && fstat(aside, &status) == 0 && status.st_nlink != 2)
                remove_in_background(aside, NULL);
        if (aside >= 0)
                close(aside);
        close(fd);
}

/* — finding the entry — */

static int remove_at(int base, int folder, const char *name, ExecRemoveHow how) {
        int r = 0;

        switch (how) {
        case EXEC_REMOVE_ALL:
                return remove_all(folder, name);
        case EXEC_REMOVE_LINK:
                return remove_link(folder, name);
        case EXEC_REMOVE_SOON:
                r = remove_little(folder, name);
                return r == -E2BIG ? set_aside(base, folder, name) : r;
        }
        return r;
}

int exec_remove_below(int base, const char *path, ExecRemoveHow how) {
        const char *slash = strrchr(path, '/');
        int parent = base, r;

        /* No folder on the way may be a symlink. */
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
        r = remove_at(base, parent, slash ? slash + 1 : path, how);
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
        r = exec_remove_below(base, name + 1, EXEC_REMOVE_ALL);
        close(base);
        return r;
}
