/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Reads the files of jobd-log: of one unit or of several, sorted by time
 *
 * A reader can continue at the end: it waits for new lines in these files, in
 * their successors, or in new files of these units.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/macro.h"
#include "basic/usec.h"
#include "log/log_record.h"

typedef struct LogReader LogReader;

/* One record and its origin; borrowed from the reader until the next call. */
typedef struct LogEntry {
        LogRecord record;
        LogContext context;             /* .unit is never NULL */
} LogEntry;

typedef struct LogFilter {
        usec_t since, until;            /* realtime; 0: no limit */
        uint32_t priority_max;          /* less important records are left out; 7: none */
        const char *invocation;         /* copied; hexadecimal, or its beginning; NULL: all */
        size_t last;                    /* only this many at the end; 0: all; LOG_LAST_NONE: only new ones */
} LogFilter;

#define LOG_LAST_NONE SIZE_MAX

/* @folders: the folders of the files; missing ones are checked again later. 0, -ENOMEM, or -errno of inotify. */
int log_reader_new(LogReader **ret_reader, char *const *folders, const LogFilter *filter);
LogReader *log_reader_free(LogReader *reader);
DEFINE_CLEANUP(LogReader, log_reader_free)

/*
 * Adds units by name or pattern, before the first entry is read. @with_manager: also the messages of the manager about
 * the unit. 0 or -ENOMEM.
 */
int log_reader_add(LogReader *reader, const char *unit, bool with_manager);

/* 1; 0: no more entries for now; or -errno. */
int log_reader_next(LogReader *reader, LogEntry *ret_entry);

/* Whether some record of these units could not be read for lack of permission. */
bool log_reader_is_denied(const LogReader *reader);

/* Becomes readable when there may be new entries for log_reader_next(). */
int log_reader_fd(const LogReader *reader);

/* Waits for new entries, at most @timeout µs: 1, 0, or -errno (-EINTR). */
int log_reader_wait(LogReader *reader, usec_t timeout);

/* The last invocation that has a record of @unit: 0, -ENOENT or -errno. */
int log_reader_find_invocation(char *const *folders, const char *unit, char ret_invocation[static 33]);
