/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The connection to a message bus
 *
 * The bus itself may wait for this manager, so nothing here waits for the bus:
 * replies to Hello, RequestName and queries of credentials come in later turns.
 *
 * A bus names the sender of a message, but not its uid and pid. The calls of a
 * new client are held until the bus has answered with these; a match rule tells
 * when the client goes.
 *
 * With a keeper the connection outlives core: the next one goes on with it, as
 * the owner of the same names, and to the bus nothing has happened. A call that
 * was not begun is then made again from the ledger. For one that was begun the
 * caller gets an error, since the bus would let it wait.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "basic/clock.h"
#include "basic/fd.h"
#include "basic/log.h"
#include "basic/text.h"
#include "dbus/peer/bus_link.h"

#define BACKOFF_FIRST (200 * USEC_PER_MSEC)
#define BACKOFF_LAST (30 * USEC_PER_SEC)
#define HELLO_TIMEOUT (30 * USEC_PER_SEC)
#define DESCRIPTORS_MAX 4096            /* of one message: as much as a session bus lets through */

/* In the keeper: they are stored and dropped together. */
#define KEPT_SOCKET "bus/message-bus"
#define KEPT_LEDGER "bus/ledger"

/* A call to the bus that it has not answered yet. */
typedef struct BusPending {
        uint32_t serial;
        char *subject;                  /* owned: the argument of the call */
        BusLinkReply reply;
        void *userdata;
} BusPending;

struct BusLink {
        BusPeers *peers;                /* borrowed */
        uint8_t dialects;               /* bits: those whose names are asked for */
        bool is_user;                   /* it is the bus of a session, not that of the system */
        const BusLinkOps *ops;          /* NULL: nobody listens */
        void *userdata;                 /* of .ops */
        BusLinkActivation activate;     /* NULL: not served */
        void *activator;                /* of .activate */
        BusLinkEnd end;                 /* NULL: nobody listens */
        void *end_userdata;             /* of .end */
        char *address;                  /* owned */
        BusPeer *peer;                  /* a reference; NULL while there is no bus */
        VECTOR(BusPending) pending;     /* of .peer */
        VECTOR(BusAsk *) asks;          /* by serial, of .peer; given up by their owners, or ended by an answer */
        int kept_socket, kept_ledger;   /* owned, until they are taken up; -1: none */
        bool is_taken_up;               /* .peer has the match rules of a core before */
        bool has_fallen_back;           /* see bus_link_new() */
        sd_event_source *retry;         /* owned */
        usec_t backoff;
};

/* — calls to the bus — */

static void forget_pending(BusLink *link) {
        while (link->pending.n > 0)
                free(vector_pop(&link->pending).subject);
}

static void link_take_reply(BusLink *link, DBusMessage *message) {
        const uint32_t serial = dbus_message_get_reply_serial(message);

        if (!text_equal(dbus_message_get_sender(message), DBUS_SERVICE_DBUS))
                return;
        for (size_t i = 0; i < link->pending.n; i++) {
                BusPending pending = link->pending.items[i];

                if (pending.serial != serial)
                        continue;
                link->pending.items[i] = vector_last(&link->pending);
                link->pending.n--;
                pending.reply(pending.userdata, pending.subject, message);
                free(pending.subject);
                return;
        }
}

/* Sends a call with string arguments to the bus daemon. Without @reply none is asked for. */
static int link_send_call(BusLink *link, DBusMessage *message, const char *subject, BusLinkReply reply,
                          void *userdata) {
        cleanup_free_ char *copy = NULL;
        int r;

        if (!reply) {
                dbus_message_set_no_reply(message, TRUE);
                return bus_peer_send(link->peer, message);
        }
        copy = strdup(subject);
        r = copy ? vector_reserve(&link->pending, 1) : -ENOMEM;
        if (r >= 0)
                r = bus_peer_send(link->peer, message);
        if (r < 0)
                return r;
        return vector_push(&link->pending,
                           ((BusPending) { link->peer->output.serial, take_ptr(copy), reply, userdata }));
}

