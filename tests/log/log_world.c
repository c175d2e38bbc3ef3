/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A jobd-log with streams, without a core
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "basic/vector.h"
#include "double/double_assert.h"
#include "log/log_world.h"

LogWorld log_world;

static void nap(void) {
        nanosleep(&(struct timespec) { .tv_nsec = 1000000 }, NULL);
}

void log_world_begin(void) {
        log_world = (LogWorld) { .alive = -1 };
        strcpy(log_world.folder, "/tmp/test-log-XXXXXX");
        cr_assert(mkdtemp(log_world.folder) != NULL);
        snprintf(log_world.streams, sizeof(log_world.streams), "%s/streams", log_world.folder);
        snprintf(log_world.logs, sizeof(log_world.logs), "%s/logs", log_world.folder);
        cr_assert(eq(int, log_table_open(&log_world.table, log_world.streams, true), 0));
        snprintf(log_world.table.header->settings.directory, LOG_PATH_BYTES, "%s", log_world.logs);
        log_world.alive = log_table_open_fifo(&log_world.table, "alive", O_RDONLY, true);
        log_world.stage = log_table_open_fifo(&log_world.table, "stage", O_RDWR, true);
        cr_assert(log_world.alive >= 0 && log_world.stage >= 0);
}

static void remove_folder(const char *path) {
        DIR *folder = opendir(path);

        if (!folder)
                return;
        for (struct dirent *entry; (entry = readdir(folder));)
                (void) unlinkat(dirfd(folder), entry->d_name, 0);
        closedir(folder);
        rmdir(path);
}

void log_world_end(void) {
        if (log_world.daemon > 0)
                log_world_kill_daemon(SIGKILL);
        for (uint32_t i = 0; i < log_world.table.header->n_streams; i++)
                close(log_world.fds[i]);
        close(log_world.alive);
        close(log_world.stage);
        log_table_close(&log_world.table);
        remove_folder(log_world.streams);
        remove_folder(log_world.logs);
        cr_assert(eq(int, rmdir(log_world.folder), 0));
}

void log_world_start_daemon(void) {
        log_world.daemon = fork();
        if (log_world.daemon == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                execl(JOBD_LOG_PROGRAM, "jobd-log", log_world.streams, NULL);
                _exit(127);
        }
        cr_assert(log_world.daemon > 0);
        while (!log_is_alive(log_world.alive)) {
                cr_assert(eq(int, waitpid(log_world.daemon, NULL, WNOHANG), 0));
                nap();
        }
}

void log_world_kill_daemon(int signal) {
        kill(log_world.daemon, signal);
        waitpid(log_world.daemon, NULL, 0);
        log_world.daemon = 0;
}

uint32_t log_world_add_stream(const char *unit) {
        uint32_t number = log_world.table.header->n_streams;
        LogStream *stream = &log_world.table.streams[number];
        int control;

        cr_assert(eq(int, log_table_reserve(&log_world.table, number), 0));
        log_world.fds[number] = log_table_open_stream(&log_world.table, number, true);
        cr_assert(log_world.fds[number] >= 0);
        snprintf(stream->unit, sizeof(stream->unit), "%s", unit);
        snprintf(stream->identifier, sizeof(stream->identifier), "test");
        memset(stream->invocation, 0xab, sizeof(stream->invocation));
        stream->level = 6;
        stream->level_max = 7;
        stream->flags = LOG_STREAM_LEVEL_PREFIX;
        log_store(&stream->generation, 1);
        log_store(&log_world.table.header->n_streams, number + 1);
        control = log_table_open_fifo(&log_world.table, "control", O_RDWR, true);
        cr_assert(eq(int, (int) write(control, "n", 1), 1));
        if (log_world.daemon == 0)
                close(control);         /* otherwise lost with the FIFO's contents if no process has it open */
        return number;
}

int log_world_open(uint32_t stream) {
        char name[LOG_STREAM_NAME_MAX];
        int fd = openat(log_world.table.folder_fd, log_stream_name(stream, name), O_WRONLY | O_CLOEXEC);

        cr_assert(fd >= 0);
        return fd;
}

