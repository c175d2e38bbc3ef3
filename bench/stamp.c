/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What a unit runs to say that its turn has come: one line, a word and the
 * time, into a FIFO. So the end of a transaction is known without a client that
 * listens, for managers of any kind.
 */

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
        struct timespec now;
        char line[96];
        int fd, n;

        if (argc != 3)
                return 2;
        clock_gettime(CLOCK_MONOTONIC, &now);
        n = snprintf(line, sizeof(line), "%s %lld%09ld\n", argv[2], (long long) now.tv_sec, now.tv_nsec);
        fd = open(argv[1], O_WRONLY | O_APPEND | O_CLOEXEC);
        return fd < 0 || write(fd, line, (size_t) n) != n;
}
