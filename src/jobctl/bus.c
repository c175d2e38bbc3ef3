/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The connection to jobd
 *
 * There is no main loop: a client that does one thing after the other is
 * easier to read when calls block. Messages are popped instead of dispatched
 * to filters; signals that arrive while a call waits for its reply are kept
 * in order and returned afterwards. (The blocking call of libdbus searches
 * all queued messages at each wake-up: with ten thousand jobs that took
 * seconds.)
 *
 * Ctrl-C must end a wait at once and without a race: SIGINT is always
 * blocked, and unblocked only while ppoll() sleeps.
 */

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "jobctl/bus.h"
#include "jobctl/terminal.h"

#define CALL_TIMEOUT_MSEC 90000
#define MATCH_OWNER                                                                                      \
        "type='signal',sender='" DBUS_SERVICE_DBUS "',member='NameOwnerChanged',arg0='" BUS_NAME "',arg2=''"
#define ERROR_PREFIX "org.freedesktop.DBus.Error."

struct Bus {
        DBusConnection *connection;     /* owned, private */
        const char *destination;        /* static; NULL on the private socket */
        bool escape;
        VECTOR(DBusMessage *) signals;  /* owned: signals that arrived during a call */
        size_t n_seen;                  /* number of returned ones, at the front */
};

static volatile sig_atomic_t interrupted;

/* — errors — */

void bus_error_deinit(BusError *error) {
        free(error->name);
        free(error->message);
        *error = (BusError) {};
}

void bus_error_set(BusError *error, const char *name, const char *format, ...) {
        va_list args;

        bus_error_deinit(error);
        error->name = strdup(name);
        va_start(args, format);
        text_vformat(&error->message, format, args);
        va_end(args);
}

const char *bus_error_word(const BusError *error) {
        const char *dot = error->name ? strrchr(error->name, '.') : NULL;

        return dot ? dot + 1 : error->name ?: "NoMemory";
}

const char *bus_error_message(const BusError *error) {
        return error->message ?: "Out of memory.";
}

bool bus_error_is(const BusError *error, const char *word) {
        return strcmp(bus_error_word(error), word) == 0;
}

static int error_memory(BusError *error) {
        bus_error_set(error, ERROR_PREFIX "NoMemory", "Out of memory.");
        return -ENOMEM;
}

static int error_gone(BusError *error) {
        bus_error_set(error, ERROR_PREFIX "Disconnected", "The connection to jobd has been closed.");
        return -ENOTCONN;
}

/* — connecting — */

static int open_private(Bus *bus, const char *path, DBusError *error) {
        cleanup_free_ char *address = NULL;
        char *escaped = dbus_address_escape_value(path);
        int r;

        if (!escaped)
                return -ENOMEM;
        r = text_format(&address, "unix:path=%s", escaped);
        dbus_free(escaped);
        if (r < 0)
                return r;
        bus->connection = dbus_connection_open_private(address, error);
        if (!bus->connection)
                return -ENOTCONN;
        dbus_connection_set_exit_on_disconnect(bus->connection, FALSE);
        return 0;
}

/* libdbus would start a session bus if there is none, so check first. */
static bool has_bus(bool is_user) {
        cleanup_free_ char *path = NULL;
        char buffer[64];

        if (!is_user || getenv("DBUS_SESSION_BUS_ADDRESS"))
                return true;
        return text_format(&path, "%s/bus", bus_runtime_directory(buffer)) == 0 && access(path, F_OK) == 0;
}

static int open_public(Bus *bus, bool is_user) {
        DBusBusType type = is_user ? DBUS_BUS_SESSION : DBUS_BUS_SYSTEM;

        if (!has_bus(is_user))
                return -ENOTCONN;
        bus->connection = dbus_bus_get_private(type, NULL);
        if (!bus->connection)
                return -ENOTCONN;
        dbus_connection_set_exit_on_disconnect(bus->connection, FALSE);
        if (!dbus_bus_name_has_owner(bus->connection, BUS_NAME, NULL))
                return -ENOTCONN;
        bus->destination = BUS_NAME;
        return 0;
}

