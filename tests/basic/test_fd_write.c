/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "basic/fd_write.h"

Test(fd_write, all_bytes_are_written) {
        char bytes[5000], back[sizeof(bytes)];
        int ends[2];

        memset(bytes, 'x', sizeof(bytes));
        cr_assert(eq(int, pipe2(ends, O_CLOEXEC), 0));
        cr_assert(eq(int, fd_write_all(ends[1], bytes, sizeof(bytes)), 0));
        cr_assert(eq(int, fd_write_all(ends[1], bytes, 0), 0));
        close(ends[1]);
        cr_assert(eq(long, read(ends[0], back, sizeof(back)), (long) sizeof(back)));
        cr_assert(eq(int, memcmp(bytes, back, sizeof(back)), 0));
        cr_assert(eq(long, read(ends[0], back, sizeof(back)), 0));
        close(ends[0]);
}

Test(fd_write, a_full_pipe_and_a_wrong_descriptor_are_told) {
        static char bytes[1 << 21];
        int ends[2];

        cr_assert(eq(int, fd_write_all(-1, bytes, 1), -EBADF));
        cr_assert(eq(int, pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0));
        cr_assert(eq(int, fd_write_all(ends[1], bytes, sizeof(bytes)), -EAGAIN));
        close(ends[0]);
        close(ends[1]);
}
