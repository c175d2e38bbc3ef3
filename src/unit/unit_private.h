/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of this folder share, and nobody else sees
 */

#include "basic/index_table.h"
#include "basic/slab.h"
#include "basic/vector.h"
#include "unit/unit_origin.h"
#include "unit/unit_table.h"

/* What is said of a place of the table outlives the unit that is in it. */
enum {
        UNIT_SLOT_IS_QUEUED = 1 << 0,           /* the queue holds the index */
        UNIT_SLOT_IS_ANNOUNCED = 1 << 1,        /* the observer heard of the unit */
};

struct UnitTable {
        UnitSlots slots;                /* its units are owned; the first member, as unit_table_at() knows */
        VECTOR(uint8_t) slot_flags;     /* by index, too */
        VECTOR(uint32_t) free_indexes;
        uint32_t n_units;
        IndexTable by_name;             /* the unit's index by the hash of each of its names */
        UnitOrigins origins;

        VECTOR(uint32_t) queue;         /* stubs to load, from queue_head on */
        size_t queue_head;
        unsigned n_loading;             /* depth of loads that are on the stack */

        Slab relations, buckets;        /* of all units */
        uint32_t relation_hint;         /* where the last search in a bucket ended */
        uint64_t n_packed;              /* entries that were there when they were packed the last time … */
        uint64_t n_appended;            /* … and that have come since */
        uint64_t n_withdrawals;         /* times that relations were taken away from a unit */
        bool has_unneeded;              /* a unit said StopWhenUnneeded= once */

        const UnitVTable *types[_UNIT_TYPE_MAX];        /* borrowed */
        const UnitLoaderOps *loader;    /* borrowed */
        void *loader_userdata;          /* borrowed */
        const UnitObserverOps *observer;        /* borrowed */
        void *observer_userdata;        /* borrowed */
        UnitHost *host;                 /* borrowed */
};

/* A type that there is no vtable for: it has no operations. */
extern const UnitVTable unit_fallback_vtable;

/* Makes and frees the unit itself; the table gives it index and names. */
int unit_new(UnitTable *table, const char *id, Unit **ret_unit);
Unit *unit_free(Unit *unit);
DEFINE_CLEANUP(Unit, unit_free)

/* Gives the unit its type's vtable and state of type, if it has none yet: 0 or -ENOMEM. */
int unit_adopt_type(Unit *unit);

/* The list of names; the table has them in its index. 0 or -ENOMEM. */
int unit_push_name(Unit *unit, const char *name);
/* Frees all names but the first. */
void unit_drop_aliases(Unit *unit);

/* Everything but names, index and relations as if the unit had just been named. */
void unit_reset(Unit *unit);

/* Moves all relations of @from to @into: 0, or -ENOMEM and nothing has changed. */
int unit_relations_move(Unit *from, Unit *into);
/* Frees them without a word to the other side, which goes, too. */
void unit_relations_free(Unit *unit);
/* After a load: puts those of each unit together, if many have come. Without memory for that they stay where they are. */
void unit_relations_pack(UnitTable *table);
