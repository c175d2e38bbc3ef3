/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The same API under systemd's names, where systemctl looks for it
 */

#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "bus_fixture.h"

#define SYSTEMD "/org/freedesktop/systemd1"
#define SYSTEMD_MANAGER "org.freedesktop.systemd1.Manager"

static BusFixture fixture;
static BusFixtureClient client;

static void set_up(void) {
        char socket[128];

        bus_fixture_init(&fixture);
        fixture.systemd_compat = true;
        bus_fixture_write_unit(&fixture, "quick.service",
                               "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n");
        bus_fixture_write_unit(&fixture, "steady.service",
                               "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n");
        bus_fixture_write_unit(&fixture, "broken.service", "[Service]\nExecStart=relative/path\n");
        bus_fixture_start(&fixture);
        snprintf(socket, sizeof(socket), "%s/systemd/private", fixture.folder);
        bus_fixture_connect_to(socket, &client);
}

static void tear_down(void) {
        bus_fixture_disconnect(&client);
        bus_fixture_stop(&fixture);
}

TestSuite(bus_compat, .init = set_up, .fini = tear_down);

static DBusMessage *call_manager(const char *method, const char *unit, const char *mode) {
        return bus_fixture_call_object(&client, SYSTEMD, SYSTEMD_MANAGER, method, unit, mode, NULL);
}

Test(bus_compat, paths_interfaces_and_sender_are_those_of_systemd) {
        cleanup_free_ char *job = NULL;
        DBusMessage *signal;

        job = bus_fixture_string(call_manager("StartUnit", "quick.service", "replace"));
        cr_assert(text_starts_with(job, SYSTEMD "/job/"));
        do {
                signal = bus_fixture_read(&client);
                cr_assert(signal != NULL);
                assert_string(dbus_message_get_sender(signal), "org.freedesktop.systemd1");
                cr_assert(text_starts_with(dbus_message_get_path(signal), SYSTEMD));
                dbus_message_unref(signal);
        } while (!text_ends_with(client.seen.string, "JobRemoved "));
}

Test(bus_compat, errors_carry_its_prefix) {
        bus_fixture_assert_error(call_manager("StartUnit", "no.service", "replace"),
                                 "org.freedesktop.systemd1.NoSuchUnit", "no.service");
        bus_fixture_assert_error(call_manager("StartUnit", "broken.service", "replace"),
                                 "org.freedesktop.systemd1.BadUnitSetting", "broken.service");
        bus_fixture_assert_error(call_manager("StartUnit", "no.service", "isolate"),
                                 "org.freedesktop.systemd1.NoIsolation", "no.service not found");
        bus_fixture_assert_error(call_manager("StopUnit", "no.service", "isolate"),
                                 "org.freedesktop.systemd1.NoSuchUnit", "no.service");
        bus_fixture_assert_error(call_manager("StartUnit", "quick.service", "rarely"),
                                 DBUS_ERROR_INVALID_ARGS, "rarely");
}

Test(bus_compat, one_dialect_does_not_know_the_other) {
        bus_fixture_assert_error(bus_fixture_call_object(&client, SYSTEMD, MANAGER_INTERFACE, "ListUnits", NULL),
                                 DBUS_ERROR_UNKNOWN_INTERFACE, MANAGER_INTERFACE);
        bus_fixture_assert_error(bus_fixture_call_object(&client, MANAGER, SYSTEMD_MANAGER, "ListUnits", NULL),
                                 DBUS_ERROR_UNKNOWN_INTERFACE, SYSTEMD_MANAGER);
}

Test(bus_compat, the_own_names_work_on_the_same_socket) {
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
}

static int count_seen(const char *word) {
        int n = 0;

        for (const char *at = client.seen.string; (at = strstr(at, word)); at++)
                n++;
        return n;
}

/* A client keeps what is constant until the unit is announced again. */
Test(bus_compat, a_reload_announces_units_whose_files_have_changed) {
        BusFixtureClient own;

        bus_fixture_connect(&fixture, &own);
        free(bus_fixture_string(call_manager("StartUnit", "quick.service", "replace")));
        bus_fixture_wait_signal(&client, "JobRemoved");
        free(bus_fixture_string(call_manager("StartUnit", "steady.service", "replace")));
        bus_fixture_wait_signal(&client, "JobRemoved");
        text_deinit(&client.seen);
        bus_fixture_write_unit(&fixture, "quick.service", "[Unit]\nDescription=Other\n"
                               "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n");
        dbus_message_unref(bus_fixture_call_object(&client, SYSTEMD, SYSTEMD_MANAGER, "Reload", NULL));
        while (count_seen("Reloading ") < 2 || count_seen("PropertiesChanged ") == 0)
                dbus_message_unref(bus_fixture_read(&client));
        cr_assert(strstr(client.seen.string, "Reloading UnitRemoved UnitNew ") != NULL, "%s", client.seen.string);
        cr_assert(eq(int, count_seen("UnitNew "), 1), "%s", client.seen.string);

        bus_fixture_wait_signal(&own, "UnitFilesChanged");
        cr_assert(strstr(own.seen.string, "UnitRemoved") == NULL, "%s", own.seen.string);
        bus_fixture_disconnect(&own);
}

Test(bus_compat, broken_files_do_not_stop_a_reload) {
        DBusMessage *reply;

        bus_fixture_write_unit(&fixture, "quick.service", "[Service]\nExecStart=relative/path\n");
        reply = bus_fixture_call_object(&client, SYSTEMD, SYSTEMD_MANAGER, "Reload", NULL);
        cr_assert(ne(int, dbus_message_get_type(reply), DBUS_MESSAGE_TYPE_ERROR));
        dbus_message_unref(reply);
}
