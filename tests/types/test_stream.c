/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams: they are there, and what starts or triggers them asks the host
 */

#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/unit_types.h"

/* The double keeps no runs. */
Test(stream, a_start_is_refused_where_no_runs_are_kept) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit;

        unit_table_set_type(world->table, &stream_vtable);
        unit = double_unit(world, "x.stream", UNIT_INACTIVE);
        double_calls_clear(world);
        assert_string(unit_sub_state(unit), "dead");
        cr_assert(eq(int, unit_start(unit), UNIT_UNSUPPORTED));
        cr_assert(eq(int, unit->active_state, UNIT_INACTIVE));
        assert_string(double_calls(world), "");
        cr_assert(eq(int, unit_stop(unit), UNIT_ALREADY));
}

Test(stream, what_triggers_it_asks_for_a_run) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit, *by;

        unit_table_set_type(world->table, &stream_vtable);
        unit = double_unit(world, "x.stream", UNIT_ACTIVE);
        by = double_unit(world, "y.stream", UNIT_INACTIVE);
        double_calls_clear(world);
        stream_vtable.triggered(unit, &(UnitTrigger) { .by = by, .kind = UNIT_TRIGGER_FAILURE, .run = 7, .round = 2 });
        assert_string(double_calls(world),
                      "submit x.stream for y.stream (y.stream failure run 7 2), MONITOR_UNIT=y.stream, MONITOR_RUN=7");
}
