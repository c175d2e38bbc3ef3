/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams, and jobd-log, which reads them
 *
 * Both outlive core: streams are files that the keeper holds open; jobd-log
 * becomes the keeper's child when core dies. So core checks at its start what
 * exists (log_is_alive()) rather than restoring it from the state.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/fd.h"
#include "basic/text.h"
#include "exec/exec.h"
#include "manager/manager_log_private.h"

/* A jobd-log that ends sooner after its start has failed; after so many failures in a row the next start is delayed. */
#define START_COUNTS (2 * USEC_PER_SEC)
#define STARTS_MAX 5U
#define RETRY_TIME (5 * USEC_PER_SEC)

#define STREAM_FD_NAME "log/%u"
#define STAGE_FD_NAME "log/stage"
/*
 * Leaves room for other descriptors at the keeper. Lines in further streams are lost if core and jobd-log die at once.
 */
#define KEPT_MAX 2048U

/* — streams — */

static int open_stream(ManagerLog *log, uint32_t number) {
        ManagerStream stream = {};
        char name[32];
        int r;

        snprintf(name, sizeof(name), STREAM_FD_NAME, number);
        r = text_format(&stream.path, "%s/%u", log->folder, number);
        if (r < 0)
                return r;
        stream.fd = number < KEPT_MAX ? process_keeper_take_fd(log->keeper, name) : -ENOENT;
        if (stream.fd < 0) {
                stream.fd = log_table_open_stream(&log->table, number, true);
                if (stream.fd >= 0 && number < KEPT_MAX)
                        (void) process_keeper_store_fd(log->keeper, name, stream.fd);
        }
        r = stream.fd < 0 ? stream.fd : vector_push(&log->streams, stream);
        if (r == 0)
                return 0;
        fd_close(stream.fd);
        free(stream.path);
        return r;
}

int manager_log_add_stream(ManagerLog *log, uint32_t *ret_number) {
        const uint32_t number = (uint32_t) log->streams.n;
        int r;

        if (number >= LOG_STREAMS_MAX)
                return -ENOBUFS;
        r = log_table_reserve(&log->table, number);
        if (r == 0)
                r = open_stream(log, number);
        if (r < 0)
                return r;
        log->table.streams[number].generation = 0;
        log_store(&log->table.header->n_streams, number + 1);
        log->has_news = true;
        *ret_number = number;
        return 0;
}

void manager_log_tell_news(ManagerLog *log) {
        if (!log || !log->has_news)
                return;
        log->has_news = false;
        (void) !write(log->control_fd, &(char) { LOG_CONTROL_NEWS }, 1);
}

/* — the process — */

static void start_daemon(ManagerLog *log);

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        start_daemon(userdata);
        return 0;
}

static void retry_later(ManagerLog *log) {
        log->retry_source = sd_event_source_disable_unref(log->retry_source);
        if (sd_event_add_time_relative(log->event, &log->retry_source, CLOCK_MONOTONIC, RETRY_TIME, 0, on_retry,
                                       log) < 0)
                log_error("Out of memory: jobd-log is not started again.");
}

/* jobd-log has ended, as reported by either of the two sources. */
static void daemon_ended(ManagerLog *log) {
        log->process_source = sd_event_source_disable_unref(log->process_source);
        log->started = 0;
        if (log->is_ending || log_is_alive(log->alive_fd))
                return;
        log_notice("jobd-log has ended; it is started again.");
        if (clock_monotonic() - log->last_start > START_COUNTS)
                log->n_starts = 0;
        if (++log->n_starts > STARTS_MAX)
                retry_later(log);
        else
                start_daemon(log);
}

static int on_process(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        daemon_ended(userdata);
        return 0;
}

static int on_alive(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ManagerLog *log = userdata;

        /* A jobd-log that this core has started is watched by its pidfd, which also works before jobd-log is ready. */
        if (!log->process_source)
                daemon_ended(log);
        return 0;
}

