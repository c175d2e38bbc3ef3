/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The lock of the file, and the socket
 */

#include <stdbool.h>

#include "basic/failure.h"

/*
 * Takes the lock that jobd-runstore is found by, which lasts as long as the descriptor: 0, -EALREADY if another process
 * has it, -errno. Where nothing can be written the descriptor is -1.
 */
int runstore_lock(const char *path, int *ret_fd, Failure *ret_failure);

/* A listening socket for the user of this process and root; replaces one of that name. The lock must be taken. */
int runstore_listen(const char *path, int *ret_fd, Failure *ret_failure);

/* A descriptor that was handed over: 0, -EINVAL if nobody can connect there. */
int runstore_check_socket(int fd, Failure *ret_failure);

/* Whether the process at the other end is one of this user or of root. */
bool runstore_may_connect(int fd);
