/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * enable, disable, reenable, preset
 *
 * [Install] says which links a unit wants. Units named in Also= are processed,
 * too: a list that grows while it is processed, with unique names.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/builtin_unit.h"
#include "unitfile/install_private.h"
#include "unitfile/unit_draft_read.h"

static const char *const preset_modes[_PRESET_MODE_MAX] = {
        [PRESET_FULL] = "full",
        [PRESET_ENABLE_ONLY] = "enable-only",
        [PRESET_DISABLE_ONLY] = "disable-only",
};

DEFINE_STRING_TABLE(preset_mode, PresetMode, preset_modes)

/* — enable — */

typedef struct Enabling {
        Installer *installer;
        const char *folder;             /* borrowed: folder for the links */
        unsigned flags;
        char **names;                   /* owned: all, including Also= */
        size_t n_asked;                 /* number of names given by the caller */
        InstallReport *report;          /* its .carries_install_info is set */
        InstallReport plan;
        Failure *failure;
} Enabling;

static bool has_install(const UnitRareSettings *rare) {
        return rare->wanted_by || rare->required_by || rare->upheld_by || rare->alias || rare->also;
}

static int enable_dependencies(Enabling *enabling, const UnitDraft *draft, char *const *destinations,
                               const char *suffix) {
        cleanup_free_ char *target = NULL;
        int r = installer_target_of(draft, true, enabling->installer, &target);

        strv_foreach(destination, destinations) {
                cleanup_free_ char *path = NULL;
                cleanup_(name_lookup_deinit) NameLookup lookup = {};

                if (r == 0 && unit_name_is_template(draft->name) && !unit_name_is_template(*destination))
                        r = failure_set(enabling->failure, -EDESTADDRREQ, "InvalidArgs",
                                        "%s is a template without DefaultInstance=: name an instance, like %.*sNAME%s.",
                                        draft->name, (int) (strchr(draft->name, '@') - draft->name + 1), draft->name,
                                        strrchr(draft->name, '.'));
                if (r == 0)
                        r = text_format(&path, "%s/%s%s/%s", enabling->folder, *destination, suffix, draft->name);
                if (r == 0)
                        r = installer_plan_link(enabling->installer, path, target, true, &enabling->plan,
                                                enabling->failure);
                if (r == 0)
                        r = name_map_lookup(enabling->installer->loader->names, *destination, &lookup);
                if (r == 0 && lookup.found == NAME_FOUND_NOTHING && !builtin_unit_find(*destination))
                        r = install_report_add(&enabling->plan, INSTALL_DESTINATION_MISSING, *destination, draft->name);
        }
        return r;
}

/* For an instance, an alias that is a template gets the same instance. */
static int resolve_alias(const UnitDraft *draft, const char *alias, char **ret_alias) {
        cleanup_free_ char *instance = NULL;
        int r;

        if (!unit_name_is_template(alias) || !unit_name_is_instance(draft->name))
                return text_format(ret_alias, "%s", alias);
        r = unit_name_instance(draft->name, &instance);
        return r < 0 ? r : unit_name_replace_instance(alias, instance, ret_alias);
}

static int enable_aliases(Enabling *enabling, const UnitDraft *draft) {
        cleanup_free_ char *target = NULL;
        int r = installer_target_of(draft, false, enabling->installer, &target);

        strv_foreach(alias, draft->rare->alias) {
                cleanup_free_ char *path = NULL, *name = NULL;

                if (r == 0)
                        r = resolve_alias(draft, *alias, &name);
                if (r < 0)
                        return r;
                if (strcmp(name, draft->name) == 0)
                        continue;
                if (unit_name_type(name) != unit_name_type(draft->name) ||
                    unit_name_is_template(name) != unit_name_is_template(draft->name))
                        return failure_set(enabling->failure, -EXDEV, "BadUnitSetting",
                                           "Alias=%s of %s: an alias has the type of its unit, and is a template if "
                                           "that is "
                                           "one.", *alias, draft->name);
                r = text_format(&path, "%s/%s", enabling->folder, name);
                if (r == 0)
                        r = installer_plan_link(enabling->installer, path, target, enabling->flags & INSTALL_FORCE,
                                                &enabling->plan, enabling->failure);
        }
        return r;
}

/* A template with a default instance is replaced by that instance. */
static int read_instance(Enabling *enabling, const char *name, UnitDraft **draft) {
        cleanup_(unit_draft_freep) UnitDraft *template = NULL;
        cleanup_free_ char *instance = NULL;
        int r = installer_read(enabling->installer, name, draft, enabling->failure);

        if (r < 0 || !unit_name_is_template((*draft)->name) || !(*draft)->rare->default_instance)
                return r;
        template = take_ptr(*draft);
        if (unit_name_replace_instance(template->name, template->rare->default_instance, &instance) < 0)
                return failure_set(enabling->failure, -EINVAL, "BadUnitSetting",
                                   "DefaultInstance=%s of %s is not valid.",
                                   template->rare->default_instance, template->name);
        return installer_read(enabling->installer, instance, draft, enabling->failure);
}

