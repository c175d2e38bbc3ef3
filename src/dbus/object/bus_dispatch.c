/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * From a message to its handler, and back
 *
 * Errors in a call are found here, in this order: object, interface, method,
 * signature, access. So handlers get only calls that match their row of the
 * table.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/object/bus_access.h"
#include "dbus/object/bus_call.h"
#include "dbus/object/bus_dispatch.h"
#include "dbus/object/bus_later.h"
#include "dbus/object/bus_question.h"
#include "dbus/object/bus_reply.h"

static BusReply reply_to_call(const BusCall *call) {
        return (BusReply) {
                .tree = call->tree,
                .peer = call->peer,
                .client = call->client,
                .dialect = call->dialect,
                .sender = call->sender,
                .serial = dbus_message_get_serial(call->message),
                .is_wanted = !dbus_message_get_no_reply(call->message),
        };
}

static bool find_in_interface(BusCall *call, const BusInterface *interface, const char *wanted, bool *ret_is_there) {
        const BusMethod *method;

        if (wanted && !bus_interface_is_named(interface, call->dialect, wanted))
                return false;

        *ret_is_there = true;
        method = bus_interface_find_method(interface, dbus_message_get_member(call->message), call->dialect);
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

        n = bus_object_interfaces(call->tree, call->object, interfaces);
        for (size_t i = 0; i < n; i++)
                if (find_in_interface(call, &interfaces[i], wanted, &is_there))
                        return 0;

        if (!is_there && wanted)
                return bus_call_fail(call, -ENOENT, "UnknownInterface", "Object %s has no interface %s.",
                                     call->object->path, wanted);
        return bus_call_fail(call, -ENOENT, "UnknownMethod", "Object %s has no method %s%s%s.", call->object->path,
                             wanted ?: "", wanted ? "." : "", member);
}

/* Whom the kind of the object may grant it, beside. */
static const char *describe_others(BusVerb verb) {
        return verb == BUS_VERB_SUBMIT ? ", and users whom AllowSubmit= of the flow names,"
               : verb == BUS_VERB_CONTROL_RUN
                       ? ", the user who has submitted the run, and users whom AllowControl= of its flow names,"
                       : "";
}

static int call_deny(BusCall *call) {
        const uid_t owner = call->tree->peers->owner;
        const char *others = describe_others(call->method->verb);

        if (owner == 0)
                return bus_call_fail(call, -EACCES, "AccessDenied", "Only root%s may call %s; the caller is uid %d.",
                                     others, call->method->name, (int) call->client->uid);
        return bus_call_fail(call, -EACCES, "AccessDenied",
                             "Only root and uid %u, as whom the manager runs%s%s may call %s; the caller is uid %d.",
                             (unsigned) owner, *others ? "" : ",", others, call->method->name,
                             (int) call->client->uid);
}

/* A method that is about another object than the one that is called is allowed if a call of that one would be. */
static bool call_is_allowed(const BusCall *call) {
        const BusMethod *method = call->method;
        BusObject subject = {};

        return bus_access_is_allowed(call->tree, call->object, method->verb, call->client) ||
               (method->find_subject && method->find_subject(call, &subject) &&
                bus_access_is_allowed(call->tree, &subject, method->verb, call->client));
}

/* BUS_CALL_LATER: polkit decides. */
static int call_check_access(BusCall *call) {
        if (call_is_allowed(call))
                return 0;
        return bus_question_is_possible(call) ? bus_question_ask(call) : call_deny(call);
}

static int call_check(BusCall *call) {
        const char *signature = dbus_message_get_signature(call->message);

        dbus_message_iter_init(call->message, &call->arguments);
        if (!text_equal(signature, call->method->in))
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "Method %s takes arguments of the signature \"%s\", but was called with \"%s\".",
                                     call->method->name, call->method->in, signature);

        return call_check_access(call);
}

static int call_find_in_tree(BusCall *call, BusObject *object) {
        int r;

        r = bus_tree_find(call->tree, dbus_message_get_path(call->message), call->client->pid, object, &call->failure);
        call->dialect = object->dialect;
        call->sender = call->dialect->name;
        return r;
}

