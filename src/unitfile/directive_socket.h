/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * [Socket]: parsers of values that only sockets have
 */

#include "unitfile/directive.h"
#include "unitfile/socket_settings.h"

#define DIRECTIVE_SOCKET(name_, parse_, field_, ...)                                                     \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE,                                     \
          .offset = offsetof(SocketSettings, field_), .own_size = sizeof(SocketSettings), __VA_ARGS__ }

int socket_parse_listen(const DirectiveLine *line, const char *value);          /* argument: SocketListenKind */
int socket_parse_unsupported_listen(const DirectiveLine *line, const char *value);
int socket_parse_mode(const DirectiveLine *line, const char *value);
int socket_parse_bytes(const DirectiveLine *line, const char *value);           /* 1024-based suffixes */
int socket_parse_tos(const DirectiveLine *line, const char *value);
/* argument: the maximum; the minimum is 0 */
int socket_parse_number(const DirectiveLine *line, const char *value);
int socket_parse_protocol(const DirectiveLine *line, const char *value);
int socket_parse_timestamping(const DirectiveLine *line, const char *value);
int socket_parse_bind_ipv6(const DirectiveLine *line, const char *value);
int socket_parse_service(const DirectiveLine *line, const char *value);
int socket_parse_fd_name(const DirectiveLine *line, const char *value);
/* Sockets= of a service: the sockets whose descriptors it gets. */
int socket_parse_sockets(const DirectiveLine *line, const char *value);
int socket_parse_interface(const DirectiveLine *line, const char *value);
