/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interfaces of the types of units
 *
 * The properties of a type are rows of the unit layer, which knows no bus.
 */

#include "dbus/bus_interfaces.h"
#include "dbus/bus_manager.h"
#include "dbus/object/bus_call.h"
#include "manager/manager_transient.h"

static int method_abandon(BusCall *call) {
        return manager_abandon_unit(call->tree->manager, call->object->unit, &call->failure);
}

#define OF_GROUP                                                                                                     \
        { "GetProcesses", "", NULL, "a(sus)", "processes", BUS_VERB_READ, bus_unit_get_processes,                    \
          "As Manager.GetUnitProcesses." },                                                                          \
        { "AttachProcesses", "sau", "subgroup pids", "", NULL, BUS_VERB_CONTROL, bus_unit_attach_processes,          \
          "As Manager.AttachProcessesToUnit." }

static const BusMethod group_methods[] = { OF_GROUP, {} };

/* Of units that a controller ends. */
static const BusMethod controlled_methods[] = {
        { "Abandon", "", NULL, "", NULL, BUS_VERB_KILL, method_abandon,
          "Removes the controller; the scope stays until its last process has ended." },
        OF_GROUP,
        {},
};

static const BusMethod service_methods[] = {
        OF_GROUP,
        { "BindMount", "ssbb", "source destination read_only mkdir", "", NULL, BUS_VERB_CONTROL, bus_call_not_supported,
          "Not supported.", .flags = BUS_PROPERTY_FOREIGN },
        { "MountImage", "ssbba(ss)", "source destination read_only mkdir options", "", NULL, BUS_VERB_CONTROL,
          bus_call_not_supported, "Not supported.", .flags = BUS_PROPERTY_FOREIGN },
        {},
};

static const BusSignal controlled_signals[] = {
        { "RequestStop", "", NULL, "The controller shall end the scope; after a timeout the manager does." },
        {},
};

static const BusMethod *methods_of(const UnitVTable *vtable) {
        return vtable->abandon              ? controlled_methods :
               vtable->type == UNIT_SERVICE ? service_methods :
               vtable->group                ? group_methods : NULL;
}

BusInterface bus_type_interface(const UnitVTable *vtable) {
        return (BusInterface) {
                .methods = methods_of(vtable),
                .signals = vtable->abandon ? controlled_signals : NULL,
                .name = vtable->interface,
                .description = "Properties of units of this type.",
                .unit_properties = vtable->properties,
        };
}
