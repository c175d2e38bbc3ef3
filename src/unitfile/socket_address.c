/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses to listen on
 *
 * Only numbers of interfaces are looked up: a host name would need a name
 * service, for which the manager cannot wait.
 */

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/socket_address.h"

static int parse_port(const char *text, in_port_t *ret_port) {
        uint32_t port;

        if (text_parse_u32(text, &port) < 0 || port == 0 || port > 65535)
                return -EINVAL;
        *ret_port = htons((in_port_t) port);
        return 0;
}

static int parse_unix(const char *text, SocketAddress *address) {
        size_t n = strlen(text);
        bool is_abstract = text[0] == '@';

        if (n < 2)
                return -EINVAL;
        /* A path needs a terminating NUL, an abstract name does not. */
        if (n + !is_abstract > sizeof(address->un.sun_path))
                return -ENAMETOOLONG;
        address->un.sun_family = AF_UNIX;
        memcpy(address->un.sun_path, text, n);
        if (is_abstract)
                address->un.sun_path[0] = '\0';
        address->size = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + n + !is_abstract);
        return 0;
}

/* Parses the part after the bracket: ":PORT" or ":PORT%INTERFACE". */
static int parse_ipv6_rest(const char *text, SocketAddress *address) {
        char port[8] = "";
        size_t n;

        if (*text++ != ':')
                return -EINVAL;
        n = strcspn(text, "%");
        if (n >= sizeof(port))
                return -EINVAL;
        memcpy(port, text, n);
        if (text[n] == '%') {
                uint32_t index = 0;

                if (text_parse_u32(text + n + 1, &index) < 0)
                        index = if_nametoindex(text + n + 1);
                if (index == 0)
                        return -ENODEV;
                address->in6.sin6_scope_id = index;
        }
        return parse_port(port, &address->in6.sin6_port);
}

static int parse_ipv6(const char *text, SocketAddress *address) {
        const char *end = strchr(text, ']');
        char host[INET6_ADDRSTRLEN] = "";

        if (!end || (size_t) (end - text - 1) >= sizeof(host))
                return -EINVAL;
        memcpy(host, text + 1, (size_t) (end - text - 1));
        address->in6.sin6_family = AF_INET6;
        address->size = sizeof(address->in6);
        if (inet_pton(AF_INET6, host, &address->in6.sin6_addr) != 1)
                return -EINVAL;
        return parse_ipv6_rest(end + 1, address);
}

static int parse_ipv4(const char *text, const char *colon, SocketAddress *address) {
        char host[INET_ADDRSTRLEN] = "";

        if ((size_t) (colon - text) >= sizeof(host))
                return -EINVAL;
        memcpy(host, text, (size_t) (colon - text));
        address->in.sin_family = AF_INET;
        address->size = sizeof(address->in);
        if (inet_pton(AF_INET, host, &address->in.sin_addr) != 1)
                return -EINVAL;
        return parse_port(colon + 1, &address->in.sin_port);
}

int socket_address_parse(const char *text, SocketAddress *ret_address) {
        SocketAddress address = {};
        const char *colon = strchr(text, ':');
        int r;

        assert(ret_address);

        if (text[0] == '/' || text[0] == '@')
                r = parse_unix(text, &address);
        else if (text[0] == '[')
                r = parse_ipv6(text, &address);
        else if (colon)
                r = parse_ipv4(text, colon, &address);
        else {
                address.in6.sin6_family = AF_INET6;
                address.size = sizeof(address.in6);
                r = parse_port(text, &address.in6.sin6_port);
        }
        if (r == 0)
                *ret_address = address;
        return r;
}

/* The kernel's names in lower case. */
static const char *const netlink_protocols[] = {
        [NETLINK_ROUTE] = "route",
        [NETLINK_FIREWALL] = "firewall",
        [NETLINK_SOCK_DIAG] = "inet-diag",
        [NETLINK_NFLOG] = "nflog",
        [NETLINK_XFRM] = "xfrm",
        [NETLINK_SELINUX] = "selinux",
        [NETLINK_ISCSI] = "iscsi",
        [NETLINK_AUDIT] = "audit",
        [NETLINK_FIB_LOOKUP] = "fib-lookup",
        [NETLINK_CONNECTOR] = "connector",
        [NETLINK_NETFILTER] = "netfilter",
        [NETLINK_IP6_FW] = "ip6-fw",
        [NETLINK_DNRTMSG] = "dnrtmsg",
        [NETLINK_KOBJECT_UEVENT] = "kobject-uevent",
        [NETLINK_GENERIC] = "generic",
        [NETLINK_SCSITRANSPORT] = "scsitransport",
        [NETLINK_ECRYPTFS] = "ecryptfs",
        [NETLINK_RDMA] = "rdma",
};

