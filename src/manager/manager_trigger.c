/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Telling units about changes of the units that they trigger
 *
 * At the end of a turn, after the engine has handled the change, because the
 * triggering unit may change its own state and request jobs. The list is not
 * recorded: a unit that resumes checks by itself.
 */

#include <assert.h>

#include "manager/manager_trigger.h"

void manager_triggers_deinit(ManagerTriggers *triggers) {
        vector_deinit(&triggers->changed);
}

void manager_triggers_note(ManagerTriggers *triggers, const Unit *unit) {
        if (unit_relations(unit, UNIT_TRIGGERED_BY).n == 0)
                return;
        if (triggers->changed.n > 0 && vector_last(&triggers->changed) == unit->index)
                return;
        /* Without memory the next change is reported. */
        (void) vector_push(&triggers->changed, unit->index);
}

static void tell(const ManagerTriggers *triggers, Unit *unit) {
        for (size_t i = 0; i < unit_relations(unit, UNIT_TRIGGERED_BY).n; i++) {
                Unit *by = unit_table_at(unit->table, unit_relations(unit, UNIT_TRIGGERED_BY).items[i].other);

                if (!by->vtable->triggered_changed)
                        continue;
                manager_turn_enter(triggers->turn, by);
                by->vtable->triggered_changed(by, unit);
        }
}

void manager_triggers_tell(ManagerTriggers *triggers) {
        for (size_t i = 0; i < triggers->changed.n; i++) {
                Unit *unit = unit_table_at(triggers->units, triggers->changed.items[i]);

                /* The index may belong to another unit by now; telling that one does no harm. */
                if (unit)
                        tell(triggers, unit);
        }
        vector_clear(&triggers->changed);
}

void manager_triggers_tell_refused(ManagerTriggers *triggers, Unit *unit, const Failure *failure) {
        for (size_t i = 0; i < unit_relations(unit, UNIT_TRIGGERED_BY).n; i++) {
                Unit *by = unit_table_at(unit->table, unit_relations(unit, UNIT_TRIGGERED_BY).items[i].other);

                manager_turn_enter(triggers->turn, by);
                if (by->vtable->trigger_refused)
                        by->vtable->trigger_refused(by, unit, failure);
                else if (by->vtable->job_refused)
                        by->vtable->job_refused(by, failure);
        }
}
