/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The end of a machine, after its units and processes
 */

#include "unit/unit_settings.h"

/* What reboot(2) is told for an action: a LINUX_REBOOT_CMD_… number. An exit of a machine's init is a power-off. */
unsigned machine_reboot_command(UnitAction action);

/* Calls it, and what comes next to it if the kernel can't. Returns only if nothing of that was possible: a negative errno. */
int machine_reboot(UnitAction action);

/* Ends what still runs, unmounts, syncs, and reboots: how much of that, the action says. Never returns. */
_Noreturn void machine_end(UnitAction action);
