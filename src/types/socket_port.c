/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The descriptors that a socket listens on
 *
 * The keeper has each descriptor under its number here.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "types/socket_port.h"

#define KEPT_AS "listen"

/* The most connections or messages that are flushed: a peer that sends all the time must not block core. */
#define FLUSHED_MAX 1024

static void close_port(Unit *unit, uint32_t index) {
        SocketPort *port = &socket_of(unit)->ports.items[index];

        if (port->fd < 0)
                return;
        unit_drop_fd(unit, KEPT_AS, index);
        close(port->fd);
        port->fd = -1;
}

void socket_close_ports(Unit *unit) {
        Socket *socket = socket_of(unit);

        socket_remove_files(unit);
        for (uint32_t i = 0; i < socket->ports.n; i++) {
                close_port(unit, i);
                free(socket->ports.items[i].listen.address);
        }
        vector_deinit(&socket->ports);
}

static int open_one(Unit *unit, const SocketListen *listen) {
        Socket *socket = socket_of(unit);
        SocketPort port = { .listen = { listen->kind, strdup(listen->address) }, .fd = -1 };
        int r;

        r = port.listen.address ? vector_push(&socket->ports, port) : -ENOMEM;
        if (r < 0) {
                free(port.listen.address);
                return r;
        }
        r = socket_open_port(unit, &vector_last(&socket->ports));
        if (r == 0)
                unit_keep_fd(unit, KEPT_AS, (uint32_t) socket->ports.n - 1, vector_last(&socket->ports).fd);
        return r;
}

int socket_open_ports(Unit *unit) {
        const SocketListens *listens = &socket_settings(unit)->listen;
        UnitHost *host = unit_host(unit);
        int r = 0;

        /* The kernel would refuse an address that the keeper still has open. */
        host->ops->settle_fds(host);
        for (size_t i = 0; i < listens->n && r >= 0; i++)
                r = open_one(unit, &listens->items[i]);
        if (r >= 0)
                socket_make_links(unit);
        return r;
}

int socket_watch_ports(Unit *unit) {
        const Socket *socket = socket_of(unit);
        int r = 0;

        for (uint32_t i = 0; i < socket->ports.n && r >= 0; i++)
                if (socket->ports.items[i].fd >= 0)
                        r = unit_watch_fd(unit, i, socket->ports.items[i].fd, EPOLLIN);
        return r;
}

void socket_unwatch_ports(Unit *unit) {
        for (uint32_t i = 0; i < socket_of(unit)->ports.n; i++)
                unit_unwatch_fd(unit, i);
}

void socket_pause(Unit *unit, usec_t span) {
        if (unit_set_timer(unit, UNIT_PURPOSE_RESTART, usec_add(unit_now(unit), span)) < 0)
                return;
        socket_of(unit)->is_paused = true;
        socket_unwatch_ports(unit);
}

static bool has_input(int fd) {
        struct pollfd one = { .fd = fd, .events = POLLIN };

        return poll(&one, 1, 0) > 0 && one.revents & POLLIN;
}

/* The service may have made the descriptor blocking. */
static void flush_port(const SocketPort *port) {
        int flags = fcntl(port->fd, F_GETFL);
        char bytes[2048];

        if (flags < 0 || fcntl(port->fd, F_SETFL, flags | O_NONBLOCK) < 0)
                return;
        for (unsigned i = 0; i < FLUSHED_MAX && has_input(port->fd); i++) {
                if (socket_listen_is_accepting(&port->listen)) {
                        int fd = accept4(port->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

                        if (fd >= 0)
                                close(fd);
                } else if (read(port->fd, bytes, sizeof(bytes)) <= 0)
                        return;
        }
}

void socket_flush_ports(Unit *unit) {
        const Socket *socket = socket_of(unit);

        for (size_t i = 0; i < socket->ports.n; i++)
                if (socket->ports.items[i].fd >= 0 &&
                    socket->ports.items[i].listen.kind != SOCKET_LISTEN_MESSAGE_QUEUE &&
                    socket->ports.items[i].listen.kind != SOCKET_LISTEN_SPECIAL)
                        flush_port(&socket->ports.items[i]);
}

static int resume_port(Unit *unit, uint32_t index) {
        SocketPort *port = &socket_of(unit)->ports.items[index];
        int r;

        port->fd = unit_take_fd(unit, KEPT_AS, index);
        if (port->fd >= 0)
                return 0;
        port->fd = -1;
        unit_say(unit, LOG_LEVEL_WARNING, "What it listened on (%s) is lost; it is opened again.",
                 port->listen.address);
        r = socket_open_port(unit, port);
        if (r == 0)
                unit_keep_fd(unit, KEPT_AS, index, port->fd);
        return r;
}

int socket_resume_ports(Unit *unit) {
        int r = 0;

        for (uint32_t i = 0; i < socket_of(unit)->ports.n && r >= 0; i++)
                r = resume_port(unit, i);
        return r;
}
