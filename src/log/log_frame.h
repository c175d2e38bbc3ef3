/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Bytes of a stream as lines
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/log_record.h"

typedef struct LogFrame {
        const char *bytes;              /* the bytes that are not read yet */
        size_t n;
        size_t line_max;                /* longer lines are cut */
        bool is_end;                    /* nothing comes after @bytes */
        bool has_prefix;                /* "<N>" at the beginning of a line is its priority */
        uint32_t level;                 /* the priority of lines without a prefix */
} LogFrame;

/* The number of bytes that can be taken: whole lines, a part of a line that is too long, or (is_end) all. May be 0. */
size_t log_frame_take(const char *bytes, size_t n, size_t line_max, bool is_end);

/* The next line, without times; false at the end. */
bool log_frame_next(LogFrame *frame, LogRecord *ret_record);
