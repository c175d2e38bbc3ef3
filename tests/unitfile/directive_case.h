/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Values of directives, from tests/data/directive-values.txt
 *
 * Each line of that file is a case of a directive: a value that is accepted, a
 * value that is refused, or the statement that any text is accepted. A case is
 * tried in the smallest unit of its section's type.
 */

#include "basic/vector.h"
#include "file_world.h"
#include "unitfile/directive.h"

typedef enum DirectiveCaseKind {
        CASE_ACCEPTED,                  /* "Name=value" */
        CASE_REFUSED,                   /* "Name!=value" */
        CASE_ANY_TEXT,                  /* "Name takes any text" */
        _CASE_KIND_MAX,
} DirectiveCaseKind;

typedef struct DirectiveCase {
        DirectiveCaseKind kind;
        unsigned line;                  /* in the file of cases */
        const DirectiveSection *section;
        const Directive *directive;
        char *value;                    /* owned; NULL if any text is accepted */
} DirectiveCase;

typedef struct DirectiveCases {
        VECTOR(DirectiveCase) items;
} DirectiveCases;

/* Reads the file; a line that is no case, or of an unknown directive, ends the test. */
DirectiveCases *directive_cases_read(void);
DirectiveCases *directive_cases_free(DirectiveCases *cases);
DEFINE_CLEANUP(DirectiveCases, directive_cases_free)

/* Has @directive a case of that kind? */
bool directive_cases_have(const DirectiveCases *cases, const Directive *directive, DirectiveCaseKind kind);

/*
 * Loads a unit with @lines of @section into a new table. The unit is of the type that has the section, or else a
 * service, and also has the lines without which such a unit is refused, except for directives that @lines assign.
 * @types: vtables instead of those that do nothing; ends with NULL, or is NULL. @host may be NULL.
 */
Unit *directive_case_load(FileWorld *world, const DirectiveSection *section, const char *lines,
                          const UnitVTable *const *types, UnitHost *host);

/* The diagnostics of that unit with "directive=value"; borrowed like those of file_said(). */
const char *directive_case_try(FileWorld *world, const DirectiveSection *section, const char *directive,
                               const char *value);
/* Returns true if @said has no remarks but those on an old name or on a feature that this kernel lacks. */
bool directive_case_is_accepted(const Directive *directive, const char *said);
