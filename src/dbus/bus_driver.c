/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Methods of a bus daemon, on a private socket
 *
 * busctl and gdbus take any socket for a bus: they say Hello, add match rules
 * and ask for owners of names before anything else. These methods are what they
 * need on a private socket. The manager's names are their own owners, as
 * org.freedesktop.DBus is on a bus, since they are the senders of its messages.
 * A client gets signals from its first call on, but one that said Hello only
 * once it has a match rule; the rules are not evaluated: the client picks its
 * signals. A monitor is a client with match rules, too: calls of other clients
 * are not shown to it.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_call.h"

#define REQUEST_NAME_NOT_OWNER 3U       /* DBUS_REQUEST_NAME_REPLY_EXISTS */
#define RELEASE_NAME_NON_EXISTENT 2U

static int method_hello(BusCall *call) {
        if (call->peer->has_name)
                return bus_call_fail(call, -EALREADY, "Failed", "Hello was said already.");

        call->peer->has_name = true;
        sink_string(call->reply, call->client->name);
        return 0;
}

static int method_request_name(BusCall *call) {
        sink_u32(call->reply, REQUEST_NAME_NOT_OWNER);
        return 0;
}

static int method_release_name(BusCall *call) {
        sink_u32(call->reply, RELEASE_NAME_NON_EXISTENT);
        return 0;
}

static int method_list_names(BusCall *call) {
        sink_open(call->reply, 'a', "s");
        sink_string(call->reply, DBUS_SERVICE_DBUS);
        bus_foreach_dialect(call->tree->dialects, dialect)
                sink_string(call->reply, dialect->name);
        if (call->peer->has_name)
                sink_string(call->reply, call->client->name);
        sink_close(call->reply);
        return 0;
}

static int method_list_activatable_names(BusCall *call) {
        sink_strv(call->reply, NULL);
        return 0;
}

/* The client that a name stands for, or NULL. */
static const BusClient *client_of_name(const BusCall *call, const char *name) {
        return text_equal(name, call->client->name) ? call->client : NULL;
}

static bool is_own_name(const BusCall *call, const char *name) {
        bus_foreach_dialect(call->tree->dialects, dialect)
                if (text_equal(name, dialect->name))
                        return true;
        return text_equal(name, DBUS_SERVICE_DBUS);
}

static int fail_no_owner(BusCall *call, const char *name) {
        return bus_call_fail(call, -ENOENT, "NameHasNoOwner", "Nobody here has the name %s.", name);
}

static int method_name_has_owner(BusCall *call) {
        const char *name = bus_call_string(call);

        sink_bool(call->reply, is_own_name(call, name) || client_of_name(call, name));
        return 0;
}

static int method_get_name_owner(BusCall *call) {
        const char *name = bus_call_string(call);

        if (!is_own_name(call, name) && !client_of_name(call, name))
                return fail_no_owner(call, name);
        sink_string(call->reply, name);
        return 0;
}

static int add_match(BusCall *call, const char *rule) {
        if (strlen(rule) > BUS_MATCH_LENGTH_MAX)
                return bus_call_fail(call, -E2BIG, "LimitsExceeded", "A match rule may have no more than %u bytes.",
                                     BUS_MATCH_LENGTH_MAX);
        if (strv_length(call->peer->matches) >= BUS_MATCHES_MAX)
                return bus_call_fail(call, -E2BIG, "LimitsExceeded",
                                     "A connection may have no more than %u match rules.", BUS_MATCHES_MAX);

        bus_foreach_dialect(call->tree->dialects, dialect)
                if (strstr(rule, dialect->name) || strstr(rule, dialect->root))
                        call->peer->dialects |= BUS_DIALECT_BIT(dialect->id);
        if (strstr(rule, BUS_OBJECT_MANAGER_INTERFACE))
                call->client->uses_object_manager = true;
        return strv_push(&call->peer->matches, rule);
}

static int method_add_match(BusCall *call) {
        return add_match(call, bus_call_string(call));
}

/* A monitor starts to listen when it is told that it has lost its name. */
static int send_name_lost(BusCall *call) {
        DBusMessage *message = dbus_message_new_signal(DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "NameLost");
        const char *name = call->client->name;
        int r = -ENOMEM;

        if (message && dbus_message_set_sender(message, DBUS_SERVICE_DBUS) &&
            dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID))
                r = bus_peer_send(call->peer, message);
        if (message)
                dbus_message_unref(message);
        return r;
}

static int method_become_monitor(BusCall *call) {
        cleanup_(strv_freep) char **rules = NULL;
        int r;

        r = bus_call_strv(call, &rules);
        if (r >= 0 && !rules)
                r = add_match(call, "");
        strv_foreach(rule, rules)
                if (r >= 0)
                        r = add_match(call, *rule);
        return r < 0 ? r : send_name_lost(call);
}

