/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The log files and the space that they may take
 *
 * Complete files are deleted first, the oldest first; then the current ones,
 * as the limit is a limit.
 *
 * If the clock was wrong, the name of a file may have a time in the future,
 * and so have the later names of that unit, to keep their order. Then the
 * records of the file decide. If these are in the future, too, the age of the
 * file is unknown: it is not too old, as the clock may be wrong now, but it
 * is deleted before files of known age.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "log/log_file.h"
#include "log/log_record.h"

#define MEBIBYTE (UINT64_C(1024) * 1024)
#define AUTOMATIC_MAX (1024 * MEBIBYTE)
#define AUTOMATIC_PART 10U              /* of the file system */
#define AUTOMATIC_FREE_PART 20U
/* Kept even if others have filled the file system, as they must not be able to remove the logs. */
#define KEPT_ANYWAY (16 * MEBIBYTE)

/* Beyond any real clock: jobd-log did not make such a name. */
#define REALTIME_MAX (UINT64_MAX / 2)

typedef struct Found {
        char *name;                     /* owned */
        uint64_t size;
        usec_t time;                    /* the time of the last write */
        bool is_current;
        bool is_ahead;                  /* the time is in the future */
} Found;

typedef struct Census {
        VECTOR(Found) files;
        uint64_t size;
} Census;

static void census_deinit(Census *census) {
        for (size_t i = 0; i < census->files.n; i++)
                free(census->files.items[i].name);
        vector_deinit(&census->files);
}

static int compare(const void *a, const void *b) {
        const Found *first = a, *second = b;

        if (first->is_current != second->is_current)
                return first->is_current ? 1 : -1;
        if (first->is_ahead != second->is_ahead)
                return first->is_ahead ? -1 : 1;
        return (first->time > second->time) - (first->time < second->time);
}

static void close_folder(DIR **folder) {
        if (*folder)
                closedir(*folder);
}

static int count_file(Census *census, int folder_fd, const char *name, usec_t realtime) {
        Found found = {};
        struct stat status;
        usec_t written;
        size_t length;
        int r;

        if (!log_file_name_read(name, &length, &found.time) ||
            fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
                return 0;
        found.is_current = found.time == 0;
        written = (usec_t) MAX(status.st_mtim.tv_sec, 0) * USEC_PER_SEC;
        if (found.is_current || found.time > realtime)
                found.time = written;
        found.is_ahead = found.time > realtime;
        found.size = (uint64_t) status.st_blocks * 512;
        found.name = strdup(name);
        r = found.name ? vector_push(&census->files, found) : -ENOMEM;
        if (r < 0)
                free(found.name);
        else
                census->size += found.size;
        return r;
}

static DIR *open_folder(int folder_fd) {
        int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *folder = fd < 0 ? NULL : fdopendir(fd);

        if (!folder && fd >= 0)
                close(fd);
        return folder;
}

usec_t log_files_find_last(const LogFiles *files, const char *name) {
        cleanup_(close_folder) DIR *folder = open_folder(files->folder_fd);
        const size_t length = strlen(name);
        usec_t last = 0;

        for (struct dirent *entry; folder && (entry = readdir(folder));) {
                usec_t time;
                size_t n;

                if (log_file_name_read(entry->d_name, &n, &time) && n == length &&
                    memcmp(entry->d_name, name, n) == 0 && time <= REALTIME_MAX)
                        last = MAX(last, time);
        }
        return last;
}

static int take_census(int folder_fd, Census *census, usec_t realtime) {
        cleanup_(close_folder) DIR *folder = open_folder(folder_fd);
        int r = 0;

        if (!folder)
                return -errno;
        for (struct dirent *entry; r == 0 && (entry = readdir(folder));)
                r = count_file(census, folder_fd, entry->d_name, realtime);
        if (census->files.n > 0)
                qsort(census->files.items, census->files.n, sizeof(*census->files.items), compare);
        return r;
}

/* The space that the files may take, given the space that must stay free. */
static uint64_t size_allowed(const LogFiles *files, uint64_t used) {
        const LogSettings *settings = &files->header->settings;
        uint64_t size, available, max = settings->size_max, keep = settings->keep_free;
        struct statvfs status;

        if (fstatvfs(files->folder_fd, &status) < 0)
                return max == LOG_AUTOMATIC || max == 0 ? AUTOMATIC_MAX : max;
        size = (uint64_t) status.f_blocks * status.f_frsize;
        available = (uint64_t) status.f_bavail * status.f_frsize;
        if (max == LOG_AUTOMATIC)
                max = MIN(size / AUTOMATIC_PART, AUTOMATIC_MAX);
        if (keep == LOG_AUTOMATIC)
                keep = MIN(size / AUTOMATIC_FREE_PART, AUTOMATIC_MAX);
        if (max == 0)
                max = UINT64_MAX;
        keep = available + used < keep ? 0 : available + used - keep;
        return MIN(max, MAX(keep, (uint64_t) KEPT_ANYWAY));
}

/* The writer begins a new file when it finds that the name is gone. */
static void forget_current(LogFiles *files) {
        for (size_t i = 0; i < files->items.n; i++)
                files->items.items[i]->looked = 0;
}

void log_files_vacuum(LogFiles *files, usec_t realtime) {
        const usec_t age = files->header->settings.age_max;
        cleanup_(census_deinit) Census census = {};
        uint64_t allowed;

        files->since_vacuum = 0;
        if (files->folder_fd < 0)
                return;
        (void) take_census(files->folder_fd, &census, realtime);
        allowed = size_allowed(files, census.size);
        for (size_t i = 0; i < census.files.n; i++) {
                const Found *found = &census.files.items[i];
                bool is_old = age > 0 && realtime > usec_add(found->time, age);

                if (census.size <= allowed && !is_old)
                        continue;
                if (unlinkat(files->folder_fd, found->name, 0) < 0)
                        continue;
                census.size -= found->size;
                if (found->is_current)
                        forget_current(files);
        }
}
