/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The result of a service, and its consequences
 */

#include "types/service_state.h"

ServiceResult service_result_of_exit(const Unit *unit, const UnitExit *exit);
bool service_shall_restart(const Unit *unit);
int service_exit_status(const Unit *unit);                      /* as UnitVTable.exit_status */

/* Requests FailureAction= or SuccessAction=, on the way into failed or inactive, also if a restart will follow. */
void service_request_final_action(Unit *unit, ServiceState old);