void log_world_write(int fd, const char *text) {
        cr_assert(eq(int, (int) write(fd, text, strlen(text)), (int) strlen(text)));
}

/* — reading — */

typedef VECTOR(LogWorldRecord) Records;

static void read_file(const char *path, uint32_t number, Records *records) {
        FILE *file = fopen(path, "re");
        char *line = NULL, *unit = NULL, *invocation = NULL;
        size_t size = 0;
        int pid = 0;
        ssize_t n;

        if (!file)
                return;
        while ((n = getline(&line, &size, file)) > 0 && line[n - 1] == '\n') {
                LogContext context;
                LogRecord record;
                int r = log_line_read(line, (size_t) n - 1, &context, &record);

                cr_assert(ge(int, r, 0), "not a line of a log: %s", line);
                if (r == 1) {
                        free(unit);
                        free(invocation);
                        unit = strdup(context.unit);
                        invocation = strdup(context.invocation ?: "");
                        pid = context.pid;
                        continue;
                }
                cr_assert(unit != NULL, "a record without a context");
                record.message = strndup(record.message, record.length);
                vector_push(records, ((LogWorldRecord) { .record = record, .unit = strdup(unit),
                                                          .invocation = strdup(invocation), .pid = pid, .file = number }));
        }
        free(line);
        free(unit);
        free(invocation);
        fclose(file);
}

typedef struct Name {
        char name[256];
        usec_t time;
} Name;

static int compare(const void *a, const void *b) {
        const Name *first = a, *second = b;
        usec_t x = first->time ?: USEC_INFINITY, y = second->time ?: USEC_INFINITY;

        return (x > y) - (x < y);
}

static size_t list(const char *unit, Name names[static 256]) {
        char wanted[LOG_FILE_NAME_MAX];
        DIR *folder = opendir(log_world.logs);
        size_t n = 0, length;

        if (unit)
                log_file_name(unit, wanted);
        for (struct dirent *entry; folder && (entry = readdir(folder));)
                if (log_file_name_read(entry->d_name, &length, &names[n].time) &&
                    (!unit || (strlen(wanted) == length && strncmp(entry->d_name, wanted, length) == 0))) {
                        snprintf(names[n].name, sizeof(names[n].name), "%s", entry->d_name);
                        n++;
                }
        if (folder)
                closedir(folder);
        qsort(names, n, sizeof(*names), compare);
        return n;
}

/* Whether the files are still the listed ones; otherwise the newest may have been renamed before it was read. */
static bool still_there(const char *unit, const Name names[static 256], size_t n) {
        static Name now[256];

        if (list(unit, now) != n)
                return false;
        for (size_t i = 0; i < n; i++)
                if (strcmp(now[i].name, names[i].name) != 0)
                        return false;
        return true;
}

size_t log_world_read(const char *unit, size_t n, LogWorldRecord **ret_records) {
        for (;;) {
                static Name names[256];
                Records records = {};
                size_t n_files = list(unit, names);

                for (size_t i = 0; i < n_files; i++) {
                        char path[512];

                        snprintf(path, sizeof(path), "%s/%.255s", log_world.logs, names[i].name);
                        read_file(path, (uint32_t) i, &records);
                }
                if (records.n >= n && still_there(unit, names, n_files)) {
                        *ret_records = records.items;
                        return records.n;
                }
                log_world_free(records.items, records.n);
                nap();
        }
}

void log_world_free(LogWorldRecord *records, size_t n) {
        for (size_t i = 0; i < n; i++) {
                free((char *) records[i].record.message);
                free(records[i].unit);
                free(records[i].invocation);
        }
        free(records);
}

size_t log_world_count_files(uint64_t *ret_size) {
        static Name names[256];
        size_t n = list(NULL, names);

        *ret_size = 0;
        for (size_t i = 0; i < n; i++) {
                char path[512];
                struct stat status;

                snprintf(path, sizeof(path), "%s/%.255s", log_world.logs, names[i].name);
                if (stat(path, &status) == 0)
                        *ret_size += (uint64_t) status.st_size;
        }
        return n;
}
