/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that jobd-log writes
 *
 * A full file is renamed, never copied: a reader that has it open reads to
 * its end and then opens the next one. Others may delete or rename files, or
 * mount something over them: after each second of writing the daemon checks
 * that the name still refers to the open file.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd_write.h"
#include "basic/text.h"
#include "log/log_file.h"
#include "log/log_record.h"

#define FILE_MODE 0640
#define FOLDER_MODE 0755

/* After this part of the allowed space was written, the total is checked. */
#define VACUUM_PART 16U
#define VACUUM_BYTES_MAX (UINT64_C(64) * 1024 * 1024)

/* The part of the allowed space for one file, so that many units can share the space. */
#define FILE_PART 8U

int log_files_init(LogFiles *files, LogHeader *header) {
        *files = (LogFiles) { .header = header, .folder_fd = -1 };
        return log_files_choose_folder(files);
}

static void close_file(LogFile *file) {
        if (file->fd >= 0)
                close(file->fd);
        file->fd = -1;
        file->generation = 0;
}

static void free_file(LogFile *file) {
        close_file(file);
        free(file->unit);
        free(file);
}

void log_files_deinit(LogFiles *files) {
        for (size_t i = 0; i < files->items.n; i++)
                free_file(files->items.items[i]);
        vector_deinit(&files->items);
        if (files->folder_fd >= 0)
                close(files->folder_fd);
        *files = (LogFiles) { .folder_fd = -1 };
}

/* — folders — */

static int make_folders(const char *path) {
        char part[LOG_PATH_BYTES];

        snprintf(part, sizeof(part), "%s", path);
        for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                if (mkdir(part, FOLDER_MODE) < 0 && errno != EEXIST)
                        return -errno;
                *slash = '/';
        }
        return mkdir(part, FOLDER_MODE) < 0 && errno != EEXIST ? -errno : 0;
}

/* A descriptor of the folder, if files can be created in it. */
static int open_folder(const char *path) {
        int r, fd, probe;

        if (path[0] == '\0')
                return -ENOENT;
        r = make_folders(path);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return r < 0 ? r : -errno;
        probe = faccessat(fd, ".", W_OK, AT_EACCESS);
        if (probe == 0)
                return fd;
        r = -errno;
        close(fd);
        return r;
}

int log_files_choose_folder(LogFiles *files) {
        const LogSettings *settings = &files->header->settings;
        int fd = open_folder(settings->directory);
        bool is_other = fd < 0;

        if (fd < 0)
                fd = open_folder(settings->other_directory);
        if (fd < 0)
                return fd;
        if (files->folder_fd >= 0)
                close(files->folder_fd);
        for (size_t i = 0; i < files->items.n; i++)
                close_file(files->items.items[i]);
        files->folder_fd = fd;
        log_store(&files->header->is_in_other, is_other);
        return 0;
}

/* — choice of a file — */

static LogFile *find_oldest(LogFiles *files) {
        LogFile *oldest = files->items.items[0];

        for (size_t i = 1; i < files->items.n; i++)
                if (files->items.items[i]->used < oldest->used)
                        oldest = files->items.items[i];
        return oldest;
}

static void make_room(LogFiles *files) {
        LogFile *oldest;

        if (files->items.n < LOG_FILES_OPEN)
                return;
        oldest = find_oldest(files);
        for (size_t i = 0; i < files->items.n; i++)
                if (files->items.items[i] == oldest)
                        files->items.items[i] = vector_pop(&files->items);
        free_file(oldest);
}

int log_files_find(LogFiles *files, const char *unit, LogFile **ret_file) {
        LogFile *file;

        for (size_t i = 0; i < files->items.n; i++)
                if (strcmp(files->items.items[i]->unit, unit) == 0) {
                        *ret_file = files->items.items[i];
                        return 0;
                }
        make_room(files);
        file = calloc(1, sizeof(*file));
        if (!file)
                return -ENOMEM;
        file->fd = -1;
        file->unit = strdup(unit);
        if (!file->unit || vector_push(&files->items, file) < 0) {
                free_file(file);
                return -ENOMEM;
        }
        *ret_file = file;
        return 0;
}

/* — one file — */

/* The time of the first record. The clock may have been set since, so a time in the future counts as now. */
static usec_t read_beginning(int fd, usec_t realtime) {
        char bytes[2048];
        ssize_t n = pread(fd, bytes, sizeof(bytes) - 1, 0);
        const char *line;
        uint64_t begun;

        if (n <= 0)
                return realtime;
        bytes[n] = '\0';
        line = strchr(bytes, '\n');
        return line && sscanf(line + 1, "%" SCNu64, &begun) == 1 && begun < realtime ? begun : realtime;
}

