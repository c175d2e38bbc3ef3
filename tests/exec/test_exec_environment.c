/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Environment files and the merging of environments
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "exec/exec_environment.h"

static const struct {
        const char *text;
        const char *expected;           /* joined by '|' */
} files[] = {
        { "", "" },
        { "A=1\nB=2", "A=1|B=2" },
        { "  A=1  \n", "A=1" },
        { "A = 1 \n", "A=1" },
        { "# comment\n; another\nA=1 # not a comment\n", "A=1 # not a comment" },
        { "# continued \\\nA=0\nB=1\n", "A=0|B=1" },
        { "A=one two  \n", "A=one two" },
        { "A='single $x \\n' \n", "A=single $x \\n" },
        { "A=\"dou\\\"ble \\$x \\q\"\n", "A=dou\"ble $x \\q" },
        { "A='two\nlines'\n", "A=two\nlines" },
        { "A=one\\\ntwo\n", "A=onetwo" },
        { "A='x'y\"z\"\n", "A=xy\"z\"" },
        { "A=\\ x\n", "A= x" },
        { "A=\nB=\n", "A=|B=" },
        { "A=1\nA=2\n", "A=2" },
        { "no assignment\nA=1\n", "A=1" },
        { "1A=x\nB-C=x\nexport D=x\nE=y\n", "E=y" },
        { "A=1\r\nB=2\r\n", "A=1|B=2" },
        { "A=it's\n", "A=it's" },
        { "A='unfinished", "A=unfinished" },
        { "A=x=y", "A=x=y" },
};

Test(exec_environment, file_is_read_as_systemd_does) {
        for (size_t i = 0; i < ELEMENTSOF(files); i++) {
                cleanup_(strv_freep) char **environment = NULL;
                cleanup_free_ char *joined = NULL;

                cr_assert(eq(int, exec_environment_parse(&environment, files[i].text, strlen(files[i].text)), 0));
                cr_assert(eq(int, strv_join(environment, "|", &joined), 0));
                cr_assert(strcmp(joined, files[i].expected) == 0, "%zu: \"%s\"", i, joined);
        }
}

Test(exec_environment, file_with_a_nul_or_bad_text_is_refused) {
        cleanup_(strv_freep) char **environment = NULL;

        cr_assert(eq(int, exec_environment_parse(&environment, "A=\0", 3), -EINVAL));
        cr_assert(eq(int, exec_environment_parse(&environment, "A=\xff\n", 4), -EINVAL));
}

/* As many variables as the kernel accepts for a program: a search for each among all others would block the manager. */
Test(exec_environment, file_with_very_many_is_read_at_once) {
        cleanup_(strv_freep) char **environment = NULL;
        cleanup_(text_deinit) Text text = {};

        for (unsigned round = 0; round < 2; round++)
                for (unsigned i = 0; i < 100000; i++)
                        text_addf(&text, "V%u=%u\n", i, round);
        cr_assert(eq(int, exec_environment_set(&environment, "FIRST=1"), 0));
        cr_assert(eq(int, exec_environment_parse(&environment, text.string, text.n), 0));
        cr_assert(eq(sz, strv_length(environment), 100001));
        assert_string(environment[0], "FIRST=1");
        assert_string(environment[1], "V0=1");
        assert_string(environment[100000], "V99999=1");
        cr_assert(eq(int, exec_environment_set(&environment, "LAST=1"), 0), "there is room for more");
        assert_string(environment[100001], "LAST=1");
}

/* Behind @n_others variables, which the result begins with. */
static void merge_alike(unsigned n_others) {
        cleanup_(strv_freep) char **environment = NULL;
        cleanup_free_ char *joined = NULL;
        char *const more[] = { (char *) "AB=2", (char *) "A=3", (char *) "1=no", (char *) "B", (char *) "A_=4",
                               (char *) "AB=5", NULL };

        for (unsigned i = 0; i < n_others; i++) {
                char other[32];

                snprintf(other, sizeof(other), "O%u=%u", i, i);
                cr_assert(eq(int, exec_environment_set(&environment, other), 0));
        }
        cr_assert(eq(int, exec_environment_set(&environment, "A=1"), 0));
        cr_assert(eq(int, exec_environment_merge(&environment, more), 0));
        cr_assert(eq(sz, strv_length(environment), n_others + 3));
        cr_assert(eq(int, strv_join(environment + n_others, "|", &joined), 0));
        assert_string(joined, "A=3|AB=5|A_=4");
}

Test(exec_environment, names_that_begin_alike_are_different) {
        merge_alike(0);
        merge_alike(100);               /* sorted */
}

Test(exec_environment, folder_is_no_file) {
        cleanup_(strv_freep) char **environment = NULL;

        cr_assert(eq(int, exec_environment_read(&environment, "/proc"), -EISDIR));
        cr_assert(eq(int, exec_environment_read(&environment, "/no/such/file"), -ENOENT));
}

Test(exec_environment, names) {
        cr_assert(exec_environment_name_is_valid("A_1", 3));
        cr_assert(not(exec_environment_name_is_valid("1A", 2)));
        cr_assert(not(exec_environment_name_is_valid("", 0)));
        cr_assert(not(exec_environment_name_is_valid("A-B", 3)));
}
