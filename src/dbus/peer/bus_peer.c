/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Connections
 *
 * Messages are collected and written at once, behind the back of libdbus. An
 * item in the outbox holds a reference to its peer, so a closed peer stays as an
 * empty shell until the item is gone. A connection is never
 * closed inside one of its own callbacks: it is marked, and the reaper closes
 * it in another turn.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/peer/bus_header.h"
#include "dbus/peer/bus_peer.h"
#include "process/outbox.h"

static DBusHandlerResult on_message(DBusConnection *connection, DBusMessage *message, void *userdata) {
        BusPeer *peer = userdata;

        if (peer->is_gone)
                return DBUS_HANDLER_RESULT_HANDLED;

        if (dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected"))
                bus_peer_drop(peer);
        else
                peer->ops->message(peer, message, peer->userdata);
        return DBUS_HANDLER_RESULT_HANDLED;
}

size_t bus_peer_measure(DBusMessage *message, unsigned *ret_descriptors) {
        char *data;
        int n;

        if (!dbus_message_marshal(message, &data, &n))
                return SIZE_MAX;
        *ret_descriptors = bus_header_descriptors((const uint8_t *) data, (size_t) n);
        dbus_free(data);
        return (size_t) n;
}

static void peer_set_limits(DBusConnection *connection) {
        dbus_connection_set_exit_on_disconnect(connection, FALSE);
        dbus_connection_set_route_peer_messages(connection, TRUE);
        dbus_connection_set_max_message_size(connection, BUS_MESSAGE_MAX);
        dbus_connection_set_max_received_size(connection, BUS_MESSAGE_MAX);
        dbus_connection_set_max_message_unix_fds(connection, BUS_DESCRIPTORS_MAX);
        dbus_connection_set_max_received_unix_fds(connection, BUS_DESCRIPTORS_MAX);
}

static sd_event *event_of_peer(const BusPeer *peer) {
        return peer->is_of_other_user ? bus_others_event(peer->peers->others) : peer->peers->event;
}

int bus_peer_new(BusPeer **ret_peer, BusPeers *peers, DBusConnection *connection, uid_t uid, const BusPeerOps *ops,
                 void *userdata) {
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
                .id = ++peers->last_id,
                .peers = peers,
                .connection = connection,
                .uid = uid,
                .is_of_other_user = bus_peers_is_other_user(peers, uid),
                .ops = ops,
                .userdata = userdata,
        };
        peer_set_limits(connection);
        if (!dbus_connection_add_filter(connection, on_message, peer, NULL))
                return -ENOMEM;
        r = bus_loop_new_for_connection(&peer->loop, event_of_peer(peer), connection);
        if (r < 0)
                return r;

        *ret_peer = take_ptr(peer);
        return 0;
}

static BusPeer *peer_ref(BusPeer *peer) {
        peer->n_references++;
        return peer;
}

/* Drops what clients hold, and closes. Not from inside a callback of its connection. */
static void peer_close(BusPeer *peer) {
        peer->is_gone = true;
        while (peer->clients.n > 0)
                bus_peer_remove_client(peer, vector_last(&peer->clients));
        vector_deinit(&peer->clients);
        peer->matches = strv_free(peer->matches);
        bus_output_deinit(&peer->output);
        sd_event_source_disable_unref(peer->deadline);
        peer->deadline = NULL;

        if (!peer->connection)
                return;

        dbus_connection_close(peer->connection);
        peer->loop = bus_loop_free(peer->loop);
        dbus_connection_unref(peer->connection);
        peer->connection = NULL;
        peer->stream = bus_stream_free(peer->stream);
        peer->peers = NULL;
}

BusPeer *bus_peer_unref(BusPeer *peer) {
        if (!peer)
                return NULL;

        assert(peer->n_references > 0);
        if (--peer->n_references > 0)
                return NULL;

        peer_close(peer);
        free(peer);
        return NULL;
}

void bus_peer_drop(BusPeer *peer) {
        if (peer->is_gone)
                return;

        peer->is_gone = true;
        (void) sd_event_source_set_enabled(peer->peers->reaper, SD_EVENT_ONESHOT);
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata) {
        BusPeer *peer = userdata;

        sd_event_source_disable_unref(peer->deadline);
        peer->deadline = NULL;
        if (peer->is_refused || !dbus_connection_get_is_authenticated(peer->connection))
                bus_peer_drop(peer);
        return 0;
}

