/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From text to directives
 *
 * Sections and assignments. What a line means is a matter of the directive
 * tables; here it is only found, and what is unknown is said with the nearest
 * thing that is known.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "unitfile/file_text.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_draft_read.h"

typedef struct DraftParser {
        UnitDraft *draft;               /* borrowed */
        const char *file;               /* borrowed */
        const DirectiveSection *section;        /* NULL: of this file's present section there is nothing to read */
        bool is_in_section;             /* a header has been seen */
} DraftParser;

static const char *parser_nearest_section(const UnitDraft *draft, const char *name) {
        const char *own = directive_section_of_type(draft->type);
        const char *candidates[] = { "Unit", "Install", own };

        return text_nearest(name, candidates, own ? 3 : 2);
}

static void parser_warn_of_section(const DraftParser *parser, unsigned line, const char *name) {
        const char *own = directive_section_of_type(parser->draft->type);
        const char *nearest = parser_nearest_section(parser->draft, name);

        if (nearest)
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, NULL,
                                  "Unknown section [%s], did you mean [%s]? It is ignored.", name, nearest);
        else
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, NULL,
                                  "Unknown section [%s]; a %s unit has [Unit]%s%s%s and [Install]. It is ignored.", name,
                                  unit_type_to_string(parser->draft->type), own ? ", [" : "", own ? own : "", own ? "]" : "");
}

static void parser_enter_section(DraftParser *parser, unsigned line, char *text) {
        const char *own = directive_section_of_type(parser->draft->type);
        char *name = text + 1;
        size_t n = strlen(name);

        parser->is_in_section = true;
        parser->section = NULL;
        if (n == 0 || name[n - 1] != ']') {
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, NULL,
                                  "The section header '%s' has no closing ']'; the section is ignored.", text);
                return;
        }
        name[n - 1] = '\0';
        if (own && strcmp(name, own) == 0)
                parser->section = directive_section_find(name); /* NULL: a type whose section nobody reads */
        else if (strcmp(name, "Unit") == 0 || strcmp(name, "Install") == 0)
                parser->section = directive_section_find(name);
        else if (!text_starts_with(name, "X-"))
                parser_warn_of_section(parser, line, name);
}

/* Directives that are in another section: "did you mean" is no help then. */
static const char *parser_other_section(const DraftParser *parser, const char *key) {
        size_t n;
        const DirectiveSection *sections = directive_sections(&n);

        for (size_t i = 0; i < n; i++)
                if (&sections[i] != parser->section && directive_find(&sections[i], key) &&
                    (sections[i].type == _UNIT_TYPE_INVALID || sections[i].type == parser->draft->type))
                        return sections[i].name;
        return NULL;
}

/* The type of units that have it, in a section of their own. */
static const DirectiveSection *parser_other_type(const char *key) {
        size_t n;
        const DirectiveSection *sections = directive_sections(&n);

        for (size_t i = 0; i < n; i++)
                if (sections[i].type != _UNIT_TYPE_INVALID && directive_find(&sections[i], key))
                        return &sections[i];
        return NULL;
}

static void parser_warn_of_directive(const DraftParser *parser, unsigned line, const char *key) {
        const char *other = parser_other_section(parser, key);
        const char *nearest = directive_find_nearest(parser->section, key);
        const DirectiveSection *type = parser_other_type(key);

        if (other)
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, key,
                                  "This belongs into the section [%s], not [%s]; it is ignored.", other,
                                  parser->section->name);
        else if (type)
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, key,
                                  "This is for the section [%s] of a %s; this unit is a %s. It is ignored.", type->name,
                                  unit_type_to_string(type->type), unit_type_to_string(parser->draft->type));
        else if (nearest)
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, key,
                                  "Unknown directive in [%s], did you mean %s=? It is ignored.", parser->section->name,
                                  nearest);
        else
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, key,
                                  "Unknown directive in [%s]; it is ignored.", parser->section->name);
}

static char *parser_trim_end(char *start, char *end) {
        while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
                end--;
        *end = '\0';
        return start;
}

static int parser_assign(DraftParser *parser, unsigned line, char *text) {
        char *equals = strchr(text, '=');
        const char *key, *value;
        DirectiveLine where = { .draft = parser->draft, .file = parser->file, .line = line };

        if (!equals || equals == text) {
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, NULL,
                                  "%s; the line is ignored.",
                                  equals ? "There is no name in front of the '='"
                                         : "This is neither a section nor an assignment, as it has no '='");
                return 0;
        }
        key = parser_trim_end(text, equals);
        value = equals + 1 + strspn(equals + 1, " \t");
        where.directive = directive_find(parser->section, key);
        if (!where.directive) {
                if (!text_starts_with(key, "X-"))
                        parser_warn_of_directive(parser, line, key);
                return 0;
        }
        if (where.directive->renamed_to)
                unit_draft_report(parser->draft, UNIT_FILE_NOTE, parser->file, line, key, "This is the old name of %s=.",
                                  where.directive->renamed_to);
        file_values_add(&parser->draft->values, where.directive, value);
        return where.directive->parse(&where, value);
}

static int parser_read_line(DraftParser *parser, unsigned line, char *text) {
        if (text[0] == '[') {
                parser_enter_section(parser, line, text);
                return 0;
        }
        if (parser->section)
                return parser_assign(parser, line, text);
        if (!parser->is_in_section)
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, NULL,
                                  "This stands in front of any section; it is ignored.");
        return 0;
}

int unit_draft_parse(UnitDraft *draft, const char *file, char *text) {
        cleanup_(file_lines_deinit) FileLines lines = { .next = text };
        DraftParser parser = { .draft = draft, .file = file };

        for (;;) {
                unsigned number = 0;
                char *line;
                int r = file_lines_next(&lines, &line, &number);

                if (r == -E2BIG)
                        return unit_draft_refuse(draft, file, number, NULL, "The line is longer than 256 KiB.");
                if (r <= 0)
                        return r;
                r = parser_read_line(&parser, number, line);
                if (r < 0)
                        return r;
        }
}
