/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interfaces that D-Bus itself defines
 *
 * Properties answers an empty interface name with those of all interfaces, as
 * systemctl relies on. ObjectManager's signals carry whole objects: they are
 * only made for those who have asked for the objects.
 */

#include <errno.h>

#include "basic/text.h"
#include "dbus/bus_access.h"
#include "dbus/bus_call.h"
#include "dbus/bus_introspect.h"
#include "dbus/bus_manager.h"
#include "dbus/bus_object.h"

static int find_interface(BusCall *call, const BusInterface *interfaces, size_t n, const char *name, size_t *ret_at) {
        for (size_t i = 0; i < n; i++)
                if (bus_interface_is_named(&interfaces[i], call->dialect, name)) {
                        *ret_at = i;
                        return 0;
                }
        return bus_call_fail(call, -ENOENT, "UnknownInterface", "Object %s has no interface %s.", call->object->path,
                             name);
}

/* An empty @interface searches all. */
static int find_property(BusCall *call, const char *interface, const char *name, BusPropertyRow *ret_row) {
        BusInterface interfaces[BUS_INTERFACES_MAX];
        size_t n, at = 0;
        int r;

        n = bus_object_interfaces(call->object, interfaces);
        if (*interface) {
                r = find_interface(call, interfaces, n, interface, &at);
                if (r < 0)
                        return r;
                n = at + 1;
        }
        for (; at < n; at++)
                if (bus_interface_find_property(&interfaces[at], name, ret_row))
                        return 0;

        return bus_call_fail(call, -ENOENT, "UnknownProperty", "Object %s has no property %s%s%s.", call->object->path,
                             interface, *interface ? "." : "", name);
}

static int method_get(BusCall *call) {
        const char *interface = bus_call_string(call);
        const char *name = bus_call_string(call);
        BusView view = bus_call_view(call);
        BusPropertyRow row;
        int r;

        r = find_property(call, interface, name, &row);
        if (r < 0)
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
        size_t n, at = 0;
        int r;

        n = bus_object_interfaces(call->object, interfaces);
        if (*interface) {
                r = find_interface(call, interfaces, n, interface, &at);
                if (r < 0)
                        return r;
                n = at + 1;
        }

        sink_open(call->reply, 'a', "{sv}");
        for (; at < n; at++)
                bus_interface_write_properties(&view, &interfaces[at], 0, call->reply);
        sink_close(call->reply);
        return 0;
}

/* Set() may be called by anyone, for it mostly tells that nothing can be set: who may do this is asked here. */
static int set_log_level(BusCall *call) {
        DBusMessageIter value;
        const char *word;

        if (!bus_access_is_allowed(BUS_VERB_RELOAD, call->client->uid, call->bus->owner))
                return bus_call_fail(call, -EACCES, "AccessDenied", "Only the owner of the manager may do that.");
        dbus_message_iter_recurse(&call->arguments, &value);
        if (dbus_message_iter_get_arg_type(&value) != DBUS_TYPE_STRING)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "LogLevel is a string.");
        dbus_message_iter_get_basic(&value, &word);
        return bus_manager_set_log_level(call, word);
}

static int method_set(BusCall *call) {
        const char *interface = bus_call_string(call);
        const char *name = bus_call_string(call);
        BusPropertyRow row;
        int r;

        r = find_property(call, interface, name, &row);
        if (r < 0)
                return r;
        if (call->object->kind == BUS_OBJECT_MANAGER && text_equal(name, "LogLevel"))
                return set_log_level(call);
        return bus_call_fail(call, -EROFS, "PropertyReadOnly", "Property %s cannot be set.", name);
}

static const BusMethod properties_methods[] = {
        { "Get", "ss", "interface property", "v", "value", BUS_VERB_READ, method_get, "Reads one property." },
        { "GetAll", "s", "interface", "a{sv}", "properties", BUS_VERB_READ, method_get_all,
          "Reads all properties of an interface; of all interfaces if its name is empty." },
        { "Set", "ssv", "interface property value", "", NULL, BUS_VERB_READ, method_set,
          "Of the manager LogLevel can be set; all others are refused." },
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

        r = bus_introspect(call->bus, call->dialect, call->object, &xml);
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

static void put_object(BusCall *call, const BusObject *object, const char *path) {
        BusInterface interfaces[BUS_INTERFACES_MAX];
        BusView view = { call->bus, call->dialect, object };
        size_t n;

        sink_open(call->reply, 'e', "oa{sa{sv}}");
        sink_path(call->reply, path);
        sink_open(call->reply, 'a', "{sa{sv}}");
        n = bus_object_interfaces(object, interfaces);
        for (size_t i = 0; i < n; i++) {
                char name[BUS_INTERFACE_NAME_SIZE];

                if (!interfaces[i].properties && !interfaces[i].unit_properties)
                        continue;
                sink_open(call->reply, 'e', "sa{sv}");
                sink_string(call->reply, bus_interface_full_name(&interfaces[i], call->dialect, name));
                sink_open(call->reply, 'a', "{sv}");
                bus_interface_write_properties(&view, &interfaces[i], 0, call->reply);
                sink_close(call->reply);
                sink_close(call->reply);
        }
        sink_close(call->reply);
        sink_close(call->reply);
}

static int put_units(BusCall *call) {
        UnitTable *table = manager_units(call->bus->manager);

        unit_table_foreach(table, unit) {
                BusObject object = { .kind = BUS_OBJECT_UNIT, .unit = unit };
                char path[BUS_PATH_SIZE];

                put_object(call, &object, bus_path_of_unit(call->dialect, unit->id, path));
                if (call->reply->error < 0)
                        return call->reply->error;
        }
        return 0;
}

static int put_jobs(BusCall *call) {
        JobInfos jobs = {};
        int r;

        r = job_manager_list(manager_jobs(call->bus->manager), &jobs);
        for (size_t i = 0; r >= 0 && i < jobs.n; i++) {
                BusObject object = { .kind = BUS_OBJECT_JOB, .job = jobs.items[i], .unit = jobs.items[i].unit };
                char path[BUS_PATH_SIZE];

                put_object(call, &object, bus_path_of_job(call->dialect, object.job.id, path));
        }
        vector_deinit(&jobs);
        return r;
}

static int method_get_managed_objects(BusCall *call) {
        int r;

        call->client->uses_object_manager = true;
        sink_open(call->reply, 'a', "{oa{sa{sv}}}");
        r = put_units(call);
        if (r >= 0)
                r = put_jobs(call);
        if (r >= 0)
                sink_close(call->reply);
        return r;
}

static const BusMethod object_manager_methods[] = {
        { "GetManagedObjects", "", NULL, "a{oa{sa{sv}}}", "objects", BUS_VERB_READ, method_get_managed_objects,
          "All units and jobs with all properties. Who called it is told of those that come and go." },
        {},
};

static const BusSignal object_manager_signals[] = {
        { "InterfacesAdded", "oa{sa{sv}}", "object interfaces", "A unit or job has come." },
        { "InterfacesRemoved", "oas", "object interfaces", "A unit or job has gone." },
        {},
};

const BusInterface bus_object_manager_interface = {
        .name = "org.freedesktop.DBus.ObjectManager",
        .methods = object_manager_methods,
        .signals = object_manager_signals,
};
