/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A manager takes over from one that had no time to say anything
 *
 * The manager before is freed without a commit, which leaves what a kill at the
 * end of that turn leaves; the tests with the real daemon kill it anywhere.
 * Programs write down that they were run, each on a line.
 */

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "exec/exec_process.h"
#include "manager_world.h"
#include "types/service_state.h"

/* Waits until the file "log", into which programs write, is as long as @expected at least. */
static const char *read_log(World *world) {
        static char text[8192];
        char path[160];
        FILE *file;
        size_t n;

        snprintf(path, sizeof(path), "%s/log", world->folder);
        file = fopen(path, "re");
        n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
        if (file)
                fclose(file);
        text[n] = '\0';
        return text;
}

/* $LOG in @text is the file that programs write to. */
static void write_unit(World *world, const char *name, const char *text) {
        char whole[4096];
        const char *rest = text;
        size_t n = 0;

        for (const char *at; (at = strstr(rest, "$LOG")); rest = at + 4)
                n += (size_t) snprintf(whole + n, sizeof(whole) - n, "%.*s%s/log", (int) (at - rest), rest,
                                       world->folder);
        snprintf(whole + n, sizeof(whole) - n, "%s", rest);
        world_write(world, name, whole);
}

static bool has_no_jobs(World *world, const void *unused) {
        return job_manager_count(manager_jobs(world->manager)) == 0 && world->manager->jobs.requests.n == 0;
}

/* A few turns, then another manager: until @is_there. The first turns of a manager go for looking around. */
static void wait_with_restarts(World *world, WorldQuestion is_there, const void *argument) {
        usec_t end = clock_monotonic() + USEC_PER_MINUTE;

        for (unsigned round = 0; !is_there(world, argument); round++) {
                for (unsigned turn = 0; turn < 3 + round % 5; turn++)
                        cr_assert(ge(int, manager_turn(world->manager, 10 * USEC_PER_MSEC), 0));
                cr_assert(clock_monotonic() < end, "waited in vain; so far: %s", read_log(world));
                world_restart(world);
        }
}

static pid_t main_pid(World *world, const char *name) {
        const Unit *unit = world_load(world, name);

        return unit->vtable->main_pid(unit);
}

