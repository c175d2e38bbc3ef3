/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What polkit is asked, and what becomes of the call: a real bus, and a program that decides in polkit's place
 *
 * The client is made one of another user in the records of the manager, which runs in the process of the test.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "bus_world.h"
#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_access.h"
#include "dbus/object/bus_question.h"
#include "double/double_assert.h"

#define STRANGER 4711

typedef struct Trial {
        BusWorld world;
        char address[64];
        BusLink *link;
        BusQuestions questions;
        pid_t daemon, polkit;           /* 0: it does not run */
        int lines;                      /* what the latter prints */
        sd_event_source *source;
        Text heard;                     /* of that */
} Trial;

static const char configuration[] =
        "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN\"\n"
        " \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
        "<busconfig><type>session</type><listen>%s</listen><auth>EXTERNAL</auth><policy context=\"default\">"
        "<allow send_destination=\"*\"/><allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>\n";

/* Returns when the program has printed something: that it is ready. */
static pid_t run_program(int *ret_lines, const char *program, const char *const *arguments) {
        int fds[2];
        char byte;
        pid_t pid;

        cr_assert(eq(int, pipe2(fds, O_CLOEXEC), 0));
        pid = fork();
        if (pid == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                dup2(fds[1], STDOUT_FILENO);
                execvp(program, (char *const *) arguments);
                _exit(127);
        }
        close(fds[1]);
        cr_assert(eq(int, (int) read(fds[0], &byte, 1), 1), "%s does not start", program);
        *ret_lines = fds[0];
        return pid;
}

/* The manager reaps all children of the process: one that has ended before may be gone. */
static void end_program(pid_t *pid) {
        if (*pid == 0)
                return;
        kill(*pid, SIGKILL);
        cr_assert(waitpid(*pid, NULL, 0) == *pid || errno == ECHILD);
        *pid = 0;
}

static void start_daemon(Trial *trial) {
        char path[64], option[96];
        FILE *file;

        snprintf(path, sizeof(path), "%s/bus.conf", trial->world.folder);
        snprintf(option, sizeof(option), "--config-file=%s", path);
        snprintf(trial->address, sizeof(trial->address), "unix:path=%s/bus", trial->world.folder);
        file = fopen(path, "we");
        cr_assert(file != NULL);
        fprintf(file, configuration, trial->address);
        cr_assert(eq(int, fclose(file), 0));
        trial->daemon = run_program(&trial->lines, "dbus-daemon",
                                    (const char *const[]) { "dbus-daemon", option, "--nofork", "--nopidfile",
                                                            "--print-address=1", NULL });
        close(trial->lines);
}

static int on_line(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Trial *trial = userdata;
        char bytes[4096];
        ssize_t n = read(fd, bytes, sizeof(bytes));

        if (n > 0)
                text_add_n(&trial->heard, bytes, (size_t) n);
        else
                (void) sd_event_source_set_enabled(source, SD_EVENT_OFF);
        return 0;
}

static void start_polkit(Trial *trial) {
        trial->polkit = run_program(&trial->lines, FAKE_POLKIT,
                                    (const char *const[]) { FAKE_POLKIT, trial->address, NULL });
        cr_assert(ge(int, sd_event_add_io(manager_event(trial->world.manager), &trial->source, trial->lines, EPOLLIN,
                                          on_line, trial), 0));
}

static void become(Trial *trial, uid_t uid) {
        BusClient *client;

        for (size_t i = 0; i < trial->world.peers.items.n; i++)
                if (!trial->world.peers.items.items[i]->is_message_bus) {
                        client = trial->world.peers.items.items[i]->clients.items[0];
                        client->uid = uid;
                        client->started = 77;
                }
}

