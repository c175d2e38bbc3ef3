/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The folder of the sockets, which one jobd has alone
 */

#include <stdbool.h>

#include "basic/failure.h"

/*
 * Makes the folder (and those above it) if it is missing, and locks it for as long as *ret_fd is open. *ret_path is its
 * absolute name. -EBUSY if another jobd has it; errors always with @ret_failure. @kept (-1: none; borrowed): a folder
 * that is locked already; if it is this one, its lock is used.
 */
int runtime_directory_open(const char *path, int kept, int *ret_fd, char **ret_path, Failure *ret_failure);

/*
 * The same for the first usable one of /run/jobd (unless @is_user), $XDG_RUNTIME_DIR/jobd (without this variable:
 * /run/user/UID/jobd, if the user has such a folder) and /tmp/jobd-UID, or for @kept if that is one of these; logs why
 * those before it are not used. One that another jobd has is passed over if @may_be_second, and an error otherwise.
 * @ret_failure is not NULL.
 */
int runtime_directory_find(bool is_user, bool may_be_second, int kept, int *ret_fd, char **ret_path,
                           Failure *ret_failure);

/*
 * Sets $XDG_RUNTIME_DIR if it is not set, for the units of a user and for the other places that it stands for: to
 * /run/user/UID if @path is below it, otherwise to the folder "run" in @path, which is made. 0 or a negative errno.
 */
int runtime_directory_set_environment(const char *path);
