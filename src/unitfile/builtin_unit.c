/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units that are always there
 *
 * A manager must be able to shut down in order, and a service to say that it
 * comes after the basic system, even where nothing was installed: in a test,
 * in a container, in jobd-sim. So the texts of our targets are compiled in.
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
