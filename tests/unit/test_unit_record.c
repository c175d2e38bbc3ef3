/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A unit's state as bytes
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "double/double_unit.h"
#include "unit/unit_record.h"

#define WORLD cleanup_(double_world_freep) DoubleWorld *world = double_world_new()

static void change(DoubleWorld *world, Unit *unit) {
        world->clock.now += 1000;
        double_unit_state(unit, UNIT_ACTIVATING, 0);
        world->clock.now += 1000;
        double_unit_state(unit, UNIT_ACTIVE, 0);
        memset(unit->invocation_id, 0x5a, sizeof(unit->invocation_id));
        unit->condition_result = 1;
        unit->assert_result = -1;
}

Test(unit_record, unit_that_nothing_happened_to_writes_nothing) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        WORLD;

        unit_record(double_unit(world, "a.service", UNIT_INACTIVE), &writer);
        cr_assert(eq(sz, writer.n, 0));
}

Test(unit_record, state_comes_back_and_nobody_hears_of_it) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RecordReader reader;
        Unit *unit, *other;
        WORLD;

        unit = double_unit(world, "a.service", UNIT_INACTIVE);
        other = double_unit(world, "b.service", UNIT_INACTIVE);
        change(world, unit);
        unit_record(unit, &writer);
        double_calls_clear(world);

        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, unit_restore(other, &reader), 0));
        cr_assert(record_is_at_end(&reader));
        cr_assert(eq(int, (int) other->active_state, UNIT_ACTIVE));
        cr_assert(eq(u64, other->inactive_exit.monotonic, unit->inactive_exit.monotonic));
        cr_assert(eq(u64, other->active_enter.realtime, unit->active_enter.realtime));
        cr_assert(ne(u64, other->active_enter.monotonic, other->inactive_exit.monotonic));
        cr_assert(memcmp(other->invocation_id, unit->invocation_id, sizeof(unit->invocation_id)) == 0);
        cr_assert(eq(int, other->condition_result, 1));
        cr_assert(eq(int, other->assert_result, -1));
        assert_string(double_calls(world), "");
}

/* They need not go up: a unit is started again, or the machine's clock is set back. */
Test(unit_record, any_times_come_back) {
        static const UnitTimestamp times[] = { {}, { 1, UINT64_MAX }, { UINT64_MAX, 1 }, { 1700000000000000, 5 }, { 5, 1700000000000000 } };
        enum { N = ELEMENTSOF(times) };
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        Unit *unit, *other;
        WORLD;

        unit = double_unit(world, "a.service", UNIT_INACTIVE);
        other = double_unit(world, "b.service", UNIT_INACTIVE);
        change(world, unit);
        for (size_t i = 0; i < (size_t) N * N * N; i++) {
                RecordReader reader;

                unit->active_exit = times[i % N];
                unit->inactive_enter = times[i / N % N];
                unit->conditions_checked = times[i / N / N];
                record_writer_clear(&writer);
                unit_record(unit, &writer);
                record_reader_init(&reader, writer.bytes, writer.n);
                cr_assert(eq(int, unit_restore(other, &reader), 0));
                cr_assert(memcmp(&other->active_exit, &unit->active_exit, sizeof(UnitTimestamp)) == 0);
                cr_assert(memcmp(&other->inactive_enter, &unit->inactive_enter, sizeof(UnitTimestamp)) == 0);
                cr_assert(memcmp(&other->state_change, &unit->state_change, sizeof(UnitTimestamp)) == 0);
                cr_assert(memcmp(&other->conditions_checked, &unit->conditions_checked, sizeof(UnitTimestamp)) == 0);
        }
}

Test(unit_record, what_cannot_be_read_changes_nothing) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        Unit *unit, *other;
        WORLD;

        unit = double_unit(world, "a.service", UNIT_INACTIVE);
        other = double_unit(world, "b.service", UNIT_INACTIVE);
        change(world, unit);
        unit_record(unit, &writer);
        for (size_t n = 0; n < writer.n; n++) {
                RecordReader reader;

                record_reader_init(&reader, writer.bytes, n);
                cr_assert(eq(int, unit_restore(other, &reader), -EBADMSG), "%zu bytes", n);
                cr_assert(eq(int, (int) other->active_state, UNIT_INACTIVE));
        }
}
