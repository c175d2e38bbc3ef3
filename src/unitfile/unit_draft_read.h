/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From files to a draft, and from a draft to a unit
 */

#include "unitfile/unit_draft.h"

/*
 * Reads all files of @name (a plain name or an instance). @is_supported: units of its type can be loaded. Errors in the
 * files go into the draft and to the loader's receiver. 0, or -ENOMEM.
 */
int unit_draft_read(const UnitFileLoader *loader, const char *name, bool is_supported, UnitDraft **ret_draft);
/* The same for @text alone, as if it were the unit's only file, at @path. */
int unit_draft_read_text(const UnitFileLoader *loader, const char *name, const char *path, const char *text,
                         UnitDraft **ret_draft);

/*
 * Parses @text (modifying it) as part of @file, which must live as long as the draft. @known: all sections, of the
 * draft's type and of others. 0 or -ENOMEM.
 */
int unit_draft_parse(UnitDraft *draft, const DirectiveSections *known, const char *file, char *text);

/* Reads one assignment into @into, a section of the draft; @line->target is its target. 0 or -ENOMEM. */
int unit_draft_assign(UnitDraft *draft, DraftSection *into, const DirectiveLine *line, const char *value);

/* To be called once all files were read: reads the defaults, and then the lines kept of @instance. 0 or -ENOMEM. */
int unit_draft_parse_kept(UnitDraft *draft, DraftSection *instance);

/* Adds the settings that DynamicUser= implies to @section, before it is settled. 0 or -ENOMEM. */
int unit_draft_apply_dynamic_user(const UnitDraft *draft, DraftSection *section);

/* Completes the settings of a section that was read, with what some imply; see draft_section_settle(). 0 or -ENOMEM. */
int unit_draft_settle_section(const UnitDraft *draft, DraftSection *section, ResourceSettings **ret_resources);

/* The same for all sections of the draft, whose instances become part of the settings of the type. */
int unit_draft_settle(UnitDraft *draft, ResourceSettings **ret_resources);

/* Applies @draft to @unit and frees its content. 0 or -ENOMEM. */
int unit_draft_apply(UnitDraft *draft, UnitTable *table, Unit *unit);
