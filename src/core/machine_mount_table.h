/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The mounts that we see, as /proc/self/mountinfo lists them
 */

#include <stdbool.h>

#include "basic/vector.h"

typedef struct MachineMount {
        char *path;                     /* owned, unescaped */
        char *type;                     /* owned: "ext4" */
        unsigned long flags;            /* MS_NOSUID and the like: those of the mount, which a remount must name again */
        bool is_read_only;              /* the file system, not only this mount of it */
} MachineMount;

typedef VECTOR(MachineMount) MachineMounts;

/* In the order in which they were made. 0, -ENOMEM, or why the file can't be read. Lines that make no sense are left out. */
int machine_mounts_read(MachineMounts *mounts, const char *path /* "/proc/self/mountinfo" */);
void machine_mounts_deinit(MachineMounts *mounts);

/* Kinds whose file systems have nothing to lose: the kernel's own, and those in memory. */
bool machine_mount_is_kernels(const MachineMount *mount);

/* Is something mounted at this very path? */
bool machine_is_mount_point(const char *path);
