/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * enable, disable, preset, mask and the like
 *
 * One row for each verb: the manager's method and its arguments, and the
 * function for the same effect without a manager. Changes are reported in the
 * words of systemctl, which people and scripts know.
 */

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/names.h"
#include "jobctl/offline.h"
#include "jobctl/verbs.h"
#include "unit/unit_name.h"

typedef int (*InstallRun)(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                          Failure *ret_failure);

typedef struct InstallVerb {
        const char *name;
        const char *method;
        const char *signature;          /* its types tell the arguments: names as, runtime b, force b */
        InstallRun run;
        const char *now;                /* the verb of --now; NULL: none */
        bool takes_paths;
        bool has_install_info;          /* the answer begins with carries-install-info */
        const char *gerund;             /* for messages */
} InstallVerb;

static int run_revert(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                      Failure *ret_failure) {
        return installer_revert(installer, names, report, ret_failure);
}

static const InstallVerb install_verbs[] = {
        { "enable", "EnableUnitFiles", "asbb", installer_enable, "start", true, true, "enable" },
        { "disable", "DisableUnitFilesWithFlagsAndInstallInfo", "ast", installer_disable, "stop", false, true,
          "disable" },
        { "reenable", "ReenableUnitFiles", "asbb", installer_reenable, "start", true, true, "enable again" },
        { "preset", "PresetUnitFilesWithMode", "assbb", NULL, NULL, false, true, "preset" },
        { "preset-all", "PresetAllUnitFiles", "sbb", NULL, NULL, false, false, "preset all units" },
        { "mask", "MaskUnitFiles", "asbb", installer_mask, "stop", false, false, "mask" },
        { "unmask", "UnmaskUnitFiles", "asb", installer_unmask, NULL, false, false, "unmask" },
        { "link", "LinkUnitFiles", "asbb", installer_link, NULL, true, false, "link" },
        { "revert", "RevertUnitFiles", "as", run_revert, NULL, false, false, "revert" },
        { "add-wants", "AddDependencyUnitFiles", "asssbb", NULL, NULL, false, false, "add dependencies on" },
        { "add-requires", "AddDependencyUnitFiles", "asssbb", NULL, NULL, false, false, "add dependencies on" },
        { "set-default", "SetDefaultTarget", "sb", NULL, NULL, false, false, "make the default" },
};

static const InstallVerb *find_verb(const char *name) {
        for (size_t i = 0; i < ELEMENTSOF(install_verbs); i++)
                if (strcmp(install_verbs[i].name, name) == 0)
                        return &install_verbs[i];
        return NULL;
}

/* — the request — */

static int absolute_path(const char *word, char **ret_path) {
        char folder[PATH_MAX];

        if (word[0] == '/')
                return text_format(ret_path, "%s", word);
        if (!getcwd(folder, sizeof(folder)))
                return -errno;
        return text_join_path(folder, text_starts_with(word, "./") ? word + 2 : word, ret_path);
}

/* Appends the suffix to names; a word with a slash is a path. */
static int take_words(Jobctl *ctl, const InstallVerb *verb, char *const *words, char ***ret_names) {
        bool is_link = strcmp(verb->name, "link") == 0, is_dependency = strcmp(verb->signature, "asssbb") == 0;
        bool is_target = strcmp(verb->name, "set-default") == 0;
        cleanup_(strv_freep) char **names = NULL;
        int r = 0;

        strv_foreach(word, words) {
                const char *suffix = is_target || (is_dependency && word == words) ? ".target" : ".service";
                bool is_path = verb->takes_paths && (is_link || strchr(*word, '/'));
                char *name = NULL;

                if (name_is_pattern(*word))
                        return jobctl_misused(ctl, "'%s' takes no patterns: '%s'.", verb->name, *word);
                r = is_path ? absolute_path(*word, &name) : name_mangle(*word, suffix, &name);
                if (r == -EINVAL)
                        return jobctl_misused(ctl, "'%s' cannot be the name of a unit.", *word);
                if (r == 0)
                        r = strv_consume(&names, name);
                if (r < 0)
                        return r;
        }
        *ret_names = take_ptr(names);
        return 0;
}

static unsigned flags_of(const Options *options) {
        return (options->runtime ? INSTALL_RUNTIME : 0) | (options->n_force > 0 ? INSTALL_FORCE : 0) |
               (options->dry_run ? INSTALL_DRY_RUN : 0);
}

/* — by the manager — */

