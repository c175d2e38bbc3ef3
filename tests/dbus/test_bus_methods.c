/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Methods that no verb of jobctl calls, by their effect; most are the twins of methods that one calls
 */

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "bus_fixture.h"

#define LOGGED MANAGER "/unit/logged_2eservice"
#define LASTING MANAGER "/unit/lasting_2eservice"
#define JOB_INTERFACE "org.jobd1.Job"

static BusFixture fixture;
static BusFixtureClient client;

/* Adds a unit whose commands are logged: each has been run when the unit's job ends. */
static void add_logged(void) {
        char text[1024];
        const char *folder = fixture.folder;

        snprintf(text, sizeof(text), "[Service]\nType=oneshot\nRemainAfterExit=yes\n"
                 "ExecStart=/bin/sh -c 'printf \"start \" >>%s/log'\n"
                 "ExecReload=/bin/sh -c 'printf \"reload \" >>%s/log'\n"
                 "ExecStop=/bin/sh -c 'printf \"stop \" >>%s/log'\n", folder, folder, folder);
        bus_fixture_write_unit(&fixture, "logged.service", text);
}

static void set_up(void) {
        bus_fixture_init(&fixture);
        add_logged();
        bus_fixture_write_unit(&fixture, "lasting.service", "[Service]\nExecStart=/bin/sleep 1000\n");
        bus_fixture_write_unit(&fixture, "slow.service", "[Service]\nType=oneshot\nExecStart=/bin/sleep 1000\n");
        bus_fixture_write_unit(&fixture, "late.service", "[Unit]\nAfter=slow.service\n[Service]\nExecStart=/bin/true\n");
        bus_fixture_start(&fixture);
        bus_fixture_connect(&fixture, &client);
}

static void tear_down(void) {
        bus_fixture_disconnect(&client);
        bus_fixture_stop(&fixture);
}

TestSuite(bus_methods, .init = set_up, .fini = tear_down);

/* A call with arguments as dbus_message_append_args() takes them. */
static DBusMessage *call_with(const char *path, const char *interface, const char *method, int first_type, ...) {
        DBusMessage *call = dbus_message_new_method_call(NULL, path, interface, method);
        va_list arguments;

        va_start(arguments, first_type);
        cr_assert(dbus_message_append_args_valist(call, first_type, arguments));
        va_end(arguments);
        return bus_fixture_call(&client, call);
}

/* Asserts that a reply is no error; takes it over. */
static void assert_done(DBusMessage *reply) {
        const char *message = "";

        dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &message, DBUS_TYPE_INVALID);
        cr_assert(dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_ERROR, "%s", message);
        dbus_message_unref(reply);
}

/* — jobs by the name of their type — */

static void assert_ran(const char *commands) {
        char path[128], seen[256] = "";
        FILE *file;

        snprintf(path, sizeof(path), "%s/log", fixture.folder);
        file = fopen(path, "re");
        if (file) {
                seen[fread(seen, 1, sizeof(seen) - 1, file)] = '\0';
                fclose(file);
                unlink(path);
        }
        assert_string(seen, commands);
}

static void check_of_unit(const char *method, const char *commands) {
        cleanup_free_ char *job = NULL;

        job = bus_fixture_string(bus_fixture_call_object(&client, LOGGED, UNIT_INTERFACE, method, "replace", NULL));
        bus_fixture_wait_job(&client, job, "done");
        assert_ran(commands);
}

static void check_of_manager(const char *method, const char *commands) {
        bus_fixture_run(&client, method, "logged.service", "done");
        assert_ran(commands);
}

Test(bus_methods, a_unit_has_a_method_for_each_type_of_job) {
        check_of_unit("TryRestart", "");
        check_of_unit("ReloadOrTryRestart", "");
        check_of_unit("Start", "start ");
        check_of_unit("Restart", "stop start ");
        check_of_unit("Reload", "reload ");
        check_of_unit("TryRestart", "stop start ");
        check_of_unit("ReloadOrRestart", "reload ");
        check_of_unit("ReloadOrTryRestart", "reload ");
        check_of_unit("Stop", "stop ");
        check_of_unit("ReloadOrRestart", "start ");
        check_of_unit("Stop", "stop ");
        check_of_unit("Restart", "start ");
}

Test(bus_methods, the_manager_has_the_same_for_a_unit_by_its_name) {
        check_of_manager("TryRestartUnit", "");
        check_of_manager("ReloadOrTryRestartUnit", "");
        check_of_manager("StartUnit", "start ");
        check_of_manager("RestartUnit", "stop start ");
        check_of_manager("ReloadUnit", "reload ");
        check_of_manager("TryRestartUnit", "stop start ");
        check_of_manager("ReloadOrRestartUnit", "reload ");
        check_of_manager("ReloadOrTryRestartUnit", "reload ");
        check_of_manager("StopUnit", "stop ");
        check_of_manager("ReloadOrRestartUnit", "start ");
}

