/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Folders of unit files: their kinds, and links in them
 *
 * With another root folder no path leads out of it, whatever symlinks it
 * contains.
 */

#include <dirent.h>
#include <stdbool.h>

/* The writer of a folder of the search path. */
typedef enum FolderKind {
        FOLDER_CONFIG,                  /* the administrator, or the user */
        FOLDER_RUNTIME,                 /* the same, until the next boot */
        FOLDER_CONTROL,                 /* the manager, for settings that clients change */
        FOLDER_CONTROL_RUNTIME,         /* the same, until the next boot */
        FOLDER_GENERATED,               /* a program, at each boot */
        FOLDER_TRANSIENT,               /* the manager, for clients' units: transient_file.h */
        FOLDER_PACKAGE,
} FolderKind;

/* The name of the folder for units made by clients. */
#define TRANSIENT_FOLDER "transient"

/* Returns true if the file at @path (NULL: none) is in such a folder. */
bool folder_has_transient(const char *path);

/* @runtime: the user's runtime folder; NULL: $XDG_RUNTIME_DIR. @folder is without the root folder. */
FolderKind folder_kind(const char *folder, const char *runtime);

/*
 * The folder of @search_path into which files of that kind are written: the first absolute one; with @into_systemd
 * systemd's rather than jobd's own if both are on the path. NULL: there is none.
 */
const char *folder_choose(char *const *search_path, FolderKind kind, const char *runtime, bool into_systemd);

/*
 * Opens a folder below @root ("": the usual one), with @create making it and its parents if missing. 0 with a
 * descriptor, or -ENOENT and the like.
 */
int folder_open(const char *root, const char *folder, bool create, int *ret_fd);

/* Opens a folder for readdir(): 0 with a stream to be closed, or NULL if there is no readable folder; or -ENOMEM. */
int folder_list(const char *root, const char *folder, DIR **ret_dir);

/* Creates or replaces a link atomically. */
int folder_make_link(int folder, const char *name, const char *target);

/* Reads a link's target: 0 with an owned string, -EINVAL if it is no link, -ENOENT, … */
int folder_read_link(int folder, const char *name, char **ret_target);
