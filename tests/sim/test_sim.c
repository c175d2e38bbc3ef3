/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/text.h"
#include "sim/sim.h"

/* A folder with unit files, and a simulation of it. */
typedef struct Fixture {
        char folder[32];
        Sim *sim;
} Fixture;

static void fixture_write(Fixture *fixture, const char *name, const char *text) {
        cleanup_free_ char *path = NULL;
        FILE *file;

        cr_assert_eq(text_format(&path, "%s/%s", fixture->folder, name), 0);
        file = fopen(path, "we");
        cr_assert(file);
        cr_assert_geq(fputs(text, file), 0);
        cr_assert_eq(fclose(file), 0);
}

static void fixture_init(Fixture *fixture, bool is_auto) {
        SimOptions options = {
                .no_default_dependencies = true,
                .is_auto = is_auto,
                .is_quiet = true,
                .remembers_events = true,
                .output = stdout,
        };

        *fixture = (Fixture) { .folder = "/tmp/test-sim-XXXXXX" };
        cr_assert(mkdtemp(fixture->folder));
        fixture_write(fixture, "a.service", "[Service]\nExecStart=true\n");
        fixture_write(fixture, "r.service", "[Service]\nExecStart=true\nExecReload=true\n");
        fixture_write(fixture, "limited.service", "[Unit]\nJobRunningTimeoutSec=10\n[Service]\nExecStart=true\n");
        fixture_write(fixture, "timed.service", "[Service]\nExecStart=true\nTimeoutStartSec=5\nTimeoutStopSec=3\n");
        fixture_write(fixture, "once.service", "[Service]\nType=oneshot\nExecStart=true\n");
        options.unit_path = fixture->folder;
        cr_assert_eq(sim_new(&fixture->sim, &options), 0);
}

static void fixture_deinit(Fixture *fixture) {
        static const char *const names[] = { "a.service", "r.service", "limited.service", "timed.service", "once.service",
                                            "new.service" };

        sim_free(fixture->sim);
        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                cleanup_free_ char *path = NULL;

                cr_assert_eq(text_format(&path, "%s/%s", fixture->folder, names[i]), 0);
                (void) unlink(path);
        }
        (void) rmdir(fixture->folder);
}

/* All lines up to a NULL must succeed. */
static void execute_all(Fixture *fixture, const char *const *lines) {
        for (; *lines; lines++) {
                cleanup_(failure_deinit) Failure failure = {};
                int r = sim_execute_line(fixture->sim, *lines, &failure);

                cr_assert_eq(r, 0, "%s: %d, %s", *lines, r, failure_message(&failure));
        }
}

#define EXECUTE(is_auto, ...)                                                            \
        do {                                                                             \
                cleanup_(fixture_deinit) Fixture fixture;                                \
                fixture_init(&fixture, is_auto);                                         \
                execute_all(&fixture, (const char *const []) { __VA_ARGS__, NULL });     \
        } while (0)

Test(sim, manual_operations_wait_for_a_state) {
        EXECUTE(false,
                "exec replace start:a.service",
                "expect {\"ev\":\"exec\",\"ok\":true,\"transaction\":1,\"jobs\":[{\"id\":1}]}",
                "expect-event {\"ev\":\"job-new\",\"id\":1,\"unit\":\"a.service\",\"type\":\"start\"}",
                "run",
                "expect {\"ev\":\"trigger\",\"job\":1,\"unit\":\"a.service\",\"run\":\"start\"}",
                "jobs",
                "expect {\"jobs\":[{\"id\":1,\"state\":\"running\"}]}",
                "state a.service active",
                "expect-event {\"ev\":\"unit\",\"unit\":\"a.service\",\"from\":\"inactive\",\"to\":\"active\"}",
                "expect {\"ev\":\"job-removed\",\"id\":1,\"unit\":\"a.service\",\"type\":\"start\",\"result\":\"done\"}",
                "jobs",
                "expect {\"ev\":\"jobs\",\"jobs\":[]}");
}

