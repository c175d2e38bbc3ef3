/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A service from state to state
 */

#include "types/service_state.h"

UnitAnswer service_begin(Unit *unit);           /* a start, from an inactive state */
void service_reset(Service *service);           /* for another start */
void service_set_state(Unit *unit, ServiceState state);

void service_enter_start_pre(Unit *unit);
void service_enter_start(Unit *unit);
void service_run_main(Unit *unit);
void service_enter_start_post(Unit *unit);
void service_enter_running(Unit *unit, ServiceResult result);
void service_enter_reload(Unit *unit);
void service_enter_reload_by_notice(Unit *unit);
void service_enter_stop_by_notice(Unit *unit);
void service_enter_stop(Unit *unit, ServiceResult result);
void service_enter_stop_post(Unit *unit, ServiceResult result);
void service_enter_signal(Unit *unit, ServiceState state, ServiceResult result);
void service_enter_dead(Unit *unit, ServiceResult result, bool may_restart);
void service_give_up_restart(Unit *unit);               /* stopped while it waits for one */
void service_take_probe(Unit *unit, ServiceProbeOutcome outcome);

int service_found(Unit *unit, uid_t owner);             /* service_found.c: as UnitVTable.found */
