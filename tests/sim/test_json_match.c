/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <criterion/criterion.h>

#include "basic/macro.h"
#include "sim/json_match.h"

/* The place of the difference; NULL if @got contains @expected. */
static char *difference(const char *got_text, const char *expected_text) {
        json_t *got = json_loads(got_text, JSON_DECODE_ANY, NULL);
        json_t *expected = json_loads(expected_text, JSON_DECODE_ANY, NULL);
        char *where = NULL;
        bool contains;

        cr_assert(got);
        cr_assert(expected);
        contains = json_match_contains(got, expected, &where);
        cr_assert_eq(contains, where == NULL);
        cr_assert_eq(contains, json_match_contains(got, expected, NULL));
        json_decref(got);
        json_decref(expected);
        return where;
}

Test(json_match, what_is_contained) {
        static const char *const cases[][2] = {
                { "{\"a\":1,\"b\":2}", "{\"b\":2}" },
                { "{\"a\":{\"x\":1,\"y\":2}}", "{\"a\":{\"y\":2}}" },
                { "{\"a\":[{\"x\":1,\"y\":2},3]}", "{\"a\":[{\"x\":1},3]}" },
                { "{\"a\":[]}", "{\"a\":[]}" },
                { "{\"a\":null}", "{\"a\":null}" },
                { "{\"a\":1}", "{}" },
                { "{\"a\":1}", "{\"a\":1.0}" },
                { "\"x\"", "\"x\"" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *where = difference(cases[i][0], cases[i][1]);

                cr_assert_null(where, "%s in %s: %s", cases[i][1], cases[i][0], where);
        }
}

Test(json_match, what_differs_and_where) {
        static const char *const cases[][3] = {
                { "{\"a\":1}", "{\"b\":1}", "b" },
                { "{\"a\":1}", "{\"a\":\"1\"}", "a" },
                { "{\"a\":1}", "{\"a\":null}", "a" },
                { "{\"a\":[1,2]}", "{\"a\":[1]}", "a" },
                { "{\"a\":[1]}", "{\"a\":[1,2]}", "a" },
                { "{\"a\":[1,2]}", "{\"a\":[2,1]}", "a[0]" },
                { "{\"j\":[{\"t\":\"start\"},{\"t\":\"stop\"}]}", "{\"j\":[{},{\"t\":\"start\"}]}", "j[1].t" },
                { "{\"a\":[[1],[2]]}", "{\"a\":[[1],[3]]}", "a[1][0]" },
                { "{\"a\":{\"b\":{\"c\":true}}}", "{\"a\":{\"b\":{\"c\":false}}}", "a.b.c" },
                { "1", "{}", "" },
                { "[]", "{}", "" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *where = difference(cases[i][0], cases[i][1]);

                cr_assert_not_null(where);
                cr_assert_str_eq(where, cases[i][2]);
        }
}

Test(json_match, nothing_contains_nothing) {
        json_t *expected = json_object();

        cr_assert_not(json_match_contains(NULL, expected, NULL));
        json_decref(expected);
}
