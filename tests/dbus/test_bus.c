/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager on its private socket, as clients see it
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "bus_fixture.h"

static const char quick[] = "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n";
static const char lasting[] = "[Service]\nExecStart=/bin/sleep 1000\n";

static const char conditional[] = "[Unit]\nConditionPathExists=/\n[Service]\nExecStart=/bin/sleep 1000\n";

static BusFixture fixture;
static BusFixtureClient client;

static void set_up(void) {
        bus_fixture_init(&fixture);
        bus_fixture_write_unit(&fixture, "quick.service", quick);
        bus_fixture_write_unit(&fixture, "lasting.service", lasting);
        bus_fixture_write_unit(&fixture, "conditional.service", conditional);
        bus_fixture_write_unit(&fixture, "both.target",
                               "[Unit]\nWants=quick.service lasting.service\nAfter=quick.service\n");
        bus_fixture_start(&fixture);
        bus_fixture_connect(&fixture, &client);
}

static void tear_down(void) {
        bus_fixture_disconnect(&client);
        bus_fixture_stop(&fixture);
}

TestSuite(bus, .init = set_up, .fini = tear_down);

static bool comes_before(const char *seen, const char *first, const char *second) {
        const char *a = strstr(seen, first), *b = strstr(seen, second);

        return a && b && a < b;
}

Test(bus, the_reply_comes_between_the_news_of_a_job_and_its_end) {
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");

        cr_assert(comes_before(client.seen.string, "JobNew ", "reply "), "%s", client.seen.string);
        cr_assert(comes_before(client.seen.string, "reply ", "PropertiesChanged "), "%s", client.seen.string);
        cr_assert(comes_before(client.seen.string, "PropertiesChanged ", "JobRemoved "), "%s", client.seen.string);
}

/* The last ActiveState that was announced before the end of a job. */
static char *announced_state(void) {
        char *state = strdup("none");

        for (;;) {
                DBusMessage *message = bus_fixture_read(&client);
                bool is_end = text_equal(dbus_message_get_member(message), "JobRemoved");

                if (text_equal(dbus_message_get_member(message), "PropertiesChanged"))
                        bus_fixture_read_change(message, "ActiveState", &state);
                dbus_message_unref(message);
                if (is_end)
                        return state;
        }
}

Test(bus, the_last_state_is_announced_before_the_end_of_the_job_also_of_a_unit_that_goes) {
        cleanup_free_ char *state = NULL;

        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
        free(bus_fixture_string(bus_fixture_call_manager(&client, "StopUnit", "quick.service", "replace", NULL)));
        state = announced_state();
        assert_string(state, "inactive");
        bus_fixture_wait_signal(&client, "UnitRemoved");
}

/* Starts the unit; returns the names that its changes announce without a value, up to the end of the job. */
static Text announced_without_value(const char *unit) {
        Text names = {};

        free(bus_fixture_string(bus_fixture_call_manager(&client, "StartUnit", unit, "replace", NULL)));
        for (;;) {
                DBusMessage *message = bus_fixture_read(&client);
                bool is_end = text_equal(dbus_message_get_member(message), "JobRemoved");

                if (text_equal(dbus_message_get_member(message), "PropertiesChanged"))
                        bus_fixture_read_invalidated(message, &names);
                dbus_message_unref(message);
                if (is_end)
                        return names;
        }
}

Test(bus, what_a_start_changes_and_is_large_is_announced_without_its_value) {
        cleanup_(text_deinit) Text with = announced_without_value("conditional.service");
        cleanup_(text_deinit) Text without = announced_without_value("lasting.service");

        cr_assert(strstr(with.string, " Conditions ") != NULL, "%s", with.string);
        cr_assert(strstr(with.string, " ExecStart ") != NULL, "%s", with.string);
        cr_assert(strstr(without.string, " ExecStart ") != NULL, "%s", without.string);
        cr_assert(strstr(without.string, " Conditions ") == NULL, "it has none: %s", without.string);
}

