/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager on a message bus that comes and goes
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "bus_fixture.h"

#define PATIENCE_MS 300000

static BusFixture fixture;
static pid_t daemon_pid;

static const char configuration[] =
        "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN\"\n"
        " \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
        "<busconfig><type>session</type><listen>%s</listen><auth>EXTERNAL</auth><policy context=\"default\">"
        "<allow send_destination=\"*\"/><allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>\n";

/* Returns when the daemon listens: then it prints its address. */
static void start_daemon(void) {
        char path[128], option[160], byte;
        int pipe_fds[2];
        FILE *file;

        snprintf(path, sizeof(path), "%s/bus.conf", fixture.folder);
        snprintf(option, sizeof(option), "--config-file=%s", path);
        file = fopen(path, "we");
        cr_assert(file != NULL);
        fprintf(file, configuration, fixture.bus_address);
        cr_assert(eq(int, fclose(file), 0));
        cr_assert(eq(int, pipe(pipe_fds), 0));

        daemon_pid = fork();
        if (daemon_pid == 0) {
                dup2(pipe_fds[1], STDOUT_FILENO);
                close(pipe_fds[0]);
                close(pipe_fds[1]);
                execlp("dbus-daemon", "dbus-daemon", option, "--nofork", "--nopidfile", "--print-address=1", NULL);
                _exit(127);
        }
        close(pipe_fds[1]);
        cr_assert(eq(int, (int) read(pipe_fds[0], &byte, 1), 1));
        close(pipe_fds[0]);
}

static void stop_daemon(void) {
        cr_assert(eq(int, kill(daemon_pid, SIGTERM), 0));
        cr_assert(eq(int, waitpid(daemon_pid, NULL, 0), daemon_pid));
}

static void set_up(void) {
        bus_fixture_init(&fixture);
        cr_assert(asprintf(&fixture.bus_address, "unix:path=%s/bus", fixture.folder) > 0);
        bus_fixture_write_unit(&fixture, "quick.service",
                               "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n");
}

TestSuite(bus_link, .init = set_up);

static DBusConnection *connect_to_bus(void) {
        DBusConnection *connection = dbus_connection_open_private(fixture.bus_address, NULL);

        cr_assert(connection != NULL);
        dbus_connection_set_exit_on_disconnect(connection, FALSE);
        cr_assert(dbus_bus_register(connection, NULL));
        dbus_bus_add_match(connection, "type='signal',sender='" DBUS_SERVICE_DBUS "',arg0='org.jobd1'", NULL);
        return connection;
}

/* Waits for the signal @member. */
static void wait_for(DBusConnection *connection, const char *member) {
        for (;;) {
                DBusMessage *message = dbus_connection_pop_message(connection);
                bool is_it = message && text_equal(dbus_message_get_member(message), member);

                if (message)
                        dbus_message_unref(message);
                if (is_it)
                        return;
                if (!message)
                        cr_assert(dbus_connection_read_write(connection, PATIENCE_MS));
        }
}

static void wait_for_name(DBusConnection *connection) {
        while (!dbus_bus_name_has_owner(connection, "org.jobd1", NULL))
                wait_for(connection, "NameOwnerChanged");
}

static DBusMessage *call(DBusConnection *connection, const char *method, const char *unit, const char *mode) {
        DBusMessage *message = dbus_message_new_method_call("org.jobd1", MANAGER, MANAGER_INTERFACE, method);
        DBusMessage *reply;

        if (unit)
                dbus_message_append_args(message, DBUS_TYPE_STRING, &unit, DBUS_TYPE_INVALID);
        if (mode)
                dbus_message_append_args(message, DBUS_TYPE_STRING, &mode, DBUS_TYPE_INVALID);
        reply = dbus_connection_send_with_reply_and_block(connection, message, PATIENCE_MS, NULL);
        dbus_message_unref(message);
        return reply;
}

static void disconnect(DBusConnection *connection) {
        dbus_connection_close(connection);
        dbus_connection_unref(connection);
}

