/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A timer: starts another unit at its times
 *
 *      dead → waiting → running → waiting → … → elapsed
 *
 * A started timer waits for the earliest of its times. When it elapses it
 * requests a start of the triggered unit, and is running until that unit is
 * inactive again and has no job. Then it computes its next time; if there is
 * none it is elapsed or, with RemainAfterElapse=no, ends.
 *
 * All state is in Timer, which is committed together with the request for the
 * job: if the manager dies, no elapse is lost or repeated.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "types/flow_trigger.h"
#include "types/timer.h"
#include "types/unit_process.h"
#include "types/unit_types.h"
#include "unit/unit_clean.h"

/* A stop of this unit that waits for other jobs may be canceled: after this time it looks again. */
#define RETRY (100 * USEC_PER_MSEC)

static const UnitActiveState active_states[_TIMER_STATE_MAX] = {
        [TIMER_DEAD] = UNIT_INACTIVE,  [TIMER_WAITING] = UNIT_ACTIVE, [TIMER_RUNNING] = UNIT_ACTIVE,
        [TIMER_ELAPSED] = UNIT_ACTIVE, [TIMER_FAILED] = UNIT_FAILED,
};

static int timer_init(Unit *unit) {
        unit->state_of_type = calloc(1, sizeof(Timer));
        return unit->state_of_type ? 0 : -ENOMEM;
}

static void timer_deinit(Unit *unit) {
        free(unit->state_of_type);
}

/* — states — */

static void set_deadline(Unit *unit, usec_t deadline) {
        if (unit_set_timer(unit, UNIT_PURPOSE_ELAPSE, deadline) < 0)
                unit_say(unit, LOG_LEVEL_ERROR, "It does not elapse: out of memory.");
}

static void set_state(Unit *unit, TimerState state) {
        Timer *timer = timer_of(unit);

        if (state != TIMER_WAITING) {
                timer->next_realtime = timer->next_monotonic = 0;
                set_deadline(unit, USEC_INFINITY);
        }
        timer->state = state;
        unit_publish(unit, active_states[state], 0);
}

static void end(Unit *unit, TimerResult result) {
        timer_of(unit)->result = result;
        set_state(unit, result == TIMER_SUCCESS ? TIMER_DEAD : TIMER_FAILED);
}

/* Called before the clock is read, so that changes in between are told. */
static void watch_clock(const Unit *unit) {
        const TimerSettings *settings = timer_settings(unit);
        UnitHost *host = unit_host(unit);
        bool is_needed = timer_settings_has_calendar(settings) || settings->on_clock_change ||
                         settings->on_timezone_change;

        if (is_needed && host->ops->watch_clock)
                host->ops->watch_clock(host);
}

static void wait_for_next(Unit *unit) {
        const TimerSettings *settings = timer_settings(unit);
        Timer *timer = timer_of(unit);
        bool is_bound, has_next;

        watch_clock(unit);
        has_next = timer_compute_next(unit, &timer->next_realtime, &timer->next_monotonic, &is_bound);
        if (!has_next && !settings->remain_after_elapse && !is_bound) {
                end(unit, TIMER_SUCCESS);
                return;
        }
        if (!has_next) {
                set_state(unit, TIMER_ELAPSED);
                return;
        }
        set_deadline(unit, timer_find_deadline(unit));
        set_state(unit, TIMER_WAITING);
}

/* — elapsing — */

static void note_elapse(Unit *unit) {
        Timer *timer = timer_of(unit);

        timer->last_trigger = unit_timestamp(unit);
        timer->delay = timer_draw_delay(unit);
        if (timer_has_stamp(unit))
                timer_write_stamp(unit, timer->last_trigger.realtime);
}

