/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "exec/exec_kill.h"
#include "manager_world.h"

/* The time limit of a test that hangs. The machine may be slow and busy. */
#define PATIENCE (5 * USEC_PER_MINUTE)

/* There is one world in each process, as Criterion runs each test in a process of its own. */
static World *the_world;

/* Keeps one descriptor: the notify socket. Others are lost; a state that nobody holds cannot be committed. */
static int keep_fd(void *userdata, const char *name, int fd) {
        World *world = userdata;

        if (strcmp(name, "state") == 0)
                return -ENOSPC;
        if (strcmp(name, "notify") != 0)
                return 0;
        if (world->kept_fd >= 0)
                close(world->kept_fd);
        world->kept_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        return 0;
}

static int give_fd(void *userdata, const char *name) {
        const World *world = userdata;

        return world->kept_fd < 0 || strcmp(name, "notify") != 0 ? -ENOENT : fcntl(world->kept_fd, F_DUPFD_CLOEXEC, 3);
}

static int drop_fd(void *userdata, const char *name) {
        return 0;
}

static bool has_exit(void *userdata, pid_t pid) {
        return false;
}

static void committed(void *userdata) {
}

static void tell(void *userdata, const char *text) {
}

static const ProcessKeeperOps keeper_ops = {
        .store_fd = keep_fd,
        .take_fd = give_fd,
        .drop_fd = drop_fd,
        .has_exit = has_exit,
        .committed = committed,
        .notify = tell,
};

static void make_manager(World *world, bool is_again) {
        cleanup_(failure_deinit) Failure failure = {};
        int r;

        r = manager_new(&world->manager, &(ManagerOptions) {
                .is_machine = world->is_machine,
                .no_default_dependencies = true,
                .unit_path = world->folder,
                .runtime_directory = world->runtime,
                .default_unit = world->default_unit,
                .shutdown_timeout = PATIENCE,
                .keeper = { .ops = &keeper_ops, .userdata = world, .is_again = is_again },
        }, &failure);
        cr_assert(eq(int, r, 0), "%s", failure_message(&failure));
}

static World *make_world(const char *default_unit, bool is_machine) {
        World *world = calloc(1, sizeof(*world));

        world->is_machine = is_machine;
        log_set_level(LOG_LEVEL_ERROR);
        snprintf(world->folder, sizeof(world->folder), "/tmp/jobd-manager-XXXXXX");
        assert_not_null(mkdtemp(world->folder));
        snprintf(world->runtime, sizeof(world->runtime), "%s/run", world->folder);
        cr_assert(eq(int, mkdir(world->runtime, 0755), 0));
        world->default_unit = default_unit;
        world->kept_fd = -1;
        make_manager(world, false);
        the_world = world;
        return world;
}

World *world_new_with(const char *default_unit) {
        return make_world(default_unit, false);
}

World *world_new_machine(const char *default_unit) {
        return make_world(default_unit, true);
}

void world_restart(World *world) {
        world->manager = manager_free(world->manager);
        make_manager(world, true);
}

void world_begin(World *world) {
        world->manager = manager_free(world->manager);
        make_manager(world, false);
}

World *world_new(void) {
        World *world = world_new_with("");

        world_settle(world);
        return world;
}

World *world_free(World *world) {
        char command[128];

        if (!world)
                return NULL;
        exec_kill_descendants(SIGKILL);
        manager_free(world->manager);
        if (world->kept_fd >= 0)
                close(world->kept_fd);
        text_deinit(&world->calls);
        snprintf(command, sizeof(command), "rm -rf %s", world->folder);
        cr_assert(eq(int, system(command), 0));
        free(world);
        return NULL;
}

void world_write(World *world, const char *name, const char *text) {
        char path[256];
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s", world->folder, name);
        file = fopen(path, "we");
        assert_not_null(file);
        fputs(text, file);
        fclose(file);
}

void world_remove(World *world, const char *name) {
        char path[256];

        snprintf(path, sizeof(path), "%s/%s", world->folder, name);
        cr_assert(eq(int, unlink(path), 0));
}

static int fake_init(Unit *unit) {
        return 0;
}

static void fake_deinit(Unit *unit) {
}

static UnitAnswer fake_start(Unit *unit) {
        text_addf(&the_world->calls, "start %s;", unit->id);
        unit_publish(unit, UNIT_ACTIVATING, 0);
        return UNIT_UNDER_WAY;
}

static UnitAnswer fake_stop(Unit *unit) {
        text_addf(&the_world->calls, "stop %s;", unit->id);
        unit_publish(unit, UNIT_INACTIVE, 0);
        return UNIT_UNDER_WAY;
}

static void fake_exited(Unit *unit, const UnitExit *exit) {
        text_addf(&the_world->calls, "exit %d %d %s;", (int) exit->pid, exit->status, unit->id);
}

static void fake_timer(Unit *unit, UnitPurpose purpose) {
        text_addf(&the_world->calls, "timer %d %s;", (int) purpose, unit->id);
}

