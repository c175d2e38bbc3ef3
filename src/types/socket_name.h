/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The names of a connection
 */

#include <stdint.h>

int socket_name_instance(uint32_t number, int fd, char **ret_instance);         /* "N-local:port-remote:port" */
int socket_name_source(int fd, char **ret_source);      /* the peer's address; NULL: its family has none */
int socket_name_peer(int fd, char **ret_address, char **ret_port);      /* both NULL for the same reason */
