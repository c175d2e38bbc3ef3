/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * $VARIABLES in command lines
 */

#include <string.h>

#include "basic/strv.h"
#include "double/double_assert.h"
#include "exec/exec_expand.h"

static char *const environment[] = {
        (char *) "ONE=one", (char *) "TWO=a  b", (char *) "QUOTED='x y' z\"1 2\"", (char *) "EMPTY=", (char *) "SELF=${ONE}",
        NULL,
};

static const struct {
        const char *word;
        const char *expected;           /* the words, each with '|' behind */
} words[] = {
        { "plain", "plain|" },
        { "${ONE}", "one|" },
        { "x${ONE}y${ONE}", "xoneyone|" },
        { "${TWO}", "a  b|" },
        { "$TWO", "a|b|" },
        { "$QUOTED", "x y|z1 2|" },
        { "x$ONE", "x$ONE|" },
        { "$$", "$|" },
        { "$$ONE", "$ONE|" },
        { "a$${ONE}", "a${ONE}|" },
        { "${MISSING}", "|" },
        { "$MISSING", "" },
        { "$EMPTY", "" },
        { "${EMPTY}", "|" },
        { "${SELF}", "${ONE}|" },
        { "$", "$|" },
        { "${ONE", "${ONE|" },
        { "", "|" },
};

Test(exec_expand, words) {
        for (size_t i = 0; i < ELEMENTSOF(words); i++) {
                char *argv[] = { (char *) "program", (char *) words[i].word, NULL };
                cleanup_(strv_freep) char **expanded = NULL;
                char joined[256] = "";

                cr_assert(eq(int, exec_expand_argv(argv, environment, &expanded), 0));
                assert_string(expanded[0], "program");
                strv_foreach(word, expanded + 1) {
                        strcat(joined, *word);
                        strcat(joined, "|");
                }
                cr_assert(strcmp(joined, words[i].expected) == 0, "%s: %s", words[i].word, joined);
        }
}

Test(exec_expand, first_word_stays_one_word) {
        char *argv[] = { (char *) "$TWO", NULL };
        cleanup_(strv_freep) char **expanded = NULL;

        cr_assert(eq(int, exec_expand_argv(argv, environment, &expanded), 0));
        cr_assert(eq(sz, strv_length(expanded), 1));
        assert_string(expanded[0], "$TWO");
}
