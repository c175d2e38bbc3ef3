/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reloads by notification, effects of time limits, and further notifications
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "service_world.h"
#include "types/service_state.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START

/* — notify-reload — */

static void bring_up(World *world) {
        world_command(world, START, "/bin/a");
        world_start(world);
        world_notify(world, world_main(world), "READY=1");
        assert_string(world_states(world), "start running");
        world_clear(world);
}

static void say_reloading(World *world, usec_t when, const char *more) {
        char line[80];

        snprintf(line, sizeof(line), "RELOADING=1|MONOTONIC_USEC=%llu%s", (unsigned long long) when, more);
        world_notify(world, world_main(world), line);
}

Test(service_mode, reload_by_signal_waits_for_both_words) {
        WORLD(SERVICE_NOTIFY_RELOAD);

        bring_up(world);
        cr_assert(service_vtable.can_reload(world->unit));
        cr_assert(world_reload(world) == UNIT_UNDER_WAY);
        assert_string(world_calls(world), "HUP main");
        world_notify(world, world_main(world), "READY=1");
        assert_string(world_states(world), "reload");
        say_reloading(world, world->now, "");
        assert_string(world_states(world), "reload");
        world_notify(world, world_main(world), "READY=1");
        assert_string(world_states(world), "reload running");
        cr_assert(eq(sz, world->n_self_reloads, 0));
}

/* A reload that was begun before the signal, and a message without a time. */
Test(service_mode, reload_of_another_time_does_not_count) {
        WORLD(SERVICE_NOTIFY_RELOAD);

        bring_up(world);
        world_advance(world, USEC_PER_SEC);
        world_reload(world);
        say_reloading(world, world->now - 1, "|READY=1");
        world_notify(world, world_main(world), "RELOADING=1");
        world_notify(world, world_main(world), "READY=1");
        assert_string(world_states(world), "reload");
        say_reloading(world, world->now, "|READY=1");
        assert_string(world_states(world), "reload running");
}

Test(service_mode, reload_signal_may_be_another) {
        WORLD(SERVICE_NOTIFY_RELOAD);

        world_rare(world)->reload_signal = SIGUSR2;
        bring_up(world);
        world_reload(world);
        assert_string(world_calls(world), "USR2 main");
}

Test(service_mode, reload_that_is_not_answered_times_out) {
        WORLD(SERVICE_NOTIFY_RELOAD);

        bring_up(world);
        world_reload(world);
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_states(world), "reload running");
        assert_string(world_property(world, "ReloadResult"), "timeout");
        cr_assert(world->flags & UNIT_CHANGE_RELOAD_FAILED);
}

Test(service_mode, reload_command_runs_besides) {
        WORLD(SERVICE_NOTIFY_RELOAD);

        world_command(world, SERVICE_EXEC_RELOAD, "/bin/r");
        bring_up(world);
        world_reload(world);
        assert_string(world_calls(world), "HUP main, run /bin/r");
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "reload");
        say_reloading(world, world->now, "|READY=1");
        assert_string(world_states(world), "reload running");
}

Test(service_mode, reload_command_may_end_last) {
        WORLD(SERVICE_NOTIFY_RELOAD);

        world_command(world, SERVICE_EXEC_RELOAD, "/bin/r");
        bring_up(world);
        world_reload(world);
        say_reloading(world, world->now, "|READY=1");
        assert_string(world_states(world), "reload");
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "reload running");
}

Test(service_mode, reloads_may_be_limited) {
        WORLD(SERVICE_NOTIFY_RELOAD);

        world_rare(world)->reload_limit_burst = 2;
        world_rare(world)->reload_limit_interval = 10 * USEC_PER_SEC;
        bring_up(world);
        for (int i = 0; i < 2; i++) {
                cr_assert(world_reload(world) == UNIT_UNDER_WAY);
                say_reloading(world, world->now, "|READY=1");
        }
        cr_assert(world_reload(world) == UNIT_OPERATION_FAILED);
        assert_string(world_property(world, "FailureReason"), "reloaded 2 times within 10s, which is its limit");
        world_advance(world, 10 * USEC_PER_SEC);
        cr_assert(world_reload(world) == UNIT_UNDER_WAY);
}

/* — failure modes — */

