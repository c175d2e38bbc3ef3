/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A unit as its files say it, before it becomes one
 *
 * Reading makes a draft, without touching a unit table; so files can be
 * checked before anything is changed by them, and without a manager.
 */

#include "basic/failure.h"
#include "basic/vector.h"
#include "unit/unit_relation.h"
#include "unit/unit_settings.h"
#include "unit/unit_state.h"
#include "unitfile/directive.h"
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
        char *name;                     /* owned: of the other unit */
        const char *file;               /* borrowed from the draft's state */
        unsigned line;
        const char *implied;            /* static, or NULL */
} DraftRelation;

/* A directive that is not implemented and would have to be. */
typedef struct DraftRefusal {
        const Directive *directive;
        const char *file;               /* borrowed from the draft's state */
        unsigned line;
} DraftRefusal;

struct UnitDraft {
        const UnitFileLoader *loader;   /* borrowed */
        char *name;                     /* owned: what was asked for */
        UnitType type;
        bool is_supported;              /* its type's own section is read, or skipped with good reason */
        UnitLoadState load_state;       /* UNIT_STUB: an alias of state->sources.id */
        Failure failure;
        UnitSettings settings;
        UnitRareSettings *rare;         /* borrowed from settings, whose own they are */
        const DraftType *draft_type;    /* NULL: it has no settings of its own, or (a slice) just resources */
        void *own;                      /* owned: settings of its type, as draft_type makes them; NULL without */
        ExecSettings *exec;             /* in own, … */
        KillSettings *kill;             /* … or NULL */
        ServiceRareSettings service_rare;       /* of a service: what it owns is ours until the service is checked */
        ExecRareSettings exec_rare;     /* its strings are owned, until it is applied */
        ExecTerms exec_terms;           /* as are what these own */
        ResourceSettings resources;     /* its strings are owned */
        bool has_service_type;
        bool is_broken;                 /* failure is about a setting */
        VECTOR(DraftRelation) relations;
        VECTOR(DraftRefusal) refusals;
        FileValues values;              /* all assignments that count, for the difference to the next reading */
        SpecifierContext specifiers;
        FileState *state;               /* owned; NULL once it was applied */
};

/*
 * Reads all files of @name (a plain name or an instance). @is_supported: there is something that can act as a unit
 * of its type. What is wrong with the files goes into the draft and to the loader's receiver. 0, or -ENOMEM.
 */
int unit_draft_read(const UnitFileLoader *loader, const char *name, bool is_supported, UnitDraft **ret_draft);
/* The same of @text alone, as if it were the unit's only file and lay at @path. */
int unit_draft_read_text(const UnitFileLoader *loader, const char *name, const char *path, const char *text,
                         UnitDraft **ret_draft);
UnitDraft *unit_draft_free(UnitDraft *draft);
DEFINE_CLEANUP(UnitDraft, unit_draft_free)

/* Parses @text (which is cut up) as if it stood in @file, which must live as long as the draft. 0 or -ENOMEM. */
int unit_draft_parse(UnitDraft *draft, const char *file, char *text);

/* Adds a relation; one to the unit itself is left out. @file must live as long as the draft. 0 or -ENOMEM. */
int unit_draft_add_relation(UnitDraft *draft, UnitRelationKind kind, const char *name, const char *file, unsigned line,
                            const char *implied);

/* The name that a template has in this unit's context: foo@.service with this unit's instance, or prefix. */
int unit_draft_resolve_template(const UnitDraft *draft, const char *name, char **ret_name);

/* Dependencies that no line says. */
int unit_draft_add_implied(UnitDraft *draft);

/* A dependency that no line says. */
typedef struct ImpliedRelation {
        UnitRelationKind kind;
        const char *name;
} ImpliedRelation;

/* With DynamicUser=, what that says besides; of the settings before they are the unit's. 0 or -ENOMEM. */
int unit_draft_apply_dynamic_user(UnitDraft *draft);

/* Adds them as default dependencies. 0 or -ENOMEM. */
int unit_draft_add_defaults(UnitDraft *draft, const ImpliedRelation *relations, size_t n);

/* The mounts that @paths and all folders above them are on, as far as they are units: mount_need.c. 0 or -ENOMEM. */
int unit_draft_add_mounts(UnitDraft *draft, char *const *paths, UnitRelationKind need);
/* As if RequiresMountsFor= said it; what is no absolute path is left out. 0 or -ENOMEM. */
int unit_draft_need_path(UnitDraft *draft, const char *path);
/* The paths that its processes have settings of. 0 or -ENOMEM. */
int unit_draft_need_paths_of_exec(UnitDraft *draft);

/* What every unit of the system (or of a user) that runs processes has: after the basic things, gone at shutdown. */
int unit_draft_add_usual_defaults(UnitDraft *draft);

/* The settings of a service; NULL for other types. */
static inline ServiceSettings *unit_draft_service(const UnitDraft *draft) {
        return draft->type == UNIT_SERVICE ? draft->own : NULL;
}

/*
 * The last line that assigns to @setting, with its file; 0 if there is none, and @file stays as it is. Reads the files
 * again, so it is for complaints only.
 */
unsigned unit_draft_find_setting(const UnitDraft *draft, const char *setting, const char **file);

/* Says something about a file; @setting may be NULL. @line: 0 is where the main file's setting stands, if it does. */
void unit_draft_report(const UnitDraft *draft, UnitFileSeverity severity, const char *file, unsigned line,
                       const char *setting, const char *format, ...) printf_(6, 7);

/* Says it, and makes the unit unusable: the first such remark becomes its failure. 0 or -ENOMEM. */
int unit_draft_refuse(UnitDraft *draft, const char *file, unsigned line, const char *setting, const char *format, ...)
        printf_(5, 6);