/* A flow may have several runs: the timer does not wait for their end. */
static void trigger_flow(Unit *unit, Unit *triggered) {
        const size_t max = flow_catch_up(triggered) == FLOW_CATCH_UP_ALL ? TIMER_MISSED_MAX : 1;
        usec_t times[TIMER_MISSED_MAX];
        bool has_more;
        const size_t n = timer_list_missed(unit, max, times, &has_more);

        note_elapse(unit);
        if (has_more && max > 1)
                unit_say(unit, LOG_LEVEL_WARNING, "It has missed more than %u elapses: the older ones have no runs.",
                         TIMER_MISSED_MAX);
        for (size_t i = 0; i < n; i++)
                triggered->vtable->triggered(triggered, &(UnitTrigger) { .by = unit,
                                                                         .kind = UNIT_TRIGGER_EVENT,
                                                                         .time = times[i],
                                                                         .is_made_up = n > 1 });
        /* A span of time, or a change of the clock, is no elapse of a calendar. */
        if (n == 0)
                triggered->vtable->triggered(triggered, &(UnitTrigger) { .by = unit, .kind = UNIT_TRIGGER_EVENT });
        wait_for_next(unit);
}

/* Requests the triggered unit. */
static void elapse(Unit *unit, const char *why) {
        UnitHost *host = unit_host(unit);
        Unit *triggered = timer_triggered(unit);
        cleanup_free_ char *reason = NULL;

        if (unit_will_stop(unit)) {
                set_deadline(unit, usec_add(unit_now(unit), RETRY));
                return;
        }
        if (triggered && triggered->vtable->triggered) {
                trigger_flow(unit, triggered);
                return;
        }
        if (!triggered || text_format(&reason, "%s %s", unit->id, why) < 0 ||
            host->ops->request_job(host, triggered, JOB_START, JOB_REPLACE, reason) < 0) {
                unit_say(unit, LOG_LEVEL_ERROR, "It has elapsed, and what it triggers cannot be asked for.");
                end(unit, TIMER_FAILURE_RESOURCES);
                return;
        }
        note_elapse(unit);
        set_state(unit, TIMER_RUNNING);
}

/* — operations — */

/* Refuses a start now rather than when the timer elapses. */
static bool is_startable(const Unit *unit) {
        const Unit *triggered = timer_triggered(unit);

        if (triggered && (triggered->load_state == UNIT_LOADED || triggered->load_state == UNIT_STUB))
                return true;
        unit_say(unit, LOG_LEVEL_ERROR, "The unit that it triggers cannot be started.");
        return false;
}

static UnitAnswer timer_start(Unit *unit) {
        Timer *timer = timer_of(unit);

        if (!is_startable(unit))
                return UNIT_OPERATION_FAILED;

        timer->last_trigger = (UnitTimestamp) {};
        timer->result = TIMER_SUCCESS;
        timer->delay = timer_draw_delay(unit);
        if (timer_has_stamp(unit))
                timer->last_trigger.realtime = timer_read_stamp(unit);
        wait_for_next(unit);
        return UNIT_UNDER_WAY;
}

static UnitAnswer timer_stop(Unit *unit) {
        end(unit, TIMER_SUCCESS);
        return UNIT_UNDER_WAY;
}

static const char *timer_sub_state(const Unit *unit) {
        return timer_state_to_string(timer_of(unit)->state);
}

static void timer_reset_failed(Unit *unit) {
        if (timer_of(unit)->state == TIMER_FAILED)
                end(unit, TIMER_SUCCESS);
}

/* New settings may have other times. */
static void timer_loaded(Unit *unit) {
        const Timer *timer = timer_of(unit);

        if (timer->state == TIMER_WAITING || timer->state == TIMER_ELAPSED)
                wait_for_next(unit);
}

/* — events — */

static void timer_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        UnitHost *host = unit_host(unit);
        const Timer *timer = timer_of(unit);

        if (timer->state != TIMER_WAITING)
                return;
        /* The clock may have been set back without clock_changed() yet. */
        if ((timer->next_monotonic > 0 && timer->next_monotonic <= host->ops->now(host)) ||
            (timer->next_realtime > 0 && timer->next_realtime <= host->ops->now_realtime(host)))
                elapse(unit, "has elapsed");
        else
                set_deadline(unit, timer_find_deadline(unit));
}

