/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * An owner that is no unit: its processes, timers and exits, without a manager.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "exec/exec.h"
#include "exec/exec_process.h"
#include "process/outbox.h"
#include "process/process_errand.h"
#include "process/process_table.h"
#include "process/process_timer.h"
#include "process/process_watch.h"

typedef struct World {
        ProcessHost host;
        Outbox *outbox;
        ProcessTable *table;
        ProcessTimers *timers;
        ProcessRest *rest;
        ProcessErrands *errands;
        uint64_t n_errands;
        Text calls;
} World;

typedef struct Attempt {
        ProcessOwner owner;
        World *world;
        char *const *argv;
        pid_t pid;
        unsigned n_changes, n_told;
        bool is_last;
} Attempt;

/* — the host — */

static usec_t host_now(void *userdata) {
        return clock_monotonic();
}

static ProcessOwner *host_find_owner(void *userdata, const char *name) {
        return NULL;
}

static Journal *host_journal(void *userdata) {
        return NULL;
}

static uint64_t host_number_errand(void *userdata) {
        return ++((World *) userdata)->n_errands;
}

static void host_before_exits(void *userdata, const UnitExit *exits, size_t n) {
}

static void host_nothing(void *userdata) {
}

static void host_number_nothing(void *userdata, uint32_t number) {
}

static bool host_has_none(void *userdata, pid_t pid) {
        return false;
}

static void host_begun(void *userdata, const ExecRequest *request, UnitPurpose purpose, pid_t pid) {
}

static void host_settled(void *userdata, const ExecRequest *request) {
}

static int host_spare_pidfd(void *userdata, int pidfd) {
        return pidfd;
}

static const ProcessKeeper no_keeper;

static const ProcessHostOps host_ops = {
        .now = host_now,
        .find_owner = host_find_owner,
        .journal = host_journal,
        .number_errand = host_number_errand,
        .commit = host_nothing,
        .exits_changed = host_nothing,
        .errand_changed = host_number_nothing,
        .before_exits = host_before_exits,
        .is_own = host_has_none,
        .begun = host_begun,
        .settled = host_settled,
        .no_process = host_nothing,
        .slices_made = host_nothing,
        .spare_pidfd = host_spare_pidfd,
};

/* — the owner — */

static Attempt *of(ProcessOwner *owner) {
        return container_of(owner, Attempt, owner);
}

static int attempt_prepare(ProcessOwner *owner, UnitPurpose purpose, ExecRequest *request, ExecResult *result) {
        Attempt *attempt = of(owner);

        if (!attempt->argv)
                return -ECANCELED;
        request->label = "attempt";
        request->path = attempt->argv[0];
        request->argv = attempt->argv;
        request->umask = 0022;
        return 0;
}

static void attempt_spawned(ProcessOwner *owner, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        Attempt *attempt = of(owner);

        attempt->pid = pid;
        text_addf(&attempt->world->calls, "spawned %s %s\n", owner->name,
                  pid > 0 ? "" : exec_step_to_string(result->step));
}

static void attempt_exited(ProcessOwner *owner, const UnitExit *exit) {
        Attempt *attempt = of(owner);

        cr_expect(eq(int, exit->pid, attempt->pid));
        text_addf(&attempt->world->calls, "exited %s %d %d\n", owner->name, exit->code, exit->status);
}

static void attempt_elapsed(ProcessOwner *owner, UnitPurpose purpose) {
        text_addf(&of(owner)->world->calls, "elapsed %s %d\n", owner->name, purpose);
}

static void attempt_fd_ready(ProcessOwner *owner, uint32_t index, uint32_t events) {
        text_addf(&of(owner)->world->calls, "ready %s %u\n", owner->name, index);
        process_watch_remove(owner, index);
}

static void attempt_changed(ProcessOwner *owner) {
        of(owner)->n_changes++;
}

static const ProcessOwnerOps attempt_ops = {
        .prepare = attempt_prepare,
        .spawned = attempt_spawned,
        .exited = attempt_exited,
        .elapsed = attempt_elapsed,
        .fd_ready = attempt_fd_ready,
        .changed = attempt_changed,
};

/* — the world — */

static int on_sigchld(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        process_table_arm(((World *) userdata)->table);
        return 0;
}

