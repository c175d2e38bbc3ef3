/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flows: they are there, and are not run
 */

#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/unit_types.h"

Test(flow, a_start_is_refused) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit;

        unit_table_set_type(world->table, &flow_vtable);
        unit = double_unit(world, "x.flow", UNIT_INACTIVE);
        assert_string(unit_sub_state(unit), "dead");
        cr_assert(unit_can_start(unit));
        cr_assert(eq(int, unit_start(unit), UNIT_UNSUPPORTED));
        cr_assert(eq(int, unit->active_state, UNIT_INACTIVE));
        cr_assert(eq(int, unit_stop(unit), UNIT_ALREADY));
}
