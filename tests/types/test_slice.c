/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slices
 */

#include <errno.h>

#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/unit_types.h"

Test(slice, is_active_as_soon_as_it_is_started) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        UnitGroup group = {};
        Unit *unit;

        unit_table_set_type(world->table, &slice_vtable);
        unit = double_unit(world, "a-b.slice", UNIT_INACTIVE);
        cr_assert(eq(int, unit_start(unit), UNIT_UNDER_WAY));
        assert_string(unit_sub_state(unit), "active");
        unit->vtable->group(unit, &group);
        cr_assert(group.is_slice && !group.resources);
        cr_assert(eq(int, unit_stop(unit), UNIT_UNDER_WAY));
        assert_string(unit_sub_state(unit), "dead");
}

Test(slice, some_are_always_there) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit;

        unit_table_set_type(world->table, &slice_vtable);
        unit = double_unit(world, "system.slice", UNIT_INACTIVE);
        slice_vtable.loaded(unit);
        cr_assert(eq(int, unit->active_state, UNIT_ACTIVE));
        cr_assert(not(unit_can_stop(unit)));
        assert_string(unit_description(unit), "System Slice");
        unit = double_unit(world, "a-b.slice", UNIT_INACTIVE);
        slice_vtable.loaded(unit);
        assert_string(unit_description(unit), "Slice /a/b");
        cr_assert(eq(int, unit->active_state, UNIT_INACTIVE));
}

Test(slice, name_says_where_it_is) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        cleanup_(failure_deinit) Failure failure = {};

        unit_table_set_type(world->table, &slice_vtable);
        cr_assert(eq(int, slice_vtable.verify(double_unit(world, "a-b.slice", UNIT_INACTIVE), &failure), 0));
        cr_assert(eq(int, slice_vtable.verify(double_unit(world, "a--b.slice", UNIT_INACTIVE), &failure), -EINVAL));
}
