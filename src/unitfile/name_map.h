/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Which unit names there are on a search path, and what each is
 *
 * Every folder is listed once and again when its mtime has moved, so finding
 * one of 10,000 units costs no system call but a stat of each folder.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum NameKind {
        NAME_FILE,                      /* a file, or a link that leaves the search path */
        NAME_ALIAS,                     /* a link to another name on the search path */
        NAME_MASK,                      /* a link to /dev/null */
} NameKind;

typedef struct NameEntry {
        const char *name;               /* borrowed from the map; that of what a NAME_ALIAS leads to lies behind it */
        uint32_t rank;                  /* of its folder on the search path: lower wins */
        uint8_t kind;                   /* NameKind */
} NameEntry;

typedef struct NameMap NameMap;

typedef enum NameFound {
        NAME_FOUND_NOTHING,
        NAME_FOUND_FILE,
        NAME_FOUND_MASK,
        NAME_FOUND_ALIAS,               /* the unit is another name of .id */
        NAME_FOUND_BAD_ALIAS,           /* a link that can't be one: .problem says why */
} NameFound;

/* The result of looking a name up. All strings but .id are borrowed from the map, until its next refresh. */
typedef struct NameLookup {
        NameFound found;
        const NameEntry *entry;         /* the file, mask or bad link; for an instance perhaps its template's */
        char *id;                       /* owned: the unit's own name, after all aliases */
        const char *problem;            /* static */
} NameLookup;

void name_lookup_deinit(NameLookup *lookup);

/* @root: where absolute links start, without a slash at the end; NULL: at /. Copied. */
int name_map_new(NameMap **ret_map, char *const *search_path, const char *root);
const char *name_map_root(const NameMap *map);          /* "" for / */
NameMap *name_map_free(NameMap *map);

/* Lists folders again if one has changed. Folders that do not exist are empty. 1 if it did, 0 if not, -ENOMEM. */
int name_map_refresh(NameMap *map);

/* 0 with what @name (a plain name or an instance) leads to, or -ENOMEM. */
int name_map_lookup(const NameMap *map, const char *name, NameLookup *ret_lookup);

/* The entry of exactly this name that wins, or NULL. */
const NameEntry *name_map_find(const NameMap *map, const char *name);

/* All names that lead to @id, sorted: 0 with a strv, or -ENOMEM. */
int name_map_aliases(const NameMap *map, const char *id, char ***ret_aliases);

/* The folder that it is in. */
const char *name_map_folder(const NameMap *map, const NameEntry *entry);

/* Does any folder of the search path have a sub-folder of this name (name.d, name.wants)? The quick way to say no. */
bool name_map_has_any_folder(const NameMap *map, const char *name);

/* All entries that win, sorted by name; and all sub-folders. */
const NameEntry *name_map_entries(const NameMap *map, size_t *ret_n);
const NameEntry *name_map_folders(const NameMap *map, size_t *ret_n);