static void world_init(World *world) {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGCHLD);
        sigprocmask(SIG_BLOCK, &set, NULL);
        *world = (World) { .host = { .ops = &host_ops, .userdata = world } };
        cr_assert(ge(int, sd_event_new(&world->host.event), 0));
        cr_assert(ge(int, sd_event_add_signal(world->host.event, NULL, SIGCHLD, on_sigchld, world), 0));
        cr_assert(eq(int, outbox_new(&world->outbox), 0));
        world->host.outbox = world->outbox;
        world->host.keeper = &no_keeper;
        cr_assert(eq(int, process_timers_new(&world->timers), 0));
        cr_assert(eq(int, process_table_new(&world->table, &world->host), 0));
        cr_assert(eq(int, process_rest_new(&world->rest, &world->host, world->table), 0));
        cr_assert(eq(int, process_errands_new(&world->errands, &world->host, world->table, world->rest), 0));
}

static void world_deinit(World *world) {
        outbox_free(world->outbox);
        process_errands_free(world->errands);
        process_rest_free(world->rest);
        process_table_free(world->table);
        process_timers_free(world->timers);
        sd_event_unref(world->host.event);
        text_deinit(&world->calls);
}

/* A flush may report something, and no event need follow it. */
static void world_turn(World *world) {
        const size_t n = world->calls.n;

        outbox_flush(world->outbox);
        cr_assert(ge(int, sd_event_run(world->host.event, world->calls.n > n ? 0 : USEC_PER_SEC), 0));
}

static void world_wait(World *world, const char *calls) {
        for (unsigned i = 0; i < 30 && (!world->calls.string || strcmp(world->calls.string, calls) != 0); i++)
                world_turn(world);
        assert_string(world->calls.string, calls);
}

static void attempt_init(Attempt *attempt, World *world, const char *name) {
        *attempt = (Attempt) { .owner = { .ops = &attempt_ops, .name = name }, .world = world };
}

static void attempt_deinit(Attempt *attempt) {
        process_timers_forget_owner(attempt->world->timers, &attempt->owner);
        process_table_forget_owner(attempt->world->table, &attempt->owner);
        process_errands_forget_owner(attempt->world->errands, &attempt->owner);
        process_watch_forget_owner(&attempt->owner);
}

Test(process_owner, is_told_of_its_process_and_the_end_of_it) {
        char *argv[] = { (char *) "/bin/sh", (char *) "-c", (char *) "exit 7", NULL };
        Attempt attempt;
        World world;

        world_init(&world);
        attempt_init(&attempt, &world, "flow/1/a");
        attempt.argv = argv;
        cr_assert(eq(int, process_errands_spawn(world.errands, &attempt.owner, UNIT_PURPOSE_MAIN), 0));
        cr_assert(eq(u32, attempt.owner.n_errands, 1));
        world_wait(&world, "spawned flow/1/a \nexited flow/1/a 1 7\n");
        cr_assert(eq(u32, attempt.owner.n_errands, 0));
        assert_null(attempt.owner.processes);
        cr_assert(lt(uint, 0, attempt.n_changes));
        attempt_deinit(&attempt);
        world_deinit(&world);
}

Test(process_owner, without_a_rest_has_no_processes_beside_the_known_ones) {
        Attempt attempt;
        World world;

        world_init(&world);
        attempt_init(&attempt, &world, "flow/1/rest");
        cr_assert(eq(int, process_errands_kill_rest(world.errands, &attempt.owner, 0, 0, 0), 0));
        cr_assert(eq(int, process_errands_kill_rest(world.errands, &attempt.owner, SIGTERM, 0, 0), 0));
        attempt_deinit(&attempt);
        world_deinit(&world);
}

Test(process_owner, is_told_why_there_is_no_process) {
        char *argv[] = { (char *) "/nonexistent", NULL };
        Attempt attempt;
        World world;

        world_init(&world);
        attempt_init(&attempt, &world, "flow/1/b");
        attempt.argv = argv;
        cr_assert(eq(int, process_errands_spawn(world.errands, &attempt.owner, UNIT_PURPOSE_MAIN), 0));
        world_wait(&world, "spawned flow/1/b program\n");
        assert_null(attempt.owner.processes);
        while (process_table_count(world.table) > 0)
                world_turn(&world);             /* until the process was reaped, of which the owner is not informed */
        attempt_deinit(&attempt);
        world_deinit(&world);
}

Test(process_owner, signals_only_its_own_processes) {
        char *argv[] = { (char *) "/bin/sleep", (char *) "1000", NULL };
        Attempt attempt, other;
        World world;

        world_init(&world);
        attempt_init(&attempt, &world, "a");
        attempt_init(&other, &world, "b");
        attempt.argv = argv;
        cr_assert(eq(int, process_errands_spawn(world.errands, &attempt.owner, UNIT_PURPOSE_MAIN), 0));
        while (attempt.pid == 0)
                world_turn(&world);
        cr_assert(eq(int, process_errands_kill(world.errands, &other.owner, attempt.pid, SIGTERM, false), -ESRCH));
        cr_assert(eq(int, process_errands_kill(world.errands, &attempt.owner, attempt.pid, SIGTERM, false), 0));
        world_wait(&world, "spawned a \nexited a 2 15\n");
        attempt_deinit(&other);
        attempt_deinit(&attempt);
        world_deinit(&world);
}

