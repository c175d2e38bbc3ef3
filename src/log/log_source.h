/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The files of one unit in one folder, as one text
 */

#include "basic/vector.h"
#include "log/log_reader.h"

typedef struct LogSource {
        char *folder, *base;            /* owned: "UNIT.log" */
        const char *mentions;           /* borrowed: only records that speak of this unit; NULL: all */
        int fd;                         /* owned; -1: none is open */
        usec_t time;                    /* of the open file: when it was complete; USEC_INFINITY: it is written to */
        uint64_t inode;
        uint64_t offset;                /* behind what is in the buffer */
        char *buffer;                   /* owned */
        size_t size, begin, end;
        char *context_line;             /* owned: what .context points into */
        LogContext context;
        LogRecord record;               /* the next one … */
        bool has_record;                /* … if there is one */
        bool is_over;                   /* what comes is behind the end that is asked for */
} LogSource;

int log_source_new(LogSource **ret_source, const char *folder, const char *base, const char *mentions);
LogSource *log_source_free(LogSource *source);

/* Where reading begins: at the first file that can have what is wanted, or @last records before the end. 0 or -errno. */
int log_source_seek(LogSource *source, const LogFilter *filter);

/* Sees to it that there is a record: 1, 0: none for now, or -errno. */
int log_source_fill(LogSource *source, const LogFilter *filter);

/* The last invocation in these files: 0 or -ENOENT. */
int log_source_find_invocation(LogSource *source, char ret_invocation[static 33]);
