/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The connections of a socket with Accept=yes, each with an instance of its service
 */

#include "types/socket_state.h"

/* Counts this trigger. False, and the failure is noted, if there were too many (TriggerLimitBurst=). */
bool socket_is_within_trigger_limit(Unit *unit);

/*
 * Accepts pending connections of @port. Any result but SOCKET_RESULT_SUCCESS is why the socket has to stop; the failure
 * is noted.
 */
SocketResult socket_accept(Unit *unit, const SocketPort *port);
/* the same of connections that were accepted, but not recorded */
SocketResult socket_resume_connections(Unit *unit);

SocketConnection *socket_find_connection(const Unit *unit, const Unit *service);
int socket_relate_instance(Unit *unit, Unit *service);
void socket_close_connection(Unit *unit, SocketConnection *connection);         /* closes it here; it still counts */
void socket_end_connection(Unit *unit, SocketConnection *connection);