Test(bus_link, the_caller_hears_of_its_job_without_subscribing) {
        DBusConnection *connection;
        DBusMessage *reply;

        start_daemon();
        bus_fixture_start(&fixture);
        connection = connect_to_bus();
        wait_for_name(connection);
        dbus_bus_add_match(connection, "type='signal',interface='" MANAGER_INTERFACE "'", NULL);
        reply = call(connection, "StartUnit", "quick.service", "replace");
        cr_assert(reply != NULL);
        dbus_message_unref(reply);
        wait_for(connection, "JobRemoved");
        disconnect(connection);
        bus_fixture_stop(&fixture);
        stop_daemon();
}

Test(bus_link, the_name_is_taken_again_when_the_bus_comes_back) {
        DBusConnection *connection;

        bus_fixture_start(&fixture);
        for (unsigned i = 0; i < 2; i++) {
                start_daemon();
                connection = connect_to_bus();
                wait_for_name(connection);
                disconnect(connection);
                stop_daemon();
        }
        bus_fixture_stop(&fixture);
}

Test(bus_link, a_reference_ends_with_its_client) {
        DBusConnection *connection, *other;
        DBusMessage *reply;

        start_daemon();
        bus_fixture_start(&fixture);
        connection = connect_to_bus();
        wait_for_name(connection);
        dbus_bus_add_match(connection, "type='signal',interface='" MANAGER_INTERFACE "'", NULL);
        dbus_message_unref(call(connection, "Subscribe", NULL, NULL));

        other = connect_to_bus();
        dbus_message_unref(call(other, "RefUnit", "quick.service", NULL));
        reply = call(connection, "GetUnit", "quick.service", NULL);
        cr_assert(reply != NULL);
        dbus_message_unref(reply);
        disconnect(other);
        wait_for(connection, "UnitRemoved");
        disconnect(connection);
        bus_fixture_stop(&fixture);
        stop_daemon();
}

/* The unique name that owns org.jobd1. It changes when the manager leaves the bus and connects again. */
static char *owner_of_name(DBusConnection *connection) {
        DBusMessage *message = dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS,
                                                            "GetNameOwner");
        const char *name = "org.jobd1";
        DBusMessage *reply;

        dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
        reply = dbus_connection_send_with_reply_and_block(connection, message, PATIENCE_MS, NULL);
        dbus_message_unref(message);
        cr_assert(reply != NULL);
        return bus_fixture_string(reply);
}

/* Calls LoadUnit with an argument of a wrong type. */
static void assert_refused(DBusConnection *connection, int type, const void *argument, const char *name) {
        DBusMessage *message = dbus_message_new_method_call("org.jobd1", MANAGER, MANAGER_INTERFACE, "LoadUnit");
        DBusError error = DBUS_ERROR_INIT;

        cr_assert(dbus_message_append_args(message, type, argument, DBUS_TYPE_INVALID));
        cr_assert(eq(ptr, dbus_connection_send_with_reply_and_block(connection, message, PATIENCE_MS, &error), NULL));
        assert_string(error.name, name);
        dbus_error_free(&error);
        dbus_message_unref(message);
}

Test(bus_link, nobody_can_make_it_leave_the_bus) {
        cleanup_free_ char *before = NULL, *after = NULL, *huge = calloc(1, 5000001);
        DBusConnection *connection;
        int fd = 0;

        start_daemon();
        bus_fixture_start(&fixture);
        connection = connect_to_bus();
        wait_for_name(connection);
        before = owner_of_name(connection);

        memset(huge, 'x', 5000000);
        assert_refused(connection, DBUS_TYPE_STRING, &huge, DBUS_ERROR_LIMITS_EXCEEDED);
        assert_refused(connection, DBUS_TYPE_UNIX_FD, &fd, DBUS_ERROR_INVALID_ARGS);
        dbus_message_unref(call(connection, "ListUnits", NULL, NULL));

        after = owner_of_name(connection);
        assert_string(after, before);
        disconnect(connection);
        bus_fixture_stop(&fixture);
        stop_daemon();
}

/* The call is refused for its signature, not for its descriptor. */
Test(bus_link, the_first_call_of_a_client_may_bring_descriptors) {
        DBusConnection *connection;
        int fd = 0;

        start_daemon();
        bus_fixture_start(&fixture);
        connection = connect_to_bus();
        wait_for_name(connection);
        assert_refused(connection, DBUS_TYPE_UNIX_FD, &fd, DBUS_ERROR_INVALID_ARGS);
        disconnect(connection);
        bus_fixture_stop(&fixture);
        stop_daemon();
}
