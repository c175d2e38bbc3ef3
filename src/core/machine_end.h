/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The end of a machine, after its units and processes
 */

#include "unit/unit_settings.h"

/* The argument of reboot(2) for an action: a LINUX_REBOOT_CMD_… number. The exit of a machine's init is a power-off. */
unsigned machine_reboot_command(UnitAction action);

/*
 * Calls reboot(2), with the next best command if the kernel refuses. Returns only if all are refused: a negative errno.
 */
int machine_reboot(UnitAction action);

/* Ends all processes, unmounts, syncs, and reboots, as far as the action asks for it. Never returns. */
_Noreturn void machine_end(UnitAction action);
