/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Events of a service: entries of UnitVTable, each of which may take steps
 */

#include "unit/unit.h"

struct ExecResult;

/* service_exit.c */
void service_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const struct ExecResult *result);
void service_child_exited(Unit *unit, const UnitExit *exit);
void service_group_out_of_memory(Unit *unit);

/* service_timeout.c */
void service_timer_elapsed(Unit *unit, UnitPurpose purpose);
void service_group_emptied(Unit *unit);

/* service_notify.c */
void service_notified(Unit *unit, pid_t sender, char *const *assignments);
void service_fd_ready(Unit *unit, uint32_t index, uint32_t events);
void service_name_owned(Unit *unit, bool is_owned, pid_t pid);
