/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of slices
 */

#include <errno.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "unit/unit_slice.h"

Test(unit_slice, is_valid) {
        cr_assert(unit_slice_is_valid("-.slice"));
        cr_assert(unit_slice_is_valid("a.slice"));
        cr_assert(unit_slice_is_valid("a-b\\x2dc.slice"));
        cr_assert(not(unit_slice_is_valid("a--b.slice")));
        cr_assert(not(unit_slice_is_valid("-a.slice")));
        cr_assert(not(unit_slice_is_valid("a-.slice")));
        cr_assert(not(unit_slice_is_valid("a@b.slice")));
        cr_assert(not(unit_slice_is_valid("a.service")));
        cr_assert(not(unit_slice_is_valid("a/b.slice")));
}

Test(unit_slice, parent) {
        static const char *const cases[][2] = {
                { "a-b-c.slice", "a-b.slice" }, { "a-b.slice", "a.slice" }, { "a.slice", "-.slice" }, { "-.slice", NULL },
        };
        char *parent = NULL;

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cr_assert(unit_slice_parent(cases[i][0], &parent) == 0);
                if (cases[i][1])
                        assert_string(parent, cases[i][1]);
                else
                        assert_null(parent);
                free(parent);
        }
        cr_assert(unit_slice_parent("a--b.slice", &parent) == -EINVAL);
}

Test(unit_slice, default_of_a_unit) {
        static const struct {
                const char *unit, *slice;
                bool is_user;
        } cases[] = {
                { "x.service", "system.slice", false },
                { "x.service", "app.slice", true },
                { "x@1.service", "system-x.slice", false },
                { "x-y@1.service", "system-x\\x2dy.slice", false },
                { "x@1.service", "app-x.slice", true },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *slice = NULL;

                cr_assert(unit_slice_default(cases[i].unit, cases[i].is_user, &slice) == 0);
                assert_string(slice, cases[i].slice);
        }
}

Test(unit_slice, always_there) {
        cr_assert(unit_slice_is_always_there("-.slice"));
        cr_assert(unit_slice_is_always_there("system.slice"));
        cr_assert(not(unit_slice_is_always_there("user.slice")));
}
