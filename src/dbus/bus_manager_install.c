/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: enabling, masking and linking of unit files
 *
 * The methods are those of systemd, and several differ only in the function
 * that is called in the end: one handler serves them, by the name of the
 * method. All work on files; loaded units are not touched, since a client
 * reloads once it has made all its changes.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_manager.h"
#include "unitfile/install.h"

typedef int (*InstallVerb)(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                           Failure *ret_failure);

/* The state of one call. */
typedef struct Installation {
        Installer *installer;           /* owned */
        char **names;                   /* owned */
        InstallReport report;
} Installation;

static void installation_deinit(Installation *installation) {
        installer_free(installation->installer);
        strv_free(installation->names);
        install_report_deinit(&installation->report);
}

static int installation_open(BusCall *call, Installation *installation) {
        const ManagerOptions *options = manager_options(call->tree->manager);

        return installer_new(&installation->installer, &(InstallOptions) {
                .search_path = unit_file_loader_search_path(manager_loader(call->tree->manager)),
                .is_user = options->is_user,
                .with_systemd = options->with_systemd_units,
                .into_systemd = unit_file_loader_boots(manager_loader(call->tree->manager)),
        });
}

/* Reads the first argument, which is a list of names for most methods. */
static int installation_begin(BusCall *call, Installation *installation) {
        int r = bus_call_strv(call, &installation->names);

        return r < 0 ? r : installation_open(call, installation);
}

static int installation_end(BusCall *call, Installation *installation, int r) {
        const InstallReport *report = &installation->report;

        if (report->changes.n > 0)
                manager_note_unit_files_changed(call->tree->manager);
        if (r < 0)
                return r;
        if (text_starts_with(call->method->out, "b"))
                sink_bool(call->reply, report->carries_install_info);
        sink_open(call->reply, 'a', "(sss)");
        for (size_t i = 0; i < report->changes.n; i++) {
                sink_open(call->reply, 'r', "sss");
                sink_string(call->reply, install_change_kind_to_string(report->changes.items[i].kind));
                sink_string(call->reply, report->changes.items[i].path);
                sink_string(call->reply, report->changes.items[i].target);
                sink_close(call->reply);
        }
        sink_close(call->reply);
        return 0;
}

static unsigned runtime_flag(bool is_runtime) {
        return is_runtime ? INSTALL_RUNTIME : 0;
}

static unsigned force_flag(bool is_forced) {
        return is_forced ? INSTALL_FORCE : 0;
}

static int preset_full(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                       Failure *ret_failure) {
        return installer_preset(installer, names, PRESET_FULL, flags, report, ret_failure);
}

static InstallVerb verb_of_method(const char *method) {
        static const struct {
                const char *method;
                InstallVerb verb;
        } verbs[] = {
                { "EnableUnitFiles", installer_enable },
                { "ReenableUnitFiles", installer_reenable },
                { "LinkUnitFiles", installer_link },
                { "PresetUnitFiles", preset_full },
                { "MaskUnitFiles", installer_mask },
                { "DisableUnitFiles", installer_disable },
                { "UnmaskUnitFiles", installer_unmask },
        };

        for (size_t i = 0; i < ELEMENTSOF(verbs); i++)
                if (strcmp(verbs[i].method, method) == 0)
                        return verbs[i].verb;
        return NULL;
}

/* "asbb" */
int bus_manager_enable_unit_files(BusCall *call) {
        cleanup_(installation_deinit) Installation installation = {};
        unsigned flags;
        int r = installation_begin(call, &installation);

        if (r < 0)
                return r;
        flags = runtime_flag(bus_call_bool(call));
        flags |= force_flag(bus_call_bool(call));
        r = verb_of_method(call->method->name)(installation.installer, installation.names, flags, &installation.report,
                                               &call->failure);
        return installation_end(call, &installation, r);
}

/* "asb" */
int bus_manager_disable_unit_files(BusCall *call) {
        cleanup_(installation_deinit) Installation installation = {};
        int r = installation_begin(call, &installation);

        if (r < 0)
                return r;
        r = verb_of_method(call->method->name)(installation.installer, installation.names,
                                               runtime_flag(bus_call_bool(call)), &installation.report, &call->failure);
        return installation_end(call, &installation, r);
}

/* "ast" */
static int with_flags(BusCall *call, InstallVerb verb, uint64_t known) {
        cleanup_(installation_deinit) Installation installation = {};
        uint64_t flags;
        int r = installation_begin(call, &installation);

        if (r < 0)
                return r;
        flags = bus_call_u64(call);
        if (flags & ~known)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "Flags 0x%" PRIx64 " are not known.",
                                     flags & ~known);
        r = verb(installation.installer, installation.names, (unsigned) flags, &installation.report, &call->failure);
        return installation_end(call, &installation, r);
}

