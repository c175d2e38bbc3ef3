/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The end of a file descriptor; a negative one is none
 */

#include <unistd.h>

#include "basic/macro.h"

/* Closes it, and returns -1: fd = fd_close(fd). */
static inline int fd_close(int fd) {
        if (fd >= 0)
                close(fd);
        return -1;
}

/* The descriptor, which the variable has no longer. */
static inline int fd_take(int *fd) {
        int taken = *fd;

        *fd = -1;
        return taken;
}

static inline void fd_closep(int *fd) {
        fd_close(*fd);
}

#define cleanup_fd_ cleanup_(fd_closep)
