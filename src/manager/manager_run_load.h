/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Loading runs from the store: those that live, or one that somebody asks for
 */

#include "manager/manager_run_get.h"

typedef struct ManagerRunLoad ManagerRunLoad;

/*
 * Begins to load what lives, or run @id alone (0: what lives); ManagerRuns.loaded follows. If the link is lost while a
 * run is loaded alone, nothing follows, and the next link begins that again.
 */
void manager_run_load_begin(ManagerRuns *runs, uint32_t id);
/* Rows for a query of the loader: false if it is none. */
bool manager_run_load_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_run_load_refused(ManagerRuns *runs, uint64_t query, const RunStoreRefusal *refusal);
void manager_run_load_step(ManagerRuns *runs); /* reads definitions on, in a turn */
ManagerRunLoad *manager_run_load_free(ManagerRunLoad *load);
