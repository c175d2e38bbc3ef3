/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * orphans COUNT FILE
 *
 * Waits for SIGUSR1, then leaves that many ended processes behind, a thousand
 * at a time: children of a process that ends without having waited for them.
 * FILE appears when all have been left. Goes on until it is killed.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE 1000L

static void leave(long n) {
        pid_t parent = fork();

        if (parent < 0)
                exit(3);
        if (parent > 0) {
                waitpid(parent, NULL, 0);
                return;
        }
        for (long i = 0; i < n; i++) {
                pid_t pid = fork();

                if (pid <= 0)
                        _exit(pid < 0 ? 3 : 7);
        }
        _exit(0);
}

int main(int argc, char *argv[]) {
        long left = argc > 2 ? atol(argv[1]) : 0;
        sigset_t set;
        int signal;

        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, NULL);
        if (left <= 0 || sigwait(&set, &signal) != 0)
                return 2;
        for (; left > 0; left -= AT_ONCE)
                leave(left < AT_ONCE ? left : AT_ONCE);
        if (open(argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0644) < 0)
                return 2;
        for (;;)
                pause();
}
