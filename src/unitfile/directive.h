/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Directives: tables of rows, and the sections that have them
 *
 * A row contains the name of a directive, its parser, the field for its value,
 * and whether jobd supports it. Directives that several sections have
 * (execution, killing and resources) are in shared tables. The lists in the
 * documentation are made from these tables.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unit/unit_name.h"

typedef struct UnitDraft UnitDraft;
typedef struct Directive Directive;

typedef enum DirectiveStatus {
        DIRECTIVE_SUPPORTED,
        DIRECTIVE_IGNORED,              /* known, not implemented; ignored with a warning, without harm */
        DIRECTIVE_REFUSED,              /* known, not implemented; ignoring it would change what the unit may do */
} DirectiveStatus;

typedef enum DirectiveBase {
        DIRECTIVE_IN_NOTHING,           /* sets nothing: an unsupported directive */
        DIRECTIVE_IN_UNIT,              /* offset is into UnitSettings */
        DIRECTIVE_IN_UNIT_RARE,         /* … UnitRareSettings */
        DIRECTIVE_IN_TYPE,              /* … the settings of its type: ServiceSettings, … */
        DIRECTIVE_IN_SERVICE_RARE,      /* … ServiceRareSettings */
        DIRECTIVE_IN_EXEC,              /* … ExecSettings */
        DIRECTIVE_IN_EXEC_RARE,         /* … ExecRareSettings */
        DIRECTIVE_IN_EXEC_TERMS,        /* … ExecTerms */
        DIRECTIVE_IN_KILL,              /* … KillSettings */
        DIRECTIVE_IN_RESOURCES,         /* … ResourceSettings */
        DIRECTIVE_IN_ITEM,              /* … the node of a batch or a stream: FlowNode */
        _DIRECTIVE_BASE_MAX,
} DirectiveBase;

/* The settings into which a section is read: the unit's own, or those of one instance of a repeatable section. */
typedef struct DirectiveTarget {
        void *bases[_DIRECTIVE_BASE_MAX];       /* borrowed; NULL: a directive for it cannot be used in the section */
        UnitDraft *draft;               /* borrowed: the unit's draft, for messages and relations */
} DirectiveTarget;

/* One assignment. Borrowed for the call. */
typedef struct DirectiveLine {
        const DirectiveTarget *target;
        const Directive *directive;
        const char *file;
        unsigned line;
} DirectiveLine;

/*
 * Parses @value, which is trimmed, with continuations joined and specifiers unresolved. 0, also for a bad value that
 * was reported, or -ENOMEM.
 */
typedef int (*DirectiveParse)(const DirectiveLine *line, const char *value);

struct Directive {
        const char *name;
        DirectiveParse parse;
        int (*from_string)(const char *string);         /* for directive_parse_enum() */
        int argument;                   /* of the parser: a relation, … */
        uint16_t offset;
        uint16_t own_size;              /* with DIRECTIVE_IN_TYPE: size of the settings struct that the row is for */
        uint8_t base;                   /* DirectiveBase */
        uint8_t status;                 /* DirectiveStatus */
        bool is_strict;                 /* a bad value refuses the unit; otherwise it is ignored */
        bool is_default;                /* in the section of a type: see directive_is_default() */
        /* Why ignoring it does no harm; what the unit could do without it; or how an old name's values differ. */
        const char *reason;
        const char *renamed_to;         /* present name, if this is an old one; else NULL */
};

typedef struct DirectiveTable {
        const Directive *directives;    /* sorted by name */
        const size_t *n;
} DirectiveTable;

#define DIRECTIVE_SECTION_TABLES_MAX 7

typedef struct DirectiveSection {
        const char *name;               /* "Unit"; or "Node *": an instance for each name in place of the star */
        UnitType type;                  /* the unit type with the section; _UNIT_TYPE_INVALID: all */
        /* No name is in two tables; unused entries are NULL. Without any table the section is known, but not read. */
        const DirectiveTable *tables[DIRECTIVE_SECTION_TABLES_MAX];
        const struct SettingsKind *instances;   /* with a star: the kind of settings of an instance */
} DirectiveSection;

