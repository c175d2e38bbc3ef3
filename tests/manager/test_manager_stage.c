/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Beginning and end of a manager.
 */

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "exec/exec_kill.h"
#include "manager_world.h"

static bool is_in_stage(World *world, const void *state) {
        return text_equal(manager_system_state(world->manager), state);
}

static bool is_gone(World *world, const void *argument) {
        return world->manager->stages.stage == MANAGER_GONE;
}

/* After this, a signal to end counts as a second one. */
static bool has_settled(World *world, const void *argument) {
        return !world->manager->signals.settling;
}

static void on_startup(void *userdata) {
        text_add(&((World *) userdata)->calls, "startup;");
}

static void start(World *world, const char *unit, const char *text) {
        char request[64];

        world_write(world, unit, text);
        snprintf(request, sizeof(request), "start:%s", unit);
        world_exec(world, JOB_REPLACE, request);
        world_wait(world, world_is_active, unit);
}

Test(manager_stage, the_default_unit_is_started_and_the_end_of_that_is_told) {
        cleanup_(world_freep) World *world = world_new_with("first.target");
        static const ManagerListenerOps ops = { .startup_finished = on_startup };

        manager_listen(world->manager, &ops, world);
        world_write(world, "first.target", "[Unit]\nWants=a.service\nAfter=a.service\n");
        world_write(world, "a.service", "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n");
        assert_string(manager_system_state(world->manager), "initializing");
        world_wait(world, is_in_stage, "starting");
        world_wait(world, is_in_stage, "running");
        cr_assert(world_is_active(world, "first.target"));
        cr_assert(world_is_active(world, "a.service"));
        assert_string(world_calls(world), "startup;");
        unit_publish(manager_find_unit(world->manager, "a.service"), UNIT_FAILED, 0);
        assert_string(manager_system_state(world->manager), "degraded");
}

Test(manager_stage, without_a_file_the_default_target_is_there_all_the_same) {
        cleanup_(world_freep) World *world = world_new_with(NULL);

        world_wait(world, is_in_stage, "running");
        cr_assert(world_is_active(world, "default.target"));
}

Test(manager_stage, an_orderly_exit_stops_units_in_reverse_order) {
        cleanup_(world_freep) World *world = world_new();
        char path[160], line[64] = "";
        FILE *file;
        char text[512];

        snprintf(path, sizeof(path), "%s/order", world->folder);
        snprintf(text, sizeof(text), "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n"
                 "ExecStop=/bin/sh -c 'echo -n b >>%s'\n", path);
        start(world, "b.service", text);
        snprintf(text, sizeof(text), "[Unit]\nAfter=b.service\n[Service]\nExecStart=/bin/sleep 1000\n"
                 "ExecStop=/bin/sh -c 'echo -n a >>%s'\n", path);
        start(world, "a.service", text);

        manager_exit(world->manager, 7, true);
        assert_string(manager_system_state(world->manager), "stopping");
        cr_assert(eq(int, manager_run(world->manager), 7));
        cr_assert(not(exec_has_children()));
        file = fopen(path, "re");
        assert_not_null(file);
        assert_not_null(fgets(line, sizeof(line), file));
        fclose(file);
        assert_string(line, "ab");
}

static pid_t fork_idler(World *world) {
        pid_t pid = fork();

        if (pid == 0) {
                sigprocmask(SIG_SETMASK, &world->manager->signals.old_mask, NULL);
                for (;;)
                        pause();
        }
        return pid;
}

Test(manager_stage, what_escapes_the_killing_is_killed_when_that_is_noticed) {
        cleanup_(world_freep) World *world = world_new();
        pid_t pid;

        fork_idler(world);
        manager_exit(world->manager, 0, false);
        pid = fork_idler(world);
        cr_assert(eq(int, manager_run(world->manager), 0));
        cr_assert(eq(int, kill(pid, 0), -1));
}

Test(manager_stage, what_is_left_is_terminated) {
        cleanup_(world_freep) World *world = world_new();
        pid_t pid = fork_idler(world);

        manager_exit(world->manager, 0, true);
        cr_assert(eq(int, manager_run(world->manager), 0));
        cr_assert(eq(int, kill(pid, 0), -1));
}

Test(manager_stage, a_signal_stops_all_and_a_second_one_cuts_it_short) {
        cleanup_(world_freep) World *world = world_new();

        world->manager->options.shutdown_timeout = USEC_PER_DAY;
        start(world, "a.service", "[Service]\nTimeoutStopSec=infinity\nExecStart=/bin/sleep 1000\n"
              "ExecStop=/bin/sleep 1000\n");
        kill(getpid(), SIGTERM);
        world_wait(world, is_in_stage, "stopping");
        world_wait(world, has_settled, NULL);
        kill(getpid(), SIGTERM);
        world_wait(world, is_gone, NULL);
        cr_assert(not(exec_has_children()));
}

static bool is_signal_taken(World *world, const void *argument) {
        sigset_t pending;

        return sigpending(&pending) == 0 && !sigismember(&pending, *(const int *) argument);
}

