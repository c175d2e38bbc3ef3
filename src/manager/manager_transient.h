/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units that clients make
 *
 * A unit is made of the text of a unit file, which is put into a folder of the
 * manager's for as long as the unit is loaded.
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
        char *folder;                   /* owned: where the files are */
        VECTOR(char *) dropped;         /* owned: units whose files go with the next commit */
} ManagerTransients;

/* Only the folder. 0 or -ENOMEM. */
int manager_transients_init(ManagerTransients *transients, const char *runtime_directory);
void manager_transients_deinit(ManagerTransients *transients);

/* Before a unit of that name is made: what is left of another one goes. */
void manager_transients_settle_one(ManagerTransients *transients, const char *name);
/*
 * Has *@made, a unit under whose name nothing is there, made of @text; it may become another. 0, or with @ret_failure:
 * UnitExists if there is a unit, or a file, of that name, InvalidArgs with the first fault of the text, …
 */
int manager_transients_make(ManagerTransients *transients, Unit **made, const char *text, Failure *ret_failure);

/* The file of @unit goes with the next commit, if it is transient: it is unloaded, or was not wanted after all. */
void manager_transients_drop(ManagerTransients *transients, const Unit *unit);
/* @is_written: files of units that were dropped go; else they stay for the next manager. */
void manager_transients_settle(ManagerTransients *transients, bool is_written);

/* Before units are read: what was made after that commit, the last one, was not made. */
void manager_transients_drop_uncommitted(const ManagerTransients *transients, uint64_t commit);
/* The latest commit that a file says it is part of: that of a state that is lost, perhaps. */
uint64_t manager_transients_last_commit(const ManagerTransients *transients);

/* Removes files of an earlier manager whose units are not there; @is_done: of all units. */
void manager_transients_sweep(const ManagerTransients *transients, bool is_done);
