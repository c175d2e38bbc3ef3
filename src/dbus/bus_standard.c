/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interfaces that D-Bus itself defines
 *
 * Get and GetAll with an empty interface name search all interfaces: systemctl
 * relies on that. Signals of ObjectManager carry whole objects: they are
 * written only for clients that have asked for the objects.
 */

#include <errno.h>

#include "basic/text.h"
#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_access.h"
#include "dbus/object/bus_call.h"
#include "dbus/object/bus_introspect.h"
#include "dbus/object/bus_view.h"

static int find_interface(BusCall *call, const BusInterface *interfaces, size_t n, const char *name, size_t *ret_at) {
        for (size_t i = 0; i < n; i++)
                if (bus_interface_is_named(&interfaces[i], call->dialect, name)) {
                        *ret_at = i;
                        return 0;
                }
        return bus_call_fail(call, -ENOENT, "UnknownInterface", "Object %s has no interface %s.", call->object->path,
                             name);
}

/*
 * The interfaces that @interface stands for, which is empty for all: those of @interfaces from *ret_first to before the
 * one that is returned, or -ENOENT.
 */
static int choose_interfaces(BusCall *call, const char *interface, BusInterface interfaces[static BUS_INTERFACES_MAX],
                             size_t *ret_first) {
        const size_t n = bus_object_interfaces(call->tree, call->object, interfaces);
        int r;

        *ret_first = 0;
        if (!*interface)
                return (int) n;
        r = find_interface(call, interfaces, n, interface, ret_first);
        return r < 0 ? r : (int) *ret_first + 1;
}

static int find_property(BusCall *call, const char *interface, const char *name, BusPropertyRow *ret_row) {
        BusInterface interfaces[BUS_INTERFACES_MAX];
        size_t at;
        int n = choose_interfaces(call, interface, interfaces, &at);

        if (n < 0)
                return n;
        for (; at < (size_t) n; at++)
                if (bus_interface_find_property(&interfaces[at], name, call->dialect, ret_row))
                        return 0;

        return bus_call_fail(call, -ENOENT, "UnknownProperty", "Object %s has no property %s%s%s.", call->object->path,
                             interface, *interface ? "." : "", name);
}

/* As BusKind.ask, for the interfaces from @at to before @n. */
static int ask_for_values(BusCall *call, const BusInterface *interfaces, size_t at, size_t n) {
        const BusKind *kind = call->object->kind;

        for (; at < n; at++)
                if (interfaces[at].properties && kind->ask)
                        return kind->ask(call, NULL);
        return 0;
}

static int method_get(BusCall *call) {
        const char *interface = bus_call_string(call);
        const char *name = bus_call_string(call);
        BusView view = bus_call_view(call);
        BusPropertyRow row;
        int r;

        r = find_property(call, interface, name, &row);
        if (r >= 0 && row.property && call->object->kind->ask)
                r = call->object->kind->ask(call, row.property);
        if (r != 0)
                return r;

        sink_open(call->reply, 'v', row.signature);
        bus_property_write(&view, &row, call->reply);
        sink_close(call->reply);
        return 0;
}

static int method_get_all(BusCall *call) {
        const char *interface = bus_call_string(call);
        BusInterface interfaces[BUS_INTERFACES_MAX];
        BusView view = bus_call_view(call);
        size_t at;
        int n = choose_interfaces(call, interface, interfaces, &at), r;

        if (n < 0)
                return n;
        r = ask_for_values(call, interfaces, at, (size_t) n);
        if (r != 0)
                return r;

        sink_open(call->reply, 'a', "{sv}");
        for (; at < (size_t) n; at++)
                bus_interface_write_properties(&view, &interfaces[at], 0, call->reply);
        sink_close(call->reply);
        return 0;
}

/* Anyone may call Set(), which refuses nearly all properties; the row of a property names the verb that is needed. */
static int method_set(BusCall *call) {
        const char *interface = bus_call_string(call);
        const char *name = bus_call_string(call);
        DBusMessageIter value;
        BusPropertyRow row;
        int r;

        r = find_property(call, interface, name, &row);
        if (r < 0)
                return r;
        if (!row.property || !row.property->set)
                return bus_call_fail(call, -EROFS, "PropertyReadOnly", "Property %s cannot be set.", name);
        if (!bus_access_is_allowed(call->tree, call->object, row.property->set_verb, call->client))
                return bus_call_fail(call, -EACCES, "AccessDenied", "Only the owner of the manager may do that.");
        dbus_message_iter_recurse(&call->arguments, &value);
        return row.property->set(call, &value);
}