static void start_without_polkit(Trial *trial) {
        static const char *const units[] = {
                "yes.target", "yes-too.target", "no.target", "password.target", "alone.target", "late.target",
                "never.target", "die.target", "strange.target", "broken.target",
        };

        *trial = (Trial) { .lines = -1 };
        bus_world_start(&trial->world, NULL);
        for (size_t i = 0; i < ELEMENTSOF(units); i++)
                bus_world_add_unit(&trial->world, units[i], "[Unit]\nDescription=x\n[Install]\nWantedBy=w.target\n");
        start_daemon(trial);
        cr_assert(eq(int, bus_link_new(&trial->link, &trial->world.peers, trial->world.tree.dialects, trial->address,
                                       false, false), 0));
        bus_questions_init(&trial->questions, &trial->world.tree, trial->link, "org.jobd1", bus_dispatch_resume,
                           &trial->world.dispatch);
        trial->world.tree.questions = &trial->questions;
        while (!bus_link_is_up(trial->link))
                bus_world_turn(&trial->world);
        become(trial, STRANGER);
        bus_world_forget(&trial->world);
}

static void start(Trial *trial) {
        start_without_polkit(trial);
        start_polkit(trial);
}

static void stop(Trial *trial) {
        sd_event_source_disable_unref(trial->source);
        end_program(&trial->polkit);
        bus_questions_deinit(&trial->questions);
        trial->link = bus_link_free(trial->link);
        bus_world_stop(&trial->world);
        end_program(&trial->daemon);
        if (trial->source)
                close(trial->lines);
        text_deinit(&trial->heard);
}

static DBusMessage *new_call(const char *method, va_list arguments) {
        DBusMessage *call = dbus_message_new_method_call(NULL, "/org/jobd1", "org.jobd1.Manager", method);
        const char *argument;

        while ((argument = va_arg(arguments, const char *)))
                cr_assert(dbus_message_append_args(call, DBUS_TYPE_STRING, &argument, DBUS_TYPE_INVALID));
        return call;
}

/* With strings up to NULL. */
static void call(Trial *trial, const char *method, ...) {
        va_list arguments;

        va_start(arguments, method);
        bus_world_send(&trial->world, new_call(method, arguments));
        va_end(arguments);
}

static void call_interactively(Trial *trial, const char *method, ...) {
        DBusMessage *message;
        va_list arguments;

        va_start(arguments, method);
        message = new_call(method, arguments);
        va_end(arguments);
        dbus_message_set_allow_interactive_authorization(message, TRUE);
        bus_world_send(&trial->world, message);
}

/* One transaction. */
static void exec_start(Trial *trial, const char *const *units) {
        DBusMessage *message = dbus_message_new_method_call(NULL, "/org/jobd1", "org.jobd1.Manager", "Exec");
        const char *type = "start", *mode = "replace";
        DBusMessageIter arguments, items, item;

        dbus_message_iter_init_append(message, &arguments);
        dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "(ss)", &items);
        for (; *units; units++) {
                dbus_message_iter_open_container(&items, DBUS_TYPE_STRUCT, NULL, &item);
                dbus_message_iter_append_basic(&item, DBUS_TYPE_STRING, units);
                dbus_message_iter_append_basic(&item, DBUS_TYPE_STRING, &type);
                dbus_message_iter_close_container(&items, &item);
        }
        dbus_message_iter_close_container(&arguments, &items);
        dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING, &mode);
        dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &items);
        dbus_message_iter_close_container(&arguments, &items);
        bus_world_send(&trial->world, message);
}

/* Of a message that is larger than what a socket holds. */
static void send_slowly(Trial *trial, DBusMessage *message) {
        char *bytes;
        int n, at = 0;

        dbus_message_set_serial(message, ++trial->world.serial);
        cr_assert(dbus_message_marshal(message, &bytes, &n));
        while (at < n) {
                ssize_t sent = send(trial->world.client, bytes + at, (size_t) (n - at), MSG_NOSIGNAL | MSG_DONTWAIT);

                at += sent > 0 ? (int) sent : 0;
                if (at < n)
                        bus_world_turn(&trial->world);
        }
        dbus_free(bytes);
        dbus_message_unref(message);
}

static bool has_heard(const Trial *trial, const char *text) {
        return trial->heard.n > 0 && strstr(trial->heard.string, text);
}

static void wait_heard(Trial *trial, const char *text) {
        usec_t end = clock_monotonic() + BUS_WORLD_PATIENCE;

        while (!has_heard(trial, text)) {
                cr_assert(clock_monotonic() < end, "waiting for \"%s\", there is %s", text, trial->heard.string);
                cr_assert(ge(int, manager_turn(trial->world.manager, USEC_PER_SEC), 0));
        }
}