/* @of_user: the socket of a user's manager that was found where the system's was looked for, or NULL. */
static void error_not_there(BusError *error, const BusAddress *address, const char *path, const char *reason,
                            const char *of_user) {
        const char *what = address->is_user ? "your user manager" : "the system manager";

        if (address->socket)
                bus_error_set(error, ERROR_PREFIX "NoServer", "Cannot reach jobd at %s: %s.", path, reason);
        else if (of_user)
                bus_error_set(error, ERROR_PREFIX "NoServer",
                              "Cannot reach the system manager of jobd: %s: %s; and " BUS_NAME " is not on the system "
                              "bus.\nThe manager at %s is a user's: choose it with --user.", path, reason, of_user);
        else
                bus_error_set(error, ERROR_PREFIX "NoServer",
                              "Cannot reach %s of jobd: %s: %s; and %s is not on the %s bus.\n"
                              "Start it with 'jobd --%s', or choose another with --user, --system or --socket.",
                              what, path, reason, BUS_NAME, address->is_user ? "session" : "system",
                              address->is_user ? "user" : "system");
}

/* libdbus puts the address and the errno into words of its own; people need the reason. */
static const char *reason_of(const char *path, const DBusError *error) {
        if (access(path, F_OK) < 0)
                return strerror(errno);
        if (dbus_error_has_name(error, DBUS_ERROR_NO_SERVER))
                return "no process listens there any more";
        return dbus_error_is_set(error) ? error->message : "no connection";
}

Bus *bus_close(Bus *bus) {
        if (!bus)
                return NULL;
        for (; bus->n_seen < bus->signals.n; bus->n_seen++)
                dbus_message_unref(bus->signals.items[bus->n_seen]);
        vector_deinit(&bus->signals);
        if (bus->connection) {
                dbus_connection_close(bus->connection);
                dbus_connection_unref(bus->connection);
        }
        free(bus);
        return NULL;
}

/* — calling — */

static int keep_signal(Bus *bus, DBusMessage *message) {
        if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_SIGNAL)
                return 0;
        if (vector_push(&bus->signals, message) < 0)
                return -ENOMEM;
        dbus_message_ref(message);
        return 0;
}

/*
 * A message bus survives jobd, and reports its end. A connection may have ended behind the answer, which is one all the
 * same.
 */
static bool is_gone(const Bus *bus, const DBusError *error, bool is_answered) {
        return (!is_answered && !dbus_connection_get_is_connected(bus->connection)) ||
               dbus_error_has_name(error, DBUS_ERROR_DISCONNECTED) ||
               (bus->destination && (dbus_error_has_name(error, DBUS_ERROR_NO_REPLY) ||
                                     dbus_error_has_name(error, DBUS_ERROR_NAME_HAS_NO_OWNER) ||
                                     dbus_error_has_name(error, DBUS_ERROR_SERVICE_UNKNOWN)));
}

/* Reads all received messages: the reply, or NULL if it is not among them. */
static DBusMessage *pop_reply(Bus *bus, dbus_uint32_t serial, DBusError *error) {
        DBusMessage *message;

        while (!dbus_error_is_set(error) && (message = dbus_connection_pop_message(bus->connection))) {
                if (dbus_message_get_reply_serial(message) == serial)
                        return message;
                if (keep_signal(bus, message) < 0)
                        dbus_set_error_const(error, DBUS_ERROR_NO_MEMORY, "Out of memory");
                dbus_message_unref(message);
        }
        return NULL;
}

static DBusMessage *wait_for_reply(Bus *bus, DBusMessage *message, int timeout_msec, bool *ret_is_answered,
                                   DBusError *error) {
        usec_t deadline = usec_add(clock_monotonic(), (usec_t) timeout_msec * USEC_PER_MSEC);
        DBusMessage *reply = NULL;
        dbus_uint32_t serial;

        if (!dbus_connection_send(bus->connection, message, &serial)) {
                dbus_set_error_const(error, DBUS_ERROR_NO_MEMORY, "Out of memory");
                return NULL;
        }
        while (!reply && !dbus_error_is_set(error)) {
                usec_t left = usec_sub(deadline, clock_monotonic());

                reply = pop_reply(bus, serial, error);
                if (reply || dbus_error_is_set(error))
                        break;
                if (left == 0)
                        dbus_set_error_const(error, DBUS_ERROR_TIMEOUT, "No reply");
                else if (!dbus_connection_read_write(bus->connection, (int) (left / USEC_PER_MSEC) + 1)) {
                        /* The last message before the end may be the reply. */
                        reply = pop_reply(bus, serial, error);
                        if (!reply)
                                dbus_set_error_const(error, DBUS_ERROR_DISCONNECTED, "Disconnected");
                }
        }
        *ret_is_answered = reply;
        if (reply && dbus_set_error_from_message(error, reply)) {
                dbus_message_unref(reply);
                reply = NULL;
        }
        return reply;
}

