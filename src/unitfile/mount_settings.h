/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Mount] section as data
 *
 * unitfile reads it, types acts on it. The settings for running and killing
 * mount(8) and umount(8) are in exec_settings.h and kill_settings.h.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/usec.h"
#include "unitfile/exec_settings.h"
#include "unitfile/kill_settings.h"

typedef struct MountSettings {
        char *what;                     /* NULL: an existing mount without a file */
        char *where;                    /* absolute and simplified; not NULL after the check */
        char *type;                     /* NULL: mount(8) detects it */
        char *options;
        usec_t timeout;                 /* USEC_INFINITY: none */
        uint32_t directory_mode;
        bool sloppy_options;
        bool lazy_unmount;
        bool read_write_only;
        bool force_unmount;

        ExecSettings exec;
        KillSettings kill;
        struct ResourceSettings *resources;     /* owned; NULL: not set */
} MountSettings;

void mount_settings_init(MountSettings *settings);       /* sets the defaults */
void mount_settings_deinit(MountSettings *settings);     /* frees what it owns */
