/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of a socket
 *
 * Names, signatures and which ones announce their changes are systemd's, since
 * its clients read them; FailureReason is jobd's own.
 */

#include "basic/macro.h"
#include "types/exec_property.h"
#include "types/exec_terms_property.h"
#include "types/foreign_property.h"
#include "types/group_property.h"
#include "types/kill_property.h"
#include "types/sandbox_property.h"
#include "types/socket_show.h"
#include "types/socket_state.h"
#include "unit/unit_table.h"
#include "unitfile/socket_address.h"

/* One getter: @expression may use socket and settings. */
#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const Socket *socket = socket_of(unit);                          \
                const SocketSettings *settings = socket_settings(unit);          \
                                                                                 \
                (void) socket;                                                   \
                (void) settings;                                                 \
                put(sink, expression);                                           \
        }

GETTER(bind_ipv6, sink_string, socket_bind_ipv6_to_string(settings->bind_ipv6))
GETTER(backlog, sink_u32, settings->backlog)
GETTER(timeout, sink_u64, settings->timeout)
GETTER(bind_to_device, sink_string, settings->bind_to_device)
GETTER(user, sink_string, settings->user)
GETTER(group, sink_string, settings->group)
GETTER(socket_mode, sink_u32, settings->socket_mode)
GETTER(directory_mode, sink_u32, settings->directory_mode)
GETTER(accept, sink_bool, settings->accept)
GETTER(flush_pending, sink_bool, settings->flush_pending)
GETTER(writable, sink_bool, settings->writable)
GETTER(keep_alive, sink_bool, settings->keep_alive)
GETTER(keep_alive_time, sink_u64, settings->keep_alive_time)
GETTER(keep_alive_interval, sink_u64, settings->keep_alive_interval)
GETTER(keep_alive_probes, sink_u32, settings->keep_alive_probes)
GETTER(defer_accept, sink_u64, settings->defer_accept)
GETTER(no_delay, sink_bool, settings->no_delay)
GETTER(priority, sink_i32, settings->priority)
GETTER(receive_buffer, sink_u64, settings->receive_buffer)
GETTER(send_buffer, sink_u64, settings->send_buffer)
GETTER(ip_tos, sink_i32, settings->ip_tos)
GETTER(ip_ttl, sink_i32, settings->ip_ttl)
GETTER(pipe_size, sink_u64, settings->pipe_size)
GETTER(free_bind, sink_bool, settings->free_bind)
GETTER(transparent, sink_bool, settings->transparent)
GETTER(broadcast, sink_bool, settings->broadcast)
GETTER(pass_credentials, sink_bool, settings->pass_credentials)
GETTER(pass_security, sink_bool, settings->pass_security)
GETTER(pass_packet_info, sink_bool, settings->pass_packet_info)
GETTER(timestamping, sink_string, socket_timestamping_to_string(settings->timestamping))
GETTER(remove_on_stop, sink_bool, settings->remove_on_stop)
GETTER(symlinks, sink_strv, settings->symlinks)
GETTER(mark, sink_i32, settings->mark)
GETTER(max_connections, sink_u32, settings->max_connections)
GETTER(max_connections_per_source, sink_u32, settings->max_connections_per_source)
GETTER(queue_max_messages, sink_i64, settings->queue_max_messages)
GETTER(queue_message_size, sink_i64, settings->queue_message_size)
GETTER(tcp_congestion, sink_string, settings->tcp_congestion)
GETTER(reuse_port, sink_bool, settings->reuse_port)
GETTER(protocol, sink_i32, settings->protocol)
GETTER(trigger_interval, sink_u64, socket_settings_trigger_interval(settings))
GETTER(trigger_burst, sink_u32, socket_settings_trigger_burst(settings))
GETTER(poll_interval, sink_u64, settings->poll_limit_interval)
GETTER(poll_burst, sink_u32, settings->poll_limit_burst)
GETTER(fd_name, sink_string, settings->fd_name ?: unit->id)
GETTER(uid, sink_u32, (uint32_t) socket->uid)
GETTER(gid, sink_u32, (uint32_t) socket->gid)
GETTER(control_pid, sink_u32, (uint32_t) socket->control.pid)
GETTER(result, sink_string, socket_result_to_string(socket->result))
GETTER(clean_result, sink_string, socket_result_to_string(socket->clean_result))
GETTER(n_connections, sink_u32, (uint32_t) socket->connections.n)
GETTER(n_accepted, sink_u32, socket->n_accepted)
GETTER(n_refused, sink_u32, socket->n_refused)
GETTER(failure, sink_string, socket->failure)

