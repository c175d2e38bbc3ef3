/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The init of a machine: what becomes of it is for core to do, once the manager's loop has ended.
 */

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "basic/log.h"
#include "exec/exec_kill.h"
#include "manager_world.h"

static bool is_gone(World *world, const void *argument) {
        return world->manager->stages.stage == MANAGER_GONE;
}

static bool is_stopping(World *world, const void *argument) {
        return world->manager->stages.stage == MANAGER_STOPPING;
}

static World *new_machine(void) {
        World *world = world_new_machine("");

        world_settle(world);
        return world;
}

static void start_sleeper(World *world) {
        world_write(world, "a.service", "[Service]\nExecStart=/bin/sleep 1000\nExecStop=/bin/true\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
}

Test(manager_machine, starting_a_target_of_the_end_ends_all_by_its_action) {
        static const struct {
                const char *request;
                UnitAction action;
        } cases[] = {
                { "start:poweroff.target", UNIT_ACTION_POWEROFF },
                { "start:reboot.target", UNIT_ACTION_REBOOT },
                { "start:halt.target", UNIT_ACTION_HALT },
                { "start:kexec.target", UNIT_ACTION_KEXEC },
                { "start:ctrl-alt-del.target", UNIT_ACTION_REBOOT },
                { "start:exit.target", UNIT_ACTION_EXIT },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(world_freep) World *world = new_machine();

                start_sleeper(world);
                world_exec(world, JOB_REPLACE_IRREVERSIBLY, cases[i].request);
                cr_assert(eq(int, manager_run(world->manager), 0));
                cr_expect(eq(int, (int) manager_action(world->manager), (int) cases[i].action), "%s", cases[i].request);
                cr_expect(not(world_is_active(world, "a.service")), "%s", cases[i].request);
                cr_expect(not(exec_has_children()));
        }
}

Test(manager_machine, the_first_target_wins) {
        cleanup_(world_freep) World *world = new_machine();

        start_sleeper(world);
        world_exec(world, JOB_REPLACE_IRREVERSIBLY, "start:reboot.target");
        manager_leave(world->manager, UNIT_ACTION_POWEROFF);
        cr_assert(eq(int, manager_run(world->manager), 0));
        cr_assert(eq(int, (int) manager_action(world->manager), UNIT_ACTION_REBOOT));
}

/* Core ends it, and no ExecStop= is run for it then. */
Test(manager_machine, force_leaves_processes_alone_and_cuts_short_what_is_orderly) {
        cleanup_(world_freep) World *world = new_machine();

        world_write(world, "a.service", "[Service]\nExecStart=/bin/sleep 1000\nExecStop=/bin/sleep 1000\n"
                    "TimeoutStopSec=infinity\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        manager_leave(world->manager, UNIT_ACTION_POWEROFF);
        world_wait(world, is_stopping, NULL);
        manager_leave(world->manager, UNIT_ACTION_REBOOT_FORCE);
        world_wait(world, is_gone, NULL);
        cr_assert(eq(int, (int) manager_action(world->manager), UNIT_ACTION_REBOOT_FORCE));
        cr_assert(exec_has_children());
}

Test(manager_machine, signals_are_those_of_an_init) {
        const struct {
                int signal;
                UnitAction action;
        } cases[] = {
                { SIGINT, UNIT_ACTION_REBOOT },
                { SIGPWR, UNIT_ACTION_POWEROFF },
                { SIGRTMIN + 3, UNIT_ACTION_HALT },
                { SIGRTMIN + 4, UNIT_ACTION_POWEROFF },
                { SIGRTMIN + 5, UNIT_ACTION_REBOOT },
                { SIGRTMIN + 6, UNIT_ACTION_KEXEC },
                { SIGRTMIN + 13, UNIT_ACTION_HALT_FORCE },
                { SIGRTMIN + 14, UNIT_ACTION_POWEROFF_FORCE },
                { SIGRTMIN + 15, UNIT_ACTION_REBOOT_FORCE },
                { SIGRTMIN + 16, UNIT_ACTION_KEXEC_FORCE },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(world_freep) World *world = new_machine();

                kill(getpid(), cases[i].signal);
                cr_assert(eq(int, manager_run(world->manager), 0));
                cr_expect(eq(int, (int) manager_action(world->manager), (int) cases[i].action), "signal %d",
                          cases[i].signal);
        }
}

Test(manager_machine, sigterm_and_a_key_without_a_unit_change_nothing) {
        cleanup_(world_freep) World *world = new_machine();

        start_sleeper(world);
        kill(getpid(), SIGTERM);
        kill(getpid(), SIGWINCH);
        world_settle(world);
        cr_assert(world_is_active(world, "a.service"));
        assert_string(manager_system_state(world->manager), "running");
}

Test(manager_machine, sigpwr_starts_the_target_that_is_for_it) {
        cleanup_(world_freep) World *world = new_machine();

        world_write(world, "sigpwr.target", "[Unit]\n");
        kill(getpid(), SIGPWR);
        world_wait(world, world_is_active, "sigpwr.target");
        cr_assert(eq(int, (int) manager_action(world->manager), UNIT_ACTION_NONE));
}

Test(manager_machine, seven_times_ctrl_alt_del_is_enough) {
        cleanup_(world_freep) World *world = new_machine();

        world_write(world, "a.service", "[Service]\nExecStart=/bin/sleep 1000\nExecStop=/bin/sleep 1000\n"
                    "TimeoutStopSec=infinity\n");
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_wait(world, world_is_active, "a.service");
        for (unsigned i = 0; i < 7; i++) {
                kill(getpid(), SIGINT);
                manager_turn(world->manager, 0);
        }
        world_wait(world, is_gone, NULL);
        cr_assert(eq(int, (int) manager_action(world->manager), UNIT_ACTION_REBOOT_FORCE));
}

Test(manager_machine, without_its_default_unit_it_goes_to_rescue_mode) {
        cleanup_(world_freep) World *world = world_new_machine("no-such.target");

        log_set_level((LogLevel) 0);
        world_wait(world, world_is_active, "rescue.target");
}

Test(manager_machine, without_rescue_mode_it_goes_to_emergency_mode) {
        cleanup_(world_freep) World *world = world_new_machine("no-such.target");

        log_set_level((LogLevel) 0);
        world_write(world, "rescue.target", "[Unit]\nRequires=nothing.service\nAfter=nothing.service\n");
        world_wait(world, world_is_active, "emergency.target");
}

/* The control: a manager that is not the init of a machine does not. */
Test(manager_machine, who_is_no_machine_does_not) {
        cleanup_(world_freep) World *world = world_new_with("no-such.target");

        log_set_level((LogLevel) 0);
        world_settle(world);
        cr_assert(not(world_is_active(world, "rescue.target")));
}
