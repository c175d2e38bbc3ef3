/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The other ends: connections, and who calls over them
 *
 * What goes to a private connection is gathered and written at once; only the
 * message bus is written to by libdbus, which has its own business with it. What
 * is in the outbox holds a reference to its peer, so a peer that is closed stays
 * as an empty shell until that has been given up. A connection is never closed
 * inside one of its own callbacks: it is marked, and the bus's reaper closes it
 * in a turn of its own.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_internal.h"
#include "dbus/bus_process.h"
#include "manager/outbox.h"

static DBusHandlerResult on_message(DBusConnection *connection, DBusMessage *message, void *userdata) {
        BusPeer *peer = userdata;

        if (peer->is_gone)
                return DBUS_HANDLER_RESULT_HANDLED;

        if (dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected"))
                bus_peer_drop(peer);
        else
                peer->receiver(peer, message);
        return DBUS_HANDLER_RESULT_HANDLED;
}

static void peer_set_limits(DBusConnection *connection) {
        dbus_connection_set_exit_on_disconnect(connection, FALSE);
        dbus_connection_set_route_peer_messages(connection, TRUE);
        dbus_connection_set_max_message_size(connection, BUS_MESSAGE_MAX);
        dbus_connection_set_max_received_size(connection, BUS_MESSAGE_MAX);
        dbus_connection_set_max_message_unix_fds(connection, BUS_DESCRIPTORS_MAX);
        dbus_connection_set_max_received_unix_fds(connection, BUS_DESCRIPTORS_MAX);
}

int bus_peer_new(BusPeer **ret_peer, Bus *bus, DBusConnection *connection, BusPeerReceiver receiver) {
        cleanup_(bus_peer_unrefp) BusPeer *peer = NULL;
        int r;

        assert(ret_peer);

        peer = calloc(1, sizeof(*peer));
        if (!peer) {
                dbus_connection_close(connection);
                dbus_connection_unref(connection);
                return -ENOMEM;
        }

        *peer = (BusPeer) {
                .n_references = 1,
                .bus = bus,
                .connection = connection,
                .receiver = receiver,
        };
        peer_set_limits(connection);
        if (!dbus_connection_add_filter(connection, on_message, peer, NULL))
                return -ENOMEM;
        r = bus_loop_new_for_connection(&peer->loop, bus->event, connection);
        if (r < 0)
                return r;

        *ret_peer = take_ptr(peer);
        return 0;
}

BusPeer *bus_peer_ref(BusPeer *peer) {
        peer->n_references++;
        return peer;
}

BusPeer *bus_peer_unref(BusPeer *peer) {
        if (!peer)
                return NULL;

        assert(peer->n_references > 0);
        if (--peer->n_references > 0)
                return NULL;

        bus_peer_close(peer);
        free(peer);
        return NULL;
}

void bus_peer_close(BusPeer *peer) {
        peer->is_gone = true;
        while (peer->clients.n > 0)
                bus_peer_remove_client(peer, vector_last(&peer->clients));
        vector_deinit(&peer->clients);
        peer->matches = strv_free(peer->matches);
        bus_output_deinit(&peer->output);

        if (!peer->connection)
                return;

        dbus_connection_close(peer->connection);
        peer->loop = bus_loop_free(peer->loop);
        dbus_connection_unref(peer->connection);
        peer->connection = NULL;
        peer->bus = NULL;
}

void bus_peer_drop(BusPeer *peer) {
        if (peer->is_gone)
                return;

        peer->is_gone = true;
        bus_schedule_reaper(peer->bus);
}

/* What waits to be read by the user of a private connection, on all connections of that user. */
static size_t outgoing_of_user(const BusPeer *peer) {
        const Bus *bus = peer->bus;
        size_t total = 0;

        for (size_t i = 0; i < bus->peers.n; i++) {
                const BusPeer *other = bus->peers.items[i];

                if (!other->is_message_bus && other->clients.items[0]->uid == peer->clients.items[0]->uid)
                        total += bus_output_size(&other->output);
        }
        return total;
}

static bool has_left_too_much(BusPeer *peer) {
        size_t unread = bus_output_take_unread(&peer->output);
        usec_t now;

        if (unread <= BUS_OUTGOING_MAX) {
                peer->behind_since = 0;
                return false;
        }
        now = clock_monotonic();
        if (peer->behind_since == 0)
                peer->behind_since = now;
        return unread > BUS_UNREAD_MAX || now - peer->behind_since > BUS_UNREAD_TIME;
}

/* Of those who may only read all counts but the last answer, which may be large; and what they have taken on all connections. */
static bool takes_too_much(BusPeer *peer) {
        if (!peer->is_of_other_user)
                return has_left_too_much(peer);
        return bus_output_backlog(&peer->output) > BUS_OUTGOING_OF_OTHERS_MAX ||
               (bus_output_size(&peer->output) > BUS_OUTGOING_SMALL && outgoing_of_user(peer) > BUS_OUTGOING_OF_OTHERS_TOTAL);
}

static void drop_reader(BusPeer *peer) {
        log_warning("A D-Bus client does not read what it is sent, disconnecting it.");
        bus_peer_drop(peer);
}

static void peer_write(BusPeer *peer) {
        int fd;

        if (peer->is_gone || !dbus_connection_get_socket(peer->connection, &fd))
                return;
        bus_output_write(&peer->output, fd);
        bus_loop_want_write(peer->loop, bus_output_size(&peer->output) > 0);
}

/* Is there anything new, it waits for its commit; what has been there before then leaves with it. */
static void peer_write_rest(void *userdata) {
        BusPeer *peer = userdata;

        if (peer->is_in_outbox)
                bus_loop_want_write(peer->loop, false);
        else
                peer_write(peer);
}

static void output_send(void *item) {
        BusPeer *peer = item;

        peer->is_in_outbox = false;
        peer_write(peer);
        if (!peer->is_gone && takes_too_much(peer))
                drop_reader(peer);
}

static void output_free(void *item) {
        bus_peer_unref(item);
}

static const OutboxItemOps output_ops = { .send = output_send, .free = output_free };

/* Of many messages of one turn the first one puts the peer into the outbox. */
static int peer_enter_outbox(BusPeer *peer) {
        int r;

        if (peer->is_in_outbox)
                return 0;
        bus_loop_set_writer(peer->loop, peer_write_rest, peer);
        r = outbox_add(manager_outbox(peer->bus->manager), &output_ops, bus_peer_ref(peer));
        if (r >= 0)
                peer->is_in_outbox = true;
        return r;
}

typedef struct BusOutgoing {
        BusPeer *peer;                  /* a reference */
        DBusMessage *message;           /* a reference */
} BusOutgoing;

static void outgoing_send(void *item) {
        BusOutgoing *outgoing = item;
        BusPeer *peer = outgoing->peer;

        if (peer->is_gone)
                return;

        if ((size_t) dbus_connection_get_outgoing_size(peer->connection) > BUS_OUTGOING_MAX)
                drop_reader(peer);
        else if (!dbus_connection_send(peer->connection, outgoing->message, NULL)) {
                log_error("Out of memory while sending a D-Bus message, disconnecting the client.");
                bus_peer_drop(peer);
        }
}

static void outgoing_free(void *item) {
        BusOutgoing *outgoing = item;

        bus_peer_unref(outgoing->peer);
        dbus_message_unref(outgoing->message);
        free(outgoing);
}

static const OutboxItemOps outgoing_ops = { .send = outgoing_send, .free = outgoing_free };

static int send_to_message_bus(BusPeer *peer, DBusMessage *message) {
        BusOutgoing *outgoing;

        outgoing = calloc(1, sizeof(*outgoing));
        if (!outgoing)
                return -ENOMEM;

        *outgoing = (BusOutgoing) { bus_peer_ref(peer), dbus_message_ref(message) };
        return outbox_add(manager_outbox(peer->bus->manager), &outgoing_ops, outgoing);
}

/* Whoever misses a message waits for it: he is better off with a connection that breaks, and asks again. */
static int peer_sent(BusPeer *peer, int r) {
        if (r >= 0)
                r = peer_enter_outbox(peer);
        if (r < 0)
                bus_peer_drop(peer);
        return r;
}

int bus_peer_send(BusPeer *peer, DBusMessage *message) {
        int r;

        if (peer->is_gone)
                return 0;
        if (peer->is_message_bus)
                return send_to_message_bus(peer, message);

        r = bus_output_add_message(&peer->output, message);
        return peer_sent(peer, r);
}

static int send_wire_to_message_bus(BusPeer *peer, const BusWire *wire) {
        DBusMessage *message;
        int r;

        r = bus_wire_to_message(wire, &message);
        if (r < 0)
                return r;
        r = send_to_message_bus(peer, message);
        dbus_message_unref(message);
        return r;
}

int bus_peer_send_wire(BusPeer *peer, const BusWire *wire) {
        int r;

        if (peer->is_gone)
                return 0;
        if (peer->is_message_bus)
                return send_wire_to_message_bus(peer, wire);

        r = bus_output_add_wire(&peer->output, wire);
        return peer_sent(peer, r);
}

/*
 * On a message bus it is a broadcast that wakes many, so it is sent only while a client there has a stake in it. Who
 * connects to us may take us for a bus: nothing comes before the answer to his Hello then. So we let him speak first.
 */
bool bus_peer_hears(const BusPeer *peer, const BusDialect *dialect) {
        if (peer->is_gone || !(peer->dialects & BUS_DIALECT_BIT(dialect->id)))
                return false;
        if (!peer->is_message_bus)
                return bus_loop_has_message(peer->loop) && (!peer->has_name || peer->matches) && !peer->output.is_broken;

        for (size_t i = 0; i < peer->clients.n; i++)
                if (!bus_client_is_idle(peer->clients.items[i]))
                        return true;
        return false;
}

bool bus_peer_hears_objects(const BusPeer *peer) {
        for (size_t i = 0; i < peer->clients.n; i++)
                if (peer->clients.items[i]->uses_object_manager)
                        return true;
        return false;
}

int bus_peer_add_client(BusPeer *peer, const char *name, BusClient **ret_client) {
        BusClient *client;

        client = calloc(1, sizeof(*client));
        if (!client)
                return -ENOMEM;

        *client = (BusClient) { .peer = peer, .name = strdup(name), .uid = (uid_t) -1 };
        if (!client->name || vector_push(&peer->clients, client) < 0) {
                free(client->name);
                free(client);
                return -ENOMEM;
        }

        *ret_client = client;
        return 0;
}

BusClient *bus_peer_find_client(const BusPeer *peer, const char *name) {
        for (size_t i = 0; i < peer->clients.n; i++)
                if (strcmp(peer->clients.items[i]->name, name) == 0)
                        return peer->clients.items[i];
        return NULL;
}

void bus_peer_remove_client(BusPeer *peer, BusClient *client) {
        for (size_t i = 0; i < peer->clients.n; i++)
                if (peer->clients.items[i] == client) {
                        peer->clients.items[i] = vector_last(&peer->clients);
                        peer->clients.n--;
                        break;
                }

        while (client->references.n > 0)
                bus_client_remove_reference(client, vector_last(&client->references));
        vector_deinit(&client->references);
        for (size_t i = 0; i < client->held.n; i++)
                dbus_message_unref(client->held.items[i]);
        vector_deinit(&client->held);
        id_map_deinit(&client->jobs);
        free(client->name);
        free(client->command);
        free(client);
}

/* Once for each client: one that makes many requests is not looked at for each of them. */
const char *bus_client_command(BusClient *client) {
        if (!client->is_command_known && bus_process_name(client->pid, &client->command) < 0)
                client->command = NULL;
        client->is_command_known = true;
        return client->command;
}

bool bus_client_is_idle(const BusClient *client) {
        return !client->is_subscribed && !client->uses_object_manager && client->jobs.n == 0 &&
               client->references.n == 0;
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

int bus_client_add_reference(BusClient *client, Unit *unit) {
        int r;

        if (client->references.n >= BUS_REFERENCES_MAX)
                return -E2BIG;
        r = vector_push(&client->references, unit);
        if (r < 0)
                return r;
        r = manager_pin(client->peer->bus->manager, unit);
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
                manager_unpin(client->peer->bus->manager, unit);
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