Test(service_mode, start_that_takes_too_long) {
        static const struct {
                ServiceTimeoutMode mode;
                const char *states, *signal;
        } cases[] = {
                { SERVICE_TIMEOUT_TERMINATE, "start stop-sigterm", "TERM main" },
                { SERVICE_TIMEOUT_ABORT, "start stop-watchdog", "ABRT main" },
                { SERVICE_TIMEOUT_KILL, "start stop-sigkill", "KILL main" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                WORLD(SERVICE_NOTIFY);

                world_rare(world)->timeout_start_mode = cases[i].mode;
                world_command(world, START, "/bin/a");
                world_start(world);
                world_advance(world, 90 * USEC_PER_SEC);
                assert_string(world_states(world), cases[i].states);
                cr_assert(strstr(world_calls(world), cases[i].signal) != NULL, "%s", world_calls(world));
                assert_string(world_property(world, "Result"), "timeout");
        }
}

Test(service_mode, stop_that_takes_too_long) {
        static const struct {
                ServiceTimeoutMode mode;
                const char *states;
        } cases[] = {
                { SERVICE_TIMEOUT_TERMINATE, "stop-sigterm stop-sigkill" },
                { SERVICE_TIMEOUT_ABORT, "stop-sigterm stop-watchdog stop-sigkill" },
                { SERVICE_TIMEOUT_KILL, "stop-sigterm stop-sigkill" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                WORLD(SERVICE_SIMPLE);

                world_rare(world)->timeout_stop_mode = cases[i].mode;
                world_command(world, START, "/bin/a");
                world_start(world);
                world_clear(world);
                world_stop(world);
                world_advance(world, 90 * USEC_PER_SEC);
                world_advance(world, 90 * USEC_PER_SEC);
                cr_assert(text_starts_with(world_states(world), cases[i].states), "%s", world_states(world));
        }
}

Test(service_mode, stop_command_that_takes_too_long) {
        static const char *const states[] = {
                [SERVICE_TIMEOUT_TERMINATE] = "stop stop-sigterm",
                [SERVICE_TIMEOUT_ABORT] = "stop stop-watchdog",
                [SERVICE_TIMEOUT_KILL] = "stop stop-sigkill",
        };

        for (size_t i = 0; i < ELEMENTSOF(states); i++) {
                WORLD(SERVICE_SIMPLE);

                world_rare(world)->timeout_stop_mode = (ServiceTimeoutMode) i;
                world_command(world, START, "/bin/a");
                world_command(world, SERVICE_EXEC_STOP, "/bin/s");
                world_start(world);
                world_clear(world);
                world_stop(world);
                world_advance(world, 90 * USEC_PER_SEC);
                assert_string(world_states(world), states[i]);
        }
}

Test(service_mode, final_command_that_takes_too_long) {
        static const char *const states[] = {
                [SERVICE_TIMEOUT_TERMINATE] = "stop-sigterm stop-post final-sigterm final-sigkill",
                [SERVICE_TIMEOUT_ABORT] = "stop-sigterm stop-post final-watchdog final-sigkill",
                [SERVICE_TIMEOUT_KILL] = "stop-sigterm stop-post final-sigkill",
        };

        for (size_t i = 0; i < ELEMENTSOF(states); i++) {
                WORLD(SERVICE_SIMPLE);

                world_rare(world)->timeout_stop_mode = (ServiceTimeoutMode) i;
                world_command(world, START, "/bin/a");
                world_command(world, SERVICE_EXEC_STOP_POST, "/bin/p");
                world_start(world);
                world_clear(world);
                world_stop(world);
                world_die(world, world_main(world), SIGTERM, false);
                world_advance(world, 179 * USEC_PER_SEC);
                world_advance(world, 2 * USEC_PER_SEC);
                cr_assert(text_starts_with(world_states(world), states[i]), "%s", world_states(world));
        }
}

Test(service_mode, watchdog_signal_and_its_time) {
        WORLD(SERVICE_SIMPLE);

        world->settings->watchdog = 10 * USEC_PER_SEC;
        world->settings->kill.watchdog_signal = SIGQUIT;
        world->settings->has_timeout_abort = true;
        world->settings->timeout_abort = 5 * USEC_PER_SEC;
        world_command(world, START, "/bin/a");
        world_start(world);
        cr_assert(strstr(world->environment.string, "WATCHDOG_USEC=10000000\nWATCHDOG_PID=") != NULL, "%s",
                  world->environment.string);
        world_clear(world);
        world_advance(world, 10 * USEC_PER_SEC);
        cr_assert(text_starts_with(world_calls(world), "QUIT main"), "%s", world_calls(world));
        world_advance(world, 5 * USEC_PER_SEC);
        assert_string(world_states(world), "stop-watchdog stop-sigkill");
        assert_string(world_property(world, "Result"), "watchdog");
}

Test(service_mode, life_may_be_limited_at_random) {
        bool differs = false;

        for (int i = 0; i < 20; i++) {
                usec_t span;
                WORLD(SERVICE_SIMPLE);

                world->settings->runtime_max = 10 * USEC_PER_SEC;
                world_rare(world)->runtime_extra = 5 * USEC_PER_SEC;
                world_command(world, START, "/bin/a");
                world_start(world);
                span = world->timers[UNIT_PURPOSE_RUNTIME_LIMIT] - world->now;
                cr_assert(ge(u64, span, 10 * USEC_PER_SEC));
                cr_assert(le(u64, span, 15 * USEC_PER_SEC));
                differs = differs || span != 10 * USEC_PER_SEC;
        }
        cr_assert(differs);
}

Test(service_mode, bus_error_is_shown) {
        WORLD(SERVICE_NOTIFY);

        bring_up(world);
        world_notify(world, world_main(world), "BUSERROR=org.example.Error.Sad|ERRNO=5");
        assert_string(world_property(world, "StatusBusError"), "org.example.Error.Sad");
        assert_string(world_property(world, "StatusErrno"), "5");
}

/* — who it is — */

Test(service_mode, a_command_that_runs_as_we_do_does_not_change_whom_it_runs_as) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, START, "/bin/a");
        world_command(world, SERVICE_EXEC_RELOAD, "/bin/r");
        world->uid = 4711;
        world_start(world);
        world->uid = (uid_t) -1;
        world_reload(world);
        world_exit(world, world_control(world), 0);
        cr_assert(eq(u32, service_of(world->unit)->uid, 4711));
        cr_assert(eq(u32, service_of(world->unit)->gid, 4711));
        world_stop(world);
        world_exit(world, world_main(world), 0);
        world_start(world);
        cr_assert(eq(u32, service_of(world->unit)->uid, (uid_t) -1), "that was another run");
}
