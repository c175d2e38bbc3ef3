/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From text to directives
 *
 * Reads sections and assignments. The parser finds the row of a directive in
 * the tables, and suggests the nearest known name for an unknown one.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "unitfile/file_text.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

#define SECTIONS_MAX 8                  /* of a unit type */

typedef struct DraftParser {
        UnitDraft *draft;               /* borrowed */
        const char *file;               /* borrowed */
        DirectiveSections known;        /* borrowed: of all types */
        const DirectiveSection *section;        /* NULL: the lines of the present section are not read */
        const char *header;             /* borrowed from the text: the present section, "Service", "Node a" */
        DraftSection *into;             /* borrowed from the draft: settings of the present section */
        bool is_in_section;             /* a header has been seen */
} DraftParser;

static bool parser_has(const DraftParser *parser, const DirectiveSection *section) {
        return section->type == _UNIT_TYPE_INVALID || section->type == parser->draft->type;
}

/* The length of "Node" in "Node *"; for "Service" of the whole name. */
static size_t section_word_length(const DirectiveSection *section) {
        return section->instances ? strlen(section->name) - strlen(" *") : strlen(section->name);
}

static const DirectiveSection *parser_find_section(const DraftParser *parser, const char *header) {
        for (size_t i = 0; i < parser->known.n; i++) {
                const DirectiveSection *section = &parser->known.items[i];
                size_t n = section_word_length(section);

                if (parser_has(parser, section) && strncmp(header, section->name, n) == 0 &&
                    (!header[n] || (section->instances && strchr(" \t", header[n]))))
                        return section;
        }
        return NULL;
}

/* — messages about sections — */

/* "Nod a" → "Node a", "Unti" → "Unit"; NULL if none of the unit's sections is similar. 0 or -ENOMEM. */
static int parser_nearest_section(const DraftParser *parser, const char *header, char **ret_nearest) {
        size_t n_word = strcspn(header, " \t"), n = 0;
        cleanup_free_ char *word = strndup(header, n_word);
        char *words[SECTIONS_MAX];
        const char *nearest;
        int r = word ? 0 : -ENOMEM;

        for (size_t i = 0; r == 0 && i < parser->known.n && n < SECTIONS_MAX; i++) {
                const DirectiveSection *section = &parser->known.items[i];

                if (!parser_has(parser, section) || (header[n_word] && !section->instances))
                        continue;
                words[n] = strndup(section->name, section_word_length(section));
                r = words[n++] ? 0 : -ENOMEM;
        }
        nearest = r == 0 ? text_nearest(word, (const char *const *) words, n) : NULL;
        *ret_nearest = NULL;
        if (nearest)
                r = text_format(ret_nearest, "%s%s", nearest, header + n_word);
        while (n-- > 0)
                free(words[n]);
        return r;
}

static int parser_warn_of_section(const DraftParser *parser, unsigned line, const char *header) {
        cleanup_(text_deinit) Text own = {};
        cleanup_free_ char *nearest = NULL, *list = NULL;
        int r = parser_nearest_section(parser, header, &nearest);

        if (r < 0)
                return r;
        if (nearest) {
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, NULL,
                                  "Unknown section [%s] (did you mean [%s]?); the section is "
                                  "ignored.", header, nearest);
                return 0;
        }
        for (size_t i = 0; i < parser->known.n; i++)
                if (parser->known.items[i].type == parser->draft->type)
                        text_addf(&own, ", [%s]", parser->known.items[i].name);
        r = text_finish(&own, &list);
        if (r < 0)
                return r;
        unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, NULL,
                          "Unknown section [%s] (a %s unit has [Unit]%s and [Install]); the section is "
                          "ignored.", header,
                          unit_type_to_string(parser->draft->type), list);
        return 0;
}

/* — sections — */

static int parser_enter_instance(DraftParser *parser, unsigned line, const DirectiveSection *section) {
        const char *name = parser->header + section_word_length(section);
        size_t n_before = parser->draft->instances.n;
        DraftSection *instance;
        int r;

        name += strspn(name, " \t");
        if (!*name)
                return unit_draft_refuse(parser->draft, parser->file, line, NULL,
                                         "The section [%s] needs a name, as in [%s].", parser->header, section->name);
        if (!unit_draft_name_is_of_instance(name))
                return unit_draft_refuse(parser->draft, parser->file, line, NULL,
                                         "'%s' is not a name for [%s]: a name has letters, digits, '_', '.' and "
                                         "'-', and "
                                         "at most %d of them.", name, section->name, UNIT_NAME_MAX);
        r = unit_draft_open_instance(parser->draft, section, name, parser->file, line, &instance);
        if (r < 0)
                return r;
        /* An instance without assignments is one, too: a reload tells that it came or went. */
        if (parser->draft->instances.n > n_before)
                file_values_enter(&parser->draft->values, parser->header);
        parser->section = section;
        parser->into = instance;
        return 0;
}

