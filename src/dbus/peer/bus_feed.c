/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A connection of libdbus that reads what this process writes
 *
 * The server's lines are written before the client's are read: a server that
 * agrees with all that libdbus asks for says the same each time. Nothing blocks,
 * because both ends are here. The socket has a name of the kernel's choice that
 * any process could connect to, so the peer is looked at.
 */

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/text.h"
#include "dbus/peer/bus_feed.h"

#define STRANGERS_MAX 64
#define STEPS_MAX 64

/* A server has some id of that form. */
static const char server_lines[] = "OK 6a6f62640000000000000000000000ff\r\nAGREE_UNIX_FD\r\n";
static const char last_line[] = "BEGIN\r\n";

static int listen_anywhere(int *ret_fd, char **ret_address) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        socklen_t size = sizeof(address);
        cleanup_fd_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        int r;

        if (fd < 0 || bind(fd, (struct sockaddr *) &address, sizeof(sa_family_t)) < 0 || listen(fd, SOMAXCONN) < 0 ||
            getsockname(fd, (struct sockaddr *) &address, &size) < 0)
                return -errno;
        r = text_format(ret_address, "unix:abstract=%.*s",
                        (int) (size - offsetof(struct sockaddr_un, sun_path)) - 1, address.sun_path + 1);
        if (r < 0)
                return r;
        *ret_fd = fd_take(&fd);
        return 0;
}

/* The connection of this process itself. */
static int accept_own(int listening) {
        for (unsigned i = 0; i < STRANGERS_MAX; i++) {
                struct ucred credentials;
                socklen_t size = sizeof(credentials);
                int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

                if (fd < 0)
                        return -errno;
                if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) >= 0 && credentials.pid == getpid())
                        return fd;
                close(fd);
        }
        return -EACCES;
}

static int play_server(DBusConnection *connection, int fd) {
        const size_t n_last = sizeof(last_line) - 1;
        char said[512];
        ssize_t n;

        if (send(fd, server_lines, sizeof(server_lines) - 1, MSG_NOSIGNAL) != (ssize_t) sizeof(server_lines) - 1)
                return -EIO;
        for (unsigned i = 0; i < STEPS_MAX && !dbus_connection_get_is_authenticated(connection); i++)
                if (!dbus_connection_read_write(connection, 0))
                        return -ECONNRESET;
        n = recv(fd, said, sizeof(said), 0);
        return n >= (ssize_t) n_last && memcmp(said + (size_t) n - n_last, last_line, n_last) == 0 ? 0 : -EPROTO;
}

int bus_feed_new(DBusConnection **ret_connection, int *ret_fd) {
        cleanup_fd_ int listening = -1, fd = -1;
        cleanup_free_ char *address = NULL;
        DBusConnection *connection;
        int r;

        r = listen_anywhere(&listening, &address);
        if (r < 0)
                return r;
        connection = dbus_connection_open_private(address, NULL);
        if (!connection)
                return -ECONNREFUSED;
        dbus_connection_set_exit_on_disconnect(connection, FALSE);
        fd = accept_own(listening);
        r = fd < 0 ? fd : play_server(connection, fd);
        if (r < 0) {
                dbus_connection_close(connection);
                dbus_connection_unref(connection);
                return r;
        }
        *ret_connection = connection;
        *ret_fd = fd_take(&fd);
        return 0;
}
