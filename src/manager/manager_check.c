/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Was everything that has changed marked?
 *
 * A change that is not marked is lost if core dies, and nothing shows it until
 * then. So tests have all that is in memory compared with what was committed,
 * each time: $JOBD_CHECK_STATE names the file that says what differs.
 */

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "manager/manager_private.h"

static const char *describe(Manager *manager, StoreSpace space, uint32_t number) {
        const Unit *unit = space == STORE_UNITS ? unit_table_at(manager->units, number) : NULL;

        if (unit)
                return unit->id;
        return space == STORE_UNITS ? "a unit that is gone" : space == STORE_JOBS ? "a job" : "the manager";
}

void manager_check_state(Manager *manager) {
        StoreSpace space = 0;
        uint32_t number = 0;
        int fd, r;

        if (!manager->state.check_path)
                return;
        r = store_compare(manager->state.store, &space, &number);
        if (r == 0)
                return;
        fd = open(manager->state.check_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (fd < 0)
                return;
        if (r > 0)
                dprintf(fd, "Commit %llu: %s (%d/%u) has changed, and was not marked.\n",
                        (unsigned long long) manager->state.commit, describe(manager, space, number), space, number);
        else
                dprintf(fd, "Commit %llu cannot be read: %d\n", (unsigned long long) manager->state.commit, r);
        close(fd);
}
