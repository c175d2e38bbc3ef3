/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The unit names on a search path, and the kind of each
 *
 * A folder is listed again only when its ctime has changed, so finding one of
 * 10,000 units costs no system calls but a stat of each folder.
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
        const char *name;               /* borrowed from the map; for a NAME_ALIAS its target's name follows it */
        uint32_t rank;                  /* of its folder on the search path: the lowest wins */
        uint8_t kind;                   /* NameKind */
} NameEntry;

typedef struct NameMap NameMap;

typedef enum NameFound {
        NAME_FOUND_NOTHING,
        NAME_FOUND_FILE,
        NAME_FOUND_MASK,
        NAME_FOUND_ALIAS,               /* the name is an alias of .id */
        NAME_FOUND_BAD_ALIAS,           /* an invalid alias: .problem says why */
} NameFound;

/* The result of a look-up. All strings but .id are borrowed from the map, until its next refresh. */
typedef struct NameLookup {
        NameFound found;
        const NameEntry *entry;         /* the file, mask or bad link; for an instance perhaps its template's */
        char *id;                       /* owned: the unit's own name, after all aliases */
        const char *problem;            /* static */
} NameLookup;

void name_lookup_deinit(NameLookup *lookup);

/* @root: folder that absolute links are relative to, without a slash at the end; NULL: /. Copied. */
int name_map_new(NameMap **ret_map, char *const *search_path, const char *root);
const char *name_map_root(const NameMap *map);          /* "" for / */
NameMap *name_map_free(NameMap *map);

/*
 * Leaves out, in those of @folders that are on the search path, whatever decides what a machine starts when it boots:
 * their files and drop-ins of built-in units, and the links that add units to targets. Before the first refresh.
 */
void name_map_leave_boot(NameMap *map, const char *const *folders);

/*
 * Lists the folders again if one has changed. Missing folders count as empty. 1 if one has changed, 0 if not, or
 * -ENOMEM.
 */
int name_map_refresh(NameMap *map);

/* Resolves @name (a plain name or an instance). 0 or -ENOMEM. */
int name_map_lookup(const NameMap *map, const char *name, NameLookup *ret_lookup);

/* The winning entry of exactly this name, or NULL. */
const NameEntry *name_map_find(const NameMap *map, const char *name);

/* All names that lead to @id, sorted: 0 with a strv, or -ENOMEM. */
int name_map_aliases(const NameMap *map, const char *id, char ***ret_aliases);

/* The folder of an entry. */
const char *name_map_folder(const NameMap *map, const NameEntry *entry);

/*
 * Returns true if any folder of the search path has a sub-folder of this name (name.d, name.wants). A quick check
 * before a search.
 */
bool name_map_has_any_folder(const NameMap *map, const char *name);

/* All winning entries, sorted by name; and all sub-folders. */
const NameEntry *name_map_entries(const NameMap *map, size_t *ret_n);
const NameEntry *name_map_folders(const NameMap *map, size_t *ret_n);