static bool is_active(const Trial *trial, const char *unit) {
        const Unit *found = manager_find_unit(trial->world.manager, unit);

        return found && found->active_state == UNIT_ACTIVE;
}

Test(bus_question, a_call_runs_when_polkit_consents) {
        cleanup_(stop) Trial trial;
        char process[64];

        start(&trial);
        call(&trial, "StartUnit", "yes.target", "replace", NULL);
        bus_world_wait(&trial.world, "/org/jobd1/job/");
        bus_world_settle(&trial.world);
        cr_assert(is_active(&trial, "yes.target"));
        snprintf(process, sizeof(process), "check unix-process pid=%d start-time=77 uid=4711 ", (int) getpid());
        wait_heard(&trial, process);
        wait_heard(&trial, "org.jobd1.manage-units unit=yes.target verb=start flags=0 id=");
        wait_heard(&trial, "-1 dialog=Authentication is required to $(verb) unit $(unit).");
        cr_assert(eq(sz, trial.questions.items.n, 0));
}

Test(bus_question, a_call_is_refused_when_polkit_does_not) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "StartUnit", "no.target", "replace", NULL);
        bus_world_wait(&trial.world, "uid 4711 may not start no.target (polkit action org.jobd1.manage-units).");
        cr_assert(bus_world_has_seen(&trial.world, "org.freedesktop.DBus.Error.AccessDenied"));
        cr_assert(not(is_active(&trial, "no.target")));
}

Test(bus_question, a_password_is_asked_for_where_the_call_allows_that) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "StartUnit", "password.target", "replace", NULL);
        bus_world_wait(&trial.world, "this call does not allow to ask for a password");
        cr_assert(bus_world_has_seen(&trial.world, "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"));
        cr_assert(not(is_active(&trial, "password.target")));

        call_interactively(&trial, "StartUnit", "alone.target", "replace", NULL);
        bus_world_wait(&trial.world, "no agent is there that would ask for a password");

        call_interactively(&trial, "StartUnit", "password.target", "replace", NULL);
        bus_world_wait(&trial.world, "/org/jobd1/job/");
        wait_heard(&trial, "unit=password.target verb=start flags=1");
}

Test(bus_question, nobody_is_bothered_for_a_reference) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call_interactively(&trial, "RefUnit", "password.target", NULL);
        wait_heard(&trial, "unit=password.target verb=ref flags=0");
        bus_world_wait(&trial.world, "InteractiveAuthorizationRequired");
}

Test(bus_question, a_reference_that_was_allowed_is_dropped_without_a_question) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "UnrefUnit", "yes.target", NULL);
        bus_world_wait(&trial.world, "org.jobd1.NoSuchUnit");
        call(&trial, "RefUnit", "yes.target", NULL);
        wait_heard(&trial, "verb=ref flags=0 id=");
        wait_heard(&trial, "-1 dialog");
        call(&trial, "UnrefUnit", "yes.target", NULL);
        call(&trial, "StartUnit", "no.target", "replace", NULL);
        wait_heard(&trial, "verb=start flags=0 id=");
        wait_heard(&trial, "-2 dialog");
}

Test(bus_question, the_manager_serves_while_polkit_thinks) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "StartUnit", "late.target", "replace", NULL);
        wait_heard(&trial, "unit=late.target");
        call(&trial, "GetDefaultTarget", NULL);
        bus_world_wait(&trial.world, "org.jobd1");
        cr_assert(not(is_active(&trial, "late.target")));
        cr_assert(eq(sz, trial.questions.items.n, 1));

        call(&trial, "StartUnit", "no.target", "replace", NULL);
        bus_world_wait(&trial.world, "/org/jobd1/job/");
        cr_assert(bus_world_has_seen(&trial.world, "may not start no.target"));
        bus_world_settle(&trial.world);
        cr_assert(is_active(&trial, "late.target"));
}

Test(bus_question, a_polkit_that_does_not_answer_has_not_consented) {
        cleanup_(stop) Trial trial;

        start(&trial);
        trial.questions.timeout = 50 * USEC_PER_MSEC;
        call(&trial, "StartUnit", "never.target", "replace", NULL);
        bus_world_wait(&trial.world, "polkit does not say whether uid 4711 may start never.target");
        cr_assert(bus_world_has_seen(&trial.world, "there is no answer in time"));
        wait_heard(&trial, "cancel id=");
        cr_assert(bus_world_has_seen(&trial.world, "org.freedesktop.DBus.Error.AccessDenied"));
        cr_assert(eq(sz, trial.questions.items.n, 0));
}

