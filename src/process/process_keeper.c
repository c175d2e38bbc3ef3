/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keeper, which holds what must outlive the program
 *
 * Only this file checks whether there is a keeper.
 */

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "process/process_keeper.h"

int process_keeper_store_fd(const ProcessKeeper *keeper, const char *name, int fd) {
        return keeper->ops ? keeper->ops->store_fd(keeper->userdata, name, fd) : 0;
}

/* A connection that the keeper cannot hold may be lost with core, which is better than not accepting it. */
static int accept_alone(const ProcessKeeper *keeper, const char *name, int listening) {
        int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

        if (fd < 0)
                return -errno;
        (void) process_keeper_store_fd(keeper, name, fd);
        return fd;
}

int process_keeper_accept_fd(const ProcessKeeper *keeper, const char *name, int listening) {
        struct pollfd arrival = { .fd = listening, .events = POLLIN };
        int r = -EOPNOTSUPP;

        if (poll(&arrival, 1, 0) == 0)
                return -EAGAIN;         /* the usual case, without asking the keeper */
        if (keeper->ops && keeper->ops->accept_fd)
                r = keeper->ops->accept_fd(keeper->userdata, name, listening);
        if (r == -EOPNOTSUPP || r == -ENOSPC || r == -EMFILE || r == -EBADF)
                return accept_alone(keeper, name, listening);
        return r;
}

int process_keeper_drop_fd(const ProcessKeeper *keeper, const char *name) {
        return keeper->ops ? keeper->ops->drop_fd(keeper->userdata, name) : 0;
}

int process_keeper_take_fd(const ProcessKeeper *keeper, const char *name) {
        return keeper->ops ? keeper->ops->take_fd(keeper->userdata, name) : -ENOENT;
}

void process_keeper_sync(const ProcessKeeper *keeper) {
        if (keeper->ops && keeper->ops->sync)
                keeper->ops->sync(keeper->userdata);
}

bool process_keeper_has_exit(const ProcessKeeper *keeper, pid_t pid) {
        return keeper->ops && keeper->ops->has_exit(keeper->userdata, pid);
}

void process_keeper_tell_committed(const ProcessKeeper *keeper) {
        if (keeper->ops)
                keeper->ops->committed(keeper->userdata);
}
