/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties, numbered across all tables of a type
 */

#include "unit/unit_property.h"

const UnitProperty *unit_property_at(const UnitPropertyTable *const *tables, size_t at) {
        for (; tables && *tables; tables++) {
                if (at < (*tables)->n)
                        return &(*tables)->rows[at];
                at -= (*tables)->n;
        }
        return NULL;
}

void unit_property_write(const UnitProperty *property, const Unit *unit, Sink *sink) {
        if (property->get)
                property->get(unit, sink);
        else
                sink_nothing(sink, property->signature);
}
