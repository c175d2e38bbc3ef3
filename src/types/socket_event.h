/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Events of a socket: entries of UnitVTable, each of which may take steps
 */

#include "unit/unit.h"

struct ExecResult;

/* socket_event.c */
void socket_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const struct ExecResult *result);
void socket_child_exited(Unit *unit, const UnitExit *exit);
void socket_timer_elapsed(Unit *unit, UnitPurpose purpose);
void socket_group_emptied(Unit *unit);

/* socket_traffic.c */
void socket_fd_ready(Unit *unit, uint32_t index, uint32_t events);
void socket_triggered_changed(Unit *unit, Unit *triggered);
void socket_trigger_refused(Unit *unit, Unit *triggered, const Failure *failure);
