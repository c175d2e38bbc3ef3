/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Nodes and edges of definitions, as rows of the store
 *
 * A large definition is put in several batches, behind the run that it was made
 * for.
 */

#include "manager/manager_run_get.h"

void manager_run_outline(ManagerRuns *runs, const ManagerRun *run); /* its definition is put for the first time */
/* In a turn, before the end of the batch: whether there are rows for it, which are put then … */
bool manager_run_outline_has_rows(ManagerRuns *runs);
void manager_run_outline_put(ManagerRuns *runs, RecordWriter *writer);
void manager_run_outline_end_batch(ManagerRuns *runs, bool is_taken); /* … and behind it */
bool manager_run_outline_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_run_outline_refused(ManagerRuns *runs, uint64_t query);
void manager_run_drop_outlines(ManagerRuns *runs); /* and what the store has is not known any more */
