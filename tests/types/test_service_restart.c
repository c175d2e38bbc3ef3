/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restart policies, the start limit, and actions on the whole manager
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "basic/macro.h"
#include "service_world.h"
#include "types/service_state.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START

typedef enum End {
        END_CLEAN_EXIT,
        END_CLEAN_SIGNAL,
        END_EXIT_CODE,
        END_SIGNAL,
        END_CORE_DUMP,
        END_TIMEOUT,
        END_WATCHDOG,
        END_NOT_EXECUTED,
        _END_MAX,
} End;

/* systemd.service(5), "Exit causes and the effect of the Restart= settings". */
static const char *const restarts[_SERVICE_RESTART_MAX] = {
        /*                               exit TERM code kill core time dog  exec */
        [SERVICE_RESTART_NO] =          "no   no   no   no   no   no   no   no  ",
        [SERVICE_RESTART_ALWAYS] =      "yes  yes  yes  yes  yes  yes  yes  yes ",
        [SERVICE_RESTART_ON_SUCCESS] =  "yes  yes  no   no   no   no   no   no  ",
        [SERVICE_RESTART_ON_FAILURE] =  "no   no   yes  yes  yes  yes  yes  yes ",
        [SERVICE_RESTART_ON_ABNORMAL] = "no   no   no   yes  yes  yes  yes  no  ",
        [SERVICE_RESTART_ON_ABORT] =    "no   no   no   yes  yes  no   no   no  ",
        [SERVICE_RESTART_ON_WATCHDOG] = "no   no   no   no   no   no   yes  no  ",
};

static const char *const results[_END_MAX] = {
        "success", "success", "exit-code", "signal", "core-dump", "timeout", "watchdog", "exit-code",
};

static void bring_to_end(World *world, End end) {
        switch (end) {
        case END_CLEAN_EXIT:
                world_exit(world, world_main(world), 0);
                break;
        case END_CLEAN_SIGNAL:
                world_die(world, world_main(world), SIGTERM, false);
                break;
        case END_EXIT_CODE:
                world_exit(world, world_main(world), 5);
                break;
        case END_SIGNAL:
                world_die(world, world_main(world), SIGKILL, false);
                break;
        case END_CORE_DUMP:
                world_die(world, world_main(world), SIGABRT, true);
                break;
        case END_TIMEOUT:
                world_advance(world, 10 * USEC_PER_SEC);
                world_die(world, world_main(world), SIGTERM, false);
                break;
        case END_WATCHDOG:
                world_advance(world, 10 * USEC_PER_SEC);
                world_die(world, world_main(world), SIGABRT, false);
                break;
        case END_NOT_EXECUTED:
        case _END_MAX:
                break;
        }
}

Test(service_restart, policies) {
        for (ServiceRestart policy = 0; policy < _SERVICE_RESTART_MAX; policy++)
                for (End end = 0; end < _END_MAX; end++) {
                        bool expected = restarts[policy][end * 5] == 'y';
                        WORLD(SERVICE_SIMPLE);

                        world->settings->restart = policy;
                        world->settings->runtime_max = end == END_TIMEOUT ? 10 * USEC_PER_SEC : USEC_INFINITY;
                        world->settings->watchdog = end == END_WATCHDOG ? 10 * USEC_PER_SEC : 0;
                        world->fail_step = end == END_NOT_EXECUTED ? EXEC_STEP_EXEC : EXEC_STEP_NONE;
                        world_command(world, START, "/bin/a");
                        world_start(world);
                        bring_to_end(world, end);
                        assert_string(world_property(world, "Result"), results[end]);
                        cr_assert(text_ends_with(world_states(world), "auto-restart") == expected, "%s after %d: %s",
                                  service_restart_to_string(policy), end, world_states(world));
                        cr_assert(eq(int, !!(world->flags & UNIT_CHANGE_WILL_RESTART), expected));
                }
}

static void crash(World *world) {
        world_exit(world, world_main(world), 1);
}

