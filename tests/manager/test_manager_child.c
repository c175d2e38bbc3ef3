/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Exits find their unit, whenever and however they are learned.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "exec/exec_kill.h"
#include "manager_world.h"

static const char *const service = "[Service]\nExecStart=/bin/true\n";

static Unit *fake_unit(World *world, const char *name) {
        world_fake_services(world);
        world_write(world, name, service);
        return unit_ref(world_load(world, name));
}

/* Forks a child that exits when @fd is closed; -1: at once. */
static pid_t fork_child(int fd, int status) {
        pid_t pid = fork();

        if (pid == 0) {
                char byte;

                if (fd >= 0 && read(fd, &byte, 1) != 0)
                        _exit(99);
                _exit(status);
        }
        cr_assert(lt(int, 0, pid));
        return pid;
}

static void wait_for_zombie(pid_t pid) {
        siginfo_t info;

        cr_assert(eq(int, waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0));
}

static const char *exit_call(pid_t pid, int status, const char *unit) {
        static char call[128];

        snprintf(call, sizeof(call), "exit %d %d %s;", (int) pid, status, unit);
        return call;
}

static void follow(World *world, Unit *unit, pid_t pid) {
        cr_assert(eq(int, world_add_process(world, unit, UNIT_PURPOSE_MAIN, pid, -1, 0), 0));
}

Test(manager_child, an_exit_reaches_the_unit_of_the_process) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service"), *b = fake_unit(world, "b.service");
        pid_t first = fork_child(-1, 3), second = fork_child(-1, 4);

        follow(world, a, first);
        follow(world, b, second);
        world_wait(world, world_has_calls, exit_call(first, 3, "a.service"));
        world_wait(world, world_has_calls, exit_call(second, 4, "b.service"));
        cr_assert(eq(int, waitpid(-1, NULL, WNOHANG), -1));
        assert_null(process_table_find(world->manager->processes, first));
}

/* So what a process that has begun and ended since the last turn leads to is told together. */
Test(manager_child, an_exit_is_told_in_the_turn_of_the_signal) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");
        pid_t pid;

        world_settle(world);
        pid = fork_child(-1, 7);
        follow(world, a, pid);
        wait_for_zombie(pid);
        cr_assert(lt(int, 0, manager_turn(world->manager, 0)));
        assert_string(world_calls(world), exit_call(pid, 7, "a.service"));
}

Test(manager_child, an_exit_before_the_unit_knows_the_process_is_kept_for_it) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");
        usec_t since = clock_monotonic();
        pid_t pid = fork_child(-1, 5);

        wait_for_zombie(pid);
        manager_turn_read_clock(&world->manager->turn);
        cr_assert(not(process_table_reap(world->manager->processes, 10)));
        assert_string(world_calls(world), "");

        cr_assert(eq(int, world_add_process(world, a, UNIT_PURPOSE_MAIN, pid, -1, since), 0));
        assert_string(world_calls(world), "");          /* not during the unit's own call */
        world_wait(world, world_has_calls, exit_call(pid, 5, "a.service"));
}

Test(manager_child, an_exit_from_before_the_spawn_was_of_another_with_that_pid) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");

        process_table_take_exit(world->manager->processes, &(UnitExit) { .pid = 4242, .code = CLD_EXITED,
                                                                         .time = 1000 });
        cr_assert(eq(int, world_add_process(world, a, UNIT_PURPOSE_MAIN, 4242, -1, 2000), 0));
        world_settle(world);
        assert_string(world_calls(world), "");
        assert_not_null(process_table_find(world->manager->processes, 4242));
        cr_assert(eq(sz, world_strays(world, NULL), 0));
}

Test(manager_child, a_watched_process_that_is_gone_already_is_told_or_refused) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");
        pid_t pid = fork_child(-1, 6);

        wait_for_zombie(pid);
        world_settle(world);
        cr_assert(eq(int, world_watch_process(world, a, UNIT_PURPOSE_MAIN, pid), 0));
        world_wait(world, world_has_calls, exit_call(pid, 6, "a.service"));
        world_settle(world);            /* JOBD_CHECK_STATE: the exit that was told is in no record any more */
        cr_assert(eq(int, world_watch_process(world, a, UNIT_PURPOSE_MAIN, pid), -ESRCH));
}

Test(manager_child, a_watched_process_of_another_parent_is_heard_of) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");
        int gate[2], told[2];
        pid_t parent, pid;

        cr_assert(eq(int, pipe2(gate, O_CLOEXEC), 0));
        cr_assert(eq(int, pipe2(told, O_CLOEXEC), 0));
        parent = fork();
        if (parent == 0) {
                close(gate[1]);
                pid = fork_child(gate[0], 7);
                if (write(told[1], &pid, sizeof(pid)) != sizeof(pid))
                        _exit(1);
                pause();
        }
        cr_assert(eq(sz, (size_t) read(told[0], &pid, sizeof(pid)), sizeof(pid)));
        cr_assert(eq(int, world_watch_process(world, a, UNIT_PURPOSE_MAIN, pid), 0));
        close(gate[0]);
        close(gate[1]);
        /* Only the parent gets the exit status. */
        world_wait(world, world_has_calls, exit_call(pid, 0, "a.service"));
        kill(parent, SIGKILL);
        waitpid(parent, NULL, 0);
        close(told[0]);
        close(told[1]);
}