/* As timeout(1) sends them: to the child and to its group. */
Test(manager_stage, two_signals_at_once_are_one) {
        cleanup_(world_freep) World *world = world_new();
        char path[160], text[512];

        world->manager->options.shutdown_timeout = USEC_PER_DAY;
        snprintf(path, sizeof(path), "%s/cleaned", world->folder);
        snprintf(text, sizeof(text), "[Service]\nExecStart=/bin/sleep 1000\n"
                 "ExecStop=/bin/sh -c 'sleep 0.7; touch %s'\n", path);
        start(world, "a.service", text);
        kill(getpid(), SIGINT);
        world_wait(world, is_in_stage, "stopping");
        kill(getpid(), SIGINT);
        world_wait(world, is_signal_taken, &(int) { SIGINT });
        kill(getpid(), SIGTERM);
        world_wait(world, is_gone, NULL);
        cr_assert(eq(int, access(path, F_OK), 0));
}

Test(manager_stage, units_that_do_not_stop_in_time_are_killed) {
        cleanup_(world_freep) World *world = world_new();

        log_set_level(LOG_LEVEL_ERROR);
        world->manager->options.shutdown_timeout = 50 * USEC_PER_MSEC;
        start(world, "a.service", "[Service]\nExecStart=/bin/sleep 1000\nExecStop=/bin/sleep 1000\n");
        manager_exit(world->manager, 3, true);
        cr_assert(eq(int, manager_run(world->manager), 3));
        cr_assert(not(exec_has_children()));
}

/* A shutdown under way is not turned into another one by a unit that fails because of it. */
Test(manager_stage, the_first_request_to_leave_wins) {
        cleanup_(world_freep) World *world = world_new();

        manager_exit(world->manager, 5, true);
        manager_exit(world->manager, 6, true);
        cr_assert(eq(int, manager_run(world->manager), 5));
}

Test(manager_stage, a_failure_action_ends_the_manager_with_its_status) {
        cleanup_(world_freep) World *world = world_new();

        start(world, "a.service", "[Unit]\nFailureAction=exit\nFailureActionExitStatus=42\n"
              "[Service]\nExecStart=/bin/sleep 1000\n");
        start(world, "b.service", "[Service]\nExecStart=/bin/sleep 1000\n");
        manager_kill_unit(world->manager, manager_find_unit(world->manager, "a.service"), "main", SIGKILL, NULL);
        cr_assert(eq(int, manager_run(world->manager), 42));
        cr_assert(not(exec_has_children()));
}

Test(manager_stage, a_job_that_takes_too_long_acts_as_its_unit_says) {
        cleanup_(world_freep) World *world = world_new();

        log_set_level(LOG_LEVEL_ERROR - 1);
        world_write(world, "a.service", "[Unit]\nJobTimeoutSec=20ms\nJobTimeoutAction=exit-force\n"
                    "[Service]\nType=oneshot\nExecStart=/bin/sleep 1000\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        cr_assert(eq(int, manager_run(world->manager), 0));
        cr_assert(not(exec_has_children()));
}

Test(manager_stage, no_unit_starts_again_by_itself_while_all_is_stopped) {
        cleanup_(world_freep) World *world = world_new();

        start(world, "a.service", "[Service]\nRestart=always\nRestartSec=0\nExecStart=/bin/sleep 1000\n");
        manager_exit(world->manager, 0, true);
        cr_assert(eq(int, manager_run(world->manager), 0));
        cr_assert(not(exec_has_children()));
}

/* — what waits when it ends — */

static void note_sent(void *item) {
        text_add(&((World *) item)->calls, "answer;");
}

static void free_nothing(void *item) {
}

static const OutboxItemOps answer_ops = { .send = note_sent, .free = free_nothing };

/* A turn that takes some time and leaves an answer, with more jobs behind it than are begun at once. */
static void ask_for_much(World *world) {
        usec_t end = clock_monotonic() + 10 * USEC_PER_MSEC;
        char request[32];

        for (unsigned i = 0; i < 200; i++) {
                snprintf(request, sizeof(request), "start:x@%u.service", i);
                world_exec(world, JOB_REPLACE, request);
        }
        cr_assert(eq(int, outbox_add(manager_outbox(world->manager), &answer_ops, world), 0));
        while (clock_monotonic() < end)
                ;
}

static int on_reexec(sd_event_source *source, void *userdata) {
        World *world = userdata;

        ask_for_much(world);
        return manager_ask_reexec(world->manager, NULL);
}

static int on_leaving(sd_event_source *source, void *userdata) {
        World *world = userdata;

        ask_for_much(world);
        manager_exit(world->manager, 0, false);
        return 0;
}

static void run_until(sd_event_handler_t handler) {
        cleanup_(world_freep) World *world = world_new();
        sd_event_source *source = NULL;

        world_fake_services(world);
        world_write(world, "x@.service", "[Service]\nExecStart=/bin/true\n");
        cr_assert(ge(int, sd_event_add_defer(manager_event(world->manager), &source, handler, world), 0));
        sd_event_source_set_priority(source, MANAGER_PRIORITY_CHILDREN);
        cr_assert(eq(int, manager_run(world->manager), 0));
        cr_assert(job_manager_has_ready(manager_jobs(world->manager)), "or it tests nothing");
        cr_assert(world_has_calls(world, "answer;"));
        cr_assert(eq(sz, outbox_length(manager_outbox(world->manager)), 0));
        sd_event_source_disable_unref(source);
}

Test(manager_stage, who_waits_for_an_answer_has_it_before_the_manager_executes_itself) {
        run_until(on_reexec);
}

Test(manager_stage, who_waits_for_an_answer_has_it_before_the_manager_is_gone) {
        run_until(on_leaving);
}