static void fake_notified(Unit *unit, pid_t sender, char *const *assignments) {
        text_addf(&the_world->calls, "notify %s", unit->id);
        for (; *assignments; assignments++)
                text_addf(&the_world->calls, " %s", *assignments);
        text_add(&the_world->calls, ";");
}

static int fake_prepare(Unit *unit, UnitPurpose purpose, struct ExecRequest *request) {
        text_addf(&the_world->calls, "prepare %s;", unit->id);
        return -ECANCELED;
}

static void fake_refused(Unit *unit, const Failure *failure) {
        text_addf(&the_world->calls, "refused %s;", unit->id);
}

static const UnitVTable fake_service = {
        .type = UNIT_SERVICE,
        .interface = "Service",
        .init = fake_init,
        .deinit = fake_deinit,
        .start = fake_start,
        .stop = fake_stop,
        .prepare_spawn = fake_prepare,
        .child_exited = fake_exited,
        .timer_elapsed = fake_timer,
        .notified = fake_notified,
        .job_refused = fake_refused,
};

void world_fake_services(World *world) {
        unit_table_set_type(manager_units(world->manager), &fake_service);
}

const char *world_calls(World *world) {
        return world->calls.n > 0 ? world->calls.string : "";
}

void world_clear_calls(World *world) {
        text_deinit(&world->calls);
        world->calls = (Text) {};
}

Unit *world_load(World *world, const char *name) {
        Unit *unit = NULL;

        cr_assert(eq(int, manager_load_unit(world->manager, name, &unit, NULL), 0));
        cr_assert(eq(int, (int) unit->load_state, UNIT_LOADED), "%s: %s", name, failure_message(&unit->load_failure));
        return unit;
}

void world_exec(World *world, JobMode mode, const char *request) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        const char *colon = strchr(request, ':');
        JobRequest anchor = { .unit = colon + 1 };
        char type[32];
        int r;

        snprintf(type, sizeof(type), "%.*s", (int) (colon - request), request);
        cr_assert(eq(int, job_type_from_request(type, &anchor.type, &anchor.reload_if_possible), 0));
        r = manager_exec(world->manager, &anchor, 1, mode, NULL, &plan);
        cr_assert(eq(int, r, JOB_MANAGER_E_SUCCESS), "%s: %s", request, plan ? failure_message(&plan->failure) : "?");
}

void world_wait(World *world, WorldQuestion is_there, const void *argument) {
        usec_t end = clock_monotonic() + PATIENCE;

        while (!is_there(world, argument)) {
                int r = manager_turn(world->manager, usec_sub(end, clock_monotonic()));

                cr_assert(ge(int, r, 0));
                cr_assert(clock_monotonic() < end, "waited in vain; so far: %s", world_calls(world));
                world->n_turns++;
        }
}

void world_turn(World *world) {
        cr_assert(eq(int, manager_turn(world->manager, PATIENCE), 1));
        world->n_turns++;
}

void world_settle(World *world) {
        int r;

        do {
                while ((r = manager_turn(world->manager, process_errands_are_settled(world->manager->errands) ? 0 : PATIENCE)) > 0)
                        world->n_turns++;
        } while (!process_errands_are_settled(world->manager->errands));
        cr_assert(eq(int, r, 0));
}

bool world_is_active(World *world, const void *unit) {
        const Unit *found = manager_find_unit(world->manager, unit);

        return found && found->active_state == UNIT_ACTIVE;
}

bool world_is_failed(World *world, const void *unit) {
        const Unit *found = manager_find_unit(world->manager, unit);

        return found && found->active_state == UNIT_FAILED;
}

bool world_is_gone_or_inactive(World *world, const void *unit) {
        const Unit *found = manager_find_unit(world->manager, unit);

        return !found || found->active_state == UNIT_INACTIVE;
}

bool world_has_calls(World *world, const void *text) {
        return strstr(world_calls(world), text) != NULL;
}

int world_add_process(World *world, Unit *unit, UnitPurpose purpose, pid_t pid, int pidfd, usec_t since) {
        return process_table_add(world->manager->processes, &(Process) {
                .pid = pid, .pidfd = pidfd, .owner = manager_make_owner(world->manager, unit), .purpose = purpose },
                                 since);
}

int world_watch_process(World *world, Unit *unit, UnitPurpose purpose, pid_t pid) {
        return world->manager->host.ops->watch_process(&world->manager->host, unit, purpose, pid);
}

void world_forget_process(World *world, Unit *unit, pid_t pid) {
        world->manager->host.ops->unwatch_process(&world->manager->host, unit, UNIT_PURPOSE_MAIN, pid);
}

size_t world_strays(World *world, UnitExit *ret_last) {
        const UnitExit *strays;
        size_t n;

        strays = process_table_strays(world->manager->processes, &n);
        if (ret_last && n > 0)
                *ret_last = strays[n - 1];
        return n;
}
