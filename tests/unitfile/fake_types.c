/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vtables that do nothing
 */

#include "fake_types.h"
#include "unitfile/draft_type.h"

static int fake_init(Unit *unit) {
        return 0;
}

static void fake_deinit(Unit *unit) {
}

void fake_types_set(UnitTable *table) {
        static UnitVTable types[_UNIT_TYPE_MAX];

        for (UnitType type = 0; type < _UNIT_TYPE_MAX; type++) {
                if (!draft_type_of(type))
                        continue;
                types[type] = (UnitVTable) { .type = type, .init = fake_init, .deinit = fake_deinit };
                unit_table_set_type(table, &types[type]);
        }
}
