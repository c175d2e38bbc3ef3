/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The private socket: clients that speak the protocol by hand, and clients of
 * other users
 */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "bus_fixture.h"
#include "dbus/peer/bus_server.h"

#define FEW_DESCRIPTORS 128

static const char greeting[] = "\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n";

static BusFixture fixture;
static BusFixtureClient client;

static void set_up(void) {
        bus_fixture_init(&fixture);
        bus_fixture_write_unit(&fixture, "quick.service",
                               "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n");
        bus_fixture_start(&fixture);
        bus_fixture_connect(&fixture, &client);
}

static void tear_down(void) {
        bus_fixture_disconnect(&client);
        bus_fixture_stop(&fixture);
}

TestSuite(bus_raw, .init = set_up, .fini = tear_down);

static int connect_raw(void) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        snprintf(address.sun_path, sizeof(address.sun_path), "%s/run/private", fixture.folder);
        cr_assert(eq(int, connect(fd, (struct sockaddr *) &address, sizeof(address)), 0));
        return fd;
}

/* Sends what precedes the first message (authentication), and reads the answer. */
static void greet(int fd) {
        char line[256];
        size_t n = 0;

        cr_assert(eq(int, (int) send(fd, greeting, sizeof(greeting) - 1, MSG_NOSIGNAL), (int) sizeof(greeting) - 1));
        for (line[0] = '\0'; !strstr(line, "OK ") || line[n - 1] != '\n'; line[++n] = '\0')
                cr_assert(n + 1 < sizeof(line) && recv(fd, line + n, 1, 0) == 1, "%s", line);
}

static void send_call(int fd, DBusMessage *call) {
        char *bytes;
        int n;

        dbus_message_set_serial(call, 1);
        cr_assert(dbus_message_marshal(call, &bytes, &n));
        cr_assert(eq(int, (int) send(fd, bytes, (size_t) n, MSG_NOSIGNAL), n));
        dbus_free(bytes);
        dbus_message_unref(call);
}

Test(bus_raw, nothing_comes_before_the_answer_to_hello) {
        int fd = connect_raw();
        char start[2];

        greet(fd);
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
        send_call(fd, dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "Hello"));
        cr_assert(eq(int, (int) recv(fd, start, sizeof(start), MSG_WAITALL), (int) sizeof(start)));
        cr_assert(eq(int, start[1], DBUS_MESSAGE_TYPE_METHOD_RETURN));
        close(fd);
}

Test(bus_raw, rubbish_ends_only_the_connection_it_came_by) {
        unsigned seed = 1;

        for (unsigned i = 0; i < 500; i++) {
                char rubbish[256];
                int fd = connect_raw();

                for (size_t at = 0; at < sizeof(rubbish); at++)
                        rubbish[at] = (char) rand_r(&seed);
                if (i % 2 == 0)
                        (void) !send(fd, greeting, sizeof(greeting) - 1, MSG_NOSIGNAL);
                if (i % 4 == 0)
                        memcpy(rubbish, "l\1\0\1", 4);
                (void) !send(fd, rubbish, sizeof(rubbish), MSG_NOSIGNAL);
                close(fd);
        }
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
}

Test(bus_raw, the_owner_has_a_thousand_connections) {
        static int fds[1000];
        struct rlimit limit;

        cr_assert(eq(int, getrlimit(RLIMIT_NOFILE, &limit), 0));
        limit.rlim_cur = limit.rlim_max;
        cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &limit), 0));
        if (limit.rlim_max < 4 * ELEMENTSOF(fds))
                cr_skip("More descriptors are needed.");
        for (size_t i = 0; i < ELEMENTSOF(fds); i++) {
                fds[i] = connect_raw();
                greet(fds[i]);
        }
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
        for (size_t i = 0; i < ELEMENTSOF(fds); i++)
                close(fds[i]);
}