int bus_link_call(BusLink *link, const char *method, const char *argument, BusLinkReply reply, void *userdata) {
        DBusMessage *message;
        dbus_uint32_t flags = 0;
        bool is_ready;
        int r = -ENOMEM;

        message = dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, method);
        if (!message)
                return -ENOMEM;

        is_ready = !argument || dbus_message_append_args(message, DBUS_TYPE_STRING, &argument, DBUS_TYPE_INVALID);
        if (is_ready && text_equal(method, "RequestName"))
                is_ready = dbus_message_append_args(message, DBUS_TYPE_UINT32, &flags, DBUS_TYPE_INVALID);
        if (is_ready)
                r = link_send_call(link, message, argument ?: "", reply, userdata);
        dbus_message_unref(message);
        return r;
}

/* — calls to others on the bus — */

struct BusAsk {
        BusLink *link;                  /* borrowed */
        uint32_t serial;
        BusLinkAnswer answer;
        void *userdata;
        sd_event_source *timer;         /* owned */
};

BusAsk *bus_link_give_up(BusAsk *ask) {
        BusLink *link;

        if (!ask)
                return NULL;
        link = ask->link;
        for (size_t i = 0; i < link->asks.n; i++)
                if (link->asks.items[i] == ask) {
                        link->asks.items[i] = vector_last(&link->asks);
                        link->asks.n--;
                        break;
                }
        sd_event_source_disable_unref(ask->timer);
        free(ask);
        return NULL;
}

/* @reply: NULL for none. */
static void end_ask(BusAsk *ask, DBusMessage *reply) {
        const BusAsk ended = *ask;

        bus_link_give_up(ask);
        ended.answer(ended.userdata, reply);
}

static int on_no_answer(sd_event_source *source, uint64_t usec, void *userdata) {
        end_ask(userdata, NULL);
        return 0;
}

/* Whoever has sent it: errors come from the bus, and the bus lets through only replies to what was asked. */
static bool link_take_answer(BusLink *link, DBusMessage *message) {
        const uint32_t serial = dbus_message_get_reply_serial(message);

        for (size_t i = 0; i < link->asks.n; i++)
                if (link->asks.items[i]->serial == serial) {
                        end_ask(link->asks.items[i], message);
                        return true;
                }
        return false;
}

static int ask_send(BusAsk *ask, DBusMessage *message, usec_t timeout) {
        BusLink *link = ask->link;
        int r;

        r = vector_reserve(&link->asks, 1);
        if (r >= 0)
                r = sd_event_add_time(link->peers->event, &ask->timer, CLOCK_MONOTONIC,
                                      usec_add(clock_monotonic(), timeout), 0, on_no_answer, ask);
        if (r >= 0)
                r = sd_event_source_set_priority(ask->timer, MANAGER_PRIORITY_BUS);
        if (r >= 0)
                r = bus_peer_send(link->peer, message);
        if (r < 0)
                return r;
        ask->serial = link->peer->output.serial;
        return vector_push(&link->asks, ask);
}

int bus_link_ask(BusLink *link, DBusMessage *message, usec_t timeout, BusLinkAnswer answer, void *userdata,
                 BusAsk **ret_ask) {
        BusAsk *ask;
        int r;

        if (!bus_link_is_up(link) || link->peer->is_gone)
                return -ENOTCONN;
        ask = calloc(1, sizeof(*ask));
        if (!ask)
                return -ENOMEM;
        *ask = (BusAsk) { .link = link, .answer = answer, .userdata = userdata };
        r = ask_send(ask, message, timeout);
        if (r < 0)
                bus_link_give_up(ask);
        else
                *ret_ask = ask;
        return r;
}

