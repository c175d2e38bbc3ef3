/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timers, in virtual time
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/record.h"
#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/flow_trigger.h"
#include "types/timer.h"
#include "types/unit_types.h"
#include "unitfile/timer_settings.h"

#define MIDNIGHT (UINT64_C(1700006400) * USEC_PER_SEC)          /* Wed 2023-11-15 00:00:00 UTC */
#define REQUEST "request start replace a.service"

typedef struct Fixture {
        DoubleWorld *world;
        Unit *timer, *service;
        TimerSettings *settings;        /* of the timer, without any value */
} Fixture;

static void free_settings(void *settings) {
        timer_settings_free(settings);
}

/* The clock shows 23:59:00 UTC, and has run for 1,000 s. */
static Fixture begin_for(const char *triggered) {
        Fixture f = { .world = double_world_new() };

        setenv("TZ", "UTC", 1);
        f.world->clock.offset = MIDNIGHT - USEC_PER_MINUTE - f.world->clock.now;
        unit_table_set_type(f.world->table, &timer_vtable);
        f.timer = double_unit(f.world, "a.timer", UNIT_INACTIVE);
        f.service = double_unit(f.world, triggered, UNIT_INACTIVE);
        double_relate(f.world, "a.timer", UNIT_TRIGGERS, triggered);
        cr_assert(eq(int, timer_settings_new(&f.settings), 0));
        f.settings->accuracy = 1;
        f.timer->type_settings = f.settings;
        f.timer->type_settings_free = free_settings;
        return f;
}

static void end(Fixture *f) {
        double_world_free(f->world);
}

#define FIXTURE(f) cleanup_(end) Fixture f = begin_for("a.service")
#define FLOW_FIXTURE(f) cleanup_(end) Fixture f = begin_for("a.flow")

static void add_span(Fixture *f, TimerBase base, usec_t span) {
        cr_assert(eq(int, vector_push(&f->settings->values, ((TimerValue) { .base = base, .span = span })), 0));
}

static void add_calendar(Fixture *f, const char *text) {
        TimerValue value = { .base = TIMER_ON_CALENDAR };
        CalendarFault fault;

        cr_assert(eq(int, calendar_parse(text, &value.calendar, &fault), 0));
        cr_assert(eq(int, calendar_format(value.calendar, &value.text), 0));
        cr_assert(eq(int, vector_push(&f->settings->values, value), 0));
}

static void start(Fixture *f) {
        cr_assert(eq(int, unit_start(f->timer), UNIT_UNDER_WAY));
}

/* Runs the requested job, and lets the service end. */
static void run_service(Fixture *f) {
        double_unit_state(f->service, UNIT_ACTIVE, 0);
        timer_vtable.triggered_changed(f->timer, f->service);
        double_unit_state(f->service, UNIT_INACTIVE, 0);
        timer_vtable.triggered_changed(f->timer, f->service);
}

/* Records the unit and restores it. */
static void renew(Fixture *f) {
        RecordWriter writer = {};
        RecordReader reader;

        timer_vtable.record(f->timer, &writer);
        *timer_of(f->timer) = (Timer) {};
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, timer_vtable.restore(f->timer, &reader), 0));
        cr_assert(record_is_at_end(&reader));
        record_writer_deinit(&writer);
        timer_vtable.resume(f->timer);
}

#define assert_sub_state(f, state) assert_string(unit_sub_state((f).timer), state)

Test(timer, elapses_once_after_its_start) {
        FIXTURE(f);

        add_span(&f, TIMER_ON_ACTIVE, 10 * USEC_PER_SEC);
        start(&f);
        assert_sub_state(f, "waiting");
        double_world_advance(f.world, 9 * USEC_PER_SEC);
        assert_string(double_calls(f.world), "");
        double_world_advance(f.world, 2 * USEC_PER_SEC);
        assert_string(double_calls(f.world), REQUEST);
        assert_sub_state(f, "running");
        run_service(&f);
        assert_sub_state(f, "elapsed");
        cr_assert(eq(int, f.timer->active_state, UNIT_ACTIVE));
}

