/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The format of a log file
 *
 * Lines of text with fields between tabs. One that begins with "@" says whose
 * the records behind it are, until the next one; a file begins with one, and
 * there is one every LOG_CONTEXT_EVERY bytes at least:
 *
 *     @ UNIT INVOCATION PID IDENTIFIER BOOT [NAME=value]…
 *
 * INVOCATION and BOOT are 32 hexadecimal digits or "-", PID is 0 where it is
 * not known. All else is a record, a line of a service as it came, in which any
 * byte but a line break may stand:
 *
 *     REALTIME MONOTONIC PRIORITY MARK MESSAGE
 *
 * Times are µs, PRIORITY is 0 to 7. MARK: "-" a whole line, "+" it goes on in
 * the next record, "$" the service ended without a line break, "!" it is
 * jobd-log that speaks (lines were dropped, …).
 *
 * The file of a unit is UNIT.log; what was written before is in
 * UNIT.log.REALTIME, by when its last record was; if the clock was set back, by
 * a time behind that of the file before.
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
        const char *invocation, *boot;  /* hexadecimal, NULL for "-" */
        int pid;
        const char *identifier;
        const char *extra;              /* NAME=value with tabs between, or NULL */
} LogContext;

typedef struct LogRecord {
        usec_t realtime, monotonic;
        uint32_t priority;
        LogMark mark;
        const char *message;            /* not ended by a NUL; may have any byte but a line break */
        size_t length;
} LogRecord;

void log_context_write(const LogContext *context, Text *text);
void log_record_write(const LogRecord *record, Text *text);

/* The part before the message is the same for all lines of a moment: written once, used often. Its length. */
#define LOG_STAMP_MAX 48
size_t log_stamp_write(usec_t realtime, usec_t monotonic, char stamp[static LOG_STAMP_MAX]);

/*
 * Reads @line, which has no line break and is changed; results point into it. 1: it is a context, 2: a record, -EBADMSG.
 */
int log_line_read(char *line, size_t n, LogContext *ret_context, LogRecord *ret_record);

/* Of the file that is written to, in @buffer; very long names of units are shortened. */
const char *log_file_name(const char *unit, char buffer[static LOG_FILE_NAME_MAX]);

/* Is it the name of a log file? Of which (the length of "UNIT.log"), and of when (0: the one that is written to)? */
bool log_file_name_read(const char *name, size_t *ret_length, usec_t *ret_time);
