/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors of units that the keeper holds, by the name of the unit
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_private.h"

static int name_fd(const Unit *unit, const char *what, uint32_t index, char **ret_name) {
        return text_format(ret_name, "%s/%s/%u", unit->id, what, index);
}

int manager_keep_unit_fd(Manager *manager, const Unit *unit, const char *what, uint32_t index, int fd) {
        cleanup_free_ char *name = NULL;
        int r = name_fd(unit, what, index, &name);

        if (r == 0)
                r = manager_store_fd(manager, name, fd);
        if (r < 0)
                log_write(LOG_LEVEL_WARNING, unit->id, "If jobd dies, a descriptor of it (%s %u) is lost: %s", what, index,
                          strerror(-r));
        return r;
}

int manager_accept_unit_fd(Manager *manager, const Unit *unit, const char *what, uint32_t index, int listening) {
        cleanup_free_ char *name = NULL;
        int r = name_fd(unit, what, index, &name);

        return r < 0 ? r : manager_accept_fd(manager, name, listening);
}

void manager_drop_unit_fd(Manager *manager, const Unit *unit, const char *what, uint32_t index) {
        cleanup_free_ char *name = NULL;

        manager->has_settled = false;
        if (name_fd(unit, what, index, &name) == 0)
                (void) manager_drop_fd(manager, name);
}

void manager_settle_fds(Manager *manager) {
        if (!manager->has_settled)
                manager_sync_keeper(manager);
        manager->has_settled = true;
}

int manager_take_unit_fd(Manager *manager, const Unit *unit, const char *what, uint32_t index) {
        cleanup_free_ char *name = NULL;
        int r = name_fd(unit, what, index, &name);

        return r < 0 ? r : manager_take_fd(manager, name);
}
