/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The [Socket] section as data
 *
 * The defaults are systemd's.
 */

#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "unitfile/resource_settings.h"
#include "unitfile/socket_settings.h"

static const char *const socket_listen_kinds[_SOCKET_LISTEN_MAX] = {
        [SOCKET_LISTEN_STREAM] = "Stream",
        [SOCKET_LISTEN_DATAGRAM] = "Datagram",
        [SOCKET_LISTEN_SEQUENTIAL_PACKET] = "SequentialPacket",
        [SOCKET_LISTEN_FIFO] = "FIFO",
        [SOCKET_LISTEN_SPECIAL] = "Special",
        [SOCKET_LISTEN_MESSAGE_QUEUE] = "MessageQueue",
        [SOCKET_LISTEN_NETLINK] = "Netlink",
};

static const char *const socket_execs[_SOCKET_EXEC_MAX] = {
        [SOCKET_EXEC_START_PRE] = "ExecStartPre",
        [SOCKET_EXEC_START_POST] = "ExecStartPost",
        [SOCKET_EXEC_STOP_PRE] = "ExecStopPre",
        [SOCKET_EXEC_STOP_POST] = "ExecStopPost",
};

static const char *const socket_bind_ipv6s[_SOCKET_BIND_IPV6_MAX] = {
        [SOCKET_BIND_IPV6_DEFAULT] = "default",
        [SOCKET_BIND_IPV6_BOTH] = "both",
        [SOCKET_BIND_IPV6_ONLY] = "ipv6-only",
};

static const char *const socket_timestampings[_SOCKET_TIMESTAMPING_MAX] = {
        [SOCKET_TIMESTAMPING_OFF] = "off",
        [SOCKET_TIMESTAMPING_USEC] = "us",
        [SOCKET_TIMESTAMPING_NSEC] = "ns",
};

DEFINE_STRING_TABLE(socket_listen_kind, SocketListenKind, socket_listen_kinds)
DEFINE_STRING_TABLE(socket_exec, SocketExec, socket_execs)
DEFINE_STRING_TABLE(socket_bind_ipv6, SocketBindIpv6, socket_bind_ipv6s)
DEFINE_STRING_TABLE(socket_timestamping, SocketTimestamping, socket_timestampings)

void socket_settings_init(SocketSettings *settings) {
        *settings = (SocketSettings) {
                .socket_mode = 0666,
                .directory_mode = 0755,
                .backlog = 4096,
                .max_connections = 64,
                .timeout = 90 * USEC_PER_SEC,
                .trigger_limit_interval = USEC_INFINITY,
                .trigger_limit_burst = UINT32_MAX,
                .priority = -1,
                .ip_tos = -1,
                .ip_ttl = -1,
                .mark = -1,
        };
        exec_settings_init(&settings->exec);
        kill_settings_init(&settings->kill);
}

void socket_settings_deinit(SocketSettings *settings) {
        for (size_t i = 0; i < settings->listen.n; i++)
                free(settings->listen.items[i].address);
        vector_deinit(&settings->listen);
        for (size_t i = 0; i < _SOCKET_EXEC_MAX; i++)
                exec_command_free_all(settings->commands[i]);
        free(settings->service);
        free(settings->fd_name);
        free(settings->user);
        free(settings->group);
        strv_free(settings->symlinks);
        free(settings->bind_to_device);
        free(settings->tcp_congestion);
        exec_settings_deinit(&settings->exec);
        resource_settings_free(settings->resources);
}

bool socket_listen_is_socket(const SocketListen *listen) {
        return listen->kind <= SOCKET_LISTEN_SEQUENTIAL_PACKET || listen->kind == SOCKET_LISTEN_NETLINK;
}

bool socket_listen_is_accepting(const SocketListen *listen) {
        return listen->kind == SOCKET_LISTEN_STREAM || listen->kind == SOCKET_LISTEN_SEQUENTIAL_PACKET;
}

const char *socket_listen_path(const SocketListen *listen) {
        return listen->address[0] == '/' && listen->kind != SOCKET_LISTEN_MESSAGE_QUEUE ? listen->address : NULL;
}

usec_t socket_settings_trigger_interval(const SocketSettings *settings) {
        return settings->trigger_limit_interval == USEC_INFINITY ? 2 * USEC_PER_SEC : settings->trigger_limit_interval;
}

uint32_t socket_settings_trigger_burst(const SocketSettings *settings) {
        if (settings->trigger_limit_burst != UINT32_MAX)
                return settings->trigger_limit_burst;
        return settings->accept ? 200 : 20;
}
