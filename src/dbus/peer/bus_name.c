/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names on the message bus that units wait for
 *
 * Signals tell of changes, and the owner is asked for once at the beginning,
 * behind the match rule, so that nothing is missed in between. The manager is
 * told once the process of the owner is known, since a unit waits for a name
 * that its own process owns. When the bus goes, names keep their state until it
 * is back; then all are asked for again.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/peer/bus_name.h"

static BusName *find(const BusNames *names, const char *name) {
        for (size_t i = 0; i < names->watched.n; i++)
                if (strcmp(names->watched.items[i].name, name) == 0)
                        return &names->watched.items[i];
        return NULL;
}

/* @owner is the subject of the call; it may own other names by now. */
static void on_pid(void *userdata, const char *owner, DBusMessage *reply) {
        const BusNames *names = userdata;
        dbus_uint32_t pid = 0;

        if (bus_link_is_error(reply) || !dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &pid, DBUS_TYPE_INVALID))
                pid = 0;
        /* The manager may change the list when it is told. */
        for (size_t i = 0; i < names->watched.n; i++) {
                cleanup_free_ char *name = NULL;

                if (!text_equal(names->watched.items[i].owner, owner))
                        continue;
                name = strdup(names->watched.items[i].name);
                if (name)
                        manager_name_owned(names->manager, name, true, (pid_t) pid);
        }
}

static void take_owner(BusNames *names, BusName *watched, const char *owner) {
        cleanup_free_ char *name = NULL;

        free(watched->owner);
        watched->owner = *owner ? strdup(owner) : NULL;
        if (watched->owner) {
                (void) bus_link_call(names->link, "GetConnectionUnixProcessID", owner, on_pid, names);
                return;
        }
        name = strdup(watched->name);
        if (name)
                manager_name_owned(names->manager, name, false, 0);
}

static void on_owner(void *userdata, const char *name, DBusMessage *reply) {
        BusNames *names = userdata;
        BusName *watched = find(names, name);
        const char *owner = "";

        if (!watched || watched->owner)
                return;
        if (bus_link_is_error(reply) ||
            !dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &owner, DBUS_TYPE_INVALID))
                owner = "";
        take_owner(names, watched, owner);
}

static void on_name_changed(void *userdata, const char *name, const char *owner) {
        BusNames *names = userdata;
        BusName *watched = find(names, name);

        if (watched)
                take_owner(names, watched, owner);
}

static int ask(BusNames *names, const BusName *watched) {
        BusLink *link = names->link;
        int r;

        if (!bus_link_is_up(link))
                return 0;
        r = bus_link_match(link, "AddMatch", watched->name);
        return r < 0 ? r : bus_link_call(link, "GetNameOwner", watched->name, on_owner, names);
}

static int on_up(void *userdata) {
        BusNames *names = userdata;
        int r = 0;

        for (size_t i = 0; i < names->watched.n && r >= 0; i++) {
                free(names->watched.items[i].owner);
                names->watched.items[i].owner = NULL;
                r = ask(names, &names->watched.items[i]);
        }
        return r;
}

static void drop(BusNames *names, BusName *watched) {
        free(watched->name);
        free(watched->owner);
        *watched = vector_last(&names->watched);
        names->watched.n--;
}

static void unwatch(void *userdata, const char *name) {
        BusNames *names = userdata;
        BusName *watched = find(names, name);

        if (!watched)
                return;
        if (bus_link_is_up(names->link))
                (void) bus_link_match(names->link, "RemoveMatch", name);
        drop(names, watched);
}

static int watch(void *userdata, const char *name) {
        BusNames *names = userdata;
        BusName watched = {};
        int r;

        if (!names->link)
                return -EOPNOTSUPP;
        /* For a second unit the name is watched anew, so that both are told its owner. */
        unwatch(userdata, name);
        watched.name = strdup(name);
        r = watched.name ? vector_push(&names->watched, watched) : -ENOMEM;
        if (r < 0) {
                free(watched.name);
                return r;
        }
        bus_link_hurry(names->link);
        r = ask(names, &vector_last(&names->watched));
        if (r < 0)
                drop(names, &vector_last(&names->watched));
        return r;
}

void bus_names_init(BusNames *names, Manager *manager, BusLink *link) {
        static const BusLinkOps link_ops = { .up = on_up, .name_changed = on_name_changed };
        static const ManagerNameOps ops = { .watch = watch, .unwatch = unwatch };

        *names = (BusNames) { .manager = manager, .link = link };
        if (link)
                bus_link_listen(link, &link_ops, names);
        manager_set_name_ops(manager, link ? &ops : NULL, names);
}

void bus_names_deinit(BusNames *names) {
        if (!names->manager)
                return;
        manager_set_name_ops(names->manager, NULL, NULL);
        if (names->link)
                bus_link_listen(names->link, NULL, NULL);
        while (names->watched.n > 0)
                drop(names, &names->watched.items[0]);
        vector_deinit(&names->watched);
}
