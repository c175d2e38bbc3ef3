/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * jobd-log: reads lines from streams and writes them to files
 *
 * One thread and one loop. Its memory holds nothing that its successor could
 * not find again: see log_stage.h. It waits for the disk, and then services
 * wait for it (decision 0015). Lines are dropped, and counted, only above a
 * rate limit or without room on the disk.
 */

#include "log/log_file.h"
#include "log/log_forward.h"
#include "log/log_record.h"
#include "log/log_stage.h"

/* The reading end of a stream. */
typedef struct LogSource {
        int fd;                         /* owned; -1: not opened yet */
        bool is_ready;                  /* the source is in LogDaemon.ready */
        bool is_partial;                /* the source has an incomplete line */
        size_t line_max;                /* the length of a line at which the pipe may be full */
} LogSource;

typedef struct LogDaemon {
        LogTable table;
        LogFiles files;
        LogStage stage;
        LogForward forward;
        VECTOR(LogSource) sources;      /* by number of the stream */
        VECTOR(uint32_t) ready;         /* numbers of streams that may have data */
        Text output;                    /* the text to write next; kept for its memory */
        char boot[33];
        int epoll_fd, control_fd, alive_fd, signal_fd;          /* owned */
        bool is_leaving;                /* the daemon exits when no service has a stream open */
        uint64_t n_taken;               /* bytes, in this turn */
} LogDaemon;

#define LOG_DAEMON_EMPTY (LogDaemon) {                                                                  \
                .table = LOG_TABLE_EMPTY, .files = { .folder_fd = -1 }, .stage = LOG_STAGE_EMPTY,       \
                .forward = LOG_FORWARD_EMPTY, .epoll_fd = -1, .control_fd = -1, .alive_fd = -1, .signal_fd = -1 }

/* 0, -EALREADY if another jobd-log serves these streams, or -errno. */
int log_daemon_init(LogDaemon *daemon, const char *folder);
void log_daemon_deinit(LogDaemon *daemon);

/* Runs until it is told to leave: 0 or -errno. */
int log_daemon_run(LogDaemon *daemon);

/* — log_stream.c — */

/* Finishes the interrupted write of an earlier jobd-log. */
void log_stream_recover(LogDaemon *daemon);

typedef enum LogStreamResult {
        LOG_STREAM_WAITS,               /* no more data for now */
        LOG_STREAM_HAS_MORE,
} LogStreamResult;

/* Moves as much as fits into the stage, once. */
LogStreamResult log_stream_serve(LogDaemon *daemon, uint32_t number);

/* Writes a note on dropped or lost lines if it is time, or if @is_end: no process writes there any more. */
void log_stream_tell_counts(LogDaemon *daemon, uint32_t number, bool is_end);