static int spawn_daemon(ManagerLog *log, int *ret_pidfd) {
        char *argv[] = { (char *) "jobd-log", log->folder, NULL };
        const ExecRequest request = {
                .label = "jobd-log",
                .path = log->program,
                .argv = argv,
                /* A manager that stops soon ends a jobd-log that has read nothing yet. */
                .flags = EXEC_REQUEST_NO_EXPANSION | EXEC_REQUEST_BLOCK_SIGNALS,
                .working_directory = "/",
                .umask = 0022,
                .standard_output = { .kind = EXEC_STREAM_NULL },
                .standard_error = { .kind = EXEC_STREAM_INHERIT },
                .open_files_limit = 65536,
        };
        ExecResult result;
        int r;

        r = exec_spawn(&request, &log->started, ret_pidfd, &result);
        if (r < 0)
                log_error("jobd-log cannot be started: %s", result.message);
        return r;
}

static void start_daemon(ManagerLog *log) {
        int r, pidfd = -1;

        log->last_start = clock_monotonic();
        r = spawn_daemon(log, &pidfd);
        log->has_failed = r < 0;
        if (r < 0) {
                log->started = 0;
                retry_later(log);
                return;
        }
        if (pidfd < 0)
                return;
        r = sd_event_add_io(log->event, &log->process_source, pidfd, EPOLLIN, on_process, log);
        if (r < 0)
                close(pidfd);
        else
                (void) sd_event_source_set_io_fd_own(log->process_source, true);
}

/* — the manager's own lines — */

static uint32_t find_own(const ManagerLog *log) {
        for (uint32_t i = 0; i < log->n_restored; i++)
                if (log->table.streams[i].flags & LOG_STREAM_IS_OURS)
                        return i;
        return UINT32_MAX;
}

