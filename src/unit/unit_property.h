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

typedef struct Unit Unit;

typedef enum UnitPropertyFlags {
        UNIT_PROPERTY_CONST = 1 << 0,           /* constant while the unit is loaded */
        UNIT_PROPERTY_EMITS_CHANGE = 1 << 1,    /* sent with its value in each change signal of the unit */
} UnitPropertyFlags;

typedef struct UnitProperty {
        const char *name;
        const char *signature;                  /* D-Bus */
        uint8_t flags;                          /* UnitPropertyFlags */
        void (*get)(const Unit *unit, Sink *sink);      /* writes exactly one value of @signature */
        const char *description;                /* one sentence, for the API text */
} UnitProperty;

typedef struct UnitPropertyTable {
        const UnitProperty *rows;
        size_t n;
} UnitPropertyTable;

/* Row @at, counted over all of @tables (NULL, or ended by NULL); NULL past the last. */
const UnitProperty *unit_property_at(const UnitPropertyTable *const *tables, size_t at);
