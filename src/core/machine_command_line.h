/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The words of the kernel's command line that are for init
 */

#include <stdbool.h>

#include "basic/log.h"

typedef struct MachineCommandLine {
        char *unit;                     /* owned: started instead of the default unit, or NULL */
        char *wrong_unit;               /* owned: the last one that is no name of a unit, or NULL */
        bool has_log_level;
        LogLevel log_level;
} MachineCommandLine;

/* Of several words for one thing the last one holds. Unknown words are ignored. 0 or -ENOMEM. */
int machine_command_line_parse(MachineCommandLine *ret_line, const char *text);

/* The same for /proc/cmdline. 0, -ENOMEM, or why it can't be read. */
int machine_command_line_read(MachineCommandLine *ret_line);

void machine_command_line_deinit(MachineCommandLine *line);
