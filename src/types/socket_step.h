/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A socket from state to state
 */

#include "types/socket_state.h"

void socket_set_state(Unit *unit, SocketState state);

void socket_enter_start_pre(Unit *unit);
void socket_enter_listening(Unit *unit);
void socket_enter_stop_pre(Unit *unit, SocketResult result);
void socket_enter_signal(Unit *unit, SocketState state, SocketResult result);
void socket_enter_dead(Unit *unit, SocketResult result);
void socket_go_on(Unit *unit, SocketResult result);     /* the commands of this state have been run */
void socket_time_out(Unit *unit);                       /* the limit of this state has elapsed */
void socket_look_for_rest(Unit *unit);                  /* goes on if no process is left */
