/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The thread that looks for rows
 *
 * With a connection of its own, so that a long search does not hold up a
 * transaction. A page goes on behind the last row of the page before, by the
 * primary key, so the last page costs what the first does.
 */

#include "runstore/runstore_task.h"

typedef struct RunStoreReader {
        RunStoreWorker worker;
        const char *path;               /* borrowed */
} RunStoreReader;

int runstore_reader_start(RunStoreReader *reader, const char *path);
void runstore_reader_end(RunStoreReader *reader);
