/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A jobd-log with streams, without a core
 *
 * The test does the work of core: it fills the table, makes FIFOs and holds
 * them open, starts and kills the program.
 */

#include <sys/types.h>

#include "log/log_record.h"
#include "log/log_table.h"

typedef struct LogWorld {
        char folder[64], streams[96], logs[96];
        LogTable table;
        int alive, stage;
        int fds[64];                    /* reading ends, by number of the stream */
        pid_t daemon;                   /* 0: does not run */
} LogWorld;

extern LogWorld log_world;

void log_world_begin(void);
void log_world_end(void);

/* Starts jobd-log; returns when it serves. */
void log_world_start_daemon(void);
void log_world_kill_daemon(int signal);         /* returns when it has ended */

/* A new stream; its number. */
uint32_t log_world_add_stream(const char *unit);

/* Opens a writing end, which blocks. */
int log_world_open(uint32_t stream);
void log_world_write(int fd, const char *text);

/* The records in the unit's files, the oldest first; waits until there are @n. The caller frees it. */
typedef struct LogWorldRecord {
        LogRecord record;               /* .message ends with a NUL */
        char *unit, *invocation;
        int pid;
        uint32_t file;                  /* the index of its file among those of the unit */
} LogWorldRecord;

size_t log_world_read(const char *unit, size_t n, LogWorldRecord **ret_records);
void log_world_free(LogWorldRecord *records, size_t n);

/* The number of log files, and their size. */
size_t log_world_count_files(uint64_t *ret_size);