/* Waits for the end of the job that the reply to EnqueueJob names first. Takes the reply over. */
static void wait_for_enqueued(DBusMessage *reply, const char *unit, const char *type) {
        const char *job, *its_unit, *unit_path, *its_type;
        dbus_uint32_t id;

        assert_string(dbus_message_get_signature(reply), "uososa(uosos)");
        cr_assert(dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &id, DBUS_TYPE_OBJECT_PATH, &job, DBUS_TYPE_STRING,
                                        &its_unit, DBUS_TYPE_OBJECT_PATH, &unit_path, DBUS_TYPE_STRING, &its_type,
                                        DBUS_TYPE_INVALID));
        assert_string(its_unit, unit);
        assert_string(its_type, type);
        bus_fixture_wait_job(&client, job, "done");
        dbus_message_unref(reply);
}

Test(bus_methods, a_job_is_enqueued_by_its_type) {
        wait_for_enqueued(bus_fixture_call_object(&client, LOGGED, UNIT_INTERFACE, "EnqueueJob", "start", "fail", NULL),
                          "logged.service", "start");
        assert_ran("start ");
        wait_for_enqueued(bus_fixture_call_manager(&client, "EnqueueUnitJob", "logged.service", "stop", "fail", NULL),
                          "logged.service", "stop");
        assert_ran("stop ");
}

/* — lists — */

/* Field number @field of each struct of a list, a string, with spaces; takes @reply over. */
static char *fields_of(DBusMessage *reply, const char *signature, unsigned field) {
        DBusMessageIter iter, rows, row;
        Text words = {};

        assert_string(dbus_message_get_signature(reply), signature);
        cr_assert(dbus_message_iter_init(reply, &iter));
        dbus_message_iter_recurse(&iter, &rows);
        for (; dbus_message_iter_get_arg_type(&rows) == DBUS_TYPE_STRUCT; dbus_message_iter_next(&rows)) {
                const char *string;

                dbus_message_iter_recurse(&rows, &row);
                for (unsigned i = 0; i < field; i++)
                        dbus_message_iter_next(&row);
                dbus_message_iter_get_basic(&row, &string);
                text_add(&words, string);
                text_add_char(&words, ' ');
        }
        dbus_message_unref(reply);
        return words.string ?: strdup("");
}

static void assert_jobs(DBusMessage *reply, const char *units) {
        cleanup_free_ char *found = fields_of(reply, "a(usssoo)", 1);

        assert_string(found, units);
}

static void assert_units(DBusMessage *reply, const char *units) {
        cleanup_free_ char *found = fields_of(reply, "a(ssssssouso)", 0);

        assert_string(found, units);
}

static dbus_uint32_t id_of(const char *job) {
        return (dbus_uint32_t) strtoul(strrchr(job, '/') + 1, NULL, 10);
}

static char *start(const char *unit) {
        return bus_fixture_string(bus_fixture_call_manager(&client, "StartUnit", unit, "replace", NULL));
}

Test(bus_methods, jobs_name_their_neighbours) {
        cleanup_free_ char *slow = start("slow.service"), *late = start("late.service"), *path = NULL;
        dbus_uint32_t slow_id = id_of(slow), late_id = id_of(late);

        assert_jobs(bus_fixture_call_manager(&client, "ListJobs", NULL), "slow.service late.service ");
        assert_jobs(bus_fixture_call_object(&client, late, JOB_INTERFACE, "GetBefore", NULL), "slow.service ");
        assert_jobs(bus_fixture_call_object(&client, late, JOB_INTERFACE, "GetAfter", NULL), "");
        assert_jobs(bus_fixture_call_object(&client, slow, JOB_INTERFACE, "GetAfter", NULL), "late.service ");
        assert_jobs(call_with(MANAGER, MANAGER_INTERFACE, "GetJobBefore", DBUS_TYPE_UINT32, &late_id, DBUS_TYPE_INVALID),
                    "slow.service ");
        assert_jobs(call_with(MANAGER, MANAGER_INTERFACE, "GetJobAfter", DBUS_TYPE_UINT32, &slow_id, DBUS_TYPE_INVALID),
                    "late.service ");
        path = bus_fixture_string(call_with(MANAGER, MANAGER_INTERFACE, "GetJob", DBUS_TYPE_UINT32, &late_id,
                                            DBUS_TYPE_INVALID));
        assert_string(path, late);
}