int bus_manager_enable_unit_files_with_flags(BusCall *call) {
        return with_flags(call, installer_enable, INSTALL_RUNTIME | INSTALL_FORCE);
}

int bus_manager_disable_unit_files_with_flags(BusCall *call) {
        return with_flags(call, installer_disable, INSTALL_RUNTIME);
}

static int parse_preset_mode(BusCall *call, const char *word, PresetMode *ret_mode) {
        int mode = *word ? preset_mode_from_string(word) : PRESET_FULL;

        if (mode < 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "There is no preset mode '%s': full, enable-only or disable-only.", word);
        *ret_mode = mode;
        return 0;
}

int bus_manager_preset_unit_files_with_mode(BusCall *call) {
        cleanup_(installation_deinit) Installation installation = {};
        PresetMode mode = PRESET_FULL;
        unsigned flags;
        int r = installation_begin(call, &installation);

        if (r >= 0)
                r = parse_preset_mode(call, bus_call_string(call), &mode);
        if (r < 0)
                return r;
        flags = runtime_flag(bus_call_bool(call));
        flags |= force_flag(bus_call_bool(call));
        r = installer_preset(installation.installer, installation.names, mode, flags, &installation.report,
                             &call->failure);
        return installation_end(call, &installation, r);
}

int bus_manager_preset_all_unit_files(BusCall *call) {
        cleanup_(installation_deinit) Installation installation = {};
        PresetMode mode = PRESET_FULL;
        unsigned flags;
        int r = parse_preset_mode(call, bus_call_string(call), &mode);

        if (r >= 0)
                r = installation_open(call, &installation);
        if (r < 0)
                return r;
        flags = runtime_flag(bus_call_bool(call));
        flags |= force_flag(bus_call_bool(call));
        r = installer_preset_all(installation.installer, mode, flags, &installation.report, &call->failure);
        return installation_end(call, &installation, r);
}

int bus_manager_revert_unit_files(BusCall *call) {
        cleanup_(installation_deinit) Installation installation = {};
        int r = installation_begin(call, &installation);

        if (r >= 0)
                r = installer_revert(installation.installer, installation.names, &installation.report, &call->failure);
        return installation_end(call, &installation, r);
}

int bus_manager_add_dependency_unit_files(BusCall *call) {
        cleanup_(installation_deinit) Installation installation = {};
        const char *target, *type;
        unsigned flags;
        int r = installation_begin(call, &installation);

        if (r < 0)
                return r;
        target = bus_call_string(call);
        type = bus_call_string(call);
        flags = runtime_flag(bus_call_bool(call));
        flags |= force_flag(bus_call_bool(call));
        if (!text_equal(type, "Wants") && !text_equal(type, "Requires"))
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "'%s' is neither Wants nor Requires.", type);
        r = installer_add_dependency(installation.installer, installation.names, target,
                                     text_equal(type, "Wants") ? ".wants" : ".requires", flags, &installation.report,
                                     &call->failure);
        return installation_end(call, &installation, r);
}

int bus_manager_set_default_target(BusCall *call) {
        cleanup_(installation_deinit) Installation installation = {};
        const char *name = bus_call_string(call);
        int r = installation_open(call, &installation);

        if (r >= 0)
                r = installer_set_default(installation.installer, name, force_flag(bus_call_bool(call)),
                                          &installation.report, &call->failure);
        return installation_end(call, &installation, r);
}

/*
 * Without a unit that was given to be started at the beginning: the one that default.target is in the files, and not
 * the one under whose name it was loaded before they changed.
 */
int bus_manager_get_default_target(BusCall *call) {
        cleanup_(installation_deinit) Installation installation = {};
        const char *given = manager_options(call->tree->manager)->default_unit;
        cleanup_free_ char *name = NULL;
        Unit *unit;
        int r;

        if (given && *given) {
                r = bus_call_load_unit(call, given, &unit);
                if (r >= 0)
                        sink_string(call->reply, unit->id);
                return r;
        }
        r = installation_open(call, &installation);
        if (r >= 0)
                r = installer_get_default(installation.installer, &name);
        if (r >= 0)
                sink_string(call->reply, name);
        return r;
}

int bus_manager_get_unit_file_links(BusCall *call) {
        cleanup_(installation_deinit) Installation installation = {};
        int r = installation_open(call, &installation);

        if (r >= 0)
                r = strv_push(&installation.names, bus_call_string(call));
        if (r >= 0)
                r = installer_disable(installation.installer, installation.names,
                                      runtime_flag(bus_call_bool(call)) | INSTALL_DRY_RUN, &installation.report,
                                      &call->failure);
        if (r < 0)
                return r;
        sink_open(call->reply, 'a', "s");
        for (size_t i = 0; i < installation.report.changes.n; i++)
                sink_string(call->reply, installation.report.changes.items[i].path);
        sink_close(call->reply);
        return 0;
}
