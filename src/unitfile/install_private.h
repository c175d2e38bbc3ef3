/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Declarations that the files of the installer share
 */

#include "unitfile/install.h"
#include "unitfile/install_folder.h"
#include "unitfile/install_preset.h"
#include "unitfile/unit_file_loader.h"

struct Installer {
        UnitFileLoader *loader;         /* owned; its search path has the root folder in front */
        char **folders;                 /* owned: the search path without it */
        char **preset_path;             /* owned, without it */
        char *root;                     /* owned; "" for none */
        PresetRules presets;            /* read when they are first asked for */
        bool has_presets;
};

/* The folder of the search path that links are made in: 0 with a borrowed string, or -EOPNOTSUPP with @ret_failure. */
int installer_config_folder(const Installer *installer, unsigned flags, const char **ret_folder, Failure *ret_failure);

/* Does the administrator own this folder, so that links there may be removed by disable? */
bool installer_is_config_folder(const Installer *installer, const char *folder, unsigned flags);

/* The whole path of one that begins below the root folder. 0 or -ENOMEM. */
int installer_real_path(const Installer *installer, const char *path, char **ret_path);

/* — plans: a report whose changes are still to be made — */

int install_report_add(InstallReport *report, InstallChangeKind kind, const char *path, const char *target);

/* Notes that @path is to be a link to @target; not if it is one. UnitExists if it is something else. */
int installer_plan_link(Installer *installer, const char *path, const char *target, bool force, InstallReport *plan,
                        Failure *ret_failure);

/* Notes the removal of all links of @names in the folders of the administrator. */
int installer_plan_removal(Installer *installer, char *const *names, unsigned flags, InstallReport *plan);

/* Makes the changes of @plan, which is emptied, and moves those that were made to @report. */
int installer_apply(Installer *installer, InstallReport *plan, unsigned flags, InstallReport *report,
                    Failure *ret_failure);

/* The target of a link to the unit: its file, or for a built-in unit a path relative to the link. */
int installer_target_of(const UnitDraft *draft, bool is_in_subfolder, const Installer *installer, char **ret_target);

/* Reads a unit's files: 0 with one that is there and not masked; NoSuchUnit, UnitMasked, UnitGenerated. */
int installer_read(Installer *installer, const char *name, UnitDraft **ret_draft, Failure *ret_failure);
int installer_check_name(const char *name, Failure *ret_failure);
