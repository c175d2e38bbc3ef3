/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Readiness and liveness probes
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "service_world.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START
#define READY SERVICE_EXEC_READINESS
#define ALIVE SERVICE_EXEC_LIVENESS

static void start_probed(World *world, ServiceExec kind) {
        world_command(world, START, "/bin/a");
        world_command(world, kind, "/bin/look");
        world_start(world);
}

/* A probe begins, and ends with @status. */
static void probe(World *world, usec_t after, int status) {
        world_advance(world, after);
        cr_assert(text_ends_with(world_calls(world), "run /bin/look"), "%s", world_calls(world));
        world_exit(world, world->probe, status);
}

Test(service_probe, ready_when_the_probe_succeeds) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_START_POST, "/bin/post");
        start_probed(world, READY);
        assert_string(world_states(world), "start");
        probe(world, 0, 1);
        assert_string(world_states(world), "start");
        probe(world, USEC_PER_SEC, 0);
        assert_string(world_states(world), "start start-post");
        assert_string(world_calls(world), "run /bin/a, run /bin/look, run /bin/look, run /bin/post");
}

Test(service_probe, so_many_successes_in_a_row) {
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->probes[SERVICE_PROBE_READINESS].threshold = 2;
        world_rare(world)->probes[SERVICE_PROBE_READINESS].interval = 3 * USEC_PER_SEC;
        world_rare(world)->probes[SERVICE_PROBE_READINESS].start_period = 5 * USEC_PER_SEC;
        start_probed(world, READY);
        world_advance(world, 4 * USEC_PER_SEC);
        assert_string(world_calls(world), "run /bin/a");
        probe(world, USEC_PER_SEC, 0);
        probe(world, 3 * USEC_PER_SEC, 1);
        probe(world, 3 * USEC_PER_SEC, 0);
        assert_string(world_states(world), "start");
        probe(world, 3 * USEC_PER_SEC, 0);
        assert_string(world_states(world), "start running");
}

/* After READY=1, which alone is not enough. */
Test(service_probe, comes_after_what_the_type_waits_for) {
        WORLD(SERVICE_NOTIFY);

        start_probed(world, READY);
        world_advance(world, 10 * USEC_PER_SEC);
        assert_string(world_calls(world), "run /bin/a");
        world_notify(world, world_main(world), "READY=1");
        assert_string(world_states(world), "start");
        probe(world, 0, 0);
        assert_string(world_states(world), "start running");
}

Test(service_probe, start_limit_ends_it_and_says_why) {
        WORLD(SERVICE_SIMPLE);

        world->settings->timeout_start = 10 * USEC_PER_SEC;
        start_probed(world, READY);
        probe(world, 0, 7);
        world_clear(world);
        world_advance(world, 10 * USEC_PER_SEC);
        assert_string(world_states(world), "stop-sigterm");
        cr_assert(strstr(world_property(world, "FailureReason"), "its readiness probe says: ") != NULL, "%s",
                  world_property(world, "FailureReason"));
        assert_string(world_property(world, "Result"), "timeout");
}

Test(service_probe, one_that_hangs_is_killed_and_has_failed) {
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->probes[SERVICE_PROBE_READINESS].timeout = 2 * USEC_PER_SEC;
        start_probed(world, READY);
        world_advance(world, 2 * USEC_PER_SEC);
        assert_string(world_calls(world), "run /bin/a, run /bin/look, KILL probe group, unwatch, run /bin/look");
        world_exit(world, world->probe, 0);
        assert_string(world_states(world), "start running");
}

Test(service_probe, main_process_that_ends_before_is_no_success) {
        WORLD(SERVICE_SIMPLE);

        start_probed(world, READY);
        world_advance(world, 0);
        world_exit(world, world_main(world), 0);
        assert_string(world_property(world, "Result"), "protocol");
        assert_string(world_states(world), "start failed");
        assert_string(world_property(world, "FailureReason"),
                      "main process ended before its readiness probe succeeded");
}

Test(service_probe, stop_takes_it_back) {
        WORLD(SERVICE_SIMPLE);

        start_probed(world, READY);
        world_advance(world, 0);
        world_clear(world);
        world_stop(world);
        cr_assert(strstr(world_calls(world), "KILL probe group, unwatch") != NULL, "%s", world_calls(world));
        world_die(world, world_main(world), SIGTERM, false);
        world_clear(world);
        world_advance(world, 60 * USEC_PER_SEC);
        assert_string(world_calls(world), "");
}

