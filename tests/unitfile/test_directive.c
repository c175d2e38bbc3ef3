/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables themselves.
 */

#include <string.h>

#include "double/double_assert.h"
#include "unitfile/directive.h"

Test(directive, tables_are_sorted_and_complete) {
        size_t n;
        const DirectiveTable *tables = directive_tables(&n);

        for (size_t t = 0; t < n; t++)
                for (size_t i = 0; i < *tables[t].n; i++) {
                        const Directive *row = &tables[t].directives[i];

                        cr_expect(row->parse != NULL, "%s has no parser", row->name);
                        if (i > 0)
                                cr_expect(strcmp(row[-1].name, row->name) < 0, "%s is out of order", row->name);
                }
}

/* This also shows that no table of a section hides a row of another one. */
Test(directive, each_is_found_in_its_sections) {
        size_t n;
        const DirectiveSection *sections = directive_sections(&n);

        for (size_t s = 0; s < n; s++)
                for (size_t t = 0; t < DIRECTIVE_SECTION_TABLES_MAX && sections[s].tables[t]; t++)
                        for (size_t i = 0; i < *sections[s].tables[t]->n; i++) {
                                const Directive *row = &sections[s].tables[t]->directives[i];

                                cr_expect(eq(ptr, (void *) directive_find(&sections[s], row->name), (void *) row));
                        }
}

Test(directive, the_nearest_name_is_found) {
        const DirectiveSection *service = directive_section_find("Service");

        assert_string(directive_find_nearest(service, "ExecStartt"), "ExecStart");
        assert_string(directive_find_nearest(service, "Restrat"), "Restart");
        assert_null(directive_find_nearest(service, "Zzzzzzzzzzzzzz"));
}
