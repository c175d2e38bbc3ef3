/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Clients: the callers at the other end of a connection
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dbus/peer/bus_client.h"
#include "dbus/peer/bus_process.h"

int bus_client_new(BusClient **ret_client, BusPeer *peer, Manager *manager, const char *name) {
        BusClient *client;

        client = calloc(1, sizeof(*client));
        if (!client)
                return -ENOMEM;

        *client = (BusClient) { .peer = peer, .manager = manager, .name = strdup(name), .uid = (uid_t) -1 };
        if (!client->name) {
                free(client);
                return -ENOMEM;
        }
        *ret_client = client;
        return 0;
}

BusClient *bus_client_free(BusClient *client) {
        while (client->references.n > 0)
                bus_client_remove_reference(client, vector_last(&client->references));
        vector_deinit(&client->references);
        for (size_t i = 0; i < client->held.n; i++)
                dbus_message_unref(client->held.items[i]);
        vector_deinit(&client->held);
        vector_deinit(&client->later);
        vector_deinit(&client->watches);
        id_map_deinit(&client->jobs);
        free(client->name);
        free(client->command);
        free(client->operator);
        free(client->reqid);
        free(client);
        return NULL;
}

/* Looked up once for each client, not for each request. */
const char *bus_client_command(BusClient *client) {
        if (!client->is_command_known && bus_process_name(client->pid, &client->command) < 0)
                client->command = NULL;
        client->is_command_known = true;
        return client->command;
}

bool bus_client_is_idle(const BusClient *client) {
        return !client->is_subscribed && !client->uses_object_manager && !client->listens && client->jobs.n == 0 &&
               client->references.n == 0 && client->later.n == 0 && client->watches.n == 0 &&
               !client->operator&& !client->reqid;
}

int bus_client_identify(BusClient *client, const char *operator, const char * reqid) {
        cleanup_free_ char *who = NULL, *what = NULL;

        if (text_copy(*operator? operator: NULL, &who) < 0 || text_copy(*reqid ? reqid : NULL, &what) < 0)
                return -ENOMEM;
        free(client->operator);
        free(client->reqid);
        client->operator= take_ptr(who);
        client->reqid = take_ptr(what);
        return 0;
}

int bus_client_add_job(BusClient *client, uint32_t id) {
        return id_map_put(&client->jobs, id, client);
}

void bus_client_remove_job(BusClient *client, uint32_t id) {
        (void) id_map_remove(&client->jobs, id);
}

bool bus_client_has_job(const BusClient *client, uint32_t id) {
        return id_map_get(&client->jobs, id);
}

bool bus_client_watches(const BusClient *client, uint32_t run) {
        for (size_t i = 0; i < client->watches.n; i++)
                if (client->watches.items[i] == run)
                        return true;
        return false;
}

int bus_client_set_watch(BusClient *client, uint32_t run, bool watches) {
        size_t kept = 0;

        if (watches && bus_client_watches(client, run))
                return 0;
        if (watches && client->watches.n >= BUS_WATCHES_MAX)
                return -E2BIG;
        if (watches)
                return vector_push(&client->watches, run);
        for (size_t i = 0; i < client->watches.n; i++)
                if (client->watches.items[i] != run)
                        client->watches.items[kept++] = client->watches.items[i];
        client->watches.n = kept;
        return 0;
}

int bus_client_add_reference(BusClient *client, Unit *unit) {
        int r;

        if (client->references.n >= BUS_REFERENCES_MAX)
                return -E2BIG;
        r = vector_push(&client->references, unit);
        if (r < 0)
                return r;
        r = manager_pin(client->manager, unit);
        if (r < 0)
                client->references.n--;
        return r;
}

bool bus_client_has_reference(const BusClient *client, const Unit *unit) {
        for (size_t i = 0; i < client->references.n; i++)
                if (client->references.items[i] == unit)
                        return true;
        return false;
}

bool bus_client_remove_reference(BusClient *client, Unit *unit) {
        for (size_t i = client->references.n; i > 0; i--) {
                if (client->references.items[i - 1] != unit)
                        continue;

                client->references.items[i - 1] = vector_last(&client->references);
                client->references.n--;
                manager_unpin(client->manager, unit);
                return true;
        }
        return false;
}

void bus_client_forget_unit(BusClient *client, const Unit *unit) {
        size_t kept = 0;

        for (size_t i = 0; i < client->references.n; i++)
                if (client->references.items[i] != unit)
                        client->references.items[kept++] = client->references.items[i];
        client->references.n = kept;
}
