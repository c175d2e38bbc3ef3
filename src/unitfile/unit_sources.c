/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that make up a unit
 *
 * Drop-ins come from folders named after the unit, its aliases, its template,
 * each prefix of its name that ends with a dash, and its type, on the whole
 * search path. They apply in the order of their file names; of two with the
 * same name the one in the more specific folder, then the one in the earlier
 * folder of the search path, hides the other. Most units have none of these
 * folders, which the name map knows without a system call.
 */

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/builtin_unit.h"
#include "unitfile/unit_sources.h"

static const struct {
        const char *suffix;
        UnitRelationKind kind;
} link_folders[] = {
        { ".wants", UNIT_WANTS },
        { ".requires", UNIT_REQUIRES },
        { ".upholds", UNIT_UPHOLDS },
};

static void source_link_deinit(SourceLink *link) {
        free(link->name);
        free(link->path);
}

void unit_sources_deinit(UnitSources *sources) {
        free(sources->id);
        free(sources->fragment);
        strv_free(sources->dropins);
        strv_free(sources->aliases);
        for (size_t i = 0; i < sources->links.n; i++)
                source_link_deinit(&sources->links.items[i]);
        vector_deinit(&sources->links);
        *sources = (UnitSources) {};
}

/* Appends the paths of all sub-folders called @name@suffix, in the order of the search path. */
static int sources_push_folder(const NameMap *map, const char *name, const char *suffix, char ***folders) {
        char wanted[UNIT_NAME_MAX + sizeof(".requires")];
        const NameEntry *subfolders;
        size_t n;
        int r;

        subfolders = name_map_folders(map, &n);
        if (n == 0)
                return 0;
        assert(strlen(name) + strlen(suffix) < sizeof(wanted));
        strcpy(stpcpy(wanted, name), suffix);
        if (!name_map_has_any_folder(map, wanted))
                return 0;
        for (size_t i = 0; i < n; i++) {
                char *path;

                if (strcmp(subfolders[i].name, wanted) != 0)
                        continue;
                r = text_join_path(name_map_folder(map, &subfolders[i]), wanted, &path);
                if (r < 0)
                        return r;
                if (strv_contains(*folders, path))
                        free(path);
                else if ((r = strv_consume(folders, path)) < 0)
                        return r;
        }
        return 0;
}

/* The folders for a-b-c.service: a-b-.service.d, a-.service.d. */
static int sources_push_prefix_folders(const NameMap *map, const char *name, char ***folders) {
        cleanup_free_ char *prefix = NULL;
        const char *type = strrchr(name, '.');
        char *dash;
        int r;

        if (!strchr(name, '-'))
                return 0;
        r = unit_name_prefix(name, &prefix);
        while (r == 0 && (dash = strrchr(prefix, '-'))) {
                cleanup_free_ char *shortened = NULL;

                dash[1] = '\0';
                r = text_format(&shortened, "%s%s", prefix, type);
                if (r == 0)
                        r = sources_push_folder(map, shortened, ".d", folders);
                *dash = '\0';
        }
        return r;
}

static int sources_push_template_folder(const NameMap *map, const char *name, const char *suffix, char ***folders) {
        cleanup_free_ char *template = NULL;
        int r;

        if (!strchr(name, '@') || !unit_name_is_instance(name))
                return 0;
        r = unit_name_template(name, &template);
        return r < 0 ? r : sources_push_folder(map, template, suffix, folders);
}

static int sources_push_dropin_folders(const NameMap *map, const char *name, char ***folders) {
        int r = sources_push_folder(map, name, ".d", folders);

        if (r == 0)
                r = sources_push_template_folder(map, name, ".d", folders);
        if (r == 0)
                r = sources_push_prefix_folders(map, name, folders);
        return r;
}

static int sources_push_link_folders(const NameMap *map, const char *name, const char *suffix, char ***folders) {
        int r = sources_push_folder(map, name, suffix, folders);

        return r < 0 ? r : sources_push_template_folder(map, name, suffix, folders);
}

static void sources_closedirp(DIR **dir) {
        if (*dir)
                closedir(*dir);
}