static int find_netlink_protocol(const char *name, size_t n) {
        cleanup_free_ char *copy = strndup(name, n);
        uint32_t number;

        if (!copy)
                return -ENOMEM;
        for (size_t i = 0; i < ELEMENTSOF(netlink_protocols); i++)
                if (netlink_protocols[i] && strcmp(netlink_protocols[i], copy) == 0)
                        return (int) i;
        return text_parse_u32(copy, &number) == 0 && number < MAX_LINKS ? (int) number : -EINVAL;
}

int socket_address_parse_netlink(const char *text, SocketAddress *ret_address, int *ret_protocol) {
        SocketAddress address = { .size = sizeof(address.nl) };
        const size_t n = strcspn(text, " \t");
        const char *groups = text + n + strspn(text + n, " \t");
        int protocol = find_netlink_protocol(text, n);

        if (protocol < 0)
                return protocol;
        address.nl.nl_family = AF_NETLINK;
        if (*groups && text_parse_u32(groups, &address.nl.nl_groups) < 0)
                return -EINVAL;
        *ret_address = address;
        *ret_protocol = protocol;
        return 0;
}

bool socket_address_make_ipv4(SocketAddress *address) {
        in_port_t port = address->in6.sin6_port;

        if (address->any.sa_family != AF_INET6 || !IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr))
                return false;
        *address = (SocketAddress) { .size = sizeof(address->in) };
        address->in.sin_family = AF_INET;
        address->in.sin_port = port;
        return true;
}

unsigned socket_address_port(const SocketAddress *address) {
        if (address->any.sa_family == AF_INET)
                return ntohs(address->in.sin_port);
        return address->any.sa_family == AF_INET6 ? ntohs(address->in6.sin6_port) : 0;
}

static const char *format_unix(const SocketAddress *address, char *buffer) {
        size_t n = address->size - MIN((size_t) address->size, offsetof(struct sockaddr_un, sun_path));
        bool is_abstract = n > 0 && address->un.sun_path[0] == '\0';

        n = MIN(n, sizeof(address->un.sun_path));
        if (!is_abstract)
                n = strnlen(address->un.sun_path, n);
        memcpy(buffer, address->un.sun_path, n);
        buffer[n] = '\0';
        if (is_abstract)
                buffer[0] = '@';
        return buffer;
}

const char *socket_address_format_host(const SocketAddress *address, char buffer[static SOCKET_ADDRESS_TEXT_MAX]) {
        buffer[0] = '\0';
        if (address->any.sa_family == AF_INET)
                inet_ntop(AF_INET, &address->in.sin_addr, buffer, SOCKET_ADDRESS_TEXT_MAX);
        else if (address->any.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&address->in6.sin6_addr))
                inet_ntop(AF_INET, address->in6.sin6_addr.s6_addr + 12, buffer, SOCKET_ADDRESS_TEXT_MAX);
        else if (address->any.sa_family == AF_INET6)
                inet_ntop(AF_INET6, &address->in6.sin6_addr, buffer, SOCKET_ADDRESS_TEXT_MAX);
        return buffer;
}

const char *socket_address_format(const SocketAddress *address, char buffer[static SOCKET_ADDRESS_TEXT_MAX]) {
        char host[SOCKET_ADDRESS_TEXT_MAX];

        if (address->any.sa_family == AF_UNIX)
                return format_unix(address, buffer);
        socket_address_format_host(address, host);
        if (host[0] == '\0')
                buffer[0] = '\0';
        else if (strchr(host, ':'))
                snprintf(buffer, SOCKET_ADDRESS_TEXT_MAX, "[%.60s]:%u", host, socket_address_port(address));
        else
                snprintf(buffer, SOCKET_ADDRESS_TEXT_MAX, "%.60s:%u", host, socket_address_port(address));
        return buffer;
}

const char *socket_address_path(const SocketAddress *address) {
        return address->any.sa_family == AF_UNIX && address->un.sun_path[0] == '/' ? address->un.sun_path : NULL;
}
