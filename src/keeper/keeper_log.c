/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The log of the keeper: lines on standard error
 */

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "keeper/keeper.h"

void keeper_log(const char *format, ...) {
        struct pollfd reader = { .fd = STDERR_FILENO, .events = POLLOUT };
        char line[256];
        struct iovec data = { .iov_base = line };
        va_list arguments;
        int n;

        n = snprintf(line, sizeof(line), "jobd: ");
        va_start(arguments, format);
        vsnprintf(line + n, sizeof(line) - (size_t) n - 1, format, arguments);
        va_end(arguments);
        strcat(line, "\n");
        data.iov_len = strlen(line);
        /*
         * The reader of the log may be gone or slow, and must not block the keeper. Some files, such as terminals, do
         * not support RWF_NOWAIT.
         */
        if (pwritev2(STDERR_FILENO, &data, 1, -1, RWF_NOWAIT) >= 0 || errno == EAGAIN)
                return;
        if (poll(&reader, 1, 0) > 0 && reader.revents & POLLOUT)
                (void) !write(STDERR_FILENO, line, data.iov_len);
}
