/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/builtin_unit.h"
#include "unitfile/draft_type.h"
#include "unitfile/unit_file_hint.h"
#include "unitfile/unit_file_loader.h"

/* 1 if the name has a file, a mask or a link, or is that of a unit that needs none; 0 if not; -ENOMEM. */
static int is_known(const UnitFileLoader *loader, const char *name) {
        cleanup_(name_lookup_deinit) NameLookup lookup = {};
        int r = name_map_lookup(loader->names, name, &lookup);

        return r < 0 ? r : lookup.found != NAME_FOUND_NOTHING || builtin_unit_find(name);
}

/* 1 if the unit has a file, perhaps by another name, and is not masked, or needs none; 0 if not; -ENOMEM. */
static int has_file(const UnitFileLoader *loader, const char *name) {
        cleanup_(name_lookup_deinit) NameLookup lookup = {};
        int r = name_map_lookup(loader->names, name, &lookup);

        if (r < 0)
                return r;
        if (lookup.found == NAME_FOUND_NOTHING)
                return builtin_unit_find(name) != NULL;
        return (lookup.found == NAME_FOUND_FILE || lookup.found == NAME_FOUND_ALIAS) && lookup.entry &&
               lookup.entry->kind == NAME_FILE;
}

int unit_file_hint(const UnitFileLoader *loader, const char *name, char **ret_hint) {
        cleanup_(text_deinit) Text text = {};
        const char *dot = strrchr(name, '.');
        int r = dot ? is_known(loader, name) : 1;

        for (UnitType type = 0; r == 0 && type < _UNIT_TYPE_MAX; type++) {
                cleanup_free_ char *other = NULL;

                if (type == unit_name_type(name) || !draft_type_of(type))
                        continue;
                r = text_format(&other, "%.*s.%s", (int) (dot - name), name, unit_type_to_string(type));
                if (r == 0 && unit_name_is_valid(other))
                        r = has_file(loader, other);
                if (r > 0)
                        text_addf(&text, "%s%s", text.n == 0 ? " (did you mean " : " or ", other);
                r = MIN(r, 0);
        }
        if (r < 0)
                return r;
        if (text.n > 0)
                text_add(&text, "?)");
        return text_finish(&text, ret_hint);
}
