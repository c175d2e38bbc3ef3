/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Addresses to listen on, as unit files write them
 *
 * A port ("80": all addresses), an IPv4 address or an IPv6 one in brackets
 * with a port ("127.0.0.1:80", "[::1]:80", "[fe80::1]:80%eth0"), a path, or an
 * abstract name ("@name"). For netlink: a protocol and the bit mask of its
 * groups ("route 1361").
 */

#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef struct SocketAddress {
        union {
                struct sockaddr any;
                struct sockaddr_in in;
                struct sockaddr_in6 in6;
                struct sockaddr_un un;
                struct sockaddr_nl nl;
                struct sockaddr_storage storage;
        };
        socklen_t size;
} SocketAddress;

#define SOCKET_ADDRESS_TEXT_MAX 160

/* 0, -EINVAL, -ENAMETOOLONG for a path or name that is too long for a socket, or -ENODEV for an unknown interface. */
int socket_address_parse(const char *text, SocketAddress *ret_address);

/* Parses "kobject-uevent 1" or "audit": 0, or -EINVAL. */
int socket_address_parse_netlink(const char *text, SocketAddress *ret_address, int *ret_protocol);

/* Without IPv6, converts a port alone, which is an IPv6 address that also accepts IPv4, to IPv4. */
bool socket_address_make_ipv4(SocketAddress *address);

/* Formats the address like systemd; returns @buffer, "" if there is nothing to print. */
const char *socket_address_format(const SocketAddress *address, char buffer[static SOCKET_ADDRESS_TEXT_MAX]);
/* Formats the address without the port; an IPv4 address in an IPv6 one as IPv4. */
const char *socket_address_format_host(const SocketAddress *address, char buffer[static SOCKET_ADDRESS_TEXT_MAX]);
unsigned socket_address_port(const SocketAddress *address);     /* 0 if it has none */

/* The path of a socket file; NULL if there is none. */
const char *socket_address_path(const SocketAddress *address);
