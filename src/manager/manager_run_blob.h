/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Results that are read back from the store
 *
 * A large one comes in chunks, one query each, so that no answer is longer than
 * a chunk, and other work goes on between them.
 */

#include "manager/manager_run.h"

/* The chunk of that number. @hash is borrowed. */
void manager_run_blob_query(RunStoreQuery *ret_query, const uint8_t hash[static RUNSTORE_HASH_BYTES],
                            uint32_t chunk);
/* Appends the chunk of a page to a file: 1 if another one may follow, 0 at the end, -EBADMSG, or -errno of the file. */
int manager_run_blob_write(RunStorePage *page, int fd);

/* — for clients: see manager_runs_read_result() — */

bool manager_run_reading_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_run_reading_refused(ManagerRuns *runs, uint64_t query, const RunStoreRefusal *refusal);
void manager_run_drop_readings(ManagerRuns *runs);