/* Without memory for a call the connection is useless. */
static void link_check(BusLink *link, int r) {
        if (r < 0 && link->peer) {
                log_error("Out of memory while talking to the message bus, leaving it.");
                bus_peer_drop(link->peer);
        }
}

static BusLedger *ledger_of(const BusLink *link) {
        return link->peer->stream ? bus_stream_ledger(link->peer->stream) : NULL;
}

static const char *error_text(DBusMessage *reply) {
        const char *text = NULL;

        if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID))
                text = NULL;
        return text ?: dbus_message_get_error_name(reply) ?: "no reason given";
}

/* — clients on the bus — */

int bus_link_match(BusLink *link, const char *method, const char *name) {
        cleanup_free_ char *rule = NULL;
        const bool may_be_there = link->is_taken_up && text_equal(method, "AddMatch");
        int r = text_format(&rule, "type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS
                            "',member='NameOwnerChanged',arg0='%s'", name);

        /* A rule of the core before would be a second one. */
        if (r >= 0 && may_be_there)
                r = bus_link_call(link, "RemoveMatch", rule, NULL, NULL);
        return r < 0 ? r : bus_link_call(link, method, rule, NULL, NULL);
}

static void link_forget_client(BusLink *link, BusClient *client) {
        int r = bus_link_match(link, "RemoveMatch", client->name);

        if (ledger_of(link))
                bus_ledger_note_client(ledger_of(link), client->name, 0);
        bus_peer_remove_client(link->peer, client);
        link_check(link, r);
}

static void read_credential(DBusMessageIter *entry, BusClient *client) {
        DBusMessageIter value;
        dbus_uint32_t number;
        const char *key;

        dbus_message_iter_get_basic(entry, &key);
        dbus_message_iter_next(entry);
        dbus_message_iter_recurse(entry, &value);
        if (dbus_message_iter_get_arg_type(&value) != DBUS_TYPE_UINT32)
                return;

        dbus_message_iter_get_basic(&value, &number);
        if (text_equal(key, "UnixUserID"))
                client->uid = number;
        else if (text_equal(key, "ProcessID"))
                client->pid = (pid_t) number;
}

static void read_credentials(DBusMessage *reply, BusClient *client) {
        DBusMessageIter iter, entries;

        if (!text_equal(dbus_message_get_sender(reply), DBUS_SERVICE_DBUS) ||
            !text_equal(dbus_message_get_signature(reply), "a{sv}"))
                return;

        dbus_message_iter_init(reply, &iter);
        dbus_message_iter_recurse(&iter, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
                DBusMessageIter entry;

                dbus_message_iter_recurse(&entries, &entry);
                read_credential(&entry, client);
        }
}

static void on_credentials(void *userdata, const char *name, DBusMessage *reply) {
        BusLink *link = userdata;
        BusClient *client = bus_peer_find_client(link->peer, name);

        if (!client)
                return;

        if (bus_link_is_error(reply) && text_equal(dbus_message_get_error_name(reply), DBUS_ERROR_NAME_HAS_NO_OWNER)) {
                link_forget_client(link, client);
                return;
        }
        if (!bus_link_is_error(reply))
                read_credentials(reply, client);

        client->is_known = true;
        client->held_bytes = 0;
        client->held_descriptors = 0;
        for (size_t i = 0; i < client->held.n; i++) {
                link->peers->receiver->call(client, client->held.items[i], link->peers->userdata);
                dbus_message_unref(client->held.items[i]);
        }
        vector_deinit(&client->held);
}

/* Makes room for another client by forgetting one that holds nothing. */
static bool link_make_room(BusLink *link) {
        for (size_t i = 0; link->peer->clients.n >= BUS_CLIENTS_MAX && i < link->peer->clients.n; i++) {
                BusClient *client = link->peer->clients.items[i];

                if (client->is_known && bus_client_is_idle(client)) {
                        link_forget_client(link, client);
                        break;
                }
        }
        return link->peer->clients.n < BUS_CLIENTS_MAX;
}

