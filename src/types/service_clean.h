/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Removing the directories of a service
 */

#include "types/service_state.h"

unsigned service_can_clean(const Unit *unit);                                   /* as UnitVTable.can_clean */
int service_clean(Unit *unit, unsigned kinds, Failure *ret_failure);            /* as UnitVTable.clean */
void service_clean_spawned(Unit *unit, UnitSpawn spawn, const ExecResult *result);
void service_clean_ended(Unit *unit, const UnitExit *exit);
void service_stop_cleaning(Unit *unit, ServiceResult result);
void service_clean_timed_out(Unit *unit);
