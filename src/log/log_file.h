/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The files that jobd-log writes
 *
 * One a unit, opened when it is needed, with the state that belongs to the unit
 * rather than to one of its streams: the rate limit, and whose records stand at
 * the end. As many as LOG_FILES_OPEN are open; who has not written for the
 * longest time makes room.
 */

#include "basic/macro.h"
#include "basic/vector.h"
#include "log/log_limit.h"
#include "log/log_table.h"

#define LOG_FILES_OPEN 1024U

typedef struct LogFile {
        char *unit;                     /* owned */
        int fd;                         /* owned; -1: not open */
        uint64_t inode, size;
        uint64_t since_context;         /* bytes behind the last context */
        uint32_t stream, generation;    /* whose context that is; generation 0: nobody's */
        int32_t pid;
        usec_t begun;                   /* realtime: when the file was */
        usec_t used;                    /* monotonic */
        usec_t looked;                  /* monotonic: when it was seen that the name leads to it */
        LogLimit limit;
} LogFile;

typedef struct LogFiles {
        LogHeader *header;              /* borrowed: settings, and which directory is in use */
        int folder_fd;                  /* owned; -1: not open */
        VECTOR(LogFile *) items;        /* owned */
        uint64_t since_vacuum;          /* bytes written */
} LogFiles;

int log_files_init(LogFiles *files, LogHeader *header);
void log_files_deinit(LogFiles *files);

/* In the main directory if we may write there, else in the other one. 0 or -errno: in none. */
int log_files_choose_folder(LogFiles *files);

/* The unit's file, perhaps not open: valid until the next call. -ENOMEM. */
int log_files_find(LogFiles *files, const char *unit, LogFile **ret_file);

/*
 * Opens it if it is not, or its name leads to another file by now; begins a new one if this one is full or too old for
 * @extra bytes more. 0 or -errno.
 */
int log_file_prepare(LogFiles *files, LogFile *file, usec_t realtime, usec_t monotonic, uint64_t extra);

/* The same without beginning a new one. */
int log_file_open(LogFiles *files, LogFile *file, usec_t realtime);

/* Appends all of it, or nothing: 0 or -errno (-ENOSPC, …). */
int log_file_append(LogFiles *files, LogFile *file, const char *bytes, size_t n);

/* Takes back what is behind @size. */
void log_file_cut(LogFile *file, uint64_t size);

/* What is written from now on is in new files. */
void log_files_rotate(LogFiles *files, usec_t realtime);

/* When the last complete one of @name ("UNIT.log") was, as its name has it; 0: there is none. */
usec_t log_files_find_last(const LogFiles *files, const char *name);

/* Deletes what is too old and, the oldest first, what is more than there may be in all. */
void log_files_vacuum(LogFiles *files, usec_t realtime);