/* Repeats a call without reading; true once the manager has closed the connection. */
static bool send_without_reading(int fd, unsigned times) {
        DBusMessage *call = dbus_message_new_method_call(NULL, MANAGER, DBUS_INTERFACE_INTROSPECTABLE, "Introspect");
        bool is_open = true;
        char *bytes;
        int n;

        dbus_message_set_serial(call, 1);
        cr_assert(dbus_message_marshal(call, &bytes, &n));
        for (unsigned i = 0; i < times && is_open; i++)
                is_open = send(fd, bytes, (size_t) n, MSG_NOSIGNAL) == n;
        dbus_free(bytes);
        dbus_message_unref(call);
        return !is_open;
}

Test(bus_raw, a_client_that_does_not_read_is_disconnected) {
        int fd = connect_raw();

        cr_assert(eq(int, (int) send(fd, greeting, sizeof(greeting) - 1, MSG_NOSIGNAL), (int) sizeof(greeting) - 1));
        cr_assert(send_without_reading(fd, 100000));
        close(fd);
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
}

/* A call of Plan without requests. */
static DBusMessage *new_plan(void) {
        DBusMessage *call = dbus_message_new_method_call(NULL, MANAGER, MANAGER_INTERFACE, "Plan");
        const char *mode = "replace";
        DBusMessageIter arguments, array;

        dbus_message_iter_init_append(call, &arguments);
        cr_assert(dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "(ss)", &array));
        cr_assert(dbus_message_iter_close_container(&arguments, &array));
        cr_assert(dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING, &mode));
        cr_assert(dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &array));
        cr_assert(dbus_message_iter_close_container(&arguments, &array));
        return call;
}

/* As another user: 0 if a change is refused and reading is not. */
static int try_as_other_user(void) {
        BusFixtureClient other;

        bus_fixture_connect(&fixture, &other);
        bus_fixture_assert_error(bus_fixture_call_manager(&other, "StartUnit", "quick.service", "replace", NULL),
                                 DBUS_ERROR_ACCESS_DENIED, "StartUnit");
        bus_fixture_assert_error(bus_fixture_call_manager(&other, "Exit", NULL), DBUS_ERROR_ACCESS_DENIED, "Exit");
        free(bus_fixture_property(&other, "quick.service", "ActiveState"));
        bus_fixture_disconnect(&other);
        return 0;
}

static bool is_denied(BusFixtureClient *from, DBusMessage *call) {
        DBusMessage *reply = bus_fixture_call(from, call);
        bool is = dbus_message_is_error(reply, DBUS_ERROR_ACCESS_DENIED);

        dbus_message_unref(reply);
        return is;
}

/* As another user: 0 if a plan is refused, and all objects. */
static int try_to_ask_for_much(void) {
        BusFixtureClient other;
        bool is_refused;

        bus_fixture_connect(&fixture, &other);
        is_refused = is_denied(&other, new_plan()) &&
                     is_denied(&other, dbus_message_new_method_call(NULL, MANAGER, "org.freedesktop.DBus.ObjectManager",
                                                                    "GetManagedObjects"));
        bus_fixture_disconnect(&other);
        return is_refused ? 0 : 1;
}

/* In a process of its own; 0: all is as it should be. */
static int run_as_other_user(int (*try)(void)) {
        int status;
        pid_t pid;

        cr_assert(eq(int, chmod(fixture.folder, 0755), 0));
        pid = fork();
        if (pid == 0) {
                if (setgid(65534) < 0 || setuid(65534) < 0)
                        _exit(0);
                _exit(try());
        }
        cr_assert(eq(int, waitpid(pid, &status, 0), pid));
        return status;
}

Test(bus_raw, others_may_read_but_change_nothing) {
        cr_assert(eq(int, run_as_other_user(try_as_other_user), 0));
}

Test(bus_raw, others_may_not_ask_for_a_plan_or_all_objects) {
        cr_assert(eq(int, run_as_other_user(try_to_ask_for_much), 0));
}

/* Each connection alone is within its limit: 250 replies of about 13 kB. */
static int try_to_fill_memory(void) {
        struct pollfd fds[20];

        for (size_t i = 0; i < ELEMENTSOF(fds); i++) {
                fds[i] = (struct pollfd) { .fd = connect_raw() };
                cr_assert(send(fds[i].fd, greeting, sizeof(greeting) - 1, MSG_NOSIGNAL) > 0);
                (void) send_without_reading(fds[i].fd, 250);
        }
        return poll(fds, ELEMENTSOF(fds), 300000) > 0 ? 0 : 1;
}

