/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Which units go, and which stay.
 */

#include <stdio.h>
#include <unistd.h>

#include "manager_world.h"

static World *world_of_fakes(void) {
        World *world = world_new();

        world_fake_services(world);
        return world;
}

static bool is_there(World *world, const char *name) {
        return manager_find_unit(world->manager, name) != NULL;
}

static void write_service(World *world, const char *name, const char *unit_section) {
        char text[512];

        snprintf(text, sizeof(text), "[Unit]\n%s\n[Service]\nExecStart=/bin/true\n", unit_section);
        world_write(world, name, text);
}

/* The job of n waits until a and b have started, whichever units between them were removed. */
static void expect_wait_for_both(World *world) {
        world_clear_calls(world);
        unit_publish(manager_find_unit(world->manager, "a.service"), UNIT_ACTIVE, 0);
        world_settle(world);
        assert_string(world_calls(world), "");
        unit_publish(manager_find_unit(world->manager, "b.service"), UNIT_ACTIVE, 0);
        world_settle(world);
        assert_string(world_calls(world), "start n.service;");
}

Test(manager_unload, an_inactive_unit_goes_at_the_end_of_the_turn) {
        cleanup_(world_freep) World *world = world_of_fakes();

        write_service(world, "a.service", "");
        world_load(world, "a.service");
        cr_assert(is_there(world, "a.service"));
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(not(is_there(world, "a.service")));
        cr_assert(eq(u32, unit_table_count(manager_units(world->manager)), 0));
}

Test(manager_unload, what_an_active_unit_refers_to_stays_and_goes_with_it) {
        cleanup_(world_freep) World *world = world_of_fakes();
        Unit *a;

        write_service(world, "a.service", "After=b.service");
        write_service(world, "b.service", "Wants=c.service missing.service");
        write_service(world, "c.service", "");
        a = world_load(world, "a.service");
        unit_publish(a, UNIT_ACTIVE, 0);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(is_there(world, "a.service"));
        cr_assert(is_there(world, "b.service"));
        cr_assert(is_there(world, "c.service"));
        cr_assert(is_there(world, "missing.service"));

        unit_publish(a, UNIT_INACTIVE, 0);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(eq(u32, unit_table_count(manager_units(world->manager)), 0));
}

Test(manager_unload, what_refers_to_an_active_unit_goes) {
        cleanup_(world_freep) World *world = world_of_fakes();

        write_service(world, "a.service", "After=b.service");
        write_service(world, "b.service", "");
        world_load(world, "a.service");
        unit_publish(manager_find_unit(world->manager, "b.service"), UNIT_ACTIVE, 0);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(not(is_there(world, "a.service")));
        cr_assert(is_there(world, "b.service"));
}

Test(manager_unload, a_cycle_goes_as_one) {
        cleanup_(world_freep) World *world = world_of_fakes();
        Unit *b;

        write_service(world, "a.service", "Requires=b.service");
        write_service(world, "b.service", "Requires=c.service");
        write_service(world, "c.service", "Requires=a.service");
        world_load(world, "a.service");
        b = unit_ref(manager_find_unit(world->manager, "b.service"));
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(eq(u32, unit_table_count(manager_units(world->manager)), 3));

        unit_unref(b);
        manager_consider_unloading(world->manager, b);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(eq(u32, unit_table_count(manager_units(world->manager)), 0));
}

Test(manager_unload, a_failed_unit_stays_unless_it_says_otherwise) {
        cleanup_(world_freep) World *world = world_of_fakes();

        write_service(world, "a.service", "");
        write_service(world, "b.service", "CollectMode=inactive-or-failed");
        unit_publish(world_load(world, "a.service"), UNIT_FAILED, 0);
        unit_publish(world_load(world, "b.service"), UNIT_FAILED, 0);
        cr_assert(eq(u32, manager_count_failed_units(world->manager), 2));
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(is_there(world, "a.service"));
        cr_assert(not(is_there(world, "b.service")));
        cr_assert(eq(u32, manager_count_failed_units(world->manager), 1));
}