typedef struct DirectiveSections {
        const DirectiveSection *items;
        size_t n;
} DirectiveSections;

extern const Directive unit_directives[], install_directives[], service_directives[], slice_directives[],
        timer_directives[], path_directives[], scope_directives[], socket_directives[], mount_directives[],
        run_directives[], ending_run_directives[], flow_directives[], node_directives[], policy_directives[],
        batch_directives[], stream_directives[], exec_directives[], kill_directives[], resource_directives[],
        resource_limit_directives[];
extern const size_t unit_directives_n, install_directives_n, service_directives_n, slice_directives_n,
        timer_directives_n, path_directives_n, scope_directives_n, socket_directives_n, mount_directives_n,
        run_directives_n, ending_run_directives_n, flow_directives_n, node_directives_n, policy_directives_n,
        batch_directives_n, stream_directives_n, exec_directives_n, kill_directives_n, resource_directives_n,
        resource_limit_directives_n;

/* All tables, each once. */
const DirectiveTable *directive_tables(size_t *ret_n);

/* The sections of all unit types. */
const DirectiveSection *directive_sections(size_t *ret_n);
/* Finds a section that is read; NULL if there is none. */
const DirectiveSection *directive_section_find(const char *name);

/* The name of a unit type's own section ("Service"), which stands once; NULL if the type has none. */
const char *directive_section_of_type(UnitType type);

const Directive *directive_find(const DirectiveSection *section, const char *name);
/* Returns true if the section of @target has the settings that the directive is for. */
bool directive_fits(const Directive *directive, const DirectiveTarget *target);
/*
 * Returns true if the lines of the type's own section are defaults of its instances, where the type has such (see
 * DraftType.has_defaults): directives for execution and killing, and rows with .is_default, which both sections have.
 */
bool directive_is_default(const Directive *directive);
/* The number of a directive among all, counted from 1, and the directive with a number. */
size_t directive_number(const Directive *directive);
const Directive *directive_at(size_t number);
/* The known name most similar to @name, or NULL. */
const char *directive_find_nearest(const DirectiveSection *section, const char *name);

#define DIRECTIVE_UNIT(name_, parse_, field_, ...)                                                       \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_UNIT,                                     \
          .offset = offsetof(UnitSettings, field_), __VA_ARGS__ }
#define DIRECTIVE_RARE(name_, parse_, field_, ...)                                                       \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_UNIT_RARE,                                \
          .offset = offsetof(UnitRareSettings, field_), __VA_ARGS__ }
#define DIRECTIVE_SERVICE(name_, parse_, field_, ...)                                                    \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE,                                     \
          .offset = offsetof(ServiceSettings, field_), .own_size = sizeof(ServiceSettings), __VA_ARGS__ }
#define DIRECTIVE_SERVICE_RARE(name_, parse_, field_, ...)                                               \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_SERVICE_RARE,                             \
          .offset = offsetof(ServiceRareSettings, field_), __VA_ARGS__ }
/* The parser finds the field. */
#define DIRECTIVE_OTHER(name_, parse_, base_, ...) { .name = name_, .parse = parse_, .base = base_, __VA_ARGS__ }

/* The reason is part of the message: "… is ignored: REASON." and "… not supported, and without it REASON." */
#define DIRECTIVE_IGNORE(name_, ...) \
        { .name = name_, .parse = directive_parse_ignored, .status = DIRECTIVE_IGNORED, .reason = "" __VA_ARGS__ }
#define DIRECTIVE_REFUSE(name_, ...) \
        { .name = name_, .parse = directive_parse_refused, .status = DIRECTIVE_REFUSED, .reason = "" __VA_ARGS__ }
