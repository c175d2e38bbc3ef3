/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names on the message bus that units wait for
 *
 * The bus layer follows them; here is which unit wants which. Nothing of it is
 * written down: a unit that goes on in another process asks again. It may do so
 * before there is a bus layer, which is told then.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manager/manager_private.h"

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

void manager_forget_name(Manager *manager, const Unit *unit) {
        for (size_t i = manager->names.wanted.n; i-- > 0;)
                if (manager->names.wanted.items[i].unit == unit->index)
                        drop_at(&manager->names, i);
}

int manager_watch_name(Manager *manager, Unit *unit, const char *name) {
        ManagerNames *names = &manager->names;
        ManagerName wanted = { .unit = unit->index };
        int r;

        manager_forget_name(manager, unit);
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
                manager_forget_name(manager, unit);
        return r;
}

void manager_set_name_ops(Manager *manager, const ManagerNameOps *ops, void *userdata) {
        ManagerNames *names = &manager->names;

        assert(manager);

        names->ops = ops;
        names->userdata = userdata;
        names->is_known = true;
        /* One that cannot be followed ends by its unit's time limit, or when its process does. */
        for (size_t i = 0; ops && i < names->wanted.n; i++)
                (void) ops->watch(userdata, names->wanted.items[i].name);
}

/* Units that are told may watch and unwatch: so the list is gone through by what is in it. */
void manager_name_owned(Manager *manager, const char *name, bool is_owned, pid_t pid) {
        VECTOR(uint32_t) units = {};

        assert(manager && name);

        for (size_t i = 0; i < manager->names.wanted.n; i++)
                if (strcmp(manager->names.wanted.items[i].name, name) == 0)
                        (void) vector_push(&units, manager->names.wanted.items[i].unit);
        for (size_t i = 0; i < units.n; i++) {
                Unit *unit = unit_table_at(manager->units, units.items[i]);

                if (!unit || !unit->vtable->name_owned)
                        continue;
                manager->has_news = true;
                manager_mark_unit(manager, unit);
                unit->vtable->name_owned(unit, is_owned, pid);
        }
        vector_deinit(&units);
}

void manager_free_names(Manager *manager) {
        manager->names.ops = NULL;
        while (manager->names.wanted.n > 0)
                drop_at(&manager->names, 0);
        vector_deinit(&manager->names.wanted);
}
