/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The table of mounts: /proc/self/mountinfo at one moment
 */

#include <stdbool.h>
#include <stddef.h>

#include "basic/macro.h"

/* Borrowed from the table; no string is NULL. */
typedef struct MountEntry {
        const char *where;
        const char *what;
        const char *type;
        const char *options;
} MountEntry;

typedef struct MountTable MountTable;

/* @path: NULL for the real file. 0, -ENOMEM, -EOPNOTSUPP without libmount, or -EIO. */
int mount_table_read(const char *path, MountTable **ret_table);
MountTable *mount_table_free(MountTable *table);
DEFINE_CLEANUP(MountTable, mount_table_free)

/* Sorted by path; of several mounts at one path only the topmost, the visible one. @table may be NULL. */
const MountEntry *mount_table_entries(const MountTable *table, size_t *ret_n);
const MountEntry *mount_table_find(const MountTable *table, const char *where);

bool mount_entry_equal(const MountEntry *a, const MountEntry *b);
