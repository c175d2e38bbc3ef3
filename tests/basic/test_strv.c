/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Arrays of strings.
 */

#include <stdio.h>
#include <string.h>

#include "basic/strv.h"
#include "double/double_assert.h"

static void assert_split(const char *string, const char *separators, const char *joined) {
        cleanup_(strv_freep) char **parts = NULL;
        cleanup_free_ char *again = NULL;

        cr_assert(eq(int, strv_split(string, separators, &parts), 0));
        cr_assert(eq(int, strv_join(parts, "|", &again), 0));
        assert_string(again, joined);
}

Test(strv, null_is_an_empty_one) {
        cleanup_(strv_freep) char **copy = NULL;

        cr_assert(eq(sz, strv_length(NULL), 0));
        cr_assert(not(strv_contains(NULL, "a")));
        cr_assert(eq(int, strv_copy(NULL, &copy), 0));
        cr_assert(eq(sz, strv_length(copy), 0));
}

Test(strv, grows_and_keeps_its_order) {
        cleanup_(strv_freep) char **strv = NULL;
        cleanup_(strv_freep) char **copy = NULL;
        char word[16];

        for (int i = 0; i < 100; i++) {
                snprintf(word, sizeof(word), "%d", i);
                cr_assert(eq(int, i % 2 ? strv_push(&strv, word) : strv_consume(&strv, strdup(word)), 0));
                cr_assert(eq(sz, strv_length(strv), (size_t) i + 1));
        }
        cr_assert(eq(int, strv_copy(strv, &copy), 0));
        for (int i = 0; i < 100; i++) {
                snprintf(word, sizeof(word), "%d", i);
                assert_string(copy[i], word);
        }
        cr_assert(strv_contains(copy, "99"));
        cr_assert(not(strv_contains(copy, "100")));
}

Test(strv, empty_parts_are_left_out) {
        assert_split("a b  c", " ", "a|b|c");
        assert_split("  a,b ,", " ,", "a|b");
        assert_split("", " ", "");
        assert_split("   ", " ", "");
        assert_split("one", ":", "one");
}

Test(strv, one_of_the_patterns_matches) {
        char *patterns[] = { (char *) "a*.service", (char *) "x-\\x2d.mount", NULL }, *none[] = { NULL };

        cr_assert(strv_matches(patterns, "ab.service"));
        cr_assert(strv_matches(patterns, "x-\\x2d.mount"), "a backslash is part of a name");
        cr_assert(not(strv_matches(patterns, "b.service")));
        cr_assert(not(strv_matches(none, "a")));
        cr_assert(strv_matches(NULL, "a"));
}

Test(strv, foreach_runs_over_all) {
        char *words[] = { (char *) "a", (char *) "b", NULL };
        size_t n = 0;

        strv_foreach(word, words)
                assert_string(*word, words[n++]);
        cr_assert(eq(sz, n, 2));
}
