/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Batches: they are there, and are not run; what triggers them submits runs
 */

#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/flow_trigger.h"
#include "types/unit_types.h"

/* A batch has settings, but no run yet: nothing is asked of the host. */
Test(batch, a_start_is_refused) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit;

        unit_table_set_type(world->table, &batch_vtable);
        unit = double_unit(world, "x.batch", UNIT_INACTIVE);
        double_calls_clear(world);
        assert_string(unit_sub_state(unit), "dead");
        cr_assert(eq(int, unit_start(unit), UNIT_UNSUPPORTED));
        cr_assert(eq(int, unit->active_state, UNIT_INACTIVE));
        assert_string(double_calls(world), "");
        cr_assert(eq(int, unit_stop(unit), UNIT_ALREADY));
}

/* As a flow: the host knows what becomes of it. */
Test(batch, what_triggers_it_submits_a_run) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit, *by;

        unit_table_set_type(world->table, &batch_vtable);
        unit = double_unit(world, "x.batch", UNIT_ACTIVE);
        by = double_unit(world, "y.batch", UNIT_INACTIVE);
        double_calls_clear(world);
        batch_vtable.triggered(unit, &(UnitTrigger) { .by = by, .kind = UNIT_TRIGGER_FAILURE, .run = 7, .round = 2 });
        assert_string(double_calls(world),
                      "submit x.batch for y.batch (y.batch failure run 7 2), MONITOR_UNIT=y.batch, MONITOR_RUN=7");
}

Test(batch, missed_times_have_runs_as_it_says) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        FlowSettings settings = { .catch_up = FLOW_CATCH_UP_ALL };
        Unit *unit;

        unit_table_set_type(world->table, &batch_vtable);
        unit = double_unit(world, "x.batch", UNIT_INACTIVE);
        unit->type_settings = &settings;
        cr_assert(eq(int, flow_catch_up(unit), FLOW_CATCH_UP_ALL));
        unit->type_settings = NULL;
}
