/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Environment variables about the unit that has triggered another
 *
 * A job does not name the unit that asked for it, and jobs are merged; so each unit that could have triggered this one
 * is asked whether it did.
 */

#include "types/trigger_environment.h"
#include "types/unit_process.h"
#include "unit/unit_table.h"

int trigger_environment_add(const Unit *unit, char ***environment) {
        UnitRelations triggered_by = unit_relations(unit, UNIT_TRIGGERED_BY);

        for (size_t i = 0; i < triggered_by.n; i++) {
                const Unit *by = unit_table_at(unit->table, triggered_by.items[i].other);
                int r = by->vtable->trigger_environment ? by->vtable->trigger_environment(by, environment) : 0;

                if (r < 0)
                        return r;
                if (r > 0)
                        return unit_process_add_variable(environment, "TRIGGER_UNIT=%s", by->id);
        }
        return 0;
}
