/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How each type starts, lives and ends
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "basic/macro.h"
#include "service_world.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START

/* From a start to the end of its main process, without other commands. */
static const struct {
        ServiceType type;
        bool remain_after_exit;
        int code;                       /* 0: exit, else the signal */
        int status;
        const char *started;            /* the states after its start */
        const char *ended;              /* after the end of the process */
        const char *result;
} lives[] = {
        { SERVICE_SIMPLE, false, 0, 0, "start running", "dead", "success" },
        { SERVICE_SIMPLE, false, 0, 3, "start running", "failed", "exit-code" },
        { SERVICE_SIMPLE, false, SIGTERM, 0, "start running", "dead", "success" },
        { SERVICE_SIMPLE, false, SIGKILL, 0, "start running", "failed", "signal" },
        { SERVICE_SIMPLE, true, 0, 0, "start running", "exited", "success" },
        { SERVICE_SIMPLE, true, 0, 1, "start running", "failed", "exit-code" },
        { SERVICE_EXEC, false, 0, 0, "start running", "dead", "success" },
        { SERVICE_EXEC, false, SIGPIPE, 0, "start running", "dead", "success" },
        { SERVICE_EXEC, false, SIGUSR1, 0, "start running", "failed", "signal" },
        { SERVICE_ONESHOT, false, 0, 0, "start", "dead", "success" },
        { SERVICE_ONESHOT, false, 0, 1, "start", "failed", "exit-code" },
        { SERVICE_ONESHOT, false, SIGTERM, 0, "start", "failed", "signal" },
        { SERVICE_ONESHOT, true, 0, 0, "start", "exited", "success" },
        { SERVICE_ONESHOT, true, 0, 1, "start", "failed", "exit-code" },
        { SERVICE_NOTIFY, false, 0, 0, "start", "failed", "protocol" },
        { SERVICE_NOTIFY, false, 0, 1, "start", "failed", "exit-code" },
        { SERVICE_NOTIFY, false, SIGSEGV, 0, "start", "failed", "signal" },
};

Test(service_start, lives) {
        for (size_t i = 0; i < ELEMENTSOF(lives); i++) {
                WORLD(lives[i].type);

                world->settings->remain_after_exit = lives[i].remain_after_exit;
                world_command(world, START, "/bin/a");
                cr_assert(eq(int, world_start(world), UNIT_UNDER_WAY));
                cr_assert(strcmp(world_states(world), lives[i].started) == 0, "%zu: %s", i, world_states(world));
                world_clear(world);
                if (lives[i].code)
                        world_die(world, world_main(world), lives[i].code, false);
                else
                        world_exit(world, world_main(world), lives[i].status);
                cr_assert(strcmp(world_states(world), lives[i].ended) == 0, "%zu: %s", i, world_states(world));
                cr_assert(strcmp(world_property(world, "Result"), lives[i].result) == 0, "%zu", i);
        }
}

Test(service_start, notify_is_active_when_it_says_so) {
        WORLD(SERVICE_NOTIFY);

        world_command(world, START, "/bin/a");
        world_start(world);
        cr_assert(eq(int, world->active, UNIT_ACTIVATING));
        world_notify(world, world_main(world), "READY=1|STATUS=fine");
        cr_assert(eq(int, world->active, UNIT_ACTIVE));
        assert_string(world_property(world, "StatusText"), "fine");
        world_exit(world, world_main(world), 0);
        assert_string(world_states(world), "start running dead");
}

Test(service_start, commands_run_in_their_order) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_CONDITION, "/bin/condition");
        world_command(world, SERVICE_EXEC_START_PRE, "/bin/pre1");
        world_command(world, SERVICE_EXEC_START_PRE, "/bin/pre2");
        world_command(world, START, "/bin/a");
        world_command(world, SERVICE_EXEC_START_POST, "/bin/post");
        world_start(world);
        world_exit(world, world_control(world), 0);
        world_exit(world, world_control(world), 0);
        world_exit(world, world_control(world), 0);
        cr_assert(eq(int, world->active, UNIT_ACTIVATING));
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "condition start-pre start start-post running");
        assert_string(world_calls(world),
                      "run /bin/condition, run /bin/pre1, run /bin/pre2, run /bin/a, run /bin/post");
}

Test(service_start, oneshot_runs_its_commands_one_after_the_other) {
        WORLD(SERVICE_ONESHOT);

        world_command(world, START, "/bin/1");
        world_command(world, START, "-/bin/2");
        world_command(world, START, "/bin/3");
        world_start(world);
        world_exit(world, world_main(world), 0);
        world_exit(world, world_main(world), 1);
        assert_string(world_calls(world), "run /bin/1, run /bin/2, run /bin/3");
        world_exit(world, world_main(world), 0);
        assert_string(world_property(world, "Result"), "success");
        cr_assert(eq(int, world->active, UNIT_INACTIVE));
}