/* One file of a folder. Of files with equal names the one in the first folder is used. */
typedef struct SourceFile {
        char *name;             /* owned */
        char *path;             /* owned */
        size_t order;           /* rank of the folder */
} SourceFile;

typedef VECTOR(SourceFile) SourceFiles;

static void source_file_deinit(SourceFile *file) {
        free(file->name);
        free(file->path);
}

static void source_files_deinit(SourceFiles *files) {
        for (size_t i = 0; i < files->n; i++)
                source_file_deinit(&files->items[i]);
        vector_deinit(files);
}

static int source_files_add(SourceFiles *files, size_t order, const char *folder, const char *name) {
        SourceFile file = { .name = strdup(name), .order = order };
        int r = file.name ? text_join_path(folder, name, &file.path) : -ENOMEM;

        if (r == 0)
                r = vector_push(files, file);
        if (r < 0)
                source_file_deinit(&file);
        return r;
}

static bool source_is_dropin(const char *name) {
        return name[0] != '.' && text_ends_with(name, ".conf");
}

static int source_files_list(SourceFiles *files, size_t order, const char *folder,
                             bool (*is_wanted)(const char *name)) {
        cleanup_(sources_closedirp) DIR *dir = opendir(folder);
        const struct dirent *item;
        int r = 0;

        if (!dir)
                return errno == ENOMEM ? -ENOMEM : 0;
        while (r == 0 && (item = readdir(dir)))
                if (is_wanted(item->d_name))
                        r = source_files_add(files, order, folder, item->d_name);
        return r;
}

static int source_file_compare(const void *a, const void *b) {
        const SourceFile *left = a, *right = b;
        int order = strcmp(left->name, right->name);

        return order ? order : (left->order > right->order) - (left->order < right->order);
}

/* Lists all folders; the result is sorted by name, and names are unique. */
static int source_files_gather(char *const *folders, bool (*is_wanted)(const char *name), SourceFiles *files) {
        size_t kept = 0;

        for (size_t i = 0; folders[i]; i++) {
                int r = source_files_list(files, i, folders[i], is_wanted);

                if (r < 0)
                        return r;
        }
        if (files->n > 0)
                qsort(files->items, files->n, sizeof(SourceFile), source_file_compare);
        for (size_t i = 0; i < files->n; i++)
                if (kept > 0 && strcmp(files->items[kept - 1].name, files->items[i].name) == 0)
                        source_file_deinit(&files->items[i]);
                else
                        files->items[kept++] = files->items[i];
        files->n = kept;
        return 0;
}

/* An empty drop-in only hides others. */
static bool source_is_empty(const char *path) {
        struct stat st;

        return stat(path, &st) == 0 && (S_ISCHR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size == 0));
}

static bool source_is_link_to_null(const char *path) {
        char target[16];

        return readlink(path, target, sizeof(target)) == 9 && memcmp(target, "/dev/null", 9) == 0;
}

static int sources_find_dropins(const NameMap *map, UnitSources *sources) {
        cleanup_(strv_freep) char **folders = NULL;
        cleanup_(source_files_deinit) SourceFiles files = {};
        size_t n = 0;
        int r = sources_push_dropin_folders(map, sources->id, &folders);

        strv_foreach(alias, sources->aliases)
                if (r == 0)
                        r = sources_push_dropin_folders(map, *alias, &folders);
        if (r == 0)
                r = sources_push_folder(map, strrchr(sources->id, '.') + 1, ".d", &folders);
        if (r == 0 && folders)
                r = source_files_gather(folders, source_is_dropin, &files);
        for (size_t i = 0; r == 0 && i < files.n; i++)
                if (!source_is_empty(files.items[i].path))
                        r = strv_consume_at(&sources->dropins, n++, strdup(files.items[i].path));
        return r;
}

static int sources_add_link(UnitSources *sources, UnitRelationKind kind, SourceFile *file) {
        SourceLink link = { .kind = kind, .name = file->name, .path = file->path };
        int r = vector_push(&sources->links, link);

        if (r == 0)
                file->name = file->path = NULL;
        return r;
}