Test(bus, every_job_ends_once) {
        const char *seen;
        unsigned n = 0;

        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
        bus_fixture_run(&client, "RestartUnit", "quick.service", "done");
        bus_fixture_run(&client, "StopUnit", "quick.service", "done");
        for (seen = client.seen.string; (seen = strstr(seen, "JobRemoved ")); seen++)
                n++;
        cr_assert(eq(u32, n, 3), "%s", client.seen.string);
}

Test(bus, another_connection_hears_of_jobs_too) {
        BusFixtureClient other;

        bus_fixture_connect(&fixture, &other);
        dbus_message_unref(bus_fixture_call_object(&other, "/", DBUS_INTERFACE_PEER, "Ping", NULL));
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
        bus_fixture_wait_signal(&other, "JobNew");
        bus_fixture_wait_signal(&other, "JobRemoved");
        bus_fixture_disconnect(&other);
}

Test(bus, who_said_hello_hears_signals_from_its_first_match_on) {
        BusFixtureClient other;

        bus_fixture_connect(&fixture, &other);
        free(bus_fixture_string(bus_fixture_call_object(&other, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "Hello", NULL)));
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
        dbus_message_unref(bus_fixture_call_object(&other, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "AddMatch",
                                                   "type='signal'", NULL));
        assert_string(other.seen.string, "reply reply ");
        bus_fixture_run(&client, "StopUnit", "quick.service", "done");
        bus_fixture_wait_signal(&other, "JobRemoved");
        bus_fixture_disconnect(&other);
}

Test(bus, a_monitor_hears_signals) {
        DBusMessage *call = dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_MONITORING,
                                                         "BecomeMonitor");
        const char *const none[] = {}, *const *rules = none;
        BusFixtureClient monitor;
        dbus_uint32_t flags = 0;

        bus_fixture_connect(&fixture, &monitor);
        dbus_message_unref(bus_fixture_call_object(&monitor, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "Hello", NULL));
        dbus_message_append_args(call, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &rules, 0, DBUS_TYPE_UINT32, &flags,
                                 DBUS_TYPE_INVALID);
        dbus_message_unref(bus_fixture_call(&monitor, call));
        cr_assert(strstr(monitor.seen.string, "NameLost reply") != NULL, "%s", monitor.seen.string);
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
        bus_fixture_wait_signal(&monitor, "JobRemoved");
        bus_fixture_disconnect(&monitor);
}

Test(bus, messages_say_who_sent_them) {
        DBusMessage *reply = bus_fixture_call_manager(&client, "ListUnits", NULL);

        assert_string(dbus_message_get_sender(reply), "org.jobd1");
        dbus_message_unref(reply);
        reply = bus_fixture_call_object(&client, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "Hello", NULL);
        assert_string(dbus_message_get_sender(reply), DBUS_SERVICE_DBUS);
        dbus_message_unref(reply);
}

Test(bus, what_is_wrong_with_a_call_is_said) {
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "StartUnit", "quick.service", NULL),
                                 DBUS_ERROR_INVALID_ARGS, "\"ss\", but was called with \"s\"");
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "StartUnit", "quick.service", "rarely", NULL),
                                 DBUS_ERROR_INVALID_ARGS, "replace-irreversibly");
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "EnqueueUnitJob", "quick.service", "dance", "fail",
                                                          NULL),
                                 DBUS_ERROR_INVALID_ARGS, "verify-active");
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "StartUnit", "quick", "replace", NULL),
                                 DBUS_ERROR_INVALID_ARGS, "quick");
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "StartUnit", "no.service", "replace", NULL),
                                 "org.jobd1.NoSuchUnit", "no.service");
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "StopUnit", "no.service", "replace", NULL),
                                 "org.jobd1.NoSuchUnit", "no.service");
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "Dance", NULL), DBUS_ERROR_UNKNOWN_METHOD, "Dance");
        bus_fixture_assert_error(bus_fixture_call_object(&client, MANAGER, "a.b", "C", NULL),
                                 DBUS_ERROR_UNKNOWN_INTERFACE, "a.b");
        bus_fixture_assert_error(bus_fixture_call_object(&client, "/a", "a.b", "C", NULL), DBUS_ERROR_UNKNOWN_OBJECT,
                                 "/a");
        bus_fixture_assert_error(bus_fixture_call_object(&client, MANAGER "/job/77", "org.jobd1.Job", "Cancel", NULL),
                                 DBUS_ERROR_UNKNOWN_OBJECT, "77");
}

