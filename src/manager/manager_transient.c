/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units made by clients
 *
 * The file is written before the unit is loaded, so if core dies in between,
 * the file has no unit, and the next core removes it. Because another unit may
 * refer to that name, the file contains the number of the commit that first
 * includes the unit. In the opposite direction the file stays until the unit's
 * removal is committed, because the next core may have to remove the unit once
 * more.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "manager/manager_transient.h"
#include "unitfile/install_folder.h"
#include "unitfile/transient_file.h"

int manager_transients_init(ManagerTransients *transients, const char *runtime_directory) {
        return text_format(&transients->folder, "%s/" TRANSIENT_FOLDER, runtime_directory);
}

void manager_transients_deinit(ManagerTransients *transients) {
        manager_transients_settle(transients, false);
        free(transients->folder);
        transients->folder = NULL;
}

/* Returns true if nothing exists under that name or, for a slice, only the slice without a file. */
static bool is_pristine(ManagerTransients *transients, const Unit *unit) {
        JobInfo job;

        return (unit->load_state == UNIT_NOT_FOUND || unit->load_state == UNIT_LOADED) &&
               !unit->settings.fragment_path &&
               unit_state_is_inactive_or_failed(unit->active_state) && !unit->settings.is_perpetual &&
               !job_manager_unit_job(transients->jobs, unit, &job);
}

static int load_anew(const ManagerTransients *transients, Unit **unit) {
        int r = unit_table_reload_unit(transients->units, *unit);

        return r < 0 ? r : unit_table_load_unit(transients->units, *unit, unit);
}

int manager_transients_make(ManagerTransients *transients, Unit **made, const char *text, Failure *ret_failure) {
        Unit *unit = *made;
        int r;

        assert(transients);
        assert(unit);
        assert(text);

        if (!is_pristine(transients, unit))
                return failure_set(ret_failure, -EEXIST, "UnitExists",
                                   "Unit %s was already loaded or has a fragment file.",
                                   unit->id);
        r = transient_file_check(transients->loader, unit->id, text, ret_failure);
        if (r >= 0)
                r = transient_file_place(transients->folder, unit->id, state_last_commit(transients->state) + 1, text,
                                         ret_failure);
        if (r >= 0)
                r = load_anew(transients, &unit);
        if (r < 0)
                return r;
        *made = unit;
        if (unit->load_state == UNIT_LOADED)
                return 0;
        /* Drop-ins for its type or name, which the client did not make, make it unusable. */
        r = failure_copy(ret_failure, &unit->load_failure);
        transient_file_remove(transients->folder, unit->id);
        return r < 0 ? r : ret_failure->code;
}

void manager_transients_drop(ManagerTransients *transients, const Unit *unit) {
        char *name = NULL;

        if (!transient_file_is_of(unit))
                return;
        name = strdup(unit->id);
        if (name && vector_push(&transients->dropped, name) == 0)
                return;                 /* cppcheck-suppress memleak; the vector has it */
        free(name);
        transient_file_remove(transients->folder, unit->id);
}

/* Returns true if the unit was loaded again from its file in the meantime. */
static bool is_there_again(const ManagerTransients *transients, const char *name) {
        const Unit *unit = unit_table_find(transients->units, name);

        return unit && unit->load_state == UNIT_LOADED && transient_file_is_of(unit);
}

void manager_transients_settle(ManagerTransients *transients, bool is_written) {
        for (size_t i = 0; i < transients->dropped.n; i++) {
                if (is_written && !is_there_again(transients, transients->dropped.items[i]))
                        transient_file_remove(transients->folder, transients->dropped.items[i]);
                free(transients->dropped.items[i]);
        }
        vector_deinit(&transients->dropped);
}

/* The name may be used again before the removal was committed; a unit that was loaded again keeps its file. */
void manager_transients_settle_one(ManagerTransients *transients, const char *name) {
        for (size_t i = transients->dropped.n; i > 0; i--) {
                char *dropped = transients->dropped.items[i - 1];

                if (!text_equal(dropped, name))
                        continue;
                transients->dropped.items[i - 1] = vector_last(&transients->dropped);
                transients->dropped.n--;
                if (!is_there_again(transients, name))
                        transient_file_remove(transients->folder, name);
                free(dropped);
        }
}

void manager_transients_drop_uncommitted(const ManagerTransients *transients, uint64_t commit) {
        transient_file_sweep_later(transients->folder, commit);
}

uint64_t manager_transients_last_commit(const ManagerTransients *transients) {
        return transient_file_last_commit(transients->folder);
}

void manager_transients_sweep(const ManagerTransients *transients, bool is_done) {
        transient_file_sweep(transients->folder, is_done ? NULL : transients->units);
}
