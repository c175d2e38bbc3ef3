/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * All units, by index and by name
 *
 * A look-up by name is O(1). Loading a unit also loads all units that it
 * refers to, because only then both ends of every relation, and all aliases,
 * are known.
 */

#include "basic/fetch.h"
#include "basic/index_table.h"
#include "basic/slab.h"
#include "basic/vector.h"
#include "unit/unit.h"
#include "unit/unit_origin.h"

/* Only src/unit writes the members; others use the functions below. */
struct UnitTable {
        VECTOR(Unit *) slots;           /* owned, by index; NULL if free */
        VECTOR(uint8_t) slot_flags;     /* by index */
        VECTOR(uint32_t) free_indexes;
        uint32_t n_units;
        IndexTable by_name;             /* index of a unit by the hash of each of its names */
        UnitOrigins origins;

        VECTOR(uint32_t) queue;         /* stubs to load, from queue_head on */
        size_t queue_head;
        unsigned n_loading;             /* depth of nested loads */

        Slab relations, buckets;        /* of all units */
        uint32_t relation_hint;         /* where the last search in a bucket ended */
        uint64_t n_packed;              /* number of relations at the last packing … */
        uint64_t n_appended;            /* … and of those added since */
        uint64_t n_withdrawals;         /* how often relations were removed from a unit */
        bool has_unneeded;              /* a unit had StopWhenUnneeded= at some time */

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

/* Sets the vtable of a type. Units of a type without one can be named but not used. */
void unit_table_set_type(UnitTable *table, const UnitVTable *vtable /* borrowed */);

/* The highest index in use, plus one. */
uint32_t unit_table_size(const UnitTable *table);
uint32_t unit_table_count(const UnitTable *table);
uint64_t unit_table_withdrawals(const UnitTable *table);  /* rises whenever a relation may have been removed */

/* NULL for a free index. Inline: walks over relations call it for each. */
static inline Unit *unit_table_at(const UnitTable *table, uint32_t index) {
        return index < table->slots.n ? table->slots.items[index] : NULL;
}

/* Prefetches the slot of a unit that will be read soon, not the unit itself. */
static inline void unit_table_fetch(const UnitTable *table, uint32_t index) {
        fetch_ahead(table->slots.items + index);
}

/* False as long as no unit has had StopWhenUnneeded=, so that the rule need not be checked. */
bool unit_table_has_unneeded(const UnitTable *table);

#define unit_table_foreach(table, unit)                                                  \
        for (uint32_t unit##_at_ = 0; unit##_at_ < unit_table_size(table); unit##_at_++) \
                for (Unit *unit = unit_table_at(table, unit##_at_); unit; unit = NULL)

/* Finds a unit by any of its names; NULL if there is none. */
Unit *unit_table_find(const UnitTable *table, const char *name);

/* Finds the unit or adds a stub, without loading: for relations. 0, -EINVAL for a bad name, -ENOMEM. */
int unit_table_name(UnitTable *table, const char *name, Unit **ret_unit);

/*
 * Finds or adds the unit, and loads it and all units still unread that it refers to. A unit that cannot be loaded is no
 * error here: see its load_state. 0, -EINVAL for a bad name (or a template), -ENOMEM.
 */
int unit_table_load(UnitTable *table, const char *name, Unit **ret_unit);

/* The same for a given unit, which may be merged into another: use *ret_unit afterwards. */
int unit_table_load_unit(UnitTable *table, Unit *unit, Unit **ret_unit);

/* Reads the stubs that are still queued. */
int unit_table_load_queued(UnitTable *table);

/* Makes a loaded unit a stub that will be read again: its state and other units' relations stay. */
int unit_table_reload_unit(UnitTable *table, Unit *unit);

/*
 * Merges @unit (a stub without jobs) into @into: names and relations move, @unit is freed. 0, -ENOMEM, -EINVAL if their
 * types differ, or -EBUSY if @unit is in use (not inactive, or referenced).
 */
int unit_table_merge(UnitTable *table, Unit *unit, Unit *into);
int unit_table_add_name(UnitTable *table, Unit *unit, const char *name);        /* -EEXIST if another has it */
/* Removes the alias @name from @unit. Relations that were declared under that name stay @unit's. */
void unit_table_drop_name(UnitTable *table, Unit *unit, const char *name);

/* Removes a unit that no relation refers to; one with relations declared by others becomes a stub again. */
void unit_table_remove(UnitTable *table, Unit *unit);

/* The id of a place of declaration. @file is copied once; @implied is static or NULL. 0 or -ENOMEM. */
int unit_table_origin(UnitTable *table, const char *file, unsigned line, const char *implied, UnitOriginId *ret_id);
UnitOrigin unit_table_origin_at(const UnitTable *table, UnitOriginId id);

/* A copy of @path (a unit's file) that lives as long as the table, shared with the origins: 0 or -ENOMEM. */
int unit_table_path(UnitTable *table, const char *path, const char **ret_path);

/* Writes "file:line", "file", or "default dependency of x.service" to @buffer, for display, and returns it. */
const char *unit_origin_format(const UnitTable *table, UnitOriginId id, char *buffer, size_t size);
