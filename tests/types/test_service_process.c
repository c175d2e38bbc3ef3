/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Services of real processes
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/exec_kill.h"
#include "process_world.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START
#define PROCESS_WORLD(type) cleanup_(process_world_freep) ProcessWorld *world = process_world_new(type)

static int count_rest(const ProcessWorld *world) {
        return exec_kill_rest(&(ExecRest) { .invocation_id = world->unit->invocation_id }, 0);
}

Test(service_process, simple_runs_and_is_stopped_by_sigterm) {
        PROCESS_WORLD(SERVICE_SIMPLE);

        process_world_script(world, START, "echo up > $D/up; exec sleep 1000");
        unit_start(world->unit);
        process_world_await(world, "running");
        process_world_await_file(world, "up", 3);
        unit_stop(world->unit);
        process_world_await(world, "dead");
        assert_string(process_world_property(world, "Result"), "success");
        assert_string(process_world_property(world, "ExecMainStatus"), "15");
}

Test(service_process, deaf_one_is_killed_after_the_limit) {
        PROCESS_WORLD(SERVICE_SIMPLE);

        /* Three more such spans pass before the service gives up waiting. */
        world->settings->timeout_stop = 500 * USEC_PER_MSEC;
        process_world_script(world, START, "trap '' TERM; echo up > $D/up; while :; do sleep 1000; done");
        unit_start(world->unit);
        process_world_await_file(world, "up", 3);
        unit_stop(world->unit);
        world->settings->timeout_stop = USEC_INFINITY;          /* a busy machine may be slow to end a process */
        process_world_await(world, "failed");
        assert_string(process_world_property(world, "Result"), "timeout");
        assert_string(process_world_property(world, "ExecMainStatus"), "9");
        cr_assert(eq(int, count_rest(world), 0));
}

Test(service_process, oneshot_runs_all_in_order) {
        PROCESS_WORLD(SERVICE_ONESHOT);

        process_world_script(world, SERVICE_EXEC_START_PRE, "echo pre >> $D/log");
        process_world_script(world, START, "echo one >> $D/log");
        process_world_script(world, START, "echo two >> $D/log");
        process_world_script(world, SERVICE_EXEC_START_POST, "echo post >> $D/log");
        process_world_script(world, SERVICE_EXEC_STOP_POST, "echo $SERVICE_RESULT $EXIT_CODE $EXIT_STATUS >> $D/log");
        unit_start(world->unit);
        process_world_await(world, "dead");
        assert_string(process_world_await_file(world, "log", 1), "pre\none\ntwo\npost\nsuccess exited 0\n");
}

Test(service_process, forking_daemon_is_known_by_its_pid_file) {
        struct stat status;
        char expected[32];
        PROCESS_WORLD(SERVICE_FORKING);

        cr_assert(asprintf(&world->settings->pid_file, "%s/pid", world->folder) > 0);
        process_world_script(world, START,
                             "setsid sh -c 'echo $$ > $D/pid.new; mv $D/pid.new $D/pid; echo $$ > $D/copy; "
                             "exec sleep 1000' &");
        unit_start(world->unit);
        process_world_await(world, "running");
        snprintf(expected, sizeof(expected), "%s\n", process_world_property(world, "MainPID"));
        assert_string(process_world_await_file(world, "copy", 2), expected);
        unit_stop(world->unit);
        process_world_await(world, "dead");
        assert_string(process_world_property(world, "Result"), "success");
        cr_assert(stat(world->settings->pid_file, &status) < 0, "its PID file is removed");
}

Test(service_process, forking_daemon_that_dies_is_noticed) {
        PROCESS_WORLD(SERVICE_FORKING);

        cr_assert(asprintf(&world->settings->pid_file, "%s/pid", world->folder) > 0);
        world->settings->restart = SERVICE_RESTART_ON_FAILURE;
        world->settings->restart_usec = 10 * USEC_PER_MSEC;
        process_world_script(world, START,
                             "setsid sh -c 'echo $$ > $D/pid.new; mv $D/pid.new $D/pid; exec sleep 1000' &");
        unit_start(world->unit);
        process_world_await(world, "running");
        kill(service_vtable.main_pid(world->unit), SIGKILL);
        process_world_await_property(world, "NRestarts", "1");
        process_world_await(world, "running");
        unit_stop(world->unit);
        process_world_await(world, "dead");
}

Test(service_process, forking_daemon_without_pid_file_is_guessed) {
        PROCESS_WORLD(SERVICE_FORKING);

        process_world_script(world, START, "setsid sleep 1000 &");
        unit_start(world->unit);
        process_world_await(world, "running");
        cr_assert(service_vtable.main_pid(world->unit) > 0);
        kill(service_vtable.main_pid(world->unit), SIGKILL);
        process_world_await(world, "failed");
        assert_string(process_world_property(world, "Result"), "signal");
}

Test(service_process, pid_file_of_a_stranger_is_not_believed) {
        PROCESS_WORLD(SERVICE_FORKING);

        cr_assert(asprintf(&world->settings->pid_file, "%s/pid", world->folder) > 0);
        world->settings->timeout_start = 300 * USEC_PER_MSEC;
        process_world_script(world, START, "echo 1 > $D/pid");
        unit_start(world->unit);
        process_world_await(world, "failed");
        assert_string(process_world_property(world, "Result"), "timeout");
}

