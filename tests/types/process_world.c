/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One service with real processes
 *
 * The world sleeps in sigtimedwait() until a child ends or a timer is due. Exits of children that are not watched are
 * dropped, as in any subreaper.
 */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "double/double_sink.h"
#include "exec/exec.h"
#include "exec/exec_kill.h"
#include "process_world.h"
#include "types/unit_types.h"

/* Ends a test that hangs; long, since the machine may be slow and busy. */
#define PATIENCE (5 * USEC_PER_MINUTE)

/* The interval at which a test looks for a file. */
#define LOOK_AGAIN (5 * USEC_PER_MSEC)

static ProcessWorld *world_of(UnitHost *host) {
        return container_of(host, ProcessWorld, host);
}

static usec_t host_now(UnitHost *host) {
        return clock_monotonic();
}

static usec_t host_now_realtime(UnitHost *host) {
        return clock_realtime();
}

static int host_set_timer(UnitHost *host, Unit *unit, UnitPurpose purpose, usec_t deadline) {
        world_of(host)->timers[purpose] = deadline;
        return 0;
}

static int host_spawn(UnitHost *host, Unit *unit, UnitPurpose purpose) {
        ProcessWorld *world = world_of(host);

        world->outbox[world->n_outbox++] = purpose;
        return 0;
}

static int host_watch_process(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid) {
        world_of(host)->watched[purpose] = pid;
        return 0;
}

static void host_unwatch_process(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid) {
        world_of(host)->watched[purpose] = 0;
}

static int host_kill(UnitHost *host, Unit *unit, pid_t pid, int number, bool is_group) {
        return exec_kill(pid, -1, number, is_group);
}

static int host_kill_rest(UnitHost *host, Unit *unit, int number, pid_t main_pid, pid_t control_pid) {
        return exec_kill_rest(&(ExecRest) {
                .invocation_id = unit->invocation_id, .main_pid = main_pid, .control_pid = control_pid }, number);
}

static int host_request_job(UnitHost *host, Unit *unit, JobType type, JobMode mode, const char *reason) {
        world_of(host)->wants_start = true;
        return 0;
}

static void host_request_action(UnitHost *host, Unit *unit, int action, int exit_status, const char *reason) {
}

static void host_log(UnitHost *host, Unit *unit, int level, const char *message) {
}

static const UnitHostOps host_ops = {
        .now = host_now,
        .now_realtime = host_now_realtime,
        .set_timer = host_set_timer,
        .spawn = host_spawn,
        .watch_process = host_watch_process,
        .unwatch_process = host_unwatch_process,
        .kill = host_kill,
        .kill_rest = host_kill_rest,
        .request_job = host_request_job,
        .request_action = host_request_action,
        .log = host_log,
};

static void free_settings(void *settings) {
        service_settings_free(settings);
}

static int load(void *userdata, Unit *unit) {
        ProcessWorld *world = userdata;

        cr_assert(service_settings_new(&world->settings) == 0);
        unit->type_settings = world->settings;
        unit->type_settings_free = free_settings;
        unit->load_state = UNIT_LOADED;
        return 0;
}

static bool may_exist_now(void *userdata, const Unit *unit) {
        return false;
}

static const UnitLoaderOps loader_ops = { .load = load, .may_exist_now = may_exist_now };

ProcessWorld *process_world_new(ServiceType type) {
        ProcessWorld *world = calloc(1, sizeof(*world));
        cleanup_free_ char *folder = NULL;
        sigset_t set;

        cr_assert(world != NULL);
        sigemptyset(&set);
        sigaddset(&set, SIGCHLD);
        sigprocmask(SIG_BLOCK, &set, NULL);
        prctl(PR_SET_CHILD_SUBREAPER, 1);

        strcpy(world->folder, "/tmp/test-service-XXXXXX");
        cr_assert(mkdtemp(world->folder) != NULL);
        world->host.ops = &host_ops;
        for (size_t i = 0; i < _UNIT_PURPOSE_MAX; i++)
                world->timers[i] = USEC_INFINITY;
        cr_assert(unit_table_new(&world->table) == 0);
        unit_table_set_host(world->table, &world->host);
        unit_table_set_loader(world->table, &loader_ops, world);
        unit_table_set_type(world->table, &service_vtable);
        cr_assert(unit_table_load(world->table, "x.service", &world->unit) == 0);
        world->settings->type = type;
        cr_assert(text_format(&folder, "D=%s", world->folder) == 0);
        cr_assert(strv_push(&world->settings->exec.environment, folder) == 0);
        return world;
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place) {
        return remove(path);
}

