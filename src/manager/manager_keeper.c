/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who keeps what must outlive us
 *
 * Only this asks whether there is a keeper; the others just say what they want.
 */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include <systemd/sd-daemon.h>

#include "basic/log.h"
#include "manager/manager_keeper.h"
#include "manager/manager_private.h"

int manager_store_fd(Manager *manager, const char *name, int fd) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        return keeper->ops ? keeper->ops->store_fd(keeper->userdata, name, fd) : 0;
}

/* What nobody can hold for us is better lost with us than never answered. */
static int accept_alone(Manager *manager, const char *name, int listening) {
        int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

        if (fd < 0)
                return -errno;
        (void) manager_store_fd(manager, name, fd);
        return fd;
}

int manager_accept_fd(Manager *manager, const char *name, int listening) {
        const ManagerKeeper *keeper = &manager->options.keeper;
        struct pollfd arrival = { .fd = listening, .events = POLLIN };
        int r = -EOPNOTSUPP;

        if (poll(&arrival, 1, 0) == 0)
                return -EAGAIN;         /* mostly so: there is no need to ask */
        if (keeper->ops && keeper->ops->accept_fd)
                r = keeper->ops->accept_fd(keeper->userdata, name, listening);
        return r == -EOPNOTSUPP || r == -ENOSPC || r == -EMFILE || r == -EBADF ? accept_alone(manager, name, listening) : r;
}

int manager_drop_fd(Manager *manager, const char *name) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        return keeper->ops ? keeper->ops->drop_fd(keeper->userdata, name) : 0;
}

int manager_take_fd(Manager *manager, const char *name) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        return keeper->ops ? keeper->ops->take_fd(keeper->userdata, name) : -ENOENT;
}

void manager_sync_keeper(Manager *manager) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        if (keeper->ops && keeper->ops->sync)
                keeper->ops->sync(keeper->userdata);
}

bool manager_has_kept_exit(const Manager *manager, pid_t pid) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        return keeper->ops && keeper->ops->has_exit(keeper->userdata, pid);
}

void manager_tell_committed(Manager *manager) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        if (keeper->ops)
                keeper->ops->committed(keeper->userdata);
}

void manager_tell_parent(Manager *manager, const char *text) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        if (keeper->ops)
                keeper->ops->notify(keeper->userdata, text);
        else
                sd_notify(0, text);
}

bool manager_is_kept(const Manager *manager) {
        return manager->options.keeper.ops;
}

bool manager_is_again(const Manager *manager) {
        return manager->options.keeper.is_again;
}

bool manager_leaves_sockets(const Manager *manager) {
        return manager->options.keeper.ops && manager->stage != MANAGER_GONE;
}

/* What is not written down would be lost, and its processes be nobody's. 0 or what kept it from being written. */
static int write_all(Manager *manager) {
        manager_commit(manager);
        return state_error(manager->state);
}

int manager_ask_reexec(Manager *manager, Failure *ret_failure) {
        int r;

        if (!manager->options.keeper.ops)
                return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "This manager has no keeper: nobody could "
                                   "go back if the new image failed. Start it as jobd.");
        if (manager->stage >= MANAGER_STOPPING)
                return failure_set(ret_failure, -EBUSY, "ShuttingDown", "The manager is about to end.");
        r = write_all(manager);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "The state cannot be written to %s (%s): who is executed would not "
                                   "know of what has changed.", state_path(manager->state), strerror(-r));
        log_notice("Executing ourselves anew is asked for.");
        manager->wants_reexec = true;
        return 0;
}

bool manager_wants_reexec(const Manager *manager) {
        return manager->wants_reexec;
}

int manager_prepare_reexec(Manager *manager) {
        int r = write_all(manager);

        manager_lower_open_files_limit(manager);
        return r;
}

void manager_give_up_reexec(Manager *manager) {
        manager->wants_reexec = false;
        manager_raise_open_files_limit(manager);
}

void manager_take_kept_exits(Manager *manager, const UnitExit *exits, size_t n) {
        process_table_take_kept_exits(manager->processes, exits, n);
}