static int sources_find_links(const NameMap *map, UnitSources *sources, const char *suffix, UnitRelationKind kind) {
        cleanup_(strv_freep) char **folders = NULL;
        cleanup_(source_files_deinit) SourceFiles files = {};
        int r = sources_push_link_folders(map, sources->id, suffix, &folders);

        strv_foreach(alias, sources->aliases)
                if (r == 0)
                        r = sources_push_link_folders(map, *alias, suffix, &folders);
        if (r == 0 && folders)
                r = source_files_gather(folders, unit_name_is_valid, &files);
        for (size_t i = 0; r == 0 && i < files.n; i++) {
                /* A link to /dev/null removes the dependency; other targets need not exist. */
                if (source_is_link_to_null(files.items[i].path))
                        continue;
                r = sources_add_link(sources, kind, &files.items[i]);
        }
        return r;
}

/* Adds drop-ins and links of a unit whose main file is known. */
static int sources_find_rest(const NameMap *map, UnitSources *sources) {
        int r = name_map_aliases(map, sources->id, &sources->aliases);

        if (r == 0)
                r = sources_find_dropins(map, sources);
        for (size_t i = 0; r == 0 && i < ELEMENTSOF(link_folders); i++)
                r = sources_find_links(map, sources, link_folders[i].suffix, link_folders[i].kind);
        return r;
}

/* With another root folder an absolute link is relative to it. */
static int sources_follow_link(const NameMap *map, UnitSources *sources) {
        char target[PATH_MAX];
        ssize_t n;

        if (!*name_map_root(map))
                return 0;
        n = readlink(sources->fragment, target, sizeof(target) - 1);
        if (n <= 0 || target[0] != '/')
                return 0;
        target[n] = '\0';
        free(take_ptr(sources->fragment));
        return text_format(&sources->fragment, "%s%s", name_map_root(map), target);
}

int unit_sources_find(const NameMap *map, const char *name, bool needs_no_file, UnitSources *ret_sources) {
        cleanup_(name_lookup_deinit) NameLookup lookup = {};
        cleanup_(unit_sources_deinit) UnitSources sources = {};
        int r = name_map_lookup(map, name, &lookup);

        if (r < 0)
                return r;
        sources.found = lookup.found;
        sources.problem = lookup.problem;
        sources.id = take_ptr(lookup.id);
        if (sources.found == NAME_FOUND_NOTHING)
                sources.builtin = builtin_unit_find(name);
        if (sources.builtin) {
                sources.found = NAME_FOUND_FILE;
                r = text_format(&sources.fragment, "builtin:%s", name);
        } else if (lookup.entry && sources.found != NAME_FOUND_ALIAS)
                r = text_join_path(name_map_folder(map, lookup.entry), lookup.entry->name, &sources.fragment);
        if (r == 0 && sources.found == NAME_FOUND_FILE && !sources.builtin)
                r = sources_follow_link(map, &sources);
        if (r == 0 && (sources.found == NAME_FOUND_FILE || (sources.found == NAME_FOUND_NOTHING && needs_no_file)))
                r = sources_find_rest(map, &sources);
        if (r < 0)
                return r;
        *ret_sources = sources;
        sources = (UnitSources) {};
        return 0;
}

int unit_sources_has_slice(const NameMap *map, const char *name) {
        cleanup_(strv_freep) char **folders = NULL;
        int r;

        if (name_map_find(map, name))
                return 1;
        r = sources_push_dropin_folders(map, name, &folders);
        if (r == 0)
                r = sources_push_folder(map, "slice", ".d", &folders);
        return r < 0 ? r : folders != NULL;
}

static bool sources_strv_equal(char *const *a, char *const *b) {
        if (strv_length(a) != strv_length(b))
                return false;
        for (; a && *a; a++, b++)
                if (strcmp(*a, *b) != 0)
                        return false;
        return true;
}

bool unit_sources_equal(const UnitSources *a, const UnitSources *b) {
        if (a->found != b->found || !text_equal(a->fragment, b->fragment) || !text_equal(a->id, b->id) ||
            a->links.n != b->links.n || !sources_strv_equal(a->dropins, b->dropins) ||
            !sources_strv_equal(a->aliases, b->aliases))
                return false;
        for (size_t i = 0; i < a->links.n; i++)
                if (strcmp(a->links.items[i].path, b->links.items[i].path) != 0)
                        return false;
        return true;
}
