/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The files that make up a unit: main file, drop-ins, links in .wants/ and the like
 */

#include "basic/vector.h"
#include "unit/unit_relation.h"
#include "unitfile/name_map.h"

/* A link in name.wants/, name.requires/ or name.upholds/. */
typedef struct SourceLink {
        UnitRelationKind kind;
        char *name;                     /* owned: the unit that is linked, perhaps a template */
        char *path;                     /* owned */
} SourceLink;

typedef struct UnitSources {
        NameFound found;
        char *id;                       /* owned: the unit's own name, also if found is NAME_FOUND_ALIAS */
        char *fragment;                 /* owned: path of the main file (or mask), "builtin:…", or NULL */
        const char *builtin;            /* static: the text of a built-in unit, or NULL */
        const char *problem;            /* static: of a NAME_FOUND_BAD_ALIAS */
        char **dropins;                 /* owned: in the order in which they apply */
        VECTOR(SourceLink) links;       /* sorted by kind and name */
        char **aliases;                 /* owned, sorted: other names of id */
} UnitSources;

void unit_sources_deinit(UnitSources *sources);

/*
 * Looks @name up. For an alias only found and id are set; drop-ins, links and aliases only where there is a main
 * file, or of a slice, which needs none. 0, or -ENOMEM.
 */
int unit_sources_find(const NameMap *map, const char *name, UnitSources *ret_sources);

/* Is anything said of that slice, by a file of its own or in a folder of drop-ins? 1, 0 or -ENOMEM. Reads no folder. */
int unit_sources_has_slice(const NameMap *map, const char *name);

/* Do both name the same files? */
bool unit_sources_equal(const UnitSources *a, const UnitSources *b);
