/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who keeps what must outlive us
 *
 * Only this asks whether there is a keeper; the others just say what they want.
 */

#include <errno.h>

#include <systemd/sd-daemon.h>

#include "manager/manager_keeper.h"
#include "manager/manager_private.h"

int manager_store_fd(Manager *manager, const char *name, int fd) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        return keeper->ops ? keeper->ops->store_fd(keeper->userdata, name, fd) : 0;
}

int manager_drop_fd(Manager *manager, const char *name) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        return keeper->ops ? keeper->ops->drop_fd(keeper->userdata, name) : 0;
}

int manager_take_fd(Manager *manager, const char *name) {
        const ManagerKeeper *keeper = &manager->options.keeper;

        return keeper->ops ? keeper->ops->take_fd(keeper->userdata, name) : -ENOENT;
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

bool manager_is_again(const Manager *manager) {
        return manager->options.keeper.is_again;
}