Test(service_start, oneshot_stops_at_the_first_failure) {
        WORLD(SERVICE_ONESHOT);

        world_command(world, START, "/bin/1");
        world_command(world, START, "/bin/2");
        world_start(world);
        world_exit(world, world_main(world), 7);
        assert_string(world_calls(world), "run /bin/1");
        assert_string(world_states(world), "start failed");
        assert_string(world_property(world, "ExecMainStatus"), "7");
        assert_string(world_property(world, "FailureReason"), "main process exited with status 7");
}

Test(service_start, oneshot_without_a_command_is_active_at_once) {
        WORLD(SERVICE_ONESHOT);

        world->settings->remain_after_exit = true;
        world_command(world, SERVICE_EXEC_STOP, "/bin/stop");
        world_start(world);
        assert_string(world_states(world), "exited");
        world_stop(world);
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "exited stop dead");
}

Test(service_start, condition_skips_by_1_to_254) {
        static const struct {
                int status;
                const char *states;
                const char *result;
                UnitActiveState active;
        } table[] = {
                { 1, "condition dead", "exec-condition", UNIT_INACTIVE },
                { 254, "condition dead", "exec-condition", UNIT_INACTIVE },
                { 255, "condition failed", "exit-code", UNIT_FAILED },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                WORLD(SERVICE_SIMPLE);

                world->settings->restart = SERVICE_RESTART_NO;
                world_command(world, SERVICE_EXEC_CONDITION, "/bin/condition");
                world_command(world, START, "/bin/a");
                world_start(world);
                world_exit(world, world_control(world), table[i].status);
                assert_string(world_states(world), table[i].states);
                assert_string(world_property(world, "Result"), table[i].result);
                cr_assert(eq(int, world->active, table[i].active));
                cr_assert(eq(int, !!(world->flags & UNIT_CHANGE_SKIPPED), table[i].status < 255));
        }
}

Test(service_start, failed_start_pre_prevents_the_rest_but_stop_post) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_START_PRE, "/bin/pre");
        world_command(world, START, "/bin/a");
        world_command(world, SERVICE_EXEC_STOP, "/bin/stop");
        world_command(world, SERVICE_EXEC_STOP_POST, "/bin/post");
        world_start(world);
        world_exit(world, world_control(world), 2);
        assert_string(world_calls(world), "run /bin/pre, run /bin/post");
        assert_string(world_property(world, "FailureReason"), "ExecStartPre exited with status 2");
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "start-pre stop-post failed");
}

Test(service_start, failed_start_post_ends_the_main_process) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, START, "/bin/a");
        world_command(world, SERVICE_EXEC_START_POST, "/bin/post");
        world_start(world);
        world_exit(world, world_control(world), 2);
        assert_string(world_states(world), "start start-post stop-sigterm");
        world_die(world, world_main(world), SIGTERM, false);
        assert_string(world_states(world), "start start-post stop-sigterm failed");
        assert_string(world_property(world, "Result"), "exit-code");
}

/* A program that could not be executed fails the start of every type, and the failure names the step. */
Test(service_start, program_that_cannot_be_executed) {
        for (ServiceType type = 0; type < _SERVICE_TYPE_MAX; type++) {
                WORLD(type);

                world_command(world, START, "/bin/a");
                world->fail_step = EXEC_STEP_EXEC;
                world_start(world);
                assert_string(world_states(world), "start failed");
                assert_string(world_property(world, "Result"), "exit-code");
                if (type != SERVICE_FORKING)
                        assert_string(world_property(world, "ExecMainStatus"), "203");
                assert_string(world_property(world, "FailureReason"),
                              "ExecStart: program: cannot do it: No such file or directory");
        }
}

Test(service_start, forgiven_program_that_cannot_be_executed) {
        WORLD(SERVICE_ONESHOT);

        world_command(world, START, "-/bin/a");
        world_command(world, START, "/bin/b");
        world->fail_step = EXEC_STEP_EXEC;
        world_start(world);
        assert_string(world_calls(world), "run /bin/a, run /bin/b");
        world_exit(world, world_main(world), 0);
        assert_string(world_property(world, "Result"), "success");
        assert_string(world_property(world, "FailureReason"), "");
}

static const ServiceExec start_kinds[] = { SERVICE_EXEC_CONDITION, SERVICE_EXEC_START_PRE, SERVICE_EXEC_START };

Test(service_start, no_process_at_all_is_a_lack_of_resources) {
        for (size_t i = 0; i < ELEMENTSOF(start_kinds); i++) {
                WORLD(SERVICE_SIMPLE);

                if (start_kinds[i] != START)
                        world_command(world, start_kinds[i], "/bin/b");
                world_command(world, START, "/bin/a");
                world->fail_step = EXEC_STEP_RESOURCES;
                world_start(world);
                cr_assert(eq(int, world->active, UNIT_FAILED));
                assert_string(world_property(world, "Result"), "resources");
        }
}

Test(service_start, host_without_memory_is_a_lack_of_resources) {
        for (size_t i = 0; i < ELEMENTSOF(start_kinds); i++) {
                WORLD(SERVICE_SIMPLE);

                if (start_kinds[i] != START)
                        world_command(world, start_kinds[i], "/bin/b");
                world_command(world, START, "/bin/a");
                world->spawn_error = -ENOMEM;
                world_start(world);
                cr_assert(eq(int, world->active, UNIT_FAILED));
                assert_string(world_property(world, "Result"), "resources");
                cr_assert(strstr(world_property(world, "FailureReason"), "cannot be started: Cannot allocate") != NULL);
        }
}

