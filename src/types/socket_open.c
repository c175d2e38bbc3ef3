/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening the descriptors that a socket listens on
 *
 * Nothing here blocks: names are looked up only in /etc/passwd and /etc/group, and a FIFO is opened for reading and
 * writing. A socket file in the way is stale if no process listens on it. Only the kernel knows that, so the file is
 * removed after the kernel has refused the address and a connection to it.
 */

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/strv.h"
#include "exec/exec_credentials.h"
#include "types/socket_port.h"
#include "unitfile/socket_address.h"

/* Makes all missing folders above @path. */
static int make_folders(const char *path, mode_t mode) {
        cleanup_free_ char *folder = strdup(path);

        if (!folder)
                return -ENOMEM;
        for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
                mode_t mask = umask(0);
                int r;

                *slash = '\0';
                r = mkdir(folder, mode) < 0 && errno != EEXIST && errno != EROFS ? -errno : 0;
                umask(mask);
                *slash = '/';
                if (r < 0)
                        return r;
        }
        return 0;
}

/* SocketUser= and SocketGroup=; without the latter, the user's primary group. */
static int hand_over(Unit *unit, const char *path) {
        const SocketSettings *settings = socket_settings(unit);
        cleanup_(exec_credentials_deinit) ExecCredentials credentials = {};
        ExecRequest request = { .user = settings->user, .group = settings->group };
        ExecResult result = {};
        int r;

        if (!settings->user && !settings->group)
                return 0;
        r = exec_credentials_resolve(&request, &credentials, &result);
        if (r < 0) {
                socket_note_failure(unit, "%s", result.message);
                return r;
        }
        if (lchown(path, credentials.has_uid ? credentials.uid : (uid_t) -1,
                   credentials.has_gid ? credentials.gid : (gid_t) -1) < 0) {
                r = -errno;
                socket_note_failure(unit, "cannot give %s to its owner: %s", path, strerror(errno));
        }
        return r;
}

/* — sockets — */

static int set_option(int fd, int level, int option, int value) {
        return setsockopt(fd, level, option, &value, sizeof(value)) < 0 ? -errno : 0;
}

/* The options that affect bind(). */
static int prepare_ip(const SocketSettings *settings, int fd, int family) {
        int r = set_option(fd, SOL_SOCKET, SO_REUSEADDR, true);

        if (r == 0 && family == AF_INET6 && settings->bind_ipv6 != SOCKET_BIND_IPV6_DEFAULT)
                r = set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, settings->bind_ipv6 == SOCKET_BIND_IPV6_ONLY);
        if (r == 0 && settings->bind_to_device &&
            setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, settings->bind_to_device,
                       (socklen_t) strlen(settings->bind_to_device) + 1) < 0)
                r = -errno;
        if (r == 0 && settings->reuse_port)
                r = set_option(fd, SOL_SOCKET, SO_REUSEPORT, true);
        if (r == 0 && settings->free_bind)
                r = set_option(fd, IPPROTO_IP, IP_FREEBIND, true);
        if (r == 0 && settings->transparent)
                r = set_option(fd, IPPROTO_IP, IP_TRANSPARENT, true);
        return r;
}

static int take_address(int fd, const SocketAddress *address, mode_t mode) {
        mode_t mask = umask(~mode & 07777);
        int r = bind(fd, &address->any, address->size) < 0 ? -errno : 0;

        umask(mask);
        return r;
}

/* Does a process listen there? The test connection is closed at once. */
static bool is_listened_on(const SocketAddress *address, int type) {
        int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        bool answers = fd >= 0 && (connect(fd, &address->any, address->size) == 0 || errno == EAGAIN);

        if (fd >= 0)
                close(fd);
        return answers;
}

static int take_path(Unit *unit, int fd, int type, const SocketAddress *address) {
        const SocketSettings *settings = socket_settings(unit);
        const char *path = socket_address_path(address);
        struct stat status;
        int r = make_folders(path, settings->directory_mode);

        if (r == 0)
                r = take_address(fd, address, settings->socket_mode);
        if (r == -EADDRINUSE && lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) &&
            !is_listened_on(address, type) &&
            unlink(path) == 0)
                r = take_address(fd, address, settings->socket_mode);
        return r;
}

