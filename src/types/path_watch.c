/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watching a path, by inotify
 *
 * Each folder on the way from the root is watched for being moved or removed.
 * A missing part can only appear in the last folder that exists, so only that
 * one is watched for new names: a busy /tmp does not wake a unit that waits
 * for something below another folder of it. A folder is watched before its
 * contents are read, so no change is missed. For a symbolic link both the link
 * and its target are watched.
 */

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "types/path.h"

#define READS_MAX 64
#define MOVED (IN_MOVE_SELF | IN_DELETE_SELF)
#define APPEARS (MOVED | IN_ATTRIB | IN_CREATE | IN_MOVED_TO)
#define CHANGES (APPEARS | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM)

static const uint32_t events_of[_PATH_KIND_MAX] = {
        [PATH_EXISTS] = MOVED | IN_ATTRIB,
        [PATH_EXISTS_GLOB] = APPEARS,
        [PATH_CHANGED] = CHANGES,
        [PATH_MODIFIED] = CHANGES | IN_MODIFY,
        [PATH_DIRECTORY_NOT_EMPTY] = APPEARS,
};

/* Watches the link and its target: the number of the latter watch, or -errno. */
static int watch_both(int fd, const char *path, uint32_t events) {
        int r = inotify_add_watch(fd, path, events | IN_DONT_FOLLOW);

        if (r >= 0)
                r = inotify_add_watch(fd, path, events);
        return r < 0 ? -errno : r;
}

/* The end of the part of @path that comes after the one that ends at @end (NULL: before the first). */
static char *next_end(char *path, const char *end) {
        char *from = path + (end ? end - path : 0);

        if (!end)
                return path + 1;        /* the root */
        from += strspn(from, "/");
        return *from ? from + strcspn(from, "/") : NULL;
}

static int watch_part(int fd, char *path, char *end, uint32_t events) {
        char kept = *end;
        int r;

        *end = '\0';
        r = watch_both(fd, path, events);
        *end = kept;
        return r;
}

int path_watch_add(const PathValue *value, PathWatch *watch) {
        cleanup_free_ char *path = strdup(value->path);
        char *before = NULL, *end;
        int r = 0;

        if (!path)
                return -ENOMEM;
        if (watch->fd < 0)
                watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (watch->fd < 0)
                return -errno;
        watch->primary = -1;
        for (end = next_end(path, NULL); end && r >= 0; end = next_end(path, end)) {
                bool is_last = !next_end(path, end);

                r = watch_part(watch->fd, path, end, is_last ? events_of[value->kind] : APPEARS);
                if (r == -ENOENT || r == -ENOTDIR || r == -EACCES || r == -ELOOP)
                        return 0;
                if (r < 0)
                        return r;
                if (before)             /* the next part exists */
                        (void) watch_part(watch->fd, path, before, MOVED);
                if (is_last)
                        watch->primary = r;
                before = end;
        }
        return r < 0 ? r : 0;
}

static bool is_change(const PathValue *value, const PathWatch *watch, const struct inotify_event *event) {
        if (value->kind != PATH_CHANGED && value->kind != PATH_MODIFIED)
                return false;
        if (event->mask & IN_Q_OVERFLOW)
                return true;
        return watch->primary >= 0 && event->wd == watch->primary && (event->mask & events_of[value->kind]);
}

bool path_watch_read(const PathValue *value, const PathWatch *watch) {
        char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
        bool has_changed = false;

        for (int i = 0; i < READS_MAX; i++) {
                ssize_t n = read(watch->fd, buffer, sizeof(buffer)), at = 0;

                if (n <= 0)
                        break;
                while (at < n) {
                        const struct inotify_event *event = (const struct inotify_event *) (const void *) (buffer + at);

                        has_changed |= is_change(value, watch, event);
                        at += (ssize_t) (sizeof(*event) + event->len);
                }
        }
        return has_changed;
}

/* — conditions — */

/* Leftovers of editors and package managers do not count. */
static bool is_leftover(const char *name) {
        static const char *const endings[] = { "~", ".bak", ".old", ".new", ".swp", ".rpmnew", ".rpmsave", ".rpmorig",
                                               ".dpkg-old", ".dpkg-new", ".dpkg-tmp", ".dpkg-dist", ".dpkg-bak",
                                               ".ucf-new", ".ucf-old", ".ucf-dist" };

        for (size_t i = 0; i < ELEMENTSOF(endings); i++)
                if (text_ends_with(name, endings[i]))
                        return true;
        return name[0] == '.';
}

static bool has_entries(const char *path) {
        const struct dirent *entry;
        DIR *folder = opendir(path);
        bool found = false;

        while (folder && !found && (entry = readdir(folder)))
                found = !is_leftover(entry->d_name);
        if (folder)
                closedir(folder);
        return found;
}

static bool has_match(const char *pattern) {
        glob_t found = {};
        int r = glob(pattern, GLOB_NOSORT | GLOB_BRACE, NULL, &found);

        globfree(&found);
        return r == 0;
}

bool path_watch_is_met(const PathValue *value, PathWatch *watch) {
        bool exists;

        switch (value->kind) {
        case PATH_EXISTS:
                return access(value->path, F_OK) == 0;
        case PATH_EXISTS_GLOB:
                return has_match(value->path);
        case PATH_DIRECTORY_NOT_EMPTY:
                return has_entries(value->path);
        case PATH_CHANGED:
        case PATH_MODIFIED:
                exists = access(value->path, F_OK) == 0;
                if (exists == watch->existed)
                        return false;
                watch->existed = exists;
                return true;
        case _PATH_KIND_MAX:
                break;
        }
        return false;
}