static json_t *arguments_of(Jobctl *ctl, const InstallVerb *verb, char *const *names) {
        const Options *options = &ctl->options;
        int runtime = options->runtime, force = options->n_force > 0;
        const char *mode = options->preset_mode ?: "full";

        if (strcmp(verb->signature, "asbb") == 0)
                return json_pack("[obb]", value_from_strings(names), runtime, force);
        if (strcmp(verb->signature, "ast") == 0)
                return json_pack("[oi]", value_from_strings(names), runtime ? INSTALL_RUNTIME : 0);
        if (strcmp(verb->signature, "assbb") == 0)
                return json_pack("[osbb]", value_from_strings(names), mode, runtime, force);
        if (strcmp(verb->signature, "sbb") == 0)
                return json_pack("[sbb]", mode, runtime, force);
        if (strcmp(verb->signature, "asb") == 0)
                return json_pack("[ob]", value_from_strings(names), runtime);
        if (strcmp(verb->signature, "sb") == 0)
                return json_pack("[sb]", names[0], 1);
        if (strcmp(verb->signature, "asssbb") == 0)
                return json_pack("[ossbb]", value_from_strings(names + 1), names[0],
                                 strcmp(verb->name, "add-wants") == 0 ? "Wants" : "Requires", runtime, force);
        return json_pack("[o]", value_from_strings(names));
}

static int install_online(Jobctl *ctl, const InstallVerb *verb, char *const *names, json_t **ret_changes,
                          bool *ret_has_info, BusError *error) {
        cleanup_json_ json_t *reply = NULL;
        int r = jobctl_call(ctl, verb->method, verb->signature, arguments_of(ctl, verb, names), &reply, error);

        if (r < 0)
                return r;
        *ret_has_info = !verb->has_install_info || json_is_true(json_array_get(reply, 0));
        *ret_changes = json_incref(json_array_get(reply, verb->has_install_info ? 1 : 0));
        return 0;
}

/* — without a manager — */

static int run_offline(Jobctl *ctl, const InstallVerb *verb, Installer *installer, char *const *names,
                       InstallReport *report, Failure *failure) {
        int mode = preset_mode_from_string(ctl->options.preset_mode ?: "full");
        unsigned flags = flags_of(&ctl->options);

        if (verb->run)
                return verb->run(installer, names, flags, report, failure);
        if (strcmp(verb->name, "preset") == 0)
                return installer_preset(installer, names, mode, flags, report, failure);
        if (strcmp(verb->name, "preset-all") == 0)
                return installer_preset_all(installer, mode, flags, report, failure);
        if (strcmp(verb->name, "set-default") == 0)
                return installer_set_default(installer, names[0], flags | INSTALL_FORCE, report, failure);
        return installer_add_dependency(installer, names + 1, names[0],
                                        strcmp(verb->name, "add-wants") == 0 ? ".wants" : ".requires", flags, report,
                                        failure);
}

static int install_offline(Jobctl *ctl, const InstallVerb *verb, Installer *installer, char *const *names,
                           json_t **ret_changes, bool *ret_has_info, BusError *error) {
        cleanup_(install_report_deinit) InstallReport report = {};
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_json_ json_t *changes = json_array();
        int r = run_offline(ctl, verb, installer, names, &report, &failure);

        if (r < 0) {
                offline_error(error, r, &failure);
                return r == -ENOMEM ? r : -EREMOTEIO;
        }
        for (size_t i = 0; i < report.changes.n; i++) {
                const InstallChange *change = &report.changes.items[i];

                if (json_array_append_new(changes, json_pack("[sss]", install_change_kind_to_string(change->kind),
                                                             change->path, change->target)) < 0)
                        return -ENOMEM;
        }
        *ret_has_info = !verb->has_install_info || report.carries_install_info;
        *ret_changes = take_ptr(changes);
        return 0;
}

/* — the changes — */

static void print_change(const json_t *change) {
        const char *kind = value_item_string(change, 0), *path = value_item_string(change, 1);
        const char *target = value_item_string(change, 2);

        if (strcmp(kind, "symlink") == 0)
                terminal_say(stderr, "Created symlink %s → %s.", path, target);
        else if (strcmp(kind, "unlink") == 0)
                terminal_say(stderr, "Removed \"%s\".", path);
        else if (strcmp(kind, "masked") == 0)
                terminal_say(stderr, "Unit %s is masked, ignoring.", path);
        else if (strcmp(kind, "destination not present") == 0)
                terminal_say(stderr, "Unit %s is added as a dependency to a non-existent unit %s.", target, path);
        else
                terminal_say(stderr, "Failed to enable auxiliary unit %s, ignoring: there is no such unit file.", path);
}

