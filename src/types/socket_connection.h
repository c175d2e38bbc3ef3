/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The connections of a socket with Accept=yes, each with an instance of its service
 */

#include "types/socket_state.h"

/* False, which is noted, if the socket was triggered too often (TriggerLimitBurst=). Counts this trigger. */
bool socket_is_within_trigger_limit(Unit *unit);

/* Takes what waits on @port. Anything but SOCKET_RESULT_SUCCESS is why the socket has to stop; the reason is noted. */
SocketResult socket_accept(Unit *unit, const SocketPort *port);
SocketResult socket_resume_connections(Unit *unit);     /* the same of those that were accepted, but not written down */

SocketConnection *socket_find_connection(const Unit *unit, const Unit *service);
int socket_relate_instance(Unit *unit, Unit *service);
void socket_close_connection(Unit *unit, SocketConnection *connection);         /* here; it still counts */
void socket_end_connection(Unit *unit, SocketConnection *connection);
