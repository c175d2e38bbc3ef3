/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Enabling and disabling units by links
 *
 * enable, disable, mask and the like, as operations on files and links of a
 * search path; they need no manager and also work in another root folder. Each
 * operation first plans all its changes and fails before any of them is made;
 * then makes them one by one, each atomically.
 */

#include <stdbool.h>

#include "basic/failure.h"
#include "basic/vector.h"
#include "unitfile/unit_file.h"

typedef enum InstallFlags {
        INSTALL_RUNTIME = 1 << 0,       /* below /run: until the next boot */
        INSTALL_FORCE = 1 << 1,         /* replace links with other targets */
        INSTALL_DRY_RUN = 1 << 2,       /* only report the changes */
} InstallFlags;

typedef enum InstallChangeKind {
        INSTALL_SYMLINK,                /* .path was made, a link to .target */
        INSTALL_UNLINK,                 /* .path was removed */
        INSTALL_MASKED,                 /* note: the unit named .path is masked and was skipped */
        INSTALL_AUXILIARY_MISSING,      /* note: Also= names .path, which does not exist */
        INSTALL_DESTINATION_MISSING,    /* note: .target, which now wants .path, does not exist */
        _INSTALL_CHANGE_KIND_MAX,
} InstallChangeKind;

/* The names used on D-Bus: "symlink", "unlink", … */
const char *install_change_kind_to_string(InstallChangeKind kind);

typedef struct InstallChange {
        InstallChangeKind kind;
        char *path;                     /* owned; without the root folder */
        char *target;                   /* owned; "" if there is none */
} InstallChange;

typedef struct InstallReport {
        VECTOR(InstallChange) changes;
        bool carries_install_info;      /* enable, preset: a unit has a non-empty [Install] */
} InstallReport;

void install_report_deinit(InstallReport *report);

/* "full", "enable-only", "disable-only": which changes a preset makes. */
typedef enum PresetMode {
        PRESET_FULL,
        PRESET_ENABLE_ONLY,
        PRESET_DISABLE_ONLY,
        _PRESET_MODE_MAX,
        _PRESET_MODE_INVALID = -22,
} PresetMode;

DECLARE_STRING_TABLE(preset_mode, PresetMode);

typedef struct InstallOptions {
        char *const *search_path;       /* as from unit_file_search_path(), without the root folder; copied */
        char *const *preset_path;       /* folders of *.preset; NULL: the usual ones; copied */
        const char *root;               /* another root folder, or NULL; copied */
        bool is_user;
        bool with_systemd;              /* use systemd's presets, too */
        bool into_systemd;              /* write into systemd's folders rather than jobd's, if they are on the path */
} InstallOptions;

typedef struct Installer Installer;

int installer_new(Installer **ret_installer, const InstallOptions *options);
Installer *installer_free(Installer *installer);
DEFINE_CLEANUP(Installer, installer_free)

/*
 * All return 0, -ENOMEM, or another negative errno with @ret_failure (NoSuchUnit, UnitMasked, UnitExists,
 * UnitGenerated, InvalidArgs, NotSupported, …). Changes made before a failure are in @report.
 *
 * Enable, link and reenable also take absolute paths. The name of a template means its default instance.
 */
int installer_enable(Installer *installer, char *const *files, unsigned flags, InstallReport *report,
                     Failure *ret_failure);
int installer_disable(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                      Failure *ret_failure);
int installer_reenable(Installer *installer, char *const *files, unsigned flags, InstallReport *report,
                       Failure *ret_failure);
int installer_preset(Installer *installer, char *const *names, PresetMode mode, unsigned flags, InstallReport *report,
                     Failure *ret_failure);
int installer_preset_all(Installer *installer, PresetMode mode, unsigned flags, InstallReport *report,
                         Failure *ret_failure);
int installer_mask(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                   Failure *ret_failure);
int installer_unmask(Installer *installer, char *const *names, unsigned flags, InstallReport *report,
                     Failure *ret_failure);
int installer_link(Installer *installer, char *const *files, unsigned flags, InstallReport *report,
                   Failure *ret_failure);
int installer_revert(Installer *installer, char *const *names, InstallReport *report, Failure *ret_failure);

/* @suffix: ".wants" or ".requires". */
int installer_add_dependency(Installer *installer, char *const *names, const char *destination, const char *suffix,
                             unsigned flags, InstallReport *report, Failure *ret_failure);

int installer_set_default(Installer *installer, const char *name, unsigned flags, InstallReport *report,
                          Failure *ret_failure);
int installer_get_default(Installer *installer, char **ret_name);

/* The state of a unit file by name, as from unit_file_state(); -ENOENT. */
int installer_state(Installer *installer, const char *name, const char **ret_state);

/*
 * The path of the unit's file or link on the search path, without the root folder: 0, -ENOENT (also for built-in
 * units), or -ENOMEM.
 */
int installer_find(Installer *installer, const char *name, char **ret_path);

/* All names, as from unit_file_list(). */
int installer_list(Installer *installer, char ***ret_names);