static int send_and_wait(Bus *bus, DBusMessage *message, int timeout_msec, DBusMessage **ret_reply,
                         BusError *ret_error) {
        DBusError error = DBUS_ERROR_INIT;
        bool is_answered = false;
        int r = -EREMOTEIO;

        *ret_reply = wait_for_reply(bus, message, timeout_msec, &is_answered, &error);
        if (*ret_reply)
                return 0;
        if (is_gone(bus, &error, is_answered))
                r = error_gone(ret_error);
        else if (dbus_error_has_name(&error, DBUS_ERROR_TIMEOUT)) {
                bus_error_set(ret_error, DBUS_ERROR_NO_REPLY, "jobd did not answer within %d s.", timeout_msec / 1000);
                r = -ETIMEDOUT;
        } else if (dbus_error_has_name(&error, DBUS_ERROR_NO_MEMORY))
                r = error_memory(ret_error);
        else {
                cleanup_free_ char *escaped = NULL;

                if (bus->escape)
                        (void) terminal_escape(error.message ?: "", &escaped);
                bus_error_set(ret_error, error.name ?: ERROR_PREFIX "Failed", "%s", escaped ?: error.message ?: "");
        }
        dbus_error_free(&error);
        return r;
}

static int call_message(Bus *bus, DBusMessage *message, const BusCall *call, json_t **ret_reply, BusError *ret_error) {
        DBusMessage *reply;
        int r = value_append(message, call->signature ?: "", call->args);

        if (r == -EINVAL)
                bus_error_set(ret_error, ERROR_PREFIX "InvalidArgs", "%s cannot be called with these arguments.",
                              call->method);
        else if (r < 0)
                return error_memory(ret_error);
        else
                r = send_and_wait(bus, message, call->timeout_msec ?: CALL_TIMEOUT_MSEC, &reply, ret_error);
        if (r < 0)
                return r;
        if (ret_reply) {
                *ret_reply = value_read(reply, bus->escape);
                if (!*ret_reply)
                        r = error_memory(ret_error);
        }
        dbus_message_unref(reply);
        return r;
}

/* A path may come from an answer, and libdbus treats an invalid one as a bug of the program and aborts. */
static int new_call(Bus *bus, const BusCall *call, DBusMessage **ret, BusError *ret_error) {
        const char *path = call->path ?: BUS_PATH;

        if (!dbus_validate_path(path, NULL)) {
                bus_error_set(ret_error, DBUS_ERROR_INVALID_ARGS, "jobd sent an invalid object path: \"%s\".", path);
                return -EBADMSG;
        }
        *ret = dbus_message_new_method_call(bus->destination, path, call->interface ?: BUS_MANAGER, call->method);
        if (!*ret)
                return error_memory(ret_error);
        dbus_message_set_allow_interactive_authorization(*ret, call->may_ask);
        return 0;
}

int bus_call(Bus *bus, const BusCall *call, json_t **ret_reply, BusError *ret_error) {
        DBusMessage *message;
        int r = new_call(bus, call, &message, ret_error);

        if (r == 0) {
                r = call_message(bus, message, call, ret_reply, ret_error);
                dbus_message_unref(message);
        }
        json_decref(call->args);
        return r;
}

int bus_ping(Bus *bus, int timeout_msec, BusError *ret_error) {
        return bus_call(bus, &(BusCall) { .interface = DBUS_INTERFACE_PEER, .method = "Ping",
                                          .timeout_msec = timeout_msec }, NULL, ret_error);
}

