/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stops and reloads: from each state, by each KillMode, within the limits
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "basic/macro.h"
#include "service_world.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START

static void run(World *world) {
        world_command(world, START, "/bin/a");
        world_start(world);
        world_clear(world);
}

static const struct {
        KillMode mode;
        bool sighup;
        const char *first;              /* what is sent at once */
        const char *second;             /* after the limit */
} kill_modes[] = {
        { KILL_MODE_CONTROL_GROUP, false, "TERM main group, TERM rest, CONT main group, CONT rest",
          "KILL main group, KILL rest" },
        { KILL_MODE_CONTROL_GROUP, true,
          "TERM main group, TERM rest, HUP main group, HUP rest, CONT main group, CONT rest",
          "KILL main group, KILL rest" },
        { KILL_MODE_MIXED, false, "TERM main, CONT main", "KILL main group, KILL rest" },
        { KILL_MODE_PROCESS, false, "TERM main, CONT main", "KILL main" },
};

Test(service_stop, kill_modes) {
        for (size_t i = 0; i < ELEMENTSOF(kill_modes); i++) {
                WORLD(SERVICE_SIMPLE);

                world->settings->kill.mode = kill_modes[i].mode;
                world->settings->kill.send_sighup = kill_modes[i].sighup;
                run(world);
                world->rest = 1;
                world_stop(world);
                assert_string(world_calls(world), kill_modes[i].first);
                assert_string(world_states(world), "stop-sigterm");
                world_clear(world);
                world_advance(world, 90 * USEC_PER_SEC);
                assert_string(world_calls(world), kill_modes[i].second);
                assert_string(world_states(world), "stop-sigkill");
                world->rest = 0;
                world_die(world, world_main(world), SIGKILL, false);
                assert_string(world_states(world), "stop-sigkill failed");
                assert_string(world_property(world, "Result"), "timeout");
        }
}

Test(service_stop, kill_mode_none_signals_nobody) {
        WORLD(SERVICE_SIMPLE);

        world->settings->kill.mode = KILL_MODE_NONE;
        run(world);
        world_stop(world);
        assert_string(world_states(world), "dead");
        assert_string(world_calls(world), "unwatch");
}

Test(service_stop, signals_are_as_set) {
        WORLD(SERVICE_SIMPLE);

        world->settings->kill.signal = SIGINT;
        world->settings->kill.final_signal = SIGQUIT;
        run(world);
        world_stop(world);
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_calls(world), "INT main group, CONT main group, QUIT main group");
}

Test(service_stop, without_sigkill_it_is_given_up) {
        WORLD(SERVICE_SIMPLE);

        world->settings->kill.send_sigkill = false;
        run(world);
        world_stop(world);
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_states(world), "stop-sigterm final-sigterm");
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_states(world), "stop-sigterm final-sigterm failed");
}

Test(service_stop, even_a_process_that_cannot_be_killed_ends_it) {
        WORLD(SERVICE_SIMPLE);

        run(world);
        world_stop(world);
        world_advance(world, 500 * USEC_PER_SEC);
        assert_string(world_states(world), "stop-sigterm stop-sigkill final-sigterm final-sigkill failed");
        assert_string(world_property(world, "Result"), "timeout");
        cr_assert(eq(int, world_main(world), 0));
}

Test(service_stop, leftovers_are_waited_for) {
        WORLD(SERVICE_SIMPLE);

        run(world);
        world->rest = 3;
        world_exit(world, world_main(world), 0);
        assert_string(world_states(world), "stop-sigterm");
        world_advance(world, USEC_PER_SEC);
        assert_string(world_states(world), "stop-sigterm");
        world->rest = 0;
        world_advance(world, USEC_PER_SEC);
        assert_string(world_states(world), "stop-sigterm dead");
}

Test(service_stop, leftovers_that_stay_are_killed) {
        WORLD(SERVICE_ONESHOT);

        run(world);
        world->rest = 1;
        world_exit(world, world_main(world), 0);
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_calls(world), "TERM rest, CONT rest, KILL rest");
        world->rest = 0;
        world_advance(world, USEC_PER_SEC);
        assert_string(world_states(world), "stop-sigterm stop-sigkill failed");
}

