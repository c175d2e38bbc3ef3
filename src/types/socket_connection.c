/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connections, each with an instance of its service
 *
 * The keeper accepts a connection, and keeps a copy under its number. So core may die at any moment: a recorded
 * connection is taken over, and one that is not recorded yet is found by the next number.
 *
 * The instance declares that the socket triggers it, rather than the socket: an instance that has ended is unloaded,
 * and its relations with it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/text.h"
#include "types/socket_connection.h"
#include "types/socket_name.h"
#include "types/socket_port.h"

#define KEPT_AS "connection"
#define ACCEPTS_A_TURN 32U
/* The pause after a lack of descriptors or memory. */
#define SHORTAGE_USEC (1 * USEC_PER_SEC)

#define CONNECTION_ORIGIN "connection of the socket"

SocketConnection *socket_find_connection(const Unit *unit, const Unit *service) {
        const Socket *socket = socket_of(unit);

        for (size_t i = 0; i < socket->connections.n; i++)
                if (unit_has_name(service, socket->connections.items[i].service))
                        return &socket->connections.items[i];
        return NULL;
}

void socket_close_connection(Unit *unit, SocketConnection *connection) {
        if (connection->fd < 0)
                return;
        unit_drop_fd(unit, KEPT_AS, connection->number);
        close(connection->fd);
        connection->fd = -1;
}

void socket_end_connection(Unit *unit, SocketConnection *connection) {
        Socket *socket = socket_of(unit);

        socket_close_connection(unit, connection);
        free(connection->service);
        free(connection->source);
        *connection = vector_last(&socket->connections);
        socket->connections.n--;
        socket_republish(unit);
}

bool socket_is_within_trigger_limit(Unit *unit) {
        usec_t interval = socket_settings_trigger_interval(socket_settings(unit));
        uint32_t burst = socket_settings_trigger_burst(socket_settings(unit));
        char span[USEC_FORMAT_MAX];

        if (rate_limit_allows(&socket_of(unit)->triggers, interval, burst, unit_now(unit)))
                return true;
        socket_note_failure(unit, "triggered %u times within %s, which is its limit (TriggerLimitBurst=)", burst,
                            usec_format(interval, span));
        return false;
}

/* False, and a warning, if there are too many connections. */
static bool has_room(Unit *unit, const char *source) {
        const SocketSettings *settings = socket_settings(unit);
        const Socket *socket = socket_of(unit);
        uint32_t n = 0;

        if (socket->connections.n >= settings->max_connections) {
                unit_say(unit, LOG_LEVEL_WARNING,
                         "There are %zu connections, which is the most that there may be (MaxConnections=): "
                                    "another one is dropped.", socket->connections.n);
                return false;
        }
        if (settings->max_connections_per_source == 0 || !source)
                return true;
        for (size_t i = 0; i < socket->connections.n; i++)
                n += text_equal(socket->connections.items[i].source, source);
        if (n < settings->max_connections_per_source)
                return true;
        unit_say(unit, LOG_LEVEL_WARNING, "There are %u connections from %s, which is the most that there may be "
                            "(MaxConnectionsPerSource=): another one is dropped.", n, source);
        return false;
}

int socket_relate_instance(Unit *unit, Unit *service) {
        UnitOriginId origin;
        int r = unit_table_origin(unit->table, unit->settings.fragment_path ?: "", 0, CONNECTION_ORIGIN, &origin);

        if (r == 0)
                r = unit_add_relation(service, UNIT_TRIGGERED_BY, unit, origin);
        return r < 0 ? r : unit_add_relation(service, UNIT_AFTER, unit, origin);
}

/* Loads the service for the next connection: 0, or a negative errno and nothing is left of it. */
static int load_instance(Unit *unit, int fd, Unit **ret_service) {
        cleanup_free_ char *instance = NULL, *prefix = NULL, *name = NULL;
        Unit *service;
        int r = socket_name_instance(socket_of(unit)->n_accepted, fd, &instance);

        if (r == 0)
                r = unit_name_prefix(unit->id, &prefix);
        if (r == 0)
                r = text_format(&name, "%s@%s.service", prefix, instance);
        if (r == 0 && strlen(name) > UNIT_NAME_MAX) {
                socket_note_failure(unit, "%s, the name of a connection's service, is too long", name);
                return -ENAMETOOLONG;
        }
        if (r == 0)
                r = unit_table_load(unit->table, name, &service);
        if (r < 0)
                return r;
        if (service->load_state != UNIT_LOADED) {
                socket_note_failure(unit, "cannot load %s for a connection: %s", name,
                                    failure_message(&service->load_failure));
                return -ENOEXEC;
        }
        r = socket_relate_instance(unit, service);
        *ret_service = service;
        return r;
}

