/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <unistd.h>

#include "basic/fd_write.h"

int fd_write_all(int fd, const void *bytes, size_t n) {
        const char *at = bytes;

        while (n > 0) {
                const ssize_t written = write(fd, at, n);

                if (written < 0 && errno == EINTR)
                        continue;
                /* A device that takes nothing and says nothing would be written to for ever. */
                if (written <= 0)
                        return written < 0 ? -errno : -EIO;
                at += written;
                n -= (size_t) written;
        }
        return 0;
}
