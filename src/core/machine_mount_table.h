/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The mounts of this process, as /proc/self/mountinfo lists them
 */

#include <stdbool.h>

#include "basic/vector.h"

typedef struct MachineMount {
        char *path;                     /* owned, unescaped */
        char *type;                     /* owned: "ext4" */
        unsigned long flags;            /* of the mount, MS_NOSUID and the like: a remount must repeat them */
        bool is_read_only;              /* the file system, not only this mount of it */
} MachineMount;

typedef VECTOR(MachineMount) MachineMounts;

/* In the order in which they were made. 0, -ENOMEM, or the errno of reading the file. Malformed lines are left out. */
int machine_mounts_read(MachineMounts *mounts, const char *path /* "/proc/self/mountinfo" */);
void machine_mounts_deinit(MachineMounts *mounts);

/* Is that a type without data to lose: one of the kernel's own, or in memory? */
bool machine_mount_is_kernels(const MachineMount *mount);

/* Is something mounted at this very path? */
bool machine_is_mount_point(const char *path);