Test(bus, all_properties_of_all_interfaces_are_read_at_once) {
        DBusMessage *reply;

        bus_fixture_run(&client, "StartUnit", "lasting.service", "done");
        reply = bus_fixture_call_object(&client, MANAGER "/unit/lasting_2eservice", DBUS_INTERFACE_PROPERTIES, "GetAll",
                                        "", NULL);
        assert_string(dbus_message_get_signature(reply), "a{sv}");
        dbus_message_unref(reply);
        reply = bus_fixture_call_object(&client, MANAGER, DBUS_INTERFACE_PROPERTIES, "GetAll", "", NULL);
        assert_string(dbus_message_get_signature(reply), "a{sv}");
        dbus_message_unref(reply);
        reply = bus_fixture_call_object(&client, MANAGER, "org.freedesktop.DBus.ObjectManager",
                                        "GetManagedObjects", NULL);
        assert_string(dbus_message_get_signature(reply), "a{oa{sa{sv}}}");
        dbus_message_unref(reply);
}

/* The key of the first entry of a reply of a{sv}; takes it over. */
static char *first_key(DBusMessage *reply) {
        DBusMessageIter iter, entries, entry;
        const char *key;
        char *copy;

        cr_assert(dbus_message_iter_init(reply, &iter));
        dbus_message_iter_recurse(&iter, &entries);
        dbus_message_iter_recurse(&entries, &entry);
        dbus_message_iter_get_basic(&entry, &key);
        copy = strdup(key);
        dbus_message_unref(reply);
        return copy;
}

/* Scripts count on the order in which systemctl show --value prints. */
Test(bus, properties_of_the_type_come_first) {
        cleanup_free_ char *key = NULL;

        key = first_key(bus_fixture_call_object(&client, MANAGER "/unit/lasting_2eservice", DBUS_INTERFACE_PROPERTIES,
                                                "GetAll", "", NULL));
        assert_string(key, "Type");
}

Test(bus, only_the_exact_path_of_a_job_is_one) {
        cleanup_free_ char *job = NULL, *path = NULL;

        bus_fixture_write_unit(&fixture, "slow.service", "[Service]\nType=oneshot\nExecStart=/bin/sleep 1000\n");
        job = bus_fixture_string(bus_fixture_call_manager(&client, "StartUnit", "slow.service", "replace", NULL));
        cr_assert(eq(int, text_format(&path, MANAGER "/job/0%s", job + strlen(MANAGER "/job/")), 0));
        free(bus_fixture_string(bus_fixture_call_object(&client, job, DBUS_INTERFACE_PROPERTIES, "Get",
                                                        "org.jobd1.Job", "State", NULL)));
        bus_fixture_assert_error(bus_fixture_call_object(&client, path, DBUS_INTERFACE_PROPERTIES, "Get",
                                                         "org.jobd1.Job", "State", NULL),
                                 DBUS_ERROR_UNKNOWN_OBJECT, "no job");
}

Test(bus, processes_are_told_with_their_group_in_one_line) {
        DBusMessageIter iter, processes, process;
        DBusMessage *reply;
        const char *group;

        bus_fixture_run(&client, "StartUnit", "lasting.service", "done");
        reply = bus_fixture_call_manager(&client, "GetUnitProcesses", "lasting.service", NULL);
        assert_string(dbus_message_get_signature(reply), "a(sus)");
        dbus_message_iter_init(reply, &iter);
        dbus_message_iter_recurse(&iter, &processes);
        dbus_message_iter_recurse(&processes, &process);
        dbus_message_iter_get_basic(&process, &group);
        cr_assert(group[0] == '/' || group[0] == '\0', "\"%s\"", group);
        cr_assert(strchr(group, '\n') == NULL, "\"%s\"", group);
        dbus_message_unref(reply);
}