/* Otherwise the owner of a folder on the way could have any process killed that a file of root names. */
Test(service_process, pid_file_behind_a_link_of_another_user_is_not_believed) {
        PROCESS_WORLD(SERVICE_FORKING);
        char theirs[128], other[128], link[160], file[160];
        pid_t stranger;
        FILE *pid_file;

        snprintf(theirs, sizeof(theirs), "%s/theirs", world->folder);
        snprintf(other, sizeof(other), "%s/other", world->folder);
        snprintf(link, sizeof(link), "%s/sub", theirs);
        snprintf(file, sizeof(file), "%s/pid", other);
        cr_assert(mkdir(theirs, 0755) == 0 && mkdir(other, 0755) == 0 && symlink(other, link) == 0);
        if (lchown(link, 65534, 65534) < 0)
                cr_skip_test("there is no other user");
        stranger = fork();
        if (stranger == 0)
                for (;;)
                        pause();
        pid_file = fopen(file, "we");
        assert_not_null(pid_file);
        fprintf(pid_file, "%d\n", (int) stranger);
        fclose(pid_file);

        cr_assert(asprintf(&world->settings->pid_file, "%s/pid", link) > 0);
        world->settings->timeout_start = 300 * USEC_PER_MSEC;
        process_world_script(world, START, "true");
        unit_start(world->unit);
        process_world_await(world, "failed");
        assert_string(process_world_property(world, "Result"), "timeout");
        cr_assert(eq(int, kill(stranger, SIGKILL), 0));
        cr_assert(eq(int, waitpid(stranger, NULL, 0), stranger));
}

Test(service_process, whole_group_is_stopped_orphans_too) {
        PROCESS_WORLD(SERVICE_SIMPLE);

        process_world_script(world, START,
                             "sleep 1000 & (setsid sh -c 'echo x >> $D/up; exec sleep 1000' &); echo x >> $D/up; wait");
        unit_start(world->unit);
        process_world_await_file(world, "up", 4);
        unit_stop(world->unit);
        process_world_await(world, "dead");
        cr_assert(eq(int, count_rest(world), 0));
        assert_string(process_world_property(world, "Result"), "success");
}

Test(service_process, kill_mode_process_leaves_the_others) {
        PROCESS_WORLD(SERVICE_SIMPLE);

        world->settings->kill.mode = KILL_MODE_PROCESS;
        process_world_script(world, START,
                             "(setsid sh -c 'echo x >> $D/up; exec sleep 1000' &); echo x >> $D/up; exec sleep 1000");
        unit_start(world->unit);
        process_world_await_file(world, "up", 4);
        unit_stop(world->unit);
        process_world_await(world, "dead");
        cr_assert(eq(int, count_rest(world), 1));
        exec_kill_rest(&(ExecRest) { .invocation_id = world->unit->invocation_id }, SIGKILL);
}

Test(service_process, restarts_after_a_failure) {
        PROCESS_WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ON_FAILURE;
        world->settings->restart_usec = 10 * USEC_PER_MSEC;
        process_world_script(world, START, "echo x >> $D/log; [ $(wc -l < $D/log) -ge 3 ] || exit 1; exec sleep 1000");
        unit_start(world->unit);
        process_world_await_file(world, "log", 6);
        process_world_await(world, "running");
        assert_string(process_world_property(world, "NRestarts"), "2");
        unit_stop(world->unit);
        process_world_await(world, "dead");
}

Test(service_process, reload_and_stop_commands_know_the_main_process) {
        PROCESS_WORLD(SERVICE_SIMPLE);

        process_world_script(world, START,
                             "trap 'echo reloaded >> $D/log' HUP; echo up >> $D/log; while :; do sleep 0.01; done");
        process_world_script(world, SERVICE_EXEC_RELOAD, "kill -HUP $MAINPID");
        process_world_script(world, SERVICE_EXEC_STOP, "kill $MAINPID; while kill -0 $MAINPID 2>/dev/null; do :; done");
        unit_start(world->unit);
        process_world_await_file(world, "log", 3);
        unit_reload(world->unit);
        process_world_await(world, "running");
        assert_string(process_world_await_file(world, "log", 12), "up\nreloaded\n");
        unit_stop(world->unit);
        process_world_await(world, "dead");
        assert_string(process_world_property(world, "Result"), "success");
}

Test(service_process, output_that_cannot_be_opened_is_named) {
        PROCESS_WORLD(SERVICE_SIMPLE);

        world->settings->exec.standard_output = EXEC_OUTPUT_APPEND;
        world->settings->exec.standard_output_file = strdup("/no/such/folder/x.log");
        process_world_script(world, START, "exec sleep 1000");
        unit_start(world->unit);
        process_world_await(world, "failed");
        assert_string(process_world_property(world, "ExecMainStatus"), "209");
        assert_string(process_world_property(world, "FailureReason"),
                      "ExecStart: standard output: cannot open /no/such/folder/x.log: No such file or directory");
}
