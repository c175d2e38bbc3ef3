/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each directive of control groups does something to the group
 *
 * The value of the directive (tests/data/directive-values.txt) makes the
 * attributes of a group, the controllers that it needs, or its filters other
 * ones than without.
 */

#include <string.h>

#include "basic/text.h"
#include "directive_case.h"
#include "double/double_assert.h"
#include "process/resource_attribute.h"
#include "process/resource_filter.h"

/* A period needs a quota. */
#define BEFORE "CPUQuota=20%\n"

/* Directives that say where the group is, or what counts anyway. */
static bool changes_nothing(const Directive *directive) {
        static const char *const names[] = {
                "CPUAccounting",        /* the kernel counts CPU time in any group */
                "Slice",                /* another group, with the same settings */
        };

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (strcmp(names[i], directive->name) == 0)
                        return true;
        return false;
}

/* All that is done to the group of a unit with @lines, as text. */
static char *describe(FileWorld *world, const DirectiveSection *section, const char *lines) {
        static CgroupAttribute attributes[RESOURCE_ATTRIBUTES_MAX];
        const ResourceDefaults defaults = { .is_startup = true };
        const Unit *unit = directive_case_load(world, section, lines, NULL, NULL);
        const ResourceSettings *settings = file_service(unit)->resources;
        Text text = {};
        char *string;
        size_t n;

        n = resource_list_attributes(settings, &defaults, attributes);
        for (size_t i = 0; i < n; i++)
                text_addf(&text, "%s=%s\n", attributes[i].file, attributes[i].list ?: attributes[i].value);
        text_addf(&text, "controllers %d, devices %d, addresses %d", resource_wanted_controllers(settings),
                  resource_filters_devices(settings), resource_filters_addresses(settings));
        cr_assert(eq(int, text_finish(&text, &string), 0));
        return string;
}

static bool is_of_group(const DirectiveCase *one) {
        const DirectiveTable tables[] = { { resource_directives, &resource_directives_n },
                                          { resource_limit_directives, &resource_limit_directives_n } };

        if (one->kind != CASE_ACCEPTED)
                return false;
        for (size_t t = 0; t < ELEMENTSOF(tables); t++)
                for (size_t i = 0; i < *tables[t].n; i++)
                        if (one->directive == &tables[t].directives[i])
                                return true;
        return false;
}

Test(resource_setting, each_does_something) {
        cleanup_(directive_cases_freep) DirectiveCases *cases = directive_cases_read();
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        size_t n = 0;

        for (size_t i = 0; i < cases->items.n; i++) {
                const DirectiveCase *one = &cases->items.items[i];
                cleanup_free_ char *lines = NULL, *without = NULL, *with = NULL;

                if (!is_of_group(one))
                        continue;
                cr_assert(eq(int, text_format(&lines, "%s%s=%s\n", BEFORE, one->directive->name, one->value), 0));
                without = describe(world, one->section, BEFORE);
                with = describe(world, one->section, lines);
                cr_expect(eq(int, strcmp(without, with) == 0, changes_nothing(one->directive)), "%s=%s",
                          one->directive->name, one->value);
                n++;
        }
        cr_assert(n > 0);
}
