/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units that trigger others hear of what becomes of these
 *
 * At the end of a turn, when the engine has dealt with the change: the one that
 * is told may change its own state, and ask for jobs. What is in the list when
 * we die need not be written down: a unit that resumes looks for itself.
 */

#include <assert.h>

#include "manager/manager_private.h"

void manager_note_triggered(Manager *manager, const Unit *unit) {
        if (unit_relations(unit, UNIT_TRIGGERED_BY).n == 0)
                return;
        if (manager->triggered.n > 0 && vector_last(&manager->triggered) == unit->index)
                return;
        /* Without memory the next change tells it. */
        (void) vector_push(&manager->triggered, unit->index);
}

static void tell(Manager *manager, Unit *unit) {
        for (size_t i = 0; i < unit_relations(unit, UNIT_TRIGGERED_BY).n; i++) {
                Unit *by = unit_table_at(unit->table, unit_relations(unit, UNIT_TRIGGERED_BY).items[i].other);

                if (!by->vtable->triggered_changed)
                        continue;
                manager_mark_unit(manager, by);
                by->vtable->triggered_changed(by, unit);
        }
}

void manager_tell_triggering(Manager *manager) {
        for (size_t i = 0; i < manager->triggered.n; i++) {
                Unit *unit = unit_table_at(manager->units, manager->triggered.items[i]);

                /* Another may have its index by now; to be told of that does no harm. */
                if (unit)
                        tell(manager, unit);
        }
        vector_clear(&manager->triggered);
}

void manager_tell_refused(Manager *manager, Unit *unit, const Failure *failure) {
        for (size_t i = 0; i < unit_relations(unit, UNIT_TRIGGERED_BY).n; i++) {
                Unit *by = unit_table_at(unit->table, unit_relations(unit, UNIT_TRIGGERED_BY).items[i].other);

                manager_mark_unit(manager, by);
                if (by->vtable->trigger_refused)
                        by->vtable->trigger_refused(by, unit, failure);
                else if (by->vtable->job_refused)
                        by->vtable->job_refused(by, failure);
        }
}

bool manager_has_job(const Manager *manager, const Unit *unit) {
        JobInfo job;

        if (job_manager_unit_job(manager->jobs, unit, &job))
                return true;
        for (size_t i = 0; i < manager->requests.n; i++)
                if (unit_has_name(unit, manager->requests.items[i].unit))
                        return true;
        return false;
}

void manager_resume_units(Manager *manager) {
        unit_table_foreach(manager->units, unit)
                if (unit->vtable->resume)
                        unit->vtable->resume(unit);
        unit_table_foreach(manager->units, unit)
                manager_note_triggered(manager, unit);
}
