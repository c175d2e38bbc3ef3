/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The format of a log file
 *
 * Lines of text with tabs between the fields. A line that begins with "@" is a
 * context: the origin of the records after it. A file begins with a context and
 * has one at least every LOG_CONTEXT_EVERY bytes:
 *
 *     @ UNIT INVOCATION PID IDENTIFIER BOOT [NAME=value]…
 *
 * INVOCATION and BOOT are 32 hexadecimal digits or "-"; PID is 0 if unknown.
 * Any other line is a record, a line of a service as it was written, which may
 * have any byte but a line break:
 *
 *     REALTIME MONOTONIC PRIORITY MARK MESSAGE
 *
 * Times are in µs, PRIORITY is 0 to 7. MARK: "-" a whole line, "+" the line
 * continues in the next record, "$" the output ended without a line break, "!" a
 * message of jobd-log itself (lines were dropped, …).
 *
 * The current file of a unit is UNIT.log. Complete files are UNIT.log.REALTIME,
 * with the time of the last record, or if the clock was set back, a time after
 * that of the file before.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/text.h"
#include "basic/usec.h"

#define LOG_CONTEXT_EVERY (64U * 1024U)
#define LOG_FILE_SUFFIX ".log"
#define LOG_FILE_NAME_MAX 256

typedef enum LogMark {
        LOG_MARK_WHOLE = '-',
        LOG_MARK_CUT = '+',
        LOG_MARK_END = '$',
        LOG_MARK_NOTE = '!',
} LogMark;

typedef struct LogContext {
        const char *unit;
        const char *invocation, *boot;  /* hexadecimal; NULL: "-" */
        int pid;
        const char *identifier;
        const char *extra;              /* NAME=value, separated by tabs; or NULL */
} LogContext;

typedef struct LogRecord {
        usec_t realtime, monotonic;
        uint32_t priority;
        LogMark mark;
        const char *message;            /* not NUL-terminated; may have any byte but a line break */
        size_t length;
} LogRecord;

void log_context_write(const LogContext *context, Text *text);
void log_record_write(const LogRecord *record, Text *text);

/*
 * The part before the message is the same for all lines of one moment: formatted once, used often. Returns its length.
 */
#define LOG_STAMP_MAX 48
size_t log_stamp_write(usec_t realtime, usec_t monotonic, char stamp[static LOG_STAMP_MAX]);

/*
 * Parses @line, which has no line break; modifies it, and results point into it. 1: a context, 2: a record, or
 * -EBADMSG.
 */
int log_line_read(char *line, size_t n, LogContext *ret_context, LogRecord *ret_record);

/* The name of the unit's current file, in @buffer; very long unit names are shortened. */
const char *log_file_name(const char *unit, char buffer[static LOG_FILE_NAME_MAX]);

/*
 * Whether @name is the name of a log file. *ret_length: the length of "UNIT.log"; *ret_time: the time in the name, 0
 * for the current file.
 */
bool log_file_name_read(const char *name, size_t *ret_length, usec_t *ret_time);