Test(bus, every_object_can_be_introspected_and_names_those_below) {
        static const struct {
                const char *path, *part;
        } rows[] = {
                { "/", "<node name=\"org\"/>" },
                { "/org", "<node name=\"jobd1\"/>" },
                { MANAGER, "<node name=\"unit\"/>" },
                { MANAGER "/unit", "<node name=\"lasting_2eservice\"/>" },
                { MANAGER "/unit/lasting_2eservice", "org.jobd1.Service" },
        };

        bus_fixture_run(&client, "StartUnit", "lasting.service", "done");
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                cleanup_free_ char *xml = NULL;

                xml = bus_fixture_string(bus_fixture_call_object(&client, rows[i].path, DBUS_INTERFACE_INTROSPECTABLE,
                                                                 "Introspect", NULL));
                cr_assert(strstr(xml, rows[i].part) != NULL, "%s: %s", rows[i].path, xml);
        }
}

/* A client drops an object when all interfaces of it were removed: the signal must name each of them. */
Test(bus, a_unit_that_goes_takes_all_its_interfaces_along) {
        char **interfaces = NULL;
        DBusMessage *signal;
        const char *path;
        int n = 0;

        dbus_message_unref(bus_fixture_call_object(&client, MANAGER, "org.freedesktop.DBus.ObjectManager",
                                                   "GetManagedObjects", NULL));
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
        dbus_message_unref(bus_fixture_call_manager(&client, "StopUnit", "quick.service", "replace", NULL));
        for (bool is_it = false; !is_it;) {
                signal = bus_fixture_read(&client);
                cr_assert(signal != NULL);
                is_it = text_equal(dbus_message_get_member(signal), "InterfacesRemoved") &&
                        dbus_message_get_args(signal, NULL, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_ARRAY,
                                              DBUS_TYPE_STRING, &interfaces, &n, DBUS_TYPE_INVALID) &&
                        text_equal(path, MANAGER "/unit/quick_2eservice");
                if (is_it) {
                        cr_assert(eq(int, n, 2));
                        assert_string(interfaces[0], "org.jobd1.Unit");
                        assert_string(interfaces[1], "org.jobd1.Service");
                }
                dbus_free_string_array(interfaces);
                interfaces = NULL;
                dbus_message_unref(signal);
        }
}

static bool is_loaded(const char *unit) {
        DBusMessage *reply = bus_fixture_call_manager(&client, "GetUnit", unit, NULL);
        bool is_error = dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR;

        dbus_message_unref(reply);
        return !is_error;
}

Test(bus, a_question_loads_a_unit_only_for_itself) {
        cleanup_free_ char *state = bus_fixture_property(&client, "quick.service", "ActiveState");
        cleanup_free_ char *missing = bus_fixture_property(&client, "no.service", "LoadState");

        assert_string(state, "inactive");
        assert_string(missing, "not-found");
        cr_assert(not(is_loaded("quick.service")));
        cr_assert(not(is_loaded("no.service")));
        cr_assert(strstr(client.seen.string, "UnitNew") == NULL);
}

Test(bus, a_stopped_unit_leaves_the_list) {
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
        cr_assert(is_loaded("quick.service"));
        bus_fixture_run(&client, "StopUnit", "quick.service", "done");
        cr_assert(not(is_loaded("quick.service")));
}

Test(bus, a_reference_keeps_a_unit_until_its_holder_goes) {
        BusFixtureClient other;

        bus_fixture_connect(&fixture, &other);
        dbus_message_unref(bus_fixture_call_manager(&other, "RefUnit", "quick.service", NULL));
        cr_assert(is_loaded("quick.service"));
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "UnrefUnit", "quick.service", NULL),
                                 "org.jobd1.NotReferenced", "quick.service");
        bus_fixture_disconnect(&other);
        bus_fixture_wait_signal(&client, "UnitRemoved");
        cr_assert(not(is_loaded("quick.service")));
}