static int method_remove_match(BusCall *call) {
        const char *rule = bus_call_string(call);
        size_t n = strv_length(call->peer->matches);

        for (size_t i = 0; i < n; i++) {
                if (!text_equal(call->peer->matches[i], rule))
                        continue;

                free(call->peer->matches[i]);
                call->peer->matches[i] = call->peer->matches[n - 1];
                call->peer->matches[n - 1] = NULL;
                if (n == 1)
                        call->peer->matches = strv_free(call->peer->matches);
                return 0;
        }
        return bus_call_fail(call, -ENOENT, "MatchRuleNotFound", "There is no such match rule: %s", rule);
}

static int method_get_id(BusCall *call) {
        sink_string(call->reply, call->peer->server_id);
        return 0;
}

/* Credentials of a name: of the caller, or the manager's own. */
static int credentials_of_name(BusCall *call, const char *name, uint32_t *ret_uid, uint32_t *ret_pid) {
        const BusClient *client = client_of_name(call, name);

        if (!client && !is_own_name(call, name))
                return fail_no_owner(call, name);

        *ret_uid = client ? client->uid : call->tree->peers->owner;
        *ret_pid = (uint32_t) (client ? client->pid : getpid());
        return 0;
}

static int method_get_connection_unix_user(BusCall *call) {
        uint32_t uid = UINT32_MAX, pid = 0;
        int r;

        r = credentials_of_name(call, bus_call_string(call), &uid, &pid);
        if (r >= 0)
                sink_u32(call->reply, uid);
        return r;
}

static int method_get_connection_unix_process_id(BusCall *call) {
        uint32_t uid = UINT32_MAX, pid = 0;
        int r;

        r = credentials_of_name(call, bus_call_string(call), &uid, &pid);
        if (r >= 0)
                sink_u32(call->reply, pid);
        return r;
}

static int method_get_connection_credentials(BusCall *call) {
        uint32_t uid = UINT32_MAX, pid = 0;
        int r;

        r = credentials_of_name(call, bus_call_string(call), &uid, &pid);
        if (r < 0)
                return r;

        sink_open(call->reply, 'a', "{sv}");
        sink_entry_u32(call->reply, "UnixUserID", uid);
        sink_entry_u32(call->reply, "ProcessID", pid);
        sink_close(call->reply);
        return 0;
}

static const BusMethod driver_methods[] = {
        { "Hello", "", NULL, "s", "unique_name", BUS_VERB_READ, method_hello, "Names the connection." },
        { "RequestName", "su", "name flags", "u", "result", BUS_VERB_READ, method_request_name,
          "Answers always that another client has the name." },
        { "ReleaseName", "s", "name", "u", "result", BUS_VERB_READ, method_release_name,
          "Answers always that there is no such name." },
        { "ListNames", "", NULL, "as", "names", BUS_VERB_READ, method_list_names, "Our names and the caller's." },
        { "ListActivatableNames", "", NULL, "as", "names", BUS_VERB_READ, method_list_activatable_names, "None." },
        { "NameHasOwner", "s", "name", "b", "has_owner", BUS_VERB_READ, method_name_has_owner,
          "Whether it is one of these names." },
        { "GetNameOwner", "s", "name", "s", "owner", BUS_VERB_READ, method_get_name_owner, "The name itself." },
        { "AddMatch", "s", "rule", "", NULL, BUS_VERB_READ, method_add_match,
          "From the first one on the connection is sent signals." },
        { "RemoveMatch", "s", "rule", "", NULL, BUS_VERB_READ, method_remove_match, "Removes one." },
        { "GetId", "", NULL, "s", "id", BUS_VERB_READ, method_get_id, "The id of the server." },
        { "GetConnectionUnixUser", "s", "name", "u", "uid", BUS_VERB_READ, method_get_connection_unix_user,
          "The uid of the owner of a name." },
        { "GetConnectionUnixProcessID", "s", "name", "u", "pid", BUS_VERB_READ, method_get_connection_unix_process_id,
          "The pid of the owner of a name." },
        { "GetConnectionCredentials", "s", "name", "a{sv}", "credentials", BUS_VERB_READ,
          method_get_connection_credentials, "Uid and pid of the owner of a name." },
        {},
};

static const BusMethod monitoring_methods[] = {
        { "BecomeMonitor", "asu", "rules flags", "", NULL, BUS_VERB_READ, method_become_monitor,
          "As AddMatch with each of the rules, or with one that fits all." },
        {},
};

static const BusSignal driver_signals[] = {
        { "NameLost", "s", "name", "Sent to a client that becomes a monitor." },
        { "NameOwnerChanged", "sss", "name old_owner new_owner", "Never sent here: owners of names do not change." },
        {},
};

const BusInterface bus_driver_interface = {
        .name = DBUS_INTERFACE_DBUS,
        .methods = driver_methods,
        .signals = driver_signals,
};

const BusInterface bus_monitoring_interface = {
        .name = DBUS_INTERFACE_MONITORING,
        .methods = monitoring_methods,
};

static size_t interfaces(const BusObject *object, BusInterface *ret_interfaces) {
        ret_interfaces[0] = bus_driver_interface;
        ret_interfaces[1] = bus_monitoring_interface;
        return 2;
}

const BusKind bus_driver_kind = { .interfaces = interfaces };