static void timer_triggered_changed(Unit *unit, Unit *triggered) {
        const Timer *timer = timer_of(unit);

        switch (timer->state) {
        case TIMER_WAITING:
        case TIMER_ELAPSED:
                wait_for_next(unit);
                break;
        case TIMER_RUNNING:
                if (unit_state_is_inactive_or_failed(triggered->active_state) && !unit_has_job(triggered))
                        wait_for_next(unit);
                break;
        case TIMER_DEAD:
        case TIMER_FAILED:
        case _TIMER_STATE_MAX:
                break;
        }
}

static void timer_job_refused(Unit *unit, const Failure *failure) {
        if (timer_of(unit)->state == TIMER_RUNNING)
                end(unit, TIMER_FAILURE_RESOURCES);
}

/* The clock was set back: a trigger in the future does not keep the timer from elapsing. */
static void forget_future(Unit *unit) {
        usec_t now = unit_timestamp(unit).realtime;
        Timer *timer = timer_of(unit);

        timer->last_trigger.realtime = MIN(timer->last_trigger.realtime, now);
}

static void timer_clock_changed(Unit *unit, bool is_zone) {
        const TimerSettings *settings = timer_settings(unit);

        if (timer_of(unit)->state != TIMER_WAITING)
                return;
        forget_future(unit);
        if (is_zone ? settings->on_timezone_change : settings->on_clock_change)
                elapse(unit, is_zone ? "has seen that the time zone was changed" : "has seen that the clock was set");
        else
                wait_for_next(unit);
}

static int timer_trigger_environment(const Unit *unit, char ***environment) {
        const Unit *triggered = timer_triggered(unit);
        const Timer *timer = timer_of(unit);
        int r;

        if (timer->state != TIMER_RUNNING && !(triggered && triggered->vtable->triggered))
                return 0;
        r = unit_process_add_variable(environment, "TRIGGER_TIMER_REALTIME_USEC=%" PRIu64,
                                      timer->last_trigger.realtime);
        if (r == 0)
                r = unit_process_add_variable(environment, "TRIGGER_TIMER_MONOTONIC_USEC=%" PRIu64,
                                              timer->last_trigger.monotonic);
        return r < 0 ? r : 1;
}

/* After a restart of core: clock and zone may have changed meanwhile. */
static void timer_resume(Unit *unit) {
        const Timer *timer = timer_of(unit);
        Unit *triggered = timer_triggered(unit);

        if (timer->state == TIMER_RUNNING && triggered)
                timer_triggered_changed(unit, triggered);
        if (timer->state != TIMER_WAITING)
                return;
        forget_future(unit);
        wait_for_next(unit);
}

static unsigned timer_can_clean(const Unit *unit) {
        return timer_has_stamp(unit) ? 1U << UNIT_CLEAN_STATE : 0;
}

/* Removes one file, without a process for it. */
static int timer_clean(Unit *unit, unsigned kinds, Failure *ret_failure) {
        if (!(kinds & timer_can_clean(unit)))
                return failure_set(ret_failure, -ENODATA, "NothingToClean", "%s has nothing of that kind to clean.",
                                   unit->id);
        if (!timer_remove_stamp(unit))
                return failure_set(ret_failure, -EIO, "Failed", "Cannot clean %s: its log says why.", unit->id);
        return 0;
}

const UnitVTable timer_vtable = {
        .type = UNIT_TIMER,
        .interface = "Timer",
        .properties = (const UnitPropertyTable *const[]){ &timer_properties, NULL },
        .init = timer_init,
        .deinit = timer_deinit,
        .loaded = timer_loaded,
        .start = timer_start,
        .stop = timer_stop,
        .sub_state = timer_sub_state,
        .activity = timer_activity,
        .timer_elapsed = timer_timer_elapsed,
        .triggered_changed = timer_triggered_changed,
        .clock_changed = timer_clock_changed,
        .trigger_environment = timer_trigger_environment,
        .job_refused = timer_job_refused,
        .reset_failed = timer_reset_failed,
        .can_clean = timer_can_clean,
        .clean = timer_clean,
        .save = timer_save,
        .record = timer_record,
        .restore = timer_restore,
        .resume = timer_resume,
};