Test(bus, nobody_subscribes_twice) {
        dbus_message_unref(bus_fixture_call_manager(&client, "Subscribe", NULL));
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "Subscribe", NULL),
                                 "org.jobd1.AlreadySubscribed", "");
        dbus_message_unref(bus_fixture_call_manager(&client, "Unsubscribe", NULL));
        bus_fixture_assert_error(bus_fixture_call_manager(&client, "Unsubscribe", NULL), "org.jobd1.NotSubscribed", "");
}

static void append_token(DBusMessageIter *options, const char *token) {
        DBusMessageIter option, value;
        const char *key = "token";

        dbus_message_iter_open_container(options, DBUS_TYPE_DICT_ENTRY, NULL, &option);
        dbus_message_iter_append_basic(&option, DBUS_TYPE_STRING, &key);
        dbus_message_iter_open_container(&option, DBUS_TYPE_VARIANT, "s", &value);
        dbus_message_iter_append_basic(&value, DBUS_TYPE_STRING, &token);
        dbus_message_iter_close_container(&option, &value);
        dbus_message_iter_close_container(options, &option);
}

/* A call of Exec or Plan with requests "unit", "type", …, up to NULL. @token may be NULL. */
static DBusMessage *new_exec(const char *method, const char *token, const char *const *words) {
        DBusMessage *call = dbus_message_new_method_call(NULL, MANAGER, MANAGER_INTERFACE, method);
        DBusMessageIter iter, requests, request;
        const char *mode = "replace";

        dbus_message_iter_init_append(call, &iter);
        dbus_message_iter_open_container(&iter, DBUS_TYPE_ARRAY, "(ss)", &requests);
        for (; *words; words += 2) {
                dbus_message_iter_open_container(&requests, DBUS_TYPE_STRUCT, NULL, &request);
                dbus_message_iter_append_basic(&request, DBUS_TYPE_STRING, &words[0]);
                dbus_message_iter_append_basic(&request, DBUS_TYPE_STRING, &words[1]);
                dbus_message_iter_close_container(&requests, &request);
        }
        dbus_message_iter_close_container(&iter, &requests);
        dbus_message_iter_append_basic(&iter, DBUS_TYPE_STRING, &mode);
        dbus_message_iter_open_container(&iter, DBUS_TYPE_ARRAY, "{sv}", &requests);
        if (token)
                append_token(&requests, token);
        dbus_message_iter_close_container(&iter, &requests);
        return call;
}

Test(bus, several_requests_are_one_transaction) {
        static const char *const words[] = { "quick.service", "start", "lasting.service", "start", NULL };
        DBusMessage *reply = bus_fixture_call(&client, new_exec("Exec", NULL, words));
        DBusMessageIter iter, jobs;
        dbus_uint64_t transaction;
        unsigned n = 0;

        assert_string(dbus_message_get_signature(reply), "ta(uosso)");
        dbus_message_iter_init(reply, &iter);
        dbus_message_iter_get_basic(&iter, &transaction);
        cr_assert(transaction > 0);
        dbus_message_iter_next(&iter);
        dbus_message_iter_recurse(&iter, &jobs);
        for (; dbus_message_iter_get_arg_type(&jobs) == DBUS_TYPE_STRUCT; dbus_message_iter_next(&jobs))
                n++;
        cr_assert(eq(u32, n, 2));
        dbus_message_unref(reply);
        bus_fixture_wait_signal(&client, "JobRemoved");
        bus_fixture_wait_signal(&client, "JobRemoved");
}

Test(bus, a_plan_changes_nothing) {
        static const char *const words[] = { "both.target", "start", NULL };
        DBusMessage *reply = bus_fixture_call(&client, new_exec("Plan", NULL, words));
        cleanup_free_ char *state = NULL;

        assert_string(dbus_message_get_signature(reply), "a{sv}");
        dbus_message_unref(reply);
        state = bus_fixture_property(&client, "lasting.service", "ActiveState");
        assert_string(state, "inactive");
        cr_assert(strstr(client.seen.string, "JobNew") == NULL);
}