static int parser_enter_section(DraftParser *parser, unsigned line, char *text) {
        const DirectiveSection *section;
        char *header = text + 1;
        size_t n = strlen(header);

        parser->is_in_section = true;
        parser->section = NULL;
        /* If it were ignored, the messages would be about what the section lacks. systemd refuses the unit, too. */
        if (n == 0 || header[n - 1] != ']')
                return unit_draft_refuse(parser->draft, parser->file, line, NULL,
                                         "The section header '%s' has no closing ']'.", text);
        header[n - 1] = '\0';
        parser->header = header;
        section = parser_find_section(parser, header);
        if (!section)
                return text_starts_with(header, "X-") ? 0 : parser_warn_of_section(parser, line, header);
        if (section->instances)
                return parser_enter_instance(parser, line, section);
        parser->section = section->tables[0] ? section : NULL;
        parser->into = &parser->draft->section;
        return 0;
}

/* — messages about directives — */

/* Another section of the unit that has the directive, for a better hint than "did you mean". */
static const char *parser_other_section(const DraftParser *parser, const char *key) {
        for (size_t i = 0; i < parser->known.n; i++)
                if (&parser->known.items[i] != parser->section && parser_has(parser, &parser->known.items[i]) &&
                    directive_find(&parser->known.items[i], key))
                        return parser->known.items[i].name;
        return NULL;
}

/* The section of another type that has the directive. */
static const DirectiveSection *parser_other_type(const DraftParser *parser, const char *key) {
        for (size_t i = 0; i < parser->known.n; i++)
                if (parser->known.items[i].type != _UNIT_TYPE_INVALID && directive_find(&parser->known.items[i], key))
                        return &parser->known.items[i];
        return NULL;
}

/*
 * In an instance an unknown directive refuses the unit: without what its line was to say, a node would run before
 * others that it has to follow. Units have an order, too, by directives that people know. A text of the store was
 * written by a jobd that read it so, and the run that executes it goes on.
 */
static int parser_refuse_directive(const DraftParser *parser, unsigned line, const char *key) {
        static const char *const orders[] = { "After",  "Before", "Requires", "Requisite",
                                              "Wants", "BindsTo", "PartOf" };
        const char *other = parser_other_section(parser, key);
        const char *nearest = directive_find_nearest(parser->section, key);

        for (size_t i = 0; i < ELEMENTSOF(orders); i++)
                if (strcmp(orders[i], key) == 0 && directive_find(parser->section, "DependsOn"))
                        return unit_draft_refuse(parser->draft, parser->file, line, key,
                                                 "There is no such directive in [%s]: DependsOn= names the nodes that "
                                                 "it follows.", parser->header);
        if (other)
                return unit_draft_refuse(parser->draft, parser->file, line, key,
                                         "This directive belongs to [%s], not to [%s].", other, parser->header);
        if (nearest)
                return unit_draft_refuse(parser->draft, parser->file, line, key,
                                         "Unknown directive in [%s] (did you mean %s=?).", parser->header, nearest);
        return unit_draft_refuse(parser->draft, parser->file, line, key, "Unknown directive in [%s].", parser->header);
}

static void parser_warn_of_directive(const DraftParser *parser, unsigned line, const char *key) {
        const char *other = parser_other_section(parser, key);
        const char *nearest = directive_find_nearest(parser->section, key);
        const DirectiveSection *type = parser_other_type(parser, key);

        if (!other && !type && nearest)
                unit_draft_note_typo(parser->draft, parser->file, line, key, nearest);
        if (other)
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, key,
                                  "This directive belongs to [%s], not to [%s]; the line is ignored.",
                                  other, parser->header);
        else if (type)
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, key,
                                  "This directive belongs to [%s] of a %s, and this unit is a %s; the line is "
                                  "ignored.", type->name,
                                  unit_type_to_string(type->type), unit_type_to_string(parser->draft->type));
        else if (nearest)
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, key,
                                  "Unknown directive in [%s] (did you mean %s=?); the line is ignored.",
                                  parser->header, nearest);
        else
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, key,
                                  "Unknown directive in [%s]; the line is ignored.", parser->header);
}

