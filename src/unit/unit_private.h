/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of this folder share, and nobody else sees
 */

#include "unit/unit_table.h"

/* What is said of a place of the table outlives the unit that is in it. */
enum {
        UNIT_SLOT_IS_QUEUED = 1 << 0,           /* the queue holds the index */
        UNIT_SLOT_IS_ANNOUNCED = 1 << 1,        /* the observer heard of the unit */
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
/* After a load: puts those of each unit together, if many have come. Without memory they stay where they are. */
void unit_relations_pack(UnitTable *table);
