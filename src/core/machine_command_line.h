/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the kernel's command line says to the init
 */

#include <stdbool.h>

#include "basic/log.h"

typedef struct MachineCommandLine {
        char *unit;                     /* owned: to start instead of the default unit, or NULL */
        char *wrong_unit;               /* owned: the last one that was named and can't be the name of a unit, or NULL */
        bool has_log_level;
        LogLevel log_level;
} MachineCommandLine;

/* Of several words that say the same the last one holds. Unknown ones are others' business. 0 or -ENOMEM. */
int machine_command_line_parse(MachineCommandLine *ret_line, const char *text);

/* The same for /proc/cmdline. 0, -ENOMEM, or why it can't be read. */
int machine_command_line_read(MachineCommandLine *ret_line);

void machine_command_line_deinit(MachineCommandLine *line);