/* — lines — */

static char *parser_trim_end(char *start, char *end) {
        while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
                end--;
        *end = '\0';
        return start;
}

/* Reads @line, or keeps it for later: the lines of an instance follow all that are defaults, wherever these are. */
int unit_draft_assign(UnitDraft *draft, DraftSection *into, const DirectiveLine *line, const char *value) {
        DraftLine kept = { .directive = line->directive, .file = line->file, .line = line->line };

        if (!draft->draft_type || !draft->draft_type->has_defaults || !directive_is_default(line->directive))
                return line->directive->parse(line, value);
        kept.value = strdup(value);
        if (!kept.value || vector_push(&into->lines, kept) < 0) {
                free(kept.value);
                return -ENOMEM;
        }
        return into->section ? 0 : line->directive->parse(line, value);
}

static int parse_kept(UnitDraft *draft, DraftSection *into, const DraftLine *kept) {
        DirectiveLine line = { .target = &into->target, .file = kept->file, .line = kept->line };

        /* A row of the type's table has a counterpart for the instance, with another offset. */
        line.directive = directive_find(into->section, kept->directive->name);
        return line.directive ? line.directive->parse(&line, kept->value) : 0;
}

int unit_draft_parse_kept(UnitDraft *draft, DraftSection *instance) {
        int r = 0;

        if (instance->lines.n == 0)
                return 0;
        draft->is_quiet = true;
        for (size_t i = 0; r == 0 && i < draft->section.lines.n; i++)
                if (draft->section.lines.items[i].directive->status == DIRECTIVE_SUPPORTED)
                        r = parse_kept(draft, instance, &draft->section.lines.items[i]);
        draft->is_quiet = false;
        for (size_t i = 0; r == 0 && i < instance->lines.n; i++)
                r = parse_kept(draft, instance, &instance->lines.items[i]);
        return r;
}

static int parser_assign(DraftParser *parser, unsigned line, char *text) {
        char *equals = strchr(text, '=');
        const char *key, *value;
        DirectiveLine where = { .target = NULL, .file = parser->file, .line = line };

        if (!equals || equals == text) {
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, NULL,
                                  "%s; the line is ignored.",
                                  equals ? "The line has no name before the '='"
                                         : "The line is neither a section header nor an assignment with '='");
                return 0;
        }
        key = parser_trim_end(text, equals);
        value = equals + 1 + strspn(equals + 1, " \t");
        where.directive = directive_find(parser->section, key);
        if (!where.directive) {
                if (text_starts_with(key, "X-"))
                        return 0;
                if (parser->section->instances && !parser->draft->loader->options.is_judged)
                        return parser_refuse_directive(parser, line, key);
                parser_warn_of_directive(parser, line, key);
                return 0;
        }
        where.target = &parser->into->target;
        if (!directive_fits(where.directive, where.target))
                return unit_draft_refuse(parser->draft, parser->file, line, key,
                                         "This directive cannot be used in [%s].", parser->header);
        if (where.directive->renamed_to)
                unit_draft_report(parser->draft, UNIT_FILE_NOTE, parser->file, line, key,
                                  "This is the old name of %s=%s%s.", where.directive->renamed_to,
                                  where.directive->reason ? ": " : "",
                                  where.directive->reason ? where.directive->reason : "");
        file_values_enter(&parser->draft->values, parser->section->instances ? parser->header : NULL);
        file_values_add(&parser->draft->values, where.directive, value);
        return unit_draft_assign(parser->draft, parser->into, &where, value);
}

static int parser_read_line(DraftParser *parser, unsigned line, char *text) {
        if (text[0] == '[')
                return parser_enter_section(parser, line, text);
        if (parser->section)
                return parser_assign(parser, line, text);
        if (!parser->is_in_section)
                unit_draft_report(parser->draft, UNIT_FILE_WARNING, parser->file, line, NULL,
                                  "The line is not in a section; the line is ignored.");
        return 0;
}

int unit_draft_parse(UnitDraft *draft, const DirectiveSections *known, const char *file, char *text) {
        cleanup_(file_lines_deinit) FileLines lines = { .next = text };
        DraftParser parser = { .draft = draft, .file = file, .known = *known };

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
