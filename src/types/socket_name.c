/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of a connection
 *
 * The instance name of its service has both ends, as in systemd 252: the number, then both addresses, or pid and user
 * of the peer.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "basic/text.h"
#include "types/socket_name.h"
#include "unitfile/socket_address.h"

static int get_address(int (*get)(int, struct sockaddr *, socklen_t *), int fd, SocketAddress *ret_address) {
        SocketAddress address = { .size = sizeof(address.storage) };

        if (get(fd, &address.any, &address.size) < 0)
                return -errno;
        *ret_address = address;
        return 0;
}

/* glibc's prototypes take a transparent union. */
static int get_local(int fd, struct sockaddr *address, socklen_t *size) {
        return getsockname(fd, address, size);
}

static int get_remote(int fd, struct sockaddr *address, socklen_t *size) {
        return getpeername(fd, address, size);
}

static int name_ip(uint32_t number, int fd, const SocketAddress *local, char **ret_instance) {
        char here[SOCKET_ADDRESS_TEXT_MAX], there[SOCKET_ADDRESS_TEXT_MAX];
        SocketAddress remote;
        int r = get_address(get_remote, fd, &remote);

        if (r < 0)
                return r;
        return text_format(ret_instance, "%u-%s:%u-%s:%u", number, socket_address_format_host(local, here),
                           socket_address_port(local), socket_address_format_host(&remote, there),
                           socket_address_port(&remote));
}

static int name_unix(uint32_t number, int fd, char **ret_instance) {
        struct ucred peer;
        socklen_t size = sizeof(peer);

        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0)
                return text_format(ret_instance, "%u-unknown", number);
        return text_format(ret_instance, "%u-%d-%u", number, (int) peer.pid, peer.uid);
}

int socket_name_instance(uint32_t number, int fd, char **ret_instance) {
        SocketAddress local;
        int r = get_address(get_local, fd, &local);

        if (r < 0)
                return r;
        if (local.any.sa_family == AF_INET || local.any.sa_family == AF_INET6)
                return name_ip(number, fd, &local, ret_instance);
        return name_unix(number, fd, ret_instance);
}

int socket_name_source(int fd, char **ret_source) {
        char host[SOCKET_ADDRESS_TEXT_MAX];
        SocketAddress remote;

        *ret_source = NULL;
        if (get_address(get_remote, fd, &remote) < 0 || socket_address_format_host(&remote, host)[0] == '\0')
                return 0;
        *ret_source = strdup(host);
        return *ret_source ? 0 : -ENOMEM;
}

int socket_name_peer(int fd, char **ret_address, char **ret_port) {
        int r = socket_name_source(fd, ret_address);
        SocketAddress remote;

        *ret_port = NULL;
        if (r < 0 || !*ret_address || get_address(get_remote, fd, &remote) < 0)
                return r;
        return text_format(ret_port, "%u", socket_address_port(&remote));
}