static int type_of(SocketListenKind kind) {
        return kind == SOCKET_LISTEN_STREAM     ? SOCK_STREAM
               : kind == SOCKET_LISTEN_DATAGRAM ? SOCK_DGRAM
                                                : SOCK_SEQPACKET;
}

static int make_socket(const SocketSettings *settings, SocketListenKind kind, SocketAddress *address) {
        int type = type_of(kind) | SOCK_CLOEXEC | SOCK_NONBLOCK;
        int protocol = address->any.sa_family == AF_UNIX ? 0 : settings->protocol;
        int fd = socket(address->any.sa_family, type, protocol);

        if (fd < 0 && errno == EAFNOSUPPORT && socket_address_make_ipv4(address))
                fd = socket(address->any.sa_family, type, protocol);
        return fd < 0 ? -errno : fd;
}

static int open_socket(Unit *unit, SocketPort *port) {
        const SocketSettings *settings = socket_settings(unit);
        SocketAddress address;
        int r = socket_address_parse(port->listen.address, &address);

        if (r < 0)
                return r;
        r = port->fd = make_socket(settings, port->listen.kind, &address);
        if (r < 0)
                return r;
        if (address.any.sa_family != AF_UNIX)
                r = prepare_ip(settings, port->fd, address.any.sa_family);
        if (r >= 0)
                r = socket_address_path(&address) ? take_path(unit, port->fd, type_of(port->listen.kind), &address)
                                                  : take_address(port->fd, &address, settings->socket_mode);
        if (r == 0 && socket_address_path(&address))
                r = hand_over(unit, socket_address_path(&address));
        if (r == 0)
                socket_apply_options(unit, port);
        if (r == 0 && socket_listen_is_accepting(&port->listen) &&
            listen(port->fd, (int) MIN(settings->backlog, (uint32_t) INT32_MAX)) < 0)
                r = -errno;
        return r;
}

static int open_netlink(Unit *unit, SocketPort *port) {
        SocketAddress address;
        int protocol, r = socket_address_parse_netlink(port->listen.address, &address, &protocol);

        if (r < 0)
                return r;
        port->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
        if (port->fd < 0)
                return -errno;
        /* Before the first message, which must have its ancillary data already. */
        socket_apply_options(unit, port);
        return bind(port->fd, &address.any, address.size) < 0 ? -errno : 0;
}

/* — others — */

static int open_fifo(Unit *unit, SocketPort *port) {
        const SocketSettings *settings = socket_settings(unit);
        const char *path = port->listen.address;
        struct stat status;
        int r = make_folders(path, settings->directory_mode);

        if (r == 0 && mkfifo(path, 0600) < 0 && errno != EEXIST)
                r = -errno;
        if (r < 0)
                return r;
        if (lstat(path, &status) < 0)
                return -errno;
        if (!S_ISFIFO(status.st_mode))
                return -EEXIST;
        port->fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
        if (port->fd < 0)
                return -errno;
        if (fstat(port->fd, &status) < 0 || !S_ISFIFO(status.st_mode))
                return -EEXIST;
        r = hand_over(unit, path);
        if (r < 0)
                return r;
        /* By descriptor, since the name may refer to another file by now. */
        if (fchmod(port->fd, settings->socket_mode) < 0)
                return -errno;
        socket_apply_options(unit, port);
        return 0;
}

