/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Socket]
 *
 * Directives about the allowed clients, and about how the kernel treats the
 * socket, are strict; directives that only tune its speed are not.
 */

#include "basic/macro.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_exec.h"
#include "unitfile/directive_socket.h"
#include "unitfile/directive_value.h"

#define COMMAND(name_, exec_) DIRECTIVE_SOCKET(name_, directive_parse_command, commands[exec_], .is_strict = true)
#define LISTEN(name_, kind_)                                                                             \
        DIRECTIVE_OTHER(name_, socket_parse_listen, DIRECTIVE_IN_TYPE, .own_size = sizeof(SocketSettings), \
                        .argument = SOCKET_LISTEN_##kind_, .is_strict = true)
#define NO_LISTEN(name_)                                                                                 \
        DIRECTIVE_OTHER(name_, socket_parse_unsupported_listen, DIRECTIVE_IN_TYPE,                       \
                        .own_size = sizeof(SocketSettings), .status = DIRECTIVE_REFUSED, .is_strict = true, \
                        .reason = "no program would listen there")

const Directive socket_directives[] = {
        DIRECTIVE_SOCKET("Accept", directive_parse_bool, accept, .is_strict = true),
        DIRECTIVE_REFUSE("AcceptFileDescriptors", "other programs could send descriptors to the unit"),
        DIRECTIVE_SOCKET("Backlog", directive_parse_u32, backlog),
        DIRECTIVE_SOCKET("BindIPv6Only", socket_parse_bind_ipv6, bind_ipv6, .is_strict = true),
        DIRECTIVE_SOCKET("BindToDevice", socket_parse_interface, bind_to_device, .is_strict = true),
        DIRECTIVE_SOCKET("Broadcast", directive_parse_bool, broadcast),
        DIRECTIVE_SOCKET("DeferAcceptSec", directive_parse_seconds, defer_accept),
        DIRECTIVE_IGNORE("DeferTrigger", "the service is started at once"),
        DIRECTIVE_IGNORE("DeferTriggerMaxSec", "the service is started at once"),
        DIRECTIVE_SOCKET("DirectoryMode", socket_parse_mode, directory_mode, .is_strict = true),
        COMMAND("ExecStartPost", SOCKET_EXEC_START_POST),
        COMMAND("ExecStartPre", SOCKET_EXEC_START_PRE),
        COMMAND("ExecStopPost", SOCKET_EXEC_STOP_POST),
        COMMAND("ExecStopPre", SOCKET_EXEC_STOP_PRE),
        DIRECTIVE_SOCKET("FileDescriptorName", socket_parse_fd_name, fd_name, .is_strict = true),
        DIRECTIVE_SOCKET("FlushPending", directive_parse_bool, flush_pending),
        DIRECTIVE_SOCKET("FreeBind", directive_parse_bool, free_bind),
        DIRECTIVE_SOCKET("IPTOS", socket_parse_tos, ip_tos),
        DIRECTIVE_SOCKET("IPTTL", socket_parse_number, ip_ttl, .argument = 255),
        DIRECTIVE_SOCKET("KeepAlive", directive_parse_bool, keep_alive),
        DIRECTIVE_SOCKET("KeepAliveIntervalSec", directive_parse_seconds, keep_alive_interval),
        DIRECTIVE_SOCKET("KeepAliveProbes", directive_parse_u32, keep_alive_probes),
        DIRECTIVE_SOCKET("KeepAliveTimeSec", directive_parse_seconds, keep_alive_time),
        LISTEN("ListenDatagram", DATAGRAM),
        LISTEN("ListenFIFO", FIFO),
        LISTEN("ListenMessageQueue", MESSAGE_QUEUE),
        LISTEN("ListenNetlink", NETLINK),
        LISTEN("ListenSequentialPacket", SEQUENTIAL_PACKET),
        LISTEN("ListenSpecial", SPECIAL),
        LISTEN("ListenStream", STREAM),
        NO_LISTEN("ListenUSBFunction"),
        DIRECTIVE_SOCKET("Mark", socket_parse_number, mark, .argument = INT32_MAX, .is_strict = true),
        DIRECTIVE_SOCKET("MaxConnections", directive_parse_u32, max_connections, .is_strict = true),
        DIRECTIVE_SOCKET("MaxConnectionsPerSource", directive_parse_u32, max_connections_per_source, .is_strict = true),
        DIRECTIVE_SOCKET("MessageQueueMaxMessages", socket_parse_number, queue_max_messages, .argument = INT32_MAX),
        DIRECTIVE_SOCKET("MessageQueueMessageSize", socket_parse_number, queue_message_size, .argument = INT32_MAX),
        DIRECTIVE_SOCKET("NoDelay", directive_parse_bool, no_delay),
        DIRECTIVE_SOCKET("PassCredentials", directive_parse_bool, pass_credentials, .is_strict = true),
        DIRECTIVE_IGNORE("PassFileDescriptorsToExec", "its commands get no descriptors"),
        DIRECTIVE_IGNORE("PassPIDFD", "a program that wants one can ask for it itself"),
        DIRECTIVE_SOCKET("PassPacketInfo", directive_parse_bool, pass_packet_info),
        DIRECTIVE_SOCKET("PassSecurity", directive_parse_bool, pass_security, .is_strict = true),
        DIRECTIVE_SOCKET("PipeSize", socket_parse_bytes, pipe_size),
        DIRECTIVE_SOCKET("PollLimitBurst", directive_parse_u32, poll_limit_burst),
        DIRECTIVE_SOCKET("PollLimitIntervalSec", directive_parse_seconds, poll_limit_interval),
        DIRECTIVE_SOCKET("Priority", socket_parse_number, priority, .argument = INT32_MAX),
        DIRECTIVE_SOCKET("ReceiveBuffer", socket_parse_bytes, receive_buffer),
        DIRECTIVE_SOCKET("RemoveOnStop", directive_parse_bool, remove_on_stop),
        DIRECTIVE_SOCKET("ReusePort", directive_parse_bool, reuse_port),
        DIRECTIVE_IGNORE("SELinuxContextFromNet", "there is no SELinux"),
        DIRECTIVE_SOCKET("SendBuffer", socket_parse_bytes, send_buffer),
        DIRECTIVE_SOCKET("Service", socket_parse_service, service, .is_strict = true),
        DIRECTIVE_IGNORE("SmackLabel", "there is no SMACK"),
        DIRECTIVE_IGNORE("SmackLabelIPIn", "there is no SMACK"),
        DIRECTIVE_IGNORE("SmackLabelIPOut", "there is no SMACK"),
        DIRECTIVE_SOCKET("SocketGroup", exec_parse_account, group, .is_strict = true),
        DIRECTIVE_SOCKET("SocketMode", socket_parse_mode, socket_mode, .is_strict = true),
        DIRECTIVE_SOCKET("SocketProtocol", socket_parse_protocol, protocol, .is_strict = true),
        DIRECTIVE_SOCKET("SocketUser", exec_parse_account, user, .is_strict = true),
        DIRECTIVE_SOCKET("Symlinks", directive_parse_paths, symlinks, .is_strict = true),
        DIRECTIVE_SOCKET("TCPCongestion", directive_parse_string, tcp_congestion),
        DIRECTIVE_TIMEOUT_CLEAN,
        DIRECTIVE_SOCKET("TimeoutSec", directive_parse_time_limit, timeout, .is_strict = true),
        DIRECTIVE_SOCKET("Timestamping", socket_parse_timestamping, timestamping),
        DIRECTIVE_SOCKET("Transparent", directive_parse_bool, transparent),
        DIRECTIVE_SOCKET("TriggerLimitBurst", directive_parse_u32, trigger_limit_burst),
        DIRECTIVE_SOCKET("TriggerLimitIntervalSec", directive_parse_seconds, trigger_limit_interval),
        DIRECTIVE_SOCKET("Writable", directive_parse_bool, writable, .is_strict = true),
};

const size_t socket_directives_n = ELEMENTSOF(socket_directives);
