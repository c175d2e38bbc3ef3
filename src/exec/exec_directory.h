/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Directories of a unit
 */

#include "unit/exec_terms.h"

/* Below the base, for dynamic users, whose numbers are reused: only root may enter it. */
#define EXEC_PRIVATE_FOLDER "private"

/* Returns true if the unit's directories of @kind are in the private folder. */
bool exec_directory_is_private(const ExecTerms *terms, ExecDirectoryKind kind);

/*
 * The folder that contains the directories of @kind; *ret_base is the caller's. 0, -ENOMEM, or -ENOENT if the user has
 * no such folder.
 */
int exec_directory_base(ExecDirectoryKind kind, bool is_user, char **ret_base);

/* The list "/run/a:/run/b": 0 or a negative errno; NULL if there are none. */
int exec_directory_list(const ExecTerms *terms, ExecDirectoryKind kind, bool is_user, char **ret_list);

/*
 * Removes the directories of @kind with their contents, and the links to them, as EXEC_REMOVE_SOON. Missing ones are
 * ignored. 0, or the first error.
 */
int exec_directory_remove(const ExecTerms *terms, ExecDirectoryKind kind, bool is_user);

/*
 * Removes @path below @base; with @is_link only if it is a symlink. 0, even if it is missing, or -errno. No symlink is
 * followed on the way.
 */
int exec_directory_remove_below(const char *base, const char *path, bool is_link);

/*
 * Sets whether this is a user manager, for functions that are not told, and removes what an earlier manager left to be
 * removed.
 */
void exec_directory_set_user(bool is_user);
bool exec_directory_is_user(void);

/* Removes the credentials of @terms (NULL: none); the next process of the unit gets them anew. */
void exec_directory_drop_secrets(const ExecTerms *terms, const char *unit);
/*
 * Removes the files of @terms that end with the unit: runtime directories and credentials. @restarts: the unit starts
 * again at once.
 */
void exec_directory_leave(const ExecTerms *terms, const char *unit, bool restarts);
