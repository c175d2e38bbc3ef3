/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The way from a stream to a file
 *
 * A line moves from its FIFO to another pipe, the stage, and is removed from
 * that only when it is in a file; in between LogIntent records the progress.
 * The FIFOs stay open elsewhere, so their contents survive, and the successor
 * of a killed jobd-log continues at that point: no line is lost or written
 * twice.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "log/log_table.h"

typedef struct LogStage {
        LogHeader *header;              /* borrowed */
        int fd;                         /* owned: the stage, both ends */
        int copy[2];                    /* owned: a pipe for copies made by tee */
        int null_fd;                    /* owned */
        char *buffer;                   /* owned */
        size_t size;
} LogStage;

#define LOG_STAGE_EMPTY (LogStage) { .fd = -1, .copy = { -1, -1 }, .null_fd = -1 }

int log_stage_init(LogStage *stage, LogTable *table);
void log_stage_deinit(LogStage *stage);

/*
 * Copies bytes of @fd to .buffer, at most .size, without taking them. The number of bytes, 0 if there are none and no
 * writer is left, or -EAGAIN.
 */
ssize_t log_stage_peek(LogStage *stage, int fd);

/* Moves the first @n copied bytes of the stream to the stage. The number of bytes, or -errno. */
ssize_t log_stage_take(LogStage *stage, uint32_t stream, int fd, size_t n, bool is_end);

/* Continues an interrupted move, with the same results. */
ssize_t log_stage_take_rest(LogStage *stage, int fd);

/* All bytes in the stage are in a file, or counted as lost: empties the stage. */
void log_stage_finish(LogStage *stage);
