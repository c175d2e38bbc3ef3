/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The unit names on a search path
 *
 * Aliases are links, and all aliases of a name can only be found by listing
 * the folders. So the folders are listed, and names, sub-folders and aliases
 * kept as sorted arrays. A listing is used as long as the folder's ctime stays
 * the same (its mtime can be set, as tar does), if that ctime is old enough:
 * the kernel's clock moves in steps, and changes in the same step as the
 * listing would never be noticed.
 */

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/arena.h"
#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "unit/unit_name.h"
#include "unitfile/builtin_unit.h"
#include "unitfile/name_map.h"

#define CTIME_GRAIN (20 * USEC_PER_MSEC)
#define ALIAS_HOPS_MAX 16
#define ALIASES_MAX 256

typedef struct NameFolder {
        char *path;             /* owned */
        dev_t dev;
        ino_t ino;              /* 0: the folder is missing */
        struct timespec ctime;
        bool is_fresh;          /* listed within the resolution of its ctime: list again */
        bool leaves_boot;       /* see name_map_leave_boot() */
} NameFolder;

typedef VECTOR(NameEntry) NameEntries;

struct NameMap {
        VECTOR(NameFolder) folders;
        Arena names;            /* owned */
        NameEntries entries;    /* by name; only the winner of each */
        NameEntries subfolders; /* by name, then rank */
        VECTOR(size_t) aliases; /* indices of entries, by alias_of */
        bool is_listed;
        char *root;             /* owned, or NULL */
};

void name_lookup_deinit(NameLookup *lookup) {
        free(take_ptr(lookup->id));
}

const char *name_map_folder(const NameMap *map, const NameEntry *entry) {
        return map->folders.items[entry->rank].path;
}

static const char *name_entry_alias_of(const NameEntry *entry) {
        assert(entry->kind == NAME_ALIAS);

        return entry->name + strlen(entry->name) + 1;
}

static void name_map_clear(NameMap *map) {
        arena_deinit(&map->names);
        vector_deinit(&map->entries);
        vector_deinit(&map->subfolders);
        vector_deinit(&map->aliases);
}

NameMap *name_map_free(NameMap *map) {
        if (!map)
                return NULL;
        for (size_t i = 0; i < map->folders.n; i++)
                free(map->folders.items[i].path);
        vector_deinit(&map->folders);
        name_map_clear(map);
        free(map->root);
        free(map);
        return NULL;
}

DEFINE_CLEANUP(NameMap, name_map_free)

const char *name_map_root(const NameMap *map) {
        return map->root ? map->root : "";
}

int name_map_new(NameMap **ret_map, char *const *search_path, const char *root) {
        cleanup_(name_map_freep) NameMap *map = calloc(1, sizeof(*map));

        if (!map)
                return -ENOMEM;
        if (root && *root && !(map->root = strdup(root)))
                return -ENOMEM;
        strv_foreach(path, search_path) {
                NameFolder folder = { .path = strdup(*path) };
                size_t n;

                if (!folder.path || vector_push(&map->folders, folder) < 0) {
                        free(folder.path);
                        return -ENOMEM;
                }
                n = strlen(folder.path);
                while (n > 1 && folder.path[n - 1] == '/')
                        folder.path[--n] = '\0';
        }
        *ret_map = take_ptr(map);
        return 0;
}

void name_map_leave_boot(NameMap *map, const char *const *folders) {
        for (size_t i = 0; i < map->folders.n; i++)
                for (const char *const *folder = folders; *folder; folder++)
                        if (strcmp(map->folders.items[i].path, *folder) == 0)
                                map->folders.items[i].leaves_boot = true;
}

/* — listing — */

static bool name_is_subfolder(const char *name) {
        return text_ends_with(name, ".d") || text_ends_with(name, ".wants") || text_ends_with(name, ".requires") ||
               text_ends_with(name, ".upholds");
}

/*
 * Returns true if @path is a folder of the search path. Compares device and inode, so that /lib and /usr/lib are equal.
 */
