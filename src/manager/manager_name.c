/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names on the message bus that units wait for
 *
 * The bus layer follows the names; this file stores which unit wants which.
 * Nothing is recorded: in the next core a unit asks again. It may do so before
 * the bus layer exists, which is told later.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manager/manager_name.h"
#include "manager/manager_turn.h"

static bool is_wanted(const ManagerNames *names, const char *name) {
        for (size_t i = 0; i < names->wanted.n; i++)
                if (strcmp(names->wanted.items[i].name, name) == 0)
                        return true;
        return false;
}

static void drop_at(ManagerNames *names, size_t place) {
        ManagerName dropped = names->wanted.items[place];

        names->wanted.items[place] = vector_last(&names->wanted);
        names->wanted.n--;
        if (names->ops && !is_wanted(names, dropped.name))
                names->ops->unwatch(names->userdata, dropped.name);
        free(dropped.name);
}

void manager_names_forget_unit(ManagerNames *names, const Unit *unit) {
        for (size_t i = names->wanted.n; i-- > 0;)
                if (names->wanted.items[i].unit == unit->index)
                        drop_at(names, i);
}

int manager_names_watch(ManagerNames *names, const Unit *unit, const char *name) {
        ManagerName wanted = { .unit = unit->index };
        int r;

        manager_names_forget_unit(names, unit);
        if (!name)
                return 0;
        wanted.name = strdup(name);
        r = wanted.name ? vector_push(&names->wanted, wanted) : -ENOMEM;
        if (r < 0) {
                free(wanted.name);
                return r;
        }
        r = !names->is_known ? 0 : names->ops ? names->ops->watch(names->userdata, name) : -EOPNOTSUPP;
        if (r < 0)
                manager_names_forget_unit(names, unit);
        return r;
}

void manager_names_set_ops(ManagerNames *names, const ManagerNameOps *ops, void *userdata) {
        names->ops = ops;
        names->userdata = userdata;
        names->is_known = true;
        /* If a name cannot be followed, the unit's start ends by its time limit, or with its process. */
        for (size_t i = 0; ops && i < names->wanted.n; i++)
                (void) ops->watch(userdata, names->wanted.items[i].name);
}

/* Units may watch and unwatch in this call, so the indexes are copied first. */
void manager_names_owned(ManagerNames *names, UnitTable *units, const char *name, bool is_owned, pid_t pid) {
        VECTOR(uint32_t) found = {};

        assert(name);

        for (size_t i = 0; i < names->wanted.n; i++)
                if (strcmp(names->wanted.items[i].name, name) == 0)
                        (void) vector_push(&found, names->wanted.items[i].unit);
        for (size_t i = 0; i < found.n; i++) {
                Unit *unit = unit_table_at(units, found.items[i]);

                if (!unit || !unit->vtable->name_owned)
                        continue;
                manager_turn_enter(names->turn, unit);
                unit->vtable->name_owned(unit, is_owned, pid);
        }
        vector_deinit(&found);
}

void manager_names_deinit(ManagerNames *names) {
        names->ops = NULL;
        while (names->wanted.n > 0)
                drop_at(names, 0);
        vector_deinit(&names->wanted);
}