static int call_find_object(BusCall *call, BusObject *ret_object) {
        const char *destination = dbus_message_get_destination(call->message);
        const char *interface = dbus_message_get_interface(call->message);
        const char *path = dbus_message_get_path(call->message);
        bool is_ours = !destination || text_equal(destination, call->client->name);

        if (call->peer->is_message_bus)
                return call_find_in_tree(call, ret_object);

        if (text_equal(destination, DBUS_SERVICE_DBUS) || text_equal(interface, DBUS_INTERFACE_DBUS) ||
            text_equal(path, DBUS_PATH_DBUS)) {
                *ret_object = (BusObject) { .kind = call->tree->driver, .path = path };
                return 0;
        }

        bus_foreach_dialect(call->tree->dialects, dialect)
                is_ours = is_ours || text_equal(destination, dialect->name);
        if (!is_ours)
                return bus_call_fail(call, -ENOENT, "ServiceUnknown", "Nobody here has the name %s.", destination);
        return call_find_in_tree(call, ret_object);
}

/* Runs the handler, which writes the reply, and sends that. */
static int call_answer(BusCall *call, BusWire *wire) {
        const BusReply reply = reply_to_call(call);
        int r;

        bus_wire_begin(wire);
        call->reply = &wire->sink;
        r = call->method->handler(call);
        if (r < 0)
                bus_call_unkeep(call);
        assert((call->later != 0) == (r == BUS_CALL_LATER));

        if (r == BUS_CALL_LATER)
                r = 0;
        else if (r >= 0)
                r = bus_reply_send(&reply, wire);
        bus_wire_begin(wire);
        return r;
}

/* Until an object is found the dialect is jobd's own. */
static BusCall call_begin(const BusTree *tree, BusClient *client, DBusMessage *message, const BusObject *object) {
        return (BusCall) {
                .tree = tree,
                .peer = client->peer,
                .client = client,
                .dialect = &bus_dialects[BUS_DIALECT_OWN],
                .sender = DBUS_SERVICE_DBUS,
                .object = object,
                .message = message,
        };
}

/* @consent: NULL for a call that has just come. */
static void run(BusDispatch *dispatch, BusClient *client, DBusMessage *message, BusConsent *consent) {
        BusObject object;
        BusCall call = call_begin(dispatch->tree, client, message, &object);
        int r;

        call.consent = consent;
        r = call_find_object(&call, &object);
        if (r >= 0)
                r = call_find_method(&call);
        if (r >= 0)
                r = call_check(&call);
        if (r >= 0 && r != BUS_CALL_LATER) {
                if (object.kind != dispatch->tree->driver)
                        client->peer->dialects |= BUS_DIALECT_BIT(call.dialect->id);
                if (call.method->verb != BUS_VERB_READ)
                        bus_peer_note_stage(client->peer, client, dbus_message_get_serial(message), BUS_LEDGER_BEGUN);
                r = call_answer(&call, &dispatch->wire);
        }
        if (r < 0) {
                const BusReply reply = reply_to_call(&call);

                bus_reply_fail(&reply, &call.failure, r);
        }
        failure_deinit(&call.failure);
}

static void on_call(BusClient *client, DBusMessage *message, void *userdata) {
        run(userdata, client, message, NULL);
}

void bus_dispatch_resume(BusClient *client, DBusMessage *message, BusConsent *consent, void *userdata) {
        run(userdata, client, message, consent);
}

static void on_gone(const BusClient *client, void *userdata) {
        const BusDispatch *dispatch = userdata;

        if (dispatch->tree->questions)
                bus_questions_forget(dispatch->tree->questions, client);
}

/* Refusals are in jobd's own dialect. */
static void on_refuse(BusClient *client, DBusMessage *message, const Failure *failure, void *userdata) {
        const BusDispatch *dispatch = userdata;
        BusCall call = call_begin(dispatch->tree, client, message, NULL);
        BusReply reply = reply_to_call(&call);

        reply.sender = call.dialect->name;
        bus_reply_fail(&reply, failure, failure->code);
}

const BusReceiverOps bus_dispatch_receiver = { .call = on_call, .gone = on_gone, .refuse = on_refuse };

void bus_dispatch_deinit(BusDispatch *dispatch) {
        bus_wire_deinit(&dispatch->wire);
}