static const BusMethod properties_methods[] = {
        { "Get", "ss", "interface property", "v", "value", BUS_VERB_READ, method_get, "Reads one property." },
        { "GetAll", "s", "interface", "a{sv}", "properties", BUS_VERB_READ, method_get_all,
          "Reads all properties of an interface; of all interfaces if its name is empty." },
        { "Set", "ssv", "interface property value", "", NULL, BUS_VERB_READ, method_set,
          "Sets LogLevel of the manager; all other properties are read-only." },
        {},
};

static const BusSignal properties_signals[] = {
        { "PropertiesChanged", "sa{sv}as", "interface changed invalidated",
          "Sent with the values of all properties that announce their changes." },
        {},
};

const BusInterface bus_properties_interface = {
        .name = DBUS_INTERFACE_PROPERTIES,
        .methods = properties_methods,
        .signals = properties_signals,
};

static int method_introspect(BusCall *call) {
        cleanup_free_ char *xml = NULL;
        int r;

        r = bus_introspect(call->tree, call->dialect, call->object, &xml);
        if (r >= 0)
                sink_string(call->reply, xml);
        return r;
}

static const BusMethod introspectable_methods[] = {
        { "Introspect", "", NULL, "s", "xml", BUS_VERB_READ, method_introspect,
          "Describes the object and names those below it." },
        {},
};

const BusInterface bus_introspectable_interface = {
        .name = DBUS_INTERFACE_INTROSPECTABLE,
        .methods = introspectable_methods,
};

static int method_ping(BusCall *call) {
        return 0;
}

static int method_get_machine_id(BusCall *call) {
        DBusError error = DBUS_ERROR_INIT;
        char *id;
        int r;

        id = dbus_try_get_local_machine_id(&error);
        if (!id) {
                r = bus_call_fail(call, -ENOENT, "FileNotFound", "The machine has no id: %s.", error.message);
                dbus_error_free(&error);
                return r;
        }

        sink_string(call->reply, id);
        dbus_free(id);
        return 0;
}

static const BusMethod peer_methods[] = {
        { "Ping", "", NULL, "", NULL, BUS_VERB_READ, method_ping, "Answers." },
        { "GetMachineId", "", NULL, "s", "machine_uuid", BUS_VERB_READ, method_get_machine_id,
          "The id of the machine." },
        {},
};

const BusInterface bus_peer_interface = { .name = DBUS_INTERFACE_PEER, .methods = peer_methods };

static int put_object(void *userdata, const BusObject *object) {
        BusCall *call = userdata;
        BusInterface interfaces[BUS_INTERFACES_MAX];
        BusView view = { call->tree, call->dialect, object };
        char path[BUS_PATH_SIZE];

        sink_open(call->reply, 'e', "oa{sa{sv}}");
        sink_path(call->reply, bus_object_path(object, call->dialect, path));
        bus_view_put_interfaces(&view, interfaces, bus_object_interfaces(call->tree, object, interfaces), call->reply);
        sink_close(call->reply);
        return call->reply->error;
}

static int method_get_managed_objects(BusCall *call) {
        int r = 0;

        call->client->uses_object_manager = true;
        sink_open(call->reply, 'a', "{oa{sa{sv}}}");
        for (const BusKind *const *kind = call->tree->kinds; *kind && r >= 0; kind++)
                r = (*kind)->visit(call->tree, put_object, call);
        if (r >= 0)
                sink_close(call->reply);
        return r;
}

static const BusMethod object_manager_methods[] = {
        { "GetManagedObjects", "", NULL, "a{oa{sa{sv}}}", "objects", BUS_VERB_PLAN, method_get_managed_objects,
          "All objects with all properties. Its caller gets the signals of this interface from then on." },
        {},
};

static const BusSignal object_manager_signals[] = {
        { "InterfacesAdded", "oa{sa{sv}}", "object interfaces", "An object was added." },
        { "InterfacesRemoved", "oas", "object interfaces", "An object was removed." },
        {},
};

const BusInterface bus_object_manager_interface = {
        .name = BUS_OBJECT_MANAGER_INTERFACE,
        .methods = object_manager_methods,
        .signals = object_manager_signals,
};