Test(sim, auto_operations_succeed_and_all_runs) {
        EXECUTE(true,
                "exec replace start:r.service",
                "expect {\"ev\":\"exec\"}",
                "exec replace reload:r.service restart:a.service",
                "expect-event {\"ev\":\"trigger\",\"run\":\"reload\"}",
                "jobs",
                "expect {\"jobs\":[]}",
                "units r.service",
                "expect {\"units\":[{\"unit\":\"r.service\",\"state\":\"active\",\"load\":\"loaded\"}]}");
}

Test(sim, set_tells_nobody) {
        EXECUTE(false,
                "exec replace start:a.service",
                "set a.service active",
                "expect-no-event {\"ev\":\"unit\"}",
                "jobs",
                "expect {\"jobs\":[{\"id\":1,\"state\":\"waiting\"}]}");
}

/* Checks the result of a start with a scripted outcome, in a manual simulation. */
static void check_start(const char *outcome, const char *result) {
        cleanup_free_ char *scripted = NULL, *expected = NULL;

        cr_assert_eq(text_format(&scripted, "result a.service start %s", outcome), 0);
        cr_assert_eq(text_format(&expected, "expect-event {\"ev\":\"job-removed\",\"id\":1,\"result\":\"%s\"}", result), 0);
        EXECUTE(false, scripted, "exec replace start:a.service", "run", expected);
}

Test(sim, outcomes_end_a_start) {
        check_start("done", "done");
        check_start("fail", "failed");
        check_start("skip", "done");
        check_start("assert", "assert");
        check_start("unsupported", "unsupported");
}

Test(sim, an_outcome_holds_for_one_operation) {
        EXECUTE(false,
                "result a.service start fail",
                "exec replace start:a.service",
                "run",
                "expect-event {\"ev\":\"unit\",\"to\":\"failed\"}",
                "exec replace start:a.service",
                "run",
                "expect {\"ev\":\"trigger\"}",
                "jobs",
                "expect {\"jobs\":[{\"state\":\"running\"}]}");
}

Test(sim, what_hangs_hangs_with_auto_too) {
        EXECUTE(true,
                "result a.service start hang",
                "exec replace start:a.service",
                "jobs",
                "expect {\"jobs\":[{\"state\":\"running\"}]}",
                "advance 1min",
                "jobs",
                "expect {\"jobs\":[{\"state\":\"running\"}]}");
}

Test(sim, what_hangs_ends_with_the_time_limit_of_its_unit) {
        EXECUTE(true,
                "result timed.service start hang",
                "exec start:timed.service",
                "advance 4s",
                "expect-no-event {\"ev\":\"unit\"}",
                "advance 1s",
                "expect-event {\"ev\":\"job-removed\",\"unit\":\"timed.service\",\"result\":\"failed\"}",
                "expect-state timed.service failed",
                "why timed.service",
                "expect-event {\"end\":\"the start timed out after 5s\"}");
        EXECUTE(true,
                "exec start:timed.service",
                "result timed.service stop hang",
                "exec stop:timed.service",
                "advance 3s",
                "expect-state timed.service failed");
        EXECUTE(true,
                "set r.service active",
                "result r.service reload hang",
                "exec reload:r.service",
                "advance 90s",
                "expect-event {\"ev\":\"job-removed\",\"unit\":\"r.service\",\"result\":\"failed\"}",
                "expect-state r.service active");
}

Test(sim, what_hangs_without_a_limit_hangs_for_ever) {
        EXECUTE(true,
                "result once.service start hang",
                "exec start:once.service",
                "advance 1d",
                "jobs",
                "expect {\"jobs\":[{\"state\":\"running\"}]}");
}

Test(sim, time_limit_ends_with_the_operation) {
        EXECUTE(true,
                "result timed.service start hang",
                "exec start:timed.service",
                "advance 1s",
                "state timed.service active",
                "advance 1h",
                "expect-state timed.service active");
}