/* Compares two replies byte by byte. */
static bool is_same_answer(DBusMessage *a, DBusMessage *b) {
        char *bytes[2] = {};
        int n[2] = {};
        bool is_same;

        for (unsigned i = 0; i < 2; i++) {
                DBusMessage *copy = dbus_message_copy(i == 0 ? a : b);

                dbus_message_set_serial(copy, 1);
                dbus_message_set_reply_serial(copy, 1);
                dbus_message_set_destination(copy, NULL);
                cr_assert(dbus_message_marshal(copy, &bytes[i], &n[i]));
                dbus_message_unref(copy);
        }
        is_same = n[0] == n[1] && memcmp(bytes[0], bytes[1], (size_t) n[0]) == 0;
        dbus_free(bytes[0]);
        dbus_free(bytes[1]);
        return is_same;
}

Test(bus, a_request_with_a_token_can_be_repeated) {
        static const char *const words[] = { "both.target", "start", "lasting.service", "start", NULL };
        static const char *const stop[] = { "both.target", "stop", NULL };
        DBusMessage *first = bus_fixture_call(&client, new_exec("Exec", "abc", words)), *second, *third;
        BusFixtureClient other = {};

        assert_string(dbus_message_get_signature(first), "ta(uosso)");
        bus_fixture_connect(&fixture, &other);
        second = bus_fixture_call(&other, new_exec("Exec", "abc", words));
        cr_assert(is_same_answer(first, second));
        cr_assert(strstr(other.seen.string, "JobNew") == NULL, "nothing was done");
        bus_fixture_run(&client, "StopUnit", "lasting.service", "done");
        second = (dbus_message_unref(second), bus_fixture_call(&other, new_exec("Exec", "abc", words)));
        cr_assert(is_same_answer(first, second), "also when the jobs have ended");
        third = bus_fixture_call(&other, new_exec("Exec", "abd", words));
        cr_assert(not(is_same_answer(first, third)), "another token is another request");
        bus_fixture_assert_error(bus_fixture_call(&client, new_exec("Exec", "abc", stop)), "org.jobd1.TokenReused",
                                 "abc");
        bus_fixture_disconnect(&other);
        dbus_message_unref(first);
        dbus_message_unref(second);
        dbus_message_unref(third);
}

Test(bus, a_token_is_checked) {
        static const char *const words[] = { "quick.service", "start", NULL };
        static const char *const unknown[] = { "unknown.service", "start", NULL };
        char longest[130];

        memset(longest, 'x', sizeof(longest) - 1);
        longest[sizeof(longest) - 1] = '\0';
        bus_fixture_assert_error(bus_fixture_call(&client, new_exec("Exec", longest, words)),
                                 "org.freedesktop.DBus.Error.InvalidArgs", "128");
        bus_fixture_assert_error(bus_fixture_call(&client, new_exec("Exec", "", words)),
                                 "org.freedesktop.DBus.Error.InvalidArgs", "token");
        bus_fixture_assert_error(bus_fixture_call(&client, new_exec("Plan", "a", words)),
                                 "org.freedesktop.DBus.Error.InvalidArgs", "no option token");
        bus_fixture_assert_error(bus_fixture_call(&client, new_exec("Exec", "a", unknown)), "org.jobd1.NoSuchUnit", "");
        dbus_message_unref(bus_fixture_call(&client, new_exec("Exec", "a", words)));
        bus_fixture_wait_signal(&client, "JobRemoved");
}

Test(bus, a_client_that_goes_in_the_middle_leaves_its_job_going) {
        BusFixtureClient other;

        bus_fixture_connect(&fixture, &other);
        free(bus_fixture_string(bus_fixture_call_manager(&other, "StartUnit", "quick.service", "replace", NULL)));
        bus_fixture_disconnect(&other);
        bus_fixture_wait_signal(&client, "JobRemoved");
}