/* The match rule first: if the client goes in between, the query fails. */
static BusClient *link_add_client(BusLink *link, const char *name) {
        BusClient *client;
        int r;

        if (!link_make_room(link))
                return NULL;

        r = bus_peer_add_client(link->peer, name, &client);
        if (r >= 0 && ledger_of(link))
                bus_ledger_note_client(ledger_of(link), name, BUS_LEDGER_CLIENT_KNOWN);
        if (r >= 0)
                r = bus_link_match(link, "AddMatch", name);
        if (r >= 0)
                r = bus_link_call(link, "GetConnectionCredentials", name, on_credentials, link);
        link_check(link, r);
        return r < 0 ? NULL : client;
}

static void link_refuse(BusLink *link, DBusMessage *message, const char *reason) {
        BusClient stranger = { .peer = link->peer, .name = (char *) dbus_message_get_sender(message),
                               .uid = (uid_t) -1 };
        cleanup_(failure_deinit) Failure failure = {};

        failure_set(&failure, -EBUSY, "LimitsExceeded", "%s", reason);
        link->peers->receiver->refuse(&stranger, message, &failure, link->peers->userdata);
}

/*
 * With too many bytes or descriptors held libdbus would stop reading, and the awaited credentials would never be read;
 * and the descriptors are this process's own.
 */
static bool link_can_hold(const BusLink *link, const BusClient *client, size_t size, unsigned n_descriptors) {
        size_t bytes = size;
        unsigned descriptors = n_descriptors;

        for (size_t i = 0; i < link->peer->clients.n; i++) {
                bytes += link->peer->clients.items[i]->held_bytes;
                descriptors += link->peer->clients.items[i]->held_descriptors;
        }
        return client->held.n < BUS_HELD_MAX && bytes <= BUS_HELD_BYTES_MAX && descriptors <= BUS_HELD_DESCRIPTORS_MAX;
}

static void link_hold(BusLink *link, BusClient *client, DBusMessage *message, size_t size, unsigned n_descriptors) {
        if (!link_can_hold(link, client, size, n_descriptors))
                link_refuse(link, message, "Too many calls wait to be answered.");
        else if (vector_push(&client->held, dbus_message_ref(message)) < 0) {
                dbus_message_unref(message);
                link_check(link, -ENOMEM);
        } else {
                client->held_bytes += size;
                client->held_descriptors += n_descriptors;
        }
}

static void link_take_call(BusLink *link, DBusMessage *message) {
        const char *name = dbus_message_get_sender(message);
        unsigned n_descriptors = 0;
        size_t size = bus_peer_measure(message, &n_descriptors);
        BusClient *client;

        if (!name)
                return;
        if (size > BUS_MESSAGE_MAX) {
                link_refuse(link, message, "The message is too large: 4 MiB are the most that is taken.");
                return;
        }
        client = bus_peer_find_client(link->peer, name);
        client = client ?: link_add_client(link, name);
        if (!client)
                link_refuse(link, message, "Too many clients use this manager over the message bus.");
        else if (client->is_known)
                link->peers->receiver->call(client, message, link->peers->userdata);
        else
                link_hold(link, client, message, size, n_descriptors);
}

static void link_take_activation(BusLink *link, DBusMessage *message) {
        const char *unit;

        if (link->activate && dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &unit, DBUS_TYPE_INVALID))
                link->activate(link->activator, unit);
}

static void link_take_signal(BusLink *link, DBusMessage *message) {
        const char *name, *before, *after;
        BusClient *client;

        if (!text_equal(dbus_message_get_sender(message), DBUS_SERVICE_DBUS))
                return;
        if (dbus_message_is_signal(message, "org.freedesktop.systemd1.Activator", "ActivationRequest"))
                link_take_activation(link, message);
        if (!dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged") ||
            !dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &before,
                                   DBUS_TYPE_STRING, &after, DBUS_TYPE_INVALID))
                return;

        client = bus_peer_find_client(link->peer, name);
        if (client && !*after)
                link_forget_client(link, client);
        if (link->ops)
                link->ops->name_changed(link->userdata, name, after);
}

