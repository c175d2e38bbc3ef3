/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What processes of a unit are told of the one that has triggered it
 *
 * Nothing goes along with a job, and jobs are merged; so those that could have
 * triggered the unit are asked whether they did.
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
