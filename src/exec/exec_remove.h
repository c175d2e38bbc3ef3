/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Removal of trees that units have filled
 *
 * A unit's folder may contain any number of entries at any depth. No symlink
 * is followed below the starting point, and no mount is entered: a mounted
 * file system stays, with the folders above it.
 */

typedef enum ExecRemoveHow {
        EXEC_REMOVE_ALL,                /* whatever the duration */
        /* The contents leave their place at once, except for mounts; a child process removes large trees. */
        EXEC_REMOVE_SOON,
        EXEC_REMOVE_LINK,               /* only if it is a symlink */
} ExecRemoveHow;

/* Removes @path below the open folder @base: 0, even if it is missing, or -errno. */
int exec_remove_below(int base, const char *path, ExecRemoveHow how);

/* Removes everything at @path: 0, even if it is missing, or -errno. */
int exec_remove_tree(const char *path);

/* Starts a process that removes the trees that this or an earlier manager has moved aside below @base. */
void exec_remove_leftovers(const char *base);
