/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The files that jobd-log writes
 *
 * One per unit, opened on demand, with the state that belongs to the unit
 * rather than to one of its streams: the rate limit, and the context of the
 * last records. At most LOG_FILES_OPEN files are open; the least recently
 * used one is closed first.
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
        uint64_t since_context;         /* bytes after the last context */
        uint32_t stream, generation;    /* the stream of that context; generation 0: none */
        int32_t pid;
        usec_t begun;                   /* realtime: the beginning of the file */
        usec_t used;                    /* monotonic */
        usec_t looked;                  /* monotonic: the last check that the name refers to the file */
        LogLimit limit;
} LogFile;

typedef struct LogFiles {
        LogHeader *header;              /* borrowed: settings, and the directory in use */
        int folder_fd;                  /* owned; -1: not open */
        VECTOR(LogFile *) items;        /* owned */
        uint64_t since_vacuum;          /* bytes written */
} LogFiles;

int log_files_init(LogFiles *files, LogHeader *header);
void log_files_deinit(LogFiles *files);

/* Chooses the main directory if it is writable, otherwise the other one. 0 or -errno: neither is. */
int log_files_choose_folder(LogFiles *files);

/* The file of the unit, perhaps not open: valid until the next call. 0 or -ENOMEM. */
int log_files_find(LogFiles *files, const char *unit, LogFile **ret_file);

/*
 * Opens the file if it is not open, or if the name refers to another file by now; begins a new file if this one is too
 * full or too old for @extra more bytes. 0 or -errno.
 */
int log_file_prepare(LogFiles *files, LogFile *file, usec_t realtime, usec_t monotonic, uint64_t extra);

/* The same without beginning a new file. */
int log_file_open(LogFiles *files, LogFile *file, usec_t realtime);

/* Appends all bytes or none: 0 or -errno (-ENOSPC, …). */
int log_file_append(LogFiles *files, LogFile *file, const char *bytes, size_t n);

/* Truncates the file to @size. */
void log_file_cut(LogFile *file, uint64_t size);

/* Begins new files for all later records. */
void log_files_rotate(LogFiles *files, usec_t realtime);

/* The time in the name of the last complete file of @name ("UNIT.log"); 0: there is none. */
usec_t log_files_find_last(const LogFiles *files, const char *name);

/* Deletes files that are too old, and the oldest files above the allowed space. */
void log_files_vacuum(LogFiles *files, usec_t realtime);