Test(service_probe, failures_of_liveness_are_a_failure_of_the_service) {
        WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ON_FAILURE;
        start_probed(world, ALIVE);
        assert_string(world_states(world), "start running");
        probe(world, 10 * USEC_PER_SEC, 1);
        probe(world, 10 * USEC_PER_SEC, 1);
        probe(world, 10 * USEC_PER_SEC, 0);
        probe(world, 10 * USEC_PER_SEC, 1);
        probe(world, 10 * USEC_PER_SEC, 1);
        assert_string(world_states(world), "start running");
        probe(world, 10 * USEC_PER_SEC, 1);
        assert_string(world_states(world), "start running stop-sigterm");
        assert_string(world_property(world, "Result"), "liveness");
        assert_string(world_property(world, "FailureReason"),
                      "liveness probe has failed 3 times in a row (LivenessExec: /bin/look): exited with status 1");
        world_die(world, world_main(world), SIGTERM, false);
        assert_string(world_states(world), "start running stop-sigterm failed auto-restart");
}

Test(service_probe, liveness_begins_anew_with_each_start) {
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->probes[SERVICE_PROBE_LIVENESS].threshold = 2;
        start_probed(world, ALIVE);
        probe(world, 10 * USEC_PER_SEC, 1);
        world_stop(world);
        world_die(world, world_main(world), SIGTERM, false);
        world_start(world);
        probe(world, 10 * USEC_PER_SEC, 1);
        assert_string(world_property(world, "Result"), "success");
        probe(world, 10 * USEC_PER_SEC, 1);
        assert_string(world_property(world, "Result"), "liveness");
}

Test(service_probe, one_that_cannot_run_has_failed) {
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->probes[SERVICE_PROBE_LIVENESS].threshold = 1;
        start_probed(world, ALIVE);
        world->fail_step = EXEC_STEP_EXEC;
        world_advance(world, 10 * USEC_PER_SEC);
        assert_string(world_property(world, "Result"), "liveness");
}

/* The exit status of the built-in prober is translated to words. */
Test(service_probe, answers_of_ports_are_told) {
        static const struct {
                int status;
                const char *text;
        } answers[] = {
                { ECONNREFUSED, "Connection refused" },
                { 245, "answered with an HTTP status of 5xx" },
                { 250, "its host's name has no address" },
                { 251, "the answer is no HTTP" },
        };

        for (size_t i = 0; i < ELEMENTSOF(answers); i++) {
                WORLD(SERVICE_SIMPLE);

                world_rare(world)->probes[SERVICE_PROBE_LIVENESS].threshold = 1;
                world_rare(world)->probes[SERVICE_PROBE_LIVENESS].target = strdup("TCP 127.0.0.1:80");
                start_probed(world, ALIVE);
                probe(world, 10 * USEC_PER_SEC, answers[i].status);
                cr_assert(strstr(world_property(world, "FailureReason"), answers[i].text) != NULL, "%s",
                          world_property(world, "FailureReason"));
                cr_assert(strstr(world_property(world, "FailureReason"), "(TCP 127.0.0.1:80)") != NULL);
        }
}

/* The unit files were reloaded meanwhile. */
Test(service_probe, one_that_is_not_wanted_any_more_ends) {
        static const ServiceExec kinds[] = { READY, ALIVE };

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                for (int runs = 0; runs < 2; runs++) {
                        ServiceProbe *probes;
                        WORLD(SERVICE_SIMPLE);

                        start_probed(world, kinds[i]);
                        if (runs)
                                world_advance(world, 10 * USEC_PER_SEC);
                        probes = world_rare(world)->probes;
                        for (size_t kind = 0; kind < _SERVICE_PROBE_KIND_MAX; kind++)
                                probes[kind].command = exec_command_free_all(probes[kind].command);
                        if (runs)
                                world_exit(world, world->probe, 1);
                        world_advance(world, 10 * USEC_PER_SEC);
                        assert_string(world_states(world), "start running");
                        world_clear(world);
                        world_advance(world, 60 * USEC_PER_SEC);
                        assert_string(world_calls(world), "");
                }
}

Test(service_probe, daemon_with_a_pid_file_is_probed_when_that_is_there) {
        WORLD(SERVICE_FORKING);

        world_command(world, START, "/bin/a");
        world_command(world, READY, "/bin/look");
        world->settings->guess_main_pid = false;
        world->rest = 1;
        world_start(world);
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "start");
        probe(world, 0, 0);
        assert_string(world_states(world), "start running");
}
