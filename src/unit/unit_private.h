/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shared by the files of this folder only
 */

#include "unit/unit_table.h"

/* Flags of a slot of the table; they outlive the unit in the slot. */
enum {
        UNIT_SLOT_IS_QUEUED = 1 << 0,           /* the queue holds the index */
        UNIT_SLOT_IS_ANNOUNCED = 1 << 1,        /* the observer was told of the unit */
};

/* The vtable of types that have no other: it has no operations. */
extern const UnitVTable unit_fallback_vtable;

/* Creates and frees the unit itself; the table manages index and names. */
int unit_new(UnitTable *table, const char *id, Unit **ret_unit);
Unit *unit_free(Unit *unit);
DEFINE_CLEANUP(Unit, unit_free)

/* Gives the unit its type's vtable and state of type, if it has none yet: 0 or -ENOMEM. */
int unit_adopt_type(Unit *unit);

/* Appends to the unit's list of names; the table maintains its own index. 0 or -ENOMEM. */
int unit_push_name(Unit *unit, const char *name);
/* Frees all names but the first. */
void unit_drop_aliases(Unit *unit);

/* Resets everything but names, index and relations to the state of a new stub. */
void unit_reset(Unit *unit);

/* Moves all relations of @from to @into: 0, or -ENOMEM with nothing changed. */
int unit_relations_move(Unit *from, Unit *into);
/* Frees the relations without updating the units at their other ends, which are freed as well. */
void unit_relations_free(Unit *unit);
/*
 * After a load that added many relations: moves those of each unit next to each other. Without memory they stay where
 * they are.
 */
void unit_relations_pack(UnitTable *table);
