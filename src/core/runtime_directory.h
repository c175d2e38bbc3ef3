/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The folder of our sockets, and ours alone
 */

#include "basic/failure.h"

/*
 * Makes the folder (and those above it) if it is missing, and locks it for as long as *ret_fd is open. *ret_path is its
 * absolute name. -EBUSY if another jobd has it; always with @ret_failure.
 */
int runtime_directory_open(const char *path, int *ret_fd, char **ret_path, Failure *ret_failure);