static bool name_map_has_path(const NameMap *map, const char *path) {
        struct stat st;

        if (stat(path, &st) < 0)
                return false;
        for (size_t i = 0; i < map->folders.n; i++)
                if (map->folders.items[i].ino == st.st_ino && map->folders.items[i].dev == st.st_dev)
                        return true;
        return false;
}

/* Stores the entry's name followed by the name that it is an alias of. */
static int name_map_set_alias(NameMap *map, NameEntry *entry, const char *alias_of) {
        size_t size = strlen(entry->name) + 1, alias_size = strlen(alias_of) + 1;
        char *names = arena_alloc(&map->names, size + alias_size);

        if (!names)
                return -ENOMEM;
        memcpy(names, entry->name, size);
        memcpy(names + size, alias_of, alias_size);
        entry->name = names;
        entry->kind = NAME_ALIAS;
        return 0;
}

/*
 * Follows a link by one step and sets kind and alias. A link that can't be read counts as a file; opening it will
 * report the error.
 */
static int name_map_follow_link(NameMap *map, const NameFolder *folder, NameEntry *entry) {
        cleanup_free_ char *link = NULL, *parent = NULL;
        char target[PATH_MAX], name[UNIT_NAME_MAX + 1];
        ssize_t n;
        char *slash;
        int r;

        r = text_join_path(folder->path, entry->name, &link);
        if (r < 0)
                return r;
        n = readlink(link, target, sizeof(target) - 1);
        if (n < 0)
                return 0;
        target[n] = '\0';
        if (strcmp(target, "/dev/null") == 0) {
                entry->kind = NAME_MASK;
                return 0;
        }
        r = text_format(&parent, "%s%s%s", target[0] == '/' ? name_map_root(map) : folder->path,
                        target[0] == '/' ? "" : "/", target);
        if (r < 0)
                return r;
        slash = strrchr(parent, '/');
        if (strcmp(slash + 1, entry->name) == 0 || !unit_name_is_valid(slash + 1))
                return 0;
        strcpy(name, slash + 1);
        slash[slash == parent ? 1 : 0] = '\0';
        return name_map_has_path(map, parent) ? name_map_set_alias(map, entry, name) : 0;
}

/* "basic.target", "basic.target.d", or "x.target.wants" of any target */
static bool name_is_of_boot(const char *name) {
        char unit[UNIT_NAME_MAX + 1];
        const char *suffix = name_is_subfolder(name) ? strrchr(name, '.') : name + strlen(name);

        if (suffix - name > UNIT_NAME_MAX)
                return false;
        *(char *) mempcpy(unit, name, (size_t) (suffix - name)) = '\0';
        return builtin_unit_find(unit) ||
               (*suffix && strcmp(suffix, ".d") != 0 && text_ends_with(unit, ".target"));
}

/* A link may lead to a folder at a later time: it is treated like a folder. */
static bool name_may_be_directory(const struct dirent *item) {
        return item->d_type == DT_DIR || item->d_type == DT_LNK || item->d_type == DT_UNKNOWN;
}

static int name_map_add(NameMap *map, unsigned rank, const struct dirent *item) {
        const NameFolder *folder = &map->folders.items[rank];
        NameEntry entry = { .rank = rank, .kind = NAME_FILE };
        NameEntries *into = &map->entries;

        if (folder->leaves_boot && name_is_of_boot(item->d_name))
                return 0;
        if (name_is_subfolder(item->d_name) && name_may_be_directory(item))
                into = &map->subfolders;
        else if (!unit_name_is_valid(item->d_name) || item->d_type == DT_DIR)
                return 0;
        entry.name = arena_strdup(&map->names, item->d_name);
        if (!entry.name)
                return -ENOMEM;
        if (into == &map->entries && (item->d_type == DT_LNK || item->d_type == DT_UNKNOWN)) {
                int r = name_map_follow_link(map, folder, &entry);

                if (r < 0)
                        return r;
        }
        return vector_push(into, entry);
}

static void name_closedirp(DIR **dir) {
        if (*dir)
                closedir(*dir);
}