/* Bytes that a client has sent in time are read before the deadline is looked at, however late the manager is. */
int bus_peer_limit_authentication(BusPeer *peer) {
        int r;

        r = sd_event_add_time(event_of_peer(peer), &peer->deadline, CLOCK_MONOTONIC,
                              clock_monotonic() + peer->peers->authentication_time, 0, on_deadline, peer);
        if (r >= 0)
                r = sd_event_source_set_priority(peer->deadline, MANAGER_PRIORITY_IDLE);
        return r < 0 ? r : 0;
}

/* Bytes that wait to be read on all private connections of the user of this one. */
static size_t outgoing_of_user(const BusPeer *peer) {
        size_t total = 0;

        bus_foreach_peer(peer->peers, other)
                if (!other->is_message_bus && other->uid == peer->uid)
                        total += bus_output_size(&other->output);
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

/*
 * For users who may only read, the last answer does not count, which may be large; their total over all connections
 * does.
 */
static bool takes_too_much(BusPeer *peer) {
        if (!peer->is_of_other_user)
                return has_left_too_much(peer);
        return bus_output_backlog(&peer->output) > BUS_OUTGOING_OF_OTHERS_MAX ||
               (bus_output_size(&peer->output) > BUS_OUTGOING_SMALL &&
                outgoing_of_user(peer) > BUS_OUTGOING_OF_OTHERS_TOTAL);
}

static void drop_reader(BusPeer *peer) {
        log_warning("A D-Bus client does not read what it is sent, disconnecting it.");
        bus_peer_drop(peer);
}

static void want_write(BusPeer *peer, bool is_wanted) {
        if (peer->stream)
                bus_stream_want_write(peer->stream, is_wanted);
        else
                bus_loop_want_write(peer->loop, is_wanted);
}

static void peer_write(BusPeer *peer) {
        int fd;

        if (peer->is_gone || (!peer->stream && !dbus_connection_get_socket(peer->connection, &fd)))
                return;
        if (peer->stream)
                bus_stream_write(peer->stream, &peer->output);
        else
                bus_output_write(&peer->output, fd);
        want_write(peer, bus_output_size(&peer->output) > 0);
}

/* New messages wait for their commit; older bytes leave together with them. */
static void peer_write_rest(void *userdata) {
        BusPeer *peer = userdata;

        if (peer->is_in_outbox)
                want_write(peer, false);
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

/* The first message of a turn puts the peer into the outbox. */
static int peer_enter_outbox(BusPeer *peer) {
        int r;

        if (peer->is_in_outbox)
                return 0;
        if (peer->stream)
                bus_stream_set_writer(peer->stream, peer_write_rest, peer);
        else
                bus_loop_set_writer(peer->loop, peer_write_rest, peer);
        r = outbox_add(manager_outbox(peer->peers->manager), &output_ops, peer_ref(peer));
        if (r >= 0)
                peer->is_in_outbox = true;
        return r;
}

/*
 * A client that misses a message would wait for it for ever: its connection is closed, so that it asks again. That to a
 * message bus has other clients, too.
 */
static int peer_sent(BusPeer *peer, int r) {
        if (r >= 0)
                r = peer_enter_outbox(peer);
        if (r < 0 && !peer->is_message_bus)
                bus_peer_drop(peer);
        return r;
}

int bus_peer_send(BusPeer *peer, DBusMessage *message) {
        int r;

        if (peer->is_gone)
                return 0;
        r = bus_output_add_message(&peer->output, message);
        return peer_sent(peer, r);
}

int bus_peer_send_wire(BusPeer *peer, const BusWire *wire) {
        int r;

        if (peer->is_gone)
                return 0;
        r = bus_output_add_wire(&peer->output, wire);
        return peer_sent(peer, r);
}

static BusLedger *ledger_of(const BusPeer *peer) {
        return peer->stream && !peer->is_gone ? bus_stream_ledger(peer->stream) : NULL;
}

void bus_peer_note_stage(BusPeer *peer, const BusClient *client, uint32_t serial, BusLedgerStage stage) {
        BusLedger *ledger = ledger_of(peer);

        if (ledger)
                bus_ledger_mark(ledger, client->name, serial, stage);
}

/* The end of the turn writes the answer, if there is one, and then forgets the call. */
void bus_peer_note_answered(BusPeer *peer, const BusClient *client, uint32_t serial) {
        BusLedger *ledger = ledger_of(peer);

        if (!ledger)
                return;
        bus_ledger_answer(ledger, client->name, serial);
        if (client->is_known)
                bus_ledger_note_client(ledger, client->name, BUS_LEDGER_CLIENT_KNOWN |
                                       (client->is_subscribed ? BUS_LEDGER_CLIENT_SUBSCRIBED : 0U) |
                                       (client->jobs.n > 0 || client->listens ? BUS_LEDGER_CLIENT_LISTENS : 0U));
        (void) peer_enter_outbox(peer);
}

/*
 * On a message bus a signal is a broadcast that wakes many, so it is sent only while a client there holds something. On
 * a private connection the client may take the socket for a bus, where nothing comes before the answer to Hello: so the
 * client speaks first.
 */
bool bus_peer_hears(const BusPeer *peer, const BusDialect *dialect) {
        if (peer->is_gone || peer->is_refused || !(peer->dialects & BUS_DIALECT_BIT(dialect->id)))
                return false;
        if (!peer->is_message_bus)
                return bus_loop_has_message(peer->loop) && (!peer->has_name || peer->matches) &&
                       !peer->output.is_broken;

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
        int r;

        r = bus_client_new(&client, peer, peer->peers->manager, name);
        if (r < 0)
                return r;
        r = vector_push(&peer->clients, client);
        if (r < 0) {
                bus_client_free(client);
                return r;
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

        if (peer->peers)
                peer->peers->receiver->gone(client, peer->peers->userdata);
        bus_client_free(client);
}

static void peers_remove(BusPeers *peers, BusPeer *peer) {
        for (size_t i = 0; i < peers->items.n; i++)
                if (peers->items.items[i] == peer) {
                        peers->items.items[i] = vector_last(&peers->items);
                        peers->items.n--;
                        break;
                }

        if (peer->ops->closed)
                peer->ops->closed(peer, peer->userdata);
        peer_close(peer);
        bus_peer_unref(peer);
}

static int on_reap(sd_event_source *source, void *userdata) {
        BusPeers *peers = userdata;

        for (size_t i = peers->items.n; i > 0; i--)
                if (peers->items.items[i - 1]->is_gone)
                        peers_remove(peers, peers->items.items[i - 1]);
        return 0;
}

bool bus_peers_is_other_user(const BusPeers *peers, uid_t uid) {
        return uid != 0 && uid != peers->owner;
}

int bus_peers_init(BusPeers *peers, Manager *manager, const BusReceiverOps *receiver, void *userdata) {
        int r;

        *peers = (BusPeers) {
                .manager = manager,
                .event = sd_event_ref(manager_event(manager)),
                .owner = geteuid(),
                .authentication_time = BUS_AUTHENTICATION_TIME,
                .receiver = receiver,
                .userdata = userdata,
        };
        r = bus_others_new(&peers->others, peers->event);
        if (r >= 0)
                r = sd_event_add_defer(peers->event, &peers->reaper, on_reap, peers);
        if (r >= 0)
                r = sd_event_source_set_enabled(peers->reaper, SD_EVENT_OFF);
        if (r >= 0)
                r = sd_event_source_set_priority(peers->reaper, MANAGER_PRIORITY_BUS);
        return r;
}

void bus_peers_deinit(BusPeers *peers) {
        while (peers->items.n > 0)
                peers_remove(peers, vector_last(&peers->items));
        vector_deinit(&peers->items);
        sd_event_source_disable_unref(peers->reaper);
        peers->others = bus_others_free(peers->others);
        sd_event_unref(peers->event);
}

int bus_peers_add(BusPeers *peers, BusPeer *peer) {
        int r;

        r = vector_push(&peers->items, peer);
        if (r >= 0)
                peer_ref(peer);
        return r;
}

BusPeer *bus_peers_find(const BusPeers *peers, uint64_t id) {
        bus_foreach_peer(peers, peer)
                if (peer->id == id)
                        return peer;
        return NULL;
}