Test(bus_methods, a_waiting_job_is_cancelled_by_its_object_or_its_id) {
        cleanup_free_ char *slow = start("slow.service"), *late = start("late.service"), *again = NULL;
        dbus_uint32_t id;

        assert_done(bus_fixture_call_object(&client, late, JOB_INTERFACE, "Cancel", NULL));
        assert_jobs(bus_fixture_call_manager(&client, "ListJobs", NULL), "slow.service ");
        bus_fixture_assert_error(bus_fixture_call_object(&client, slow, JOB_INTERFACE, "Cancel", NULL),
                                 "org.jobd1.JobNotCancelable", "slow.service");
        again = start("late.service");
        id = id_of(again);
        assert_done(call_with(MANAGER, MANAGER_INTERFACE, "Cancel", DBUS_TYPE_UINT32, &id, DBUS_TYPE_INVALID));
        assert_jobs(bus_fixture_call_manager(&client, "ListJobs", NULL), "slow.service ");
}

Test(bus_methods, units_are_listed_by_state_and_by_name) {
        const char *const active[] = { "active" }, *const *states = active;
        const char *const both[] = { "logged.service", "lasting.service" }, *const *names = both;

        bus_fixture_run(&client, "StartUnit", "lasting.service", "done");
        assert_units(call_with(MANAGER, MANAGER_INTERFACE, "ListUnitsFiltered", DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &states,
                               1, DBUS_TYPE_INVALID), "lasting.service ");
        assert_units(call_with(MANAGER, MANAGER_INTERFACE, "ListUnitsByNames", DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &names, 2,
                               DBUS_TYPE_INVALID), "logged.service lasting.service ");
}

Test(bus_methods, unit_files_are_listed_with_their_states) {
        cleanup_free_ char *states = NULL, *paths = NULL;

        states = fields_of(bus_fixture_call_manager(&client, "ListUnitFiles", NULL), "a(ss)", 1);
        assert_string(states, "static static static static ");
        paths = fields_of(bus_fixture_call_manager(&client, "ListUnitFiles", NULL), "a(ss)", 0);
        cr_assert(strstr(paths, "/units/logged.service ") != NULL, "%s", paths);
}

/* — a unit's processes and references — */

static void wait_for_property(const char *unit, const char *name, const char *wanted) {
        for (;;) {
                cleanup_free_ char *value = bus_fixture_property(&client, unit, name);

                if (text_equal(value, wanted))
                        return;
                dbus_message_unref(bus_fixture_read(&client));
        }
}

Test(bus_methods, a_unit_is_killed_and_its_failure_reset) {
        const char *whom = "all";
        dbus_int32_t number = SIGKILL;

        bus_fixture_run(&client, "StartUnit", "lasting.service", "done");
        assert_done(call_with(LASTING, UNIT_INTERFACE, "Kill", DBUS_TYPE_STRING, &whom, DBUS_TYPE_INT32, &number,
                              DBUS_TYPE_INVALID));
        wait_for_property("lasting.service", "ActiveState", "failed");
        assert_done(bus_fixture_call_object(&client, LASTING, UNIT_INTERFACE, "ResetFailed", NULL));
        wait_for_property("lasting.service", "ActiveState", "inactive");
}

/* Returns true if both calls fail with the same message, as they do without control groups. */
static bool is_refused_alike(DBusMessage *of_unit, DBusMessage *of_manager) {
        const char *message = "";
        bool is_refused = dbus_message_get_type(of_unit) == DBUS_MESSAGE_TYPE_ERROR;

        if (is_refused) {
                dbus_message_get_args(of_unit, NULL, DBUS_TYPE_STRING, &message, DBUS_TYPE_INVALID);
                bus_fixture_assert_error(of_manager, dbus_message_get_error_name(of_unit), message);
        } else
                assert_done(of_manager);
        dbus_message_unref(of_unit);
        return is_refused;
}

Test(bus_methods, a_unit_is_frozen_and_thawed) {
        bus_fixture_run(&client, "StartUnit", "lasting.service", "done");
        if (is_refused_alike(bus_fixture_call_object(&client, LASTING, UNIT_INTERFACE, "Freeze", NULL),
                             bus_fixture_call_manager(&client, "FreezeUnit", "lasting.service", NULL))) {
                cr_assert(is_refused_alike(bus_fixture_call_object(&client, LASTING, UNIT_INTERFACE, "Thaw", NULL),
                                           bus_fixture_call_manager(&client, "ThawUnit", "lasting.service", NULL)));
                return;
        }
        wait_for_property("lasting.service", "FreezerState", "frozen");
        assert_done(bus_fixture_call_object(&client, LASTING, UNIT_INTERFACE, "Thaw", NULL));
        wait_for_property("lasting.service", "FreezerState", "running");
}

