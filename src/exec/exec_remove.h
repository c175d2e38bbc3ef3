/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Removing what others have filled
 *
 * A folder of a unit may hold as much, and as deep, as the unit liked. No
 * symlink is followed below where it begins, and no mount is entered: what is
 * mounted in there is not the unit's, and stays, with the folders above it.
 */

typedef enum ExecRemoveHow {
        EXEC_REMOVE_ALL,                /* however long it takes */
        /* The contents leave their place at once, but for mounts; a child process removes what takes long. */
        EXEC_REMOVE_SOON,
        EXEC_REMOVE_LINK,               /* only if it is a symlink */
} ExecRemoveHow;

/* What is at @path below the open folder @base: 0, also if it is not there, or -errno. */
int exec_remove_below(int base, const char *path, ExecRemoveHow how);

/* All of what is at @path: 0, also if it is not there, or -errno. */
int exec_remove_tree(const char *path);

/* Has a process of ours go on with what we, or a manager before us, were to remove soon from below @base. */
void exec_remove_leftovers(const char *base);