Test(service_stop, stop_commands_know_how_it_ended) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_STOP, "/bin/stop $MAINPID");
        world_command(world, SERVICE_EXEC_STOP_POST, "/bin/post");
        run(world);
        world_stop(world);
        cr_assert(strstr(world->environment.string, "MAINPID=5000001\n") != NULL);
        cr_assert(strstr(world->environment.string, "SERVICE_RESULT=success\n") != NULL);
        cr_assert(strstr(world->environment.string, "EXIT_CODE=") == NULL);
        world_die(world, world_main(world), SIGKILL, false);
        assert_string(world_states(world), "stop");
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "stop stop-post");
        cr_assert(strstr(world->environment.string, "MAINPID=") == NULL);
        cr_assert(strstr(world->environment.string,
                         "SERVICE_RESULT=signal\nEXIT_CODE=killed\nEXIT_STATUS=KILL\n") != NULL);
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "stop stop-post failed");
}

Test(service_stop, several_stop_commands_run_in_order) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_STOP, "/bin/stop1");
        world_command(world, SERVICE_EXEC_STOP, "/bin/stop2");
        run(world);
        world_stop(world);
        world_exit(world, world_control(world), 0);
        world_exit(world, world_control(world), 0);
        assert_string(world_calls(world), "run /bin/stop1, run /bin/stop2, TERM main group, CONT main group");
        world_exit(world, world_main(world), 0);
        assert_string(world_states(world), "stop stop-sigterm dead");
}

Test(service_stop, stop_command_that_hangs_or_fails) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_STOP, "/bin/stop");
        run(world);
        world_stop(world);
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_states(world), "stop stop-sigterm");
        assert_string(world_calls(world),
                      "run /bin/stop, TERM main group, TERM control group, CONT main group, CONT control group");
        world_die(world, world_control(world), SIGTERM, false);
        world_exit(world, world_main(world), 0);
        assert_string(world_property(world, "Result"), "timeout");
        assert_string(world_property(world, "FailureReason"), "stop timed out after 1min 30s");
}

Test(service_stop, stop_post_that_hangs) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_STOP_POST, "/bin/post");
        run(world);
        world_exit(world, world_main(world), 0);
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_states(world), "stop-post final-sigterm");
        world_die(world, world_control(world), SIGTERM, false);
        assert_string(world_states(world), "stop-post final-sigterm failed");
}

Test(service_stop, crash_runs_no_stop_command) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_STOP, "/bin/stop");
        run(world);
        world_die(world, world_main(world), SIGSEGV, true);
        assert_string(world_states(world), "failed");
        assert_string(world_property(world, "Result"), "core-dump");
        assert_string(world_property(world, "FailureReason"), "main process was killed by SIGSEGV and dumped core");
}

Test(service_stop, clean_end_runs_the_stop_command) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_STOP, "/bin/stop");
        run(world);
        world_exit(world, world_main(world), 0);
        assert_string(world_states(world), "stop");
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "stop dead");
}

Test(service_stop, during_each_step_of_the_start) {
        static const struct {
                ServiceExec kind;
                const char *states;
        } table[] = {
                { SERVICE_EXEC_CONDITION, "condition stop-sigterm dead" },
                { SERVICE_EXEC_START_PRE, "start-pre stop-sigterm dead" },
                { SERVICE_EXEC_START_POST, "start start-post stop-sigterm dead" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                WORLD(SERVICE_SIMPLE);

                world_command(world, START, "/bin/a");
                world_command(world, table[i].kind, "/bin/b");
                world_start(world);
                world_stop(world);
                world_die(world, world_control(world), SIGTERM, false);
                if (world_main(world) > 0)
                        world_die(world, world_main(world), SIGTERM, false);
                assert_string(world_states(world), table[i].states);
        }
}

Test(service_stop, in_the_turn_of_the_start_nothing_is_run) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, START, "/bin/a");
        unit_start(world->unit);
        unit_stop(world->unit);
        world_flush(world);
        assert_string(world_calls(world), "");
        assert_string(world_states(world), "start dead");

        unit_start(world->unit);
        unit_stop(world->unit);
        unit_start(world->unit);
        world_flush(world);
        assert_string(world_calls(world), "run /bin/a");
        cr_assert(eq(int, world->active, UNIT_ACTIVE));
}

