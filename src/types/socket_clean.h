/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Removing the directories of a socket
 */

#include "types/socket_state.h"

unsigned socket_can_clean(const Unit *unit);                                    /* as UnitVTable.can_clean */
int socket_clean(Unit *unit, unsigned kinds, Failure *ret_failure);             /* as UnitVTable.clean */
void socket_clean_spawned(Unit *unit, UnitSpawn spawn, const ExecResult *result);
void socket_clean_ended(Unit *unit, const UnitExit *exit);
void socket_stop_cleaning(Unit *unit, SocketResult result);
void socket_clean_timed_out(Unit *unit);
