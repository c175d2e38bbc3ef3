/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes of a stream as lines
 *
 * The parts of a line that is too long stay in order: a marked part is
 * followed by the next part, in the same file.
 */

#include <string.h>

#include "basic/macro.h"
#include "log/log_frame.h"

#define PREFIX_LENGTH 3U

size_t log_frame_take(const char *bytes, size_t n, size_t line_max, bool is_end) {
        const char *last = memrchr(bytes, '\n', n);

        if (last)
                return (size_t) (last - bytes) + 1;
        if (n >= line_max)
                return n - n % line_max;
        return is_end ? n : 0;
}

static void strip_prefix(const LogFrame *frame, LogRecord *record) {
        const char *message = record->message;

        if (!frame->has_prefix || record->length < PREFIX_LENGTH || message[0] != '<' || message[1] < '0' ||
            message[1] > '7' || message[2] != '>')
                return;
        record->priority = (uint32_t) (message[1] - '0');
        record->message += PREFIX_LENGTH;
        record->length -= PREFIX_LENGTH;
}

bool log_frame_next(LogFrame *frame, LogRecord *ret_record) {
        const char *end;
        size_t length;

        if (frame->n == 0)
                return false;
        end = memchr(frame->bytes, '\n', MIN(frame->n, frame->line_max + 1));
        length = end ? (size_t) (end - frame->bytes) : MIN(frame->n, frame->line_max);
        *ret_record = (LogRecord) {
                .message = frame->bytes, .length = length, .priority = frame->level,
                .mark = end ? LOG_MARK_WHOLE : length == frame->n && frame->is_end ? LOG_MARK_END : LOG_MARK_CUT,
        };
        strip_prefix(frame, ret_record);
        length += end ? 1 : 0;
        frame->bytes += length;
        frame->n -= length;
        return true;
}
