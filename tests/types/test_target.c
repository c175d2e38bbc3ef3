/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Targets
 */

#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/unit_types.h"

Test(target, is_active_as_soon_as_it_is_started) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit;

        unit_table_set_type(world->table, &target_vtable);
        unit = double_unit(world, "x.target", UNIT_INACTIVE);
        assert_string(unit_sub_state(unit), "dead");
        cr_assert(eq(int, unit_start(unit), UNIT_UNDER_WAY));
        cr_assert(eq(int, unit->active_state, UNIT_ACTIVE));
        assert_string(unit_sub_state(unit), "active");
        cr_assert(eq(int, unit_start(unit), UNIT_ALREADY));
        cr_assert(eq(int, unit_stop(unit), UNIT_UNDER_WAY));
        cr_assert(eq(int, unit->active_state, UNIT_INACTIVE));
        cr_assert(eq(int, unit_stop(unit), UNIT_ALREADY));
}
