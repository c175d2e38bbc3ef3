/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What core tells jobd-log of the streams, in memory that both share
 *
 * A stream is a FIFO in the folder of streams, "0" and up; a process of a unit
 * opens it as its standard output. Who writes into which is in this table, a
 * file beside them: core changes it by plain stores before it starts a process,
 * so that a start costs neither of them a system call, and both find it again
 * when they have died. A stream is given to one invocation of one unit; it may
 * be given to another only when nobody has it open for writing, all that was in
 * it has been taken and is_busy is 0 (log_stream_is_done).
 *
 * The folder also has "stage" (the bytes that jobd-log is about to write to a
 * file), "control" (a byte from core: LogControl) and "alive" (jobd-log has it
 * open for writing while it lives).
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/usec.h"

#define LOG_TABLE_MAGIC 0x6a6f6264U
#define LOG_TABLE_VERSION 1U
#define LOG_STREAMS_MAX 16384U
#define LOG_UNIT_BYTES 256U
#define LOG_IDENTIFIER_BYTES 128U
#define LOG_EXTRA_BYTES 1024U
#define LOG_PATH_BYTES 512U

#define LOG_CONTROL_NEWS 'n'            /* there are more streams, or other settings */
#define LOG_CONTROL_ROTATE 'r'          /* begin new files */

typedef enum LogStreamFlags {
        LOG_STREAM_LEVEL_PREFIX = 1 << 0,       /* "<N>" at the beginning of a line is its priority */
        LOG_STREAM_CONSOLE = 1 << 1,            /* to /dev/console, too */
        LOG_STREAM_KERNEL = 1 << 2,             /* to the kernel's log, too */
        LOG_STREAM_HAS_LIMIT = 1 << 3,          /* .interval and .burst instead of the settings' */
        LOG_STREAM_IS_OURS = 1 << 4,            /* core's own: no reason to stay when services have ended */
} LogStreamFlags;

/* From where the lines of one stream are, and what has not been told of it. */
typedef struct LogStream {
        /* Core's; written while nobody writes into the stream. */
        uint32_t generation;            /* rises with each that has it; 0: nobody has had it */
        uint32_t flags;                 /* LogStreamFlags */
        uint32_t level;                 /* of lines that say nothing */
        uint32_t level_max;             /* lines that are less important are not kept */
        uint64_t interval;              /* µs */
        uint32_t burst;
        int32_t pid;                    /* of the process that was started last; 0: none yet */
        uint8_t invocation[16];
        char unit[LOG_UNIT_BYTES];
        char identifier[LOG_IDENTIFIER_BYTES];
        char extra[LOG_EXTRA_BYTES];    /* "NAME=value\tNAME=value", escaped; may be empty */

        /* jobd-log's. */
        uint32_t is_busy;               /* it takes from the stream: what it takes belongs to whom it has now */
        uint32_t padding;
        uint64_t n_dropped;             /* lines over the rate limit that the log does not tell of yet … */
        uint64_t n_lost;                /* … and lines that could not be written … */
        int32_t lost_error;             /* … for this errno */
        uint32_t padding_end;
} LogStream;

#define LOG_AUTOMATIC UINT64_MAX

/* Sizes in bytes, times in µs; 0: no limit. */
typedef struct LogSettings {
        uint64_t file_size_max, file_age_max;   /* of one file, before the next one is begun */
        uint64_t age_max;                       /* of a file that nobody writes to any more */
        uint64_t size_max;                      /* of all files; LOG_AUTOMATIC: by the size of the file system */
        uint64_t keep_free;                     /* of the file system, as size_max */
        uint64_t interval;                      /* in this time … */
        uint32_t burst;                         /* … so many lines of a unit */
        uint32_t padding;
        char directory[LOG_PATH_BYTES];
        char other_directory[LOG_PATH_BYTES];   /* while the other can't be written to; or empty */
} LogSettings;

/* What jobd-log is at, for the one that comes after it: see log_stage.c. */
typedef enum LogPhase {
        LOG_PHASE_IDLE,
        LOG_PHASE_TAKING,               /* bytes go from the stream to the stage */
        LOG_PHASE_WRITING,              /* the stage has all of them; they go to the file */
        LOG_PHASE_WRITTEN,              /* the stage is being emptied */
} LogPhase;

typedef struct LogIntent {
        uint32_t phase;
        uint32_t stream;
        uint64_t taken;                 /* bytes of the stream */
        uint64_t inode, offset, length; /* of the file, and in it */
        uint64_t n_dropped, n_lost;     /* of the stream, when it is written */
        int32_t lost_error;
        uint32_t is_end;                /* the last line has no end */
} LogIntent;

typedef struct LogHeader {
        uint32_t magic, version;
        uint32_t n_streams;             /* that have FIFOs; rises */
        uint32_t is_in_other;           /* jobd-log writes to the other directory */
        int32_t daemon;                 /* its pid; perhaps of one that has ended */
        uint32_t padding;
        LogSettings settings;
        LogIntent intent;
        uint64_t n_lines, n_dropped_total, n_lost_total;        /* since the table was made */
        uint64_t n_lost_untold;         /* lines of streams that others have by now */
} LogHeader;

typedef struct LogTable {
        int folder_fd, fd;              /* owned: the folder, and the file */
        LogHeader *header;              /* a mapping, as is … */
        LogStream *streams;             /* … this, of LOG_STREAMS_MAX */
        uint32_t n_reserved;            /* of them, there is memory for so many */
} LogTable;

#define LOG_TABLE_EMPTY (LogTable) { .folder_fd = -1, .fd = -1 }

/*
 * Opens the table of the streams in @folder; makes both where they are missing and @may_make, also in the place of a table
 * of another version. 0 or -errno.
 */
int log_table_open(LogTable *table, const char *folder, bool may_make);
void log_table_close(LogTable *table);

/*
 * Before .streams[@number], or one before it, is written to: memory on a file system that is full would end us. 0 or
 * -ENOSPC, …
 */
int log_table_reserve(LogTable *table, uint32_t number);

/* Names in the folder. */
#define LOG_STREAM_NAME_MAX 16
const char *log_stream_name(uint32_t number, char buffer[static LOG_STREAM_NAME_MAX]);

/* Makes a FIFO if it is not there, and opens it: a descriptor, close-on-exec and non-blocking; or -errno. */
int log_table_open_fifo(const LogTable *table, const char *name, int flags, bool may_make);

/* The reading end of a stream, of which poll() says POLLHUP whenever nobody has it open for writing. */
int log_table_open_stream(const LogTable *table, uint32_t number, bool may_make);

/* May the stream be given to another? @fd is a reading end of it. */
bool log_stream_is_done(const LogStream *stream, int fd);

/* Does jobd-log live? @fd is the reading end of "alive". */
bool log_is_alive(int fd);

static inline uint32_t log_load(const uint32_t *slot) {
        return __atomic_load_n(slot, __ATOMIC_SEQ_CST);
}

static inline void log_store(uint32_t *slot, uint32_t value) {
        __atomic_store_n(slot, value, __ATOMIC_SEQ_CST);
}