Test(bus_raw, others_have_only_so_much_memory_on_all_their_connections) {
        cr_assert(eq(int, run_as_other_user(try_to_fill_memory), 0));
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
}

static bool is_refused(BusFixtureClient *from) {
        DBusMessage *reply = bus_fixture_call_manager(from, "Stats", NULL);
        bool is = dbus_message_is_error(reply, DBUS_ERROR_LIMITS_EXCEEDED);

        dbus_message_unref(reply);
        return is;
}

/* 0: beyond @n connections calls are refused, and beyond those connections are closed. */
static int try_to_connect(size_t n) {
        BusFixtureClient refused;
        int fd = -1, last;
        char byte;

        for (size_t i = 0; i < n; i++) {
                fd = connect_raw();
                greet(fd);
        }
        bus_fixture_connect(&fixture, &refused);
        if (!is_refused(&refused))
                return 1;
        last = fd;
        for (size_t i = 0; i < BUS_REFUSED_MAX; i++)
                fd = connect_raw();
        (void) !send(fd, greeting, sizeof(greeting) - 1, MSG_NOSIGNAL);
        if (recv(fd, &byte, 1, 0) > 0)
                return 2;

        /* The refused one is served when there is room again. */
        close(last);
        while (is_refused(&refused))
                ;
        return 0;
}

static int try_to_connect_often(void) {
        return try_to_connect(BUS_CONNECTIONS_PER_USER_MAX);
}

/* One half of a half is for others. */
static int try_to_take_descriptors(void) {
        return try_to_connect(FEW_DESCRIPTORS / 4);
}

Test(bus_raw, another_user_has_only_so_many_connections) {
        cr_assert(eq(int, run_as_other_user(try_to_connect_often), 0));
        bus_fixture_run(&client, "StartUnit", "quick.service", "done");
}

/* One user may have as many connections as the manager has descriptors. */
Test(bus_raw, others_leave_descriptors_for_root) {
        struct rlimit limit;
        int fd;

        cr_assert(eq(int, prlimit(fixture.pid, RLIMIT_NOFILE, NULL, &limit), 0));
        limit.rlim_cur = FEW_DESCRIPTORS;
        cr_assert(eq(int, prlimit(fixture.pid, RLIMIT_NOFILE, &limit, NULL), 0));
        cr_assert(eq(int, run_as_other_user(try_to_take_descriptors), 0));
        fd = connect_raw();
        greet(fd);
        close(fd);
}

/* Holds as many connections as one user has, until the test closes its end. */
static void fill_as_user(uid_t uid, int ready, int until) {
        char byte = 0;

        if (setgid(65534) < 0 || setuid(uid) < 0)
                _exit(1);
        for (size_t i = 0; i < 256; i++)
                (void) connect_raw();
        (void) !write(ready, &byte, 1);
        (void) !read(until, &byte, 1);
        _exit(0);
}

Test(bus_raw, others_together_leave_room_for_root) {
        int ready[2], until[2];
        pid_t pids[17];
        char byte;

        cr_assert(eq(int, chmod(fixture.folder, 0755), 0));
        cr_assert(pipe(ready) == 0 && pipe(until) == 0);
        for (size_t i = 0; i < ELEMENTSOF(pids); i++) {
                pids[i] = fork();
                if (pids[i] == 0) {
                        close(until[1]);
                        fill_as_user(70001 + (uid_t) i, ready[1], until[0]);
                }
        }
        close(ready[1]);
        for (size_t i = 0; i < ELEMENTSOF(pids); i++)
                if (read(ready[0], &byte, 1) != 1)
                        cr_skip("Other users are needed.");

        int fd = connect_raw();
        greet(fd);
        close(fd);

        close(until[1]);
        for (size_t i = 0; i < ELEMENTSOF(pids); i++)
                cr_assert(eq(int, waitpid(pids[i], NULL, 0), pids[i]));
}
