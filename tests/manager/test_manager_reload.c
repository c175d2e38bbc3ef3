/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Reading unit files again, with units and jobs in place.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "manager_world.h"

static void on_reloading(void *userdata, bool active) {
        text_add(&((World *) userdata)->calls, active ? "reloading;" : "reloaded;");
}

static void on_files_changed(void *userdata) {
        text_add(&((World *) userdata)->calls, "files;");
}

static const ManagerListenerOps listener = { .reloading = on_reloading, .unit_files_changed = on_files_changed };

Test(manager_reload, tells_what_is_new_and_keeps_the_state) {
        cleanup_(world_freep) World *world = world_new();
        cleanup_(strv_freep) char **differences = NULL;
        Unit *unit;

        world_fake_services(world);
        world_write(world, "a.service", "[Unit]\nDescription=Old\n[Service]\nExecStart=/bin/true\n");
        unit = world_load(world, "a.service");
        unit_publish(unit, UNIT_ACTIVE, 0);
        world_clear_calls(world);
        manager_listen(world->manager, &listener, world);

        world_write(world, "a.service", "[Unit]\nDescription=New one\n[Service]\nExecStart=/bin/true\n");
        cr_assert(eq(int, manager_reload(world->manager, false, &differences, NULL), 0));
        assert_string(world_calls(world), "reloading;files;reloaded;");
        cr_assert(eq(sz, strv_length(differences), 1));
        cr_assert(eq(int, strncmp(differences[0], "a.service: ", 11), 0));
        assert_string(unit_description(unit), "New one");
        cr_assert(eq(int, (int) unit->active_state, UNIT_ACTIVE));
}

Test(manager_reload, a_broken_file_leaves_all_as_it_was) {
        cleanup_(world_freep) World *world = world_new();
        cleanup_(failure_deinit) Failure failure = {};
        Unit *unit;

        log_set_level(LOG_LEVEL_ERROR - 1);
        world_fake_services(world);
        world_write(world, "a.service", "[Unit]\nDescription=Old\n[Service]\nExecStart=/bin/true\n");
        unit = world_load(world, "a.service");
        unit_publish(unit, UNIT_ACTIVE, 0);
        manager_listen(world->manager, &listener, world);

        world_write(world, "a.service", "[Unit]\nDescription=New one\n[Service]\nExecStart=\"/bin/true\n");
        cr_assert(lt(int, manager_reload(world->manager, false, NULL, &failure), 0));
        cr_assert(ne(int, failure.code, 0));
        assert_string(unit_description(unit), "Old");
        cr_assert(not(world_has_calls(world, "files")));
        cr_assert(world_has_calls(world, "reloaded"));
}

Test(manager_reload, what_nothing_refers_to_any_more_goes) {
        cleanup_(world_freep) World *world = world_new();

        world_fake_services(world);
        world_write(world, "a.service", "[Unit]\nAfter=b.service\n[Service]\nExecStart=/bin/true\n");
        world_write(world, "b.service", "[Service]\nExecStart=/bin/true\n");
        unit_publish(world_load(world, "a.service"), UNIT_ACTIVE, 0);
        manager_turn_wake(&world->manager->turn);
        world_settle(world);
        assert_not_null(manager_find_unit(world->manager, "b.service"));

        world_write(world, "a.service", "[Service]\nExecStart=/bin/true\n# changed\n");
        cr_assert(eq(int, manager_reload(world->manager, false, NULL, NULL), 0));
        manager_turn_wake(&world->manager->turn);
        world_settle(world);
        assert_null(manager_find_unit(world->manager, "b.service"));
}

/* The relation for which the job waited has been removed from the file. */
Test(manager_reload, a_waiting_job_goes_by_the_new_order) {
        cleanup_(world_freep) World *world = world_new();

        world_fake_services(world);
        world_write(world, "a.service", "[Unit]\nAfter=b.service\nWants=b.service\n[Service]\nExecStart=/bin/true\n");
        world_write(world, "b.service", "[Service]\nExecStart=/bin/true\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_settle(world);
        assert_string(world_calls(world), "start b.service;");

        world_write(world, "a.service", "[Unit]\nWants=b.service\n[Service]\nExecStart=/bin/true\n");
        cr_assert(eq(int, manager_reload(world->manager, false, NULL, NULL), 0));
        world_settle(world);
        assert_string(world_calls(world), "start b.service;start a.service;");
}

static int count_lines(FILE *file) {
        int n = 0, c;

        rewind(file);
        while ((c = fgetc(file)) != EOF)
                n += c == '\n';
        return n;
}

Test(manager_reload, what_is_wrong_with_a_file_is_said_once) {
        cleanup_(world_freep) World *world = world_new();
        FILE *log = tmpfile();
        Unit *unit;

        assert_not_null(log);
        world_write(world, "a.service", "[Service]\nExecStart=\"/bin/true\n");
        cr_assert(eq(int, fcntl(fileno(log), F_SETFL, O_APPEND), 0));
        cr_assert(eq(int, dup2(fileno(log), STDERR_FILENO), STDERR_FILENO));
        for (unsigned i = 0; i < 3; i++) {
                cr_assert(eq(int, manager_load_unit(world->manager, "a.service", &unit, NULL), 0));
                process_table_arm(world->manager->processes);
                world_settle(world);
                cr_assert(eq(ptr, manager_find_unit(world->manager, "a.service"), NULL), "it goes, being of no use");
                cr_assert(eq(int, count_lines(log), 1));
        }

        cr_assert(eq(int, manager_reload(world->manager, true, NULL, NULL), 0));
        cr_assert(eq(int, manager_load_unit(world->manager, "a.service", &unit, NULL), 0));
        cr_assert(eq(int, count_lines(log), 2), "after a reload it is news again");
        fclose(log);
}

/* The unit waited to be started again with one that it required; the next manager must not wait for that any more. */
Test(manager_reload, what_a_unit_does_not_wait_for_any_more_is_written_down) {
        cleanup_(world_freep) World *world = world_new();

        world_fake_services(world);
        world_write(world, "a.service", "[Service]\nExecStart=/bin/true\n");
        world_write(world, "b.service", "[Unit]\nRequires=a.service\nAfter=a.service\nRestartOnDependency=yes\n"
                                        "[Service]\nExecStart=/bin/true\n");
        world_exec(world, JOB_REPLACE, "start:b.service");
        world_settle(world);
        unit_publish(manager_find_unit(world->manager, "a.service"), UNIT_FAILED, 0);
        world_settle(world);
        state_commit(world->manager->turn.state);
        assert_not_null(job_manager_recovers_with(manager_jobs(world->manager),
                                                  manager_find_unit(world->manager, "b.service")));

        unit_ref(manager_find_unit(world->manager, "b.service"));
        world_write(world, "b.service", "[Service]\nExecStart=/bin/true\n# changed\n");
        cr_assert(eq(int, manager_reload(world->manager, false, NULL, NULL), 0));
        state_commit(world->manager->turn.state);
        world_restart(world);
        cr_assert(job_manager_recovers_with(manager_jobs(world->manager), world_load(world, "b.service")) == NULL);
}
