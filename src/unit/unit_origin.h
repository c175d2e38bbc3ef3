/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Where things were declared: each (file, line, implied) once
 *
 * Twenty-four bytes and a slot of four for each, since every relation names one.
 * They stay as long as the table: a file that is read again names the same.
 */

#include "basic/vector.h"
#include "unit/unit_relation.h"

typedef struct UnitOriginFile UnitOriginFile;

typedef struct UnitOriginEntry {
        const UnitOriginFile *file;     /* borrowed; NULL for none */
        const char *implied;            /* static or NULL */
        unsigned line;
} UnitOriginEntry;

typedef struct UnitOrigins {
        UnitOriginFile *files;          /* owned: uthash by name */
        VECTOR(UnitOriginEntry) entries;        /* by id - 1 */
        UnitOriginId *slots;            /* owned: open addressing */
        size_t n_slots;                 /* a power of two, or 0 */
} UnitOrigins;

void unit_origins_deinit(UnitOrigins *origins);
int unit_origins_add(UnitOrigins *origins, const char *file, unsigned line, const char *implied,
                     UnitOriginId *ret_id);
UnitOrigin unit_origins_at(const UnitOrigins *origins, UnitOriginId id);
