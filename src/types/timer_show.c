/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A timer shown to users, and recorded for the next core
 *
 * Names and signatures of the properties are systemd's.
 */

#include <errno.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "types/timer.h"

static const char *const states[_TIMER_STATE_MAX] = {
        [TIMER_DEAD] = "dead",       [TIMER_WAITING] = "waiting", [TIMER_RUNNING] = "running",
        [TIMER_ELAPSED] = "elapsed", [TIMER_FAILED] = "failed",
};

static const char *const results[_TIMER_RESULT_MAX] = {
        [TIMER_SUCCESS] = "success",
        [TIMER_FAILURE_RESOURCES] = "resources",
};

DEFINE_STRING_TABLE_TO(timer_state, TimerState, states)

/* — properties — */

static void get_unit(const Unit *unit, Sink *sink) {
        const Unit *triggered = timer_triggered(unit);

        sink_string(sink, triggered ? triggered->id : timer_settings(unit)->unit);
}

static void put_value(const Unit *unit, const TimerValue *value, Sink *sink) {
        bool is_calendar = value->base == TIMER_ON_CALENDAR;
        usec_t next = 0;

        if (timer_of(unit)->state != TIMER_WAITING || timer_value_next(unit, value, &next) < 0)
                next = is_calendar ? USEC_INFINITY : 0;
        sink_open(sink, 'r', is_calendar ? "sst" : "stt");
        sink_string(sink, timer_base_to_string(value->base));
        if (is_calendar)
                sink_string(sink, value->text);
        else
                sink_u64(sink, value->span);
        sink_u64(sink, next);
        sink_close(sink);
}

static void put_values(const Unit *unit, bool are_calendar, Sink *sink) {
        const TimerSettings *settings = timer_settings(unit);

        sink_open(sink, 'a', are_calendar ? "(sst)" : "(stt)");
        for (size_t i = 0; i < settings->values.n; i++)
                if ((settings->values.items[i].base == TIMER_ON_CALENDAR) == are_calendar)
                        put_value(unit, &settings->values.items[i], sink);
        sink_close(sink);
}

static void get_monotonic(const Unit *unit, Sink *sink) {
        put_values(unit, false, sink);
}

static void get_calendar(const Unit *unit, Sink *sink) {
        put_values(unit, true, sink);
}

#define GETTER(name, put, expression) \
        static void get_##name(const Unit *unit, Sink *sink) { \
                const TimerSettings *settings = timer_settings(unit); \
                const Timer *timer = timer_of(unit); \
\
                (void) settings; \
                (void) timer; \
                put(sink, expression); \
        }

GETTER(on_clock_change, sink_bool, settings->on_clock_change)
GETTER(on_timezone_change, sink_bool, settings->on_timezone_change)
GETTER(next_realtime, sink_u64, timer->next_realtime)
GETTER(next_monotonic, sink_u64, timer->next_monotonic)
GETTER(last_trigger, sink_u64, timer->last_trigger.realtime)
GETTER(last_trigger_monotonic, sink_u64, timer->last_trigger.monotonic)
GETTER(result, sink_string, results[timer->result])
GETTER(accuracy, sink_u64, settings->accuracy)
GETTER(randomized_delay, sink_u64, settings->randomized_delay)
GETTER(fixed_random_delay, sink_bool, settings->fixed_random_delay)
GETTER(persistent, sink_bool, settings->persistent)
GETTER(wake_system, sink_bool, settings->wake_system)
GETTER(remain_after_elapse, sink_bool, settings->remain_after_elapse)

#define C UNIT_PROPERTY_CONST
#define E UNIT_PROPERTY_EMITS_CHANGE
#define I UNIT_PROPERTY_INVALIDATES

