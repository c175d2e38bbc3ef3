/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The files of one unit in one folder, read as one text
 */

#include "basic/vector.h"
#include "log/log_reader.h"

typedef struct LogSource {
        char *folder, *base;            /* owned: "UNIT.log" */
        const char *mentions;           /* borrowed: only records that mention this unit; NULL: all */
        int fd;                         /* owned; -1: none is open */
        usec_t time;                    /* of the open file: when it was completed; USEC_INFINITY: the current file */
        uint64_t inode;
        uint64_t offset;                /* the offset after the bytes in the buffer */
        char *buffer;                   /* owned */
        size_t size, begin, end;
        char *context_line;             /* owned: the strings of .context */
        LogContext context;
        LogRecord record;               /* the next one … */
        bool has_record;                /* … if there is one */
        bool is_over;                   /* later records are after the wanted time */
} LogSource;

int log_source_new(LogSource **ret_source, const char *folder, const char *base, const char *mentions);
LogSource *log_source_free(LogSource *source);

/* Goes to the first file that can have wanted records, or to the @last records before the end. 0 or -errno. */
int log_source_seek(LogSource *source, const LogFilter *filter);

/* Makes sure that .record is the next one: 1; 0: none for now; or -errno. */
int log_source_fill(LogSource *source, const LogFilter *filter);

/* The last invocation in these files: 0 or -ENOENT. */
int log_source_find_invocation(LogSource *source, char ret_invocation[static 33]);