int bus_subscribe(Bus *bus, BusError *ret_error) {
        DBusError error = DBUS_ERROR_INIT;
        int r;

        /*
         * On the private socket all signals arrive without a match, once the client has called something; and libdbus
         * answers a Ping there even if jobd refuses the connection.
         */
        if (bus->destination) {
                dbus_bus_add_match(bus->connection, "type='signal',sender='" BUS_NAME "'", &error);
                if (!dbus_error_is_set(&error))
                        dbus_bus_add_match(bus->connection, MATCH_OWNER, &error);
        }
        if (dbus_error_is_set(&error)) {
                bus_error_set(ret_error, error.name, "%s", error.message);
                dbus_error_free(&error);
                return -EREMOTEIO;
        }
        r = bus_call(bus, &(BusCall) { .method = "Subscribe" }, NULL, ret_error);
        if (r == -EREMOTEIO && bus_error_is(ret_error, "AlreadySubscribed")) {
                bus_error_deinit(ret_error);
                return 0;
        }
        return r;
}

/* — opening — */

/*
 * 1: the manager behind the connection is the system's; 0: a user's; or a negative errno. A jobd of a container is the
 * system's, whoever runs it.
 */
static int is_of_system(Bus *bus) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        int r;

        r = bus_call(bus, &(BusCall) { .interface = BUS_PROPERTIES, .method = "Get", .signature = "ss",
                                       .args = json_pack("[ss]", BUS_MANAGER, "Scope") }, &reply, &error);
        return r < 0 ? r : text_equal(value_item_string(reply, 0), "system");
}

static void close_connection(Bus *bus) {
        dbus_connection_close(bus->connection);
        dbus_connection_unref(bus->connection);
        bus->connection = NULL;
}

/*
 * The sockets where jobd serves if it cannot write to the usual folder. A user's manager may serve there, too: nothing
 * that is meant for the system's is sent to it. Its socket is in @ret_of_user then, unless another one was found.
 */
static int open_other(Bus *bus, const BusAddress *address, char **ret_of_user) {
        cleanup_(strv_freep) char **paths = NULL;
        int r = bus_other_socket_paths(&paths);

        for (char **path = paths; r == 0 && path && *path; path++) {
                DBusError error = DBUS_ERROR_INIT;
                int scope;

                r = open_private(bus, *path, &error);
                dbus_error_free(&error);
                if (r == 0) {
                        scope = address->is_user ? 1 : is_of_system(bus);
                        if (scope > 0)
                                return 0;
                        close_connection(bus);
                        if (scope == 0 && !*ret_of_user)
                                r = text_format(ret_of_user, "%s", *path);
                }
                if (r == -ENOTCONN)
                        r = 0;
        }
        return r < 0 ? r : -ENOTCONN;
}

int bus_open(Bus **ret_bus, const BusAddress *address, BusError *ret_error) {
        cleanup_(bus_closep) Bus *bus = calloc(1, sizeof(*bus));
        cleanup_free_ char *path = NULL, *of_user = NULL;
        DBusError error = DBUS_ERROR_INIT;
        int r;

        if (!bus || bus_socket_path(address, &path) < 0)
                return error_memory(ret_error);
        bus->escape = address->escape;
        if (address->socket || access(path, F_OK) == 0)
                r = open_private(bus, path, &error);
        else
                r = open_other(bus, address, &of_user);
        if (r == -ENOTCONN && !address->socket)
                r = open_public(bus, address->is_user);
        if (r == -ENOTCONN)
                error_not_there(ret_error, address, path, reason_of(path, &error), of_user);
        dbus_error_free(&error);
        if (r == -ENOMEM)
                return error_memory(ret_error);
        if (r < 0)
                return r;
        *ret_bus = take_ptr(bus);
        return 0;
}

/* — signals — */

void bus_signal_deinit(BusSignal *signal) {
        free(signal->path);
        free(signal->interface);
        free(signal->member);
        json_decref(signal->args);
        *signal = (BusSignal) {};
}

bool bus_signal_is(const BusSignal *signal, const char *interface, const char *member) {
        return strcmp(signal->interface, interface) == 0 && strcmp(signal->member, member) == 0;
}

static int signal_from_message(const Bus *bus, DBusMessage *message, BusSignal *ret_signal) {
        BusSignal signal = {
                .path = strdup(dbus_message_get_path(message)),
                .interface = strdup(dbus_message_get_interface(message)),
                .member = strdup(dbus_message_get_member(message)),
                .args = value_read(message, bus->escape),
        };

        if (!signal.path || !signal.interface || !signal.member || !signal.args) {
                bus_signal_deinit(&signal);
                return -ENOMEM;
        }
        *ret_signal = signal;
        return 1;
}

