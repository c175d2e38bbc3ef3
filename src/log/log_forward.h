/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Lines that also go to the console or to the kernel's log
 *
 * Writing never blocks: a line without room there is only in the file.
 */

#include "log/log_record.h"
#include "log/log_table.h"

typedef struct LogForward {
        int console_fd, kernel_fd;      /* owned; -1: not open, or does not exist */
} LogForward;

#define LOG_FORWARD_EMPTY { .console_fd = -1, .kernel_fd = -1 }

void log_forward_deinit(LogForward *forward);
void log_forward_record(LogForward *forward, const LogStream *stream, const LogRecord *record);