/* The address in systemd's form. */
static void put_listen(Sink *sink, const SocketListen *listen) {
        char text[SOCKET_ADDRESS_TEXT_MAX];
        SocketAddress address;
        bool is_socket = listen->kind <= SOCKET_LISTEN_SEQUENTIAL_PACKET &&
                         socket_address_parse(listen->address, &address) == 0;

        sink_open(sink, 'r', "ss");
        sink_string(sink, socket_listen_kind_to_string(listen->kind));
        sink_string(sink, is_socket ? socket_address_format(&address, text) : listen->address);
        sink_close(sink);
}

/* The ports while it is open, else the addresses of the settings. */
static void get_listen(const Unit *unit, Sink *sink) {
        const SocketListens *listens = &socket_settings(unit)->listen;
        const Socket *socket = socket_of(unit);

        sink_open(sink, 'a', "(ss)");
        for (size_t i = 0; i < socket->ports.n; i++)
                put_listen(sink, &socket->ports.items[i].listen);
        for (size_t i = 0; i < listens->n && socket->ports.n == 0; i++)
                put_listen(sink, &listens->items[i]);
        sink_close(sink);
}

static void put_commands(const Unit *unit, Sink *sink, SocketExec kind) {
        exec_property_put_commands(socket_command(unit, kind, 0), sink);
}

#define COMMANDS(name, kind)                                             \
        static void get_##name(const Unit *unit, Sink *sink) {           \
                put_commands(unit, sink, kind);                          \
        }

COMMANDS(exec_start_pre, SOCKET_EXEC_START_PRE)
COMMANDS(exec_start_post, SOCKET_EXEC_START_POST)
COMMANDS(exec_stop_pre, SOCKET_EXEC_STOP_PRE)
COMMANDS(exec_stop_post, SOCKET_EXEC_STOP_POST)

#define C UNIT_PROPERTY_CONST
#define E UNIT_PROPERTY_EMITS_CHANGE
#define I UNIT_PROPERTY_INVALIDATES
#define OWN UNIT_PROPERTY_OWN

