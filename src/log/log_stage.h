/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The way from a stream to a file
 *
 * A line leaves its FIFO only to be in another one, the stage, and leaves that
 * only when it is in a file; in between LogIntent says how far it is. Whoever
 * holds the FIFOs open keeps all that is on its way, and the jobd-log that comes
 * after one that was killed goes on at that point: nothing is lost, nothing is
 * there twice.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "log/log_table.h"

typedef struct LogStage {
        LogHeader *header;              /* borrowed */
        int fd;                         /* owned: the stage, both ends */
        int copy[2];                    /* owned: a pipe for what is looked at */
        int null_fd;                    /* owned */
        char *buffer;                   /* owned */
        size_t size;
} LogStage;

#define LOG_STAGE_EMPTY (LogStage) { .fd = -1, .copy = { -1, -1 }, .null_fd = -1 }

int log_stage_init(LogStage *stage, LogTable *table);
void log_stage_deinit(LogStage *stage);

/*
 * Into .buffer, what could be taken from @fd, at most .size bytes; it stays where it is. The number of bytes, 0 if there are
 * none and nobody can write there any more, or -EAGAIN.
 */
ssize_t log_stage_peek(LogStage *stage, int fd);

/* Takes the first @n bytes of the stream, which were looked at. The number of bytes, or -errno. */
ssize_t log_stage_take(LogStage *stage, uint32_t stream, int fd, size_t n, bool is_end);

/* Goes on with a taking that was interrupted; the same. */
ssize_t log_stage_take_rest(LogStage *stage, int fd);

/* All that was taken is in a file, or counted as lost. */
void log_stage_finish(LogStage *stage);
