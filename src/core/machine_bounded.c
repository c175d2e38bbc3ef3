/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that may hang in the kernel
 *
 * To unmount or to sync waits for a disk or a server that may not answer any
 * more, and no signal helps then. So a child makes the call, and its parent waits
 * no longer than the limit. SIGCHLD is not needed: a pipe closes when it ends.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "core/machine_bounded.h"

/* True if the pipe was closed in time. */
static bool wait_for_end(int fd, usec_t limit) {
        usec_t now = clock_monotonic(), end = usec_add(now, limit);

        for (; now < end; now = clock_monotonic()) {
                struct pollfd end_of_child = { .fd = fd };

                if (poll(&end_of_child, 1, (int) ((end - now) / USEC_PER_MSEC) + 1) > 0)
                        return true;
        }
        return false;
}

static int result_of(pid_t child) {
        int status = 0;
        pid_t reaped;

        do
                reaped = waitpid(child, &status, 0);
        while (reaped < 0 && errno == EINTR);
        if (reaped < 0)
                return -errno;
        return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

/* An errno is at most 133 on all machines, so it fits in an exit status. */
static void run_child(int (*call)(const void *argument), const void *argument) {
        int r;

        signal(SIGCHLD, SIG_DFL);
        r = call(argument);
        _exit(r < 0 ? MIN(-r, 255) : 0);
}

int machine_call_bounded(int (*call)(const void *argument), const void *argument, usec_t limit) {
        int pipe_fds[2], r;
        pid_t child;

        assert(call);

        if (pipe2(pipe_fds, O_CLOEXEC) < 0)
                return -errno;
        child = fork();
        if (child == 0)
                run_child(call, argument);
        r = child < 0 ? -errno : 0;
        close(pipe_fds[1]);
        if (r == 0 && wait_for_end(pipe_fds[0], limit)) {
                r = result_of(child);
        } else if (r == 0) {
                kill(child, SIGKILL);
                r = -ETIMEDOUT;
        }
        close(pipe_fds[0]);
        return r;
}
