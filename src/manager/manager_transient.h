/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units made by clients
 *
 * A unit is made from the text of a unit file, which is in a folder of the
 * manager's as long as the unit is loaded.
 */

#include "basic/failure.h"
#include "basic/vector.h"
#include "job/job_manager.h"
#include "state/state.h"
#include "unit/unit_table.h"
#include "unitfile/unit_file.h"

typedef struct ManagerTransients {
        State *state;                   /* borrowed */
        UnitTable *units;               /* borrowed */
        JobManager *jobs;               /* borrowed */
        UnitFileLoader *loader;         /* borrowed */
        char *folder;                   /* owned: folder of the files */
        VECTOR(char *) dropped;         /* owned: units whose files are removed with the next commit */
} ManagerTransients;

/* Only sets the folder. 0 or -ENOMEM. */
int manager_transients_init(ManagerTransients *transients, const char *runtime_directory);
void manager_transients_deinit(ManagerTransients *transients);

/* Called before a unit of that name is made: removes the files of an earlier one. */
void manager_transients_settle_one(ManagerTransients *transients, const char *name);
/*
 * Makes *@made, a unit whose name is unused, from @text; *@made may change. 0, or with @ret_failure: UnitExists if
 * there is a unit or file of that name, InvalidArgs with the first error in the text, …
 */
int manager_transients_make(ManagerTransients *transients, Unit **made, const char *text, Failure *ret_failure);

/*
 * Removes the file of @unit, if it is transient, with the next commit: the unit is unloaded, or was not wanted after
 * all.
 */
void manager_transients_drop(ManagerTransients *transients, const Unit *unit);
/* @is_written: removes the files of dropped units; otherwise they stay for the next core. */
void manager_transients_settle(ManagerTransients *transients, bool is_written);

/* Called before units are read: removes files that were made after @commit, the last one. */
void manager_transients_drop_uncommitted(const ManagerTransients *transients, uint64_t commit);
/* The highest commit number in the files, for use if the state is lost. */
uint64_t manager_transients_last_commit(const ManagerTransients *transients);

/* Removes files of an earlier core whose units are not loaded; @is_done: all files. */
void manager_transients_sweep(const ManagerTransients *transients, bool is_done);
