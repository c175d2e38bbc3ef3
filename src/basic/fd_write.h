/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Writing to descriptors
 */

#include <stddef.h>

/* Writes all @n bytes, however many calls that takes; a descriptor that does not block gives -EAGAIN. 0 or -errno. */
int fd_write_all(int fd, const void *bytes, size_t n);
