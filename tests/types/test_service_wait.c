/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waits of a start: for other jobs, a name on the bus, a newline
 */

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "service_world.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START
#define CHANNEL 0U

/* — idle — */

Test(service_wait, idle_runs_at_once_where_nothing_else_does) {
        WORLD(SERVICE_IDLE);

        world_command(world, START, "/bin/a");
        world_start(world);
        assert_string(world_states(world), "start running");
        assert_string(world_calls(world), "run /bin/a");
}

Test(service_wait, idle_waits_for_other_jobs) {
        WORLD(SERVICE_IDLE);

        world->is_busy = true;
        world_command(world, START, "/bin/a");
        world_start(world);
        assert_string(world_states(world), "start");
        world_advance(world, 2 * USEC_PER_SEC);
        assert_string(world_calls(world), "");
        world->is_busy = false;
        world_advance(world, 50 * USEC_PER_MSEC);
        assert_string(world_states(world), "start running");
        assert_string(world_calls(world), "run /bin/a");
}

Test(service_wait, idle_waits_five_seconds_at_most) {
        WORLD(SERVICE_IDLE);

        world->is_busy = true;
        world_command(world, START, "/bin/a");
        world_start(world);
        world_advance(world, 4999 * USEC_PER_MSEC);
        assert_string(world_calls(world), "");
        world_advance(world, USEC_PER_MSEC);
        assert_string(world_states(world), "start running");
}

Test(service_wait, idle_can_be_stopped_while_it_waits) {
        WORLD(SERVICE_IDLE);

        world->is_busy = true;
        world_command(world, START, "/bin/a");
        world_start(world);
        world_stop(world);
        assert_string(world_states(world), "start dead");
        world->is_busy = false;
        world_advance(world, 10 * USEC_PER_SEC);
        assert_string(world_calls(world), "");
}

/* — dbus — */

static void start_dbus(World *world) {
        world_rare(world)->bus_name = strdup("org.example.A");
        world_command(world, START, "/bin/a");
        world_start(world);
}

Test(service_wait, dbus_is_up_when_it_has_its_name) {
        WORLD(SERVICE_DBUS);

        start_dbus(world);
        assert_string(world_states(world), "start");
        assert_string(world->name.string, "org.example.A");
        world_own_name(world, false, 0);
        assert_string(world_states(world), "start");
        world_own_name(world, true, world_main(world));
        assert_string(world_states(world), "start running");
        world_stop(world);
        world_die(world, world_main(world), SIGTERM, false);
        cr_assert(world->name.n == 0, "the name is not watched any more");
}

Test(service_wait, dbus_name_of_another_does_not_count) {
        WORLD(SERVICE_DBUS);

        start_dbus(world);
        world_own_name(world, true, getpid());
        assert_string(world_states(world), "start");
        world_own_name(world, true, world_main(world));
        assert_string(world_states(world), "start running");
}

Test(service_wait, dbus_is_down_when_it_loses_its_name) {
        WORLD(SERVICE_DBUS);

        start_dbus(world);
        world_own_name(world, true, world_main(world));
        world_own_name(world, false, 0);
        assert_string(world_states(world), "start running stop-sigterm");
}

Test(service_wait, dbus_times_out_with_the_name_in_its_reason) {
        WORLD(SERVICE_DBUS);

        start_dbus(world);
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_states(world), "start stop-sigterm");
        assert_string(world_property(world, "FailureReason"),
                      "start timed out after 1min 30s: it has not taken the name org.example.A on the message bus");
}

Test(service_wait, dbus_fails_at_once_without_any_bus) {
        WORLD(SERVICE_DBUS);

        world->name_error = -EOPNOTSUPP;
        start_dbus(world);
        assert_string(world_states(world), "failed");
        assert_string(world_calls(world), "");
        assert_string(world_property(world, "FailureReason"),
                      "it is up when it has the name org.example.A on the message bus, but this manager uses none");
}

Test(service_wait, dbus_that_ends_without_its_name_is_down) {
        WORLD(SERVICE_DBUS);

        start_dbus(world);
        world_exit(world, world_main(world), 3);
        assert_string(world_property(world, "Result"), "exit-code");
        assert_string(world_states(world), "start failed");
}

/* — a newline on a descriptor — */

static void start_notifying(World *world) {
        world_rare(world)->notify_fd = 5;
        world_command(world, START, "/bin/a");
        world_start(world);
        cr_assert(eq(sz, world->n_given, 1));
        assert_string(world->given_names, "?=5");
}

static void tell(World *world, const char *text) {
        cr_assert(write(world->given[0], text, strlen(text)) == (ssize_t) strlen(text));
}

Test(service_wait, newline_means_ready) {
        WORLD(SERVICE_NOTIFY);

        start_notifying(world);
        tell(world, "almost ");
        world_fd_ready(world, CHANNEL);
        assert_string(world_states(world), "start");
        tell(world, "there\n");
        world_fd_ready(world, CHANNEL);
        assert_string(world_states(world), "start running");
        cr_assert(eq(u32, world->watched, 0));
        cr_assert(eq(int, world->channel_kept, -1));
}

Test(service_wait, closing_without_a_newline_is_a_failure) {
        WORLD(SERVICE_NOTIFY);

        start_notifying(world);
        close(world->given[0]);
        world->n_given = 0;
        world_fd_ready(world, CHANNEL);
        assert_string(world_states(world), "start stop-sigterm");
        assert_string(world_property(world, "Result"), "protocol");
        assert_string(world_property(world, "FailureReason"),
                      "it has closed descriptor 5 without a newline, which would have said that it is ready");
}

/* The process has ended, its newline counts. */
Test(service_wait, ready_by_message_does_as_well) {
        WORLD(SERVICE_NOTIFY);

        start_notifying(world);
        world_notify(world, world_main(world), "READY=1");
        assert_string(world_states(world), "start running");
        cr_assert(eq(u32, world->watched, 0));
}
