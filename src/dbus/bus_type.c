/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interfaces of the types of units
 *
 * The properties of a type are rows of the unit layer, which knows no bus.
 */

#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_call.h"
#include "manager/manager_transient.h"

static int method_abandon(BusCall *call) {
        return manager_abandon_unit(call->tree->manager, call->object->unit, &call->failure);
}

/* Of units that a controller ends. */
static const BusMethod controlled_methods[] = {
        { "Abandon", "", NULL, "", NULL, BUS_VERB_KILL, method_abandon,
          "Removes the controller; the scope stays until its last process has ended." },
        {},
};

static const BusSignal controlled_signals[] = {
        { "RequestStop", "", NULL, "The controller shall end the scope; after a timeout the manager does." },
        {},
};

BusInterface bus_type_interface(const UnitVTable *vtable) {
        return (BusInterface) {
                .methods = vtable->abandon ? controlled_methods : NULL,
                .signals = vtable->abandon ? controlled_signals : NULL,
                .name = vtable->interface,
                .description = "Properties of units of this type.",
                .unit_properties = vtable->properties,
        };
}
