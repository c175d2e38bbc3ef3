/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * From a message to its handler, and back
 *
 * Everything that can be wrong with a call is found here, in the order in which
 * it can be told: object, interface, method, signature, access. So handlers see
 * only calls that fit their row of the table. On a private connection there is
 * no bus daemon that would name the sender of a message: we do, since clients
 * match by it.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "dbus/bus_access.h"
#include "dbus/bus_call.h"
#include "dbus/bus_dispatch.h"
#include "dbus/bus_error.h"
#include "dbus/bus_object.h"

static const char *sender_of_call(const BusCall *call) {
        return call->object->kind == BUS_OBJECT_DRIVER ? DBUS_SERVICE_DBUS : call->dialect->name;
}

static void call_send_error(BusCall *call, DBusMessage *reply) {
        bool is_named = call->peer->is_message_bus;

        if (reply && !is_named)
                is_named = dbus_message_set_sender(reply, sender_of_call(call)) &&
                           (!call->peer->has_name || dbus_message_set_destination(reply, call->client->name));

        if (reply && is_named && bus_peer_send(call->peer, reply) >= 0)
                return;
        log_error("Out of memory while answering a D-Bus call.");
        if (!call->peer->is_message_bus)
                bus_peer_drop(call->peer);
}

static void call_send_failure(BusCall *call, int code) {
        DBusMessage *reply;

        if (call->failure.code == 0)
                failure_set(&call->failure, code, NULL, code == -EMSGSIZE ?
                            "The answer would be too large for one message; ask for less." : "%s.", strerror(-code));

        reply = bus_error_reply(call->dialect, call->message, &call->failure);
        call_send_error(call, reply);
        if (reply)
                dbus_message_unref(reply);
}

static bool find_in_interface(BusCall *call, const BusInterface *interface, const char *wanted, bool *ret_is_there) {
        const BusMethod *method;

        if (wanted && !bus_interface_is_named(interface, call->dialect, wanted))
                return false;

        *ret_is_there = true;
        method = bus_interface_find_method(interface, dbus_message_get_member(call->message));
        if (!method)
                return false;

        call->method = method;
        return true;
}

static int call_find_method(BusCall *call) {
        BusInterface interfaces[BUS_INTERFACES_MAX];
        const char *wanted = dbus_message_get_interface(call->message);
        const char *member = dbus_message_get_member(call->message);
        bool is_there = false;
        size_t n;

        n = bus_object_interfaces(call->object, interfaces);
        for (size_t i = 0; i < n; i++)
                if (find_in_interface(call, &interfaces[i], wanted, &is_there))
                        return 0;

        if (!is_there && wanted)
                return bus_call_fail(call, -ENOENT, "UnknownInterface", "Object %s has no interface %s.",
                                     call->object->path, wanted);
        return bus_call_fail(call, -ENOENT, "UnknownMethod", "Object %s has no method %s%s%s.", call->object->path,
                             wanted ?: "", wanted ? "." : "", member);
}

static int call_deny(BusCall *call) {
        if (call->bus->owner == 0)
                return bus_call_fail(call, -EACCES, "AccessDenied", "Only root may call %s; the caller is uid %d.",
                                     call->method->name, (int) call->client->uid);
        return bus_call_fail(call, -EACCES, "AccessDenied",
                             "Only root and uid %u, as whom the manager runs, may call %s; the caller is uid %d.",
                             (unsigned) call->bus->owner, call->method->name, (int) call->client->uid);
}

static int call_check(BusCall *call) {
        const char *signature = dbus_message_get_signature(call->message);

        if (!text_equal(signature, call->method->in))
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "Method %s takes arguments of the signature \"%s\", but was called with \"%s\".",
                                     call->method->name, call->method->in, signature);

        if (!bus_access_is_allowed(call->method->verb, call->client->uid, call->bus->owner))
                return call_deny(call);
        return 0;
}

