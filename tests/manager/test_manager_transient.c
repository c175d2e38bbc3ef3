/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Files of units that clients make: how long they are there.
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "exec/exec_process.h"
#include "manager/manager_section.h"
#include "manager_world.h"

static bool has_file(World *world) {
        cleanup_free_ char *path = NULL;

        cr_assert(eq(int, text_join_path(world->manager->transients.folder, "made.service", &path), 0));
        return access(path, F_OK) == 0;
}

static bool is_there(World *world) {
        return manager_find_unit(world->manager, "made.service") != NULL;
}

static World *world_with_made(void) {
        cleanup_(failure_deinit) Failure failure = {};
        World *world = world_new();
        Unit *unit;

        world_fake_services(world);
        cr_assert(eq(int, manager_make_transient(world->manager, "made.service", "[Service]\nExecStart=/bin/true\n",
                                                 &unit,
                                                 &failure), 0));
        state_commit(world->manager->turn.state);
        cr_assert(has_file(world));
        return world;
}

Test(manager_transient, the_file_stays_until_it_is_written_down_that_the_unit_is_gone) {
        cleanup_(world_freep) World *world = world_with_made();

        manager_unloading_run(&world->manager->unloading);
        cr_assert(not(is_there(world)));
        cr_assert(has_file(world));
        state_commit(world->manager->turn.state);
        cr_assert(not(has_file(world)));
}

/* There may be turns, and requests of clients, between the two. */
Test(manager_transient, who_is_asked_for_before_that_keeps_its_file) {
        cleanup_(world_freep) World *world = world_with_made();

        manager_unloading_run(&world->manager->unloading);
        world_load(world, "made.service");
        state_commit(world->manager->turn.state);
        cr_assert(has_file(world));

        manager_unloading_run(&world->manager->unloading);
        cr_assert(not(is_there(world)));
        state_commit(world->manager->turn.state);
        cr_assert(not(has_file(world)));
}

/* A unit that was dropped is asked for again, and then another is to be made under its name: it keeps its file. */
Test(manager_transient, who_is_asked_for_before_that_keeps_its_file_from_who_wants_its_name) {
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_(world_freep) World *world = world_with_made();
        Unit *unit;

        manager_unloading_run(&world->manager->unloading);
        unit_publish(world_load(world, "made.service"), UNIT_ACTIVE, 0);
        cr_assert(eq(int, manager_make_transient(world->manager, "made.service", "[Service]\nExecStart=/bin/false\n",
                                                 &unit,
                                                 &failure), -EEXIST));
        state_commit(world->manager->turn.state);
        cr_assert(has_file(world));
}

static void damage(const World *world, const char *name) {
        char path[200];
        int fd;

        snprintf(path, sizeof(path), "%s/%s", world->runtime, name);
        fd = open(path, O_WRONLY | O_CLOEXEC);
        cr_assert(pwrite(fd, "garbage", 7, 0) == 7);
        close(fd);
}

/* The process is found by its environment, which the kernel sets in the last part of an execve(). */
static void await_environment(const World *world, const Unit *unit) {
        const Process *process = manager_unit_process_list(world->manager, unit);
        cleanup_free_ char *name = NULL;

        assert_not_null(process);
        while (exec_process_read_variable(process->pid, "JOBD_UNIT", &name) < 0)
                sched_yield();
        assert_string(name, unit->id);
}

/* The file says of which commit it is, and commits are counted anew then, unless the journal tells. */
Test(manager_transient, a_file_outlives_a_state_that_was_lost_and_the_next_one) {
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_(world_freep) World *world = world_new();
        Unit *unit;

        for (unsigned i = 0; i < 100; i++) {
                manager_mark_self(world->manager->turn.state);
                state_commit(world->manager->turn.state);
        }
        cr_assert(eq(int, manager_make_transient(world->manager, "made.service",
                                                 "[Service]\nExecStart=/bin/sleep 1000\n", &unit,
                                                 &failure), 0));
        world_exec(world, JOB_REPLACE, "start:made.service");
        world_wait(world, world_is_active, "made.service");
        await_environment(world, unit);
        state_commit(world->manager->turn.state);
        world->manager = manager_free(world->manager);
        damage(world, "state");
        damage(world, "journal");
        world_restart(world);
        cr_assert(world_is_active(world, "made.service"));
        cr_assert(has_file(world));
        state_commit(world->manager->turn.state);

        world_restart(world);
        cr_assert(has_file(world));
        cr_assert(world_is_active(world, "made.service"));
        cr_assert(eq(int, (int) world_load(world, "made.service")->load_state, UNIT_LOADED));
}