/* A missing or masked unit is no error if only Also= names it. */
static int pass_over(Enabling *enabling, const char *name, int error) {
        InstallChangeKind kind = error == -ENOENT ? INSTALL_AUXILIARY_MISSING : INSTALL_MASKED;

        if (error != -ENOENT && error != -ESHUTDOWN)
                return error;
        failure_deinit(enabling->failure);
        *enabling->failure = (Failure) {};
        return install_report_add(&enabling->plan, kind, name, "");
}

static int enable_name(Enabling *enabling, size_t at) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        cleanup_free_ char *name = strdup(enabling->names[at]);
        const UnitRareSettings *rare;
        int r = name ? read_instance(enabling, name, &draft) : -ENOMEM;

        if (r < 0)
                return name && at >= enabling->n_asked ? pass_over(enabling, name, r) : r;
        rare = draft->rare;
        if (draft->load_state == UNIT_BAD_SETTING && !has_install(rare) && at < enabling->n_asked)
                return failure_set(enabling->failure, -ENOEXEC, "BadUnitSetting", "Unit file %s cannot be read: %s",
                                   name,
                                   failure_message(&draft->failure));
        enabling->report->carries_install_info = enabling->report->carries_install_info || has_install(rare);
        r = enable_aliases(enabling, draft);
        if (r == 0)
                r = enable_dependencies(enabling, draft, rare->wanted_by, ".wants");
        if (r == 0)
                r = enable_dependencies(enabling, draft, rare->required_by, ".requires");
        if (r == 0)
                r = enable_dependencies(enabling, draft, rare->upheld_by, ".upholds");
        strv_foreach(also, rare->also)
                if (r == 0 && !strv_contains(enabling->names, *also))
                        r = strv_push(&enabling->names, *also);
        return r;
}

static int enable_names(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                        Failure *ret_failure) {
        Failure ignored = {};
        Enabling enabling = { .installer = installer, .flags = flags, .report = report,
                              .failure = ret_failure ?: &ignored };
        int r = installer_config_folder(installer, flags, &enabling.folder, enabling.failure);

        if (r == 0)
                r = strv_copy(names, &enabling.names);
        enabling.n_asked = strv_length(names);
        for (size_t i = 0; r == 0 && i < strv_length(enabling.names); i++)
                r = enable_name(&enabling, i);
        if (r == 0)
                r = installer_apply(installer, &enabling.plan, flags, report, enabling.failure);
        strv_free(enabling.names);
        install_report_deinit(&enabling.plan);
        failure_deinit(&ignored);
        return r;
}

/* The last part of a path, or the name itself. */
static const char *name_of_file(const char *file) {
        const char *slash = strrchr(file, '/');

        return slash ? slash + 1 : file;
}

/* Links the units given as paths; their names are used afterwards. */
static int link_paths(Installer *installer, char *const *files, unsigned flags, InstallReport *report,
                      char ***ret_names,
                      Failure *ret_failure) {
        cleanup_(strv_freep) char **paths = NULL, **names = NULL;
        int r = 0;

        strv_foreach(file, files) {
                if (r == 0 && (*file)[0] != '/')
                        r = installer_check_name(*file, ret_failure);
                else if (r == 0)
                        r = strv_push(&paths, *file);
                if (r == 0)
                        r = strv_push(&names, name_of_file(*file));
        }
        if (r == 0 && paths)
                r = installer_link(installer, paths, flags, report, ret_failure);
        if (r < 0)
                return r;
        *ret_names = take_ptr(names);
        return 0;
}

int installer_enable(Installer *installer, char *const *files, unsigned flags, InstallReport *report,
                     Failure *ret_failure) {
        cleanup_(strv_freep) char **names = NULL;
        int r = link_paths(installer, files, flags, report, &names, ret_failure);

        return r < 0 ? r : enable_names(installer, names, flags, report, ret_failure);
}

/* — disable — */

/* Collects @names and the names in their Also=. A unit without a file may still have links. */
static int gather_names(Installer *installer, char *const *names, InstallReport *report, char ***ret_all,
                        Failure *ret_failure) {
        cleanup_(strv_freep) char **all = NULL;
        int r = strv_copy(names, &all);

        for (size_t i = 0; r == 0 && i < strv_length(all); i++) {
                cleanup_(unit_draft_freep) UnitDraft *draft = NULL;

                r = installer_check_name(all[i], ret_failure);
                if (r == 0)
                        r = unit_draft_read(installer->loader, all[i], true, &draft);
                if (r < 0)
                        return r;
                report->carries_install_info = report->carries_install_info || has_install(draft->rare);
                if (draft->load_state == UNIT_STUB && !strv_contains(all, draft->state->sources.id))
                        r = strv_push(&all, draft->state->sources.id);
                strv_foreach(also, draft->rare->also)
                        if (r == 0 && !strv_contains(all, *also))
                                r = strv_push(&all, *also);
        }
        if (r < 0)
                return r;
        *ret_all = take_ptr(all);
        return 0;
}

static int require_file(Installer *installer, const char *name, Failure *ret_failure) {
        const char *state;
        int r = unit_file_state(installer->loader, name, &state);

        return r == -ENOENT ? installer_refuse_missing(installer, name, ret_failure) : r;
}