Test(service_start, forking_that_leaves_nothing_ends) {
        WORLD(SERVICE_FORKING);

        world_command(world, START, "/bin/a");
        world_start(world);
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "start dead");
        assert_string(world_property(world, "Result"), "success");
}

Test(service_start, forking_that_leaves_nothing_stays_if_it_remains_after_exit) {
        WORLD(SERVICE_FORKING);

        world->settings->remain_after_exit = true;
        world_command(world, START, "/bin/a");
        world_start(world);
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "start exited");
}

Test(service_start, forking_without_a_pid_file_runs_with_an_unknown_main_process) {
        WORLD(SERVICE_FORKING);

        world->may_hide_rest = true;
        world_command(world, START, "/bin/a");
        world_start(world);
        assert_string(world_states(world), "start");
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "start running");
        assert_string(world_property(world, "MainPID"), "0");
        world_advance(world, USEC_PER_HOUR);
        assert_string(world_states(world), "start running");
        world_stop(world);
        assert_string(world_states(world), "start running dead");
}

Test(service_start, forking_with_processes_of_its_own_lasts_as_long_as_they) {
        WORLD(SERVICE_FORKING);

        world_command(world, START, "/bin/a");
        world_start(world);
        world->rest = 2;
        world_exit(world, world_control(world), 0);
        world_advance(world, USEC_PER_MINUTE);
        assert_string(world_states(world), "start running");
        world->rest = 0;
        world_advance(world, USEC_PER_MINUTE);
        assert_string(world_states(world), "start running dead");
        assert_string(world_property(world, "Result"), "success");
}

Test(service_start, forking_starter_that_fails) {
        WORLD(SERVICE_FORKING);

        world_command(world, START, "/bin/a");
        world_start(world);
        world_exit(world, world_control(world), 1);
        assert_string(world_states(world), "start failed");
        assert_string(world_property(world, "Result"), "exit-code");
}

Test(service_start, forking_waits_for_its_pid_file_until_the_limit) {
        WORLD(SERVICE_FORKING);

        world->settings->pid_file = strdup("/no/such/folder/pid");
        world_command(world, START, "/bin/a");
        world_start(world);
        world_exit(world, world_control(world), 0);
        world_advance(world, 89 * USEC_PER_SEC);
        assert_string(world_states(world), "start");
        world_advance(world, USEC_PER_SEC);
        assert_string(world_states(world), "start failed");
        assert_string(world_property(world, "Result"), "timeout");
}

Test(service_start, process_that_comes_after_the_wish_was_taken_back_is_killed) {
        const ExecResult result = {};
        WORLD(SERVICE_ONESHOT);

        world_command(world, START, "/bin/a");
        cr_assert(eq(int, service_vtable.start(world->unit), UNIT_UNDER_WAY));
        cr_assert(eq(int, service_vtable.stop(world->unit), UNIT_UNDER_WAY));
        service_vtable.spawned(world->unit, UNIT_PURPOSE_MAIN, FIRST_PID, &result);
        assert_string(world_calls(world), "KILL stranger group");
        cr_assert(eq(int, world_main(world), 0));
        cr_assert(eq(int, world->active, UNIT_INACTIVE));
}

Test(service_start, each_start_has_an_invocation_of_its_own) {
        uint8_t first[16], none[16] = {};
        WORLD(SERVICE_SIMPLE);

        world_command(world, START, "/bin/a");
        world_start(world);
        memcpy(first, world->unit->invocation_id, sizeof(first));
        cr_assert(memcmp(first, none, sizeof(first)) != 0);
        cr_assert(strncmp(world->environment.string, "INVOCATION_ID=", 14) == 0);
        world_exit(world, world_main(world), 0);
        world_start(world);
        cr_assert(memcmp(first, world->unit->invocation_id, sizeof(first)) != 0);
}

Test(service_start, answers_of_each_state) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, START, "/bin/a");
        world_command(world, SERVICE_EXEC_START_PRE, "/bin/pre");
        cr_assert(eq(int, world_stop(world), UNIT_ALREADY));
        cr_assert(eq(int, world_start(world), UNIT_UNDER_WAY));
        cr_assert(eq(int, world_start(world), UNIT_UNDER_WAY));
        cr_assert(eq(int, world_reload(world), UNIT_CANNOT));
        world_exit(world, world_control(world), 0);
        cr_assert(eq(int, world_start(world), UNIT_ALREADY));
        cr_assert(eq(int, world_stop(world), UNIT_UNDER_WAY));
        cr_assert(eq(int, world_start(world), UNIT_NOT_NOW));
        cr_assert(eq(int, world_stop(world), UNIT_UNDER_WAY));
        world_exit(world, world_main(world), 0);
        assert_string(world_states(world), "start-pre start running stop-sigterm dead");
}
