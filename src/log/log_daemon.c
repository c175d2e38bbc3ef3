/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loop of jobd-log
 *
 * Streams are watched edge-triggered and served in turn, some bytes at a
 * time, so a busy stream does not keep the others waiting. After a turn with
 * few bytes the daemon sleeps for a moment: many small lines then cost one
 * wake-up and one write, also when thousands of processes start and end.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "basic/clock.h"
#include "log/log_daemon.h"

/* The wanted capacity of a stream. */
#define PIPE_BYTES (256 * 1024)
#define LINE_BYTES_MAX ((size_t) 48 * 1024)

#define EVENTS_A_TURN 256
#define NAP_USEC 2000
#define NAP_BELOW (16U * 1024U)         /* bytes in a turn */
#define TICK_MSEC 200
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

enum {
        TOKEN_SIGNAL = LOG_STREAMS_MAX,
        TOKEN_CONTROL,
};

static void read_boot_id(char boot[static 33]) {
        char text[64] = "";
        size_t n = 0;
        int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return;
        (void) !read(fd, text, sizeof(text) - 1);
        close(fd);
        for (const char *c = text; *c && n < 32; c++)
                if (*c != '-' && *c != '\n')
                        boot[n++] = *c;
        boot[n] = '\0';
}

static int watch(LogDaemon *daemon, int fd, uint32_t token, uint32_t events) {
        struct epoll_event event = { .events = events, .data.u32 = token };

        return epoll_ctl(daemon->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/* — streams — */

static int set_ready(LogDaemon *daemon, uint32_t number) {
        LogSource *source = &daemon->sources.items[number];

        if (source->is_ready || source->fd < 0)
                return 0;
        source->is_ready = vector_push(&daemon->ready, number) == 0;
        return source->is_ready ? 0 : -ENOMEM;
}

/* Pages of the pipe may be half full, so a line can't be as long as the pipe. */
static size_t line_max_of(int fd) {
        int size;

        (void) fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
        size = fcntl(fd, F_GETPIPE_SZ);
        return MIN((size_t) MAX(size, 4096) / 4, LINE_BYTES_MAX);
}

static int open_source(LogDaemon *daemon, uint32_t number) {
        LogSource source = { .fd = log_table_open_stream(&daemon->table, number, false) };
        int r;

        if (source.fd >= 0)
                source.line_max = line_max_of(source.fd);
        r = vector_push(&daemon->sources, source);
        if (r < 0 || source.fd < 0)
                return r;
        r = watch(daemon, source.fd, number, EPOLLIN | EPOLLET);
        return r < 0 ? r : set_ready(daemon, number);
}

static int open_new_sources(LogDaemon *daemon) {
        const uint32_t n = MIN(log_load(&daemon->table.header->n_streams), LOG_STREAMS_MAX);
        int r = 0;

        while (r == 0 && daemon->sources.n < n)
                r = open_source(daemon, (uint32_t) daemon->sources.n);
        return r;
}

static void serve_ready(LogDaemon *daemon) {
        const size_t n = daemon->ready.n;
        size_t n_left = 0;

        for (size_t i = 0; i < n; i++) {
                uint32_t number = daemon->ready.items[i];

                if (log_stream_serve(daemon, number) == LOG_STREAM_HAS_MORE)
                        daemon->ready.items[n_left++] = number;
                else
                        daemon->sources.items[number].is_ready = false;
        }
        daemon->ready.n = n_left;
}

/* — the loop — */

static void take_signal(LogDaemon *daemon) {
        struct signalfd_siginfo info;

        while (read(daemon->signal_fd, &info, sizeof(info)) == sizeof(info))
                daemon->is_leaving = daemon->is_leaving || info.ssi_signo == SIGTERM;
}

static int take_control(LogDaemon *daemon) {
        char bytes[64];
        ssize_t n = read(daemon->control_fd, bytes, sizeof(bytes));

        if (n > 0 && memchr(bytes, LOG_CONTROL_ROTATE, (size_t) n))
                log_files_rotate(&daemon->files, clock_realtime());
        return open_new_sources(daemon);
}

static int take_event(LogDaemon *daemon, const struct epoll_event *event) {
        if (event->data.u32 == TOKEN_SIGNAL) {
                take_signal(daemon);
                return 0;
        }
        return event->data.u32 == TOKEN_CONTROL ? take_control(daemon) : set_ready(daemon, event->data.u32);
}

/* Some kernels do not report bytes that arrive behind unread ones; and it may be time to report counts. */
static bool look_again(LogDaemon *daemon, bool may_look) {
        bool is_waiting = log_load(&daemon->table.header->is_in_other) && daemon->table.header->settings.directory[0];

        if (is_waiting && may_look)
                (void) log_files_choose_folder(&daemon->files);
        for (size_t i = 0; i < daemon->sources.n; i++) {
                const LogStream *stream = &daemon->table.streams[i];
                bool has_counts = stream->n_dropped > 0 || stream->n_lost > 0;

                is_waiting = is_waiting || has_counts || daemon->sources.items[i].is_partial;
                if (has_counts && may_look)
                        log_stream_tell_counts(daemon, (uint32_t) i, false);
                if (daemon->sources.items[i].is_partial && may_look)
                        (void) set_ready(daemon, (uint32_t) i);
        }
        return is_waiting;
}

/* Whether any process but core, which is about to exit, has a stream open for writing. */
static bool has_writers(LogDaemon *daemon) {
        for (size_t i = 0; i < daemon->sources.n; i++) {
                const LogSource *source = &daemon->sources.items[i];
                struct pollfd pipe = { .fd = source->fd, .events = POLLIN };
                const LogStream *stream = &daemon->table.streams[i];

                if (source->fd < 0 || stream->generation == 0 || stream->flags & LOG_STREAM_IS_OURS)
                        continue;
                if (poll(&pipe, 1, 0) >= 0 && pipe.revents & POLLHUP)
                        continue;
                if (log_stage_peek(&daemon->stage, source->fd) != 0)
                        return true;
        }
        return false;
}

static int wait_and_take(LogDaemon *daemon, bool is_waiting) {
        struct epoll_event events[EVENTS_A_TURN];
        int timeout = daemon->ready.n > 0 ? 0 : is_waiting || daemon->is_leaving ? TICK_MSEC : -1;
        int r = 0, n;

        n = epoll_wait(daemon->epoll_fd, events, EVENTS_A_TURN, timeout);
        if (n < 0)
                return errno == EINTR ? 0 : -errno;
        for (int i = 0; i < n && r == 0; i++)
                r = take_event(daemon, &events[i]);
        return r;
}

int log_daemon_run(LogDaemon *daemon) {
        const struct timespec nap = { .tv_nsec = NAP_USEC * 1000L };
        usec_t looked = clock_monotonic();

        for (;;) {
                usec_t now = clock_monotonic();
                bool may_look = now - looked >= TICK_MSEC * USEC_PER_MSEC, is_waiting;
                int r;

                if (may_look)
                        looked = now;
                is_waiting = look_again(daemon, may_look);
                r = wait_and_take(daemon, is_waiting);
                if (r < 0)
                        return r;
                daemon->n_taken = 0;
                serve_ready(daemon);
                if (daemon->ready.n > 0)
                        continue;
                if (daemon->is_leaving && !has_writers(daemon))
                        return 0;
                if (daemon->n_taken < NAP_BELOW)
                        nanosleep(&nap, NULL);
        }
}

/* — start — */

/* All signals are blocked: only SIGKILL ends jobd-log before the last line is written. */
static int open_signals(LogDaemon *daemon) {
        sigset_t all, term;

        sigfillset(&all);
        sigemptyset(&term);
        sigaddset(&term, SIGTERM);
        if (sigprocmask(SIG_SETMASK, &all, NULL) < 0)
                return -errno;
        daemon->signal_fd = signalfd(-1, &term, SFD_CLOEXEC | SFD_NONBLOCK);
        return daemon->signal_fd < 0 ? -errno : 0;
}

static int open_fds(LogDaemon *daemon) {
        int r;

        daemon->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
        if (daemon->epoll_fd < 0)
                return -errno;
        r = open_signals(daemon);
        if (r < 0)
                return r;
        daemon->control_fd = log_table_open_fifo(&daemon->table, "control", O_RDWR, true);
        daemon->alive_fd = log_table_open_fifo(&daemon->table, "alive", O_RDWR, true);
        if (daemon->control_fd < 0 || daemon->alive_fd < 0)
                return MIN(daemon->control_fd, daemon->alive_fd);
        r = watch(daemon, daemon->signal_fd, TOKEN_SIGNAL, EPOLLIN);
        return r < 0 ? r : watch(daemon, daemon->control_fd, TOKEN_CONTROL, EPOLLIN);
}

int log_daemon_init(LogDaemon *daemon, const char *folder) {
        int r;

        *daemon = LOG_DAEMON_EMPTY;
        r = log_table_open(&daemon->table, folder, false);
        if (r < 0)
                return r;
        if (flock(daemon->table.folder_fd, LOCK_EX | LOCK_NB) < 0)
                return errno == EWOULDBLOCK ? -EALREADY : -errno;
        daemon->table.header->daemon = getpid();
        read_boot_id(daemon->boot);
        r = open_fds(daemon);
        if (r == 0)
                r = log_stage_init(&daemon->stage, &daemon->table);
        if (r < 0)
                return r;
        /* Without a writable folder lines are counted until there is one. */
        (void) log_files_init(&daemon->files, daemon->table.header);
        r = open_new_sources(daemon);
        if (r == 0)
                log_stream_recover(daemon);
        return r;
}

void log_daemon_deinit(LogDaemon *daemon) {
        const int fds[] = { daemon->epoll_fd, daemon->control_fd, daemon->alive_fd, daemon->signal_fd };

        for (size_t i = 0; i < daemon->sources.n; i++)
                if (daemon->sources.items[i].fd >= 0)
                        close(daemon->sources.items[i].fd);
        for (size_t i = 0; i < ELEMENTSOF(fds); i++)
                if (fds[i] >= 0)
                        close(fds[i]);
        vector_deinit(&daemon->sources);
        vector_deinit(&daemon->ready);
        text_deinit(&daemon->output);
        log_files_deinit(&daemon->files);
        log_forward_deinit(&daemon->forward);
        log_stage_deinit(&daemon->stage);
        log_table_close(&daemon->table);
}
