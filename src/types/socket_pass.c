/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sockets, as the services see them that they start
 *
 * O_NONBLOCK is shared by all copies of a descriptor, so it is set here as the service wants it: no other process reads
 * from it while the service has it.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "types/service_state.h"
#include "types/socket_connection.h"
#include "types/socket_name.h"
#include "types/socket_pass.h"

static void set_blocking(int fd, bool blocks) {
        int flags = fcntl(fd, F_GETFL), wanted = blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;

        if (flags >= 0 && wanted != flags)
                (void) fcntl(fd, F_SETFL, wanted);
}

static int add_variable(char ***environment, const char *name, const char *value) {
        char *assignment = NULL;
        int r = value ? text_format(&assignment, "%s=%s", name, value) : 0;

        return r < 0 || !value ? r : strv_consume(environment, assignment);
}

static int add_peer(int fd, ExecRequest *request) {
        cleanup_free_ char *address = NULL, *port = NULL;
        int r = socket_name_peer(fd, &address, &port);

        if (r == 0)
                r = add_variable(&request->own_environment, "REMOTE_ADDR", address);
        return r < 0 ? r : add_variable(&request->own_environment, "REMOTE_PORT", port);
}

static Unit *socket_at(const Unit *service, size_t i) {
        Unit *unit = unit_table_at(service->table, unit_relations(service, UNIT_TRIGGERED_BY).items[i].other);

        return unit->type == UNIT_SOCKET ? unit : NULL;
}

/* The connection that @service serves, and its socket; NULL if there is none. */
static SocketConnection *find_connection(const Unit *service, Unit **ret_unit) {
        for (size_t i = 0; i < unit_relations(service, UNIT_TRIGGERED_BY).n; i++) {
                Unit *unit = socket_at(service, i);
                SocketConnection *connection = unit ? socket_find_connection(unit, service) : NULL;

                if (connection) {
                        *ret_unit = unit;
                        return connection;
                }
        }
        return NULL;
}

/* A receiver of the service's descriptors, in their order. */
typedef int (*Take)(const Unit *service, int fd, const char *name, void *userdata);

static int take_ports(const Unit *service, const Unit *unit, Take take, void *userdata) {
        const Socket *socket = socket_of(unit);
        const char *name = socket_settings(unit)->fd_name ?: unit->id;
        int r = 0;

        for (size_t i = 0; i < socket->ports.n && r == 0; i++)
                if (socket->ports.items[i].fd >= 0)
                        r = take(service, socket->ports.items[i].fd, name, userdata);
        return r;
}

static int take_all(const Unit *service, Take take, void *userdata) {
        Unit *unit = NULL;
        const SocketConnection *connection = find_connection(service, &unit);
        int r = 0;

        if (connection)
                return connection->fd < 0 ? 0 : take(service, connection->fd, "connection", userdata);
        for (size_t i = 0; i < unit_relations(service, UNIT_TRIGGERED_BY).n && r == 0; i++) {
                unit = socket_at(service, i);
                if (unit && !socket_settings(unit)->accept)
                        r = take_ports(service, unit, take, userdata);
        }
        return r;
}

static int take_for_list(const Unit *service, int fd, const char *name, void *userdata) {
        set_blocking(fd, !service_settings(service)->non_blocking);
        return exec_request_add_descriptor(userdata, (ExecDescriptor) { .fd = fd, .name = name });
}

static int take_for_streams(const Unit *service, int fd, const char *name, void *userdata) {
        int *found = userdata;

        if (*found >= 0)
                return -E2BIG;
        set_blocking(fd, true);
        *found = fd;
        return 0;
}

bool socket_pass_to_streams(const ExecSettings *exec) {
        return exec->standard_input_is_socket || exec->standard_output == EXEC_OUTPUT_SOCKET ||
               exec->standard_error == EXEC_OUTPUT_SOCKET;
}

static int pass_to_streams(const Unit *service, const ExecSettings *exec, ExecRequest *request) {
        const ExecOutput output = exec->standard_output;
        int fd = -1, r = take_all(service, take_for_streams, &fd);

        if (r < 0 || fd < 0)
                return r < 0 ? r : -ENOTCONN;
        if (exec->standard_input_is_socket)
                request->standard_input_fd = fd;
        if (output == EXEC_OUTPUT_SOCKET ||
            (exec->standard_input_is_socket && (output == EXEC_OUTPUT_INHERIT || output == EXEC_OUTPUT_DEFAULT)))
                request->standard_output = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = fd };
        if (exec->standard_error == EXEC_OUTPUT_SOCKET)
                request->standard_error = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = fd };
        return 0;
}

int socket_pass_fds(const Unit *service, ExecRequest *request) {
        const ExecSettings *exec = &service_settings(service)->exec;
        const SocketConnection *connection;
        Unit *unit = NULL;
        int r;

        if (socket_pass_to_streams(exec))
                r = pass_to_streams(service, exec, request);
        else
                r = take_all(service, take_for_list, request);
        connection = r == 0 ? find_connection(service, &unit) : NULL;
        return connection && connection->fd >= 0 ? add_peer(connection->fd, request) : r;
}

/* Later commands may have the connection as standard input or output. */
static bool has_later_commands(const Unit *service) {
        const ServiceSettings *settings = service_settings(service);
        const ExecCommand *start = settings->commands[SERVICE_EXEC_START];

        return (start && start->next) || settings->commands[SERVICE_EXEC_START_POST] ||
               settings->commands[SERVICE_EXEC_RELOAD] || settings->commands[SERVICE_EXEC_STOP] ||
               settings->commands[SERVICE_EXEC_STOP_POST];
}

void socket_pass_done(const Unit *service) {
        Unit *unit = NULL;
        SocketConnection *connection = find_connection(service, &unit);

        if (connection && !has_later_commands(service))
                socket_close_connection(unit, connection);
}

void socket_pass_loaded(Unit *service) {
        cleanup_free_ char *prefix = NULL, *name = NULL;
        Unit *unit;

        if (!unit_name_is_instance(service->id) || unit_name_prefix(service->id, &prefix) < 0 ||
            text_format(&name, "%s.socket", prefix) < 0)
                return;
        unit = unit_table_find(service->table, name);
        if (unit && unit->type == UNIT_SOCKET && socket_find_connection(unit, service))
                (void) socket_relate_instance(unit, service);
}
