/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data that the objects of the manager keep for each unit
 */

#include <string.h>

#include "basic/macro.h"
#include "manager/manager_unit_row.h"

ManagerUnit *manager_units_add_row(ManagerUnits *units, const Unit *unit) {
        const size_t n = units->rows.n, wanted = MAX((size_t) unit->index + 1, (size_t) unit_table_size(unit->table));

        if (vector_reserve(&units->rows, wanted - n) < 0)
                return NULL;
        memset(units->rows.items + n, 0, (wanted - n) * sizeof(*units->rows.items));
        units->rows.n = wanted;
        return &units->rows.items[unit->index];
}

void manager_units_count_failed(ManagerUnits *units, const Unit *unit, bool is_failed) {
        ManagerUnit *row = manager_units_of(units, unit);

        if (!row || row->is_failed == is_failed)
                return;
        row->is_failed = is_failed;
        units->n_failed = is_failed ? units->n_failed + 1 : units->n_failed - 1;
}

void manager_units_forget(ManagerUnits *units, const Unit *unit) {
        ManagerUnit *row = manager_units_of(units, unit);

        if (!row)
                return;
        manager_units_count_failed(units, unit, false);
        *row = (ManagerUnit) { .is_candidate = row->is_candidate };
}