static void on_message(BusPeer *peer, DBusMessage *message, void *userdata) {
        BusLink *link = userdata;

        if (link->peer != peer)
                return;
        if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL)
                link_take_call(link, message);
        else if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_SIGNAL)
                link_take_signal(link, message);
        else if (!link_take_answer(link, message))
                link_take_reply(link, message);
}

/* — connecting and disconnecting — */

/* Owning a name on the system bus needs the policy that was installed for it. */
static void warn_not_owned(const BusLink *link, const char *name, DBusMessage *reply) {
        if (link->is_user || !dbus_message_is_error(reply, DBUS_ERROR_ACCESS_DENIED))
                log_warning("The message bus does not let us own %s: %s", name, error_text(reply));
        else
                log_warning("The message bus does not let us own %s: %s. It needs the policy " JOBD_BUS_POLICY " in "
                            "/etc/dbus-1/system.d (copy it there if it is elsewhere), and has to read it: dbus-send "
                            "--system --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig",
                            name, error_text(reply));
}

static void on_name(void *userdata, const char *name, DBusMessage *reply) {
        dbus_uint32_t result = 0;

        if (bus_link_is_error(reply))
                warn_not_owned(userdata, name, reply);
        else if (dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &result, DBUS_TYPE_INVALID) && result == 2)
                log_warning("Another program owns %s on the message bus; waiting for it to give the name up.", name);
        else
                log_debug("Owning %s on the message bus.", name);
}

static int request_names(BusLink *link) {
        int r = 0;

        bus_foreach_dialect(link->dialects, dialect)
                if (r >= 0)
                        r = bus_link_call(link, "RequestName", dialect->name, on_name, link);
        return r;
}

/* Before the names are asked for: from then on the connection must not end with core. */
static void keep_connection(BusLink *link) {
        Manager *manager = link->peers->manager;

        if (!ledger_of(link))
                return;
        if (manager_store_fd(manager, KEPT_LEDGER, bus_ledger_fd(ledger_of(link))) < 0 ||
            manager_store_fd(manager, KEPT_SOCKET, bus_stream_fd(link->peer->stream)) < 0)
                log_warning("The keeper cannot hold the connection to the message bus: it ends with core.");
}

static void drop_kept_connection(const BusLink *link) {
        if (!manager_is_kept(link->peers->manager))
                return;
        (void) manager_drop_fd(link->peers->manager, KEPT_SOCKET);
        (void) manager_drop_fd(link->peers->manager, KEPT_LEDGER);
}

static void on_hello(void *userdata, const char *subject, DBusMessage *reply) {
        BusLink *link = userdata;
        int r;

        if (bus_link_is_error(reply)) {
                log_warning("The message bus does not take us: %s", error_text(reply));
                bus_peer_drop(link->peer);
                return;
        }

        (void) sd_event_source_set_enabled(link->retry, SD_EVENT_OFF);
        link->backoff = BACKOFF_FIRST;
        link->peer->has_name = true;
        link->peer->dialects = link->dialects;
        keep_connection(link);
        r = request_names(link);
        if (r >= 0 && link->ops)
                r = link->ops->up(link->userdata);
        link_check(link, r);
}

static void link_retry_later(BusLink *link) {
        (void) sd_event_source_set_time(link->retry, usec_add(clock_monotonic(), link->backoff));
        (void) sd_event_source_set_enabled(link->retry, SD_EVENT_ONESHOT);
        link->backoff = MIN(link->backoff * 2, (usec_t) BACKOFF_LAST);
}

/*
 * libdbus disconnects a peer that sends too much, and here that peer would be the bus. So all that the bus lets through
 * is read, and refused afterwards.
 */
