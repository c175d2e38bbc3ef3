/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks of scope units
 *
 * A scope consists of existing processes, so a unit file cannot make one: a
 * client that names the processes does, and the manager writes its settings
 * into the transient folder.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit_slice.h"
#include "unitfile/install_folder.h"
#include "unitfile/scope_settings.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

static int check(UnitDraft *draft) {
        const char *fragment = draft->state->sources.fragment;

        if (folder_has_transient(fragment))
                return 0;
        return unit_draft_refuse(draft, fragment, 0, NULL,
                                 "A scope cannot have a unit file: it is made from existing processes, by "
                                                            "'jobctl run --scope' or StartTransientUnit.");
}

static int add_defaults(UnitDraft *draft) {
        static const ImpliedRelation relations[] = {
                { UNIT_CONFLICTS, "shutdown.target" },
                { UNIT_BEFORE, "shutdown.target" },
        };

        return unit_draft_add_defaults(draft, relations, ELEMENTSOF(relations));
}

/* The scope that the manager itself is in exists without a file. */
static int find(UnitDraft *draft) {
        if (strcmp(draft->name, UNIT_OWN_SCOPE) != 0)
                return 0;
        draft->settings.description = strdup("The Manager Itself");
        draft->section.resources.slice = strdup(UNIT_ROOT_SLICE);
        if (!draft->settings.description || !draft->section.resources.slice)
                return -ENOMEM;
        draft->settings.is_perpetual = true;
        draft->settings.default_dependencies = false;
        return 1;
}

DEFINE_SETTINGS_INIT(ScopeSettings, scope_settings)

static usec_t limit(const void *settings, bool is_stop) {
        const usec_t timeout = ((const ScopeSettings *) settings)->timeout_stop;

        return is_stop && timeout > 0 ? timeout : USEC_INFINITY;
}

const DraftType scope_draft_type = {
        .has_settings = true,
        .settings = {
                .make = make_scope_settings,
                .size = sizeof(ScopeSettings),
                .release = release_scope_settings,
                .exec = SETTINGS_HAVE_NOT,
                .kill = offsetof(ScopeSettings, kill),
                .resources = offsetof(ScopeSettings, resources),
        },
        .limit = limit,
        .check = check,
        .add_defaults = add_defaults,
        .find = find,
};
