/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors of units: watched, and kept by the keeper
 *
 * Few units have any, so they are found by the unit's index and cost the
 * others nothing. Nothing of it is written down: a unit that goes on in another
 * process watches again by itself, from its own record.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_private.h"

struct ManagerWatch {
        Manager *manager;               /* borrowed */
        Unit *unit;                     /* borrowed */
        uint32_t index;
        sd_event_source *source;        /* owned */
        struct ManagerWatch *next;      /* of the same unit */
};

/* The map knows no zero. */
static uint32_t key_of(const Unit *unit) {
        return unit->index + 1;
}

static ManagerWatch *watch_free(ManagerWatch *watch) {
        if (!watch)
                return NULL;
        sd_event_source_disable_unref(watch->source);
        free(watch);
        return NULL;
}

static inline void watch_freep(ManagerWatch **watch) {
        *watch = watch_free(*watch);
}

static int on_ready(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        const ManagerWatch *watch = userdata;
        Manager *manager = watch->manager;
        Unit *unit = watch->unit;

        manager->has_news = true;
        manager_mark_unit(manager, unit);
        /* It may stop watching, and then the watch is gone. */
        if (unit->vtable->fd_ready)
                unit->vtable->fd_ready(unit, watch->index, events);
        return 0;
}

static ManagerWatch *find_watch(const Manager *manager, const Unit *unit, uint32_t index) {
        ManagerWatch *watch = id_map_get(&manager->watches, key_of(unit));

        while (watch && watch->index != index)
                watch = watch->next;
        return watch;
}

int manager_watch_fd(Manager *manager, Unit *unit, uint32_t index, int fd, uint32_t events) {
        cleanup_(watch_freep) ManagerWatch *watch = NULL;
        int r;

        assert(fd >= 0);

        manager_unwatch_fd(manager, unit, index);
        watch = calloc(1, sizeof(*watch));
        if (!watch)
                return -ENOMEM;
        *watch = (ManagerWatch) { .manager = manager, .unit = unit, .index = index };
        r = sd_event_add_io(manager->event, &watch->source, fd, events, on_ready, watch);
        if (r >= 0)
                r = sd_event_source_set_priority(watch->source, MANAGER_PRIORITY_BUS);
        if (r < 0)
                return r;
        watch->next = id_map_get(&manager->watches, key_of(unit));
        r = id_map_put(&manager->watches, key_of(unit), watch);
        if (r < 0)
                return r;
        take_ptr(watch);
        return 0;
}

void manager_unwatch_fd(Manager *manager, Unit *unit, uint32_t index) {
        ManagerWatch *first = id_map_get(&manager->watches, key_of(unit)), **slot = &first;
        ManagerWatch *watch = find_watch(manager, unit, index);

        if (!watch)
                return;
        while (*slot != watch)
                slot = &(*slot)->next;
        *slot = watch->next;
        if (first)
                (void) id_map_put(&manager->watches, key_of(unit), first);
        else
                id_map_remove(&manager->watches, key_of(unit));
        watch_free(watch);
}

void manager_forget_watches(Manager *manager, Unit *unit) {
        const ManagerWatch *watch;

        while ((watch = id_map_get(&manager->watches, key_of(unit))))
                manager_unwatch_fd(manager, unit, watch->index);
}

/* — kept ones — */

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