static void lift_limits(DBusConnection *connection) {
        dbus_connection_set_max_message_size(connection, DBUS_MAXIMUM_MESSAGE_LENGTH);
        dbus_connection_set_max_received_size(connection, 2 * BUS_HELD_BYTES_MAX);
        dbus_connection_set_max_message_unix_fds(connection, DESCRIPTORS_MAX);
}

static void on_closed(BusPeer *peer, void *userdata) {
        BusLink *link = userdata;

        if (!link || link->peer != peer)
                return;

        if (peer->has_name) {
                log_notice("The message bus is gone; looking for it again.");
                drop_kept_connection(link);
        }
        forget_pending(link);
        link->is_taken_up = false;
        if (link->end)
                link->end(link->end_userdata);
        link->peer = bus_peer_unref(link->peer);
        link_retry_later(link);
}

static const BusPeerOps peer_ops = { .message = on_message, .closed = on_closed };

/* Replies to calls of the core before, with other serials, may still come. */
static uint32_t first_serial(void) {
        uint32_t serial;

        if (getrandom(&serial, sizeof(serial), GRND_NONBLOCK) == sizeof(serial))
                return serial;
        return (uint32_t) clock_monotonic();
}

/* Takes @fd and @ledger over. */
static int link_open(BusLink *link, int fd, bool is_new, BusLedger *ledger) {
        cleanup_(bus_peer_unrefp) BusPeer *peer = NULL;
        cleanup_(bus_stream_freep) BusStream *stream = NULL;
        DBusConnection *connection;
        int r;

        r = bus_stream_new(&stream, link->peers->event, fd, is_new, ledger, &connection);
        if (r < 0)
                return r;
        r = bus_peer_new(&peer, link->peers, connection, link->peers->owner, &peer_ops, link);
        if (r >= 0) {
                peer->is_message_bus = true;
                peer->stream = take_ptr(stream);
                peer->output.serial = first_serial();
                lift_limits(connection);
                r = bus_peers_add(link->peers, peer);
        }
        if (r < 0)
                return r;
        link->peer = take_ptr(peer);
        return 0;
}

static int link_connect(BusLink *link) {
        BusLedger *ledger = NULL;
        int r, fd = bus_stream_connect(link->address);

        if (fd < 0)
                return fd;
        r = manager_is_kept(link->peers->manager) ? bus_ledger_new(&ledger, -1) : 0;
        if (r < 0)
                log_warning("No memory to hold the connection to the message bus: it ends with core.");
        r = link_open(link, fd, true, ledger);
        if (r < 0)
                return r;
        (void) sd_event_source_set_time(link->retry, usec_add(clock_monotonic(), HELLO_TIMEOUT));
        (void) sd_event_source_set_enabled(link->retry, SD_EVENT_ONESHOT);
        return bus_link_call(link, "Hello", NULL, on_hello, link);
}

/* — what the core before has left — */

static int answer_left_call(BusLink *link, const BusLedgerCall *call) {
        const char *text = "jobd-core has ended while it carried out this call: whether it was done is not known.";
        const char *name = DBUS_ERROR_NO_REPLY;
        DBusMessage *message;
        int r = -ENOMEM;

        if (call->stage == BUS_LEDGER_WAITS && call->n == 0)
                text = "jobd-core has ended before it carried out this call, which is too long, or has brought "
                       "descriptors: it must be made again.";
        else if (call->stage == BUS_LEDGER_WAITS_AGAIN)
                text = "jobd-core has ended twice before it had answered this call.";
        else if (call->stage == BUS_LEDGER_REEXECUTES) {
                text = link->has_fallen_back ? BUS_REEXEC_FAILURE : NULL;
                name = DBUS_ERROR_FAILED;
        }
        message = dbus_message_new(text ? DBUS_MESSAGE_TYPE_ERROR : DBUS_MESSAGE_TYPE_METHOD_RETURN);
        if (!message)
                return -ENOMEM;
        dbus_message_set_no_reply(message, TRUE);
        if (dbus_message_set_destination(message, call->sender) &&
            dbus_message_set_reply_serial(message, call->serial) &&
            (!text || (dbus_message_set_error_name(message, name) &&
                       dbus_message_append_args(message, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID))))
                r = bus_peer_send(link->peer, message);
        dbus_message_unref(message);
        return r;
}

