/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The enablement state of a unit file
 *
 * The state follows from existing links and from the requests of [Install]. A
 * unit without [Install] is static, even if there are links in the folders of
 * packages (/usr/lib).
 */

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/builtin_unit.h"
#include "unitfile/install_folder.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

/* The links to a unit. */
typedef struct StateLinks {
        bool has_lasting;
        bool has_runtime;
        bool has_package;
        bool has_other_name;            /* a link that [Install] does not request, … */
        bool has_package_name;          /* … and one that a package has */
} StateLinks;

static FolderKind state_folder_kind(const UnitFileLoader *loader, const char *folder) {
        return folder_kind(folder + strlen(name_map_root(loader->names)), loader->runtime_directory);
}

static bool folder_is_runtime(const UnitFileLoader *loader, const char *folder) {
        FolderKind kind = state_folder_kind(loader, folder);

        return kind == FOLDER_RUNTIME || kind == FOLDER_CONTROL_RUNTIME || kind == FOLDER_GENERATED;
}

static void state_note_link(const UnitFileLoader *loader, const char *folder, StateLinks *links) {
        if (folder_is_runtime(loader, folder))
                links->has_runtime = true;
        else if (state_folder_kind(loader, folder) == FOLDER_PACKAGE)
                links->has_package = true;
        else
                links->has_lasting = true;
}

/* Returns true if the sub-folder has a link to @name; for a template, to any instance. */
static bool state_has_link(const NameMap *map, const NameEntry *subfolder, const char *name) {
        cleanup_free_ char *path = NULL;
        const char *at = strchr(name, '@');
        struct dirent *item;
        struct stat st;
        bool found = false;
        DIR *dir;

        if (text_format(&path, "%s/%s/%s", name_map_folder(map, subfolder), subfolder->name, name) < 0)
                return false;
        if (lstat(path, &st) == 0)
                return true;
        if (!unit_name_is_template(name))
                return false;
        path[strlen(path) - strlen(name) - 1] = '\0';
        dir = opendir(path);
        while (dir && !found && (item = readdir(dir)))
                found = strncmp(item->d_name, name, (size_t) (at - name) + 1) == 0 &&
                        unit_name_is_instance(item->d_name) &&
                        text_ends_with(item->d_name, strrchr(name, '.'));
        if (dir)
                closedir(dir);
        return found;
}

static int state_find_links(const UnitFileLoader *loader, const char *name, char *const *wanted_aliases,
                            StateLinks *links) {
        cleanup_(strv_freep) char **aliases = NULL;
        const NameEntry *subfolders;
        size_t n;
        int r = name_map_aliases(loader->names, name, &aliases);

        if (r < 0)
                return r;
        subfolders = name_map_folders(loader->names, &n);
        for (size_t i = 0; i < n; i++)
                if (!text_ends_with(subfolders[i].name, ".d") && state_has_link(loader->names, &subfolders[i], name))
                        state_note_link(loader, name_map_folder(loader->names, &subfolders[i]), links);
        strv_foreach(alias, aliases) {
                const NameEntry *entry = name_map_find(loader->names, *alias);
                const char *folder = entry ? name_map_folder(loader->names, entry) : NULL;

                if (entry && strv_contains(wanted_aliases, *alias))
                        state_note_link(loader, folder, links);
                else if (entry && state_folder_kind(loader, folder) == FOLDER_PACKAGE)
                        links->has_package_name = true;
                else if (entry)
                        links->has_other_name = true;
        }
        return 0;
}

/*
 * The state of a unit that has a file. Errors in it are not reported, because loading does that; only a file that
 * cannot be read has no state.
 */
static int state_of_file(const UnitFileLoader *loader, const NameEntry *entry, const char *name,
                         const char **ret_state) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        cleanup_free_ char *path = NULL;
        UnitFileLoader quiet = *loader;
        StateLinks links = {};
        struct stat st;
        bool has_install;
        int r;

        quiet.options.receiver = NULL;
        r = text_join_path(name_map_folder(loader->names, entry), entry->name, &path);
        if (r == 0)
                r = unit_draft_read(&quiet, name, true, &draft);
        if (r == 0)
                r = state_find_links(loader, name, draft->settings.rare->alias, &links);
        if (r < 0)
                return r;
        has_install = draft->settings.rare->wanted_by || draft->settings.rare->required_by ||
                draft->settings.rare->upheld_by ||
                      draft->settings.rare->alias;
        if (draft->load_state == UNIT_MASKED)
                *ret_state = folder_is_runtime(loader, name_map_folder(loader->names, entry)) ? "masked-runtime" :
                        "masked";
        else if (draft->load_state == UNIT_ERROR)
                *ret_state = "bad";
        else if (links.has_lasting || (links.has_package && has_install))
                *ret_state = "enabled";
        else if (links.has_runtime)
                *ret_state = "enabled-runtime";
        else if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
                *ret_state = folder_is_runtime(loader, name_map_folder(loader->names, entry)) ? "linked-runtime" :
                        "linked";
        else
                *ret_state = links.has_other_name || (links.has_package_name && has_install) ? "indirect" :
                             has_install ? "disabled" : draft->settings.rare->also ? "indirect" : "static";
        return 0;
}

int unit_file_state(UnitFileLoader *loader, const char *name, const char **ret_state) {
        const NameEntry *entry;
        cleanup_free_ char *template = NULL;
        int r;

        assert(loader);
        assert(ret_state);

        if (!unit_name_is_valid(name))
                return -EINVAL;
        r = name_map_refresh(loader->names);
        if (r < 0)
                return r;
        entry = name_map_find(loader->names, name);
        if (!entry && unit_name_is_instance(name) && unit_name_template(name, &template) == 0)
                entry = name_map_find(loader->names, template);
        if (!entry && !builtin_unit_find(name))
                return -ENOENT;

        if (!entry)
                *ret_state = "static";
        else if (entry->kind == NAME_MASK)
                *ret_state = folder_is_runtime(loader, name_map_folder(loader->names, entry)) ? "masked-runtime" :
                        "masked";
        else if (entry->kind == NAME_ALIAS)
                *ret_state = "alias";
        else if (state_folder_kind(loader, name_map_folder(loader->names, entry)) == FOLDER_GENERATED)
                *ret_state = "generated";
        else if (state_folder_kind(loader, name_map_folder(loader->names, entry)) == FOLDER_TRANSIENT)
                *ret_state = "transient";
        else
                return state_of_file(loader, entry, name, ret_state);
        return 0;
}

int unit_file_list(UnitFileLoader *loader, char ***ret_names) {
        VECTOR(char *) names = {};
        const NameEntry *entries;
        size_t n;
        int r;

        assert(loader);
        assert(ret_names);

        r = name_map_refresh(loader->names);
        if (r < 0)
                return r;
        entries = name_map_entries(loader->names, &n);
        r = vector_reserve(&names, n + 1);
        for (size_t i = 0; r == 0 && i < n; i++) {
                names.items[names.n] = strdup(entries[i].name);
                if (!names.items[names.n++])
                        r = -ENOMEM;
        }
        if (r < 0) {
                for (size_t i = 0; i < names.n; i++)
                        free(names.items[i]);
                vector_deinit(&names);
                return r;
        }
        names.items[names.n] = NULL;
        *ret_names = names.items;
        return 0;
}
