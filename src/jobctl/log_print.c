/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log lines on the terminal
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "jobctl/log_print.h"

/* Lines that a process has just written need a moment to be readable: reading ends this long after the last one. */
#define QUIET (30 * USEC_PER_MSEC)
#define QUIET_MAX (300 * USEC_PER_MSEC)

int log_format_from_string(const char *string) {
        static const char *const names[_LOG_FORMAT_MAX] = { "short", "iso", "cat", "json" };

        for (int i = 0; i < _LOG_FORMAT_MAX; i++)
                if (strcmp(names[i], string) == 0)
                        return i;
        return strcmp(string, "short-iso") == 0 ? LOG_FORMAT_ISO : -EINVAL;
}

/* Escapes a message of arbitrary bytes, including NULs: each run of text is escaped by itself. */
static int escape(const LogRecord *record, Text *text) {
        size_t n = record->length;

        /* A line with a DOS line end. */
        if (n > 0 && record->message[n - 1] == '\r')
                n--;
        for (size_t at = 0; at < n;) {
                cleanup_free_ char *run = strndup(record->message + at, n - at), *clean = NULL;

                if (!run || text_escape_control(run, &clean) < 0)
                        return -ENOMEM;
                text_add(text, clean);
                at += strlen(run);
                if (at < n) {
                        text_add(text, "\\x00");
                        at++;
                }
        }
        return text->error;
}

static void format_time(usec_t realtime, bool is_iso, char *buffer, size_t size) {
        const time_t seconds = (time_t) (realtime / USEC_PER_SEC);
        char date[32], zone[16];
        struct tm tm;

        localtime_r(&seconds, &tm);
        strftime(date, sizeof(date), is_iso ? "%Y-%m-%dT%H:%M:%S" : "%b %d %H:%M:%S", &tm);
        strftime(zone, sizeof(zone), "%z", &tm);
        if (is_iso)
                snprintf(buffer, size, "%s.%06u%s", date, (unsigned) (realtime % USEC_PER_SEC), zone);
        else
                snprintf(buffer, size, "%s", date);
}

/* — JSON — */

/* A message that is no text becomes an array of bytes, as with journalctl. */
static json_t *message_to_json(const LogRecord *record) {
        json_t *message = memchr(record->message, 0, record->length) ? NULL
                                                                    : json_stringn(record->message, record->length);

        if (message)
                return message;
        message = json_array();
        for (size_t i = 0; message && i < record->length; i++)
                json_array_append_new(message, json_integer((unsigned char) record->message[i]));
        return message;
}

static void add_string(json_t *object, const char *key, const char *value) {
        if (value)
                json_object_set_new(object, key, json_string(value));
}

static void add_number(json_t *object, const char *key, uint64_t value) {
        char text[24];

        snprintf(text, sizeof(text), "%" PRIu64, value);
        json_object_set_new(object, key, json_string(text));
}

/* "NAME=value", separated by tabs. */
static void add_extra(json_t *object, const char *extra) {
        cleanup_free_ char *copy = extra ? strdup(extra) : NULL;
        char *rest = copy;

        for (char *field; rest && (field = strsep(&rest, "\t"));) {
                char *value = strchr(field, '=');

                if (value) {
                        *value = '\0';
                        add_string(object, field, value + 1);
                }
        }
}

static int print_json(FILE *stream, const LogEntry *entry) {
        cleanup_json_ json_t *object = json_object();
        int r;

        if (!object)
                return -ENOMEM;
        add_number(object, "__REALTIME_TIMESTAMP", entry->record.realtime);
        add_number(object, "__MONOTONIC_TIMESTAMP", entry->record.monotonic);
        add_string(object, "_BOOT_ID", entry->context.boot);
        add_number(object, "PRIORITY", entry->record.priority);
        add_string(object, "UNIT", entry->context.unit);
        add_string(object, "INVOCATION_ID", entry->context.invocation);
        add_string(object, "SYSLOG_IDENTIFIER", entry->context.identifier);
        if (entry->context.pid > 0)
                add_number(object, "_PID", (uint64_t) entry->context.pid);
        if (entry->record.mark == LOG_MARK_CUT || entry->record.mark == LOG_MARK_END)
                add_string(object, "_LINE_BREAK", entry->record.mark == LOG_MARK_CUT ? "line-max" : "eof");
        if (entry->record.mark == LOG_MARK_NOTE)
                add_string(object, "_TRANSPORT", "log");
        add_extra(object, entry->context.extra);
        json_object_set_new(object, "MESSAGE", message_to_json(&entry->record));
        r = json_dumpf(object, stream, JSON_COMPACT);
        putc('\n', stream);
        return r < 0 ? -ENOMEM : 0;
}

/* — text — */

static TerminalColor color_of(const LogRecord *record) {
        if (record->mark == LOG_MARK_NOTE)
                return COLOR_YELLOW;
        if (record->priority <= 3)
                return COLOR_RED;
        if (record->priority == 4)
                return COLOR_YELLOW;
        if (record->priority == 5)
                return COLOR_BOLD;
        return record->priority == 7 ? COLOR_GREY : COLOR_NONE;
}