/* Calls that can be made again come by themselves. */
static int answer_left_calls(BusLink *link) {
        BusLedger *ledger = ledger_of(link);
        BusLedgerCall call;
        uint64_t order = 0;
        int r = 0;

        while (r >= 0 && bus_ledger_next_call(ledger, &order, &call)) {
                if (call.stage == BUS_LEDGER_WAITS && call.n > 0)
                        continue;
                if (call.wants_reply)
                        r = answer_left_call(link, &call);
                bus_ledger_answer(ledger, call.sender, call.serial);
        }
        return r;
}

/* Whether they are still there the bus says with the credentials. */
static int take_up_clients(BusLink *link) {
        const char *name;
        uint32_t flags;
        size_t i = 0;
        int r = 0;

        while (r >= 0 && (name = bus_ledger_next_client(ledger_of(link), &i, &flags))) {
                BusClient *client;

                r = bus_peer_add_client(link->peer, name, &client);
                if (r < 0)
                        break;
                client->is_subscribed = flags & BUS_LEDGER_CLIENT_SUBSCRIBED;
                client->listens = flags & BUS_LEDGER_CLIENT_LISTENS;
                r = bus_link_match(link, "AddMatch", name);
                if (r >= 0)
                        r = bus_link_call(link, "GetConnectionCredentials", name, on_credentials, link);
        }
        return r;
}

/* A name that this core is not to have any more is given back. */
static int request_names_anew(BusLink *link) {
        int r = 0;

        bus_foreach_dialect(~link->dialects, dialect)
                if (r >= 0)
                        r = bus_link_call(link, "ReleaseName", dialect->name, NULL, NULL);
        return r < 0 ? r : request_names(link);
}

static int link_take_up(BusLink *link) {
        cleanup_fd_ int fd = link->kept_socket;
        BusLedger *ledger = NULL;
        int r, memory = link->kept_ledger;

        link->kept_socket = link->kept_ledger = -1;
        if (fd < 0 || memory < 0) {
                fd_close(memory);
                return -ENOENT;
        }
        r = bus_ledger_new(&ledger, memory);
        if (r < 0) {
                log_notice("The connection to the message bus cannot be taken over (%s): making a new one.",
                           r == -ESTALE ? "it was left in the middle of a message" : strerror(-r));
                return r;
        }
        r = link_open(link, fd_take(&fd), false, ledger);
        if (r < 0)
                return r;
        link->is_taken_up = link->peer->has_name = true;
        link->peer->dialects = link->dialects;
        r = answer_left_calls(link);
        if (r >= 0)
                r = take_up_clients(link);
        if (r >= 0)
                r = request_names_anew(link);
        if (r >= 0 && link->ops)
                r = link->ops->up(link->userdata);
        link_check(link, r);
        return 0;
}

static void link_try(BusLink *link) {
        int r;

        if (link->kept_socket >= 0 || link->kept_ledger >= 0) {
                if (link_take_up(link) >= 0)
                        return;
                drop_kept_connection(link);
        }
        r = link_connect(link);
        if (r < 0 && link->peer)
                bus_peer_drop(link->peer);
        else if (r < 0)
                link_retry_later(link);
}

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        BusLink *link = userdata;

        if (!link->peer)
                link_try(link);
        else if (!link->peer->has_name) {
                log_warning("The message bus does not answer.");
                bus_peer_drop(link->peer);
        }
        return 0;
}