Test(service_restart, goes_by_a_job) {
        WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ALWAYS;
        world->settings->restart_usec = 3 * USEC_PER_SEC;
        world_command(world, START, "/bin/a");
        world_start(world);
        world_clear(world);
        crash(world);
        assert_string(world_states(world), "failed auto-restart");
        cr_assert(eq(int, world->active, UNIT_ACTIVATING));
        cr_assert(service_vtable.will_restart(world->unit));
        world_advance(world, 2 * USEC_PER_SEC);
        assert_string(world_calls(world), "");
        world_advance(world, USEC_PER_SEC);
        assert_string(world_calls(world), "request start restart-dependencies");
        world_start(world);
        assert_string(world_states(world), "failed auto-restart start running");
        assert_string(world_property(world, "NRestarts"), "1");
        assert_string(world_property(world, "Result"), "success");
}

Test(service_restart, job_that_comes_to_nothing_is_asked_for_again) {
        WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ALWAYS;
        world_command(world, START, "/bin/a");
        world_start(world);
        crash(world);
        world_clear(world);
        world_advance(world, 15 * USEC_PER_SEC);
        assert_string(world_calls(world), "request start restart-dependencies, request start restart-dependencies");
}

Test(service_restart, refused_job_is_the_end) {
        cleanup_(failure_deinit) Failure failure = {};
        WORLD(SERVICE_SIMPLE);

        failure_set(&failure, -EDEADLK, "TransactionIsDestructive", "It is shut down.");
        world->settings->restart = SERVICE_RESTART_ALWAYS;
        world_command(world, START, "/bin/a");
        world_start(world);
        world_exit(world, world_main(world), 0);
        world_advance(world, USEC_PER_SEC);
        service_vtable.job_refused(world->unit, &failure);
        assert_string(world_property(world, "Result"), "resources");
        assert_string(world_property(world, "FailureReason"), "cannot restart: It is shut down.");
        cr_assert(eq(int, world->active, UNIT_FAILED));
}

Test(service_restart, start_while_waiting_runs_at_once) {
        WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ALWAYS;
        world->settings->restart_usec = USEC_PER_DAY;
        world_command(world, START, "/bin/a");
        world_start(world);
        crash(world);
        cr_assert(eq(int, world_start(world), UNIT_UNDER_WAY));
        cr_assert(eq(int, world->active, UNIT_ACTIVE));
        assert_string(world_property(world, "NRestarts"), "1");
        cr_assert(eq(u64, world->timers[UNIT_PURPOSE_RESTART], USEC_INFINITY));
}

Test(service_restart, stop_while_waiting_ends_it) {
        WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ALWAYS;
        world_command(world, START, "/bin/a");
        world_start(world);
        crash(world);
        world_stop(world);
        assert_string(world_states(world), "start running failed auto-restart dead");
        world_clear(world);
        world_advance(world, USEC_PER_HOUR);
        assert_string(world_calls(world), "");
}

Test(service_restart, asked_for_stop_is_not_undone) {
        WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ALWAYS;
        world_command(world, START, "/bin/a");
        world_start(world);
        world_stop(world);
        world_die(world, world_main(world), SIGKILL, false);
        assert_string(world_states(world), "start running stop-sigterm failed");

        world_start(world);
        crash(world);
        cr_assert(text_ends_with(world_states(world), "auto-restart"));
}

