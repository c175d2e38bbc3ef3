/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of slices
 *
 * A dash is a path separator here, so a literal one is escaped when a slice's
 * name is made from another name.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unit/unit_slice.h"

bool unit_slice_is_valid(const char *name) {
        size_t n;

        if (!unit_name_is_valid(name) || unit_name_type(name) != UNIT_SLICE || strchr(name, '@'))
                return false;
        if (strcmp(name, UNIT_ROOT_SLICE) == 0)
                return true;
        n = strlen(name) - strlen(".slice");
        return name[0] != '-' && name[n - 1] != '-' && !memmem(name, n, "--", 2);
}

bool unit_slice_is_always_there(const char *name) {
        static const char *const names[] = { UNIT_ROOT_SLICE, "system.slice", "app.slice" };

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (strcmp(name, names[i]) == 0)
                        return true;
        return false;
}

int unit_slice_parent(const char *name, char **ret_parent) {
        cleanup_free_ char *parent = NULL;
        char *dash;

        assert(ret_parent);

        if (!unit_slice_is_valid(name))
                return -EINVAL;
        *ret_parent = NULL;
        if (strcmp(name, UNIT_ROOT_SLICE) == 0)
                return 0;
        dash = strrchr(name, '-');
        if (!dash)
                *ret_parent = strdup(UNIT_ROOT_SLICE);
        else if (text_format(&parent, "%.*s.slice", (int) (dash - name), name) == 0)
                *ret_parent = take_ptr(parent);
        return *ret_parent ? 0 : -ENOMEM;
}

int unit_slice_default(const char *unit, bool is_user, char **ret_slice) {
        cleanup_free_ char *prefix = NULL, *escaped = NULL;
        const char *base = is_user ? "app" : "system";
        int r;

        assert(ret_slice);

        if (!unit_name_is_instance(unit))
                return text_format(ret_slice, "%s.slice", base);
        r = unit_name_prefix(unit, &prefix);
        if (r == 0)
                r = unit_name_escape(prefix, &escaped);
        if (r == 0)
                r = text_format(ret_slice, "%s-%s.slice", base, escaped);
        /* A name that would be too long or cannot be escaped gets the default slice rather than an error. */
        if (r == 0 && !unit_slice_is_valid(*ret_slice)) {
                free(*ret_slice);
                r = text_format(ret_slice, "%s.slice", base);
        }
        return r;
}
