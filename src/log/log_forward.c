/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines that also go to the console or to the kernel's log
 *
 * Escaped for a terminal, so that the output of a service cannot control it.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "log/log_forward.h"

#define CONSOLE "/dev/console"
#define KERNEL "/dev/kmsg"
/* The kernel refuses longer lines. */
#define LINE_MAX_BYTES 800
#define FACILITY_DAEMON (3 << 3)

void log_forward_deinit(LogForward *forward) {
        if (forward->console_fd >= 0)
                close(forward->console_fd);
        if (forward->kernel_fd >= 0)
                close(forward->kernel_fd);
        *forward = (LogForward) LOG_FORWARD_EMPTY;
}

static void write_line(int *fd, const char *path, const char *line) {
        if (*fd < 0)
                *fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        if (*fd >= 0)
                (void) !write(*fd, line, strlen(line));
}

void log_forward_record(LogForward *forward, const LogStream *stream, const LogRecord *record) {
        cleanup_free_ char *message = strndup(record->message, MIN(record->length, (size_t) LINE_MAX_BYTES));
        cleanup_free_ char *clean = NULL;
        char line[LINE_MAX_BYTES + LOG_IDENTIFIER_BYTES + 32];

        if (!(stream->flags & (LOG_STREAM_CONSOLE | LOG_STREAM_KERNEL)) || !message ||
            text_escape_control(message, &clean) < 0)
                return;
        if (stream->flags & LOG_STREAM_CONSOLE) {
                snprintf(line, sizeof(line), "%s: %.*s\r\n", stream->identifier, LINE_MAX_BYTES, clean);
                write_line(&forward->console_fd, CONSOLE, line);
        }
        if (stream->flags & LOG_STREAM_KERNEL) {
                snprintf(line, sizeof(line), "<%u>%s: %.*s\n", FACILITY_DAEMON | (unsigned) record->priority,
                         stream->identifier, LINE_MAX_BYTES, clean);
                write_line(&forward->kernel_fd, KERNEL, line);
        }
}
