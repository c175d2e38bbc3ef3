/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Directories of a unit
 */

#include "unit/exec_terms.h"

/* Below the base, for users whose number is another one's some day: only root may enter it. */
#define EXEC_PRIVATE_FOLDER "private"

/* Are its directories in there? */
bool exec_directory_is_private(const ExecTerms *terms, ExecDirectoryKind kind);

/* Where those of a kind are; *ret_base is the caller's. 0, -ENOMEM, or -ENOENT if the user has no such place. */
int exec_directory_base(ExecDirectoryKind kind, bool is_user, char **ret_base);

/* "/run/a:/run/b": 0 or a negative errno; NULL if there are none. */
int exec_directory_list(const ExecTerms *terms, ExecDirectoryKind kind, bool is_user, char **ret_list);

/*
 * Removes those of a kind with all that is in them, and the links to them, as EXEC_REMOVE_SOON; what is not there is
 * none. 0, or the first error.
 */
int exec_directory_remove(const ExecTerms *terms, ExecDirectoryKind kind, bool is_user);

/*
 * Removes what is at @path below @base; with @is_link only if that is a symlink. 0, also if it is not there, or -errno.
 * No symlink is followed on the way.
 */
int exec_directory_remove_below(const char *base, const char *path, bool is_link);

/*
 * Says whether we are a user's manager, for functions that do not know. What a manager before us has not come to remove
 * goes now.
 */
void exec_directory_set_user(bool is_user);
bool exec_directory_is_user(void);

/* Credentials of @terms (NULL: none): the next process of the unit gets them anew. */
void exec_directory_drop_secrets(const ExecTerms *terms, const char *unit);
/*
 * Removes what of @terms is to go when the unit has ended: runtime directories, and credentials. @restarts: the unit
 * begins again at once.
 */
void exec_directory_leave(const ExecTerms *terms, const char *unit, bool restarts);