ProcessWorld *process_world_free(ProcessWorld *world) {
        if (!world)
                return NULL;
        nftw(world->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        unit_table_free(world->table);
        free(world);
        return NULL;
}

void process_world_script(ProcessWorld *world, ServiceExec kind, const char *script) {
        ExecCommand *command = calloc(1, sizeof(*command)), **slot = &world->settings->commands[kind];

        cr_assert(command != NULL);
        command->flags = EXEC_NO_EXPANSION;
        command->path = strdup("/bin/sh");
        cr_assert(strv_push(&command->argv, "sh") == 0);
        cr_assert(strv_push(&command->argv, "-c") == 0);
        cr_assert(strv_push(&command->argv, script) == 0);
        while (*slot)
                slot = &(*slot)->next;
        *slot = command;
}

static void spawn(ProcessWorld *world, UnitPurpose purpose) {
        cleanup_(exec_request_deinit) ExecRequest request = {};
        ExecResult result = {};
        int pidfd = -1;
        pid_t pid = 0;

        if (service_vtable.prepare_spawn(world->unit, purpose, &request) < 0)
                return;
        if (exec_spawn(&request, &pid, &pidfd, &result) < 0)
                pid = 0;
        else if (pidfd >= 0)
                close(pidfd);
        world->watched[purpose] = pid;
        service_vtable.spawned(world->unit, purpose, pid, &result);
}

static void flush(ProcessWorld *world) {
        if (world->wants_start) {
                world->wants_start = false;
                unit_start(world->unit);
        }
        for (size_t i = 0; i < world->n_outbox; i++)
                spawn(world, world->outbox[i]);
        world->n_outbox = 0;
}

static void reap(ProcessWorld *world) {
        siginfo_t info = {};

        while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) == 0 && info.si_pid > 0) {
                const UnitExit exit = { .pid = info.si_pid, .code = info.si_code, .status = info.si_status,
                                        .time = clock_monotonic() };

                for (size_t i = 0; i < _UNIT_PURPOSE_MAX; i++)
                        if (world->watched[i] == exit.pid) {
                                world->watched[i] = 0;
                                service_vtable.child_exited(world->unit, &exit);
                        }
                info.si_pid = 0;
        }
}

static void fire(ProcessWorld *world) {
        usec_t now = clock_monotonic();

        for (size_t i = 0; i < _UNIT_PURPOSE_MAX; i++)
                if (world->timers[i] <= now) {
                        world->timers[i] = USEC_INFINITY;
                        service_vtable.timer_elapsed(world->unit, (UnitPurpose) i);
                }
}

/* One turn: sends what is in the outbox, then handles what comes within @most. */
static void turn(ProcessWorld *world, usec_t most) {
        usec_t now = clock_monotonic(), deadline = now + most;
        struct timespec wait;
        sigset_t set;

        flush(world);
        for (size_t i = 0; i < _UNIT_PURPOSE_MAX; i++)
                if (world->timers[i] < deadline)
                        deadline = world->timers[i];
        deadline = deadline > now ? deadline - now : 0;
        wait = (struct timespec) { .tv_sec = (time_t) (deadline / USEC_PER_SEC),
                                   .tv_nsec = (long) (deadline % USEC_PER_SEC * 1000) };
        sigemptyset(&set);
        sigaddset(&set, SIGCHLD);
        sigtimedwait(&set, NULL, &wait);
        reap(world);
        fire(world);
        flush(world);
}

void process_world_await(ProcessWorld *world, const char *sub_state) {
        usec_t end = clock_monotonic() + PATIENCE;

        flush(world);
        while (strcmp(unit_sub_state(world->unit), sub_state) != 0) {
                cr_assert(clock_monotonic() < end, "stuck in %s, not %s", unit_sub_state(world->unit), sub_state);
                turn(world, PATIENCE);
        }
}

void process_world_await_property(ProcessWorld *world, const char *name, const char *value) {
        usec_t end = clock_monotonic() + PATIENCE;

        flush(world);
        while (strcmp(process_world_property(world, name), value) != 0) {
                cr_assert(clock_monotonic() < end, "%s stays %s", name, process_world_property(world, name));
                turn(world, PATIENCE);
        }
}

const char *process_world_await_file(ProcessWorld *world, const char *name, size_t size) {
        usec_t end = clock_monotonic() + PATIENCE;
        static char text[4096];
        char path[128];
        ssize_t n = 0;

        snprintf(path, sizeof(path), "%s/%s", world->folder, name);
        for (;;) {
                int fd = open(path, O_RDONLY | O_CLOEXEC);

                n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
                if (fd >= 0)
                        close(fd);
                if (n >= (ssize_t) size)
                        break;
                cr_assert(clock_monotonic() < end, "%s does not appear", path);
                turn(world, LOOK_AGAIN);
        }
        text[n] = '\0';
        return text;
}

const char *process_world_property(const ProcessWorld *world, const char *name) {
        static char text[8192];
        const UnitProperty *property;

        for (size_t i = 0; (property = unit_property_at(service_vtable.properties, i)); i++) {
                DoubleSink sink;

                if (strcmp(property->name, name) != 0)
                        continue;
                double_sink_init(&sink);
                unit_property_write(property, world->unit, &sink.sink);
                snprintf(text, sizeof(text), "%s", double_sink_string(&sink));
                double_sink_deinit(&sink);
                return text;
        }
        cr_fatal("no property %s", name);
        return NULL;
}
