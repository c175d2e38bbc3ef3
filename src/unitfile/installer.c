/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The installer: the folders that it looks at, and the units that it finds there
 */

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/install_private.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_hint.h"

Installer *installer_free(Installer *installer) {
        if (!installer)
                return NULL;
        unit_file_loader_free(installer->loader);
        strv_free(installer->folders);
        strv_free(installer->preset_path);
        free(installer->root);
        preset_rules_deinit(&installer->presets);
        free(installer);
        return NULL;
}

/* Copies an absolute path without a slash at the end; "/" becomes "". */
static int clean_path(const char *path, char **ret_path) {
        size_t n;

        if (path[0] != '/')
                return text_format(ret_path, "%s", path);
        *ret_path = strdup(path);
        if (!*ret_path)
                return -ENOMEM;
        for (n = strlen(*ret_path); n > 0 && (*ret_path)[n - 1] == '/'; n--)
                (*ret_path)[n - 1] = '\0';
        return 0;
}

static int installer_take_folders(Installer *installer, char *const *search_path, char ***ret_real) {
        cleanup_(strv_freep) char **real = NULL;

        strv_foreach(folder, search_path) {
                char *clean = NULL, *whole = NULL;
                int r = clean_path(*folder, &clean);

                if (r == 0)
                        r = strv_consume(&installer->folders, clean);
                if (r == 0)
                        r = installer_real_path(installer, clean, &whole);
                if (r == 0)
                        r = strv_consume(&real, whole);
                if (r < 0)
                        return r;
        }
        *ret_real = take_ptr(real);
        return 0;
}

int installer_new(Installer **ret_installer, const InstallOptions *options) {
        cleanup_(installer_freep) Installer *installer = calloc(1, sizeof(*installer));
        cleanup_(strv_freep) char **real = NULL;
        int r;

        assert(ret_installer);

        if (!installer)
                return -ENOMEM;
        r = clean_path(options->root ?: "", &installer->root);
        if (r == 0)
                r = installer_take_folders(installer, options->search_path, &real);
        installer->into_systemd = options->into_systemd;
        if (r == 0)
                r = options->preset_path ? strv_copy(options->preset_path, &installer->preset_path)
                                         : preset_search_path(options->is_user, options->with_systemd,
                                                              &installer->preset_path);
        if (r == 0)
                r = unit_file_loader_new(&installer->loader, &(UnitFileOptions) {
                        .search_path = real,
                        .root = *installer->root ? installer->root : NULL,
                        .is_user = options->is_user,
                });
        if (r == 0)
                r = name_map_refresh(installer->loader->names);
        if (r < 0)
                return r;
        *ret_installer = take_ptr(installer);
        return 0;
}

int installer_real_path(const Installer *installer, const char *path, char **ret_path) {
        return text_format(ret_path, "%s%s", installer->root, path);
}

/* — folders — */

static FolderKind kind_of(const Installer *installer, const char *folder) {
        return folder_kind(folder, installer->loader->runtime_directory);
}

int installer_config_folder(const Installer *installer, unsigned flags, const char **ret_folder, Failure *ret_failure) {
        FolderKind wanted = flags & INSTALL_RUNTIME ? FOLDER_RUNTIME : FOLDER_CONFIG;

        *ret_folder = folder_choose(installer->folders, wanted, installer->loader->runtime_directory,
                                    installer->into_systemd);
        if (*ret_folder)
                return 0;
        return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported",
                           "The search path has no folder for %s of the administrator.",
                           wanted == FOLDER_RUNTIME ? "links that last until the next boot" : "links");
}

/*
 * Returns true for the folder of its kind in which links are made, and for the others of jobd and systemd, if they are
 * on the search path.
 */
bool installer_is_config_folder(const Installer *installer, const char *folder, unsigned flags) {
        const char *first = NULL, *home = getenv("XDG_CONFIG_HOME");

        if (installer_config_folder(installer, flags, &first, NULL) < 0)
                return false;
        if (strcmp(folder, first) == 0)
                return true;
        if (kind_of(installer, folder) != (flags & INSTALL_RUNTIME ? FOLDER_RUNTIME : FOLDER_CONFIG))
                return false;
        return text_starts_with(folder, "/etc/") || text_starts_with(folder, "/run/") ||
               (home && *home && text_starts_with(folder, home)) || strstr(folder, "/.config/");
}

/* — reading — */

int installer_check_name(const char *name, Failure *ret_failure) {
        if (unit_name_is_valid(name))
                return 0;
        return failure_set(ret_failure, -EINVAL, "InvalidArgs", "'%s' is not a valid name of a unit.", name);
}

int installer_refuse_missing(const Installer *installer, const char *name, Failure *ret_failure) {
        cleanup_free_ char *hint = NULL;
        int r = unit_file_hint(installer->loader, name, &hint);

        if (r < 0)
                return r;
        return failure_set(ret_failure, -ENOENT, "NoSuchUnit", "Unit file %s does not exist%s.", name, hint);
}

static int installer_refuse(const Installer *installer, const UnitDraft *draft, const char *name, const char *folder,
                            Failure *ret_failure) {
        const UnitSources *sources = &draft->state->sources;

        if (sources->found == NAME_FOUND_NOTHING)
                return installer_refuse_missing(installer, name, ret_failure);
        if (draft->load_state == UNIT_MASKED)
                return failure_set(ret_failure, -ESHUTDOWN, "UnitMasked", "Unit file %s is masked: 'jobctl unmask %s' "
                                   "takes that back.", name, name);
        if (sources->found == NAME_FOUND_BAD_ALIAS)
                return failure_set(ret_failure, -ELOOP, "UnitLinked", "Unit file %s is no unit: %s.", name,
                                   sources->problem);
        if (folder && folder_kind(folder, draft->loader->runtime_directory) == FOLDER_GENERATED)
                return failure_set(ret_failure, -EADDRNOTAVAIL, "UnitGenerated",
                                   "Unit file %s was generated: it cannot be enabled.", name);
        return 0;
}

/* Follows aliases: the draft is that of the aliased unit. */
int installer_read(Installer *installer, const char *name, UnitDraft **ret_draft, Failure *ret_failure) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        const char *fragment;
        int r = installer_check_name(name, ret_failure);

        if (r == 0)
                r = unit_draft_read(installer->loader, name, true, &draft);
        if (r == 0 && draft->load_state == UNIT_STUB) {
                cleanup_(unit_draft_freep) UnitDraft *alias = take_ptr(draft);

                r = unit_draft_read(installer->loader, alias->state->sources.id, true, &draft);
        }
        if (r < 0)
                return r;
        fragment = draft->state->sources.fragment;
        r = installer_refuse(installer, draft, name, fragment ? fragment + strlen(installer->root) : NULL, ret_failure);
        if (r < 0)
                return r;
        *ret_draft = take_ptr(draft);
        return 0;
}

/*
 * The links of a linked file lead to the file itself: they last when its link goes. With another root folder a fragment
 * is the file already.
 */
int installer_target_of(const UnitDraft *draft, bool is_in_subfolder, const Installer *installer, char **ret_target) {
        const UnitSources *sources = &draft->state->sources;
        char target[PATH_MAX];
        ssize_t n;

        if (sources->builtin)
                return text_format(ret_target, "%s%s", is_in_subfolder ? "../" : "", draft->name);
        n = readlink(sources->fragment, target, sizeof(target));
        if (n > 0 && (size_t) n < sizeof(target) && target[0] == '/')
                return text_format(ret_target, "%.*s", (int) n, target);
        return text_format(ret_target, "%s", sources->fragment + strlen(installer->root));
}