Test(timer, goes_if_it_need_not_remain) {
        FIXTURE(f);

        f.settings->remain_after_elapse = false;
        add_span(&f, TIMER_ON_ACTIVE, 10 * USEC_PER_SEC);
        start(&f);
        double_world_advance(f.world, 11 * USEC_PER_SEC);
        run_service(&f);
        assert_sub_state(f, "dead");
        cr_assert(eq(int, f.timer->active_state, UNIT_INACTIVE));
}

Test(timer, repeats_by_what_its_unit_does) {
        FIXTURE(f);

        add_span(&f, TIMER_ON_ACTIVE, 10 * USEC_PER_SEC);
        add_span(&f, TIMER_ON_UNIT_INACTIVE, 5 * USEC_PER_SEC);
        start(&f);
        double_world_advance(f.world, 10 * USEC_PER_SEC + 1);
        assert_string(double_calls(f.world), REQUEST);
        double_world_advance(f.world, 20 * USEC_PER_SEC);
        run_service(&f);
        assert_sub_state(f, "waiting");
        double_calls_clear(f.world);
        double_world_advance(f.world, 4 * USEC_PER_SEC);
        assert_string(double_calls(f.world), "");
        double_world_advance(f.world, 2 * USEC_PER_SEC);
        assert_string(double_calls(f.world), REQUEST);
}

Test(timer, counts_from_startup_and_elapses_at_once_if_that_is_over) {
        FIXTURE(f);

        double_world_advance(f.world, 60 * USEC_PER_SEC);
        add_span(&f, TIMER_ON_STARTUP, 30 * USEC_PER_SEC);
        start(&f);
        double_world_advance(f.world, 1);
        assert_string(double_calls(f.world), REQUEST);
        run_service(&f);
        assert_sub_state(f, "elapsed");
}

Test(timer, elapses_by_the_calendar_each_day) {
        FIXTURE(f);

        add_calendar(&f, "daily");
        start(&f);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT));
        for (int day = 0; day < 3; day++) {
                double_calls_clear(f.world);
                double_world_advance(f.world, USEC_PER_MINUTE + 1);
                assert_string(double_calls(f.world), REQUEST);
                run_service(&f);
                assert_sub_state(f, "waiting");
                double_world_advance(f.world, USEC_PER_DAY - USEC_PER_MINUTE - 1);
        }
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT + 3 * USEC_PER_DAY));
}

Test(timer, clock_set_forward_over_the_time_elapses_at_once) {
        FIXTURE(f);

        add_calendar(&f, "daily");
        start(&f);
        f.world->clock.offset += USEC_PER_HOUR;
        timer_vtable.clock_changed(f.timer, false);
        double_world_advance(f.world, 1);
        assert_string(double_calls(f.world), REQUEST);
        run_service(&f);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT + USEC_PER_DAY));
}

Test(timer, clock_set_back_waits_for_the_time_again) {
        FIXTURE(f);

        add_calendar(&f, "daily");
        start(&f);
        double_world_advance(f.world, 2 * USEC_PER_MINUTE);
        run_service(&f);
        double_calls_clear(f.world);
        f.world->clock.offset -= 3 * USEC_PER_HOUR;
        timer_vtable.clock_changed(f.timer, false);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT));
        double_world_advance(f.world, 2 * USEC_PER_HOUR);
        assert_string(double_calls(f.world), "");
        double_world_advance(f.world, USEC_PER_HOUR);
        assert_string(double_calls(f.world), REQUEST);
}

/* The change of the clock was not told yet when the deadline comes. */
Test(timer, does_not_elapse_before_the_time) {
        FIXTURE(f);

        add_calendar(&f, "daily");
        start(&f);
        f.world->clock.offset -= USEC_PER_HOUR;
        double_world_advance(f.world, USEC_PER_MINUTE + 1);
        assert_string(double_calls(f.world), "");
        assert_sub_state(f, "waiting");
        double_world_advance(f.world, USEC_PER_HOUR);
        assert_string(double_calls(f.world), REQUEST);
}