static int name_map_list_folder(NameMap *map, unsigned rank) {
        cleanup_(name_closedirp) DIR *dir = opendir(map->folders.items[rank].path);
        struct dirent *item;
        int r = 0;

        if (!dir)
                return errno == ENOMEM ? -ENOMEM : 0;
        while (r == 0 && (item = readdir(dir)))
                r = name_map_add(map, rank, item);
        return r;
}

static int name_entry_compare(const void *a, const void *b) {
        const NameEntry *left = a, *right = b;
        int order = strcmp(left->name, right->name);

        return order ? order : (left->rank > right->rank) - (left->rank < right->rank);
}

static int name_alias_compare(const void *a, const void *b, void *userdata) {
        const NameMap *map = userdata;
        const NameEntry *left = &map->entries.items[*(const size_t *) a];
        const NameEntry *right = &map->entries.items[*(const size_t *) b];
        int order = strcmp(name_entry_alias_of(left), name_entry_alias_of(right));

        return order ? order : strcmp(left->name, right->name);
}

/* Sorts the listing, drops overridden entries, and records aliases. */
static int name_map_index(NameMap *map) {
        size_t kept = 0;

        if (map->subfolders.n > 0)
                qsort(map->subfolders.items, map->subfolders.n, sizeof(NameEntry), name_entry_compare);
        if (map->entries.n > 0)
                qsort(map->entries.items, map->entries.n, sizeof(NameEntry), name_entry_compare);
        for (size_t i = 0; i < map->entries.n; i++) {
                NameEntry *entry = &map->entries.items[i];

                if (kept > 0 && strcmp(map->entries.items[kept - 1].name, entry->name) == 0)
                        continue;
                map->entries.items[kept++] = *entry;
        }
        map->entries.n = kept;
        for (size_t i = 0; i < map->entries.n; i++)
                if (map->entries.items[i].kind == NAME_ALIAS && vector_push(&map->aliases, i) < 0)
                        return -ENOMEM;
        if (map->aliases.n > 0)
                qsort_r(map->aliases.items, map->aliases.n, sizeof(size_t), name_alias_compare, map);
        return 0;
}

/* Checks the folder itself: true if the listing is out of date. */
static bool name_folder_has_changed(NameFolder *folder) {
        struct stat st;
        usec_t now, ctime;

        if (stat(folder->path, &st) < 0)
                st = (struct stat) {};
        if (!folder->is_fresh && st.st_ino == folder->ino && st.st_dev == folder->dev &&
            st.st_ctim.tv_sec == folder->ctime.tv_sec && st.st_ctim.tv_nsec == folder->ctime.tv_nsec)
                return false;
        now = clock_realtime();
        ctime = (usec_t) st.st_ctim.tv_sec * USEC_PER_SEC + (usec_t) st.st_ctim.tv_nsec / 1000;
        folder->is_fresh = st.st_ino != 0 && ctime + CTIME_GRAIN > now && ctime < now + CTIME_GRAIN;
        folder->ino = st.st_ino;
        folder->dev = st.st_dev;
        folder->ctime = st.st_ctim;
        return true;
}

int name_map_refresh(NameMap *map) {
        bool has_changed = !map->is_listed;
        int r = 0;

        assert(map);

        for (size_t i = 0; i < map->folders.n; i++)
                if (name_folder_has_changed(&map->folders.items[i]))
                        has_changed = true;
        if (!has_changed)
                return 0;

        name_map_clear(map);
        for (size_t i = 0; r == 0 && i < map->folders.n; i++)
                r = name_map_list_folder(map, (unsigned) i);
        if (r == 0)
                r = name_map_index(map);
        map->is_listed = r == 0;
        return r < 0 ? r : 1;
}

/* — looking up — */

static int name_entry_compare_name(const void *a, const void *b) {
        return strcmp(((const NameEntry *) a)->name, ((const NameEntry *) b)->name);
}

static const NameEntry *name_entries_find_any(const NameEntries *entries, const char *name) {
        NameEntry wanted = { .name = name };

        if (entries->n == 0)
                return NULL;
        return bsearch(&wanted, entries->items, entries->n, sizeof(NameEntry), name_entry_compare_name);
}

