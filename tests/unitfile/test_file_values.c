/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packed assignments: what goes in comes out, in few bytes.
 */

#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "unitfile/file_values.h"

static void add(FileValues *values, const char *section, const char *name, const char *value) {
        file_values_add(values, directive_find(directive_section_find(section), name), value);
}

Test(file_values, every_directive_has_a_number) {
        size_t n_tables, number = 1;
        const DirectiveTable *tables = directive_tables(&n_tables);

        for (size_t s = 0; s < n_tables; s++)
                for (size_t i = 0; i < *tables[s].n; i++, number++) {
                        cr_assert(eq(sz, directive_number(&tables[s].directives[i]), number));
                        cr_assert(directive_at(number) == &tables[s].directives[i]);
                }
}

Test(file_values, what_goes_in_comes_out) {
        cleanup_(file_values_deinit) FileValues values = {};
        cleanup_free_ char *packed = NULL, *text = NULL;

        add(&values, "Unit", "Requires", "a.target b.target");
        add(&values, "Unit", "After", "a.target b.target");
        add(&values, "Unit", "Description", "");
        add(&values, "Unit", "Documentation", "");
        add(&values, "Service", "User", "a.target b.target");
        add(&values, "Service", "Group", "grüße \x01");
        add(&values, "Install", "WantedBy", "c.target");
        cr_assert(eq(int, file_values_finish(&values, &packed), 0));
        cr_assert(eq(int, file_values_unpack(packed, &text), 0));
        assert_string(text, "Requires=a.target b.target\nAfter=a.target b.target\nDescription=\nDocumentation=\n"
                            "User=a.target b.target\nGroup=grüße \x01\nWantedBy=c.target\n");
        cr_assert(strlen(packed) < strlen(text) / 2 + 10);
}

/* Every directive, with its value new and with its value said before. */
Test(file_values, no_number_is_lost) {
        cleanup_(file_values_deinit) FileValues values = {};
        cleanup_free_ char *packed = NULL, *text = NULL, *expected = NULL;
        cleanup_(text_deinit) Text wanted = {};
        size_t n_tables;
        const DirectiveTable *tables = directive_tables(&n_tables);

        for (size_t s = 0; s < n_tables; s++)
                for (size_t i = 0; i < *tables[s].n; i++) {
                        const Directive *directive = &tables[s].directives[i];

                        file_values_add(&values, directive, directive->name);
                        file_values_add(&values, directive, directive->name);
                        text_addf(&wanted, "%s=%s\n%s=%s\n", directive->name, directive->name, directive->name,
                                  directive->name);
                }
        cr_assert(eq(int, text_finish(&wanted, &expected), 0));
        cr_assert(eq(int, file_values_finish(&values, &packed), 0));
        cr_assert(eq(int, file_values_unpack(packed, &text), 0));
        assert_string(text, expected);
}

Test(file_values, nothing_is_nothing) {
        FileValues values = {};
        char *packed = (char *) "", *text;

        cr_assert(eq(int, file_values_finish(&values, &packed), 0));
        assert_null(packed);
        cr_assert(eq(int, file_values_unpack(NULL, &text), 0));
        assert_string(text, "");
        free(text);
}