Test(timer, elapses_when_the_clock_or_the_zone_changes) {
        FIXTURE(f);

        f.settings->on_clock_change = true;
        start(&f);
        assert_sub_state(f, "waiting");
        timer_vtable.clock_changed(f.timer, true);
        assert_string(double_calls(f.world), "");
        timer_vtable.clock_changed(f.timer, false);
        assert_string(double_calls(f.world), REQUEST);
        run_service(&f);
        assert_sub_state(f, "waiting");
        f.settings->on_timezone_change = true;
        double_calls_clear(f.world);
        timer_vtable.clock_changed(f.timer, true);
        assert_string(double_calls(f.world), REQUEST);
}

Test(timer, another_zone_is_another_time) {
        FIXTURE(f);

        add_calendar(&f, "daily");
        start(&f);
        setenv("TZ", "Europe/Berlin", 1);
        timer_vtable.clock_changed(f.timer, true);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT + 23 * USEC_PER_HOUR));
}

Test(timer, delays_at_random_and_keeps_to_it) {
        FIXTURE(f);
        usec_t next;

        f.settings->randomized_delay = USEC_PER_HOUR;
        add_calendar(&f, "daily");
        start(&f);
        next = timer_of(f.timer)->next_realtime;
        cr_assert(next >= MIDNIGHT && next < MIDNIGHT + USEC_PER_HOUR);
        timer_vtable.clock_changed(f.timer, false);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, next));
        f.settings->fixed_random_delay = true;
        cr_assert(eq(u64, timer_draw_delay(f.timer), timer_draw_delay(f.timer)));
        cr_assert(lt(u64, timer_draw_delay(f.timer), USEC_PER_HOUR));
}

Test(timer, those_that_need_not_be_exact_elapse_together) {
        FIXTURE(f);
        usec_t deadline;

        f.settings->accuracy = USEC_PER_MINUTE;
        add_span(&f, TIMER_ON_ACTIVE, 10 * USEC_PER_MINUTE);
        start(&f);
        deadline = double_timer(f.world, f.timer, UNIT_PURPOSE_ELAPSE);
        cr_assert(deadline >= f.world->clock.now + 10 * USEC_PER_MINUTE);
        cr_assert(deadline <= f.world->clock.now + 11 * USEC_PER_MINUTE);
        unit_stop(f.timer);
        double_world_advance(f.world, 1);
        f.settings->values.items[0].span = deadline - f.world->clock.now - 20 * USEC_PER_SEC;
        start(&f);
        cr_assert(eq(u64, double_timer(f.world, f.timer, UNIT_PURPOSE_ELAPSE), deadline));
}

Test(timer, goes_on_in_another_process) {
        FIXTURE(f);

        add_calendar(&f, "daily");
        start(&f);
        renew(&f);
        assert_sub_state(f, "waiting");
        double_world_advance(f.world, USEC_PER_MINUTE + 1);
        assert_string(double_calls(f.world), REQUEST);
        double_unit_state(f.service, UNIT_ACTIVE, 0);
        renew(&f);
        assert_sub_state(f, "running");
        assert_string(double_calls(f.world), REQUEST);
        double_unit_state(f.service, UNIT_INACTIVE, 0);
        renew(&f);
        assert_sub_state(f, "waiting");
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT + USEC_PER_DAY));
        assert_string(double_calls(f.world), REQUEST);
}

Test(timer, clock_set_back_while_no_process_looked_waits_for_the_time_again) {
        FIXTURE(f);

        add_calendar(&f, "daily");
        start(&f);
        double_world_advance(f.world, 2 * USEC_PER_MINUTE);
        run_service(&f);
        f.world->clock.offset -= 3 * USEC_PER_HOUR;
        renew(&f);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT));
        setenv("TZ", "Europe/Berlin", 1);
        renew(&f);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT - USEC_PER_HOUR));
}

