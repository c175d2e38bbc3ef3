/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams, and jobd-log, which reads them
 *
 * Both outlive us: the streams are files, held open by the keeper; jobd-log is
 * the keeper's child when we are gone. So at the beginning we look what there is
 * (log_is_alive()) rather than remember it.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "manager/manager_log_private.h"

/* One that ends sooner than this after its start has come to nothing; after so many of them in a row we wait. */
#define START_COUNTS (2 * USEC_PER_SEC)
#define STARTS_MAX 5U
#define RETRY_TIME (5 * USEC_PER_SEC)

#define STREAM_FD_NAME "log/%u"
#define STAGE_FD_NAME "log/stage"
/* The keeper has room for other things, too. What is in streams above it is lost if core and jobd-log die at once. */
#define KEPT_MAX 2048U

static void close_fd(int *fd) {
        if (*fd >= 0)
                close(*fd);
        *fd = -1;
}

/* — streams — */

static int open_stream(Manager *manager, uint32_t number) {
        ManagerLog *log = manager->log;
        ManagerStream stream = {};
        char name[32];
        int r;

        snprintf(name, sizeof(name), STREAM_FD_NAME, number);
        r = text_format(&stream.path, "%s/%u", log->folder, number);
        if (r < 0)
                return r;
        stream.fd = number < KEPT_MAX ? manager_take_fd(manager, name) : -ENOENT;
        if (stream.fd < 0) {
                stream.fd = log_table_open_stream(&log->table, number, true);
                if (stream.fd >= 0 && number < KEPT_MAX)
                        (void) manager_store_fd(manager, name, stream.fd);
        }
        r = stream.fd < 0 ? stream.fd : vector_push(&log->streams, stream);
        if (r == 0)
                return 0;
        close_fd(&stream.fd);
        free(stream.path);
        return r;
}

int manager_log_add_stream(Manager *manager, uint32_t *ret_number) {
        ManagerLog *log = manager->log;
        const uint32_t number = (uint32_t) log->streams.n;
        int r;

        if (number >= LOG_STREAMS_MAX)
                return -ENOBUFS;
        r = log_table_reserve(&log->table, number);
        if (r == 0)
                r = open_stream(manager, number);
        if (r < 0)
                return r;
        log->table.streams[number].generation = 0;
        log_store(&log->table.header->n_streams, number + 1);
        log->has_news = true;
        *ret_number = number;
        return 0;
}

void manager_log_tell_news(Manager *manager) {
        ManagerLog *log = manager->log;

        if (!log || !log->has_news)
                return;
        log->has_news = false;
        (void) !write(log->control_fd, &(char) { LOG_CONTROL_NEWS }, 1);
}

/* — the process — */

static void start_daemon(Manager *manager);

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        start_daemon(userdata);
        return 0;
}

static void retry_later(Manager *manager) {
        ManagerLog *log = manager->log;

        log->retry_source = sd_event_source_disable_unref(log->retry_source);
        if (sd_event_add_time_relative(manager->event, &log->retry_source, CLOCK_MONOTONIC, RETRY_TIME, 0, on_retry,
                                       manager) < 0)
                log_error("Out of memory: jobd-log is not started again.");
}

/* It is over with it: whichever way we have learned that. */
static void daemon_ended(Manager *manager) {
        ManagerLog *log = manager->log;

        log->process_source = sd_event_source_disable_unref(log->process_source);
        if (manager->stage >= MANAGER_TERMINATING || log_is_alive(log->alive_fd))
                return;
        log_notice("jobd-log has ended; it is started again.");
        if (clock_monotonic() - log->last_start > START_COUNTS)
                log->n_starts = 0;
        if (++log->n_starts > STARTS_MAX)
                retry_later(manager);
        else
                start_daemon(manager);
}

static int on_process(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        daemon_ended(userdata);
        return 0;
}

static int on_alive(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Manager *manager = userdata;

        /* One that we have started ourselves tells by its pidfd, also if it never got so far. */
        if (!manager->log->process_source)
                daemon_ended(manager);
        return 0;
}