Test(service_restart, exit_statuses_have_their_say) {
        static const struct {
                bool prevents, forces, succeeds;
                ServiceRestart policy;
                bool restarts;
                const char *result;
        } table[] = {
                { true, false, false, SERVICE_RESTART_ALWAYS, false, "exit-code" },
                { false, true, false, SERVICE_RESTART_NO, true, "exit-code" },
                { true, true, false, SERVICE_RESTART_NO, false, "exit-code" },
                { false, false, true, SERVICE_RESTART_ON_FAILURE, false, "success" },
                { false, false, true, SERVICE_RESTART_ON_SUCCESS, true, "success" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                WORLD(SERVICE_SIMPLE);

                world->settings->restart = table[i].policy;
                world->settings->restart_prevent_exit_status.statuses[1] = table[i].prevents ? 1U << (70 - 64) : 0;
                world->settings->restart_force_exit_status.statuses[1] = table[i].forces ? 1U << (70 - 64) : 0;
                world->settings->success_exit_status.statuses[1] = table[i].succeeds ? 1U << (70 - 64) : 0;
                world_command(world, START, "/bin/a");
                world_start(world);
                world_exit(world, world_main(world), 70);
                assert_string(world_property(world, "Result"), table[i].result);
                cr_assert(eq(int, text_ends_with(world_states(world), "auto-restart"), table[i].restarts));
        }
}

Test(service_restart, skipped_condition_is_not_tried_again) {
        WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ALWAYS;
        world_command(world, SERVICE_EXEC_CONDITION, "/bin/condition");
        world_command(world, START, "/bin/a");
        world_start(world);
        world_exit(world, world_control(world), 1);
        assert_string(world_states(world), "condition dead");
}

static void limit(World *world) {
        world->unit->settings.start_limit_interval = 10 * USEC_PER_SEC;
        world->unit->settings.start_limit_burst = 3;
        world_command(world, START, "/bin/a");
}

Test(service_restart, start_limit) {
        WORLD(SERVICE_SIMPLE);

        limit(world);
        unit_settings_own_rare(&world->unit->settings)->start_limit_action = UNIT_ACTION_REBOOT;
        for (unsigned i = 0; i < 3; i++) {
                cr_assert(eq(int, world_start(world), UNIT_UNDER_WAY));
                world_exit(world, world_main(world), 1);
        }
        world_clear(world);
        cr_assert(eq(int, world_start(world), UNIT_OPERATION_FAILED));
        assert_string(world_property(world, "Result"), "exit-code");
        cr_assert(service_has_hit_start_limit(world->unit));
        assert_string(world_property(world, "FailureReason"), "started 3 times within 10s, which is its limit");
        assert_string(world_calls(world), "action reboot -1");
        cr_assert(eq(int, world->active, UNIT_FAILED));

        world_advance(world, 10 * USEC_PER_SEC);
        cr_assert(eq(int, world_start(world), UNIT_UNDER_WAY));
        world_exit(world, world_main(world), 1);
        cr_assert(not(service_has_hit_start_limit(world->unit)), "a failure of its own is no start limit");
}

/* There is no earlier failure that could be the result. */
Test(service_restart, start_limit_is_the_result_after_success) {
        WORLD(SERVICE_SIMPLE);

        limit(world);
        for (unsigned i = 0; i < 3; i++) {
                cr_assert(eq(int, world_start(world), UNIT_UNDER_WAY));
                world_exit(world, world_main(world), 0);
        }
        cr_assert(eq(int, world_start(world), UNIT_OPERATION_FAILED));
        assert_string(world_property(world, "Result"), "start-limit-hit");
}

Test(service_restart, start_limit_counts_automatic_restarts) {
        WORLD(SERVICE_SIMPLE);

        limit(world);
        world->settings->restart = SERVICE_RESTART_ALWAYS;
        for (unsigned i = 0; i < 3; i++) {
                world_start(world);
                crash(world);
                world_advance(world, USEC_PER_SEC);
        }
        cr_assert(eq(int, world_start(world), UNIT_OPERATION_FAILED));
        cr_assert(text_ends_with(world_states(world), "auto-restart failed"));
        assert_string(world_property(world, "NRestarts"), "2");
        cr_assert(not(service_vtable.will_restart(world->unit)));
}

Test(service_restart, reset_failed_forgets_failure_and_limit) {
        WORLD(SERVICE_SIMPLE);

        limit(world);
        for (unsigned i = 0; i < 4; i++) {
                world_start(world);
                if (world_main(world) > 0)
                        world_exit(world, world_main(world), 1);
        }
        service_vtable.reset_failed(world->unit);
        cr_assert(eq(int, world->active, UNIT_INACTIVE));
        assert_string(world_property(world, "Result"), "success");
        assert_string(world_property(world, "FailureReason"), "");
        cr_assert(not(service_has_hit_start_limit(world->unit)));
        cr_assert(eq(int, world_start(world), UNIT_UNDER_WAY));
}

Test(service_restart, actions_on_failure_and_success) {
        WORLD(SERVICE_SIMPLE);

        unit_settings_own_rare(&world->unit->settings)->failure_action = UNIT_ACTION_EXIT;
        unit_settings_own_rare(&world->unit->settings)->failure_action_exit_status = -1;
        unit_settings_own_rare(&world->unit->settings)->success_action = UNIT_ACTION_POWEROFF;
        unit_settings_own_rare(&world->unit->settings)->success_action_exit_status = 9;
        world_command(world, START, "/bin/a");
        world_start(world);
        world_clear(world);
        world_exit(world, world_main(world), 4);
        assert_string(world_calls(world), "action exit 4");
        world_start(world);
        world_clear(world);
        world_exit(world, world_main(world), 0);
        assert_string(world_calls(world), "action poweroff 9");
}
