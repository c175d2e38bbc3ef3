/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The log of the programs
 *
 * One write() a line, so that lines of several processes do not mix. What is
 * logged may come from outside: control characters are shown, not sent, since
 * standard error may be a terminal.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/string_table.h"
#include "basic/text.h"

static LogLevel log_level = LOG_LEVEL_INFO;

static const char *const log_level_names[] = {
        "emerg", "alert", "crit", "err", "warning", "notice", "info", "debug",
};

void log_set_level(LogLevel level) {
        log_level = level;
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

static void log_write_all(const char *bytes, size_t n) {
        while (n > 0) {
                ssize_t written = write(STDERR_FILENO, bytes, n);

                if (written < 0 && errno == EINTR)
                        continue;
                if (written <= 0)
                        return;
                bytes += written;
                n -= (size_t) written;
        }
}

void log_write(LogLevel level, const char *unit, const char *format, ...) {
        cleanup_free_ char *message = NULL, *clean = NULL;
        cleanup_(text_deinit) Text line = {};
        int saved = errno;
        va_list args;

        if (level > log_level)
                return;

        va_start(args, format);
        if (vasprintf(&message, format, args) < 0)
                message = NULL;
        va_end(args);

        if (!isatty(STDERR_FILENO))
                text_addf(&line, "<%d>", (int) level);
        if (unit)
                text_addf(&line, "%s: ", unit);
        if (message && text_escape_control(message, &clean) >= 0)
                text_add(&line, clean);
        else
                text_add(&line, "Out of memory");
        text_add_char(&line, '\n');

        if (line.error == 0)
                log_write_all(line.string, line.n);
        errno = saved;
}
