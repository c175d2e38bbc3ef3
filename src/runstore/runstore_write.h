/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The thread that writes
 *
 * All tasks that came while a transaction was synced are the next one. A
 * transaction that fails for want of room or by an error of the disk is tried
 * again until it succeeds, and RUNSTORE_TASK_NOTICE says so meanwhile.
 */

#include "basic/vector.h"
#include "runstore/runstore_schema.h"
#include "runstore/runstore_task.h"

typedef struct RunStoreStatement {
        sqlite3_stmt *statement;        /* owned */
        RunStoreTable table;
        RunStoreOperationKind kind;
        uint64_t columns;
} RunStoreStatement;

#define RUNSTORE_HAS_NO_BALLAST 1

typedef struct RunStoreWriter {
        RunStoreWorker worker;
        const char *path;               /* borrowed */
        bool is_full_sync;
        uint64_t n_ballast;             /* bytes of the file that is given up on a full disk; 0: none */

        /* of the thread: */
        RunStoreFile file;
        VECTOR(RunStoreStatement) statements;    /* prepared; the last is the newest */
        int degraded; /* what has been told: 0, RUNSTORE_HAS_NO_BALLAST, or the -errno that keeps it from writing */
        bool has_ballast;
        uint64_t number;                /* the last that is durable */
        uint64_t refused;               /* the last batch that was refused */
} RunStoreWriter;

/* The paths stay the caller's. 0 or -errno; it opens the file by itself, and tells so by RUNSTORE_TASK_OPENED. */
int runstore_writer_start(RunStoreWriter *writer, const char *path, bool is_full_sync, uint64_t n_ballast);
void runstore_writer_end(RunStoreWriter *writer);
