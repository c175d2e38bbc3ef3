/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pause before a restart: how it grows, and what resets it
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "service_world.h"
#include "types/service_state.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START

static void bring_up(World *world) {
        world->settings->restart = SERVICE_RESTART_ALWAYS;
        world->settings->restart_usec = USEC_PER_SEC;
        if (world->unit->settings.start_limit_burst != 2)
                world->unit->settings.start_limit_burst = 0;
        world_command(world, START, "/bin/a");
        world_start(world);
}

/* Lets the service fail; returns the time until it requests a start. */
static usec_t fail(World *world) {
        world_exit(world, world_main(world), 1);
        return world->timers[UNIT_PURPOSE_RESTART] - world->now;
}

static usec_t fail_and_start(World *world) {
        usec_t pause = fail(world);

        world_start(world);
        return pause;
}

/* As in systemd: 1 s · 16^(n/4). */
Test(service_backoff, grows_in_steps_by_one_factor) {
        static const usec_t pauses[] = { 1, 2, 4, 8, 16, 16, 16 };
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->restart_steps = 4;
        world_rare(world)->restart_max_delay = 16 * USEC_PER_SEC;
        bring_up(world);
        for (size_t i = 0; i < ELEMENTSOF(pauses); i++)
                cr_assert(eq(u64, fail_and_start(world), pauses[i] * USEC_PER_SEC), "%zu", i);
}

Test(service_backoff, both_settings_are_needed) {
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->restart_steps = 4;
        bring_up(world);
        for (int i = 0; i < 5; i++)
                cr_assert(eq(u64, fail_and_start(world), USEC_PER_SEC));
}

Test(service_backoff, jitter_adds_up_to_so_much) {
        usec_t least = USEC_INFINITY, most = 0;
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->restart_jitter = USEC_PER_SEC;
        bring_up(world);
        for (int i = 0; i < 50; i++) {
                usec_t pause = fail_and_start(world);

                least = MIN(least, pause);
                most = MAX(most, pause);
        }
        cr_assert(ge(u64, least, USEC_PER_SEC));
        cr_assert(le(u64, most, 2 * USEC_PER_SEC));
        cr_assert(lt(u64, USEC_PER_SEC / 10, most - least));
}

Test(service_backoff, jitter_may_be_a_share) {
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->restart_jitter_percent = 50;
        bring_up(world);
        for (int i = 0; i < 50; i++) {
                usec_t pause = fail_and_start(world);

                cr_assert(ge(u64, pause, USEC_PER_SEC));
                cr_assert(le(u64, pause, 3 * USEC_PER_SEC / 2));
        }
}

Test(service_backoff, healthy_period_begins_it_anew) {
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->restart_steps = 4;
        world_rare(world)->restart_max_delay = 16 * USEC_PER_SEC;
        world_rare(world)->restart_reset = 60 * USEC_PER_SEC;
        bring_up(world);
        for (int i = 0; i < 3; i++)
                fail_and_start(world);
        assert_string(world_property(world, "NRestarts"), "3");
        world_advance(world, 59 * USEC_PER_SEC);
        cr_assert(eq(u64, fail_and_start(world), 8 * USEC_PER_SEC));
        world_advance(world, 60 * USEC_PER_SEC);
        assert_string(world_property(world, "NRestarts"), "0");
        cr_assert(eq(u64, fail_and_start(world), USEC_PER_SEC));
}

Test(service_backoff, healthy_period_ends_the_count_of_starts) {
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->restart_reset = USEC_PER_SEC;
        world->unit->settings.start_limit_interval = 1000 * USEC_PER_SEC;
        world->unit->settings.start_limit_burst = 2;
        bring_up(world);
        for (int i = 0; i < 5; i++) {
                world_advance(world, USEC_PER_SEC);
                fail(world);
                cr_assert(world_start(world) == UNIT_UNDER_WAY);
        }
        fail(world);
        cr_assert(world_start(world) == UNIT_UNDER_WAY);
        fail(world);
        cr_assert(world_start(world) == UNIT_OPERATION_FAILED, "twice without a healthy period");
}

Test(service_backoff, next_restart_is_told) {
        cleanup_free_ char *activity = NULL;
        usec_t since;
        WORLD(SERVICE_SIMPLE);

        bring_up(world);
        fail(world);
        world_advance(world, 250 * USEC_PER_MSEC);
        cr_assert(service_vtable.activity(world->unit, &activity, &since) == 0);
        assert_string(activity, "next restart in 750ms");
        assert_string(world_property(world, "NextRestartUSecMonotonic"), "1001000000");
}

/* Units that depend on it do not see it fail. */
Test(service_backoff, direct_mode_leaves_failed_out) {
        WORLD(SERVICE_SIMPLE);

        world_rare(world)->restart_mode = SERVICE_RESTART_DIRECT;
        bring_up(world);
        world_clear(world);
        fail(world);
        assert_string(world_states(world), "auto-restart");
        cr_assert(eq(int, world->active, UNIT_ACTIVATING));
        world_start(world);
        assert_string(world_states(world), "auto-restart start running");
        world_stop(world);
        world_die(world, world_main(world), SIGTERM, false);
        assert_string(world_states(world), "auto-restart start running stop-sigterm dead");
}

/* The job that started it goes on until the service is up, or was started too often. */
Test(service_backoff, direct_mode_goes_on_for_a_job_that_runs) {
        WORLD(SERVICE_NOTIFY);

        world_rare(world)->restart_mode = SERVICE_RESTART_DIRECT;
        world->unit->settings.start_limit_interval = 1000 * USEC_PER_SEC;
        world->unit->settings.start_limit_burst = 2;
        world->is_awaited = true;
        bring_up(world);
        fail(world);
        world_clear(world);
        world_advance(world, USEC_PER_SEC);
        assert_string(world_calls(world), "run /bin/a");
        assert_string(world_states(world), "start");
        assert_string(world_property(world, "NRestarts"), "1");
        fail(world);
        world_advance(world, USEC_PER_SEC);
        assert_string(world_states(world), "start auto-restart failed");
        assert_string(world_property(world, "Result"), "exit-code");
        cr_assert(service_has_hit_start_limit(world->unit));
}

Test(service_backoff, restart_signal_is_for_restarts) {
        WORLD(SERVICE_SIMPLE);

        world->settings->kill.restart_signal = SIGUSR1;
        bring_up(world);
        world_clear(world);
        world->will_start = true;
        world_stop(world);
        cr_assert(text_starts_with(world_calls(world), "USR1 main"), "%s", world_calls(world));
        world_die(world, world_main(world), SIGTERM, false);
        world->will_start = false;
        world_start(world);
        world_clear(world);
        world_stop(world);
        cr_assert(text_starts_with(world_calls(world), "TERM main"), "%s", world_calls(world));
}
