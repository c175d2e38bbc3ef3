/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kill settings as data
 *
 * The defaults are systemd's.
 */

#include <signal.h>

#include "unitfile/kill_settings.h"

static const char *const kill_modes[_KILL_MODE_MAX] = {
        [KILL_MODE_CONTROL_GROUP] = "control-group",
        [KILL_MODE_MIXED] = "mixed",
        [KILL_MODE_PROCESS] = "process",
        [KILL_MODE_NONE] = "none",
};

DEFINE_STRING_TABLE(kill_mode, KillMode, kill_modes)

void kill_settings_init(KillSettings *settings) {
        *settings = (KillSettings) {
                .signal = SIGTERM,
                .final_signal = SIGKILL,
                .watchdog_signal = SIGABRT,
                .send_sigkill = true,
        };
}