Test(bus_question, a_polkit_that_ends_has_not_consented) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "StartUnit", "die.target", "replace", NULL);
        bus_world_wait(&trial.world, "polkit does not say whether uid 4711 may start die.target");
        cr_assert(not(is_active(&trial, "die.target")));
        call(&trial, "StopUnit", "yes.target", "replace", NULL);
        bus_world_wait(&trial.world, "Only root may call StopUnit; the caller is uid 4711. polkit, which could allow it, "
                                     "is not there.");
}

Test(bus_question, what_is_no_answer_is_no_consent) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "StartUnit", "strange.target", "replace", NULL);
        bus_world_wait(&trial.world, "its answer cannot be understood");
        call(&trial, "StartUnit", "broken.target", "replace", NULL);
        bus_world_wait(&trial.world, "may start broken.target (polkit action org.jobd1.manage-units): The rules are "
                                     "broken");
        cr_assert(not(is_active(&trial, "strange.target")));
        cr_assert(not(is_active(&trial, "broken.target")));
}

Test(bus_question, without_a_bus_root_alone_may_change_something) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "StartUnit", "never.target", "replace", NULL);
        wait_heard(&trial, "unit=never.target");
        end_program(&trial.daemon);
        bus_world_wait(&trial.world, "may start never.target (polkit action org.jobd1.manage-units): ");
        while (bus_link_is_up(trial.link))
                bus_world_turn(&trial.world);
        cr_assert(eq(sz, trial.questions.items.n, 0));
        call(&trial, "StartUnit", "yes.target", "replace", NULL);
        bus_world_wait(&trial.world, "Only root may call StartUnit; the caller is uid 4711.");
}

Test(bus_question, a_question_ends_with_its_client) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "StartUnit", "never.target", "replace", NULL);
        wait_heard(&trial, "-1 dialog");
        close(trial.world.client);
        wait_heard(&trial, "-1\n");
        cr_assert(eq(sz, trial.questions.items.n, 0));
        trial.world.client = -1;
}

Test(bus_question, a_user_has_so_many_only) {
        cleanup_(stop) Trial trial;

        start(&trial);
        for (unsigned i = 0; i < 16; i++)
                call(&trial, "StartUnit", "never.target", "replace", NULL);
        wait_heard(&trial, "-16 dialog");
        call(&trial, "StartUnit", "yes.target", "replace", NULL);
        bus_world_wait(&trial.world, "Too many calls of uid 4711 wait for polkit; at most 16 may.");
        cr_assert(bus_world_has_seen(&trial.world, "org.freedesktop.DBus.Error.LimitsExceeded"));
        cr_assert(eq(sz, trial.questions.items.n, 16));

        become(&trial, STRANGER + 1);
        call(&trial, "StartUnit", "yes.target", "replace", NULL);
        bus_world_wait(&trial.world, "/org/jobd1/job/");
}

Test(bus_question, what_waits_takes_so_much_memory_only) {
        cleanup_free_ char *large = calloc(1, 3000001);
        cleanup_(stop) Trial trial;
        DBusMessage *message;
        dbus_int32_t number = 15;
        const char *unit = "never.target";

        start(&trial);
        memset(large, 'x', 3000000);
        for (unsigned i = 0; i < 2; i++) {
                message = dbus_message_new_method_call(NULL, "/org/jobd1", "org.jobd1.Manager", "KillUnit");
                dbus_message_append_args(message, DBUS_TYPE_STRING, &unit, DBUS_TYPE_STRING, &large, DBUS_TYPE_INT32,
                                         &number, DBUS_TYPE_INVALID);
                send_slowly(&trial, message);
                if (i == 0)
                        wait_heard(&trial, "unit=never.target verb=kill");
        }
        bus_world_wait(&trial.world, "Too many calls of uid 4711 wait for polkit");
}

