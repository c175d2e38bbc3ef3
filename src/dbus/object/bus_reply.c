/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Answers to calls
 *
 * On a private connection no bus daemon fills in the sender of a message: it is
 * set here, since clients match by it.
 */

#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "dbus/object/bus_error.h"
#include "dbus/object/bus_reply.h"

static const char *destination(const BusReply *reply) {
        return reply->peer->is_message_bus || reply->peer->has_name ? reply->client->name : NULL;
}

static int finish(const BusReply *reply, BusWire *wire) {
        return bus_wire_finish_reply(wire, reply->serial, reply->peer->is_message_bus ? NULL : reply->sender,
                                     destination(reply));
}

int bus_reply_send(const BusReply *reply, BusWire *wire) {
        int r;

        r = finish(reply, wire);
        /* The call has been executed, so it must not be reported as failed. */
        if (r == -ENOMEM && !reply->peer->is_message_bus) {
                bus_peer_drop(reply->peer);
                return 0;
        }
        if (r < 0)
                return r;
        bus_peer_note_answered(reply->peer, reply->client, reply->serial);
        if (!reply->is_wanted)
                return 0;

        if (reply->tree->before_reply)
                reply->tree->before_reply(reply->tree->userdata);
        if (bus_peer_send_wire(reply->peer, wire) < 0)
                log_error("Out of memory while answering a D-Bus call.");
        return 0;
}

int bus_reply_address(const BusReply *reply, DBusMessage *message) {
        if (!dbus_message_set_reply_serial(message, reply->serial) ||
            !dbus_message_set_destination(message, destination(reply)) ||
            (!reply->peer->is_message_bus && !dbus_message_set_sender(message, reply->sender)))
                return -ENOMEM;
        return 0;
}

static int send_error(const BusReply *reply, DBusMessage *message) {
        int r = message ? bus_reply_address(reply, message) : -ENOMEM;

        return r < 0 ? r : bus_peer_send(reply->peer, message);
}

void bus_reply_fail(const BusReply *reply, const Failure *failure, int code) {
        cleanup_(failure_deinit) Failure generic = {};
        DBusMessage *message;

        bus_peer_note_answered(reply->peer, reply->client, reply->serial);
        if (!reply->is_wanted)
                return;

        if (failure->code == 0) {
                failure_set(&generic, code, NULL, code == -EMSGSIZE ?
                            "The answer would be too large for one message; ask for less." : "%s.", strerror(-code));
                failure = &generic;
        }

        message = bus_error_message(reply->dialect, failure);
        if (send_error(reply, message) < 0) {
                log_error("Out of memory while answering a D-Bus call.");
                if (!reply->peer->is_message_bus)
                        bus_peer_drop(reply->peer);
        }
        if (message)
                dbus_message_unref(message);
}
