/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Kill settings as data: shared by [Service], [Socket], [Mount] and [Scope]
 */

#include <stdbool.h>

#include "basic/string_table.h"

typedef enum KillMode {
        KILL_MODE_CONTROL_GROUP,
        KILL_MODE_MIXED,
        KILL_MODE_PROCESS,
        KILL_MODE_NONE,
        _KILL_MODE_MAX,
} KillMode;

typedef struct KillSettings {
        KillMode mode;
        int signal;
        int restart_signal;             /* 0: same as .signal */
        int final_signal;
        int watchdog_signal;
        bool send_sigkill;
        bool send_sighup;
} KillSettings;

DECLARE_STRING_TABLE(kill_mode, KillMode);

void kill_settings_init(KillSettings *settings);         /* sets the defaults; owns nothing */