Test(sim, order_of_what_begins_can_be_expected) {
        EXECUTE(true,
                "relate a.service After=r.service Requires=r.service",
                "exec start:a.service",
                "expect-order r.service a.service",
                "expect-order start:r.service start:a.service");
}

Test(sim, again_waits_until_it_is_ready) {
        EXECUTE(false,
                "result a.service start again",
                "exec replace start:a.service",
                "run",
                "jobs",
                "expect {\"jobs\":[{\"id\":1,\"state\":\"waiting\"}]}",
                "run",
                "expect-no-event {\"ev\":\"trigger\"}",
                "ready a.service",
                "run",
                "expect {\"ev\":\"trigger\",\"job\":1}");
}

Test(sim, failing_stops_and_reloads_leave_the_unit_active) {
        EXECUTE(false,
                "set r.service active",
                "result r.service stop fail",
                "exec replace stop:r.service",
                "run",
                "expect-event {\"ev\":\"job-removed\",\"id\":1,\"result\":\"failed\"}",
                "result r.service reload fail",
                "exec replace reload:r.service",
                "run",
                "expect-event {\"ev\":\"job-removed\",\"id\":2,\"result\":\"failed\"}",
                "units r.service",
                "expect {\"units\":[{\"state\":\"active\"}]}");
}

Test(sim, only_services_with_a_command_can_reload) {
        EXECUTE(false,
                "set a.service active",
                "exec replace reload:a.service",
                "expect {\"ok\":false,\"error\":\"JobTypeNotApplicable\"}",
                "exec replace reload-or-restart:a.service",
                "expect {\"ok\":true,\"jobs\":[{\"type\":\"restart\"}]}",
                "set r.service active",
                "exec replace reload-or-restart:r.service",
                "expect {\"ok\":true,\"jobs\":[{\"type\":\"reload\"}]}");
}

Test(sim, time_passes_only_by_advance) {
        EXECUTE(false,
                "exec replace start:limited.service",
                "run",
                "advance 9s 999ms",
                "expect-no-event {\"ev\":\"job-removed\"}",
                "advance 1ms",
                "expect {\"ev\":\"job-removed\",\"id\":1,\"result\":\"timeout\"}");
}

Test(sim, cancel_answers) {
        EXECUTE(false,
                "exec replace start:a.service",
                "cancel 1",
                "expect {\"ev\":\"cancel\",\"ok\":true}",
                "expect-event {\"ev\":\"job-removed\",\"id\":1,\"result\":\"canceled\"}",
                "cancel 1",
                "expect {\"ev\":\"cancel\",\"ok\":false,\"error\":\"NoSuchJob\"}",
                "exec replace start:a.service",
                "run",
                "cancel 2",
                "expect {\"ev\":\"cancel\",\"ok\":false,\"error\":\"JobNotCancelable\"}",
                "detach 2",
                "expect {\"ev\":\"detach\",\"ok\":true}",
                "expect-event {\"ev\":\"job-removed\",\"id\":2,\"result\":\"canceled\"}",
                "detach 2",
                "expect {\"ev\":\"detach\",\"ok\":false,\"error\":\"NoSuchJob\"}");
}

Test(sim, a_plan_changes_nothing) {
        EXECUTE(false,
                "plan replace start:a.service",
                "expect {\"ev\":\"plan\",\"ok\":true,\"jobs\":[{\"unit\":\"a.service\",\"type\":\"start\",\"anchor\":true}]}",
                "expect-no-event {\"ev\":\"job-new\"}",
                "jobs",
                "expect {\"jobs\":[]}",
                "exec replace start:a.service",
                "expect {\"jobs\":[{\"id\":1}]}");
}

