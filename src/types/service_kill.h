/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Signals to a service
 */

#include "types/service_state.h"

/* the signals of @state, by KillMode=: how many processes there are to wait for */
int service_signal_all(Unit *unit, ServiceState state);
int service_stop_signal(const Unit *unit, ServiceState state);
int service_count_rest(Unit *unit);                             /* number of processes besides main and control */
void service_kill_control(Unit *unit);                          /* by SIGKILL */
int service_kill(Unit *unit, const char *who, int signal, Failure *ret_failure);       /* as UnitVTable.kill */