static void log_own_lines(ManagerLog *log) {
        LogStream *stream;
        char name[LOG_STREAM_NAME_MAX];
        uint32_t number = find_own(log);

        if (number == UINT32_MAX && manager_log_add_stream(log, &number) < 0)
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

/* — start — */

static int open_fds(ManagerLog *log) {
        int r = 0;

        log->stage_fd = process_keeper_take_fd(log->keeper, STAGE_FD_NAME);
        if (log->stage_fd < 0) {
                log->stage_fd = log_table_open_fifo(&log->table, "stage", O_RDWR, true);
                if (log->stage_fd >= 0)
                        (void) process_keeper_store_fd(log->keeper, STAGE_FD_NAME, log->stage_fd);
        }
        log->control_fd = log_table_open_fifo(&log->table, "control", O_RDWR, true);
        log->alive_fd = log_table_open_fifo(&log->table, "alive", O_RDONLY, true);
        if (log->stage_fd < 0 || log->control_fd < 0 || log->alive_fd < 0)
                r = MIN(MIN(log->stage_fd, log->control_fd), log->alive_fd);
        if (r == 0)
                r = sd_event_add_io(log->event, &log->alive_source, log->alive_fd, EPOLLIN | EPOLLET, on_alive,
                                    log);
        return r < 0 ? r : 0;
}

static int open_streams(ManagerLog *log) {
        const uint32_t n = log->table.header->n_streams;
        int r = 0;

        for (uint32_t i = 0; i < n && r == 0; i++)
                r = open_stream(log, i);
        log->n_restored = (uint32_t) log->streams.n;
        log->has_news = true;           /* the earlier core may have died before it announced them */
        /* Streams that could not be opened are made again when needed. */
        log_store(&log->table.header->n_streams, log->n_restored);
        return 0;
}

static void close_all(ManagerLog *log) {
        log_set_copy(-1);
        log->alive_source = sd_event_source_disable_unref(log->alive_source);
        log->process_source = sd_event_source_disable_unref(log->process_source);
        log->retry_source = sd_event_source_disable_unref(log->retry_source);
        for (size_t i = 0; i < log->streams.n; i++) {
                fd_close(log->streams.items[i].fd);
                free(log->streams.items[i].path);
        }
        vector_deinit(&log->streams);
        id_map_deinit(&log->by_unit);
        log->own_fd = fd_close(log->own_fd);
        log->stage_fd = fd_close(log->stage_fd);
        log->control_fd = fd_close(log->control_fd);
        log->alive_fd = fd_close(log->alive_fd);
        log_table_close(&log->table);
        log->is_open = false;
}

static int open_log(ManagerLog *log) {
        int r;

        r = log_table_open(&log->table, log->folder, true);
        if (r == 0) {
                log->table.header->settings = log->settings;
                r = open_fds(log);
        }
        if (r == 0)
                r = open_streams(log);
        if (r < 0) {
                close_all(log);
                return r;
        }
        log->is_open = true;
        if (!log_is_alive(log->alive_fd))
                start_daemon(log);
        if (!log->has_failed)
                log_own_lines(log);
        return 0;
}

int manager_log_serve(ManagerLog *log) {
        int r = log->is_open ? 0 : open_log(log);

        if (r < 0) {
                log_error("No output goes to the log: %s: %s", log->folder, strerror(-r));
                log->kind = MANAGER_LOG_NONE;
        }
        return r < 0 ? r : log->has_failed ? -ENOEXEC : 0;
}

void manager_log_resume(ManagerLog *log) {
        LogTable table;

        if (!log || log->kind != MANAGER_LOG_FILES || log->is_open || log_table_open(&table, log->folder, false) < 0)
                return;
        log_table_close(&table);
        (void) manager_log_serve(log);
}

static ManagerLog *log_drop(ManagerLog *log) {
        if (!log)
                return NULL;
        close_all(log);
        free(log->program);
        free(log->folder);
        free(log);
        return NULL;
}
DEFINE_CLEANUP(ManagerLog, log_drop)

int manager_log_new(ManagerLog **ret_log, const ManagerLogOptions *options, sd_event *event,
                    const ProcessKeeper *keeper, const char *runtime_directory) {
        cleanup_(log_dropp) ManagerLog *log = NULL;

        if (options->kind == MANAGER_LOG_NONE && options->default_output == MANAGER_OUTPUT_INHERIT)
                return 0;
        log = calloc(1, sizeof(*log));
        if (!log)
                return -ENOMEM;
        log->event = event;
        log->keeper = keeper;
        log->table = LOG_TABLE_EMPTY;
        log->own = UINT32_MAX;
        log->own_fd = log->stage_fd = log->control_fd = log->alive_fd = -1;
        log->kind = options->kind;
        log->default_output = options->default_output;
        if (options->settings)
                log->settings = *options->settings;
        if (log->kind == MANAGER_LOG_AUTO)
                log->kind = access(MANAGER_JOURNAL_SOCKET, W_OK) == 0 ? MANAGER_LOG_JOURNALD : MANAGER_LOG_FILES;
        log->exports_units = log->kind == MANAGER_LOG_JOURNALD && !options->is_user && manager_journal_is_ours();
        log->program = strdup(options->program ? options->program : "");
        if (!log->program || text_format(&log->folder, "%s/streams", runtime_directory) < 0)
                return -ENOMEM;
        *ret_log = take_ptr(log);
        return 0;
}

/* Removes the manager's files, but not the logs, because there is no next core. */
static void remove_folder(ManagerLog *log) {
        static const char *const names[] = { "stage", "control", "alive", "table" };

        for (size_t i = 0; i < log->streams.n; i++)
                unlink(log->streams.items[i].path);
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                (void) unlinkat(log->table.folder_fd, names[i], 0);
        (void) rmdir(log->folder);
}

void manager_log_end(ManagerLog *log) {
        if (log)
                log->is_ending = true;
}

ManagerLog *manager_log_free(ManagerLog *log, bool is_done) {
        if (!log)
                return NULL;
        if (log->is_open && is_done && !log_is_alive(log->alive_fd))
                remove_folder(log);
        return log_drop(log);
}
