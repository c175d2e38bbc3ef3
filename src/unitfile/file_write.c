/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Atomic writes of small files
 *
 * A concurrent reader of the folder sees the old file, the new one or none,
 * but never a partial one.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/file_write.h"

int file_write_text(int fd, const char *text) {
        size_t n = strlen(text);

        while (n > 0) {
                ssize_t written = write(fd, text, n);

                if (written < 0)
                        return -errno;
                text += written;
                n -= (size_t) written;
        }
        return 0;
}

int file_write_new(int folder, const char *name, const char *text) {
        int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644), r;

        if (fd < 0)
                return -errno;
        r = file_write_text(fd, text);
        close(fd);
        return r;
}

int file_write_whole(int folder, const char *name, const char *text) {
        cleanup_free_ char *temporary = NULL;
        int r = text_format(&temporary, ".#%s", name);

        if (r < 0)
                return r;
        (void) unlinkat(folder, temporary, 0);
        r = file_write_new(folder, temporary, text);
        if (r == 0 && renameat(folder, temporary, folder, name) < 0)
                r = -errno;
        if (r < 0)
                (void) unlinkat(folder, temporary, 0);
        return r;
}