Test(process_owner, an_errand_of_one_that_is_gone_is_not_run) {
        char *argv[] = { (char *) "/bin/true", NULL };
        Attempt attempt;
        World world;

        world_init(&world);
        attempt_init(&attempt, &world, "a");
        attempt.argv = argv;
        cr_assert(eq(int, process_errands_spawn(world.errands, &attempt.owner, UNIT_PURPOSE_MAIN), 0));
        attempt_deinit(&attempt);
        outbox_flush(world.outbox);
        assert_null(world.calls.string);
        cr_assert(eq(sz, process_table_count(world.table), 0));
        world_deinit(&world);
}

/* The outbox has not done with the last errand when the stretch at its end makes the processes that wait. */
Test(process_owner, the_last_of_many_may_be_canceled_while_it_waits) {
        enum { N = 64 };
        static Attempt attempts[N + 1];
        char *argv[] = { (char *) "/bin/true", NULL };

        for (unsigned n = 0; n <= N; n++) {
                World world;

                world_init(&world);
                for (unsigned i = 0; i <= n; i++) {
                        attempt_init(&attempts[i], &world, "a");
                        attempts[i].argv = i < n ? argv : NULL;
                        cr_assert(eq(int, process_errands_spawn(world.errands, &attempts[i].owner, UNIT_PURPOSE_MAIN),
                                     0));
                }
                do
                        world_turn(&world);
                while (!process_errands_are_settled(world.errands) || process_table_count(world.table) > 0);
                cr_assert(eq(int, attempts[n].pid, 0));
                for (unsigned i = 0; i <= n; i++) {
                        cr_assert(eq(u32, attempts[i].owner.n_errands, 0));
                        attempt_deinit(&attempts[i]);
                }
                world_deinit(&world);
        }
}

/* Each owner but the last takes back the process of the next one, which may be waiting or on its way. */
static void rival_spawned(ProcessOwner *owner, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        Attempt *attempt = of(owner);

        attempt->pid = pid;
        attempt->n_told++;
        if (!attempt->is_last)
                process_errands_take_back(attempt->world->errands, &attempt[1].owner, UNIT_PURPOSE_MAIN, NULL);
}

Test(process_owner, what_waits_or_is_on_its_way_may_be_taken_back) {
        static const ProcessOwnerOps rival_ops = {
                .prepare = attempt_prepare, .spawned = rival_spawned, .changed = attempt_changed };
        enum { N = 200 };
        static Attempt attempts[N];
        char *argv[] = { (char *) "/bin/true", NULL };
        World world;

        world_init(&world);
        for (unsigned i = 0; i < N; i++) {
                attempt_init(&attempts[i], &world, "a");
                attempts[i].owner.ops = &rival_ops;
                attempts[i].argv = argv;
                attempts[i].is_last = i == N - 1;
                cr_assert(eq(int, process_errands_spawn(world.errands, &attempts[i].owner, UNIT_PURPOSE_MAIN), 0));
        }
        do
                world_turn(&world);
        while (!process_errands_are_settled(world.errands) || process_table_count(world.table) > 0);
        cr_expect(eq(uint, attempts[0].n_told, 1));
        for (unsigned i = 0; i < N; i++) {
                cr_expect(le(uint, attempts[i].n_told, 1));
                cr_expect(eq(u32, attempts[i].owner.n_errands, 0));
                attempt_deinit(&attempts[i]);
        }
        world_deinit(&world);
}

