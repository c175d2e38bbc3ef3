/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The settings that a section is read into
 *
 * A unit has one for its type, and one for each instance of a section that may
 * stand many times ([Node a], [Node b]).
 */

#include <stddef.h>

#include "unitfile/directive.h"
#include "unitfile/exec_settings.h"
#include "unitfile/kill_settings.h"
#include "unitfile/resource_settings.h"

#define SETTINGS_HAVE_NOT ((size_t) -1)

/* How settings of one struct are made, and what is in it. */
typedef struct SettingsKind {
        /* with the defaults: 0 or -ENOMEM. NULL: the resources are all there is */
        int (*make)(void **ret_settings);
        void (*release)(void *settings);
        /* Offsets, or SETTINGS_HAVE_NOT: of ExecSettings, KillSettings, a pointer to ResourceSettings (owned). */
        size_t exec, kill, resources;
} SettingsKind;

typedef struct DraftSection {
        const SettingsKind *kind;       /* NULL: no settings */
        char *name;                     /* owned: "a" of [Node a]; NULL: the section of the unit's type */
        const DirectiveSection *section;        /* of an instance; else NULL */
        const char *file;               /* borrowed: where the instance stands first */
        unsigned line;
        void *own;                      /* owned: as kind makes them; NULL without */
        ExecSettings *exec;             /* in own, … */
        KillSettings *kill;             /* … or NULL */
        ExecRareSettings exec_rare;     /* its strings are owned, until draft_section_settle() */
        ExecTerms exec_terms;           /* the same */
        ResourceSettings resources;     /* the same */
        DirectiveTarget target;
} DraftSection;

/* @kind may be NULL. 0 or -ENOMEM; draft_section_deinit() is due in either case. */
int draft_section_init(DraftSection *section, const SettingsKind *kind, UnitDraft *draft);
void draft_section_deinit(DraftSection *section);

/*
 * Joins what was read into own, which is complete then; where the kind has no own, *ret_resources is what there is
 * (owned; NULL: nothing but defaults). 0 or -ENOMEM.
 */
int draft_section_settle(DraftSection *section, ResourceSettings **ret_resources);

static inline bool settings_kind_has_resources(const SettingsKind *kind) {
        return kind && kind->resources != SETTINGS_HAVE_NOT;
}