void bus_link_listen(BusLink *link, const BusLinkOps *ops, void *userdata) {
        link->ops = ops;
        link->userdata = userdata;
}

void bus_link_serve(BusLink *link, BusLinkActivation activate, void *userdata) {
        link->activate = activate;
        link->activator = userdata;
}

void bus_link_watch(BusLink *link, BusLinkEnd end, void *userdata) {
        link->end = end;
        link->end_userdata = userdata;
}

int bus_link_tell(BusLink *link, DBusMessage *message) {
        return bus_link_is_up(link) ? bus_peer_send(link->peer, message) : 0;
}

bool bus_link_is_up(const BusLink *link) {
        return link->peer && link->peer->has_name;
}

void bus_link_hurry(BusLink *link) {
        link->backoff = BACKOFF_FIRST;
        if (!link->peer)
                (void) sd_event_source_set_time(link->retry, 0);
}

static int usual_address(bool is_user, char **ret_address) {
        const char *address = getenv(is_user ? "DBUS_SESSION_BUS_ADDRESS" : "DBUS_SYSTEM_BUS_ADDRESS");
        const char *folder = getenv("XDG_RUNTIME_DIR");
        char *escaped;
        int r;

        if (address && *address)
                return text_format(ret_address, "%s", address);
        if (!is_user)
                return text_format(ret_address, "unix:path=/run/dbus/system_bus_socket");
        if (!folder || !*folder)
                return -ENOENT;

        escaped = dbus_address_escape_value(folder);
        if (!escaped)
                return -ENOMEM;
        r = text_format(ret_address, "unix:path=%s/bus", escaped);
        dbus_free(escaped);
        return r;
}

/* The keeper drops what nobody has taken when core is ready. */
static void take_kept(BusLink *link) {
        link->kept_socket = manager_take_fd(link->peers->manager, KEPT_SOCKET);
        link->kept_ledger = manager_take_fd(link->peers->manager, KEPT_LEDGER);
}

int bus_link_new(BusLink **ret_link, BusPeers *peers, uint8_t dialects, const char *address, bool is_user,
                 bool has_fallen_back) {
        cleanup_(bus_link_freep) BusLink *link = NULL;
        int r;

        assert(ret_link);

        link = calloc(1, sizeof(*link));
        if (!link)
                return -ENOMEM;

        *link = (BusLink) { .peers = peers, .dialects = dialects, .is_user = is_user,
                            .backoff = BACKOFF_FIRST, .kept_socket = -1, .kept_ledger = -1,
                            .has_fallen_back = has_fallen_back };
        r = address ? text_format(&link->address, "%s", address) : usual_address(is_user, &link->address);
        if (r == -ENOENT) {
                *ret_link = NULL;
                return 0;
        }
        if (r >= 0)
                r = sd_event_add_time(peers->event, &link->retry, CLOCK_MONOTONIC, 0, 0, on_retry, link);
        if (r >= 0)
                r = sd_event_source_set_priority(link->retry, MANAGER_PRIORITY_BUS);
        if (r < 0)
                return r;
        take_kept(link);
        /* Clients of the core before hear of ends of jobs, so the connection is taken up before processes end. */
        if (link->kept_socket >= 0)
                (void) sd_event_source_set_priority(link->retry, MANAGER_PRIORITY_CHILDREN - 1);

        *ret_link = take_ptr(link);
        return 0;
}

BusLink *bus_link_free(BusLink *link) {
        if (!link)
                return NULL;

        sd_event_source_disable_unref(link->retry);
        if (link->peer)
                link->peer->userdata = NULL;
        bus_peer_unref(link->peer);
        forget_pending(link);
        vector_deinit(&link->pending);
        vector_deinit(&link->asks);
        fd_close(link->kept_socket);
        fd_close(link->kept_ledger);
        free(link->address);
        free(link);
        return NULL;
}