int installer_disable(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                      Failure *ret_failure) {
        cleanup_(strv_freep) char **all = NULL;
        cleanup_(install_report_deinit) InstallReport plan = {};
        const char *folder;
        int r;

        r = installer_config_folder(installer, flags, &folder, ret_failure);
        if (r == 0)
                r = gather_names(installer, names, report, &all, ret_failure);
        if (r == 0)
                r = installer_plan_removal(installer, all, flags, &plan);
        strv_foreach(name, names)
                if (r == 0 && plan.changes.n == 0)
                        r = require_file(installer, *name, ret_failure);
        return r < 0 ? r : installer_apply(installer, &plan, flags, report, ret_failure);
}

/* The file of a unit that was linked by path: disable removes that link, and enable must make it again. */
static int file_to_enable_again(Installer *installer, const char *name, char **ret_file) {
        const NameMap *names = installer->loader->names;
        const NameEntry *entry = name_map_find(names, name);
        cleanup_free_ char *path = NULL;
        char target[PATH_MAX];
        ssize_t n = -1;

        if (entry && entry->kind == NAME_FILE) {
                int r = text_join_path(name_map_folder(names, entry), name, &path);

                if (r < 0)
                        return r;
                n = readlink(path, target, sizeof(target) - 1);
        }
        if (n > 0 && target[0] == '/')
                return text_format(ret_file, "%.*s", (int) n, target);
        return text_format(ret_file, "%s", name);
}

int installer_reenable(Installer *installer, char *const *files, unsigned flags, InstallReport *report,
                       Failure *ret_failure) {
        cleanup_(strv_freep) char **names = NULL, **again = NULL;
        int r = 0;

        strv_foreach(file, files) {
                char *one = NULL;

                if (r == 0)
                        r = strv_push(&names, name_of_file(*file));
                if (r == 0)
                        r = file_to_enable_again(installer, *file, &one);
                if (r == 0)
                        r = strv_consume(&again, one);
        }
        if (r == 0)
                r = installer_disable(installer, names, flags, report, ret_failure);
        return r < 0 ? r : installer_enable(installer, again, flags, report, ret_failure);
}

/* — preset — */

static int read_presets(Installer *installer) {
        int r = installer->has_presets ? 0 : preset_rules_read(&installer->presets, installer->preset_path,
                                                               installer->root);

        installer->has_presets = r == 0;
        return r;
}

/* Adds a name to the units to be enabled or to be disabled. */
static int sort_by_preset(Installer *installer, const char *name, PresetMode mode, char ***enabled, char ***disabled) {
        char *const *instances;
        int r = 0;

        if (!preset_rules_is_enabled(&installer->presets, name, &instances))
                return mode == PRESET_ENABLE_ONLY ? 0 : strv_push(disabled, name);
        if (mode == PRESET_DISABLE_ONLY)
                return 0;
        if (!instances)
                return strv_push(enabled, name);
        strv_foreach(instance, instances) {
                char *full = NULL;

                if (r == 0)
                        r = unit_name_replace_instance(name, *instance, &full);
                if (r == 0)
                        r = strv_consume(enabled, full);
        }
        return r == -EINVAL ? 0 : r;
}

int installer_preset(Installer *installer, char *const *names, PresetMode mode, unsigned flags, InstallReport *report,
                     Failure *ret_failure) {
        cleanup_(strv_freep) char **enabled = NULL, **disabled = NULL;
        int r = read_presets(installer);

        strv_foreach(name, names) {
                if (r == 0)
                        r = installer_check_name(*name, ret_failure);
                if (r == 0)
                        r = require_file(installer, *name, ret_failure);
                if (r == 0)
                        r = sort_by_preset(installer, *name, mode, &enabled, &disabled);
        }
        if (r == 0 && disabled)
                r = installer_disable(installer, disabled, flags, report, ret_failure);
        if (r == 0 && enabled)
                r = enable_names(installer, enabled, flags, report, ret_failure);
        return r;
}

/*
 * Applies presets to each unit separately: a failure does not stop the others, and the first one is returned. A
 * template without a default instance is no failure.
 */
int installer_preset_all(Installer *installer, PresetMode mode, unsigned flags, InstallReport *report,
                         Failure *ret_failure) {
        cleanup_(strv_freep) char **names = NULL;
        int r = unit_file_list(installer->loader, &names), first = 0;

        strv_foreach(name, names) {
                cleanup_(failure_deinit) Failure failure = {};
                char *one[] = { *name, NULL };
                const char *state;

                if (r < 0)
                        break;
                if (unit_file_state(installer->loader, *name, &state) < 0 || text_starts_with(state, "masked") ||
                    text_equal(state, "alias") || text_equal(state, "generated") || text_equal(state, "static"))
                        continue;
                r = installer_preset(installer, one, mode, flags, report, &failure);
                if (r < 0 && r != -ENOMEM) {
                        if (r != -EDESTADDRREQ && first == 0)
                                first = failure_copy(ret_failure, &failure);
                        r = 0;
                }
        }
        return r < 0 ? r : first;
}
