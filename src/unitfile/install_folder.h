/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Folders of unit files: their kinds, and links in them
 *
 * With another root folder no path leads out of it, whatever links lie there.
 */

#include <dirent.h>
#include <stdbool.h>

/* The writers of a folder of the search path. */
typedef enum FolderKind {
        FOLDER_CONFIG,                  /* the administrator, or the user */
        FOLDER_RUNTIME,                 /* the same, until the next boot */
        FOLDER_GENERATED,               /* a program, at each boot */
        FOLDER_TRANSIENT,               /* the manager, for units that a client has made: transient_file.h */
        FOLDER_PACKAGE,
} FolderKind;

/* The name of the folder for units made by clients, whatever it lies in. */
#define TRANSIENT_FOLDER "transient"

/* Does the file at @path (NULL: none) lie in such a folder? */
bool folder_has_transient(const char *path);

/* @runtime: the user's runtime folder; NULL: $XDG_RUNTIME_DIR. @folder is without the root folder. */
FolderKind folder_kind(const char *folder, const char *runtime);

/*
 * Opens a folder below @root ("": the usual one), making it and those above it if @create. 0 with a descriptor, or
 * -ENOENT and the like.
 */
int folder_open(const char *root, const char *folder, bool create, int *ret_fd);

/* Opens it for readdir(): 0 with what is to be closed, or NULL where there is no folder that can be read; -ENOMEM. */
int folder_list(const char *root, const char *folder, DIR **ret_dir);

/* Makes a link, in the place of another or of nothing, atomically. */
int folder_make_link(int folder, const char *name, const char *target);

/* Where the link leads: 0 with an owned string, -EINVAL if it is none, -ENOENT, … */
int folder_read_link(int folder, const char *name, char **ret_target);
