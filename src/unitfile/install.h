/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Installing units: links that say what is to be started
 *
 * enable, disable, mask and their like, done to files and links on a search
 * path; with no manager, for another root folder too. Each operation first
 * works out all that it would change, and refuses before it has changed
 * anything; then makes the changes one by one, each atomically.
 */

#include <stdbool.h>

#include "basic/failure.h"
#include "basic/vector.h"
#include "unitfile/unit_file.h"

typedef enum InstallFlags {
        INSTALL_RUNTIME = 1 << 0,       /* below /run: until the next boot */
        INSTALL_FORCE = 1 << 1,         /* links that lead elsewhere are replaced */
        INSTALL_DRY_RUN = 1 << 2,       /* only tell */
} InstallFlags;

typedef enum InstallChangeKind {
        INSTALL_SYMLINK,                /* .path was made, a link to .target */
        INSTALL_UNLINK,                 /* .path was removed */
        INSTALL_MASKED,                 /* a remark: .path, a unit's name, is masked and was left out */
        INSTALL_AUXILIARY_MISSING,      /* a remark: Also= names .path, which is not there */
        INSTALL_DESTINATION_MISSING,    /* a remark: .target wants .path now, but is not there */
        _INSTALL_CHANGE_KIND_MAX,
} InstallChangeKind;

/* The words of D-Bus: "symlink", "unlink", … */
const char *install_change_kind_to_string(InstallChangeKind kind);

typedef struct InstallChange {
        InstallChangeKind kind;
        char *path;                     /* owned; without the root folder */
        char *target;                   /* owned; "" if there is none */
} InstallChange;

typedef struct InstallReport {
        VECTOR(InstallChange) changes;
        bool carries_install_info;      /* of enable, preset …: does [Install] of any of the units say anything? */
} InstallReport;

void install_report_deinit(InstallReport *report);

/* "full", "enable-only", "disable-only": what a preset may do. */
typedef enum PresetMode {
        PRESET_FULL,
        PRESET_ENABLE_ONLY,
        PRESET_DISABLE_ONLY,
        _PRESET_MODE_MAX,
        _PRESET_MODE_INVALID = -22,
} PresetMode;

DECLARE_STRING_TABLE(preset_mode, PresetMode);

typedef struct InstallOptions {
        char *const *search_path;       /* as of unit_file_search_path(), without the root folder; copied */
        char *const *preset_path;       /* folders of *.preset; NULL: the usual ones; copied */
        const char *root;               /* another root folder, or NULL; copied */
        bool is_user;
        bool with_systemd;              /* systemd's presets count, too */
} InstallOptions;

typedef struct Installer Installer;

int installer_new(Installer **ret_installer, const InstallOptions *options);
Installer *installer_free(Installer *installer);
DEFINE_CLEANUP(Installer, installer_free)

/*
 * All: 0, -ENOMEM, or another negative errno with @ret_failure (NoSuchUnit, UnitMasked, UnitExists, UnitGenerated,
 * InvalidArgs, NotSupported, …). What was changed before a failure stands in @report.
 *
 * Enable, link and reenable take absolute paths, too. Names of templates stand for their default instance.
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

/* The state of a unit file by name, like unit_file_state(); -ENOENT. */
int installer_state(Installer *installer, const char *name, const char **ret_state);

/*
 * Where on the search path the file or link lies, without the root folder: 0, -ENOENT (also what is built in),
 * -ENOMEM.
 */
int installer_find(Installer *installer, const char *name, char **ret_path);

/* All names, as unit_file_list(). */
int installer_list(Installer *installer, char ***ret_names);