static int spawn_daemon(Manager *manager, int *ret_pidfd) {
        ManagerLog *log = manager->log;
        char *argv[] = { (char *) "jobd-log", log->folder, NULL };
        const ExecRequest request = {
                .label = "jobd-log",
                .path = log->program,
                .argv = argv,
                .flags = EXEC_REQUEST_NO_EXPANSION,
                .working_directory = "/",
                .umask = 0022,
                .standard_output = { .kind = EXEC_STREAM_NULL },
                .standard_error = { .kind = EXEC_STREAM_INHERIT },
                .open_files_limit = 65536,
        };
        ExecResult result;
        pid_t pid;
        int r;

        r = exec_spawn(&request, &pid, ret_pidfd, &result);
        if (r < 0)
                log_error("jobd-log cannot be started: %s", result.message);
        return r;
}

static void start_daemon(Manager *manager) {
        ManagerLog *log = manager->log;
        int r, pidfd = -1;

        log->last_start = clock_monotonic();
        r = spawn_daemon(manager, &pidfd);
        log->has_failed = r < 0;
        if (r < 0) {
                retry_later(manager);
                return;
        }
        if (pidfd < 0)
                return;
        r = sd_event_add_io(manager->event, &log->process_source, pidfd, EPOLLIN, on_process, manager);
        if (r < 0)
                close(pidfd);
        else
                (void) sd_event_source_set_io_fd_own(log->process_source, true);
}

/* — our own lines — */

static uint32_t find_own(const ManagerLog *log) {
        for (uint32_t i = 0; i < log->n_restored; i++)
                if (log->table.streams[i].flags & LOG_STREAM_IS_OURS)
                        return i;
        return UINT32_MAX;
}

static void log_own_lines(Manager *manager) {
        ManagerLog *log = manager->log;
        LogStream *stream;
        char name[LOG_STREAM_NAME_MAX];
        uint32_t number = find_own(log);

        if (number == UINT32_MAX && manager_log_add_stream(manager, &number) < 0)
                return;
        log->own = number;
        stream = &log->table.streams[number];
        stream->flags = LOG_STREAM_LEVEL_PREFIX | LOG_STREAM_IS_OURS | LOG_STREAM_HAS_LIMIT;
        stream->level = 6;
        stream->level_max = 7;
        stream->pid = getpid();
        strcpy(stream->unit, "jobd");
        strcpy(stream->identifier, "jobd");
        log_store(&stream->generation, stream->generation + 1);
        log->own_fd = log_table_open_fifo(&log->table, log_stream_name(number, name), O_WRONLY, false);
        log_set_copy(log->own_fd);
}

/* — the beginning — */

static int open_fds(Manager *manager) {
        ManagerLog *log = manager->log;
        int r = 0;

        log->stage_fd = manager_take_fd(manager, STAGE_FD_NAME);
        if (log->stage_fd < 0) {
                log->stage_fd = log_table_open_fifo(&log->table, "stage", O_RDWR, true);
                if (log->stage_fd >= 0)
                        (void) manager_store_fd(manager, STAGE_FD_NAME, log->stage_fd);
        }
        log->control_fd = log_table_open_fifo(&log->table, "control", O_RDWR, true);
        log->alive_fd = log_table_open_fifo(&log->table, "alive", O_RDONLY, true);
        if (log->stage_fd < 0 || log->control_fd < 0 || log->alive_fd < 0)
                r = MIN(MIN(log->stage_fd, log->control_fd), log->alive_fd);
        if (r == 0)
                r = sd_event_add_io(manager->event, &log->alive_source, log->alive_fd, EPOLLIN | EPOLLET, on_alive,
                                    manager);
        return r < 0 ? r : 0;
}

static int open_streams(Manager *manager) {
        ManagerLog *log = manager->log;
        const uint32_t n = log->table.header->n_streams;
        int r = 0;

        for (uint32_t i = 0; i < n && r == 0; i++)
                r = open_stream(manager, i);
        log->n_restored = (uint32_t) log->streams.n;
        log->has_news = true;           /* the core before us may have died before it told of them */
        /* Those that could not be opened are made anew when they are needed. */
        log_store(&log->table.header->n_streams, log->n_restored);
        return 0;
}