const NameEntry *name_map_find(const NameMap *map, const char *name) {
        return name_entries_find_any(&map->entries, name);
}

bool name_map_has_any_folder(const NameMap *map, const char *name) {
        return name_entries_find_any(&map->subfolders, name) != NULL;
}

const NameEntry *name_map_entries(const NameMap *map, size_t *ret_n) {
        *ret_n = map->entries.n;
        return map->entries.items;
}

const NameEntry *name_map_folders(const NameMap *map, size_t *ret_n) {
        *ret_n = map->subfolders.n;
        return map->subfolders.items;
}

/* The entry of @id or, for an instance, of its template. */
static int name_map_find_with_template(const NameMap *map, const char *id, const NameEntry **ret_entry) {
        cleanup_free_ char *template = NULL;
        int r;

        *ret_entry = name_map_find(map, id);
        if (*ret_entry || !unit_name_is_instance(id))
                return 0;
        r = unit_name_template(id, &template);
        if (r < 0)
                return r;
        *ret_entry = name_map_find(map, template);
        return 0;
}

/*
 * The name that an alias entry gives to @id: a template gets its instance. NULL with @ret_problem if that is invalid.
 */
static int name_alias_target(const char *id, const NameEntry *entry, char **ret_target, const char **ret_problem) {
        const char *alias_of = name_entry_alias_of(entry);
        cleanup_free_ char *instance = NULL;
        int r;

        *ret_problem = NULL;
        if (unit_name_type(alias_of) != unit_name_type(id))
                *ret_problem = "it is a link to a unit of another type";
        else if (unit_name_is_template(entry->name) && !unit_name_is_template(alias_of))
                *ret_problem = "it is a template, but a link to a unit that is not a template";
        else if (unit_name_is_template(alias_of) && !unit_name_is_instance(id))
                *ret_problem = "it is not an instance, but a link to a template";
        if (*ret_problem)
                return 0;
        if (!unit_name_is_template(alias_of)) {
                *ret_target = strdup(alias_of);
                return *ret_target ? 0 : -ENOMEM;
        }
        r = unit_name_instance(id, &instance);
        return r < 0 ? r : unit_name_replace_instance(alias_of, instance, ret_target);
}

/* Resolves one step from lookup->id. 1 if it was an alias and there may be another step, 0 at the end. */
static int name_map_step(const NameMap *map, NameLookup *lookup) {
        char *target = NULL;
        int r;

        r = name_map_find_with_template(map, lookup->id, &lookup->entry);
        if (r < 0)
                return r;
        if (lookup->entry && lookup->entry->kind == NAME_ALIAS) {
                r = name_alias_target(lookup->id, lookup->entry, &target, &lookup->problem);
                if (r < 0)
                        return r;
                if (lookup->problem) {
                        lookup->found = NAME_FOUND_BAD_ALIAS;
                        return 0;
                }
                if (strcmp(target, lookup->id) != 0) {
                        free(lookup->id);
                        lookup->id = target;
                        return 1;
                }
                /* x@1.service, a link to x@.service, is no alias: the instance simply uses its template. */
                free(target);
                lookup->entry = name_map_find(map, name_entry_alias_of(lookup->entry));
        }
        lookup->found = !lookup->entry                          ? NAME_FOUND_NOTHING
                        : lookup->entry->kind == NAME_MASK      ? NAME_FOUND_MASK
                                                                : NAME_FOUND_FILE;
        return 0;
}

int name_map_lookup(const NameMap *map, const char *name, NameLookup *ret_lookup) {
        cleanup_(name_lookup_deinit) NameLookup lookup = { .id = strdup(name) };
        int r = 1;

        assert(map);

        if (!lookup.id)
                return -ENOMEM;
        for (unsigned hops = 0; r > 0 && hops < ALIAS_HOPS_MAX; hops++)
                r = name_map_step(map, &lookup);
        if (r < 0)
                return r;
        if (r > 0) {
                lookup.found = NAME_FOUND_BAD_ALIAS;
                lookup.problem = "its links lead in a circle";
        } else if (lookup.found != NAME_FOUND_BAD_ALIAS && strcmp(lookup.id, name) != 0)
                lookup.found = NAME_FOUND_ALIAS;
        *ret_lookup = lookup;
        lookup.id = NULL;
        return 0;
}