static int print_changes(Jobctl *ctl, const json_t *changes, bool has_info) {
        cleanup_json_ json_t *rows = json_array();
        json_t *change;
        size_t i;

        json_array_foreach(changes, i, change) {
                json_t *row = json_pack("{s:O, s:O, s:O}", "change", json_array_get(change, 0), "path",
                                        json_array_get(change, 1), "target", json_array_get(change, 2));

                if (json_array_append_new(rows, row) < 0)
                        return -ENOMEM;
                if (!ctl->options.quiet && !ctl->options.json)
                        print_change(change);
        }
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:b, s:b, s:O}", "ok", 1, "carries-install-info", has_info,
                                                        "changes", rows), EXIT_OK);
        if (!has_info && i == 0 && !ctl->options.quiet)
                terminal_say(stderr,
                             "The unit files have no [Install] section that says anything (WantedBy=, RequiredBy=, "
                             "UpheldBy=, Also=, Alias=),\nso they cannot be enabled: they are started by another unit, "
                             "by activation (socket, path, timer), or by hand.\nOf a template an instance can be "
                             "enabled.");
        return EXIT_OK;
}

/* Changes of files take effect with a reload; loaded units do not have them yet. */
static int reload(Jobctl *ctl) {
        cleanup_(bus_error_deinit) BusError error = {};

        if (!ctl->bus || ctl->options.no_reload || ctl->options.dry_run)
                return EXIT_OK;
        if (jobctl_call(ctl, "Reload", NULL, NULL, NULL, &error) >= 0)
                return EXIT_OK;
        terminal_say(stderr, "The links were made, but jobd did not read the unit files again: %s",
                     bus_error_message(&error));
        return EXIT_FAILED;
}

static int act_now(Jobctl *ctl, const InstallVerb *verb, char *const *names) {
        cleanup_(strv_freep) char **units = NULL;
        int r = 0;

        if (!ctl->bus)
                return jobctl_misused(ctl, "There is no manager: '--now' cannot be done.");
        strv_foreach(name, names) {
                const char *slash = strrchr(*name, '/');

                if (r == 0 && !unit_name_is_template(slash ? slash + 1 : *name))
                        r = strv_push(&units, slash ? slash + 1 : *name);
        }
        if (r < 0 || !units)
                return r;
        ctl->verb = verb_find(ctl->verbs, verb->now);
        return ctl->verb->run(ctl, units);
}

static int check_options(Jobctl *ctl, const InstallVerb *verb) {
        if (ctl->options.now && !verb->now)
                return jobctl_misused(ctl, "'--now' does not go with '%s'.", verb->name);
        if (ctl->options.now && ctl->options.root)
                return jobctl_misused(ctl, "'--now' and '--root' exclude each other.");
        if (ctl->options.preset_mode && preset_mode_from_string(ctl->options.preset_mode) < 0)
                return jobctl_misused(ctl, "--preset-mode=%s: must be full, enable-only or disable-only.",
                                      ctl->options.preset_mode);
        return 0;
}

static int install(Jobctl *ctl, const InstallVerb *verb, char *const *words) {
        cleanup_(installer_freep) Installer *installer = NULL;
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_(strv_freep) char **names = NULL;
        cleanup_json_ json_t *changes = NULL;
        bool has_info = true;
        int r;

        r = take_words(ctl, verb, words, &names);
        if (r == 0)
                r = offline_open(ctl, &installer);
        if (r != 0)
                return r;
        if (!installer && ctl->options.dry_run)
                return jobctl_misused(ctl, "'--dry-run' of '%s' needs '--root' (for this system '--root=/').",
                                      verb->name);
        r = installer ? install_offline(ctl, verb, installer, names, &changes, &has_info, &error)
                      : install_online(ctl, verb, names, &changes, &has_info, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "%s unit", verb->gerund);
        r = print_changes(ctl, changes, has_info);
        if (r == EXIT_OK)
                r = reload(ctl);
        return r == EXIT_OK && ctl->options.now ? act_now(ctl, verb, names) : r;
}

int verb_install(Jobctl *ctl, char *const *words) {
        const InstallVerb *verb = find_verb(ctl->verb->name);
        int r;

        if (!verb)
                return -EINVAL;
        r = check_options(ctl, verb);
        return r != 0 ? r : install(ctl, verb, words);
}

int verb_get_default(Jobctl *ctl, char *const *words) {
        cleanup_(installer_freep) Installer *installer = NULL;
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ char *name = NULL;
        int r = offline_open(ctl, &installer);

        if (r != 0)
                return r;
        if (installer)
                r = installer_get_default(installer, &name);
        else {
                r = jobctl_call(ctl, "GetDefaultTarget", NULL, NULL, &reply, &error);
                if (r < 0)
                        return jobctl_fail(ctl, &error, "get the default target");
                r = text_format(&name, "%s", value_item_string(reply, 0));
        }
        if (r < 0)
                return r;
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_pack("{s:s}", "default", name), EXIT_OK);
        puts(name);
        return EXIT_OK;
}
