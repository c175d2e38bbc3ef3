/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each directive has a value that it accepts and one that it refuses: tests/data/directive-values.txt
 */

#include <string.h>

#include "basic/macro.h"
#include "directive_case.h"
#include "unitfile/directive_value.h"
#include "unitfile/draft_type.h"

static const Directive *row_at(const DirectiveTable *table, size_t i) {
        return &table->directives[i];
}

Test(directive_value, each_directive_has_cases) {
        cleanup_(directive_cases_freep) DirectiveCases *cases = directive_cases_read();
        size_t n;
        const DirectiveTable *tables = directive_tables(&n);

        for (size_t t = 0; t < n; t++)
                for (size_t i = 0; i < *tables[t].n; i++) {
                        const Directive *row = row_at(&tables[t], i);

                        if (row->status != DIRECTIVE_SUPPORTED)
                                continue;
                        cr_expect(directive_cases_have(cases, row, CASE_ACCEPTED),
                                  "directive-values.txt has no value that %s= accepts", row->name);
                        cr_expect(directive_cases_have(cases, row, CASE_REFUSED) ||
                                          directive_cases_have(cases, row, CASE_ANY_TEXT),
                                  "directive-values.txt has no value that %s= refuses", row->name);
                }
}

Test(directive_value, what_is_accepted_and_what_is_refused, .timeout = 120) {
        cleanup_(directive_cases_freep) DirectiveCases *cases = directive_cases_read();
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        for (size_t i = 0; i < cases->items.n; i++) {
                const DirectiveCase *one = &cases->items.items[i];
                cleanup_free_ char *remark = NULL;
                const char *said;

                if (one->kind == CASE_ANY_TEXT)
                        continue;
                cr_assert(text_format(&remark, " %s: ", one->directive->name) == 0);
                said = directive_case_try(world, one->section, one->directive->name, one->value);
                if (one->kind == CASE_ACCEPTED)
                        cr_expect(directive_case_is_accepted(one->directive, said), "line %u: %s=%s: %s", one->line,
                                  one->directive->name, one->value, said);
                else
                        cr_expect(strstr(said, remark) != NULL, "line %u: %s=%s is not refused: '%s'", one->line,
                                  one->directive->name, one->value, said);
        }
}

/* A directive that refuses one of these does not take any text, and needs a case with a refused value. */
Test(directive_value, any_text_is_any) {
        static const char *const texts[] = { "x", "-1", "a b", "/a/../b", "ä:;,=", "yes", "99999999999" };
        cleanup_(directive_cases_freep) DirectiveCases *cases = directive_cases_read();
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        for (size_t i = 0; i < cases->items.n; i++) {
                const DirectiveCase *one = &cases->items.items[i];

                for (size_t k = 0; one->kind == CASE_ANY_TEXT && k < ELEMENTSOF(texts); k++) {
                        const char *said = directive_case_try(world, one->section, one->directive->name, texts[k]);

                        cr_expect(said[0] == '\0', "line %u: %s=%s: %s", one->line, one->directive->name, texts[k],
                                  said);
                }
        }
}

/* The default of a time limit that a new field lacks would be 0: everything would time out at once. */
Test(directive_value, no_time_limit_is_over_at_once_by_default) {
        size_t n, n_tried = 0;
        const DirectiveSection *sections = directive_sections(&n);

        for (size_t s = 0; s < n; s++) {
                const DraftType *type = draft_type_of(sections[s].type);
                const SettingsKind *kind = sections[s].instances ? sections[s].instances : type ? &type->settings : NULL;
                void *settings = NULL;

                if (!kind || !kind->make)
                        continue;
                cr_assert(eq(int, kind->make(&settings), 0));
                for (size_t t = 0; t < DIRECTIVE_SECTION_TABLES_MAX && sections[s].tables[t]; t++)
                        for (size_t i = 0; i < *sections[s].tables[t]->n; i++) {
                                const Directive *row = row_at(sections[s].tables[t], i);
                                const usec_t *limit = (const usec_t *) ((const char *) settings + row->offset);

                                if (row->base != DIRECTIVE_IN_TYPE || row->parse != directive_parse_time_limit)
                                        continue;
                                cr_expect(ne(u64, *limit, 0), "[%s] %s=", sections[s].name, row->name);
                                n_tried++;
                        }
                kind->release(settings);
        }
        cr_expect(ne(sz, n_tried, 0));
}

/* An unsupported directive is reported. */
Test(directive_value, the_others_are_not_taken_in_silence) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        size_t n;
        const DirectiveSection *sections = directive_sections(&n);

        for (size_t s = 0; s < n; s++)
                for (size_t t = 0; t < DIRECTIVE_SECTION_TABLES_MAX && sections[s].tables[t]; t++)
                        for (size_t i = 0; i < *sections[s].tables[t]->n; i++) {
                                const Directive *row = row_at(sections[s].tables[t], i);
                                cleanup_free_ char *remark = NULL;
                                const char *said;

                                if (row->status == DIRECTIVE_SUPPORTED)
                                        continue;
                                cr_assert(text_format(&remark, " %s: ", row->name) == 0);
                                said = directive_case_try(world, &sections[s], row->name, "1");
                                cr_expect(strstr(said, remark) && strncmp(said, "note ", 5) != 0, "[%s] %s: '%s'",
                                          sections[s].name, row->name, said);
                        }
}