/* The main process of a.service, which runs then. */
static pid_t start_sleeper(World *world) {
        write_unit(world, "a.service", "[Service]\nExecStart=/bin/sleep 1000\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        world_settle(world);
        return main_pid(world, "a.service");
}

Test(manager_restore, a_service_that_runs_goes_on) {
        cleanup_(world_freep) World *world = world_new();
        uint8_t invocation[16];
        pid_t pid;

        write_unit(world, "a.service", "[Service]\nExecStart=/bin/sh -c 'echo a >>$LOG; exec sleep 1000'\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        pid = main_pid(world, "a.service");
        memcpy(invocation, world_load(world, "a.service")->invocation_id, sizeof(invocation));
        world_restart(world);
        cr_assert(world_is_active(world, "a.service"));
        cr_assert(eq(int, main_pid(world, "a.service"), pid));
        cr_assert(eq(int, memcmp(invocation, world_load(world, "a.service")->invocation_id, sizeof(invocation)), 0));
        world_settle(world);
        cr_assert(eq(ptr, manager_unit_by_pid(world->manager, pid), world_load(world, "a.service")));
        world_exec(world, JOB_REPLACE, "stop:a.service");
        world_wait(world, world_is_gone_or_inactive, "a.service");
        cr_assert(eq(int, kill(pid, 0), -1));
}

/* The unit is up when its process is made; the environment says whose it is only after it has executed its program. */
static void wait_for_program(pid_t pid) {
        const usec_t end = clock_monotonic() + USEC_PER_MINUTE;
        char *unit = NULL;

        while (exec_process_read_variable(pid, "JOBD_UNIT", &unit) < 0) {
                cr_assert(clock_monotonic() < end);
                sched_yield();
        }
        free(unit);
}

/* Has a record of the service written that cannot be read. */
static void damage_record(World *world, const char *name) {
        Unit *unit = world_load(world, name);
        Service *service = service_of(unit);
        ServiceState state = service->state;

        service->state = _SERVICE_STATE_MAX;
        manager_turn_mark(&world->manager->turn, unit);
        cr_assert(eq(int, state_commit(world->manager->turn.state), 0));
        service->state = state;
}

Test(manager_restore, a_service_whose_record_cannot_be_read_is_found_by_its_process) {
        cleanup_(world_freep) World *world = world_new();
        pid_t pid;

        write_unit(world, "a.service",
                   "[Service]\nExecStart=/bin/sh -c 'echo a >>$LOG; exec sleep 1000'\n"
                   "ExecStopPost=/bin/sh -c 'echo post >>$LOG'\n");
        write_unit(world, "b.service", "[Service]\nExecStart=/bin/sh -c 'echo b >>$LOG; exec sleep 1000'\n");
        /* The unit has a process that it no longer wants. */
        write_unit(world, "c.service", "[Service]\nExecStart=/bin/sleep 1000\nKillMode=none\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_exec(world, JOB_REPLACE, "start:b.service");
        world_exec(world, JOB_REPLACE, "start:c.service");
        world_wait(world, world_is_active, "a.service");
        world_wait(world, world_is_active, "b.service");
        world_wait(world, world_is_active, "c.service");
        world_exec(world, JOB_REPLACE, "stop:c.service");
        world_wait(world, world_is_gone_or_inactive, "c.service");
        world_settle(world);
        pid = main_pid(world, "a.service");
        wait_for_program(pid);
        damage_record(world, "a.service");
        world_restart(world);
        cr_assert(world_is_active(world, "a.service"));
        cr_expect(eq(int, main_pid(world, "a.service"), pid));
        cr_expect(service_of(world_load(world, "a.service"))->is_found);
        cr_expect(world_is_active(world, "b.service"));
        cr_expect(not(service_of(world_load(world, "b.service"))->is_found));
        cr_expect(world_is_gone_or_inactive(world, "c.service"), "its record can be read");

        world_exec(world, JOB_REPLACE, "start:a.service");
        world_settle(world);
        cr_expect(eq(int, main_pid(world, "a.service"), pid));
        cr_assert(eq(int, kill(pid, 0), 0));
        world_exec(world, JOB_REPLACE, "stop:a.service");
        world_wait(world, world_is_gone_or_inactive, "a.service");
        cr_expect(strstr(read_log(world), "post") != NULL, "%s", read_log(world));
}

Test(manager_restore, a_service_whose_record_cannot_be_read_and_that_has_no_process_is_inactive) {
        cleanup_(world_freep) World *world = world_new();

        write_unit(world, "a.service",
                   "[Service]\nExecStart=/bin/true\nRemainAfterExit=yes\n"
                   "ExecStopPost=/bin/sh -c 'echo post >>$LOG'\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        world_settle(world);
        damage_record(world, "a.service");
        world_restart(world);
        cr_assert(world_is_gone_or_inactive(world, "a.service"));
        world_settle(world);
        cr_expect(eq(str, (char *) read_log(world), (char *) ""));
}

/* The unit of the job does not know any more that it stops. */
Test(manager_restore, a_job_of_a_service_whose_record_cannot_be_read_is_done) {
        cleanup_(world_freep) World *world = world_new();
        Unit *unit;
        pid_t pid;

        write_unit(world, "b.service", "[Service]\nExecStart=/bin/sleep 1000\n");
        world_exec(world, JOB_REPLACE, "start:b.service");
        world_wait(world, world_is_active, "b.service");
        world_settle(world);
        pid = main_pid(world, "b.service");
        wait_for_program(pid);
        unit = world_load(world, "b.service");
        world_exec(world, JOB_REPLACE, "stop:b.service");
        manager_jobs_run(&world->manager->jobs);
        cr_assert(eq(int, (int) unit->active_state, UNIT_DEACTIVATING));
        damage_record(world, "b.service");
        world_restart(world);
        world_wait(world, has_no_jobs, NULL);
        cr_expect(world_is_gone_or_inactive(world, "b.service"));
        cr_expect(eq(int, kill(pid, 0), -1));
}

/* As if a byte of its record had changed. */
static void rename_in_record(World *world, const char *name, char first) {
        Unit *unit = world_load(world, name);
        char kept = unit->id_text[0];

        unit->id_text[0] = first;
        manager_turn_mark(&world->manager->turn, unit);
        cr_assert(eq(int, state_commit(world->manager->turn.state), 0));
        unit->id_text[0] = kept;
}

Test(manager_restore, a_service_whose_name_cannot_be_read_is_found_by_its_process) {
        cleanup_(world_freep) World *world = world_new();
        pid_t pid = start_sleeper(world);

        wait_for_program(pid);
        rename_in_record(world, "a.service", '/');
        world_restart(world);
        cr_assert(world_is_active(world, "a.service"));
        cr_expect(eq(int, main_pid(world, "a.service"), pid));
}

Test(manager_restore, what_ended_meanwhile_is_told) {
        cleanup_(world_freep) World *world = world_new();
        pid_t pid;

        write_unit(world, "a.service", "[Service]\nExecStart=/bin/sleep 1000\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        pid = main_pid(world, "a.service");
        world->manager = manager_free(world->manager);
        cr_assert(eq(int, kill(pid, SIGKILL), 0));
        world_restart(world);
        cr_assert(world_is_active(world, "a.service"));
        world_wait(world, world_is_failed, "a.service");
        cr_expect(eq(int, (int) service_of(world_load(world, "a.service"))->exec_main.status, SIGKILL));
}

Test(manager_restore, an_exit_that_was_reaped_and_not_acted_upon_is_told) {
        cleanup_(world_freep) World *world = world_new();
        siginfo_t *slot, info;
        pid_t pid;

        write_unit(world, "a.service", "[Service]\nExecStart=/bin/sh -c 'sleep 1000; :'\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        world_settle(world);
        pid = main_pid(world, "a.service");
        kill(pid, SIGTERM);
        cr_assert(eq(int, waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0));
        slot = journal_next_exit(state_journal(world->manager->turn.state));
        cr_assert(eq(int, waitid(P_PID, (id_t) pid, slot, WEXITED), 0));
        world_restart(world);
        world_wait(world, world_is_gone_or_inactive, "a.service");
}

/* A daemon that is no longer a child, and whose pid the unit reads from a file. */
Test(manager_restore, an_exit_that_no_unit_has_asked_for_yet_is_kept) {
        cleanup_(world_freep) World *world = world_new();
        siginfo_t *slot;
        UnitExit stray = {};

        start_sleeper(world);
        state_commit(world->manager->turn.state);
        slot = journal_next_exit(state_journal(world->manager->turn.state));
        *slot = (siginfo_t) { .si_signo = SIGCHLD, .si_code = CLD_EXITED };
        slot->si_status = 3;
        slot->si_pid = 12345;
        world_restart(world);
        world_settle(world);
        cr_assert(eq(sz, world_strays(world, &stray), 1));
        cr_assert(eq(int, (int) stray.pid, 12345));
        cr_assert(eq(int, stray.status, 3));
}

Test(manager_restore, an_end_that_nobody_saw_counts_as_a_kill) {
        cleanup_(world_freep) World *world = world_new();
        pid_t pid;

        pid = start_sleeper(world);
        world->manager = manager_free(world->manager);
        kill(pid, SIGTERM);
        cr_assert(eq(int, waitpid(pid, NULL, 0), pid));
        world_restart(world);
        world_wait(world, world_is_failed, "a.service");
}

Test(manager_restore, each_command_of_a_service_is_run_once) {
        cleanup_(world_freep) World *world = world_new();

        write_unit(world, "a.service",
                   "[Service]\nType=oneshot\nRemainAfterExit=yes\n"
                   "ExecStartPre=/bin/sh -c 'echo pre >>$LOG'\nExecStart=/bin/sh -c 'echo one >>$LOG'\n"
                   "ExecStart=/bin/sh -c 'echo two >>$LOG'\nExecStartPost=/bin/sh -c 'echo post >>$LOG'\n"
                   "ExecReload=/bin/sh -c 'echo reload >>$LOG'\n"
                   "ExecStop=/bin/sh -c 'echo stop >>$LOG'\nExecStopPost=/bin/sh -c 'echo stopped >>$LOG'\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        wait_with_restarts(world, world_is_active, "a.service");
        world_exec(world, JOB_REPLACE, "reload:a.service");
        wait_with_restarts(world, has_no_jobs, NULL);
        world_exec(world, JOB_REPLACE, "restart:a.service");
        wait_with_restarts(world, has_no_jobs, NULL);
        world_exec(world, JOB_REPLACE, "stop:a.service");
        wait_with_restarts(world, has_no_jobs, NULL);
        assert_string(read_log(world),
                      "pre\none\ntwo\npost\nreload\nstop\nstopped\npre\none\ntwo\npost\nstop\nstopped\n");
}

Test(manager_restore, order_and_requirements_hold_over_it) {
        cleanup_(world_freep) World *world = world_new();

        write_unit(world, "a.service",
                   "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo a >>$LOG'\nRemainAfterExit=yes\n");
        write_unit(world, "b.service", "[Unit]\nRequires=a.service\nAfter=a.service\n[Service]\nType=oneshot\n"
                   "ExecStart=/bin/sh -c 'echo b >>$LOG; exit 3'\n");
        write_unit(world, "c.service", "[Unit]\nRequires=b.service\nAfter=b.service\n[Service]\n"
                   "ExecStart=/bin/sh -c 'echo c >>$LOG'\n");
        write_unit(world, "d.service", "[Unit]\nWants=c.service b.service\nAfter=c.service b.service\n[Service]\n"
                   "Type=oneshot\nExecStart=/bin/sh -c 'echo d >>$LOG'\n");
        world_exec(world, JOB_REPLACE, "start:d.service");
        wait_with_restarts(world, has_no_jobs, NULL);
        assert_string(read_log(world), "a\nb\nd\n");
        cr_assert(world_is_failed(world, "b.service"));
        cr_assert(eq(uint, manager_count_failed_units(world->manager), 1));
}

Test(manager_restore, restarts_are_counted_and_their_limit_holds) {
        cleanup_(world_freep) World *world = world_new();

        write_unit(world, "a.service", "[Unit]\nStartLimitBurst=4\nStartLimitIntervalSec=1h\n[Service]\n"
                   "Restart=on-failure\nRestartSec=10ms\nExecStart=/bin/sh -c 'echo a >>$LOG; exit 1'\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        wait_with_restarts(world, world_is_failed, "a.service");
        assert_string(read_log(world), "a\na\na\na\n");
        cr_expect(eq(u32, service_of(world_load(world, "a.service"))->n_restarts, 3));
}

Test(manager_restore, time_limits_go_on) {
        cleanup_(world_freep) World *world = world_new();

        write_unit(world, "a.service", "[Service]\nType=oneshot\nTimeoutStartSec=300ms\nExecStart=/bin/sleep 1000\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        wait_with_restarts(world, world_is_failed, "a.service");
        cr_expect(eq(int, (int) service_of(world_load(world, "a.service"))->result, SERVICE_RESULT_TIMEOUT));
}

/* The message was read, and not handled. */
Test(manager_restore, a_notification_that_was_read_is_read_again) {
        cleanup_(world_freep) World *world = world_new();

        write_unit(world, "a.service", "[Service]\nType=notify\nNotifyAccess=all\n"
                   "ExecStart=/bin/sh -c 'systemd-notify --ready || exit 1; echo told >>$LOG; exec sleep 1000'\n");
        if (access("/usr/bin/systemd-notify", X_OK) < 0)
                cr_skip("there is no systemd-notify");
        world_exec(world, JOB_REPLACE, "start:a.service");
        wait_with_restarts(world, world_is_active, "a.service");
}

Test(manager_restore, one_that_begins_does_not_take_over_what_is_dead) {
        cleanup_(world_freep) World *world = world_new();

        write_unit(world, "a.service", "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        world_settle(world);
        world->manager = manager_free(world->manager);
        world_begin(world);
        cr_assert(not(world_is_active(world, "a.service")));
}

Test(manager_restore, one_that_begins_takes_over_what_lives) {
        cleanup_(world_freep) World *world = world_new();
        pid_t pid;

        pid = start_sleeper(world);
        world->manager = manager_free(world->manager);
        world_begin(world);
        cr_assert(world_is_active(world, "a.service"));
        cr_assert(eq(int, main_pid(world, "a.service"), pid));
}

Test(manager_restore, a_damaged_state_is_set_aside) {
        cleanup_(world_freep) World *world = world_new();
        char path[200];
        int fd;

        world_settle(world);
        snprintf(path, sizeof(path), "%s/state", world->runtime);
        world->manager = manager_free(world->manager);
        fd = open(path, O_WRONLY | O_CLOEXEC);
        cr_assert(pwrite(fd, "garbage", 7, 0) == 7);
        close(fd);
        world_restart(world);
        world_settle(world);
        strcat(path, ".1");
        cr_assert(eq(int, access(path, F_OK), 0));
}

Test(manager_restore, who_leaves_in_order_leaves_nothing) {
        cleanup_(world_freep) World *world = world_new();
        char path[200];

        manager_exit(world->manager, 0, true);
        cr_assert(eq(int, manager_run(world->manager), 0));
        world->manager = manager_free(world->manager);
        snprintf(path, sizeof(path), "%s/state", world->runtime);
        cr_assert(eq(int, access(path, F_OK), -1));
        snprintf(path, sizeof(path), "%s/journal", world->runtime);
        cr_assert(eq(int, access(path, F_OK), -1));
}

/* The client that asked for the end was answered. */
Test(manager_restore, that_it_is_to_leave_is_known) {
        cleanup_(world_freep) World *world = world_new();

        start_sleeper(world);
        state_commit(world->manager->turn.state);
        manager_leave(world->manager, UNIT_ACTION_EXIT);
        state_commit(world->manager->turn.state);
        world_restart(world);
        cr_assert(eq(int, (int) manager_action(world->manager), UNIT_ACTION_EXIT));
        cr_assert(eq(int, manager_run(world->manager), 0));
}

Test(manager_restore, that_it_leaves_is_known) {
        cleanup_(world_freep) World *world = world_new();

        world_settle(world);
        state_commit(world->manager->turn.state);
        manager_exit(world->manager, 3, false);
        state_commit(world->manager->turn.state);
        world_restart(world);
        cr_assert(eq(int, (int) world->manager->stages.stage, MANAGER_KILLING));
        cr_assert(eq(int, manager_run(world->manager), 3));
}

/* Restarted twice: a record that is dropped would be missing after the second time. */
Test(manager_restore, what_clients_wait_for_stays_until_they_come_again) {
        cleanup_(world_freep) World *world = world_new();
        pid_t pid = start_sleeper(world);

        cr_assert(eq(int, manager_pin(world->manager, world_load(world, "a.service")), 0));
        cr_assert(eq(int, manager_pin(world->manager, world_load(world, "a.service")), 0));
        state_commit(world->manager->turn.state);
        world_restart(world);
        kill(pid, SIGTERM);
        world_wait(world, world_is_gone_or_inactive, "a.service");
        state_commit(world->manager->turn.state);
        world_restart(world);
        world_settle(world);
        for (unsigned i = 0; i < 2; i++) {
                Unit *unit = manager_find_unit(world->manager, "a.service");

                cr_assert(unit && unit->n_references == 2 - i);
                cr_assert(eq(int, (int) service_of(unit)->exec_main.status, SIGTERM));
                cr_assert(eq(int, manager_pin(world->manager, unit), 0));
                manager_unpin(world->manager, unit);
                manager_turn_wake(&world->manager->turn);
                world_settle(world);
        }
        cr_assert(manager_find_unit(world->manager, "a.service") == NULL);
}

/* The numbers of the records of errands are used again, so their order is not that of the errands. */
Test(manager_restore, errands_are_repeated_in_their_order) {
        static const char *const names[] = { "a.service", "b.service", "c.service", "d.service" };
        cleanup_(world_freep) World *world = world_new();
        char request[32];

        for (unsigned i = 0; i < ELEMENTSOF(names); i++) {
                write_unit(world, names[i], "[Service]\nExecStart=/bin/sleep 1000\n");
                snprintf(request, sizeof(request), "start:%s", names[i]);
                world_exec(world, JOB_REPLACE, request);
                manager_jobs_run(&world->manager->jobs);
                if (i == 1) {
                        world_wait(world, world_is_active, names[0]);
                        world_wait(world, world_is_active, names[1]);
                }
        }
        state_commit(world->manager->turn.state);
        world_restart(world);
        world_wait(world, world_is_active, names[2]);
        world_wait(world, world_is_active, names[3]);
        cr_expect(lt(int, main_pid(world, names[2]), main_pid(world, names[3])));
}

/* — while nothing can be written down — */

static void let_files_grow(rlim_t size) {
        struct rlimit limit;

        signal(SIGXFSZ, SIG_IGN);
        cr_assert(eq(int, getrlimit(RLIMIT_FSIZE, &limit), 0));
        limit.rlim_cur = MIN(size, limit.rlim_max);
        cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &limit), 0));
}

static bool is_exited(World *world, const void *unit) {
        return service_of(world_load(world, unit))->state == SERVICE_STATE_EXITED;
}

/* The first manager ends before it has made the process, the second one after that, without a commit. */
Test(manager_restore, what_is_repeated_is_done_once_though_nothing_can_be_committed) {
        cleanup_(world_freep) World *world = world_new();
        uint32_t number;

        write_unit(world, "a.service",
                   "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c 'echo a >>$LOG'\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        manager_jobs_run(&world->manager->jobs);
        cr_assert(eq(int, process_errands_next(world->manager->errands, 0, &number), 1));
        state_commit(world->manager->turn.state);
        world_restart(world);
        let_files_grow(4096);
        world_wait(world, is_exited, "a.service");
        cr_assert(lt(int, state_error(world->manager->turn.state), 0));
        cr_assert(eq(str, (char *) read_log(world), (char *) "a\n"));
        let_files_grow(RLIM_INFINITY);
        world_restart(world);
        world_wait(world, is_exited, "a.service");
        world_settle(world);
        cr_assert(eq(int, state_error(world->manager->turn.state), 0));
        cr_assert(eq(str, (char *) read_log(world), (char *) "a\n"));
}
