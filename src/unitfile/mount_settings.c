/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The [Mount] section as data
 *
 * The defaults are systemd's.
 */

#include <stdlib.h>

#include "unitfile/mount_settings.h"
#include "unitfile/resource_settings.h"

void mount_settings_init(MountSettings *settings) {
        *settings = (MountSettings) {
                .timeout = 90 * USEC_PER_SEC,
                .directory_mode = 0755,
        };
        exec_settings_init(&settings->exec);
        kill_settings_init(&settings->kill);
}

void mount_settings_deinit(MountSettings *settings) {
        free(settings->what);
        free(settings->where);
        free(settings->type);
        free(settings->options);
        exec_settings_deinit(&settings->exec);
        resource_settings_free(settings->resources);
}
