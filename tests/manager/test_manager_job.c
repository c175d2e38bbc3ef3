/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Jobs and processes in the loop: order of a turn, budget, requests, real runs.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "basic/log.h"
#include "exec/exec_kill.h"
#include "manager_world.h"

static const char *const service = "[Service]\nExecStart=/bin/true\n";

static int on_source(sd_event_source *source, void *userdata) {
        text_add(&((World *) userdata)->calls, "bus;");
        return 0;
}

static void on_job(void *userdata, const JobEvent *event) {
        World *world = userdata;

        if (event->kind == JOB_EVENT_FINISHED)
                text_addf(&world->calls, "%s %s;", job_result_to_string(event->job.result),
                          event->job.unit ? event->job.unit->id : "?");
}

static void on_end_of_turn(void *userdata) {
        text_add(&((World *) userdata)->calls, "end;");
}

/* Five sources are ready at once: they are served in the order of the design, each in a turn of its own. */
Test(manager_job, a_turn_serves_children_notify_timers_jobs_bus_in_this_order) {
        cleanup_(world_freep) World *world = world_new();
        sd_event_source *bus = NULL;
        Unit *unit;

        world_fake_services(world);
        world_write(world, "a.service", service);
        world_write(world, "b.service", service);
        unit = unit_ref(world_load(world, "a.service"));
        cr_assert(ge(int, sd_event_add_defer(manager_event(world->manager), &bus, on_source, world), 0));
        sd_event_source_set_priority(bus, MANAGER_PRIORITY_BUS);

        world_exec(world, JOB_REPLACE, "start:b.service");
        manager_set_timer(world->manager, unit, UNIT_PURPOSE_RESTART, 1);
        sd_event_source_set_enabled(world->manager->timer_source, SD_EVENT_ONESHOT);
        sd_event_source_set_time(world->manager->timer_source, 1);
        process_table_take_exit(world->manager->processes, &(UnitExit) { .pid = 4242, .status = 1, .time = 10 });
        cr_assert(eq(int, world_add_process(world, unit, UNIT_PURPOSE_MAIN, 4242, -1, 5), 0));

        world_settle(world);
        assert_string(world_calls(world), "exit 4242 1 a.service;timer 3 a.service;start b.service;bus;");
        sd_event_source_unref(bus);
}

Test(manager_job, jobs_are_triggered_a_few_at_a_time_with_the_bus_in_between) {
        cleanup_(world_freep) World *world = world_new();
        sd_event_source *bus = NULL;
        char name[32];
        size_t n = 0;

        world_fake_services(world);
        world_write(world, "x@.service", "[Service]\nExecStart=/bin/true\nSlice=-.slice\n");
        for (unsigned i = 0; i < 100; i++) {
                snprintf(name, sizeof(name), "start:x@%u.service", i);
                world_exec(world, JOB_REPLACE, name);
        }
        world_turn(world);
        for (const char *at = world_calls(world); (at = strstr(at, "start")); at++)
                n++;
        cr_assert(eq(sz, n, 64));

        for (unsigned i = 100; i < 200; i++) {
                snprintf(name, sizeof(name), "start:x@%u.service", i);
                world_exec(world, JOB_REPLACE, name);
        }
        cr_assert(ge(int, sd_event_add_defer(manager_event(world->manager), &bus, on_source, world), 0));
        sd_event_source_set_priority(bus, MANAGER_PRIORITY_BUS);
        world_turn(world);
        world_turn(world);
        cr_assert(world_has_calls(world, "bus;"));
        cr_assert(job_manager_has_ready(manager_jobs(world->manager)));
        sd_event_source_unref(bus);
        world_settle(world);
        cr_assert(not(job_manager_has_ready(manager_jobs(world->manager))));
}

Test(manager_job, a_job_that_a_unit_asks_for_is_made_in_the_next_turn) {
        cleanup_(world_freep) World *world = world_new();
        UnitHost *host;
        Unit *unit;

        world_fake_services(world);
        world_write(world, "a.service", service);
        unit = unit_ref(world_load(world, "a.service"));
        host = unit_table_host(unit->table);
        cr_assert(eq(int, host->ops->request_job(host, unit, JOB_START, JOB_REPLACE, "test"), 0));
        cr_assert(eq(sz, job_manager_count(manager_jobs(world->manager)), 0));
        world_turn(world);
        assert_string(world_calls(world), "start a.service;");
}

Test(manager_job, a_refused_request_is_told_to_the_unit) {
        cleanup_(world_freep) World *world = world_new();
        UnitHost *host;
        Unit *unit;

        world_fake_services(world);
        world_write(world, "a.service", "[Unit]\nRequires=missing.service\n[Service]\nExecStart=/bin/true\n");
        unit = unit_ref(world_load(world, "a.service"));
        host = unit_table_host(unit->table);
        cr_assert(eq(int, host->ops->request_job(host, unit, JOB_START, JOB_REPLACE, "test"), 0));
        world_settle(world);
        assert_string(world_calls(world), "refused a.service;");
}

Test(manager_job, a_spawn_is_asked_for_when_the_outbox_leaves) {
        cleanup_(world_freep) World *world = world_new();
        static const ManagerListenerOps ops = { .end_of_turn = on_end_of_turn };
        UnitHost *host;
        Unit *unit;

        world_fake_services(world);
        world_write(world, "a.service", service);
        unit = unit_ref(world_load(world, "a.service"));
        host = unit_table_host(unit->table);
        world_settle(world);
        cr_assert(eq(int, manager_listen(world->manager, &ops, world), 0));
        cr_assert(eq(int, host->ops->spawn(host, unit, UNIT_PURPOSE_MAIN), 0));
        assert_string(world_calls(world), "");
        manager_turn_wake(&world->manager->turn);
        world_turn(world);
        assert_string(world_calls(world), "end;prepare a.service;");
        manager_unlisten(world->manager, world);
}

