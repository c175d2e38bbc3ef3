/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shared by the files of the installer
 */

#include "unitfile/install.h"
#include "unitfile/install_folder.h"
#include "unitfile/install_preset.h"
#include "unitfile/unit_file_loader.h"

struct Installer {
        UnitFileLoader *loader;         /* owned; its search path includes the root folder */
        char **folders;                 /* owned: the search path without the root folder */
        char **preset_path;             /* owned, without the root folder */
        char *root;                     /* owned; "" for none */
        PresetRules presets;            /* read when first needed */
        bool has_presets;
        bool into_systemd;              /* as InstallOptions has it */
};

/* The folder of the search path for new links: 0 with a borrowed string, or -EOPNOTSUPP with @ret_failure. */
int installer_config_folder(const Installer *installer, unsigned flags, const char **ret_folder, Failure *ret_failure);

/* Returns true if the folder belongs to the administrator, so that disable may remove links there. */
bool installer_is_config_folder(const Installer *installer, const char *folder, unsigned flags);

/* Adds the root folder to a path. 0 or -ENOMEM. */
int installer_real_path(const Installer *installer, const char *path, char **ret_path);

/* — plans: a report with changes that are not made yet — */

int install_report_add(InstallReport *report, InstallChangeKind kind, const char *path, const char *target);

/* Plans a link at @path to @target, unless it exists. UnitExists if something else is there. */
int installer_plan_link(Installer *installer, const char *path, const char *target, bool force, InstallReport *plan,
                        Failure *ret_failure);

/* Plans the removal of all links to @names from the administrator's folders. */
int installer_plan_removal(Installer *installer, char *const *names, unsigned flags, InstallReport *plan);

/* Makes the changes of @plan, moving each to @report. */
int installer_apply(Installer *installer, InstallReport *plan, unsigned flags, InstallReport *report,
                    Failure *ret_failure);

/* The target of a link to the unit: its file, or for a built-in unit a path relative to the link. */
int installer_target_of(const UnitDraft *draft, bool is_in_subfolder, const Installer *installer, char **ret_target);

/* Reads a unit's files: 0 for one that exists and is not masked; NoSuchUnit, UnitMasked, UnitGenerated. */
int installer_read(Installer *installer, const char *name, UnitDraft **ret_draft, Failure *ret_failure);
int installer_check_name(const char *name, Failure *ret_failure);
/* NoSuchUnit: there is no such file. -ENOENT or -ENOMEM. */
int installer_refuse_missing(const Installer *installer, const char *name, Failure *ret_failure);
