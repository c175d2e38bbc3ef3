/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks and implied dependencies of path units
 */

#include <string.h>

#include "basic/strv.h"
#include "unitfile/path_settings.h"
#include "unitfile/trigger_value.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_file_loader.h"

/* Requires the mounts of the path, up to the first part with a pattern. */
static int add_mount_of(UnitDraft *draft, const PathValue *value) {
        cleanup_free_ char *path = strdup(value->path);

        if (!path)
                return -ENOMEM;
        if (value->kind == PATH_EXISTS_GLOB && path[strcspn(path, "*?[{\\")] != '\0') {
                char *slash;

                path[strcspn(path, "*?[{\\")] = '\0';
                slash = strrchr(path, '/');
                slash[slash == path] = '\0';
        }
        return strv_push(&draft->rare->requires_mounts_for, path);
}

static int check(UnitDraft *draft) {
        PathSettings *settings = draft->section.own;
        int r = trigger_settle(draft, &settings->unit);

        if (r < 0 || draft->is_broken)
                return r;
        if (settings->values.n == 0)
                return unit_draft_refuse(draft, draft->state->sources.fragment, 0, "PathExists",
                                         "The unit has neither PathExists= nor another usable path and would never "
                                         "start anything.");
        for (size_t i = 0; i < settings->values.n && r == 0; i++)
                r = add_mount_of(draft, &settings->values.items[i]);
        return r;
}

static int add_defaults(UnitDraft *draft) {
        return trigger_add_defaults(draft, "paths.target");
}

static int add_implied(UnitDraft *draft) {
        return trigger_add_implied(draft, ((const PathSettings *) draft->section.own)->unit);
}

DEFINE_SETTINGS_NEW(PathSettings, path_settings)

const DraftType path_draft_type = {
        .has_settings = true,
        .settings = {
                .make = make_path_settings,
                .size = sizeof(PathSettings),
                .release = release_path_settings,
                .exec = SETTINGS_HAVE_NOT,
                .kill = SETTINGS_HAVE_NOT,
                .resources = SETTINGS_HAVE_NOT,
        },
        .check = check,
        .add_defaults = add_defaults,
        .add_implied = add_implied,
};
