/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A service's timers and limits
 */

#include "types/service_state.h"

int service_set_timer(Unit *unit, UnitPurpose purpose, usec_t deadline);          /* USEC_INFINITY: clears it */
void service_clear_timers(Unit *unit, ServiceState state);      /* those that have no purpose in @state */
void service_extend_limits(Unit *unit, usec_t span);            /* EXTEND_TIMEOUT_USEC= */
void service_poll(Unit *unit, usec_t delay);                    /* sets UNIT_PURPOSE_PIDFILE, which looks again */

int service_set_limit(Unit *unit, usec_t span);                 /* of the present step; USEC_INFINITY: none */
usec_t service_limit(const Unit *unit, ServiceExec kind);
usec_t service_stop_limit(const Unit *unit, ServiceState state);
void service_start_runtime_limit(Unit *unit);
void service_reset_watchdog(Unit *unit);

/* Counts this start, or reload. False: it exceeds the limit, which is noted; a start also causes StartLimitAction=. */
bool service_is_within_start_limit(Unit *unit);
bool service_is_within_reload_limit(Unit *unit);

usec_t service_restart_pause(const Unit *unit);         /* without its random part */
int service_set_restart_timer(Unit *unit);
void service_begin_health(Unit *unit);                  /* RestartResetSec= */
void service_healthy_elapsed(Unit *unit);
