/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shared by the files of the store: store_file.c manages the file,
 * store_format.c names its format, store_load.c reads, store.c writes;
 * store_spare.c is what is written while the file cannot be.
 */

#include <sqlite3.h>

#include "basic/vector.h"
#include "store/number_set.h"
#include "store/store.h"

typedef enum StoreStatement {
        STATEMENT_BEGIN,
        STATEMENT_COMMIT,
        STATEMENT_ROLLBACK,
        STATEMENT_PUT,
        STATEMENT_DROP,
        STATEMENT_READ,
        STATEMENT_NAME,
        _STATEMENT_MAX,
} StoreStatement;

typedef VECTOR(uint32_t) StoreNumbers;

/* Unique numbers in the order of marking. */
typedef struct StoreMarks {
        StoreNumbers numbers;
        NumberSet set;
        size_t n_looked_at;             /* leading .numbers already looked at: gone, to be recorded in the commit */
        StoreNumbers ahead;             /* written for the next commit and not marked again; some twice */
} StoreMarks;

typedef struct StoreGone {
        StoreSpace space;
        uint32_t number;
} StoreGone;

/* A walk over all records, a few in each commit. At its end the rows from before its start are not needed. */
typedef struct StoreSweep {
        bool is_on;
        StoreSpace space;
        uint32_t number;                /* next number */
        int64_t first_row;
        uint64_t n_logged;              /* StoreProgress.n_logged at its start */
} StoreSweep;

/* Changes of the store's counters by a commit, valid after it has succeeded. */
typedef struct StoreProgress {
        int64_t next_row;
        int64_t lowest_row, needed_row; /* first row; first needed row: those before are deleted */
        uint64_t n_logged;              /* records in the needed rows */
        StoreSweep sweep;
} StoreProgress;

typedef struct StoreSpare StoreSpare;

struct Store {
        sqlite3 *db;
        sqlite3_stmt *statements[_STATEMENT_MAX];
        char *path, *name, *place;      /* owned */
        unsigned version, oldest;       /* of .name: version to write, oldest to read */
        unsigned found_version;         /* version of the opened file, until the first commit */
        StoreOwner owner;
        StoreMarks marks[_STORE_SPACE_MAX];
        bool all_is_marked;
        NumberSet live[_STORE_SPACE_MAX];       /* numbers with a record in the needed rows; more, after a failure */
        VECTOR(StoreGone) gone;         /* numbers of empty records in the commit being written */
        RecordWriter row;               /* row being filled */
        RecordWriter record;            /* of store_compare() */

        StoreProgress committed;
        StoreProgress progress;         /* with .is_writing: as of the next commit */
        bool is_writing;                /* a part of the next commit is written */
        StoreSpare *spare;              /* owned; has all that is committed, which the file lacks; NULL: it does not */
        StoreSpare *next_spare;         /* owned; is being written, to take its place */
        int file_error;                 /* with .spare: why the file is not written; 0: it was not tried yet */
        unsigned n_log_pages;           /* pages of SQLite's log that are not in the file yet */
        unsigned log_pages;             /* number of pages at which the log is copied */
};

int store_name_format(const Store *store, char **ret_name);     /* "NAME VERSION of PLACE" */
unsigned store_version_of(const Store *store, const char *format);      /* 0: of another name or place */
int store_map_error(int code);          /* SQLite's code → a negative errno */
int store_run(Store *store, StoreStatement which);
void store_shorten_log(Store *store);
int store_write_format(Store *store);   /* as part of a commit, if it has changed */