Test(manager_unload, a_unit_with_a_job_or_a_timer_stays) {
        cleanup_(world_freep) World *world = world_of_fakes();
        Unit *unit;

        write_service(world, "a.service", "");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_settle(world);
        unit = manager_find_unit(world->manager, "a.service");
        assert_not_null(unit);
        assert_string(world_calls(world), "start a.service;");

        manager_set_timer(world->manager, unit, UNIT_PURPOSE_RESTART, USEC_INFINITY - 1);
        unit_publish(unit, UNIT_INACTIVE, 0);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(is_there(world, "a.service"));
        manager_set_timer(world->manager, unit, UNIT_PURPOSE_RESTART, USEC_INFINITY);
        manager_consider_unloading(world->manager, unit);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(not(is_there(world, "a.service")));
}

/* n has looked past those that go, and at the first of those that it waits for. */
/* The handler asks how the unit has ended. But a handler that runs for long does not keep all units that started it. */
Test(manager_unload, what_has_a_handler_stays_until_that_was_started) {
        cleanup_(world_freep) World *world = world_of_fakes();
        Unit *a;

        write_service(world, "a.service", "OnSuccess=handler.service");
        write_service(world, "handler.service", "");
        a = world_load(world, "a.service");
        unit_publish(a, UNIT_ACTIVE, 0);
        unit_publish(a, UNIT_INACTIVE, 0);
        process_table_arm(world->manager->processes);
        world_settle(world);
        assert_string(world_calls(world), "start handler.service;");
        cr_assert(is_there(world, "a.service"));

        unit_publish(manager_find_unit(world->manager, "handler.service"), UNIT_ACTIVE, 0);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(not(is_there(world, "a.service")));
        cr_assert(is_there(world, "handler.service"));
}

Test(manager_unload, a_waiting_job_forgets_nobody_when_units_that_it_has_passed_go) {
        cleanup_(world_freep) World *world = world_of_fakes();
        Unit *top;

        write_service(world, "top.service", "After=x.service y.service");
        write_service(world, "x.service", "Before=n.service");
        write_service(world, "y.service", "Before=n.service");
        write_service(world, "n.service", "Wants=a.service b.service\nAfter=a.service b.service");
        write_service(world, "a.service", "");
        write_service(world, "b.service", "");
        top = unit_ref(world_load(world, "top.service"));
        world_exec(world, JOB_REPLACE, "start:n.service");
        world_settle(world);
        assert_string(world_calls(world), "start a.service;start b.service;");

        unit_unref(top);
        manager_consider_unloading(world->manager, top);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(not(is_there(world, "x.service")));
        cr_assert(is_there(world, "n.service"));

        expect_wait_for_both(world);
}

/* The unit takes the place of the name that was not found, among those that n has looked past. */
Test(manager_unload, a_waiting_job_waits_for_what_a_name_it_has_passed_turns_out_to_be) {
        cleanup_(world_freep) World *world = world_of_fakes();
        char name[128], target[128];

        write_service(world, "n.service", "Wants=x.service a.service\nAfter=x.service a.service");
        write_service(world, "a.service", "");
        write_service(world, "b.service", "");
        world_exec(world, JOB_REPLACE, "start:b.service");
        world_exec(world, JOB_REPLACE, "start:n.service");
        world_settle(world);
        assert_string(world_calls(world), "start b.service;start a.service;");

        snprintf(name, sizeof(name), "%s/x.service", world->folder);
        snprintf(target, sizeof(target), "%s/b.service", world->folder);
        cr_assert(eq(int, symlink(target, name), 0));
        world_exec(world, JOB_REPLACE, "start:x.service");
        cr_assert(eq(ptr, manager_find_unit(world->manager, "x.service"),
                     manager_find_unit(world->manager, "b.service")));

        expect_wait_for_both(world);
}

/* A search of the chain from each unit would be quadratic; with remembered results it is one walk. */
Test(manager_unload, a_long_chain_is_kept_and_goes_without_recursion) {
        cleanup_(world_freep) World *world = world_of_fakes();
        char name[32], text[64];
        Unit *first;

        for (unsigned i = 0; i < 3000; i++) {
                snprintf(name, sizeof(name), "x%u.service", i);
                snprintf(text, sizeof(text), "After=x%u.service", (i + 1) % 3000);
                write_service(world, name, text);
        }
        first = world_load(world, "x0.service");
        unit_publish(first, UNIT_ACTIVE, 0);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(eq(u32, unit_table_count(manager_units(world->manager)), 3000));

        unit_publish(first, UNIT_INACTIVE, 0);
        process_table_arm(world->manager->processes);
        world_settle(world);
        cr_assert(eq(u32, unit_table_count(manager_units(world->manager)), 0));
}
