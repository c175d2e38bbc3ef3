/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Environment variables about the unit that has triggered another
 */

#include "unit/unit.h"

/*
 * Adds TRIGGER_UNIT= and the variables that go with it (TRIGGER_PATH=, TRIGGER_TIMER_REALTIME_USEC=, …), as in
 * systemd.exec(5), if a timer or path unit has triggered @unit and waits for it. The first of several counts. 0 or
 * -ENOMEM.
 */
int trigger_environment_add(const Unit *unit, char ***environment);
