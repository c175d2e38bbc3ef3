/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Specifiers: of the name, of the manager, and those that are none.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "unitfile/specifier.h"

Test(specifier, tables_of_names_and_texts) {
        static const struct {
                const char *unit, *text, *expanded;
        } cases[] = {
                { "foo.service", "plain", "plain" },
                { "foo.service", "%n %N %p %i|%%", "foo.service foo foo |%" },
                { "foo-bar@a-b.service", "%n", "foo-bar@a-b.service" },
                { "foo-bar@a-b.service", "%N %p %i", "foo-bar@a-b foo-bar a-b" },
                { "foo-bar@a-b.service", "%P %I", "foo/bar a/b" },
                { "foo-bar@a-b.service", "%j %J", "bar bar" },
                { "foo-bar@a-b.service", "%f", "/a/b" },
                { "foo-bar.service", "%f", "/foo/bar" },
                { "a\\x2db.service", "%p %P", "a\\x2db a-b" },
                { "foo.service", "%S %C %L %E %T", "/var/lib /var/cache /var/log /etc /tmp" },
                { "foo.service", "%t/x", "/run/x" },
                { "foo@1.service", "%d/x", "/run/credentials/foo@1.service/x" },
                { "foo.service", "%y", "/etc/jobd/system/foo.service" },
                { "foo.service", "%Y", "/etc/jobd/system" },
        };

        unsetenv("TMPDIR");
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                SpecifierContext context = { .unit = cases[i].unit, .fragment = "/etc/jobd/system/foo.service" };
                cleanup_free_ char *text = NULL, *problem = NULL;

                cr_expect(eq(int, specifier_expand(&context, cases[i].text, &text, &problem), 0), "case %zu", i);
                cr_expect(eq(str, text, (char *) cases[i].expanded), "case %zu", i);
        }
}

Test(specifier, a_users_folders_are_the_users) {
        SpecifierContext context = { .unit = "foo.service", .is_user = true };
        cleanup_free_ char *text = NULL, *problem = NULL;

        setenv("HOME", "/home/me", 1);
        setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
        setenv("XDG_CONFIG_HOME", "/conf", 1);
        unsetenv("XDG_STATE_HOME");
        unsetenv("XDG_CACHE_HOME");
        cr_assert(eq(int, specifier_expand(&context, "%h %t %E %S %C", &text, &problem), 0));
        assert_string(text, "/home/me /run/user/7 /conf /home/me/.local/state /home/me/.cache");
}

static void expect_user(const char *expected) {
        SpecifierContext context = { .unit = "foo.service", .is_user = true };
        cleanup_free_ char *text = NULL, *problem = NULL;

        cr_assert(eq(int, specifier_expand(&context, "%u %h %s", &text, &problem), 0));
        assert_string(text, expected);
}

/* No name service is used: a user who is not in the files is known by the environment. */
Test(specifier, a_user_is_known_by_the_files_and_his_environment) {
        if (geteuid() != 0 || seteuid(1234567) < 0)
                cr_skip_test("only root can be somebody whom no file knows");
        setenv("USER", "me", 1);
        setenv("HOME", "/home/me", 1);
        setenv("SHELL", "/bin/mine", 1);
        expect_user("me /home/me /bin/mine");
        unsetenv("USER");
        unsetenv("HOME");
        unsetenv("SHELL");
        expect_user("1234567 / /bin/sh");
}

Test(specifier, the_machine_is_asked) {
        SpecifierContext context = { .unit = "foo.service", .runtime_directory = "/somewhere" };
        cleanup_free_ char *text = NULL, *problem = NULL, *expected = NULL;
        struct utsname uts;

        uname(&uts);
        cr_assert(eq(int, specifier_expand(&context, "%H %v %U %G %t", &text, &problem), 0));
        cr_assert(eq(int, text_format(&expected, "%s %s %u %u /somewhere", uts.nodename, uts.release, getuid(), getgid()), 0));
        assert_string(text, expected);
}

Test(specifier, an_unknown_one_is_left_and_named) {
        static const struct {
                const char *text, *part;
        } cases[] = {
                { "100%", "'%' at the end" },
                { "a %z b", "'%z'" },
                { "%\xc3\xa9", "unknown specifier" },
                { "--format=%(message)s%", "'%('" },
        };
        SpecifierContext context = { .unit = "foo.service" };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *text = NULL, *problem = NULL;

                cr_expect(eq(int, specifier_expand(&context, cases[i].text, &text, &problem), SPECIFIER_LEFT));
                assert_string(text, cases[i].text);
                cr_expect(strstr(problem, cases[i].part) != NULL, "%s", problem);
        }
}

Test(specifier, one_that_has_no_value_is_an_error) {
        cleanup_free_ char *text = NULL, *problem = NULL;
        SpecifierContext context = { .unit = "foo\\xzz.service" };

        cr_assert(eq(int, specifier_expand(&context, "%z %P/key", &text, &problem), -EINVAL));
        cr_expect(strstr(problem, "'%P' cannot be resolved here") != NULL, "%s", problem);
}