Test(manager_child, a_process_is_one_units_only) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service"), *b = fake_unit(world, "b.service");
        int gate[2];
        pid_t pid;

        cr_assert(eq(int, pipe2(gate, O_CLOEXEC), 0));
        pid = fork_child(gate[0], 0);
        cr_assert(eq(int, world_watch_process(world, a, UNIT_PURPOSE_MAIN, pid), 0));
        cr_assert(eq(int, world_watch_process(world, a, UNIT_PURPOSE_CONTROL, pid), 0));
        cr_assert(eq(int, world_watch_process(world, b, UNIT_PURPOSE_MAIN, pid), -EEXIST));
        cr_assert(eq(int, world_watch_process(world, a, UNIT_PURPOSE_MAIN, getpid()), -EINVAL));
        world_forget_process(world, b, pid);
        assert_not_null(process_table_find(world->manager->processes, pid));
        world_forget_process(world, a, pid);
        assert_null(process_table_find(world->manager->processes, pid));
        kill(pid, SIGKILL);
        close(gate[0]);
        close(gate[1]);
}

Test(manager_child, orphans_are_reaped) {
        cleanup_(world_freep) World *world = world_new();
        int told[2];
        pid_t parent, orphan;
        char path[32];

        cr_assert(eq(int, pipe2(told, O_CLOEXEC), 0));
        parent = fork();
        if (parent == 0) {
                orphan = fork();
                if (orphan == 0)
                        _exit(0);
                _exit(write(told[1], &orphan, sizeof(orphan)) != sizeof(orphan));
        }
        cr_assert(eq(sz, (size_t) read(told[0], &orphan, sizeof(orphan)), sizeof(orphan)));
        snprintf(path, sizeof(path), "/proc/%d", (int) orphan);
        while (exec_has_children())
                world_turn(world);
        cr_assert(eq(int, access(path, F_OK), -1));
        close(told[0]);
        close(told[1]);
}

static bool is_table_empty(World *world, const void *argument) {
        return process_table_count(world->manager->processes) == 0;
}

/* A thousand children have exited at once. No turn handles all of them, and none is lost. */
Test(manager_child, a_thousand_exits_at_once) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");
        size_t n_told = 0;
        int gate[2];

        cr_assert(eq(int, pipe2(gate, O_CLOEXEC), 0));
        for (unsigned i = 0; i < 1000; i++) {
                pid_t pid = fork();

                if (pid == 0) {
                        char byte;

                        close(gate[1]);
                        _exit(read(gate[0], &byte, 1) != 0);
                }
                cr_assert(lt(int, 0, pid));
                follow(world, a, pid);
        }
        close(gate[0]);
        close(gate[1]);

        while (process_table_count(world->manager->processes) > 0) {
                size_t before = process_table_count(world->manager->processes);

                world_turn(world);
                cr_assert(le(sz, before - process_table_count(world->manager->processes), 128));
        }
        world_wait(world, is_table_empty, NULL);
        for (const char *at = world_calls(world); (at = strstr(at, "a.service;")); at++)
                n_told++;
        cr_assert(eq(sz, n_told, 1000));
        cr_assert(eq(int, waitpid(-1, NULL, WNOHANG), -1));
}

static bool is_idle(World *world, const void *argument) {
        return job_manager_count(world->manager->engine) == 0 && process_table_count(world->manager->processes) == 0;
}

/* One list of orphans is used for all exits of one turn: it must be read after the last of them. */
Test(manager_child, leftovers_of_many_that_end_at_once_are_found) {
        cleanup_(world_freep) World *world = world_new();
        char name[32], request[48];

        for (int i = 0; i < 40; i++) {
                snprintf(name, sizeof(name), "l%d.service", i);
                world_write(world, name, "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'setsid sleep 1000 & :'\n");
                snprintf(request, sizeof(request), "start:%s", name);
                world_exec(world, JOB_REPLACE, request);
        }
        world_wait(world, is_idle, NULL);
        while (exec_has_children())
                world_turn(world);
        for (int i = 0; i < 40; i++) {
                snprintf(name, sizeof(name), "l%d.service", i);
                world_wait(world, world_is_gone_or_inactive, name);
        }
}

Test(manager_child, strays_are_bounded) {
        cleanup_(world_freep) World *world = world_new();
        UnitExit last = {};

        for (int i = 0; i < 10000; i++)
                process_table_take_exit(world->manager->processes,
                                        &(UnitExit) { .pid = 100000 + i, .code = CLD_EXITED });
        cr_assert(le(sz, world_strays(world, &last), 256));
        cr_assert(eq(int, last.pid, 109999));
}
