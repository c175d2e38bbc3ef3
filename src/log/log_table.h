/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The table of streams, in memory that core and jobd-log share
 *
 * A stream is a FIFO in the folder of streams, "0" and up, which a process of
 * a unit opens as its standard output. The table, a file beside the FIFOs,
 * records the unit of each stream. Core changes it by plain stores before it
 * starts a process, so that a start costs neither side a system call, and
 * both find it again after a crash. A stream belongs to one invocation of one
 * unit. It may be given to another only when no process has it open for
 * writing, all its bytes have been taken, and is_busy is 0
 * (log_stream_is_done).
 *
 * The folder also has "stage" (the bytes that jobd-log is about to write to a
 * file), "control" (a byte from core: LogControl) and "alive" (jobd-log has
 * it open for writing while it lives).
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

#define LOG_CONTROL_NEWS 'n'            /* there are new streams or settings */
#define LOG_CONTROL_ROTATE 'r'          /* begin new files */

typedef enum LogStreamFlags {
        LOG_STREAM_LEVEL_PREFIX = 1 << 0,       /* "<N>" at the beginning of a line is its priority */
        LOG_STREAM_CONSOLE = 1 << 1,            /* also to /dev/console */
        LOG_STREAM_KERNEL = 1 << 2,             /* also to the kernel's log */
        LOG_STREAM_HAS_LIMIT = 1 << 3,          /* .interval and .burst apply instead of the settings */
        LOG_STREAM_IS_OURS = 1 << 4,            /* the stream of core itself: no reason to stay */
} LogStreamFlags;

/* The origin of the lines of one stream, and its unreported counts. */
typedef struct LogStream {
        /* Written by core, while no process writes into the stream. */
        uint32_t generation;            /* rises with each invocation; 0: not used yet */
        uint32_t flags;                 /* LogStreamFlags */
        uint32_t level;                 /* the priority of lines without one */
        uint32_t level_max;             /* less important lines are dropped */
        uint64_t interval;              /* µs */
        uint32_t burst;
        int32_t pid;                    /* of the process started last; 0: none yet */
        uint8_t invocation[16];
        char unit[LOG_UNIT_BYTES];
        char identifier[LOG_IDENTIFIER_BYTES];
        char extra[LOG_EXTRA_BYTES];    /* "NAME=value\tNAME=value", escaped; may be empty */

        /* Written by jobd-log. */
        uint32_t is_busy;               /* bytes are being taken, which belong to the present invocation */
        uint32_t padding;
        uint64_t n_dropped;             /* unreported: lines over the rate limit … */
        uint64_t n_lost;                /* … and lines that could not be written … */
        int32_t lost_error;             /* … because of this errno */
        uint32_t padding_end;
} LogStream;

#define LOG_AUTOMATIC UINT64_MAX

/* Sizes in bytes, times in µs; 0: no limit. */
typedef struct LogSettings {
        uint64_t file_size_max, file_age_max;   /* of one file, at which the next one is begun */
        uint64_t age_max;                       /* of a complete file */
        uint64_t size_max;                      /* of all files; LOG_AUTOMATIC: a part of the file system */
        uint64_t keep_free;                     /* of the file system; see size_max */
        uint64_t interval;                      /* the interval of the rate limit … */
        uint32_t burst;                         /* … and its number of lines for a unit */
        uint32_t padding;
        char directory[LOG_PATH_BYTES];
        char other_directory[LOG_PATH_BYTES];   /* used while the other is not writable; or empty */
} LogSettings;

/* The progress of jobd-log, for its successor: see log_stage.c. */
typedef enum LogPhase {
        LOG_PHASE_IDLE,
        LOG_PHASE_TAKING,               /* bytes move from the stream to the stage */
        LOG_PHASE_WRITING,              /* the stage has all of them; they go to the file */
        LOG_PHASE_WRITTEN,              /* the stage is being emptied */
} LogPhase;

typedef struct LogIntent {
        uint32_t phase;
        uint32_t stream;
        uint64_t taken;                 /* bytes of the stream */
        uint64_t inode, offset, length; /* of the file, and the place in it */
        uint64_t n_dropped, n_lost;     /* of the stream, after the write */
        int32_t lost_error;
        uint32_t is_end;                /* the last line has no end */
} LogIntent;

typedef struct LogHeader {
        uint32_t magic, version;
        uint32_t n_streams;             /* streams with FIFOs; rises */
        uint32_t is_in_other;           /* jobd-log writes to the other directory */
        int32_t daemon;                 /* the pid of jobd-log, which may have ended */
        uint32_t padding;
        LogSettings settings;
        LogIntent intent;
        uint64_t n_lines, n_dropped_total, n_lost_total;        /* since the table was made */
        uint64_t n_lost_untold;         /* unreported lost lines of streams that were given away since */
} LogHeader;

typedef struct LogTable {
        int folder_fd, fd;              /* owned: the folder, and the file */
        LogHeader *header;              /* a mapping, … */
        LogStream *streams;             /* … as is this, of LOG_STREAMS_MAX */
        uint32_t n_reserved;            /* the number of streams with reserved memory */
} LogTable;

#define LOG_TABLE_EMPTY (LogTable) { .folder_fd = -1, .fd = -1 }

/*
 * Opens the table of the streams in @folder. With @may_make it creates both if they are missing, and replaces a table
 * of another version. 0 or -errno.
 */
int log_table_open(LogTable *table, const char *folder, bool may_make);
void log_table_close(LogTable *table);

/*
 * Must precede a write to .streams[@number]: without room in the file system such a write would kill the process.
 * Reserves all up to @number. 0 or -ENOSPC, …
 */
int log_table_reserve(LogTable *table, uint32_t number);

/* Size of the names in the folder. */
#define LOG_STREAM_NAME_MAX 16
const char *log_stream_name(uint32_t number, char buffer[static LOG_STREAM_NAME_MAX]);

/* Creates a FIFO if it is missing, and opens it: a descriptor, close-on-exec and non-blocking; or -errno. */
int log_table_open_fifo(const LogTable *table, const char *name, int flags, bool may_make);

/*
 * Opens the reading end of a stream; poll() reports POLLHUP for it whenever no process has the stream open for writing.
 */
int log_table_open_stream(const LogTable *table, uint32_t number, bool may_make);

/* Whether the stream may be given to another invocation. @fd is a reading end of it. */
bool log_stream_is_done(const LogStream *stream, int fd);

/* Whether jobd-log lives. @fd is the reading end of "alive". */
bool log_is_alive(int fd);

static inline uint32_t log_load(const uint32_t *slot) {
        return __atomic_load_n(slot, __ATOMIC_SEQ_CST);
}

static inline void log_store(uint32_t *slot, uint32_t value) {
        __atomic_store_n(slot, value, __ATOMIC_SEQ_CST);
}
