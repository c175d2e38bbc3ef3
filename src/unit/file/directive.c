/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directives by name
 *
 * The tables are sorted (a test sees to it), so that a line of a unit file
 * costs some eight comparisons.
 */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unit/file/directive.h"

#define NEAREST_MAX 512

static const DirectiveSection sections[] = {
        { "Unit", unit_directives, &unit_directives_n, _UNIT_TYPE_INVALID },
        { "Install", install_directives, &install_directives_n, _UNIT_TYPE_INVALID },
        { "Service", service_directives, &service_directives_n, UNIT_SERVICE },
        { "Slice", slice_directives, &slice_directives_n, UNIT_SLICE },
};

const DirectiveSection *directive_sections(size_t *ret_n) {
        *ret_n = ELEMENTSOF(sections);
        return sections;
}

const DirectiveSection *directive_section_find(const char *name) {
        for (size_t i = 0; i < ELEMENTSOF(sections); i++)
                if (strcmp(sections[i].name, name) == 0)
                        return &sections[i];
        return NULL;
}

const char *directive_section_of_type(UnitType type) {
        static const char *const names[_UNIT_TYPE_MAX] = {
                [UNIT_SERVICE] = "Service",
                [UNIT_SOCKET] = "Socket",
                [UNIT_MOUNT] = "Mount",
                [UNIT_AUTOMOUNT] = "Automount",
                [UNIT_SWAP] = "Swap",
                [UNIT_TIMER] = "Timer",
                [UNIT_PATH] = "Path",
                [UNIT_SLICE] = "Slice",
                [UNIT_SCOPE] = "Scope",
        };

        return type >= 0 && type < _UNIT_TYPE_MAX ? names[type] : NULL;
}

static int directive_compare(const void *a, const void *b) {
        return strcmp(((const Directive *) a)->name, ((const Directive *) b)->name);
}

const Directive *directive_find(const DirectiveSection *section, const char *name) {
        Directive wanted = { .name = name };

        return bsearch(&wanted, section->directives, *section->n, sizeof(Directive), directive_compare);
}

size_t directive_number(const Directive *directive) {
        size_t before = 1;

        for (size_t i = 0; i < ELEMENTSOF(sections); i++) {
                if (directive >= sections[i].directives && directive < sections[i].directives + *sections[i].n)
                        return before + (size_t) (directive - sections[i].directives);
                before += *sections[i].n;
        }
        assert(!"a directive of no section");
        return 0;
}

const Directive *directive_at(size_t number) {
        size_t before = 1;

        for (size_t i = 0; i < ELEMENTSOF(sections); i++) {
                assert(number >= before);
                if (number < before + *sections[i].n)
                        return &sections[i].directives[number - before];
                before += *sections[i].n;
        }
        assert(!"a number of no directive");
        return NULL;
}

const char *directive_find_nearest(const DirectiveSection *section, const char *name) {
        const char *names[NEAREST_MAX];
        size_t n = MIN(*section->n, (size_t) NEAREST_MAX);

        for (size_t i = 0; i < n; i++)
                names[i] = section->directives[i].name;
        return text_nearest(name, names, n);
}