Test(bus_question, a_unit_is_named_by_its_main_name) {
        cleanup_(stop) Trial trial;
        char alias[64];

        start(&trial);
        snprintf(alias, sizeof(alias), "%s/units/no-alias.target", trial.world.folder);
        cr_assert(eq(int, symlink("yes.target", alias), 0));
        call(&trial, "StartUnit", "no-alias.target", "replace", NULL);
        bus_world_wait(&trial.world, "/org/jobd1/job/");
        wait_heard(&trial, "unit=yes.target");
}

Test(bus_question, what_has_another_meaning_by_then_is_asked_about_again) {
        cleanup_(stop) Trial trial;
        char alias[64];

        start(&trial);
        snprintf(alias, sizeof(alias), "%s/units/alias.target", trial.world.folder);
        cr_assert(eq(int, symlink("late.target", alias), 0));
        call(&trial, "StartUnit", "alias.target", "replace", NULL);
        wait_heard(&trial, "unit=late.target");

        cr_assert(eq(int, unlink(alias), 0));
        cr_assert(eq(int, symlink("no.target", alias), 0));
        become(&trial, 0);
        call(&trial, "Reload", NULL);
        call(&trial, "GetDefaultTarget", NULL);
        bus_world_wait(&trial.world, "org.jobd1");
        become(&trial, STRANGER);

        call(&trial, "StopUnit", "yes.target", "replace", NULL);
        bus_world_wait(&trial.world, "may not start no.target");
        cr_assert(not(is_active(&trial, "no.target")));
        cr_assert(not(is_active(&trial, "late.target")));
}

Test(bus_question, each_unit_of_a_transaction_is_asked_about) {
        cleanup_(stop) Trial trial;

        start(&trial);
        exec_start(&trial, (const char *const[]) { "yes.target", "no.target", NULL });
        bus_world_wait(&trial.world, "may not start no.target");
        wait_heard(&trial, "unit=yes.target");
        wait_heard(&trial, "unit=no.target");
        cr_assert(not(is_active(&trial, "yes.target")));

        exec_start(&trial, (const char *const[]) { "yes.target", "yes-too.target", "yes.target", NULL });
        bus_world_wait(&trial.world, "/org/jobd1/job/");
        bus_world_settle(&trial.world);
        cr_assert(is_active(&trial, "yes.target"));
        cr_assert(is_active(&trial, "yes-too.target"));
        wait_heard(&trial, "-4 dialog");
        cr_assert(not(has_heard(&trial, "-5 dialog")));
}

Test(bus_question, a_large_transaction_is_asked_about_as_a_whole) {
        const char *units[BUS_QUESTION_DETAILS_MAX + 2] = {};
        cleanup_(stop) Trial trial;

        start(&trial);
        for (size_t i = 0; i <= BUS_QUESTION_DETAILS_MAX; i++)
                units[i] = "yes.target";
        exec_start(&trial, units);
        bus_world_wait(&trial.world, "uid 4711 may not call Exec (polkit action org.jobd1.manage-units).");
        wait_heard(&trial, "org.jobd1.manage-units unit=(null) verb=(null) flags=0 id=jobd-");
}

Test(bus_question, each_kind_of_change_has_its_action) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "Reload", NULL);
        bus_world_wait(&trial.world, "may not call Reload (polkit action org.jobd1.reload-daemon)");
        call(&trial, "ClearJobs", NULL);
        bus_world_wait(&trial.world, "may not call ClearJobs (polkit action org.jobd1.manage-units)");
        call(&trial, "EnqueueUnitJob", "no.target", "verify-active", "replace", NULL);
        bus_world_wait(&trial.world, "may not verify-active no.target (polkit action org.jobd1.manage-units)");
        cr_assert(strcmp(bus_access_action(BUS_VERB_INSTALL), "manage-unit-files") == 0);
        cr_assert(strcmp(bus_access_action(BUS_VERB_ENVIRONMENT), "set-environment") == 0);
}

