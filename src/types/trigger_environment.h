/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What processes of a unit are told of the one that has triggered it
 */

#include "unit/unit.h"

/*
 * Adds TRIGGER_UNIT= and what comes with it (TRIGGER_PATH=, TRIGGER_TIMER_REALTIME_USEC=, …), as systemd.exec(5) has it, if
 * a timer or path unit has triggered @unit and waits for it. Of several it is the first. 0 or -ENOMEM.
 */
int trigger_environment_add(const Unit *unit, char ***environment);