static DBusMessage *pop_message(Bus *bus) {
        if (bus->n_seen < bus->signals.n)
                return bus->signals.items[bus->n_seen++];

        vector_clear(&bus->signals);
        bus->n_seen = 0;
        return dbus_connection_pop_message(bus->connection);
}

static int pop_signal(Bus *bus, BusSignal *ret_signal) {
        for (;;) {
                DBusMessage *message = pop_message(bus);
                int r = 0;

                if (!message)
                        return dbus_connection_get_is_connected(bus->connection) ? 0 : -ENOTCONN;
                if (dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected") ||
                    dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged"))
                        r = -ENOTCONN;
                else if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_SIGNAL)
                        r = signal_from_message(bus, message, ret_signal);
                dbus_message_unref(message);
                if (r != 0)
                        return r;
        }
}

/* Sleeps until @fd is readable (-1: none); 0 also at the deadline or after a signal. */
static int sleep_until(int fd, usec_t deadline) {
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
        struct timespec timeout;
        sigset_t mask;

        if (deadline != USEC_INFINITY) {
                usec_t left = usec_sub(deadline, clock_monotonic());

                timeout = (struct timespec) {
                        .tv_sec = (time_t) (left / USEC_PER_SEC),
                        .tv_nsec = (long) (left % USEC_PER_SEC) * 1000,
                };
        }
        sigprocmask(SIG_SETMASK, NULL, &mask);
        sigdelset(&mask, SIGINT);
        sigdelset(&mask, SIGTERM);
        if (ppoll(&poll_fd, 1, deadline == USEC_INFINITY ? NULL : &timeout, &mask) < 0 && errno != EINTR)
                return -errno;
        return 0;
}

int bus_pause(usec_t span) {
        int r = sleep_until(-1, usec_add(clock_monotonic(), span));

        return interrupted ? -EINTR : r;
}

int bus_next_signal(Bus *bus, usec_t deadline, BusSignal *ret_signal) {
        int fd;

        assert(ret_signal);

        if (!bus || !dbus_connection_get_unix_fd(bus->connection, &fd))
                return -ENOTCONN;
        for (;;) {
                int r = pop_signal(bus, ret_signal);

                if (r != 0)
                        return r;
                if (interrupted)
                        return -EINTR;
                if (deadline != USEC_INFINITY && clock_monotonic() >= deadline)
                        return 0;
                r = sleep_until(fd, deadline);
                if (r < 0)
                        return r;
                dbus_connection_read_write(bus->connection, 0);
        }
}

static void on_interrupt(int number) {
        interrupted = 1;
}

/* The caller of jobctl may ignore them; then so does the command that jobctl executes. */
void bus_catch_interrupt(bool is_caught) {
        static struct sigaction old_interrupt, old_terminate;
        const struct sigaction action = { .sa_handler = on_interrupt };
        static sigset_t old_mask;
        static bool was_caught;
        sigset_t mask;

        if (is_caught == was_caught)
                return;
        was_caught = is_caught;
        if (!is_caught) {
                sigaction(SIGINT, &old_interrupt, NULL);
                sigaction(SIGTERM, &old_terminate, NULL);
                sigprocmask(SIG_SETMASK, &old_mask, NULL);
                return;
        }
        sigemptyset(&mask);
        sigaddset(&mask, SIGINT);
        sigaddset(&mask, SIGTERM);
        sigaction(SIGINT, &action, &old_interrupt);
        sigaction(SIGTERM, &action, &old_terminate);
        sigprocmask(SIG_BLOCK, &mask, &old_mask);
}

bool bus_was_interrupted(void) {
        return interrupted;
}

int bus_unit_path(const char *unit, char **ret_path) {
        cleanup_(text_deinit) Text path = {};

        text_add(&path, BUS_PATH "/unit/");
        if (!*unit)
                text_add_char(&path, '_');
        for (const char *c = unit; *c; c++) {
                bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
                bool is_digit = *c >= '0' && *c <= '9';

                if (is_letter || (is_digit && c > unit))
                        text_add_char(&path, *c);
                else
                        text_addf(&path, "_%02x", (unsigned char) *c);
        }
        return text_finish(&path, ret_path);
}