/* The first question that is heard is the last that was caused. */
Test(bus_question, the_rest_is_not_asked_about) {
        cleanup_(stop) Trial trial;

        start(&trial);
        call(&trial, "Exit", NULL);
        bus_world_wait(&trial.world, "Only root may call Exit");
        call(&trial, "EnqueueUnitJob", "no.target", "send me your password", "replace", NULL);
        bus_world_wait(&trial.world, "polkit is not asked about arguments that are not valid");
        call(&trial, "StartUnit", "no@.target", "replace", NULL);
        call(&trial, "ListUnits", NULL);
        become(&trial, 0);
        call(&trial, "StartUnit", "yes.target", "replace", NULL);
        bus_world_wait(&trial.world, "/org/jobd1/job/");
        become(&trial, (uid_t) -1);
        call(&trial, "StopUnit", "yes.target", "replace", NULL);
        bus_world_wait(&trial.world, "the caller is uid -1");
        become(&trial, STRANGER);
        call(&trial, "StartUnit", "no.target", "replace", NULL);
        wait_heard(&trial, "unit=no.target verb=start flags=0 id=");
        wait_heard(&trial, "-1 dialog");
}

Test(bus_question, a_client_of_the_bus_is_named_by_the_bus) {
        cleanup_(stop) Trial trial;
        DBusConnection *connection;
        DBusMessage *message, *reply = NULL;
        const char *unit = "no.target", *mode = "replace";
        BusPeer *bus = NULL;

        start(&trial);
        connection = dbus_connection_open_private(trial.address, NULL);
        cr_assert(connection && dbus_bus_register(connection, NULL));
        dbus_connection_set_exit_on_disconnect(connection, FALSE);
        message = dbus_message_new_method_call("org.jobd1", "/org/jobd1", "org.jobd1.Manager", "Subscribe");
        dbus_connection_send(connection, message, NULL);
        dbus_connection_flush(connection);
        dbus_message_unref(message);
        bus_foreach_peer(&trial.world.peers, peer)
                bus = peer->is_message_bus ? peer : bus;
        while (bus->clients.n == 0 || !bus->clients.items[0]->is_known)
                bus_world_turn(&trial.world);
        bus->clients.items[0]->uid = STRANGER;

        message = dbus_message_new_method_call("org.jobd1", "/org/jobd1", "org.jobd1.Manager", "StartUnit");
        dbus_message_append_args(message, DBUS_TYPE_STRING, &unit, DBUS_TYPE_STRING, &mode, DBUS_TYPE_INVALID);
        dbus_connection_send(connection, message, NULL);
        dbus_connection_flush(connection);
        dbus_message_unref(message);
        wait_heard(&trial, "check system-bus-name name=:");
        cr_assert(has_heard(&trial, dbus_bus_get_unique_name(connection)));
        while (!reply) {
                cr_assert(ge(int, manager_turn(trial.world.manager, 10 * USEC_PER_MSEC), 0));
                dbus_connection_read_write(connection, 0);
                while (!reply && (message = dbus_connection_pop_message(connection))) {
                        if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_ERROR)
                                reply = message;
                        else
                                dbus_message_unref(message);
                }
        }
        assert_string(dbus_message_get_error_name(reply), DBUS_ERROR_ACCESS_DENIED);
        dbus_message_unref(reply);
        dbus_connection_close(connection);
        dbus_connection_unref(connection);
}

Test(bus_question, no_polkit_is_no_consent) {
        cleanup_(stop) Trial trial;

        start_without_polkit(&trial);
        call(&trial, "StartUnit", "yes.target", "replace", NULL);
        bus_world_wait(&trial.world, "Only root may call StartUnit; the caller is uid 4711. polkit, which could allow it, "
                                     "is not there.");
        cr_assert(not(is_active(&trial, "yes.target")));
}

Test(bus_question, a_client_may_cancel_what_it_has_requested) {
        const BusTree tree = { .peers = &(BusPeers) { .owner = 1000 } };
        const BusObject job = { .kind = &bus_job_kind, .job.id = 5 };
        BusClient own = { .uid = STRANGER }, other = { .uid = STRANGER };

        cr_assert(eq(int, bus_client_add_job(&own, 5), 0));
        cr_assert(bus_access_is_allowed(&tree, &job, BUS_VERB_CANCEL, &own));
        cr_assert(not(bus_access_is_allowed(&tree, &job, BUS_VERB_KILL, &own)));
        cr_assert(not(bus_access_is_allowed(&tree, &job, BUS_VERB_CANCEL, &other)));
        id_map_deinit(&own.jobs);
}
