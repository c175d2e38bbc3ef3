/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From files to a draft, and from a draft to a unit
 */

#include "unitfile/unit_draft.h"

/*
 * Reads all files of @name (a plain name or an instance). @is_supported: there is something that can act as a unit
 * of its type. What is wrong with the files goes into the draft and to the loader's receiver. 0, or -ENOMEM.
 */
int unit_draft_read(const UnitFileLoader *loader, const char *name, bool is_supported, UnitDraft **ret_draft);
/* The same of @text alone, as if it were the unit's only file and lay at @path. */
int unit_draft_read_text(const UnitFileLoader *loader, const char *name, const char *path, const char *text,
                         UnitDraft **ret_draft);

/*
 * Parses @text (which is cut up) as if it stood in @file, which must live as long as the draft. @known: the sections
 * that there are, of the draft's type and of others. 0 or -ENOMEM.
 */
int unit_draft_parse(UnitDraft *draft, const DirectiveSections *known, const char *file, char *text);

/* With DynamicUser=, what that says besides; of settings before they are settled. 0 or -ENOMEM. */
int unit_draft_apply_dynamic_user(const UnitDraft *draft, DraftSection *section);

/* Makes @unit what @draft says, and uses the draft up. 0 or -ENOMEM. */
int unit_draft_apply(UnitDraft *draft, UnitTable *table, Unit *unit);
