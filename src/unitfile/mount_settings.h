/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Mount] section as data
 *
 * unitfile reads it, types acts by it. How mount(8) and umount(8) are run
 * and ended is in exec_settings.h and kill_settings.h.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/usec.h"
#include "unitfile/exec_settings.h"
#include "unitfile/kill_settings.h"

typedef struct MountSettings {
        char *what;                     /* NULL: no file says it, the mount was found */
        char *where;                    /* simple and absolute; never NULL once it was checked */
        char *type;                     /* NULL: mount(8) finds out */
        char *options;
        usec_t timeout;                 /* USEC_INFINITY: none */
        uint32_t directory_mode;
        bool sloppy_options;
        bool lazy_unmount;
        bool read_write_only;
        bool force_unmount;

        ExecSettings exec;
        KillSettings kill;
        struct ResourceSettings *resources;     /* owned; NULL: nothing is said */
} MountSettings;

void mount_settings_init(MountSettings *settings);       /* the defaults */
void mount_settings_deinit(MountSettings *settings);     /* what it owns */
