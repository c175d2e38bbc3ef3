/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Calls that are answered later
 *
 * The record of such a call belongs to its client, and is removed with it. An
 * answer is written into memory of its own: it may be caused by another call,
 * whose own answer is being written.
 */

#include <assert.h>
#include <errno.h>

#include "dbus/object/bus_later.h"
#include "dbus/object/bus_reply.h"

int bus_call_keep(BusCall *call, BusLater *ret_later) {
        BusLaterCall record = {
                .number = call->tree->peers->last_later + 1,
                .serial = dbus_message_get_serial(call->message),
                .wants_reply = !dbus_message_get_no_reply(call->message),
                .dialect = call->dialect,
                .sender = call->sender,
        };
        int r;

        assert(call->later == 0);

        if (call->client->later.n >= BUS_LATER_MAX)
                return bus_call_fail(call, -E2BIG, "LimitsExceeded",
                                     "A client may have no more than %u calls that wait for their answer.",
                                     BUS_LATER_MAX);
        r = vector_push(&call->client->later, record);
        if (r < 0)
                return r;

        call->tree->peers->last_later++;
        call->later = record.number;
        *ret_later = (BusLater) { call->peer->id, record.number };
        return 0;
}

/* Removes the record of a call from its client; true if there was one. */
static bool take_record(BusClient *client, uint64_t number, BusLaterCall *ret_record) {
        for (size_t i = 0; i < client->later.n; i++)
                if (client->later.items[i].number == number) {
                        *ret_record = client->later.items[i];
                        client->later.items[i] = vector_last(&client->later);
                        client->later.n--;
                        return true;
                }
        return false;
}

void bus_call_unkeep(BusCall *call) {
        BusLaterCall record;

        if (call->later != 0)
                (void) take_record(call->client, call->later, &record);
        call->later = 0;
}

static const BusLaterCall *find_record(const BusClient *client, uint64_t number) {
        for (size_t i = 0; i < client->later.n; i++)
                if (client->later.items[i].number == number)
                        return &client->later.items[i];
        return NULL;
}

bool bus_later_is_of(BusLater later, const BusClient *client) {
        return client->peer->id == later.peer && find_record(client, later.number);
}

static BusClient *find_client(const BusTree *tree, BusLater later) {
        BusPeer *peer = bus_peers_find(tree->peers, later.peer);

        if (!peer || peer->is_gone)
                return NULL;
        bus_foreach_client(peer, client)
                if (find_record(client, later.number))
                        return client;
        return NULL;
}

const BusClient *bus_later_client(const BusTree *tree, BusLater later) {
        return find_client(tree, later);
}

BusClient *bus_later_take(const BusTree *tree, BusLater later) {
        BusClient *client = find_client(tree, later);
        BusLaterCall record;

        return client && take_record(client, later.number, &record) ? client : NULL;
}

bool bus_later_reply(const BusTree *tree, BusLater later, BusReply *ret_reply) {
        const BusClient *client = find_client(tree, later);
        const BusLaterCall *record = client ? find_record(client, later.number) : NULL;

        if (!record)
                return false;
        *ret_reply = (BusReply) {
                .tree = tree,
                .peer = client->peer,
                .client = client,
                .dialect = record->dialect,
                .sender = record->sender,
                .serial = record->serial,
                .is_wanted = record->wants_reply,
        };
        return true;
}

/* Takes the call from the client: the caller must answer it. False if there is none. */
static bool take_reply(const BusTree *tree, BusLater later, BusReply *ret_reply) {
        BusClient *client = find_client(tree, later);
        BusLaterCall record;

        return client && bus_later_reply(tree, later, ret_reply) && take_record(client, later.number, &record);
}

bool bus_later_answer(const BusTree *tree, BusLater later, BusLaterWrite write, const void *data) {
        cleanup_(bus_wire_deinit) BusWire wire = {};
        BusReply reply;
        BusView view;
        int r;

        if (!take_reply(tree, later, &reply))
                return false;
        view = (BusView) { tree, reply.dialect, NULL };
        bus_wire_begin(&wire);
        write(&view, data, &wire.sink);
        r = bus_reply_send(&reply, &wire);
        if (r < 0)
                bus_reply_fail(&reply, &(Failure) {}, r);
        return true;
}

bool bus_later_fail(const BusTree *tree, BusLater later, const Failure *failure) {
        BusReply reply;

        if (!take_reply(tree, later, &reply))
                return false;
        bus_reply_fail(&reply, failure, failure->code);
        return true;
}
