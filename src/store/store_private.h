/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the parts of the store share: store_file.c has the file, store_load.c
 * reads, store.c writes.
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

/* Each number once, in the order in which they were marked. */
typedef struct StoreMarks {
        StoreNumbers numbers;
        NumberSet set;
        size_t n_looked_at;             /* of .numbers, the first: to be told in the commit that they are gone */
        StoreNumbers ahead;             /* written for the next commit, not marked any more; some twice */
} StoreMarks;

typedef struct StoreGone {
        StoreSpace space;
        uint32_t number;
} StoreGone;

/* A walk through all records, a few in each commit. At its end the rows from before its first one are not needed. */
typedef struct StoreSweep {
        bool is_on;
        StoreSpace space;
        uint32_t number;                /* where it goes on */
        int64_t first_row;
        uint64_t n_logged;              /* StoreProgress.n_logged when it began */
} StoreSweep;

/* What a commit does to the store's counters, which hold when it is through. */
typedef struct StoreProgress {
        int64_t next_row;
        int64_t lowest_row, needed_row; /* the first row; the first that is needed: those before are dropped */
        uint64_t n_logged;              /* records in the rows that are needed */
        StoreSweep sweep;
} StoreProgress;

struct Store {
        sqlite3 *db;
        sqlite3_stmt *statements[_STATEMENT_MAX];
        char *path, *name, *place;      /* owned */
        unsigned version, oldest;       /* of .name: what is written, and what can be read */
        unsigned found_version;         /* of what was there; with the first commit it becomes .version */
        StoreOwner owner;
        StoreMarks marks[_STORE_SPACE_MAX];
        bool all_is_marked;
        NumberSet live[_STORE_SPACE_MAX];       /* those with a record in the needed rows; more, after a failure */
        VECTOR(StoreGone) gone;         /* of those, what the commit that is being written says is gone */
        RecordWriter row;               /* that is being filled */
        RecordWriter record;            /* of store_compare() */

        StoreProgress committed;
        StoreProgress progress;         /* if .is_writing: with the next commit */
        bool is_writing;                /* some of the next commit is written */
        unsigned n_log_pages;           /* of SQLite's log, that are not in the file yet */
        unsigned log_pages;             /* it is copied to the file when it has that many */
};

int store_map_error(int code);          /* SQLite's → a negative errno */
int store_run(Store *store, StoreStatement which);
void store_shorten_log(Store *store);
int store_write_format(Store *store);   /* as part of a commit, if it is not what stands there */
