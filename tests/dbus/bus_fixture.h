/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A manager with its bus, in a process of its own, and clients of it
 *
 * The manager runs in a temporary folder with the unit files that the test
 * wrote. A client reads its socket by hand, so that the order of what comes is
 * the order in which it was sent. Anything that goes wrong fails the test.
 */

#include <dbus/dbus.h>
#include <stdbool.h>
#include <sys/types.h>

#include "basic/text.h"
#include "double/double_assert.h"

#define MANAGER "/org/jobd1"
#define MANAGER_INTERFACE "org.jobd1.Manager"
#define UNIT_INTERFACE "org.jobd1.Unit"

typedef struct BusFixture {
        char folder[64];                /* has units/ and run/ */
        char *bus_address;              /* owned; NULL: no message bus */
        bool systemd_compat;
        pid_t pid;                      /* of the manager */
} BusFixture;

typedef struct BusFixtureClient {
        DBusConnection *connection;
        Text seen;                      /* "JobNew PropertiesChanged " …: members of signals, "reply", "error" */
} BusFixtureClient;

void bus_fixture_init(BusFixture *fixture);
void bus_fixture_write_unit(const BusFixture *fixture, const char *name, const char *text);
void bus_fixture_start(BusFixture *fixture);
void bus_fixture_stop(BusFixture *fixture);      /* by Exit(); asserts that it ends well */

void bus_fixture_connect(const BusFixture *fixture, BusFixtureClient *client);
void bus_fixture_connect_to(const char *socket, BusFixtureClient *client);
void bus_fixture_disconnect(BusFixtureClient *client);

/* Reads one message, or NULL if the connection has ended; at most 10 s. */
DBusMessage *bus_fixture_read(BusFixtureClient *client);

/* Sends @call (taken over) and reads up to its reply, which may be an error. */
DBusMessage *bus_fixture_call(BusFixtureClient *client, DBusMessage *call);

/* The same for a method of the manager or of any object, with string arguments that end with NULL. */
DBusMessage *bus_fixture_call_manager(BusFixtureClient *client, const char *method, ...);
DBusMessage *bus_fixture_call_object(BusFixtureClient *client, const char *path, const char *interface,
                                     const char *method, ...);

void bus_fixture_assert_error(DBusMessage *reply, const char *name, const char *part_of_message);  /* takes it over */
char *bus_fixture_string(DBusMessage *reply);            /* its first argument, a string or path; takes it over */

/* Reads up to a signal; the job's id, unit and result where it has them. */
void bus_fixture_wait_signal(BusFixtureClient *client, const char *member);
void bus_fixture_wait_job(BusFixtureClient *client, const char *job_path, const char *result);

/* Calls the method for the unit and waits for the end of the job. */
void bus_fixture_run(BusFixtureClient *client, const char *method, const char *unit, const char *result);

/* If a PropertiesChanged has a string @name among its values, replaces *value by it. */
void bus_fixture_read_change(DBusMessage *message, const char *name, char **value);
/* Adds the names that a PropertiesChanged announces without a value, each as " NAME ". */
void bus_fixture_read_invalidated(DBusMessage *message, Text *names);

/* A property of a unit that is a string. */
char *bus_fixture_property(BusFixtureClient *client, const char *unit, const char *name);