Test(process_owner, timers_and_descriptors_are_told_by_purpose_and_number) {
        Attempt attempt;
        World world;
        int pipe[2];

        world_init(&world);
        attempt_init(&attempt, &world, "a");
        cr_assert(eq(int, process_timers_set(world.timers, &attempt.owner, UNIT_PURPOSE_RESTART, 20), 0));
        cr_assert(eq(int, process_timers_set(world.timers, &attempt.owner, UNIT_PURPOSE_WATCHDOG, 10), 0));
        cr_assert(eq(u64, process_timers_next(world.timers), 10));
        process_timers_run(world.timers, 15);
        cr_assert(process_timers_has(&attempt.owner, UNIT_PURPOSE_RESTART));
        cr_assert(not(process_timers_has(&attempt.owner, UNIT_PURPOSE_WATCHDOG)));

        cr_assert(eq(int, pipe2(pipe, O_CLOEXEC), 0));
        cr_assert(eq(int, process_watch_add(&world.host, &attempt.owner, 3, pipe[0], POLLIN), 0));
        cr_assert(eq(sz, write(pipe[1], "x", 1), 1));
        world_wait(&world, "elapsed a 5\nready a 3\n");
        assert_null(attempt.owner.watches);
        attempt_deinit(&attempt);
        cr_assert(eq(sz, process_timers_count(world.timers), 0));
        close(pipe[0]);
        close(pipe[1]);
        world_deinit(&world);
}

/* Each process is removed from its lists without a walk: with walks this would take minutes. */
Test(process_owner, thousands_of_processes_of_one_owner_end_in_any_order) {
        enum { N = 20000 };
        const pid_t first = 1000000;
        Attempt attempt;
        World world;

        world_init(&world);
        attempt_init(&attempt, &world, "a");
        attempt.owner.ops = &(ProcessOwnerOps) { .changed = attempt_changed };
        for (pid_t i = 0; i < N; i++)
                cr_assert(eq(int, process_table_add(world.table, &(Process) {
                        .pid = first + i, .pidfd = -1, .owner = &attempt.owner }, 0), 0));
        for (pid_t i = 0; i < N; i += 2)
                process_table_take_exit(world.table, &(UnitExit) { .pid = first + i });
        cr_assert(eq(sz, process_table_count(world.table), N / 2));
        for (pid_t i = N - 1; i > 0; i -= 2)
                process_table_take_exit(world.table, &(UnitExit) { .pid = first + i });
        assert_null(attempt.owner.processes);
        attempt_deinit(&attempt);
        world_deinit(&world);
}

/* — who it is — */

static usec_t start_of(pid_t pid) {
        ExecProcess process;

        cr_assert(eq(int, exec_process_read(pid, &process), 0));
        return exec_process_start(&process);
}

static void spawn_sleeper(World *world, Attempt *attempt) {
        static char *argv[] = { (char *) "/bin/sleep", (char *) "1000", NULL };

        attempt->argv = argv;
        attempt->pid = 0;
        cr_assert(eq(int, process_errands_spawn(world->errands, &attempt->owner, UNIT_PURPOSE_MAIN), 0));
        while (attempt->pid == 0)
                world_turn(world);
}

Test(process_owner, a_process_is_known_by_the_moment_in_which_it_began) {
        Attempt attempt;
        World world;

        world_init(&world);
        attempt_init(&attempt, &world, "a");
        for (unsigned i = 0; i < 50; i++) {
                spawn_sleeper(&world, &attempt);
                cr_expect(eq(u64, process_table_find(world.table, attempt.pid)->started, start_of(attempt.pid)));
                kill(attempt.pid, SIGKILL);
                while (process_table_count(world.table) > 0)
                        world_turn(&world);
        }
        attempt_deinit(&attempt);
        world_deinit(&world);
}

/* Written down as in @format, with a start that differs by @late from the real one: is it taken for the same process? */
static bool is_found_again(unsigned format, int64_t late) {
        RecordWriter writer = {};
        RecordReader reader;
        Attempt attempt;
        World world;
        bool is_found;

        world_init(&world);
        attempt_init(&attempt, &world, "a");
        spawn_sleeper(&world, &attempt);
        attempt.owner.processes->started += (usec_t) late;
        process_table_write(&attempt.owner, &writer);
        record_reader_init(&reader, writer.bytes, writer.n);
        reader.format = format;
        is_found = process_table_look(&reader);
        cr_assert(not(reader.has_failed));
        kill(attempt.pid, SIGKILL);
        record_writer_deinit(&writer);
        attempt_deinit(&attempt);
        world_deinit(&world);
        return is_found;
}

Test(process_owner, a_start_that_was_written_down_is_the_only_one) {
        const int64_t tick = (int64_t) exec_process_start(&(ExecProcess) { .start_time = 1 });

        cr_expect(is_found_again(6, 0));
        cr_expect(not(is_found_again(6, tick)));
        cr_expect(not(is_found_again(6, -tick)));
        /* Earlier records had a time shortly before. */
        cr_expect(is_found_again(5, -(int64_t) USEC_PER_SEC));
        cr_expect(not(is_found_again(5, -(int64_t) (4 * USEC_PER_SEC))));
        cr_expect(not(is_found_again(5, (int64_t) USEC_PER_SEC)));
}