Test(manager_job, a_spawn_of_a_unit_that_is_gone_is_dropped) {
        cleanup_(world_freep) World *world = world_new();
        UnitHost *host;
        Unit *unit;
        uint32_t number;

        world_fake_services(world);
        world_write(world, "a.service", service);
        unit = world_load(world, "a.service");
        host = unit_table_host(unit->table);
        cr_assert(eq(int, host->ops->spawn(host, unit, UNIT_PURPOSE_MAIN), 0));
        unit_table_remove(manager_units(world->manager), unit);
        manager_turn_wake(&world->manager->turn);
        world_settle(world);
        assert_string(world_calls(world), "");
        cr_assert(eq(sz, outbox_length(manager_outbox(world->manager)), 0));
        cr_assert(eq(int, process_errands_next(world->manager->errands, 0, &number), 0));
}

/* — with real services — */

static bool has_no_jobs(World *world, const void *argument) {
        return job_manager_count(manager_jobs(world->manager)) == 0;
}

Test(manager_job, real_services_start_in_order_and_stop) {
        cleanup_(world_freep) World *world = world_new();
        static const ManagerListenerOps ops = { .job_event = on_job };

        world_write(world, "a.service",
                    "[Unit]\nRequires=b.service\nAfter=b.service\n[Service]\nExecStart=/bin/sleep 1000\n");
        world_write(world, "b.service",
                    "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\nExecStart=/bin/true\n");
        manager_listen(world->manager, &ops, world);
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        assert_string(world_calls(world), "done b.service;done a.service;");
        world_clear_calls(world);

        world_exec(world, JOB_REPLACE, "stop:b.service");
        world_wait(world, has_no_jobs, NULL);
        assert_string(world_calls(world), "done a.service;done b.service;");
        world_settle(world);
        assert_null(manager_find_unit(world->manager, "a.service"));
        cr_assert(not(exec_has_children()));
}

Test(manager_job, a_notify_service_is_ready_when_it_says_so) {
        cleanup_(world_freep) World *world = world_new();

        if (access("/usr/bin/systemd-notify", X_OK) < 0)
                cr_skip_test("no systemd-notify");
        world_write(world, "a.service", "[Service]\nType=notify\nNotifyAccess=all\n"
                    "ExecStart=/bin/sh -c 'systemd-notify --ready --status=up; exec sleep 1000'\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
}

Test(manager_job, a_program_that_is_missing_fails_the_start) {
        cleanup_(world_freep) World *world = world_new();
        static const ManagerListenerOps ops = { .job_event = on_job };

        log_set_level(LOG_LEVEL_ERROR - 1);
        world_write(world, "a.service", "[Service]\nType=exec\nExecStart=/nonexistent/program\n");
        manager_listen(world->manager, &ops, world);
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_failed, "a.service");
        world_wait(world, has_no_jobs, NULL);
        assert_string(world_calls(world), "failed a.service;");
        cr_assert(eq(u32, manager_count_failed_units(world->manager), 1));
        assert_string(manager_system_state(world->manager), "degraded");
        manager_reset_failed(world->manager, NULL);
        cr_assert(eq(u32, manager_count_failed_units(world->manager), 0));
}

static bool has_restarted(World *world, const void *unit) {
        pid_t *old = (pid_t *) unit, pid;
        const Unit *a = manager_find_unit(world->manager, "a.service");

        pid = a ? a->vtable->main_pid(a) : 0;
        return pid > 0 && pid != *old;
}

Test(manager_job, a_killed_service_is_restarted) {
        cleanup_(world_freep) World *world = world_new();
        Unit *unit;
        pid_t pid;

        world_write(world, "a.service", "[Service]\nRestart=always\nRestartSec=1ms\nExecStart=/bin/sleep 1000\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        unit = manager_find_unit(world->manager, "a.service");
        pid = unit->vtable->main_pid(unit);
        cr_assert(eq(int, manager_kill_unit(world->manager, unit, "main", SIGKILL, NULL), 0));
        manager_turn_wake(&world->manager->turn);
        world_wait(world, has_restarted, &pid);
        cr_assert(eq(ptr, manager_unit_by_pid(world->manager, unit->vtable->main_pid(unit)), unit));
}

static bool has_no_children(World *world, const void *argument) {
        return !exec_has_children();
}

static bool has_three_processes_or_more(World *world, const void *unit) {
        cleanup_free_ pid_t *pids = NULL;
        size_t n = 0;

        cr_assert(eq(int, manager_unit_processes(world->manager, (Unit *) unit, &pids, &n), 0));
        return n >= 3;              /* systemd-notify may still be there */
}

/* The shell's child, and one that was left by its parent, are the unit's, too. */
Test(manager_job, all_processes_of_a_unit_are_found_and_stopped) {
        cleanup_(world_freep) World *world = world_new();
        Unit *unit;

        world_write(world, "a.service", "[Service]\nType=notify\nNotifyAccess=all\nTimeoutStopSec=20\n"
                    "ExecStart=/bin/sh -c '(sleep 1000 &) ; sleep 1000 & systemd-notify --ready; wait'\n");
        if (access("/usr/bin/systemd-notify", X_OK) < 0)
                cr_skip_test("no systemd-notify");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        unit = manager_find_unit(world->manager, "a.service");
        manager_turn_wake(&world->manager->turn);
        world_wait(world, has_three_processes_or_more, unit);

        world_exec(world, JOB_REPLACE, "stop:a.service");
        world_wait(world, has_no_jobs, NULL);
        world_wait(world, has_no_children, NULL);
}