static const UnitProperty rows[] = {
        { "Unit", "s", C, get_unit, "The unit that it triggers." },
        { "TimersMonotonic", "a(stt)", I, get_monotonic,
          "Its spans of time: what they are counted from, how long they are, and when (monotonic) they elapse next." },
        { "TimersCalendar", "a(sst)", I, get_calendar, "Its calendar expressions, and when they elapse next." },
        { "OnClockChange", "b", C, get_on_clock_change, "Whether it elapses when the machine's clock is set." },
        { "OnTimezoneChange", "b", C, get_on_timezone_change, "Whether it elapses when the time zone is changed." },
        { "NextElapseUSecRealtime", "t", E, get_next_realtime,
          "When it elapses next by the calendar; 0 if it does not." },
        { "NextElapseUSecMonotonic", "t", E, get_next_monotonic,
          "When it elapses next by a span of time, in CLOCK_MONOTONIC; 0 if it does not." },
        { "LastTriggerUSec", "t", E, get_last_trigger, "When it has elapsed last; 0 for never." },
        { "LastTriggerUSecMonotonic", "t", E, get_last_trigger_monotonic, "The same in CLOCK_MONOTONIC." },
        { "Result", "s", E, get_result, "'success' or 'resources': the triggered unit could not be requested." },
        { "AccuracyUSec", "t", C, get_accuracy, "How much later it may elapse, together with others." },
        { "RandomizedDelayUSec", "t", C, get_randomized_delay, "How much later it elapses at most, at random." },
        { "FixedRandomDelay", "b", C, get_fixed_random_delay, "Whether the random delay is the same each time." },
        { "Persistent", "b", C, get_persistent,
          "Whether it makes up for times that were missed while it was inactive." },
        { "WakeSystem", "b", C, get_wake_system, "Whether WakeSystem= is set, which has no effect." },
        { "RemainAfterElapse", "b", C, get_remain_after_elapse,
          "Whether it stays active when it will not elapse again." },
};

const UnitPropertyTable timer_properties = { rows, ELEMENTSOF(rows), true, UNIT_TIMER };

int timer_activity(const Unit *unit, char **ret_activity, usec_t *ret_since) {
        const Timer *timer = timer_of(unit);
        const Unit *triggered = timer_triggered(unit);

        if (timer->state != TIMER_RUNNING || !triggered)
                return -ENOENT;
        *ret_since = timer->last_trigger.monotonic;
        return text_format(ret_activity, "waiting until %s is done", triggered->id);
}

/* — records — */

void timer_record(const Unit *unit, RecordWriter *writer) {
        const Timer *timer = timer_of(unit);

        record_put(writer, timer->state);
        record_put(writer, timer->result);
        record_put(writer, timer->last_trigger.realtime);
        record_put(writer, timer->last_trigger.monotonic);
        record_put(writer, timer->next_realtime);
        record_put(writer, timer->next_monotonic);
        record_put(writer, timer->delay);
}

int timer_restore(Unit *unit, RecordReader *reader) {
        Timer timer = {};

        timer.state = (TimerState) record_get_below(reader, _TIMER_STATE_MAX);
        timer.result = (TimerResult) record_get_below(reader, _TIMER_RESULT_MAX);
        timer.last_trigger.realtime = record_get(reader);
        timer.last_trigger.monotonic = record_get(reader);
        timer.next_realtime = record_get(reader);
        timer.next_monotonic = record_get(reader);
        timer.delay = record_get(reader);
        /* Earlier versions wrote one more number. */
        if (!record_is_at_end(reader))
                (void) record_get(reader);
        if (reader->has_failed)
                return -EBADMSG;
        *timer_of(unit) = timer;
        return 0;
}

int timer_save(const Unit *unit, Sink *sink) {
        const Timer *timer = timer_of(unit);

        sink_entry_string(sink, "state", timer_state_to_string(timer->state));
        sink_entry_string(sink, "result", results[timer->result]);
        sink_entry_u64(sink, "last-trigger", timer->last_trigger.realtime);
        sink_entry_u64(sink, "last-trigger-monotonic", timer->last_trigger.monotonic);
        sink_entry_u64(sink, "next-realtime", timer->next_realtime);
        sink_entry_u64(sink, "next-monotonic", timer->next_monotonic);
        sink_entry_u64(sink, "delay", timer->delay);
        return sink->error;
}
