/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket options
 *
 * A socket works without any of these, so a refusal of the kernel (a lack of privilege, another family) is a warning,
 * as in systemd. Options that are needed before bind() are in socket_open.c, and their failure counts.
 */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "types/socket_port.h"

typedef struct Target {
        Unit *unit;
        int fd, family, type;
} Target;

static void warn(const Target *target, const char *directive, int error) {
        unit_say(target->unit, LOG_LEVEL_WARNING, "%s= is without effect: %s", directive, strerror(error));
}

static void set_int(const Target *target, const char *directive, int level, int option, int value) {
        if (setsockopt(target->fd, level, option, &value, sizeof(value)) < 0)
                warn(target, directive, errno);
}

static void set_string(const Target *target, const char *directive, int level, int option, const char *value) {
        if (setsockopt(target->fd, level, option, value, (socklen_t) strlen(value)) < 0)
                warn(target, directive, errno);
}

static int seconds_of(usec_t span) {
        return (int) MIN((span + USEC_PER_SEC - 1) / USEC_PER_SEC, (usec_t) INT32_MAX);
}

static bool is_ip(const Target *target) {
        return target->family == AF_INET || target->family == AF_INET6;
}

/* Options of TCP; other streams have none of them. */
static void apply_tcp(const Target *target, const SocketSettings *settings) {
        if (settings->keep_alive_time > 0)
                set_int(target, "KeepAliveTimeSec", IPPROTO_TCP, TCP_KEEPIDLE, seconds_of(settings->keep_alive_time));
        if (settings->keep_alive_interval > 0)
                set_int(target, "KeepAliveIntervalSec", IPPROTO_TCP, TCP_KEEPINTVL,
                        seconds_of(settings->keep_alive_interval));
        if (settings->keep_alive_probes > 0)
                set_int(target, "KeepAliveProbes", IPPROTO_TCP, TCP_KEEPCNT,
                        (int) MIN(settings->keep_alive_probes, (uint32_t) INT32_MAX));
        if (settings->defer_accept > 0)
                set_int(target, "DeferAcceptSec", IPPROTO_TCP, TCP_DEFER_ACCEPT, seconds_of(settings->defer_accept));
        if (settings->no_delay)
                set_int(target, "NoDelay", IPPROTO_TCP, TCP_NODELAY, true);
        if (settings->tcp_congestion)
                set_string(target, "TCPCongestion", IPPROTO_TCP, TCP_CONGESTION, settings->tcp_congestion);
}

static void apply_ip(const Target *target, const SocketSettings *settings) {
        bool is_6 = target->family == AF_INET6;

        if (settings->pass_packet_info)
                set_int(target, "PassPacketInfo", is_6 ? IPPROTO_IPV6 : IPPROTO_IP, is_6 ? IPV6_RECVPKTINFO
                        : IP_PKTINFO, true);
        if (settings->ip_tos >= 0)
                set_int(target, "IPTOS", IPPROTO_IP, IP_TOS, settings->ip_tos);
        if (settings->ip_ttl >= 0 && is_6)
                set_int(target, "IPTTL", IPPROTO_IPV6, IPV6_UNICAST_HOPS, settings->ip_ttl);
        if (settings->ip_ttl >= 0)
                set_int(target, "IPTTL", IPPROTO_IP, IP_TTL, settings->ip_ttl);
        if (target->type == SOCK_STREAM)
                apply_tcp(target, settings);
}

/* With the privilege for it, beyond the system's limit. */
static void set_buffer(const Target *target, const char *directive, int forced, int option, uint64_t bytes) {
        int value = (int) MIN(bytes, (uint64_t) INT32_MAX);

        if (setsockopt(target->fd, SOL_SOCKET, forced, &value, sizeof(value)) < 0)
                set_int(target, directive, SOL_SOCKET, option, value);
}

static void apply_any(const Target *target, const SocketSettings *settings) {
        if (settings->keep_alive)
                set_int(target, "KeepAlive", SOL_SOCKET, SO_KEEPALIVE, true);
        if (settings->broadcast)
                set_int(target, "Broadcast", SOL_SOCKET, SO_BROADCAST, true);
        if (settings->pass_credentials)
                set_int(target, "PassCredentials", SOL_SOCKET, SO_PASSCRED, true);
        if (settings->pass_security)
                set_int(target, "PassSecurity", SOL_SOCKET, SO_PASSSEC, true);
        if (settings->timestamping == SOCKET_TIMESTAMPING_USEC)
                set_int(target, "Timestamping", SOL_SOCKET, SO_TIMESTAMP, true);
        if (settings->timestamping == SOCKET_TIMESTAMPING_NSEC)
                set_int(target, "Timestamping", SOL_SOCKET, SO_TIMESTAMPNS, true);
        if (settings->priority >= 0)
                set_int(target, "Priority", SOL_SOCKET, SO_PRIORITY, settings->priority);
        if (settings->mark >= 0)
                set_int(target, "Mark", SOL_SOCKET, SO_MARK, settings->mark);
        if (settings->receive_buffer > 0)
                set_buffer(target, "ReceiveBuffer", SO_RCVBUFFORCE, SO_RCVBUF, settings->receive_buffer);
        if (settings->send_buffer > 0)
                set_buffer(target, "SendBuffer", SO_SNDBUFFORCE, SO_SNDBUF, settings->send_buffer);
}

void socket_apply_connection_options(Unit *unit, int fd) {
        const SocketSettings *settings = socket_settings(unit);
        Target target = { .unit = unit, .fd = fd };
        socklen_t size = sizeof(int);

        if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &target.family, &size) < 0 ||
            getsockopt(fd, SOL_SOCKET, SO_TYPE, &target.type, &size) < 0)
                return;
        apply_any(&target, settings);
        if (is_ip(&target))
                apply_ip(&target, settings);
}

void socket_apply_options(Unit *unit, const SocketPort *port) {
        uint64_t size = socket_settings(unit)->pipe_size;

        if (port->listen.kind == SOCKET_LISTEN_FIFO) {
                if (size > 0 && fcntl(port->fd, F_SETPIPE_SZ, (int) MIN(size, (uint64_t) INT32_MAX)) < 0)
                        unit_say(unit, LOG_LEVEL_WARNING, "PipeSize= is without effect: %s", strerror(errno));
        } else if (socket_listen_is_socket(&port->listen))
                socket_apply_connection_options(unit, port->fd);
}
