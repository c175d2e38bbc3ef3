/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A type's public properties, as tables: its own, and those shared between
 * types
 *
 * The bus layer derives D-Bus properties, introspection and the API text from
 * them.
 */

#include <stddef.h>
#include <stdint.h>

#include "basic/sink.h"
#include "unit/unit_name.h"

typedef struct Unit Unit;

typedef enum UnitPropertyFlags {
        UNIT_PROPERTY_CONST = 1 << 0,           /* constant while the unit is loaded */
        UNIT_PROPERTY_EMITS_CHANGE = 1 << 1,    /* sent with its value in each change signal of the unit */
        UNIT_PROPERTY_INVALIDATES = 1 << 2,     /* only named there */
        UNIT_PROPERTY_OWN = 1 << 3,             /* systemd has none of that name: not shown in its place */
        UNIT_PROPERTY_FOREIGN = 1 << 4,         /* only systemd has it: shown in its place alone */
} UnitPropertyFlags;

typedef struct UnitProperty {
        const char *name;
        const char *signature;                  /* D-Bus */
        uint8_t flags;                          /* UnitPropertyFlags */
        /* Writes exactly one value of @signature; NULL: sink_nothing(). */
        void (*get)(const Unit *unit, Sink *sink);
        const char *description;                /* one sentence, for the API text */
} UnitProperty;

typedef struct UnitPropertyTable {
        const UnitProperty *rows;
        size_t n;
        bool is_of_one_type;            /* the getters take units of .type only */
        UnitType type;
} UnitPropertyTable;

void unit_property_write(const UnitProperty *property, const Unit *unit, Sink *sink);

/* Row @at, counted over all of @tables (NULL, or ended by NULL); NULL past the last. */
const UnitProperty *unit_property_at(const UnitPropertyTable *const *tables, size_t at);
