/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * jobd-log: takes lines from streams, and writes them to files
 *
 * One thread and one loop. It has nothing in its memory that could not be found
 * again: see log_stage.h. It waits for the disk, and then services wait for it
 * (decision 0014); only what is over a rate limit, or has no room on the disk,
 * is thrown away, and counted.
 */

#include "log/log_file.h"
#include "log/log_forward.h"
#include "log/log_record.h"
#include "log/log_stage.h"

/* Our end of a stream. */
typedef struct LogSource {
        int fd;                         /* owned; -1: could not be opened yet */
        bool is_ready;                  /* it is in LogDaemon.ready */
        bool is_partial;                /* it has a line that is not complete */
        size_t line_max;                /* what a line can have before the pipe may be full */
} LogSource;

typedef struct LogDaemon {
        LogTable table;
        LogFiles files;
        LogStage stage;
        LogForward forward;
        VECTOR(LogSource) sources;      /* by number of the stream */
        VECTOR(uint32_t) ready;         /* numbers of streams that may have something */
        Text output;                    /* what is written next; kept for its memory */
        char boot[33];
        int epoll_fd, control_fd, alive_fd, signal_fd;          /* owned */
        bool is_leaving;                /* ends when no service writes any more */
        uint64_t n_taken;               /* bytes, in this turn */
} LogDaemon;

#define LOG_DAEMON_EMPTY (LogDaemon) {                                                                  \
                .table = LOG_TABLE_EMPTY, .files = { .folder_fd = -1 }, .stage = LOG_STAGE_EMPTY,       \
                .forward = LOG_FORWARD_EMPTY, .epoll_fd = -1, .control_fd = -1, .alive_fd = -1, .signal_fd = -1 }

/* -EALREADY: another one serves these streams. */
int log_daemon_init(LogDaemon *daemon, const char *folder);
void log_daemon_deinit(LogDaemon *daemon);

/* Until it is told to leave: 0 or -errno. */
int log_daemon_run(LogDaemon *daemon);

/* — log_stream.c — */

/* Finishes what the jobd-log before this one was at. */
void log_stream_recover(LogDaemon *daemon);

typedef enum LogStreamResult {
        LOG_STREAM_WAITS,               /* nothing more for now */
        LOG_STREAM_HAS_MORE,
} LogStreamResult;

/* Takes what fits into the stage once. */
LogStreamResult log_stream_serve(LogDaemon *daemon, uint32_t number);

/* Tells of lines that were dropped or lost, if the time has come, or @is_end: nobody writes there any more. */
void log_stream_tell_counts(LogDaemon *daemon, uint32_t number, bool is_end);
