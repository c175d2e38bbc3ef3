/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A unit as described by its files, before it is loaded
 *
 * Reading makes a draft without changing a unit table, so files can be checked
 * before they change anything, and without a manager.
 */

#include "basic/failure.h"
#include "basic/index_table.h"
#include "basic/vector.h"
#include "unit/unit_relation.h"
#include "unit/unit_settings.h"
#include "unit/unit_state.h"
#include "unitfile/directive.h"
#include "unitfile/draft_list.h"
#include "unitfile/draft_type.h"
#include "unitfile/file_state.h"
#include "unitfile/file_values.h"
#include "unitfile/resource_settings.h"
#include "unitfile/service_settings.h"
#include "unitfile/specifier.h"
#include "unitfile/unit_file.h"
#include "unitfile/unit_sources.h"

typedef struct DraftRelation {
        UnitRelationKind kind;
        char *name;                     /* owned: the other unit's */
        const char *file;               /* borrowed from the draft's state */
        unsigned line;
        const char *implied;            /* static, or NULL */
} DraftRelation;

/* An unimplemented directive that must not be ignored. */
typedef struct DraftRefusal {
        const Directive *directive;
        const DirectiveTarget *target;  /* borrowed from the draft */
        const char *file;               /* borrowed from the draft's state */
        unsigned line;
} DraftRefusal;

/* A line that is ignored, since there is no such directive there. */
typedef struct DraftTypo {
        char *key;                      /* owned: as it is written */
        const char *meant;              /* static: the directive that may be meant */
        const char *file;               /* borrowed from the draft's state */
        unsigned line;
} DraftTypo;

struct UnitDraft {
        const UnitFileLoader *loader;   /* borrowed */
        char *name;                     /* owned: the requested name */
        UnitType type;
        bool is_supported;              /* units of its type can be loaded */
        UnitLoadState load_state;       /* UNIT_STUB: an alias of state->sources.id */
        Failure failure;
        UnitSettings settings;
        UnitRareSettings *rare;         /* borrowed from settings */
        const DraftType *draft_type;    /* NULL: units of the type cannot be loaded */
        DraftSection section;           /* of the unit's type; its target also serves [Unit] and [Install] */
        /* owned: instances of repeatable sections, in the order of the files */
        VECTOR(DraftSection *) instances;
        IndexTable by_instance;         /* of instances, by the hash of their name */
        ServiceRareSettings service_rare;       /* of a service; members are owned until the service is checked */
        bool is_quiet;                  /* lines are read that were judged before: nothing is reported */
        bool is_broken;                 /* failure is about a setting */
        VECTOR(DraftRelation) relations;
        VECTOR(DraftRefusal) refusals;
        VECTOR(DraftTypo) typos;        /* the failure about what is missing names them */
        DraftLists lists;               /* of the settings */
        FileValues values;              /* all assignments, to find differences when the files are read again */
        SpecifierContext specifiers;
        char *fragment;                 /* owned: its file, for specifiers, if it was read from a text; or NULL */
        FileState *state;               /* owned; NULL after it was applied */
};

/*
 * Makes an empty draft of @name (a plain name or an instance) and finds its files. @type: kind of its settings, or
 * NULL. @is_supported: units of its type can be loaded. 0 or -ENOMEM.
 */
int unit_draft_new(const UnitFileLoader *loader, const char *name, const DraftType *type, bool is_supported,
                   UnitDraft **ret_draft);
UnitDraft *unit_draft_free(UnitDraft *draft);
DEFINE_CLEANUP(UnitDraft, unit_draft_free)

/*
 * The instance @name of @section, created at its first line. The address of its settings does not change as long as the
 * draft lives. 0 or -ENOMEM.
 */
int unit_draft_open_instance(UnitDraft *draft, const DirectiveSection *section, const char *name, const char *file,
                             unsigned line, DraftSection **ret_instance);

/* The instance @name of the section with that name, as in its table ("Node *"); NULL: there is none. */
DraftSection *unit_draft_find_instance(const UnitDraft *draft, const char *section, const char *name);

/* Returns true if @name can be "a" of [Node a]: it can be a file name, and stand in an expression. */
bool unit_draft_name_is_of_instance(const char *name);

/* Adds a relation; one to the unit itself is ignored. @file must live as long as the draft. 0 or -ENOMEM. */
int unit_draft_add_relation(UnitDraft *draft, UnitRelationKind kind, const char *name, const char *file, unsigned line,
                            const char *implied);

/* The name of a template in this unit's context: foo@.service with this unit's instance, or prefix. */
int unit_draft_resolve_template(const UnitDraft *draft, const char *name, char **ret_name);

/* The settings of a service; NULL for other types. */
static inline ServiceSettings *unit_draft_service(const UnitDraft *draft) {
        return draft->type == UNIT_SERVICE ? draft->section.own : NULL;
}

/*
 * The last line that assigns @setting, but not in an instance or a section for other programs, with its file; 0 if
 * there is none, with @file unchanged. Reads the files again, so only for error messages.
 */
unsigned unit_draft_find_setting(const UnitDraft *draft, const char *setting, const char **file);

/* The same in the section of a node; @setting may be NULL, for 0. */
unsigned unit_draft_find_node_setting(const UnitDraft *draft, const char *node, const char *setting,
                                      const char **file);

/*
 * Reports a message about a file; @setting may be NULL. @line 0 means the line that assigns the setting in the main
 * file, if there is one.
 */
void unit_draft_report(const UnitDraft *draft, UnitFileSeverity severity, const char *file, unsigned line,
                       const char *setting, const char *format, ...) printf_(6, 7);

/* Notes that the line, which is ignored, may mean the directive @meant (static). Without memory no failure names it. */
void unit_draft_note_typo(UnitDraft *draft, const char *file, unsigned line, const char *key, const char *meant);

/* Reports an error and refuses the unit: the first error becomes its failure. 0 or -ENOMEM. */
int unit_draft_refuse(UnitDraft *draft, const char *file, unsigned line, const char *setting, const char *format, ...)
        printf_(5, 6);

/* The length of @message without a full stop, or without "; the line is ignored." or "; the unit is refused." */
size_t unit_draft_length_without_effect(const char *message);

/* Passes a message to the loader's receiver, with unchanged file and line. */
void unit_draft_tell(const UnitDraft *draft, UnitFileSeverity severity, const char *file, unsigned line,
                     const char *setting, const char *message);
/* Stores the draft's failure, "file:line: Setting=: message"; an earlier one is kept. 0 or -ENOMEM. */
int unit_draft_fail(UnitDraft *draft, UnitLoadState state, const char *name, const char *file, unsigned line,
                    const char *setting, const char *message);
