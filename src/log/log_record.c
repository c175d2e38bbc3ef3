/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The format of a log file
 */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/hash.h"
#include "basic/log.h"
#include "basic/macro.h"
#include "log/log_record.h"

#define CONTEXT_FIELDS 6U
/* Leaves room for ".log" and the time of a complete file within the limit of file systems. */
#define NAME_KEPT 200U

static void add_field(Text *text, const char *value) {
        text_add_char(text, '\t');
        text_add(text, value && *value ? value : "-");
}

void log_context_write(const LogContext *context, Text *text) {
        text_add_char(text, '@');
        add_field(text, context->unit);
        add_field(text, context->invocation);
        text_addf(text, "\t%d", context->pid);
        add_field(text, context->identifier);
        add_field(text, context->boot);
        if (context->extra && *context->extra)
                add_field(text, context->extra);
        text_add_char(text, '\n');
}

size_t log_stamp_write(usec_t realtime, usec_t monotonic, char stamp[static LOG_STAMP_MAX]) {
        return (size_t) snprintf(stamp, LOG_STAMP_MAX, "%" PRIu64 "\t%" PRIu64 "\t", realtime, monotonic);
}

void log_record_write(const LogRecord *record, Text *text) {
        const char head[] = { (char) ('0' + record->priority), '\t', (char) record->mark, '\t' };
        char stamp[LOG_STAMP_MAX];

        text_add_n(text, stamp, log_stamp_write(record->realtime, record->monotonic, stamp));
        text_add_n(text, head, sizeof(head));
        text_add_n(text, record->message, record->length);
        text_add_char(text, '\n');
}

static const char *value_or_null(const char *field) {
        return strcmp(field, "-") == 0 ? NULL : field;
}

static int read_context(char *line, LogContext *ret_context) {
        char *fields[CONTEXT_FIELDS] = {};
        size_t n = 0;

        for (char *rest = line; rest && n < CONTEXT_FIELDS; n++) {
                fields[n] = rest;
                rest = strchr(rest, '\t');
                if (rest)
                        *rest++ = '\0';
                if (n == CONTEXT_FIELDS - 1)
                        ret_context->extra = rest;
        }
        if (n < CONTEXT_FIELDS)
                return -EBADMSG;
        *ret_context = (LogContext) {
                .unit = fields[1], .invocation = value_or_null(fields[2]), .pid = atoi(fields[3]),
                .identifier = value_or_null(fields[4]), .boot = value_or_null(fields[5]), .extra = ret_context->extra,
        };
        return 1;
}

static bool read_number(const char **text, const char *end, uint64_t *ret_value) {
        const char *c = *text;
        uint64_t value = 0;

        for (; c < end && *c >= '0' && *c <= '9'; c++)
                value = value * 10 + (uint64_t) (*c - '0');
        if (c == *text || c == end || *c != '\t')
                return false;
        *text = c + 1;
        *ret_value = value;
        return true;
}

static bool is_mark(char c) {
        return c == LOG_MARK_WHOLE || c == LOG_MARK_CUT || c == LOG_MARK_END || c == LOG_MARK_NOTE;
}

static int read_record(const char *line, size_t n, LogRecord *ret_record) {
        const char *rest = line, *end = line + n;
        uint64_t realtime, monotonic, priority;

        if (!read_number(&rest, end, &realtime) || !read_number(&rest, end, &monotonic) ||
            !read_number(&rest, end, &priority) || priority > LOG_LEVEL_DEBUG)
                return -EBADMSG;
        if (end - rest < 2 || !is_mark(rest[0]) || rest[1] != '\t')
                return -EBADMSG;
        *ret_record = (LogRecord) {
                .realtime = realtime, .monotonic = monotonic,
                .priority = (uint32_t) priority, .mark = (LogMark) rest[0],
                .message = rest + 2, .length = (size_t) (end - rest) - 2,
        };
        return 2;
}

int log_line_read(char *line, size_t n, LogContext *ret_context, LogRecord *ret_record) {
        if (n > 1 && line[0] == '@' && line[1] == '\t') {
                *ret_context = (LogContext) {};
                line[n] = '\0';
                return read_context(line, ret_context);
        }
        return read_record(line, n, ret_record);
}

const char *log_file_name(const char *unit, char buffer[static LOG_FILE_NAME_MAX]) {
        if (strlen(unit) <= NAME_KEPT)
                snprintf(buffer, LOG_FILE_NAME_MAX, "%s" LOG_FILE_SUFFIX, unit);
        else
                snprintf(buffer, LOG_FILE_NAME_MAX, "%.*s-%016" PRIx64 LOG_FILE_SUFFIX, (int) NAME_KEPT - 20, unit,
                         hash_add(HASH_BEGIN, unit));
        for (char *c = buffer; *c; c++)
                if (*c == '/' || (unsigned char) *c < ' ')
                        *c = '_';
        if (buffer[0] == '.')
                buffer[0] = '_';
        return buffer;
}

bool log_file_name_read(const char *name, size_t *ret_length, usec_t *ret_time) {
        const char *found = NULL, *end;
        uint64_t time = 0;

        for (const char *at = name; (at = strstr(at, LOG_FILE_SUFFIX)); at++)
                if (at[strlen(LOG_FILE_SUFFIX)] == '\0' || at[strlen(LOG_FILE_SUFFIX)] == '.')
                        found = at;
        if (!found || found == name || name[0] == '.')
                return false;
        end = found + strlen(LOG_FILE_SUFFIX);
        if (*end == '.' && (!isdigit((unsigned char) end[1]) || text_parse_u64(end + 1, &time) < 0))
                return false;
        *ret_length = (size_t) (end - name);
        *ret_time = time;
        return true;
}
