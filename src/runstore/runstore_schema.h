/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The file of the store of runs
 */

#include <sqlite3.h>

#include "basic/failure.h"
#include "basic/text.h"
#include "runstore/runstore_protocol.h"

#define RUNSTORE_FORMAT 1U              /* the format that is written */
#define RUNSTORE_FORMAT_OLDEST 1U       /* the oldest program that can read it has this one */

/* The writers that the file knows; a part of each transaction. */
typedef struct RunStoreMarks {
        uint64_t number;                /* of the last batch */
        uint64_t epoch, instance;       /* of the link that it came over */
        uint64_t refused;               /* the last batch that was refused; 0: none was */
} RunStoreMarks;

typedef struct RunStoreFile {
        sqlite3 *db;                    /* owned */
        uint64_t identity;              /* random, made with the file */
        RunStoreMarks marks;
        char *aside;                    /* owned: the name that a damaged file was given before; NULL */
} RunStoreFile;

/* All statements that make the tables. -ENOMEM: text_finish() says so. */
void runstore_schema_write(Text *text);

/*
 * Opens the file for writing, and makes it if it is not there. A damaged one is renamed. -EPROTONOSUPPORT: of a later
 * format, and untouched; -EROFS, -EACCES, …: the sentence names the file.
 */
int runstore_file_open(RunStoreFile *file, const char *path, bool is_full_sync, Failure *ret_failure);
void runstore_file_close(RunStoreFile *file);

/* Renames a damaged file and its log. The caller owns the new name. 0 or -errno. */
int runstore_file_set_aside(const char *path, char **ret_aside);

/* Opens the file for reading beside the writer: 0 or -errno. */
int runstore_file_open_to_read(const char *path, sqlite3 **ret_db);

/* Of the file that is open; 0: it cannot be read. */
uint64_t runstore_file_identity(sqlite3 *db);

/* SQLite's code as a negative errno: -ENOSPC, -EBADMSG (damaged), -EEXIST (constraint), … */
int runstore_map_error(sqlite3 *db, int code);