static int call_find_object(BusCall *call, BusObject *ret_object) {
        const char *destination = dbus_message_get_destination(call->message);
        const char *interface = dbus_message_get_interface(call->message);
        const char *path = dbus_message_get_path(call->message);
        bool is_ours = !destination || text_equal(destination, call->client->name);

        *ret_object = (BusObject) { .kind = BUS_OBJECT_DRIVER, .path = path };
        if (call->peer->is_message_bus)
                return bus_object_find(call->bus, path, call->client->pid, &call->dialect, ret_object, &call->failure);

        if (text_equal(destination, DBUS_SERVICE_DBUS) || text_equal(interface, DBUS_INTERFACE_DBUS) ||
            text_equal(path, DBUS_PATH_DBUS))
                return 0;

        bus_foreach_dialect(call->bus, dialect)
                is_ours = is_ours || text_equal(destination, dialect->name);
        if (!is_ours)
                return bus_call_fail(call, -ENOENT, "ServiceUnknown", "Nobody here has the name %s.", destination);

        return bus_object_find(call->bus, path, call->client->pid, &call->dialect, ret_object, &call->failure);
}

static int call_finish_reply(BusCall *call) {
        uint32_t serial = dbus_message_get_serial(call->message);

        if (call->peer->is_message_bus)
                return bus_wire_finish_reply(&call->bus->reply, serial, NULL, dbus_message_get_sender(call->message));
        return bus_wire_finish_reply(&call->bus->reply, serial, sender_of_call(call),
                                     call->peer->has_name ? call->client->name : NULL);
}

/* Runs the handler into a reply and sends it; what it caused to be announced goes first. */
static int call_answer(BusCall *call) {
        BusWire *wire = &call->bus->reply;
        int r;

        bus_wire_begin(wire);
        call->reply = &wire->sink;
        dbus_message_iter_init(call->message, &call->arguments);
        r = call->method->handler(call);
        if (r >= 0) {
                r = call_finish_reply(call);
                /* It is done: to say that it has failed would be a lie. */
                if (r == -ENOMEM && !call->peer->is_message_bus) {
                        bus_peer_drop(call->peer);
                        return 0;
                }
        }
        if (r >= 0 && !dbus_message_get_no_reply(call->message)) {
                bus_signals_announce_jobs(call->bus);
                if (bus_peer_send_wire(call->peer, wire) < 0)
                        log_error("Out of memory while answering a D-Bus call.");
        }
        bus_wire_begin(wire);
        return r;
}

void bus_dispatch_call(BusClient *client, DBusMessage *message) {
        BusObject object;
        BusCall call = {
                .bus = client->peer->bus,
                .peer = client->peer,
                .client = client,
                .dialect = &bus_dialects[BUS_DIALECT_OWN],
                .object = &object,
                .message = message,
        };
        int r;

        r = call_find_object(&call, &object);
        if (r >= 0)
                r = call_find_method(&call);
        if (r >= 0)
                r = call_check(&call);
        if (r >= 0) {
                if (object.kind != BUS_OBJECT_DRIVER)
                        client->peer->dialects |= BUS_DIALECT_BIT(call.dialect->id);
                r = call_answer(&call);
        }
        if (r < 0 && !dbus_message_get_no_reply(message))
                call_send_failure(&call, r);
        failure_deinit(&call.failure);
}

void bus_dispatch_failure(BusClient *client, DBusMessage *message, const Failure *failure) {
        BusObject object = { .kind = BUS_OBJECT_MANAGER };
        BusCall call = {
                .bus = client->peer->bus,
                .peer = client->peer,
                .client = client,
                .dialect = &bus_dialects[BUS_DIALECT_OWN],
                .object = &object,
                .message = message,
        };

        if (dbus_message_get_no_reply(message))
                return;

        (void) failure_copy(&call.failure, failure);
        call_send_failure(&call, failure->code);
        failure_deinit(&call.failure);
}

void bus_dispatch_private(BusPeer *peer, DBusMessage *message) {
        assert(peer->clients.n == 1);

        if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL)
                bus_dispatch_call(peer->clients.items[0], message);
}
