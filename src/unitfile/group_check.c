/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of units without processes of their own: slices and targets
 */

#include "basic/macro.h"
#include "unit/unit_slice.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

static int add_shutdown(UnitDraft *draft) {
        static const ImpliedRelation relations[] = {
                { UNIT_CONFLICTS, "shutdown.target" },
                { UNIT_BEFORE, "shutdown.target" },
        };

        return unit_draft_add_defaults(draft, relations, ELEMENTSOF(relations));
}

static int add_slice_defaults(UnitDraft *draft) {
        return unit_slice_is_always_there(draft->name) ? 0 : add_shutdown(draft);
}

static int check_slice(UnitDraft *draft) {
        if (unit_slice_is_valid(draft->name))
                return 0;
        return unit_draft_refuse(draft, draft->state->sources.fragment, 0, NULL,
                                 "'%s' is not the name of a slice such as 'a.slice' or, inside of that, 'a-b.slice'.",
                                 draft->name);
}

/* A slice exists even without a file. */
static int find_slice(UnitDraft *draft) {
        return unit_slice_is_valid(draft->name);
}

const DraftType slice_draft_type = {
        .has_settings = true,
        .settings = { .exec = SETTINGS_HAVE_NOT, .kill = SETTINGS_HAVE_NOT, .resources = 0 },
        .is_found_with_dropins = true,
        .check = check_slice,
        .add_defaults = add_slice_defaults,
        .find = find_slice,
};

const DraftType target_draft_type = {
        .add_defaults = add_shutdown,
};