static const UnitProperty rows[] = {
        { "BindIPv6Only", "s", C, get_bind_ipv6, "Whether an IPv6 address takes IPv4, too: default, both, ipv6-only." },
        { "Backlog", "u", C, get_backlog, "How many connections may wait." },
        { "TimeoutUSec", "t", C, get_timeout, "How long each of its commands may take." },
        { "BindToDevice", "s", C, get_bind_to_device, "The network interface that it is bound to." },
        { "SocketUser", "s", C, get_user, "The owner of its files." },
        { "SocketGroup", "s", C, get_group, "The group of its files." },
        { "SocketMode", "u", C, get_socket_mode, "The access mode of its files." },
        { "DirectoryMode", "u", C, get_directory_mode, "The access mode of folders that it makes." },
        { "Accept", "b", C, get_accept, "Whether each connection has a service of its own." },
        { "FlushPending", "b", C, get_flush_pending, "Whether pending traffic is discarded when its service ends." },
        { "Writable", "b", C, get_writable, "Whether special files are opened for writing, too." },
        { "KeepAlive", "b", C, get_keep_alive, "Whether the kernel probes silent connections." },
        { "KeepAliveTimeUSec", "t", C, get_keep_alive_time, "After how much silence the first probe is sent." },
        { "KeepAliveIntervalUSec", "t", C, get_keep_alive_interval, "The interval between two probes." },
        { "KeepAliveProbes", "u", C, get_keep_alive_probes,
          "After how many probes without an answer a connection counts as lost." },
        { "DeferAcceptUSec", "t", C, get_defer_accept, "How long a connection without data is left to the kernel." },
        { "NoDelay", "b", C, get_no_delay, "Whether small amounts are sent at once, too." },
        { "Priority", "i", C, get_priority, "The priority of what it sends; -1: the usual one." },
        { "ReceiveBuffer", "t", C, get_receive_buffer, "Bytes that may wait to be read; 0: the usual number." },
        { "SendBuffer", "t", C, get_send_buffer, "Bytes that may wait to be sent; 0: the usual number." },
        { "IPTOS", "i", C, get_ip_tos, "The type of service in its packets; -1: the usual one." },
        { "IPTTL", "i", C, get_ip_ttl, "The time to live of its packets; -1: the usual one." },
        { "PipeSize", "t", C, get_pipe_size, "Bytes that a FIFO holds; 0: the usual number." },
        { "FreeBind", "b", C, get_free_bind, "Whether the address need not be one of this machine yet." },
        { "Transparent", "b", C, get_transparent, "Whether it accepts traffic for other addresses." },
        { "Broadcast", "b", C, get_broadcast, "Whether it may send broadcasts." },
        { "PassCredentials", "b", C, get_pass_credentials, "Whether the kernel passes the sender's credentials." },
        { "PassSecurity", "b", C, get_pass_security, "Whether the kernel passes the sender's security context." },
        { "PassPacketInfo", "b", C, get_pass_packet_info,
          "Whether the kernel passes the interface and address of a packet." },
        { "Timestamping", "s", C, get_timestamping, "Whether the kernel passes the time of a packet: off, us, ns." },
        { "RemoveOnStop", "b", C, get_remove_on_stop, "Whether its files are removed when it is stopped." },
        { "Listen", "a(ss)", C, get_listen, "What it listens on: kind and address." },
        { "Symlinks", "as", C, get_symlinks, "Links to its file." },
        { "Mark", "i", C, get_mark, "The firewall mark of its packets; -1: none." },
        { "MaxConnections", "u", C, get_max_connections, "How many connections there may be, with Accept." },
        { "MaxConnectionsPerSource", "u", C, get_max_connections_per_source,
          "How many of them from one address; 0: no limit of its own." },
        { "MessageQueueMaxMessages", "x", C, get_queue_max_messages,
          "How many messages a queue holds; 0: the usual number." },
        { "MessageQueueMessageSize", "x", C, get_queue_message_size,
          "Bytes of the longest message; 0: the usual number." },
        { "TCPCongestion", "s", C, get_tcp_congestion, "How TCP avoids congestion." },
        { "ReusePort", "b", C, get_reuse_port, "Whether others may listen on the same address." },
        { "SocketProtocol", "i", C, get_protocol, "The number of its protocol; 0: the usual one." },
        { "TriggerLimitIntervalUSec", "t", C, get_trigger_interval, "The time in which triggers are counted." },
        { "TriggerLimitBurst", "u", C, get_trigger_burst, "How often it may be triggered in that time." },
        { "PollLimitIntervalUSec", "t", C, get_poll_interval, "The time in which traffic is counted; 0: never." },
        { "PollLimitBurst", "u", C, get_poll_burst,
          "After how much traffic in that time it is not watched for the rest." },
        { "FileDescriptorName", "s", 0, get_fd_name, "What its descriptors are called in LISTEN_FDNAMES." },
        { "ControlPID", "u", E, get_control_pid, "The command that runs, 0 if there is none." },
        { "Result", "s", E, get_result, "Why it ended, or success." },
        { "UID", "u", E, get_uid, "The user its last command ran as, if that was changed; 4294967295 if not." },
        { "GID", "u", E, get_gid, "The group its last command ran as, if that was changed; 4294967295 if not." },
        { "CleanResult", "s", E, get_clean_result, "How its last clean-up ended." },
        { "FailureReason", "s", E | OWN, get_failure, "A sentence on why Result is what it is." },
        { "NConnections", "u", 0, get_n_connections, "The number of connections now." },
        { "NAccepted", "u", 0, get_n_accepted, "The number of connections so far." },
        { "NRefused", "u", 0, get_n_refused, "The number of connections that were refused." },
        { "ExecStartPre", "a(sasbttttuii)", I, get_exec_start_pre, "Commands before it listens." },
        { "ExecStartPost", "a(sasbttttuii)", I, get_exec_start_post, "Commands after it has begun to listen." },
        { "ExecStopPre", "a(sasbttttuii)", I, get_exec_stop_pre, "Commands before it is closed." },
        { "ExecStopPost", "a(sasbttttuii)", I, get_exec_stop_post, "Commands after it was closed." },
};

static const UnitPropertyTable socket_table = { rows, ELEMENTSOF(rows), true, UNIT_SOCKET };

const UnitPropertyTable *const socket_properties[] = {
        &socket_table, &group_properties, &exec_properties, &exec_terms_properties, &sandbox_properties,
        &kill_properties, &foreign_group_properties, &foreign_exec_properties,
        &foreign_socket_properties, NULL,
};
