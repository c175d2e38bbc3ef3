/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Interfaces as tables
 *
 * A type's interface has its rows from the unit layer, which knows no bus; the
 * rest of the layer sees both kinds through one view.
 */

#include <assert.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/bus_table.h"

BusInterface bus_type_interface(const UnitVTable *vtable) {
        return (BusInterface) {
                .name = vtable->interface,
                .description = "What is particular to units of this type.",
                .unit_properties = vtable->properties,
        };
}

bool bus_interface_property(const BusInterface *interface, size_t at, BusPropertyRow *ret_row) {
        if (interface->properties && interface->properties[at].name) {
                const BusProperty *property = &interface->properties[at];

                *ret_row = (BusPropertyRow) { property->name, property->signature, property->description,
                                              property->flags, property, NULL };
                return true;
        }
        if (interface->unit_properties && interface->unit_properties[at].name) {
                const UnitProperty *property = &interface->unit_properties[at];

                *ret_row = (BusPropertyRow) { property->name, property->signature, property->description,
                                              property->flags, NULL, property };
                return true;
        }
        return false;
}

bool bus_interface_find_property(const BusInterface *interface, const char *name, BusPropertyRow *ret_row) {
        for (size_t i = 0; bus_interface_property(interface, i, ret_row); i++)
                if (strcmp(ret_row->name, name) == 0)
                        return true;
        return false;
}

const BusMethod *bus_interface_find_method(const BusInterface *interface, const char *name) {
        for (const BusMethod *method = interface->methods; method && method->name; method++)
                if (strcmp(method->name, name) == 0)
                        return method;
        return NULL;
}

void bus_property_write(const BusView *view, const BusPropertyRow *row, Sink *sink) {
        if (row->property)
                row->property->get(view, row->property->parameter, sink);
        else
                row->unit_property->get(view->object->unit, sink);
}

void bus_interface_write_properties(const BusView *view, const BusInterface *interface, uint8_t flags, Sink *sink) {
        for (const BusProperty *row = interface->properties; row && row->name; row++) {
                if ((row->flags & flags) != flags)
                        continue;
                sink_entry_open(sink, row->name, row->signature);
                row->get(view, row->parameter, sink);
                sink_entry_close(sink);
        }
        for (const UnitProperty *row = interface->unit_properties; row && row->name; row++) {
                if ((row->flags & flags) != flags)
                        continue;
                sink_entry_open(sink, row->name, row->signature);
                row->get(view->object->unit, sink);
                sink_entry_close(sink);
        }
}

bool bus_interface_has_properties(const BusInterface *interface, uint8_t flags) {
        for (const BusProperty *row = interface->properties; row && row->name; row++)
                if ((row->flags & flags) == flags)
                        return true;
        for (const UnitProperty *row = interface->unit_properties; row && row->name; row++)
                if ((row->flags & flags) == flags)
                        return true;
        return false;
}

const char *bus_interface_full_name(const BusInterface *interface, const BusDialect *dialect,
                                    char buffer[static BUS_INTERFACE_NAME_SIZE]) {
        if (strchr(interface->name, '.'))
                return interface->name;

        assert(strlen(dialect->name) + 1 + strlen(interface->name) < BUS_INTERFACE_NAME_SIZE);
        stpcpy(stpcpy(stpcpy(buffer, dialect->name), "."), interface->name);
        return buffer;
}

bool bus_interface_is_named(const BusInterface *interface, const BusDialect *dialect, const char *full_name) {
        size_t n = strlen(dialect->name);

        if (strchr(interface->name, '.'))
                return strcmp(interface->name, full_name) == 0;
        return strncmp(full_name, dialect->name, n) == 0 && full_name[n] == '.' &&
               strcmp(full_name + n + 1, interface->name) == 0;
}
