/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Interfaces as tables
 *
 * The rows of a unit type's interface come from the unit layer, which knows no
 * bus; the rest of the bus layer sees both kinds through one interface.
 */

#include <assert.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/object/bus_table.h"
#include "dbus/object/bus_tree.h"

bool bus_interface_property(const BusInterface *interface, size_t at, BusPropertyRow *ret_row) {
        const UnitProperty *of_unit = unit_property_at(interface->unit_properties, at);

        if (interface->properties && interface->properties[at].name) {
                const BusProperty *property = &interface->properties[at];

                *ret_row = (BusPropertyRow) { property->name, property->signature, property->description,
                                              property->flags, property, NULL };
                return true;
        }
        if (of_unit) {
                *ret_row = (BusPropertyRow) { of_unit->name, of_unit->signature, of_unit->description, of_unit->flags,
                                              NULL, of_unit };
                return true;
        }
        return false;
}

bool bus_row_is_of(uint8_t flags, const BusDialect *dialect) {
        return !dialect || !(flags & (dialect->id == BUS_DIALECT_OWN ? BUS_PROPERTY_FOREIGN : BUS_PROPERTY_OWN));
}

bool bus_interface_find_property(const BusInterface *interface, const char *name, const BusDialect *dialect,
                                 BusPropertyRow *ret_row) {
        for (size_t i = 0; bus_interface_property(interface, i, ret_row); i++)
                if (strcmp(ret_row->name, name) == 0 && bus_row_is_of(ret_row->flags, dialect))
                        return true;
        return false;
}

const BusMethod *bus_interface_find_method(const BusInterface *interface, const char *name, const BusDialect *dialect) {
        for (const BusMethod *method = interface->methods; method && method->name; method++)
                if (strcmp(method->name, name) == 0 && bus_row_is_of(method->flags, dialect))
                        return method;
        return NULL;
}

static void write_own(const BusView *view, const BusProperty *property, Sink *sink) {
        if (property->get)
                property->get(view, property->parameter, sink);
        else
                sink_nothing(sink, property->signature);
}

void bus_property_write(const BusView *view, const BusPropertyRow *row, Sink *sink) {
        if (row->property)
                write_own(view, row->property, sink);
        else
                unit_property_write(row->unit_property, view->object->unit, sink);
}

/* Properties that are announced without a value. */
typedef struct Invalidated {
        const char *names[BUS_INVALIDATED_MAX];
        size_t n;
} Invalidated;

static void invalidate(Invalidated *invalidated, const char *name) {
        assert(invalidated->n < BUS_INVALIDATED_MAX);

        invalidated->names[invalidated->n++] = name;
}

static bool may_change(const BusProperty *property, const BusView *view) {
        return !property->may_change || property->may_change(view, property->parameter);
}

/* @invalidated: NULL if nobody asks for them. */
static void write_entries(const BusView *view, const BusInterface *interface, uint8_t flags, Invalidated *invalidated,
                          Sink *sink) {
        const uint8_t concerned = invalidated ? flags | BUS_PROPERTY_INVALIDATES : flags;
        const UnitProperty *row;

        for (const BusProperty *own = interface->properties; own && own->name; own++) {
                if ((flags && !(own->flags & concerned)) || !bus_row_is_of(own->flags, view->dialect))
                        continue;
                if (invalidated && (own->flags & BUS_PROPERTY_INVALIDATES) && may_change(own, view))
                        invalidate(invalidated, own->name);
                if ((own->flags & flags) != flags)
                        continue;
                sink_entry_open(sink, own->name, own->signature);
                write_own(view, own, sink);
                sink_entry_close(sink);
        }
        for (size_t i = 0; (row = unit_property_at(interface->unit_properties, i)); i++) {
                if ((flags && !(row->flags & concerned)) || !bus_row_is_of(row->flags, view->dialect))
                        continue;
                if (invalidated && (row->flags & BUS_PROPERTY_INVALIDATES))
                        invalidate(invalidated, row->name);
                if ((row->flags & flags) != flags)
                        continue;
                sink_entry_open(sink, row->name, row->signature);
                unit_property_write(row, view->object->unit, sink);
                sink_entry_close(sink);
        }
}

void bus_interface_write_properties(const BusView *view, const BusInterface *interface, uint8_t flags, Sink *sink) {
        write_entries(view, interface, flags, NULL, sink);
}

void bus_interface_write_changes(const BusView *view, const BusInterface *interface, uint8_t flags, Sink *sink) {
        Invalidated invalidated;

        invalidated.n = 0;

        sink_open(sink, 'a', "{sv}");
        write_entries(view, interface, flags, flags == BUS_PROPERTY_EMITS_CHANGE ? &invalidated : NULL, sink);
        sink_close(sink);
        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < invalidated.n; i++)
                sink_string(sink, invalidated.names[i]);
        sink_close(sink);
}

bool bus_interface_has_properties(const BusInterface *interface, uint8_t flags) {
        const UnitProperty *row;

        for (const BusProperty *own = interface->properties; own && own->name; own++)
                if ((own->flags & flags) == flags)
                        return true;
        for (size_t i = 0; (row = unit_property_at(interface->unit_properties, i)); i++)
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
