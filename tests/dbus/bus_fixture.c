/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A manager with its bus, in a process of its own, and clients of it
 */

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "bus_fixture.h"
#include "dbus/peer/bus_path.h"

#define TIMEOUT_MS 300000

void bus_fixture_init(BusFixture *fixture) {
        char path[128];

        *fixture = (BusFixture) { .folder = "/tmp/jobd-test-XXXXXX" };
        cr_assert(mkdtemp(fixture->folder) != NULL);
        snprintf(path, sizeof(path), "%s/units", fixture->folder);
        cr_assert(eq(int, mkdir(path, 0755), 0));
}

void bus_fixture_write_unit(const BusFixture *fixture, const char *name, const char *text) {
        char path[512];
        FILE *file;

        snprintf(path, sizeof(path), "%s/units/%s", fixture->folder, name);
        file = fopen(path, "we");
        cr_assert(file != NULL);
        fputs(text, file);
        cr_assert(eq(int, fclose(file), 0));
}

void bus_fixture_start(BusFixture *fixture) {
        int pipe_fds[2];
        char byte;

        cr_assert(eq(int, pipe(pipe_fds), 0));
        fixture->pid = fork();
        cr_assert(fixture->pid >= 0);
        if (fixture->pid == 0) {
                setenv("DBUS_FATAL_WARNINGS", "1", 1);
                dup2(pipe_fds[1], STDOUT_FILENO);
                close(pipe_fds[0]);
                close(pipe_fds[1]);
                execl(BUS_FIXTURE_MANAGER, BUS_FIXTURE_MANAGER, fixture->folder,
                      fixture->systemd_compat ? "compat" : "plain", fixture->bus_address, NULL);
                _exit(127);
        }
        close(pipe_fds[1]);
        cr_assert(eq(int, (int) read(pipe_fds[0], &byte, 1), 1));
        close(pipe_fds[0]);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
        return remove(path);
}

void bus_fixture_stop(BusFixture *fixture) {
        BusFixtureClient client;
        int status;

        bus_fixture_connect(fixture, &client);
        dbus_message_unref(bus_fixture_call_manager(&client, "Exit", NULL));
        cr_assert(eq(int, waitpid(fixture->pid, &status, 0), fixture->pid));
        cr_assert(eq(int, status, 0));
        bus_fixture_disconnect(&client);
        nftw(fixture->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
        free(fixture->bus_address);
}

void bus_fixture_connect_to(const char *socket, BusFixtureClient *client) {
        cleanup_free_ char *address = NULL;

        *client = (BusFixtureClient) {};
        cr_assert(eq(int, text_format(&address, "unix:path=%s", socket), 0));
        client->connection = dbus_connection_open_private(address, NULL);
        cr_assert(client->connection != NULL);
        dbus_connection_set_exit_on_disconnect(client->connection, FALSE);

        /* A client gets signals after its first call. */
        dbus_message_unref(bus_fixture_call_object(client, "/", DBUS_INTERFACE_PEER, "Ping", NULL));
        text_deinit(&client->seen);
        client->seen = (Text) {};
}

void bus_fixture_connect(const BusFixture *fixture, BusFixtureClient *client) {
        char socket[128];

        snprintf(socket, sizeof(socket), "%s/run/private", fixture->folder);
        bus_fixture_connect_to(socket, client);
}

void bus_fixture_disconnect(BusFixtureClient *client) {
        dbus_connection_close(client->connection);
        dbus_connection_unref(client->connection);
        text_deinit(&client->seen);
}

static void note_message(BusFixtureClient *client, DBusMessage *message) {
        int type = dbus_message_get_type(message);

        text_add(&client->seen, type == DBUS_MESSAGE_TYPE_SIGNAL ? dbus_message_get_member(message) :
                                type == DBUS_MESSAGE_TYPE_ERROR ? "error" : "reply");
        text_add_char(&client->seen, ' ');
}

DBusMessage *bus_fixture_read(BusFixtureClient *client) {
        DBusMessage *message;

        while (!(message = dbus_connection_pop_message(client->connection))) {
                bool is_open = dbus_connection_get_is_connected(client->connection);

                if (!is_open || !dbus_connection_read_write(client->connection, TIMEOUT_MS))
                        return NULL;
        }
        if (dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected")) {
                dbus_message_unref(message);
                return NULL;
        }
        note_message(client, message);
        return message;
}

DBusMessage *bus_fixture_call(BusFixtureClient *client, DBusMessage *call) {
        dbus_uint32_t serial;

        cr_assert(dbus_connection_send(client->connection, call, &serial));
        dbus_message_unref(call);
        for (;;) {
                DBusMessage *message = bus_fixture_read(client);

                cr_assert(message != NULL, "the manager hung up");
                if (dbus_message_get_reply_serial(message) == serial)
                        return message;
                dbus_message_unref(message);
        }
}

static DBusMessage *call_with_strings(BusFixtureClient *client, const char *path, const char *interface,
                                      const char *method, va_list arguments) {
        DBusMessage *call = dbus_message_new_method_call(NULL, path, interface, method);
        const char *argument;

        while ((argument = va_arg(arguments, const char *)))
                cr_assert(dbus_message_append_args(call, DBUS_TYPE_STRING, &argument, DBUS_TYPE_INVALID));
        return bus_fixture_call(client, call);
}

DBusMessage *bus_fixture_call_manager(BusFixtureClient *client, const char *method, ...) {
        va_list arguments;
        DBusMessage *reply;

        va_start(arguments, method);
        reply = call_with_strings(client, MANAGER, MANAGER_INTERFACE, method, arguments);
        va_end(arguments);
        return reply;
}

DBusMessage *bus_fixture_call_object(BusFixtureClient *client, const char *path, const char *interface,
                                     const char *method, ...) {
        va_list arguments;
        DBusMessage *reply;

        va_start(arguments, method);
        reply = call_with_strings(client, path, interface, method, arguments);
        va_end(arguments);
        return reply;
}

void bus_fixture_assert_error(DBusMessage *reply, const char *name, const char *part_of_message) {
        const char *message = "";

        assert_string(dbus_message_get_error_name(reply) ?: "no error", name);
        dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &message, DBUS_TYPE_INVALID);
        cr_assert(strstr(message, part_of_message) != NULL, "\"%s\" says nothing of \"%s\"", message, part_of_message);
        dbus_message_unref(reply);
}

