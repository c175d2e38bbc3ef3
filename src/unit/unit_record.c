/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A unit's state as bytes
 */

#include <errno.h>
#include <string.h>

#include "unit/unit_private.h"
#include "unit/unit_record.h"

/* The times of a unit, in the order in which they are written. */
#define UNIT_TIMES 6

static void collect_times(const Unit *unit, UnitTimestamp times[static UNIT_TIMES]) {
        times[0] = unit->inactive_exit;
        times[1] = unit->active_enter;
        times[2] = unit->active_exit;
        times[3] = unit->inactive_enter;
        times[4] = unit->state_change;
        times[5] = unit->conditions_checked;
}

static bool has_news(const Unit *unit) {
        return unit->active_state != UNIT_INACTIVE || unit->state_change.monotonic > 0 ||
               unit->conditions_checked.monotonic > 0;
}

/*
 * Writes which timestamps are set, then their values: the first as it is, the others as small differences to the one
 * before.
 */
static void put_times(const UnitTimestamp times[static UNIT_TIMES], RecordWriter *writer) {
        const UnitTimestamp *before = NULL;
        uint64_t which = 0;

        for (size_t i = 0; i < UNIT_TIMES; i++)
                which |= (uint64_t) (times[i].monotonic > 0 || times[i].realtime > 0) << i;
        record_put(writer, which);
        for (size_t i = 0; i < UNIT_TIMES; i++) {
                if (!(which >> i & 1))
                        continue;
                if (before) {
                        record_put_signed(writer, (int64_t) (times[i].realtime - before->realtime));
                        record_put_signed(writer, (int64_t) (times[i].monotonic - before->monotonic));
                } else {
                        record_put_time(writer, times[i].realtime);
                        record_put_time(writer, times[i].monotonic);
                }
                before = &times[i];
        }
}

static void get_times(UnitTimestamp times[static UNIT_TIMES], RecordReader *reader) {
        uint64_t which = record_get_below(reader, UINT64_C(1) << UNIT_TIMES);
        const UnitTimestamp *before = NULL;

        for (size_t i = 0; i < UNIT_TIMES; i++) {
                times[i] = (UnitTimestamp) {};
                if (!(which >> i & 1))
                        continue;
                if (before) {
                        times[i].realtime = before->realtime + (uint64_t) record_get_signed(reader);
                        times[i].monotonic = before->monotonic + (uint64_t) record_get_signed(reader);
                } else {
                        times[i].realtime = record_get_time(reader);
                        times[i].monotonic = record_get_time(reader);
                }
                before = &times[i];
        }
}

void unit_record(const Unit *unit, RecordWriter *writer) {
        UnitTimestamp times[UNIT_TIMES];

        if (!has_news(unit))
                return;
        record_put(writer, unit->active_state);
        collect_times(unit, times);
        put_times(times, writer);
        record_put_bytes(writer, unit->invocation_id, sizeof(unit->invocation_id));
        record_put_signed(writer, unit->condition_result);
        record_put_signed(writer, unit->assert_result);
        record_put(writer, unit->vtable->record != NULL);
        if (unit->vtable->record)
                unit->vtable->record(unit, writer);
}

static void restore_times(Unit *unit, const UnitTimestamp times[static UNIT_TIMES]) {
        unit->inactive_exit = times[0];
        unit->active_enter = times[1];
        unit->active_exit = times[2];
        unit->inactive_enter = times[3];
        unit->state_change = times[4];
        unit->conditions_checked = times[5];
}

static int8_t get_verdict(RecordReader *reader) {
        int64_t verdict = record_get_signed(reader);

        if (verdict >= -1 && verdict <= 1)
                return (int8_t) verdict;
        reader->has_failed = true;
        return 0;
}

/* A type without restore, or a changed one (a service whose file is gone), restores the active state only. */
static int restore_type(Unit *unit, RecordReader *reader) {
        bool is_there = record_get_below(reader, 2) != 0;

        if (reader->has_failed || is_there != (unit->vtable->restore != NULL))
                return -EBADMSG;
        return is_there ? unit->vtable->restore(unit, reader) : 0;
}

int unit_restore(Unit *unit, RecordReader *reader) {
        UnitTimestamp times[UNIT_TIMES];
        int8_t condition_result, assert_result;
        UnitActiveState state;
        const void *id;
        size_t n;
        int r;

        state = (UnitActiveState) record_get_below(reader, _UNIT_ACTIVE_STATE_MAX);
        get_times(times, reader);
        id = record_get_bytes(reader, &n);
        condition_result = get_verdict(reader);
        assert_result = get_verdict(reader);
        if (reader->has_failed || n != sizeof(unit->invocation_id))
                return -EBADMSG;
        r = restore_type(unit, reader);
        if (r < 0)
                return r;
        unit->active_state = state;
        restore_times(unit, times);
        memcpy(unit->invocation_id, id, n);
        unit->condition_result = condition_result;
        unit->assert_result = assert_result;
        return 0;
}
