/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The log of the programs
 *
 * One write() per line, so that lines of several processes do not mix. Log
 * messages may contain text from outside: control characters are escaped, as
 * standard error may be a terminal. A reader that does not read must not
 * block the manager: a line that would block is dropped and counted, and the
 * next line that goes through reports the count.
 */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/string_table.h"
#include "basic/text.h"

static LogLevel log_level = LOG_LEVEL_INFO;
static bool log_is_plain;
static unsigned long log_n_lost;
static int log_kernel_fd = -1;
static int log_copy_fd = -1;
static unsigned long log_n_not_copied;

/* The kernel refuses longer lines (LOG_LINE_MAX). */
#define KERNEL_LINE_MAX 960U

/* The name in the kernel's log. The numbers are priorities of the facility "daemon". */
#define KERNEL_PREFIX_FORMAT "<%d>jobd: "
#define FACILITY_DAEMON (3 << 3)

static const char *const log_level_names[] = {
        "emerg", "alert", "crit", "err", "warning", "notice", "info", "debug",
};

void log_set_level(LogLevel level) {
        log_level = level;
}

LogLevel log_get_level(void) {
        return log_level;
}

const char *log_level_to_string(LogLevel level) {
        return log_level_names[level];
}

bool log_shows(LogLevel level) {
        return level <= log_level;
}

void log_set_plain(bool is_plain) {
        log_is_plain = is_plain;
}

void log_set_copy(int fd) {
        log_copy_fd = fd;
}

void log_set_kernel(int fd) {
        log_kernel_fd = fd;
}

int log_level_from_string(const char *string) {
        uint32_t number;

        if (!string)
                return -EINVAL;
        for (size_t i = 0; i < ELEMENTSOF(log_level_names); i++)
                if (strcmp(log_level_names[i], string) == 0)
                        return (int) i;
        if (text_parse_u32(string, &number) < 0 || number >= ELEMENTSOF(log_level_names))
                return -EINVAL;
        return (int) number;
}

/* A pipe is reported as writable while at least PIPE_BUF bytes fit, so a shorter line does not block. */
static bool log_has_room(void) {
        struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };

        if (log_kernel_fd >= 0)                 /* a ring buffer never blocks, and is never reported as writable */
                return true;
        return poll(&fd, 1, 0) > 0 && (fd.revents & POLLOUT);
}

static bool log_write_line(const char *line, size_t n) {
        ssize_t written;

        if (!log_has_room())
                return false;
        do
                written = write(log_kernel_fd >= 0 ? log_kernel_fd : STDERR_FILENO, line, n);
        while (written < 0 && errno == EINTR);
        return written >= 0;
}

static void log_write_lost(const char *prefix) {
        char line[128];
        int n;

        if (log_n_lost == 0)
                return;
        n = snprintf(line, sizeof(line), "%s%lu lines of the log were lost: the reader was too slow\n", prefix,
                     log_n_lost);
        if (log_write_line(line, (size_t) n))
                log_n_lost = 0;
}

static void log_write_all(const char *prefix, char *line, size_t n) {
        size_t max = log_kernel_fd >= 0 ? KERNEL_LINE_MAX : PIPE_BUF;

        if (n > max) {
                n = max;
                line[n - 1] = '\n';
        }
        log_write_lost(prefix);
        if (log_n_lost > 0 || !log_write_line(line, n))
                log_n_lost++;
}

static bool log_write_copy(const char *line, size_t n) {
        return write(log_copy_fd, line, n) == (ssize_t) n;
}

/* Cuts a line that is too long for an atomic write to a pipe. */
static void log_copy(LogLevel level, const char *line, size_t n) {
        char copy[PIPE_BUF];
        int length;

        if (log_copy_fd < 0)
                return;
        if (log_n_not_copied > 0) {
                length = snprintf(copy, sizeof(copy), "<4>%lu lines were lost: the reader was too slow\n",
                                  log_n_not_copied);
                if (log_write_copy(copy, (size_t) length))
                        log_n_not_copied = 0;
        }
        length = snprintf(copy, sizeof(copy), "<%d>%.*s", (int) level, (int) n, line);
        if ((size_t) length >= sizeof(copy)) {
                length = sizeof(copy) - 1;
                copy[length - 1] = '\n';
        }
        if (!log_write_copy(copy, (size_t) length))
                log_n_not_copied++;
}

void log_write(LogLevel level, const char *unit, const char *format, ...) {
        cleanup_free_ char *message = NULL, *clean = NULL;
        cleanup_(text_deinit) Text line = {};
        char prefix[16] = "";
        int saved = errno;
        va_list args;

        if (!log_shows(level))
                return;

        va_start(args, format);
        text_vformat(&message, format, args);
        va_end(args);

        if (log_kernel_fd >= 0)
                snprintf(prefix, sizeof(prefix), KERNEL_PREFIX_FORMAT, FACILITY_DAEMON | (int) level);
        else if (!log_is_plain && !isatty(STDERR_FILENO))
                snprintf(prefix, sizeof(prefix), "<%d>", (int) level);
        text_add(&line, prefix);
        if (unit)
                text_addf(&line, "%s: ", unit);
        if (message && text_escape_control(message, &clean) >= 0)
                text_add(&line, clean);
        else
                text_add(&line, "Out of memory");
        text_add_char(&line, '\n');

        if (line.error == 0) {
                log_copy(level, line.string + strlen(prefix), line.n - strlen(prefix));
                log_write_all(prefix, line.string, line.n);
        }
        errno = saved;
}
