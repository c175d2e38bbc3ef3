/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keeper, which holds what must outlive the manager
 *
 * Only this file asks whether there is a keeper.
 */

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <systemd/sd-daemon.h>

#include "manager/manager_keeper.h"

int manager_keeper_store_fd(const ManagerKeeper *keeper, const char *name, int fd) {
        return keeper->ops ? keeper->ops->store_fd(keeper->userdata, name, fd) : 0;
}

/* A connection that the keeper cannot hold is better lost with us than never answered. */
static int accept_alone(const ManagerKeeper *keeper, const char *name, int listening) {
        int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

        if (fd < 0)
                return -errno;
        (void) manager_keeper_store_fd(keeper, name, fd);
        return fd;
}

int manager_keeper_accept_fd(const ManagerKeeper *keeper, const char *name, int listening) {
        struct pollfd arrival = { .fd = listening, .events = POLLIN };
        int r = -EOPNOTSUPP;

        if (poll(&arrival, 1, 0) == 0)
                return -EAGAIN;         /* mostly so: there is no need to ask */
        if (keeper->ops && keeper->ops->accept_fd)
                r = keeper->ops->accept_fd(keeper->userdata, name, listening);
        if (r == -EOPNOTSUPP || r == -ENOSPC || r == -EMFILE || r == -EBADF)
                return accept_alone(keeper, name, listening);
        return r;
}

int manager_keeper_drop_fd(const ManagerKeeper *keeper, const char *name) {
        return keeper->ops ? keeper->ops->drop_fd(keeper->userdata, name) : 0;
}

int manager_keeper_take_fd(const ManagerKeeper *keeper, const char *name) {
        return keeper->ops ? keeper->ops->take_fd(keeper->userdata, name) : -ENOENT;
}

void manager_keeper_sync(const ManagerKeeper *keeper) {
        if (keeper->ops && keeper->ops->sync)
                keeper->ops->sync(keeper->userdata);
}

bool manager_keeper_has_exit(const ManagerKeeper *keeper, pid_t pid) {
        return keeper->ops && keeper->ops->has_exit(keeper->userdata, pid);
}

void manager_keeper_tell_committed(const ManagerKeeper *keeper) {
        if (keeper->ops)
                keeper->ops->committed(keeper->userdata);
}

void manager_keeper_tell_parent(const ManagerKeeper *keeper, const char *text) {
        if (keeper->ops)
                keeper->ops->notify(keeper->userdata, text);
        else
                sd_notify(0, text);
}