Test(timer, what_came_while_no_process_looked_is_not_lost) {
        FIXTURE(f);

        add_span(&f, TIMER_ON_ACTIVE, USEC_PER_SEC);
        add_span(&f, TIMER_ON_STARTUP, 100 * USEC_PER_SEC);
        start(&f);
        double_world_advance(f.world, 2 * USEC_PER_SEC);
        run_service(&f);
        double_calls_clear(f.world);
        f.world->clock.now += 200 * USEC_PER_SEC;
        timer_vtable.triggered_changed(f.timer, f.service);
        renew(&f);
        double_world_advance(f.world, 1);
        assert_string(double_calls(f.world), REQUEST);
        run_service(&f);
        assert_sub_state(f, "elapsed");
}

Test(timer, fails_if_its_unit_cannot_be_asked_for) {
        FIXTURE(f);
        const Failure failure = { .code = -ENOENT };

        add_span(&f, TIMER_ON_ACTIVE, USEC_PER_SEC);
        start(&f);
        double_world_advance(f.world, 2 * USEC_PER_SEC);
        timer_vtable.job_refused(f.timer, &failure);
        assert_sub_state(f, "failed");
        timer_vtable.reset_failed(f.timer);
        assert_sub_state(f, "dead");
}

Test(timer, stops) {
        FIXTURE(f);

        add_calendar(&f, "daily");
        start(&f);
        cr_assert(eq(int, unit_stop(f.timer), UNIT_UNDER_WAY));
        assert_sub_state(f, "dead");
        cr_assert(eq(u64, double_timer(f.world, f.timer, UNIT_PURPOSE_ELAPSE), USEC_INFINITY));
}

Test(timer, starts_nothing_when_it_is_about_to_stop) {
        FIXTURE(f);

        add_span(&f, TIMER_ON_ACTIVE, USEC_PER_SEC);
        start(&f);
        f.world->will_stop = true;
        double_world_advance(f.world, 2 * USEC_PER_SEC);
        assert_string(double_calls(f.world), "");
        assert_sub_state(f, "waiting");
        f.world->will_stop = false;
        double_world_advance(f.world, USEC_PER_SEC);
        assert_string(double_calls(f.world), REQUEST);
}

Test(timer, new_settings_count_at_once) {
        FIXTURE(f);

        add_calendar(&f, "daily");
        start(&f);
        timer_settings_clear_values(f.settings);
        add_calendar(&f, "*-*-* 12:00");
        timer_vtable.loaded(f.timer);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT + 12 * USEC_PER_HOUR));
}

/* The zone is changed just before it is watched. */
static void change_zone(UnitHost *host) {
        setenv("TZ", "<-03>3", 1);
}

Test(timer, what_it_reads_of_the_clock_is_watched_before) {
        UnitHostOps ops;
        FIXTURE(f);

        ops = *f.world->host.ops;
        ops.watch_clock = change_zone;
        f.world->host.ops = &ops;
        add_calendar(&f, "*-*-* 12:00");
        start(&f);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT + 15 * USEC_PER_HOUR));
}

static void read_mtime(const char *path, usec_t *ret_time) {
        struct stat status;

        cr_assert(eq(int, stat(path, &status), 0), "%s", path);
        *ret_time = (usec_t) status.st_mtim.tv_sec * USEC_PER_SEC + (usec_t) status.st_mtim.tv_nsec / 1000;
}

Test(timer, persistent_makes_up_for_what_was_missed) {
        char root[] = "/tmp/jobd-test-timer.XXXXXX", state[64], stamp[128], folder[96];
        FIXTURE(f);
        usec_t time;

        assert_not_null(mkdtemp(root));
        snprintf(state, sizeof(state), "%s/state", root);
        snprintf(folder, sizeof(folder), "%s/timers", state);
        snprintf(stamp, sizeof(stamp), "%s/stamp-a.timer", folder);
        f.world->state_directory = state;
        f.settings->persistent = true;
        add_calendar(&f, "daily");

        start(&f);
        read_mtime(stamp, &time);
        cr_assert(eq(u64, time, MIDNIGHT - USEC_PER_MINUTE));
        assert_string(double_calls(f.world), "");
        unit_stop(f.timer);

        double_world_advance(f.world, USEC_PER_HOUR);
        start(&f);
        double_world_advance(f.world, 1);
        assert_string(double_calls(f.world), REQUEST);
        read_mtime(stamp, &time);
        cr_assert(eq(u64, time, MIDNIGHT + 59 * USEC_PER_MINUTE + 1 - 1));
        run_service(&f);
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT + USEC_PER_DAY));

        cr_assert(eq(int, unlink(stamp) | rmdir(folder) | rmdir(state) | rmdir(root), 0));
}

