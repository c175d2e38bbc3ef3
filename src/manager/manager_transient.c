/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units that clients make
 *
 * The file is written before the unit is loaded, so that a core which dies in
 * between leaves a file that no unit is of; the next one removes it. Something
 * may refer to a unit of that name, so it says in the file which commit it is
 * part of. The other way round the file stays until it is written down that the
 * unit is gone: the next core may have to end it once more.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_private.h"
#include "manager/manager_transient.h"
#include "unitfile/install_folder.h"
#include "unitfile/transient_file.h"

int manager_transient_folder(const Manager *manager, char **ret_folder) {
        return text_format(ret_folder, "%s/" TRANSIENT_FOLDER, manager->options.runtime_directory);
}

/* Nothing is there under that name but, for a slice, the name itself. */
static bool is_pristine(Manager *manager, const Unit *unit) {
        JobInfo job;

        return (unit->load_state == UNIT_NOT_FOUND || unit->load_state == UNIT_LOADED) && !unit->settings.fragment_path &&
               unit_state_is_inactive_or_failed(unit->active_state) && !unit->settings.is_perpetual &&
               !job_manager_unit_job(manager->jobs, unit, &job);
}

static int load_anew(Manager *manager, Unit *unit, Unit **ret_unit) {
        int r = unit_table_reload_unit(manager->units, unit);

        return r < 0 ? r : unit_table_load_unit(manager->units, unit, ret_unit);
}

static int make(Manager *manager, Unit *unit, const char *folder, const char *text, Unit **ret_unit,
                Failure *ret_failure) {
        int r;

        r = transient_file_check(manager->loader, unit->id, text, ret_failure);
        if (r >= 0)
                r = transient_file_place(folder, unit->id, state_last_commit(manager->state) + 1, text, ret_failure);
        if (r >= 0)
                r = load_anew(manager, unit, &unit);
        if (r < 0)
                return r;
        *ret_unit = unit;
        manager_consider_unloading(manager, unit);
        if (unit->load_state == UNIT_LOADED)
                return 0;
        /* Drop-ins of its type or its name, which are none of the client's, make it unusable. */
        r = failure_copy(ret_failure, &unit->load_failure);
        transient_file_remove(folder, unit->id);
        return r < 0 ? r : ret_failure->code;
}

static void remove_file(Manager *manager, const char *name) {
        cleanup_free_ char *folder = NULL;

        if (manager_transient_folder(manager, &folder) == 0)
                transient_file_remove(folder, name);
}

void manager_drop_transient(Manager *manager, const Unit *unit) {
        char *name = NULL;

        if (!transient_file_is_of(unit))
                return;
        name = strdup(unit->id);
        if (name && vector_push(&manager->dropped, name) == 0)
                return;
        free(name);
        remove_file(manager, unit->id);
}

/* Somebody may have asked for it in between: then it was read from its file once more, and has that. */
static bool is_there_again(const Manager *manager, const char *name) {
        const Unit *unit = unit_table_find(manager->units, name);

        return unit && unit->load_state == UNIT_LOADED && transient_file_is_of(unit);
}

void manager_settle_transient(Manager *manager, bool is_written) {
        for (size_t i = 0; i < manager->dropped.n; i++) {
                if (is_written && !is_there_again(manager, manager->dropped.items[i]))
                        remove_file(manager, manager->dropped.items[i]);
                free(manager->dropped.items[i]);
        }
        vector_deinit(&manager->dropped);
}

/* Its name is wanted again before that was written down. One that is there again has it, and its file. */
static void settle_one(Manager *manager, const char *name) {
        for (size_t i = manager->dropped.n; i > 0; i--) {
                char *dropped = manager->dropped.items[i - 1];

                if (!text_equal(dropped, name))
                        continue;
                manager->dropped.items[i - 1] = vector_last(&manager->dropped);
                manager->dropped.n--;
                if (!is_there_again(manager, name))
                        remove_file(manager, name);
                free(dropped);
        }
}

int manager_make_transient(Manager *manager, const char *name, const char *text, Unit **ret_unit, Failure *ret_failure) {
        cleanup_free_ char *folder = NULL;
        Unit *unit;
        int r;

        assert(manager);
        assert(name);
        assert(text);

        settle_one(manager, name);
        r = manager_load_unit(manager, name, &unit, ret_failure);
        if (r < 0)
                return r;
        if (!is_pristine(manager, unit))
                return failure_set(ret_failure, -EEXIST, "UnitExists", "Unit %s was already loaded or has a fragment file.",
                                   name);
        r = manager_transient_folder(manager, &folder);
        return r < 0 ? r : make(manager, unit, folder, text, ret_unit, ret_failure);
}

void manager_drop_uncommitted(Manager *manager, uint64_t commit) {
        cleanup_free_ char *folder = NULL;

        if (manager_transient_folder(manager, &folder) == 0)
                transient_file_sweep_later(folder, commit);
}

uint64_t manager_transient_commit(const Manager *manager) {
        cleanup_free_ char *folder = NULL;

        return manager_transient_folder(manager, &folder) == 0 ? transient_file_last_commit(folder) : 0;
}

void manager_sweep_transient(Manager *manager, bool is_done) {
        cleanup_free_ char *folder = NULL;

        if (manager_transient_folder(manager, &folder) == 0)
                transient_file_sweep(folder, is_done ? NULL : manager->units);
}
