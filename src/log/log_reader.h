/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Reads the files of jobd-log: of one unit or of several, by time
 *
 * A reader may go on at the end: it waits until there is more, in these files,
 * in those that come after them, or in those of units that had none so far.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/macro.h"
#include "basic/usec.h"
#include "log/log_record.h"

typedef struct LogReader LogReader;

/* One record and whose it is; borrowed from the reader until the next call. */
typedef struct LogEntry {
        LogRecord record;
        LogContext context;             /* .unit is never NULL */
} LogEntry;

typedef struct LogFilter {
        usec_t since, until;            /* realtime; 0: no limit */
        uint32_t priority_max;          /* less important ones are left out; 7: none are */
        const char *invocation;         /* hexadecimal, the beginning is enough; NULL: all. Copied */
        size_t last;                    /* only so many at the end; 0: all; LOG_LAST_NONE: only what is new */
} LogFilter;

#define LOG_LAST_NONE SIZE_MAX

/* @folders: where files are; those that are missing are looked for again. -ENOMEM, or -errno of inotify. */
int log_reader_new(LogReader **ret_reader, char *const *folders, const LogFilter *filter);
LogReader *log_reader_free(LogReader *reader);
DEFINE_CLEANUP(LogReader, log_reader_free)

/*
 * Adds units by name or pattern, before the first entry is read. @with_manager: also what the manager itself said of the
 * unit. 0 or -ENOMEM.
 */
int log_reader_add(LogReader *reader, const char *unit, bool with_manager);

/* 1, 0: no more for now, or -errno. */
int log_reader_next(LogReader *reader, LogEntry *ret_entry);

/* Is there anything of these units that may not be read? */
bool log_reader_is_denied(const LogReader *reader);

/* Becomes readable when there may be more; then log_reader_next() again. */
int log_reader_fd(const LogReader *reader);

/* Waits for that, at most @timeout µs: 1, 0, or -errno (-EINTR). */
int log_reader_wait(LogReader *reader, usec_t timeout);

/* The last invocation that has a record of @unit: 0, -ENOENT or -errno. */
int log_reader_find_invocation(char *const *folders, const char *unit, char ret_invocation[static 33]);
