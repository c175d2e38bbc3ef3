/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Relations between units
 *
 * Each is stored on both units: Requires on one side, RequiredBy on the other.
 * An entry records where each side declared it, so that one unit's file can be
 * read again without losing the declaration of the other. Entries keep the
 * order in which they were added.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/string_table.h"

typedef enum UnitRelationKind {
        UNIT_REQUIRES,
        UNIT_REQUISITE,
        UNIT_WANTS,
        UNIT_BINDS_TO,
        UNIT_PART_OF,
        UNIT_UPHOLDS,
        UNIT_REQUIRED_BY,
        UNIT_REQUISITE_OF,
        UNIT_WANTED_BY,
        UNIT_BOUND_BY,
        UNIT_CONSISTS_OF,
        UNIT_UPHELD_BY,
        UNIT_CONFLICTS,
        UNIT_CONFLICTED_BY,
        UNIT_BEFORE,
        UNIT_AFTER,
        UNIT_ON_SUCCESS,
        UNIT_ON_SUCCESS_OF,
        UNIT_ON_FAILURE,
        UNIT_ON_FAILURE_OF,
        UNIT_TRIGGERS,
        UNIT_TRIGGERED_BY,
        UNIT_PROPAGATES_RELOAD_TO,
        UNIT_RELOAD_PROPAGATED_FROM,
        UNIT_PROPAGATES_STOP_TO,
        UNIT_STOP_PROPAGATED_FROM,
        UNIT_JOINS_NAMESPACE_OF,                /* its own inverse */
        UNIT_IN_SLICE,
        UNIT_SLICE_OF,
        _UNIT_RELATION_MAX,
        _UNIT_RELATION_INVALID = -22,
} UnitRelationKind;

DECLARE_STRING_TABLE(unit_relation, UnitRelationKind);   /* "Requires", "RequiredBy", … as in unit files and on D-Bus */

UnitRelationKind unit_relation_inverse(UnitRelationKind kind);

/* The place of a declaration: an index into the unit table's origins. */
typedef uint32_t UnitOriginId;
#define UNIT_ORIGIN_NONE 0U

typedef struct UnitOrigin {
        const char *file;       /* borrowed from the table; "" if not from a file */
        unsigned line;          /* 0 for the file as a whole (a link in .wants/) */
        const char *implied;    /* static: "default dependency", …; NULL if written in the file */
} UnitOrigin;

typedef struct UnitRelation {
        uint32_t other;                 /* index of the other unit */
        UnitOriginId here;              /* where this unit declared it, or UNIT_ORIGIN_NONE */
        UnitOriginId there;             /* where the other declared the inverse, or UNIT_ORIGIN_NONE */
} UnitRelation;

/* The relations of one kind: borrowed, valid until the unit's relations change or units are loaded. */
typedef struct UnitRelations {
        const UnitRelation *items;
        size_t n;
} UnitRelations;

/* The relations of one unit and one kind. */
typedef struct UnitRelationBucket {
        UnitRelation *items;            /* owned */
        uint32_t n, allocated;
} UnitRelationBucket;

/* The number of kinds in a mask. Written out, because without a machine instruction the builtin is a function call. */
static inline unsigned unit_relation_count_kinds(uint32_t mask) {
        mask = mask - ((mask >> 1) & 0x55555555U);
        mask = (mask & 0x33333333U) + ((mask >> 2) & 0x33333333U);
        return (((mask + (mask >> 4)) & 0x0F0F0F0FU) * 0x01010101U) >> 24;
}