char *bus_fixture_string(DBusMessage *reply) {
        DBusMessageIter iter;
        const char *string;
        char *copy;

        cr_assert(dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_ERROR, "%s", dbus_message_get_error_name(reply));
        cr_assert(dbus_message_iter_init(reply, &iter));
        if (dbus_message_iter_get_arg_type(&iter) == DBUS_TYPE_VARIANT) {
                DBusMessageIter value;

                dbus_message_iter_recurse(&iter, &value);
                iter = value;
        }
        dbus_message_iter_get_basic(&iter, &string);
        copy = strdup(string);
        dbus_message_unref(reply);
        return copy;
}

void bus_fixture_wait_signal(BusFixtureClient *client, const char *member) {
        for (;;) {
                DBusMessage *message = bus_fixture_read(client);
                bool is_it;

                cr_assert(message != NULL, "the manager hung up");
                is_it = text_equal(dbus_message_get_member(message), member);
                dbus_message_unref(message);
                if (is_it)
                        return;
        }
}

void bus_fixture_wait_job(BusFixtureClient *client, const char *job_path, const char *result) {
        for (;;) {
                DBusMessage *message = bus_fixture_read(client);
                const char *path, *unit, *its_result;
                dbus_uint32_t id;
                bool is_it;

                cr_assert(message != NULL, "the manager hung up");
                is_it = text_equal(dbus_message_get_member(message), "JobRemoved") &&
                        dbus_message_get_args(message, NULL, DBUS_TYPE_UINT32, &id, DBUS_TYPE_OBJECT_PATH, &path,
                                              DBUS_TYPE_STRING, &unit, DBUS_TYPE_STRING, &its_result,
                                              DBUS_TYPE_INVALID) &&
                        text_equal(path, job_path);
                if (is_it)
                        assert_string(its_result, result);
                dbus_message_unref(message);
                if (is_it)
                        return;
        }
}

void bus_fixture_run(BusFixtureClient *client, const char *method, const char *unit, const char *result) {
        cleanup_free_ char *job = NULL;

        job = bus_fixture_string(bus_fixture_call_manager(client, method, unit, "replace", NULL));
        bus_fixture_wait_job(client, job, result);
}

void bus_fixture_read_change(DBusMessage *message, const char *name, char **value) {
        DBusMessageIter iter, entries, entry, variant;
        const char *string;

        dbus_message_iter_init(message, &iter);
        dbus_message_iter_next(&iter);
        dbus_message_iter_recurse(&iter, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
                dbus_message_iter_recurse(&entries, &entry);
                dbus_message_iter_get_basic(&entry, &string);
                if (!text_equal(string, name))
                        continue;
                dbus_message_iter_next(&entry);
                dbus_message_iter_recurse(&entry, &variant);
                dbus_message_iter_get_basic(&variant, &string);
                free(*value);
                *value = strdup(string);
        }
}

void bus_fixture_read_invalidated(DBusMessage *message, Text *names) {
        DBusMessageIter iter, strings;
        const char *string;

        dbus_message_iter_init(message, &iter);
        dbus_message_iter_next(&iter);
        dbus_message_iter_next(&iter);
        dbus_message_iter_recurse(&iter, &strings);
        for (; dbus_message_iter_get_arg_type(&strings) == DBUS_TYPE_STRING; dbus_message_iter_next(&strings)) {
                dbus_message_iter_get_basic(&strings, &string);
                text_addf(names, " %s ", string);
        }
}

char *bus_fixture_property(BusFixtureClient *client, const char *unit, const char *name) {
        char path[BUS_PATH_SIZE];

        bus_path_of_unit(&bus_dialects[BUS_DIALECT_OWN], unit, path);
        return bus_fixture_string(bus_fixture_call_object(client, path, DBUS_INTERFACE_PROPERTIES, "Get",
                                                          UNIT_INTERFACE, name, NULL));
}