static bool is_loaded(const char *unit) {
        DBusMessage *reply = bus_fixture_call_manager(&client, "GetUnit", unit, NULL);
        bool is_error = dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR;

        dbus_message_unref(reply);
        return !is_error;
}

Test(bus_methods, a_reference_keeps_a_unit_until_it_is_dropped) {
        assert_done(bus_fixture_call_object(&client, LASTING, UNIT_INTERFACE, "Ref", NULL));
        cr_assert(is_loaded("lasting.service"));
        assert_done(bus_fixture_call_object(&client, LASTING, UNIT_INTERFACE, "Unref", NULL));
        cr_assert(not(is_loaded("lasting.service")));
        assert_done(bus_fixture_call_manager(&client, "RefUnit", "lasting.service", NULL));
        cr_assert(is_loaded("lasting.service"));
        assert_done(bus_fixture_call_manager(&client, "UnrefUnit", "lasting.service", NULL));
        cr_assert(not(is_loaded("lasting.service")));
}

/* — the longest turn — */

static DBusMessage *set_longest_turn(uint64_t value) {
        DBusMessage *call = dbus_message_new_method_call(NULL, MANAGER, DBUS_INTERFACE_PROPERTIES, "Set");
        const char *interface = MANAGER_INTERFACE, *property = "LongestTurnUSec";
        DBusMessageIter iter, variant;

        dbus_message_iter_init_append(call, &iter);
        cr_assert(dbus_message_iter_append_basic(&iter, DBUS_TYPE_STRING, &interface));
        cr_assert(dbus_message_iter_append_basic(&iter, DBUS_TYPE_STRING, &property));
        cr_assert(dbus_message_iter_open_container(&iter, DBUS_TYPE_VARIANT, "t", &variant));
        cr_assert(dbus_message_iter_append_basic(&variant, DBUS_TYPE_UINT64, &value));
        cr_assert(dbus_message_iter_close_container(&iter, &variant));
        return bus_fixture_call(&client, call);
}

static uint64_t get_longest_turn(void) {
        DBusMessage *reply = bus_fixture_call_object(&client, MANAGER, DBUS_INTERFACE_PROPERTIES, "Get",
                                                     MANAGER_INTERFACE, "LongestTurnUSec", NULL);
        DBusMessageIter iter, variant;
        uint64_t value;

        cr_assert(dbus_message_iter_init(reply, &iter));
        dbus_message_iter_recurse(&iter, &variant);
        cr_assert(eq(int, dbus_message_iter_get_arg_type(&variant), DBUS_TYPE_UINT64));
        dbus_message_iter_get_basic(&variant, &value);
        dbus_message_unref(reply);
        return value;
}

Test(bus_methods, the_longest_turn_is_told_and_measured_anew) {
        bus_fixture_run(&client, "StartUnit", "lasting.service", "done");
        cr_assert(ne(u64, get_longest_turn(), 0));
        bus_fixture_assert_error(set_longest_turn(7), "org.freedesktop.DBus.Error.InvalidArgs", "0 only");
        assert_done(set_longest_turn(0));
}

/* — the environment — */

static void assert_environment(const char *assignment, bool is_there) {
        DBusMessage *reply = bus_fixture_call_object(&client, MANAGER, DBUS_INTERFACE_PROPERTIES, "Get", MANAGER_INTERFACE,
                                                     "Environment", NULL);
        DBusMessageIter iter, value, words;
        bool is_found = false;

        cr_assert(dbus_message_iter_init(reply, &iter));
        dbus_message_iter_recurse(&iter, &value);
        dbus_message_iter_recurse(&value, &words);
        for (; dbus_message_iter_get_arg_type(&words) == DBUS_TYPE_STRING; dbus_message_iter_next(&words)) {
                const char *word;

                dbus_message_iter_get_basic(&words, &word);
                is_found |= text_equal(word, assignment);
        }
        dbus_message_unref(reply);
        cr_assert(eq(int, is_found, is_there), "%s", assignment);
}

static void unset_and_set(const char *name, const char *assignment) {
        const char *const names[] = { name }, *const *unset = names;
        const char *const assignments[] = { assignment }, *const *set = assignments;

        assert_done(call_with(MANAGER, MANAGER_INTERFACE, "UnsetAndSetEnvironment", DBUS_TYPE_ARRAY, DBUS_TYPE_STRING,
                              &unset, 1, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &set, 1, DBUS_TYPE_INVALID));
}

Test(bus_methods, variables_are_unset_and_set_in_one_change) {
        unset_and_set("B", "A=1");
        assert_environment("A=1", true);
        unset_and_set("A", "B=2");
        assert_environment("A=1", false);
        assert_environment("B=2", true);
}