static void close_all(ManagerLog *log) {
        log_set_copy(-1);
        log->alive_source = sd_event_source_disable_unref(log->alive_source);
        log->process_source = sd_event_source_disable_unref(log->process_source);
        log->retry_source = sd_event_source_disable_unref(log->retry_source);
        for (size_t i = 0; i < log->streams.n; i++) {
                close_fd(&log->streams.items[i].fd);
                free(log->streams.items[i].path);
        }
        vector_deinit(&log->streams);
        id_map_deinit(&log->by_unit);
        close_fd(&log->own_fd);
        close_fd(&log->stage_fd);
        close_fd(&log->control_fd);
        close_fd(&log->alive_fd);
        log_table_close(&log->table);
        log->is_open = false;
}

static int open_log(Manager *manager) {
        ManagerLog *log = manager->log;
        int r;

        r = log_table_open(&log->table, log->folder, true);
        if (r == 0) {
                log->table.header->settings = log->settings;
                r = open_fds(manager);
        }
        if (r == 0)
                r = open_streams(manager);
        if (r < 0) {
                close_all(log);
                return r;
        }
        log->is_open = true;
        if (!log_is_alive(log->alive_fd))
                start_daemon(manager);
        if (!log->has_failed)
                log_own_lines(manager);
        return 0;
}

int manager_log_serve(Manager *manager) {
        ManagerLog *log = manager->log;
        int r = log->is_open ? 0 : open_log(manager);

        if (r < 0) {
                log_error("No output goes to the log: %s: %s", log->folder, strerror(-r));
                log->kind = MANAGER_LOG_NONE;
        }
        return r < 0 ? r : log->has_failed ? -ENOEXEC : 0;
}

void manager_log_resume(Manager *manager) {
        ManagerLog *log = manager->log;
        LogTable table;

        if (!log || log->kind != MANAGER_LOG_FILES || log->is_open || log_table_open(&table, log->folder, false) < 0)
                return;
        log_table_close(&table);
        (void) manager_log_serve(manager);
}

int manager_log_new(Manager *manager, const ManagerLogOptions *options) {
        ManagerLog *log;

        if (options->kind == MANAGER_LOG_NONE && options->default_output == MANAGER_OUTPUT_INHERIT)
                return 0;
        log = calloc(1, sizeof(*log));
        if (!log)
                return -ENOMEM;
        manager->log = log;
        log->table = LOG_TABLE_EMPTY;
        log->own = UINT32_MAX;
        log->own_fd = log->stage_fd = log->control_fd = log->alive_fd = -1;
        log->kind = options->kind;
        log->default_output = options->default_output;
        if (options->settings)
                log->settings = *options->settings;
        if (log->kind == MANAGER_LOG_AUTO)
                log->kind = access(MANAGER_JOURNAL_SOCKET, W_OK) == 0 ? MANAGER_LOG_JOURNALD : MANAGER_LOG_FILES;
        log->exports_units = log->kind == MANAGER_LOG_JOURNALD && manager_journal_is_ours(manager);
        log->program = strdup(options->program ? options->program : "");
        return log->program ? text_format(&log->folder, "%s/streams", manager->options.runtime_directory) : -ENOMEM;
}

/* Nobody comes after us: what we have made goes, but what was written. */
static void remove_folder(ManagerLog *log) {
        static const char *const names[] = { "stage", "control", "alive", "table" };

        for (size_t i = 0; i < log->streams.n; i++)
                unlink(log->streams.items[i].path);
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                (void) unlinkat(log->table.folder_fd, names[i], 0);
        (void) rmdir(log->folder);
}

void manager_log_free(Manager *manager) {
        ManagerLog *log = manager->log;

        if (!log)
                return;
        if (log->is_open && manager->stage == MANAGER_GONE && !log_is_alive(log->alive_fd))
                remove_folder(log);
        close_all(log);
        free(log->program);
        free(log->folder);
        free(log);
        manager->log = NULL;
}