/* The stamp belongs to an earlier run, and does not affect times that are relative to this one. */
Test(timer, persistent_elapses_at_once_if_startup_is_long_over) {
        char state[] = "/tmp/jobd-test-timer.XXXXXX", stamp[96], folder[64];
        FIXTURE(f);

        assert_not_null(mkdtemp(state));
        snprintf(folder, sizeof(folder), "%s/timers", state);
        snprintf(stamp, sizeof(stamp), "%s/stamp-a.timer", folder);
        f.world->state_directory = state;
        f.settings->persistent = true;
        add_calendar(&f, "daily");
        add_span(&f, TIMER_ON_STARTUP, 10 * USEC_PER_SEC);
        start(&f);
        unit_stop(f.timer);

        double_world_advance(f.world, 20 * USEC_PER_SEC);
        start(&f);
        double_world_advance(f.world, 1);
        assert_string(double_calls(f.world), REQUEST);
        run_service(&f);
        cr_assert(eq(u64, timer_of(f.timer)->next_monotonic, 0));
        cr_assert(eq(u64, timer_of(f.timer)->next_realtime, MIDNIGHT));

        cr_assert(eq(int, unlink(stamp) | rmdir(folder) | rmdir(state), 0));
}

Test(timer, triggers_a_flow_at_each_of_its_times_though_it_is_active) {
        FLOW_FIXTURE(f);

        add_calendar(&f, "*:*:30");
        start(&f);
        double_world_advance(f.world, USEC_PER_MINUTE);
        assert_string(double_calls(f.world), "trigger a.flow by event a.timer");
        assert_sub_state(f, "waiting");
        double_unit_state(f.service, UNIT_ACTIVE, 0);
        timer_vtable.triggered_changed(f.timer, f.service);
        renew(&f);
        double_calls_clear(f.world);
        double_world_advance(f.world, USEC_PER_MINUTE);
        assert_string(double_calls(f.world), "trigger a.flow by event a.timer");
        f.world->will_stop = true;
        double_calls_clear(f.world);
        double_world_advance(f.world, USEC_PER_MINUTE);
        assert_string(double_calls(f.world), "");
}

static unsigned count_triggers(const Fixture *f) {
        unsigned n = 0;

        for (const char *at = double_calls(f->world); (at = strstr(at, "trigger a.flow")); at++)
                n++;
        return n;
}

/* The machine has slept for five of its times: one run for all of them, or one for each. */
Test(timer, triggers_a_flow_for_each_time_that_was_missed_if_that_catches_up) {
        static const struct {
                FlowCatchUp catch_up;
                unsigned minutes, n;
        } rows[] = {
                { FLOW_CATCH_UP_UNSET, 5, 1 }, { FLOW_CATCH_UP_NONE, 5, 1 },
                { FLOW_CATCH_UP_LAST, 5, 1 },  { FLOW_CATCH_UP_ALL, 5, 5 },
                { FLOW_CATCH_UP_ALL, 0, 0 },   { FLOW_CATCH_UP_ALL, 500, TIMER_MISSED_MAX },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                FLOW_FIXTURE(f);
                FlowSettings settings = { .catch_up = rows[i].catch_up };

                add_calendar(&f, "*:*:30");
                f.service->type_settings = &settings;
                start(&f);
                f.world->clock.offset += rows[i].minutes * USEC_PER_MINUTE;
                timer_vtable.clock_changed(f.timer, false);
                double_world_advance(f.world, 1);
                cr_assert(eq(u32, count_triggers(&f), rows[i].n), "row %zu: %s", i, double_calls(f.world));
                assert_sub_state(f, "waiting");
                f.service->type_settings = NULL;
        }
}