static int open_special(Unit *unit, SocketPort *port) {
        int access = socket_settings(unit)->writable ? O_RDWR : O_RDONLY;
        struct stat status;

        port->fd = open(port->listen.address, access | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
        if (port->fd < 0 || fstat(port->fd, &status) < 0)
                return -errno;
        return S_ISREG(status.st_mode) || S_ISCHR(status.st_mode) ? 0 : -EEXIST;
}

static int open_queue(Unit *unit, SocketPort *port) {
        const SocketSettings *settings = socket_settings(unit);
        struct mq_attr attributes = {
                .mq_maxmsg = settings->queue_max_messages,
                .mq_msgsize = settings->queue_message_size,
        };
        bool has_attributes = attributes.mq_maxmsg > 0 && attributes.mq_msgsize > 0;
        mode_t mask = umask(~settings->socket_mode & 07777);
        int r;

        port->fd = mq_open(port->listen.address, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_CREAT, settings->socket_mode,
                           has_attributes ? &attributes : NULL);
        r = port->fd < 0 ? -errno : 0;
        umask(mask);
        return r;
}

static int open_port(Unit *unit, SocketPort *port) {
        switch (port->listen.kind) {
        case SOCKET_LISTEN_STREAM:
        case SOCKET_LISTEN_DATAGRAM:
        case SOCKET_LISTEN_SEQUENTIAL_PACKET:
                return open_socket(unit, port);
        case SOCKET_LISTEN_FIFO:
                return open_fifo(unit, port);
        case SOCKET_LISTEN_SPECIAL:
                return open_special(unit, port);
        case SOCKET_LISTEN_MESSAGE_QUEUE:
                return open_queue(unit, port);
        case SOCKET_LISTEN_NETLINK:
                return open_netlink(unit, port);
        case _SOCKET_LISTEN_MAX:
                break;
        }
        return -EINVAL;
}

int socket_open_port(Unit *unit, SocketPort *port) {
        int r;

        port->fd = -1;
        r = open_port(unit, port);
        if (r >= 0)
                return 0;
        if (port->fd >= 0)
                close(port->fd);
        port->fd = -1;
        if (r == -EADDRINUSE)
                socket_note_failure(unit, "cannot listen on %s: somebody else does", port->listen.address);
        else if (r == -EEXIST)
                socket_note_failure(unit, "cannot listen on %s: there is something else of that name",
                                    port->listen.address);
        else
                socket_note_failure(unit, "cannot listen on %s: %s", port->listen.address, strerror(-r));
        return r;
}

/* — files beside — */

static const char *find_path(const Unit *unit) {
        const Socket *socket = socket_of(unit);

        for (size_t i = 0; i < socket->ports.n; i++)
                if (socket_listen_path(&socket->ports.items[i].listen) &&
                    socket->ports.items[i].listen.kind != SOCKET_LISTEN_SPECIAL)
                        return socket_listen_path(&socket->ports.items[i].listen);
        return NULL;
}

static int make_link(const char *path, const char *name, mode_t mode) {
        char target[4096];
        ssize_t n;
        int r = make_folders(name, mode);

        if (r < 0)
                return r;
        if (symlink(path, name) == 0)
                return 0;
        if (errno != EEXIST)
                return -errno;
        n = readlink(name, target, sizeof(target));
        if (n < 0 || (size_t) n != strlen(path) || memcmp(target, path, (size_t) n) != 0)
                return -EEXIST;
        return 0;
}

void socket_make_links(Unit *unit) {
        const char *path = find_path(unit);

        strv_foreach(name, socket_settings(unit)->symlinks) {
                int r = path ? make_link(path, *name, socket_settings(unit)->directory_mode) : -ENOENT;

                if (r < 0)
                        unit_say(unit, LOG_LEVEL_WARNING, "Cannot make the link %s: %s", *name, strerror(-r));
        }
}

void socket_remove_files(Unit *unit) {
        const Socket *socket = socket_of(unit);

        if (!socket_settings(unit)->remove_on_stop)
                return;
        for (size_t i = 0; i < socket->ports.n; i++) {
                const SocketListen *listen = &socket->ports.items[i].listen;

                if (listen->kind == SOCKET_LISTEN_MESSAGE_QUEUE)
                        mq_unlink(listen->address);
                else if (socket_listen_path(listen) && listen->kind != SOCKET_LISTEN_SPECIAL)
                        unlink(socket_listen_path(listen));
        }
        strv_foreach(name, socket_settings(unit)->symlinks)
                unlink(*name);
}