Test(service_stop, reload_runs_its_commands) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_RELOAD, "/bin/reload1");
        world_command(world, SERVICE_EXEC_RELOAD, "/bin/reload2");
        run(world);
        cr_assert(eq(int, world_reload(world), UNIT_UNDER_WAY));
        cr_assert(eq(int, world->active, UNIT_RELOADING));
        cr_assert(eq(int, world_reload(world), UNIT_NOT_NOW));
        world_exit(world, world_control(world), 0);
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "reload running");
        assert_string(world_calls(world), "run /bin/reload1, run /bin/reload2");
        cr_assert(not(world->flags & UNIT_CHANGE_RELOAD_FAILED));
}

Test(service_stop, failed_reload_leaves_it_running) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_RELOAD, "/bin/reload");
        run(world);
        world_reload(world);
        world_exit(world, world_control(world), 1);
        assert_string(world_states(world), "reload running");
        cr_assert(world->flags & UNIT_CHANGE_RELOAD_FAILED);
        assert_string(world_property(world, "ReloadResult"), "exit-code");
        assert_string(world_property(world, "Result"), "success");
        assert_string(world_property(world, "FailureReason"), "ExecReload exited with status 1");

        world_reload(world);
        assert_string(world_property(world, "FailureReason"), "");
        world_exit(world, world_control(world), 1);
        world_exit(world, world_main(world), 3);
        assert_string(world_property(world, "FailureReason"), "main process exited with status 3");
}

Test(service_stop, reload_that_hangs_is_killed) {
        WORLD(SERVICE_SIMPLE);
        pid_t control;

        world_command(world, SERVICE_EXEC_RELOAD, "/bin/reload");
        run(world);
        world_reload(world);
        control = world_control(world);
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_calls(world), "run /bin/reload, KILL control group, unwatch");
        assert_string(world_states(world), "reload running");
        assert_string(world_property(world, "ReloadResult"), "timeout");
        assert_string(world_property(world, "FailureReason"), "reload timed out after 1min 30s");
        world_die(world, control, SIGKILL, false);
        assert_string(world_states(world), "reload running");
}

Test(service_stop, stop_of_a_reload_signals_both) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_RELOAD, "/bin/reload");
        run(world);
        world_reload(world);
        world_clear(world);
        world_stop(world);
        assert_string(world_calls(world), "TERM main group, TERM control group, CONT main group, CONT control group");
        world_die(world, world_main(world), SIGTERM, false);
        assert_string(world_states(world), "stop-sigterm");
        world_die(world, world_control(world), SIGTERM, false);
        assert_string(world_states(world), "stop-sigterm dead");
}

Test(service_stop, main_process_dies_during_a_reload) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_RELOAD, "/bin/reload");
        run(world);
        world_reload(world);
        world_exit(world, world_main(world), 1);
        assert_string(world_states(world), "reload");
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "reload failed");
        assert_string(world_property(world, "Result"), "exit-code");
        assert_string(world_property(world, "FailureReason"), "main process exited with status 1");
}

Test(service_stop, no_memory_for_a_limit_means_no_waiting) {
        WORLD(SERVICE_SIMPLE);

        run(world);
        world->timer_error = -ENOMEM;
        world_stop(world);
        assert_string(world_states(world), "stop-sigterm stop-sigkill final-sigterm final-sigkill failed");
        assert_string(world_property(world, "Result"), "resources");
}

Test(service_stop, kill_by_request) {
        cleanup_(failure_deinit) Failure failure = {};
        WORLD(SERVICE_SIMPLE);

        run(world);
        cr_assert(eq(int, service_vtable.kill(world->unit, "main", SIGUSR1, &failure), 0));
        assert_string(world_calls(world), "USR1 main");
        cr_assert(eq(int, service_vtable.kill(world->unit, "control", SIGUSR1, &failure), -ESRCH));
        assert_string(failure_message(&failure), "x.service has no control process to signal.");
        world_clear(world);
        world->rest = 1;
        cr_assert(eq(int, service_vtable.kill(world->unit, "all", SIGHUP, &failure), 0));
        assert_string(world_calls(world), "HUP main group, HUP rest");
        cr_assert(eq(int, service_vtable.kill(world->unit, "everybody", SIGHUP, &failure), -EINVAL));
        cr_assert(eq(int, service_vtable.kill(world->unit, "main", 1000, &failure), -EINVAL));
}
