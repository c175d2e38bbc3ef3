/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The settings into which a section is read
 *
 * A unit has one for its type, and one for each instance of a repeatable
 * section ([Node a], [Node b]).
 */

#include <stddef.h>

#include "basic/vector.h"
#include "unitfile/directive.h"
#include "unitfile/exec_settings.h"
#include "unitfile/kill_settings.h"
#include "unitfile/resource_settings.h"

#define SETTINGS_HAVE_NOT ((size_t) -1)

/* The constructor and the contents of a settings struct. */
typedef struct SettingsKind {
        /* with the defaults: 0 or -ENOMEM. NULL: there are only resources */
        int (*make)(void **ret_settings);
        void (*release)(void *settings);
        size_t size;                    /* of the struct; see Directive.own_size */
        /* Offsets, or SETTINGS_HAVE_NOT: of ExecSettings, KillSettings, and a pointer to ResourceSettings (owned). */
        size_t exec, kill, resources;
        size_t item;                    /* offset of a pointer to what DIRECTIVE_IN_ITEM is in; 0: nothing */
} SettingsKind;

/*
 * Defines make_prefix() and release_prefix(), for SettingsKind.make and .release, of a struct that prefix_new() makes
 * and prefix_free() frees …
 */
#define DEFINE_SETTINGS_NEW(type, prefix)                    \
        static int make_##prefix(void **ret_settings) {      \
                type *settings = NULL;                       \
                int r = prefix##_new(&settings);             \
                                                             \
                *ret_settings = settings;                    \
                return r;                                    \
        }                                                    \
        static void release_##prefix(void *settings) {       \
                prefix##_free(settings);                     \
        }

/* … or that prefix_init() fills in and prefix_deinit() empties. */
#define DEFINE_SETTINGS_INIT(type, prefix)                   \
        static int make_##prefix(void **ret_settings) {      \
                type *settings = malloc(sizeof(*settings));  \
                                                             \
                if (!settings)                               \
                        return -ENOMEM;                      \
                prefix##_init(settings);                     \
                *ret_settings = settings;                    \
                return 0;                                    \
        }                                                    \
        static void release_##prefix(void *settings) {       \
                if (settings)                                \
                        prefix##_deinit(settings);           \
                free(settings);                              \
        }

/* A line that was read and is kept, to be read again. */
typedef struct DraftLine {
        const Directive *directive;
        char *value;                    /* owned */
        const char *file;               /* borrowed from the draft's state */
        unsigned line;
} DraftLine;

typedef struct DraftSection {
        const SettingsKind *kind;       /* NULL: no settings */
        char *name;                     /* owned: "a" in [Node a]; NULL: the type's own section */
        const DirectiveSection *section;        /* of an instance; otherwise NULL */
        const char *file;               /* borrowed: file in which the instance comes first */
        unsigned line;
        void *own;                      /* owned: made by kind->make; NULL without it */
        ExecSettings *exec;             /* part of own, … */
        KillSettings *kill;             /* … or NULL */
        ExecRareSettings exec_rare;     /* strings are owned until draft_section_settle() */
        ExecTerms exec_terms;           /* the same */
        ResourceSettings resources;     /* the same */
        /* With DraftType.has_defaults, of the type: defaults of instances; of an instance: what follows them. */
        VECTOR(DraftLine) lines;
        DirectiveTarget target;
} DraftSection;

/* @kind may be NULL. 0 or -ENOMEM; requires draft_section_deinit() in either case. */
int draft_section_init(DraftSection *section, const SettingsKind *kind, UnitDraft *draft);
void draft_section_deinit(DraftSection *section);

/*
 * Completes own with everything that was read. Without own, *ret_resources gets the resources (owned; NULL if they are
 * the defaults). 0 or -ENOMEM.
 */
int draft_section_settle(DraftSection *section, ResourceSettings **ret_resources);

static inline bool settings_kind_has_resources(const SettingsKind *kind) {
        return kind && kind->resources != SETTINGS_HAVE_NOT;
}
