/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flows: they are there, and are not run; what triggers them has runs
 *
 * S004-21a
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "double/double_assert.h"
#include "double/double_unit.h"
#include "exec/sandbox.h"
#include "types/exec_sandbox.h"
#include "types/service_state.h"
#include "types/timer.h"
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

/* — a stop that has lasted long enough — */

static bool has_sandbox(const Unit *unit) {
        RecordWriter writer = {};
        RecordReader reader;
        bool has;

        exec_sandbox_record(unit, &writer);
        reader = (RecordReader) { .at = writer.bytes, .end = writer.bytes + writer.n };
        has = record_get(&reader) != 0;
        free(writer.bytes);
        return has;
}

Test(flow, sandbox_stays_as_long_as_attempts_do) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        const SandboxSettings sandbox = { .private_network = true };
        ExecRequest request = { .sandbox = &sandbox };
        Unit *unit;

        unit_table_set_type(world->table, &flow_vtable);
        unit = double_unit(world, "x.flow", UNIT_ACTIVE);
        cr_assert(eq(int, exec_sandbox_share(unit, &request), 0));
        world->runs = (UnitRuns) { .n_live = 1, .n_attempts = 1, .n_stuck = 1 };
        cr_assert(eq(int, unit_stop(unit), UNIT_UNDER_WAY));
        flow_vtable.timer_elapsed(unit, UNIT_PURPOSE_STATE_LIMIT);
        cr_assert(eq(int, unit->active_state, UNIT_INACTIVE));
        cr_assert(has_sandbox(unit), "the store does not answer, and an attempt is left");
        flow_vtable.runs_changed(unit);
        cr_assert(has_sandbox(unit));
        world->runs = (UnitRuns) {};
        flow_vtable.runs_changed(unit);
        cr_assert(not(has_sandbox(unit)));
}

/* — triggers — */

typedef struct Triggered {
        DoubleWorld *world;
        Unit *flow, *by;
} Triggered;

static Triggered begin(const UnitVTable *type, const char *by) {
        Triggered t = { .world = double_world_new() };

        unit_table_set_type(t.world->table, &flow_vtable);
        if (type)
                unit_table_set_type(t.world->table, type);
        t.flow = double_unit(t.world, "x.flow", UNIT_ACTIVE);
        t.by = double_unit(t.world, by, UNIT_INACTIVE);
        double_calls_clear(t.world);
        return t;
}

static void tell(const Triggered *t, UnitTrigger trigger) {
        trigger.by = t->by;
        flow_vtable.triggered(t->flow, &trigger);
}

static void end(Triggered *t) {
        double_world_free(t->world);
}

#define TRIGGERED(t, type, name) cleanup_(end) Triggered t = begin(type, name)

Test(flow, elapse_has_one_run_for_its_time) {
        TRIGGERED(t, &timer_vtable, "a.timer");

        double_relate(t.world, "a.timer", UNIT_TRIGGERS, "x.flow");
        timer_of(t.by)->last_trigger = (UnitTimestamp) { .realtime = 12, .monotonic = 34 };
        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_EVENT, .time = 7 });
        assert_string(double_calls(t.world),
                      "submit x.flow for a.timer (a.timer 7), TRIGGER_TIMER_REALTIME_USEC=12, "
                      "TRIGGER_TIMER_MONOTONIC_USEC=34, TRIGGER_TIMER_SCHEDULED_USEC=7, TRIGGER_UNIT=a.timer");
        double_calls_clear(t.world);
        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_EVENT, .time = 7, .is_made_up = true });
        cr_assert(strstr(double_calls(t.world), "TRIGGER_TIMER_CATCH_UP=yes") != NULL, "%s", double_calls(t.world));
}

Test(flow, other_event_has_a_run_for_the_time_at_which_it_came) {
        TRIGGERED(t, NULL, "a.socket");
        char wanted[128];

        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_EVENT });
        snprintf(wanted, sizeof(wanted), "submit x.flow for a.socket (a.socket %llu), TRIGGER_UNIT=a.socket",
                 (unsigned long long) double_clock_realtime(&t.world->clock));
        assert_string(double_calls(t.world), wanted);
}

Test(flow, end_of_a_unit_has_one_run_for_its_invocation) {
        TRIGGERED(t, NULL, "a.mount");

        t.by->invocation_id[0] = 0xab;
        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_FAILURE, .was_up = true });
        assert_string(double_calls(t.world),
                      "submit x.flow for a.mount (a.mount failure ab000000000000000000000000000000), "
                      "MONITOR_UNIT=a.mount, MONITOR_INVOCATION_ID=ab000000000000000000000000000000");
        double_calls_clear(t.world);
        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_SUCCESS, .was_up = true });
        cr_assert(strstr(double_calls(t.world), "(a.mount success ab000000000000000000000000000000)") != NULL);
}

/* The invocation is that of an earlier end. */
Test(flow, failure_that_no_start_precedes_has_a_run_of_its_own) {
        TRIGGERED(t, NULL, "a.mount");

        t.by->invocation_id[0] = 0xab;
        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_FAILURE });
        cr_assert(strstr(double_calls(t.world), "failure ab") == NULL, "%s", double_calls(t.world));
        double_calls_clear(t.world);
        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_FAILURE, .job = 5 });
        cr_assert(strstr(double_calls(t.world), "(a.mount failure job 5 ") != NULL, "%s", double_calls(t.world));
        cr_assert(strstr(double_calls(t.world), "MONITOR_INVOCATION_ID") == NULL);
}

Test(flow, trigger_gives_way_to_a_stop) {
        TRIGGERED(t, NULL, "a.path");

        t.world->will_stop = true;
        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_EVENT });
        assert_string(double_calls(t.world), "");
}

Test(flow, service_tells_how_it_has_ended) {
        TRIGGERED(t, &service_vtable, "a.service");
        Service *service = service_of(t.by);

        service->result = SERVICE_RESULT_SIGNAL;
        service->exec_main.exit.monotonic = 1;
        service->exec_main.code = CLD_KILLED;
        service->exec_main.status = SIGTERM;
        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_FAILURE, .was_up = true });
        cr_assert(strstr(double_calls(t.world),
                         "MONITOR_UNIT=a.service, MONITOR_SERVICE_RESULT=signal, MONITOR_EXIT_CODE=killed, "
                         "MONITOR_EXIT_STATUS=TERM") != NULL,
                  "%s", double_calls(t.world));
        double_calls_clear(t.world);
        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_FAILURE, .job = 5 });
        cr_assert(strstr(double_calls(t.world), "MONITOR_SERVICE_RESULT") == NULL);
}

Test(flow, run_of_another_flow_has_a_run_for_each_of_its_rounds) {
        TRIGGERED(t, NULL, "y.flow");

        tell(&t, (UnitTrigger) { .kind = UNIT_TRIGGER_FAILURE, .run = 7, .round = 2 });
        assert_string(double_calls(t.world),
                      "submit x.flow for y.flow (y.flow failure run 7 2), MONITOR_UNIT=y.flow, MONITOR_RUN=7");
}