/* Owns @source on success; never @fd. */
static int add_connection(Unit *unit, int fd, char *source) {
        cleanup_free_ char *reason = NULL;
        Socket *socket = socket_of(unit);
        UnitHost *host = unit_host(unit);
        SocketConnection connection = { .number = socket->n_accepted, .source = source, .fd = fd };
        Unit *service = NULL;
        int r = load_instance(unit, fd, &service);

        if (r == 0)
                r = text_format(&reason, "connection to %s", unit->id);
        if (r < 0)
                return r;
        connection.service = strdup(service->id);
        r = connection.service ? vector_push(&socket->connections, connection) : -ENOMEM;
        if (r == 0)
                r = host->ops->request_job(host, service, JOB_START, JOB_REPLACE, reason);
        if (r < 0) {
                if (socket->connections.n > 0 && vector_last(&socket->connections).service == connection.service)
                        socket->connections.n--;
                free(connection.service);
                return r;
        }
        socket->n_accepted++;
        return 0;
}

/* A peer that has gone is no reason to stop the socket; a service that cannot be loaded is. */
static bool is_gone(int error) {
        return error == -ENOTCONN || error == -ECONNRESET || error == -ECONNABORTED || error == -EPIPE;
}

/* 0, or a negative errno: the connection is refused. *ret_result: why the socket has to stop, if it has to. */
static int admit_connection(Unit *unit, int fd, char **ret_source, SocketResult *ret_result) {
        if (socket_name_source(fd, ret_source) < 0)
                return -ECONNABORTED;
        if (!socket_is_within_trigger_limit(unit)) {
                *ret_result = SOCKET_RESULT_TRIGGER_LIMIT_HIT;
                return -ECONNABORTED;
        }
        if (has_room(unit, *ret_source))
                return 0;
        socket_of(unit)->n_refused++;
        return -ECONNABORTED;
}

/* Owns @fd, of which the keeper has a copy. */
static SocketResult take_connection(Unit *unit, int fd) {
        SocketResult result = SOCKET_RESULT_SUCCESS;
        cleanup_free_ char *source = NULL;
        int r;

        r = admit_connection(unit, fd, &source, &result);
        if (r == 0) {
                socket_apply_connection_options(unit, fd);
                r = add_connection(unit, fd, source);
        }
        if (r == 0) {
                take_ptr(source);
                return SOCKET_RESULT_SUCCESS;
        }
        unit_drop_fd(unit, KEPT_AS, socket_of(unit)->n_accepted);
        close(fd);
        if (is_gone(r))
                return result;
        socket_note_failure(unit, "cannot start a service for a connection: %s", strerror(-r));
        return SOCKET_RESULT_RESOURCES;
}

/* True if there may be more. */
static bool accept_one(Unit *unit, const SocketPort *port, SocketResult *ret_result) {
        UnitHost *host = unit_host(unit);
        int fd = host->ops->accept_fd(host, unit, KEPT_AS, socket_of(unit)->n_accepted, port->fd);

        if (fd >= 0) {
                *ret_result = take_connection(unit, fd);
                return *ret_result == SOCKET_RESULT_SUCCESS;
        }
        switch (-fd) {
        case EAGAIN:
        case ETIMEDOUT:
                return false;
        case EMFILE:
        case ENFILE:
        case ENOBUFS:
        case ENOMEM:
                unit_say(unit, LOG_LEVEL_WARNING, "Cannot accept connections now: %s", strerror(-fd));
                socket_pause(unit, SHORTAGE_USEC);
                return false;
        case EBADF:
        case EINVAL:
        case ENOTSOCK:
        case EOPNOTSUPP:
                socket_note_failure(unit, "cannot accept connections on %s: %s", port->listen.address, strerror(-fd));
                *ret_result = SOCKET_RESULT_RESOURCES;
                return false;
        default:
                return true;            /* of this connection only: closed, or a fault of the network */
        }
}

SocketResult socket_accept(Unit *unit, const SocketPort *port) {
        Socket *socket = socket_of(unit);
        uint32_t n_accepted = socket->n_accepted, n_refused = socket->n_refused;
        SocketResult result = SOCKET_RESULT_SUCCESS;

        for (unsigned i = 0; i < ACCEPTS_A_TURN; i++)
                if (!accept_one(unit, port, &result))
                        break;
        if (result == SOCKET_RESULT_SUCCESS && (socket->n_accepted != n_accepted || socket->n_refused != n_refused))
                socket_republish(unit);
        return result;
}

/* — after a death of core — */

static void resume_connection(Unit *unit, SocketConnection *connection) {
        Unit *service = NULL;

        if (connection->fd == SOCKET_FD_IS_KEPT)
                connection->fd = unit_take_fd(unit, KEPT_AS, connection->number);
        connection->fd = MAX(connection->fd, -1);
        if (unit_table_load(unit->table, connection->service, &service) == 0)
                (void) socket_relate_instance(unit, service);
}

/* A connection may be accepted, but not recorded yet. */
SocketResult socket_resume_connections(Unit *unit) {
        Socket *socket = socket_of(unit);
        SocketResult result = SOCKET_RESULT_SUCCESS;
        int fd;

        for (size_t i = 0; i < socket->connections.n; i++)
                resume_connection(unit, &socket->connections.items[i]);
        while (socket->state == SOCKET_STATE_LISTENING && result == SOCKET_RESULT_SUCCESS &&
               (fd = unit_take_fd(unit, KEPT_AS, socket->n_accepted)) >= 0)
                result = take_connection(unit, fd);
        return result;
}
