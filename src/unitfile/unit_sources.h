/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The files that make up a unit: main file, drop-ins, links in .wants/ and the
 * like
 */

#include "basic/vector.h"
#include "unit/unit_relation.h"
#include "unitfile/name_map.h"

/* A link in name.wants/, name.requires/ or name.upholds/. */
typedef struct SourceLink {
        UnitRelationKind kind;
        char *name;                     /* owned: the linked unit, perhaps a template */
        char *path;                     /* owned */
} SourceLink;

typedef struct UnitSources {
        NameFound found;
        char *id;                       /* owned: the unit's own name, even for an alias */
        char *fragment;                 /* owned: path of the main file (or mask), "builtin:…", or NULL */
        const char *builtin;            /* static: text of a built-in unit, or NULL */
        const char *problem;            /* static: for NAME_FOUND_BAD_ALIAS */
        char **dropins;                 /* owned: in the order of their application */
        VECTOR(SourceLink) links;       /* sorted by kind and name */
        char **aliases;                 /* owned, sorted: other names of id */
} UnitSources;

void unit_sources_deinit(UnitSources *sources);

/*
 * Finds the files of @name. For an alias only found and id are set; drop-ins, links and aliases only if there is a main
 * file, or with @needs_no_file (DraftType.is_found_with_dropins). 0, or -ENOMEM.
 */
int unit_sources_find(const NameMap *map, const char *name, bool needs_no_file, UnitSources *ret_sources);

/* 1 if the slice has a file or a folder of drop-ins, 0 if not, or -ENOMEM. Reads no folder. */
int unit_sources_has_slice(const NameMap *map, const char *name);

/* Returns true if both have the same files. */
bool unit_sources_equal(const UnitSources *a, const UnitSources *b);
