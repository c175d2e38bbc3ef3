/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * All units, by index and by name
 *
 * Finding one by name is O(1). Loading a unit also loads all that it refers
 * to, since only then both ends of every relation, and aliases, are known.
 */

#include "basic/fetch.h"
#include "basic/index_table.h"
#include "basic/slab.h"
#include "basic/vector.h"
#include "unit/unit.h"
#include "unit/unit_origin.h"

/* Only src/unit writes to its members; others read by the functions below. */
struct UnitTable {
        VECTOR(Unit *) slots;           /* owned, by index; NULL if it is free */
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

int unit_table_new(UnitTable **ret_table);
UnitTable *unit_table_free(UnitTable *table);
DEFINE_CLEANUP(UnitTable, unit_table_free)

void unit_table_set_loader(UnitTable *table, const UnitLoaderOps *ops, void *userdata /* borrowed */);
void unit_table_set_observer(UnitTable *table, const UnitObserverOps *ops, void *userdata /* borrowed */);
void unit_table_set_host(UnitTable *table, UnitHost *host /* borrowed */);
UnitHost *unit_table_host(const UnitTable *table);

/* Units of @vtable->type act by it; a type without one can be named but not used. */
void unit_table_set_type(UnitTable *table, const UnitVTable *vtable /* borrowed */);

/* One more than the highest index in use. */
uint32_t unit_table_size(const UnitTable *table);
uint32_t unit_table_count(const UnitTable *table);
uint64_t unit_table_withdrawals(const UnitTable *table);  /* rises whenever a relation may have gone */

/* NULL for a free index. In line: whoever goes over relations asks for each. */
static inline Unit *unit_table_at(const UnitTable *table, uint32_t index) {
        return index < table->slots.n ? table->slots.items[index] : NULL;
}

/* The unit will be asked for soon: fetches the place in the table, not yet the unit. */
static inline void unit_table_fetch(const UnitTable *table, uint32_t index) {
        fetch_ahead(table->slots.items + index);
}

/* False as long as no unit had StopWhenUnneeded=: then nobody needs to look for one. */
bool unit_table_has_unneeded(const UnitTable *table);

#define unit_table_foreach(table, unit)                                                  \
        for (uint32_t unit##_at_ = 0; unit##_at_ < unit_table_size(table); unit##_at_++) \
                for (Unit *unit = unit_table_at(table, unit##_at_); unit; unit = NULL)

/* By any of its names; NULL if no unit has it. */
Unit *unit_table_find(const UnitTable *table, const char *name);

/* Finds it or adds a stub, without loading: for relations. 0, -EINVAL for a bad name, -ENOMEM. */
int unit_table_name(UnitTable *table, const char *name, Unit **ret_unit);

/*
 * Finds or adds the unit, and loads it and all that is still unread of what it refers to. What cannot be loaded is
 * no error here: look at the unit's load_state. 0, -EINVAL for a bad name (or a template), -ENOMEM.
 */
int unit_table_load(UnitTable *table, const char *name, Unit **ret_unit);

/* The same for a unit at hand. It may be merged into another by this: use *ret_unit from then on. */
int unit_table_load_unit(UnitTable *table, Unit *unit, Unit **ret_unit);

/* Reads stubs that are still queued, without another reason. */
int unit_table_load_queued(UnitTable *table);

/* Puts a loaded unit back to stub state, to be read again in place: state and other units' relations stay. */
int unit_table_reload_unit(UnitTable *table, Unit *unit);

/*
 * Gives @unit (a stub without jobs) up in favour of @into: names and relations move. @unit is gone. 0, -ENOMEM,
 * -EINVAL if they are not of one type, or -EBUSY if @unit is in use (not inactive, or referenced).
 */
int unit_table_merge(UnitTable *table, Unit *unit, Unit *into);
int unit_table_add_name(UnitTable *table, Unit *unit, const char *name);        /* -EEXIST if another has it */
/* Takes the name @name, which is not its first, away from @unit. Relations that were declared by it stay @unit's. */
void unit_table_drop_name(UnitTable *table, Unit *unit, const char *name);

/* Removes a unit that nothing refers to any more (relations declared by others make it a stub again instead). */
void unit_table_remove(UnitTable *table, Unit *unit);

/* Where things were declared. @file is copied once; @implied is static or NULL. 0 or -ENOMEM. */
int unit_table_origin(UnitTable *table, const char *file, unsigned line, const char *implied, UnitOriginId *ret_id);
UnitOrigin unit_table_origin_at(const UnitTable *table, UnitOriginId id);

/* The copy of @path (a unit's file) that lives as long as the table, the same as in origins: 0 or -ENOMEM. */
int unit_table_path(UnitTable *table, const char *path, const char **ret_path);

/* "file:line", "file", or "default dependency of x.service" for people; @buffer is returned. */
const char *unit_origin_format(const UnitTable *table, UnitOriginId id, char *buffer, size_t size);