/* The first alias whose alias_of is not less than @target. */
static size_t name_map_first_alias(const NameMap *map, const char *target) {
        size_t low = 0, high = map->aliases.n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (strcmp(name_entry_alias_of(&map->entries.items[map->aliases.items[middle]]), target) < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

/* The name of the link @entry to @target for @instance: 0 with NULL if the link is unrelated. */
static int name_alias_for_instance(const NameEntry *entry, const char *instance, char **ret_name) {
        cleanup_free_ char *own = NULL;
        int r;

        *ret_name = NULL;
        if (unit_name_is_template(entry->name)) {
                r = unit_name_replace_instance(entry->name, instance, ret_name);
                return r == -EINVAL ? 0 : r;
        }
        r = unit_name_instance(entry->name, &own);
        if (r == -EINVAL || (r == 0 && strcmp(own, instance) != 0))
                return 0;
        if (r < 0)
                return r;
        *ret_name = strdup(entry->name);
        return *ret_name ? 0 : -ENOMEM;
}

/* Appends the names of the links to exactly @target; for a template, the names of those links for @instance. */
static int name_map_push_aliases(const NameMap *map, const char *target, const char *instance, const char *id,
                                 char ***aliases) {
        for (size_t i = name_map_first_alias(map, target); i < map->aliases.n; i++) {
                const NameEntry *entry = &map->entries.items[map->aliases.items[i]];
                cleanup_free_ char *name = NULL;
                int r;

                if (strcmp(name_entry_alias_of(entry), target) != 0)
                        break;
                if (unit_name_type(entry->name) != unit_name_type(target))
                        continue;
                if (instance)
                        r = name_alias_for_instance(entry, instance, &name);
                else if (!unit_name_is_template(entry->name))
                        r = (name = strdup(entry->name)) ? 0 : -ENOMEM;
                else
                        continue;
                /* An instance with an entry of its own uses that entry, whatever its template links to. */
                if (r == 0 && name && strcmp(name, entry->name) != 0 && name_map_find(map, name))
                        continue;
                if (r == 0 && name && strcmp(name, id) != 0 && !strv_contains(*aliases, name))
                        r = strv_push(aliases, name);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* The same for the name itself and, for an instance, for its template. */
static int name_map_push_all_aliases(const NameMap *map, const char *name, const char *id, char ***aliases) {
        cleanup_free_ char *template = NULL, *instance = NULL;
        int r = name_map_push_aliases(map, name, NULL, id, aliases);

        if (r < 0 || !unit_name_is_instance(name))
                return r;
        r = unit_name_template(name, &template);
        if (r == 0)
                r = unit_name_instance(name, &instance);
        return r < 0 ? r : name_map_push_aliases(map, template, instance, id, aliases);
}

static int name_compare(const void *a, const void *b) {
        return strcmp(*(char *const *) a, *(char *const *) b);
}

int name_map_aliases(const NameMap *map, const char *id, char ***ret_aliases) {
        cleanup_(strv_freep) char **aliases = NULL;
        size_t done = 0;
        int r;

        if (map->aliases.n == 0) {
                *ret_aliases = NULL;
                return 0;
        }
        r = name_map_push_all_aliases(map, id, id, &aliases);
        for (; r == 0 && done < strv_length(aliases) && done < ALIASES_MAX; done++) {
                cleanup_free_ char *alias = strdup(aliases[done]);

                r = alias ? name_map_push_all_aliases(map, alias, id, &aliases) : -ENOMEM;
        }
        if (r < 0)
                return r;
        if (aliases)
                qsort(aliases, strv_length(aliases), sizeof(char *), name_compare);
        *ret_aliases = take_ptr(aliases);
        return 0;
}