Test(sim, jobs_are_filtered) {
        EXECUTE(false,
                "exec replace start:a.service start:r.service",
                "jobs r.*",
                "expect {\"jobs\":[{\"id\":2}]}",
                "jobs unit=a.service type=start state=waiting",
                "expect {\"jobs\":[{\"id\":1}]}",
                "jobs type=stop",
                "expect {\"jobs\":[]}");
}

Test(sim, why_answers_or_says_that_it_knows_nothing) {
        EXECUTE(false,
                "exec replace start:a.service",
                "why 1",
                "expect {\"ev\":\"why\",\"kind\":\"waiting\",\"id\":1,\"unit\":\"a.service\"}",
                "why 99",
                "expect {\"ev\":\"why\",\"ok\":false,\"error\":\"NoSuchJob\"}",
                "stats",
                "expect {\"ev\":\"stats\"}");
}

Test(sim, unknown_units_are_refused_not_errors) {
        EXECUTE(false,
                "exec replace start:none.service",
                "expect {\"ev\":\"exec\",\"ok\":false,\"error\":\"NoSuchUnit\"}");
}

Test(sim, reload_reads_files_again) {
        cleanup_(fixture_deinit) Fixture fixture;

        fixture_init(&fixture, false);
        execute_all(&fixture, (const char *const []) {
                "exec replace start:new.service",
                "expect {\"ok\":false,\"error\":\"NoSuchUnit\"}",
                NULL,
        });
        fixture_write(&fixture, "new.service", "[Unit]\nAfter=a.service\n[Service]\nExecStart=true\n");
        execute_all(&fixture, (const char *const []) {
                "reload",
                "expect {\"ev\":\"reload\",\"ok\":true}",
                "exec replace start:new.service start:a.service",
                "expect {\"ok\":true}",
                "run",
                "expect-event {\"ev\":\"trigger\",\"unit\":\"a.service\"}",
                "expect-no-event {\"ev\":\"trigger\",\"unit\":\"new.service\"}",
                NULL,
        });
}

Test(sim, relations_and_the_engine_may_be_others_from_one_line_to_the_next) {
        EXECUTE(false,
                "exec replace start:a.service start:r.service",
                "relate a.service After=r.service PropagatesReloadTo=r.service",
                "restart",
                "run",
                "expect-event {\"ev\":\"trigger\",\"job\":2}",
                "expect-no-event {\"ev\":\"trigger\",\"job\":1}",
                "state r.service active",
                "relate a.service",
                "relate a.service PropagatesReloadTo=r.service",
                "reloaded a.service",
                "expect-event {\"ev\":\"job-new\",\"id\":3,\"unit\":\"r.service\",\"type\":\"reload\"}");
}

Test(sim, bad_relations_are_errors_of_the_script) {
        static const char *const lines[] = { "relate a.service After", "relate a.service Foo=r.service",
                                             "relate a.service After=r", "relate a After=r.service" };
        cleanup_(fixture_deinit) Fixture fixture;

        fixture_init(&fixture, false);
        for (size_t i = 0; i < ELEMENTSOF(lines); i++) {
                cleanup_(failure_deinit) Failure failure = {};

                cr_assert_eq(sim_execute_line(fixture.sim, lines[i], &failure), -EINVAL, "%s", lines[i]);
        }
}

Test(sim, quit_and_failed_expectations_are_outcomes) {
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_(fixture_deinit) Fixture fixture;

        fixture_init(&fixture, false);
        cr_assert_eq(sim_execute_line(fixture.sim, "quit", &failure), SIM_E_QUIT);
        cr_assert_eq(sim_execute_line(fixture.sim, "jobs", &failure), SIM_E_SUCCESS);
        cr_assert_eq(sim_execute_line(fixture.sim, "expect {\"jobs\":[{}]}", &failure), SIM_E_UNEXPECTED);
        cr_assert(strstr(failure_message(&failure), "different at jobs"));
        cr_assert_eq(sim_execute_line(fixture.sim, "bogus", &failure), -EINVAL);
}
