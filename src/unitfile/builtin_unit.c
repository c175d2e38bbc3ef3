/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Built-in units
 *
 * Orderly shutdown and dependencies on the basic system must work even where
 * no units are installed: in a test, in a container, in jobd-sim. So the
 * targets that jobd ships are compiled in.
 */

#include <stdlib.h>
#include <string.h>

#include "unitfile/builtin_unit.h"

static int builtin_unit_compare(const void *a, const void *b) {
        return strcmp(((const BuiltinUnit *) a)->name, ((const BuiltinUnit *) b)->name);
}

const char *builtin_unit_find(const char *name) {
        BuiltinUnit wanted = { .name = name };
        const BuiltinUnit *found =
                bsearch(&wanted, builtin_units, builtin_units_n, sizeof(BuiltinUnit), builtin_unit_compare);

        return found ? found->text : NULL;
}