int log_file_open(LogFiles *files, LogFile *file, usec_t realtime) {
        char name[LOG_FILE_NAME_MAX];
        struct stat status;

        if (file->fd >= 0)
                return 0;
        if (files->folder_fd < 0)
                return -ENOENT;
        file->fd = openat(files->folder_fd, log_file_name(file->unit, name),
                          O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
        if (file->fd < 0)
                return -errno;
        if (fstat(file->fd, &status) < 0 || !S_ISREG(status.st_mode)) {
                close_file(file);
                return -EBADF;
        }
        file->inode = (uint64_t) status.st_ino;
        file->size = (uint64_t) status.st_size;
        file->begun = read_beginning(file->fd, realtime);
        file->generation = 0;
        return 0;
}

/* Whether the name still refers to the open file, and the file was not truncated. */
static bool is_there(LogFiles *files, LogFile *file) {
        char name[LOG_FILE_NAME_MAX];
        struct stat own, found;

        if (fstat(file->fd, &own) < 0 || fstatat(files->folder_fd, log_file_name(file->unit, name), &found, 0) < 0)
                return false;
        file->size = (uint64_t) own.st_size;
        return own.st_ino == found.st_ino && own.st_dev == found.st_dev && own.st_size > 0;
}

static uint64_t size_limit(const LogFiles *files) {
        const LogSettings *settings = &files->header->settings;
        uint64_t part = settings->size_max / FILE_PART;

        if (settings->size_max == 0 || settings->size_max == LOG_AUTOMATIC)
                return settings->file_size_max;
        return settings->file_size_max == 0 ? part : MIN(settings->file_size_max, part);
}

static bool is_full(const LogFiles *files, const LogFile *file, usec_t realtime, uint64_t extra) {
        const uint64_t max = size_limit(files);
        const usec_t age = files->header->settings.file_age_max;

        if (file->size == 0)
                return false;
        return (max > 0 && file->size + extra > max) || (age > 0 && realtime > usec_add(file->begun, age));
}

/*
 * The names of files give their order even if the clock is wrong: each later name has a later time, if need be one in
 * the future.
 */
static void rename_file(LogFiles *files, const LogFile *file, usec_t realtime) {
        char name[LOG_FILE_NAME_MAX], complete[LOG_FILE_NAME_MAX + 24];
        usec_t last;

        last = log_files_find_last(files, log_file_name(file->unit, name));
        realtime = MAX(realtime, last + 1);
        do
                snprintf(complete, sizeof(complete), "%s.%" PRIu64, name, realtime++);
        while (faccessat(files->folder_fd, complete, F_OK, 0) == 0);
        (void) renameat(files->folder_fd, name, files->folder_fd, complete);
}

static uint64_t bytes_until_vacuum(const LogFiles *files) {
        const uint64_t max = files->header->settings.size_max;

        return max == 0 ? VACUUM_BYTES_MAX : MIN(max / VACUUM_PART, VACUUM_BYTES_MAX);
}

int log_file_prepare(LogFiles *files, LogFile *file, usec_t realtime, usec_t monotonic, uint64_t extra) {
        int r;

        file->used = monotonic;
        if (files->since_vacuum > bytes_until_vacuum(files))
                log_files_vacuum(files, realtime);
        if (file->fd >= 0 && monotonic - file->looked >= USEC_PER_SEC) {
                file->looked = monotonic;
                if (!is_there(files, file))
                        close_file(file);
        }
        r = log_file_open(files, file, realtime);
        if (r < 0 || !is_full(files, file, realtime, extra))
                return r;
        rename_file(files, file, realtime);
        close_file(file);
        log_files_vacuum(files, realtime);
        return log_file_open(files, file, realtime);
}

void log_file_cut(LogFile *file, uint64_t size) {
        (void) !ftruncate(file->fd, (off_t) size);
        file->size = size;
        file->generation = 0;
}

int log_file_append(LogFiles *files, LogFile *file, const char *bytes, size_t n) {
        int r = fd_write_all(file->fd, bytes, n);

        if (r < 0) {
                log_file_cut(file, file->size);
                return r;
        }
        file->size += n;
        file->since_context += n;
        files->since_vacuum += n;
        return 0;
}

void log_files_rotate(LogFiles *files, usec_t realtime) {
        for (size_t i = 0; i < files->items.n; i++) {
                LogFile *file = files->items.items[i];

                if (file->fd >= 0 && file->size > 0)
                        rename_file(files, file, realtime);
                close_file(file);
        }
}
