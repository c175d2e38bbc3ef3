/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Socket] section as data
 *
 * unitfile reads it, types acts on it. The settings for running and killing
 * its commands are in exec_settings.h and kill_settings.h.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/usec.h"
#include "basic/vector.h"
#include "unitfile/exec_settings.h"
#include "unitfile/kill_settings.h"

typedef enum SocketListenKind {
        SOCKET_LISTEN_STREAM,
        SOCKET_LISTEN_DATAGRAM,
        SOCKET_LISTEN_SEQUENTIAL_PACKET,
        SOCKET_LISTEN_FIFO,
        SOCKET_LISTEN_SPECIAL,
        SOCKET_LISTEN_MESSAGE_QUEUE,
        SOCKET_LISTEN_NETLINK,
        _SOCKET_LISTEN_MAX,
} SocketListenKind;

typedef struct SocketListen {
        SocketListenKind kind;
        /* owned: input of socket_address_parse(); a path; the name of a queue; "route 1" */
        char *address;
} SocketListen;

typedef VECTOR(SocketListen) SocketListens;

/* The commands of a socket, in the order in which they run. */
typedef enum SocketExec {
        SOCKET_EXEC_START_PRE,
        SOCKET_EXEC_START_POST,
        SOCKET_EXEC_STOP_PRE,
        SOCKET_EXEC_STOP_POST,
        _SOCKET_EXEC_MAX,
} SocketExec;

typedef enum SocketBindIpv6 {
        SOCKET_BIND_IPV6_DEFAULT,       /* the system's setting */
        SOCKET_BIND_IPV6_BOTH,
        SOCKET_BIND_IPV6_ONLY,
        _SOCKET_BIND_IPV6_MAX,
} SocketBindIpv6;

typedef enum SocketTimestamping {
        SOCKET_TIMESTAMPING_OFF,
        SOCKET_TIMESTAMPING_USEC,
        SOCKET_TIMESTAMPING_NSEC,
        _SOCKET_TIMESTAMPING_MAX,
} SocketTimestamping;

typedef struct SocketSettings {
        SocketListens listen;           /* owned */
        ExecCommand *commands[_SOCKET_EXEC_MAX];        /* owned lists */
        char *service;                  /* Service=; NULL: the service of the same name */
        char *fd_name;                  /* NULL: the socket's name */
        char *user, *group;             /* of its files */
        char **symlinks;
        char *bind_to_device;
        char *tcp_congestion;

        uint32_t socket_mode, directory_mode;
        uint32_t backlog;
        uint32_t max_connections, max_connections_per_source;   /* the second: 0 for no limit */
        usec_t timeout;                 /* USEC_INFINITY: none */
        usec_t trigger_limit_interval;  /* USEC_INFINITY: not set; 0: no limit */
        uint32_t trigger_limit_burst;   /* UINT32_MAX: not set */
        usec_t poll_limit_interval;     /* 0: no limit */
        uint32_t poll_limit_burst;

        usec_t keep_alive_time, keep_alive_interval, defer_accept;      /* 0: not set */
        uint32_t keep_alive_probes;     /* 0: not set */
        uint64_t receive_buffer, send_buffer, pipe_size;                /* bytes; 0: not set */
        int32_t queue_max_messages, queue_message_size;                 /* 0: not set */
        int32_t priority, ip_tos, ip_ttl, mark;                         /* -1: not set */
        int32_t protocol;               /* IPPROTO_…; 0: default */
        SocketBindIpv6 bind_ipv6;
        SocketTimestamping timestamping;

        bool accept;
        bool writable;
        bool flush_pending;
        bool remove_on_stop;
        bool keep_alive;
        bool no_delay;
        bool free_bind;
        bool transparent;
        bool broadcast;
        bool reuse_port;
        bool pass_credentials;
        bool pass_security;
        bool pass_packet_info;

        ExecSettings exec;
        KillSettings kill;
        struct ResourceSettings *resources;     /* owned; NULL: not set */
} SocketSettings;

DECLARE_STRING_TABLE(socket_listen_kind, SocketListenKind);     /* "Stream", …: as in Listen… */
DECLARE_STRING_TABLE(socket_exec, SocketExec);                   /* "ExecStartPre", … */
DECLARE_STRING_TABLE(socket_bind_ipv6, SocketBindIpv6);
DECLARE_STRING_TABLE(socket_timestamping, SocketTimestamping);

void socket_settings_init(SocketSettings *settings);             /* sets the defaults */
void socket_settings_deinit(SocketSettings *settings);           /* frees what it owns */

bool socket_listen_is_socket(const SocketListen *listen);
/* Returns true if there can be a descriptor for each connection: not for sockets without connections. */
bool socket_listen_is_accepting(const SocketListen *listen);
/* The path in the file system; NULL if there is none. Valid as long as @listen. */
const char *socket_listen_path(const SocketListen *listen);

/* TriggerLimitIntervalSec= and TriggerLimitBurst=, or their defaults. */
usec_t socket_settings_trigger_interval(const SocketSettings *settings);
uint32_t socket_settings_trigger_burst(const SocketSettings *settings);