static int print_text(const Terminal *terminal, FILE *stream, LogFormat format, const LogEntry *entry) {
        const TerminalColor color = stream == stdout ? color_of(&entry->record) : COLOR_NONE;
        cleanup_(text_deinit) Text text = {};
        char time[64];
        int r;

        if (format != LOG_FORMAT_CAT) {
                cleanup_free_ char *name = NULL;

                format_time(entry->record.realtime, format == LOG_FORMAT_ISO, time, sizeof(time));
                if (text_escape_control(entry->context.identifier ?: entry->context.unit, &name) < 0)
                        return -ENOMEM;
                text_addf(&text, "%s %s", time, name);
                if (entry->context.pid > 0)
                        text_addf(&text, "[%d]", entry->context.pid);
                text_add(&text, ": ");
        }
        text_add(&text, terminal_color(terminal, color));
        r = escape(&entry->record, &text);
        text_add(&text, terminal_reset(terminal, color));
        if (r < 0 || text.error < 0)
                return -ENOMEM;
        fprintf(stream, "%s\n", text.string);
        return 0;
}

int log_print(const Terminal *terminal, FILE *stream, LogFormat format, const LogEntry *entry) {
        return format == LOG_FORMAT_JSON ? print_json(stream, entry) : print_text(terminal, stream, format, entry);
}

/* — for other verbs — */

/* Reads until no line came for a moment. */
static int settle(LogInput *input) {
        const usec_t end = clock_monotonic() + QUIET_MAX;
        int r;

        do
                r = log_input_wait(input, QUIET);
        while (r > 0 && clock_monotonic() < end);
        return r < 0 ? r : 0;
}

int log_print_last(Jobctl *ctl, FILE *stream, const LogLast *last) {
        const LogFilter filter = { .priority_max = 7, .last = last->n, .since = last->since };
        cleanup_(log_input_freep) LogInput *input = NULL;
        bool is_first = true;
        LogEntry entry;
        int r;

        if (last->n == 0)
                return 0;
        r = log_input_open(ctl, &filter, true, &input);
        if (r != 0)
                return r == -ENOMEM ? r : 0;
        if (last->may_wait)
                (void) settle(input);
        r = log_input_add(input, last->unit, true);
        while (r >= 0 && (r = log_input_next(input, &entry)) > 0) {
                if (is_first)
                        fprintf(stream, "%s\n", last->heading);
                is_first = false;
                r = log_print(&ctl->terminal, stream, LOG_FORMAT_SHORT, &entry);
        }
        return r == -ENOMEM ? r : 0;
}

static int print_all(const Jobctl *ctl, LogInput *input) {
        LogEntry entry;
        int r;

        while ((r = log_input_next(input, &entry)) > 0) {
                r = log_print(&ctl->terminal, stdout, LOG_FORMAT_SHORT, &entry);
                if (r < 0)
                        return r;
        }
        fflush(stdout);
        return r;
}

static _Noreturn void follow(const Jobctl *ctl, LogInput *input, int stop_fd) {
        struct pollfd fds[] = { { .fd = log_input_fd(input), .events = POLLIN }, { .fd = stop_fd, .events = POLLIN } };

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
                if (print_all(ctl, input) < 0)
                        _exit(EXIT_FAILURE);
                if (poll(fds, 2, 500) < 0 && errno != EINTR)
                        _exit(EXIT_FAILURE);
                if (fds[1].revents)
                        break;
                (void) log_input_wait(input, 0);
        }
        (void) settle(input);
        (void) print_all(ctl, input);
        _exit(EXIT_SUCCESS);
}

int log_follower_begin(Jobctl *ctl, char *const *units, LogFollower *ret_follower) {
        const LogFilter filter = { .priority_max = 7, .last = LOG_LAST_NONE };
        cleanup_(log_input_freep) LogInput *input = NULL;
        int r, fds[2];
        LogEntry entry;

        *ret_follower = (LogFollower) { .stop_fd = -1 };
        r = log_input_open(ctl, &filter, false, &input);
        if (r != 0)
                return MIN(r, 0);
        for (char *const *unit = units; unit && *unit && r == 0; unit++)
                r = log_input_add(input, *unit, false);
        /* The first line to show. */
        while (r >= 0 && (r = log_input_next(input, &entry)) > 0)
                ;
        if (r < 0)
                return r;
        if (pipe2(fds, O_CLOEXEC) < 0)
                return -errno;
        fflush(stdout);
        ret_follower->pid = fork();
        if (ret_follower->pid == 0) {
                close(fds[1]);
                follow(ctl, input, fds[0]);
        }
        close(fds[0]);
        if (ret_follower->pid < 0) {
                close(fds[1]);
                return -errno;
        }
        ret_follower->stop_fd = fds[1];
        return 0;
}

void log_follower_end(LogFollower *follower) {
        if (follower->pid <= 0)
                return;
        close(follower->stop_fd);
        while (waitpid(follower->pid, NULL, 0) < 0 && errno == EINTR)
                ;
        *follower = (LogFollower) { .stop_fd = -1 };
}
