/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The descriptors that a socket listens on
 */

#include "types/socket_state.h"

int socket_open_ports(Unit *unit);                      /* 0, or -errno and the reason is noted */
void socket_close_ports(Unit *unit);
int socket_watch_ports(Unit *unit);
void socket_unwatch_ports(Unit *unit);
void socket_pause(Unit *unit, usec_t span);             /* not watched for so long: UNIT_PURPOSE_RESTART elapses then */
void socket_flush_ports(Unit *unit);
int socket_resume_ports(Unit *unit);

/* socket_open.c */
int socket_open_port(Unit *unit, SocketPort *port);     /* 0, or -errno and the reason is noted */
void socket_make_links(Unit *unit);
void socket_remove_files(Unit *unit);                   /* RemoveOnStop= */

/* socket_option.c */
void socket_apply_options(Unit *unit, const SocketPort *port);
void socket_apply_connection_options(Unit *unit, int fd);
