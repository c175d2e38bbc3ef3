/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A timer: its data, and the interfaces between its files
 */

#include "basic/string_table.h"
#include "types/unit_ask.h"
#include "types/unit_say.h"
#include "unitfile/timer_settings.h"

typedef enum TimerState {
        TIMER_DEAD,
        TIMER_WAITING,
        TIMER_RUNNING, /* elapsed; the triggered unit is active or has a job */
        TIMER_ELAPSED, /* it has no next time */
        TIMER_FAILED,
        _TIMER_STATE_MAX,
} TimerState;

typedef enum TimerResult {
        TIMER_SUCCESS,
        TIMER_FAILURE_RESOURCES, /* the triggered unit could not be requested */
        _TIMER_RESULT_MAX,
} TimerResult;

DECLARE_STRING_TABLE_TO(timer_state, TimerState);

typedef struct Timer {
        TimerState state;
        TimerResult result;
        UnitTimestamp last_trigger; /* .monotonic is 0 if that was before this start */
        usec_t next_realtime; /* with the random delay; 0: none */
        usec_t next_monotonic;
        usec_t delay; /* random, drawn anew each time that it elapses */
} Timer;

static inline Timer *timer_of(const Unit *unit) {
        return unit->state_of_type;
}

/* A timer whose file is gone has no settings: it uses the defaults. */
static inline const TimerSettings *timer_settings(const Unit *unit) {
        static const TimerSettings none = { .remain_after_elapse = true };

        return unit->type_settings ? unit->type_settings : &none;
}

/* The triggered unit; NULL if there is none. */
static inline Unit *timer_triggered(const Unit *unit) {
        UnitRelations triggers = unit_relations(unit, UNIT_TRIGGERS);

        return triggers.n > 0 ? unit_table_at(unit->table, triggers.items[0].other) : NULL;
}

/* — timer_next.c — */

/* The next time of @value, on its own clock and without random delay: 0, or -ENOENT if there is none. */
int timer_value_next(const Unit *unit, const TimerValue *value, usec_t *ret_next);

/*
 * Computes the next time on both clocks; false if there is none. *ret_is_bound: a time depends on what the triggered
 * unit does.
 */
bool timer_compute_next(const Unit *unit, usec_t *ret_realtime, usec_t *ret_monotonic, bool *ret_is_bound);

/* The moment after which calendars elapse: the last elapse, or else the start. */
usec_t timer_find_base(const Unit *unit);
usec_t timer_draw_delay(const Unit *unit);

/* When to wake up (monotonic) for the next times. */
usec_t timer_find_deadline(const Unit *unit);

/* — timer_missed.c — */

#define TIMER_MISSED_MAX 100U /* runs that are made at once for times that were missed */

/* Whether the time of its last elapse is to outlast a reboot: Persistent=, or CatchUp= of the flow that it triggers. */
bool timer_has_stamp(const Unit *unit);
/*
 * The last @max times of calendars at which it should have elapsed since it has, the oldest first: how many;
 * *ret_has_more: there are older ones.
 */
size_t timer_list_missed(const Unit *unit, size_t max, usec_t *times, bool *ret_has_more);

/* — timer_stamp.c: Persistent= — */

/* When the timer elapsed last (realtime, 0: never). Makes the file if there is none. */
usec_t timer_read_stamp(const Unit *unit);
bool timer_remove_stamp(const Unit *unit); /* false: not possible, which is logged */
void timer_write_stamp(const Unit *unit, usec_t realtime);

/* — timer_show.c — */
extern const UnitPropertyTable timer_properties;
void timer_record(const Unit *unit, RecordWriter *writer);
int timer_restore(Unit *unit, RecordReader *reader);
int timer_save(const Unit *unit, Sink *sink);
int timer_activity(const Unit *unit, char **ret_activity, usec_t *ret_since);
