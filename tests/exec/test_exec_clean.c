/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd-clean, and the arguments that it gets
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "double/double_assert.h"
#include "exec/exec_clean.h"

static void expect_command(const ExecTerms *terms, unsigned kinds, const char *expected) {
        cleanup_(strv_freep) char **argv = NULL;
        cleanup_free_ char *joined = NULL;

        cr_assert(eq(int, exec_clean_command(terms, kinds, false, &argv), 0));
        cr_assert(strv_join(argv, " ", &joined) == 0);
        assert_string(joined, expected);
}

Test(exec_clean, names_each_folder_and_link_below_its_base) {
        char *state[] = { (char *) "a/b:link", NULL }, *configuration[] = { (char *) "c", NULL };
        const ExecTerms terms = { .directories = {
                [EXEC_DIRECTORY_STATE] = { state, 0 },
                [EXEC_DIRECTORY_CONFIGURATION] = { configuration, 0 } } };

        cr_assert(eq(u32, exec_clean_kinds(&terms), 1U << UNIT_CLEAN_STATE | 1U << UNIT_CLEAN_CONFIGURATION));
        cr_assert(eq(u32, exec_clean_kinds(NULL), 0));
        expect_command(&terms, 1U << UNIT_CLEAN_STATE, "jobd-clean /var/lib a/b /var/lib private/a/b /var/lib :link");
        expect_command(&terms, UNIT_CLEAN_ALL,
                       "jobd-clean /var/lib a/b /var/lib private/a/b /var/lib :link /etc c");
}

Test(exec_clean, nothing_of_that_kind) {
        const ExecTerms terms = {};
        char **argv = NULL;

        cr_assert(eq(int, exec_clean_command(&terms, UNIT_CLEAN_ALL, false, &argv), -ENODATA));
        cr_assert(eq(int, exec_clean_command(NULL, UNIT_CLEAN_ALL, false, &argv), -ENODATA));
        cr_assert(argv == NULL);
}

static int run(const char *base, const char *path) {
        char name[] = EXEC_CLEAN_NAME;
        char *argv[] = { name, (char *) base, (char *) path, NULL };

        return exec_clean_run(3, argv);
}

Test(exec_clean, removes_trees_and_follows_no_link) {
        char folder[] = "/tmp/exec-clean.XXXXXX", path[128];

        cr_assert(mkdtemp(folder) != NULL);
        cr_assert(chdir(folder) == 0 && mkdir("base", 0755) == 0 && mkdir("base/a", 0755) == 0);
        cr_assert(mkdir("outside", 0755) == 0 && mkdir("outside/kept", 0755) == 0);
        cr_assert(symlink("../../outside", "base/a/link") == 0 && symlink("../outside", "base/way") == 0);
        snprintf(path, sizeof(path), "%s/base", folder);
        cr_assert(eq(int, run(path, "a"), 0));
        cr_assert(access("base/a", F_OK) < 0 && access("outside/kept", F_OK) == 0);
        cr_assert(eq(int, run(path, "way/kept"), 1));
        cr_assert(access("outside/kept", F_OK) == 0);
        cr_assert(eq(int, run(path, ":../outside/kept"), 0));
        cr_assert(access("outside/kept", F_OK) == 0, "it is no link");
        cr_assert(eq(int, run(path, ":way"), 0));
        cr_assert(access("base/way", F_OK) < 0 && access("outside/kept", F_OK) == 0);
        cr_assert(eq(int, run(path, "not-there"), 0));
        cr_assert(eq(int, run("/no/such/base", "a"), 0));
        rmdir("outside/kept");
        rmdir("outside");
        rmdir("base");
        rmdir(folder);
}

Test(exec_clean, half_a_pair_is_an_error) {
        char name[] = EXEC_CLEAN_NAME, base[] = "/tmp";
        char *argv[] = { name, base, NULL };

        cr_assert(eq(int, exec_clean_run(2, argv), 1));
        cr_assert(exec_clean_is_meant(name) && !exec_clean_is_meant("jobd-core") && !exec_clean_is_meant(NULL));
}
