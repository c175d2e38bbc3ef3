/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names and escaping: tables of what systemd accepts and makes.
 */

#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "unit/unit_name.h"

typedef int (*Transform)(const char *from, char **ret_to);

typedef struct Case {
        const char *from;
        const char *to;         /* NULL: -EINVAL */
} Case;

static void assert_cases(Transform transform, const Case *cases, size_t n) {
        for (size_t i = 0; i < n; i++) {
                cleanup_free_ char *to = NULL;
                int r = transform(cases[i].from, &to);

                cr_assert(eq(int, r, cases[i].to ? 0 : -EINVAL), "\"%s\"", cases[i].from);
                if (cases[i].to)
                        assert_string(to, cases[i].to);
                else
                        assert_null(to);
        }
}

Test(unit_name, valid_plain_template_or_instance) {
        static const struct {
                const char *name;
                bool is_valid, is_template, is_instance;
        } table[] = {
                { "a.service", true, false, false },
                { "a@.service", true, true, false },
                { "a@b.service", true, false, true },
                { "a@b@c.service", true, false, true },
                { "a@@.service", true, false, true },
                { "a.b.service", true, false, false },
                { "a@b.c.service", true, false, true },
                { "-.mount", true, false, false },
                { "-.slice", true, false, false },
                { "a:b-c_d\\x20e.target", true, false, false },
                { "1.timer", true, false, false },
                { "a.automount", true, false, false },
                { "", false, false, false },
                { "a", false, false, false },
                { ".service", false, false, false },
                { "@.service", false, false, false },
                { "@b.service", false, false, false },
                { "a.servic", false, false, false },
                { "a.service.wants", false, false, false },
                { "a.", false, false, false },
                { "a b.service", false, false, false },
                { "a/b.service", false, false, false },
                { "a\nb.service", false, false, false },
                { "ä.service", false, false, false },
                { "a%i.service", false, false, false },
                { "a.Service", false, false, false },
                { "a@b.service@", false, false, false },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cr_assert(eq(int, unit_name_is_valid(table[i].name), table[i].is_valid), "%s", table[i].name);
                cr_assert(eq(int, unit_name_is_template(table[i].name), table[i].is_template), "%s", table[i].name);
                cr_assert(eq(int, unit_name_is_instance(table[i].name), table[i].is_instance), "%s", table[i].name);
        }
        cr_assert(not(unit_name_is_valid(NULL)));
}

Test(unit_name, at_most_255_bytes) {
        char name[UNIT_NAME_MAX + 2];

        memset(name, 'a', sizeof(name));
        strcpy(name + UNIT_NAME_MAX - 8, ".service");
        cr_assert(eq(sz, strlen(name), UNIT_NAME_MAX));
        cr_assert(unit_name_is_valid(name));
        memset(name, 'a', sizeof(name));
        strcpy(name + UNIT_NAME_MAX - 7, ".service");
        cr_assert(not(unit_name_is_valid(name)));
}

Test(unit_name, types) {
        for (int type = 0; type < _UNIT_TYPE_MAX; type++) {
                char name[64] = "x.";

                strcat(name, unit_type_to_string((UnitType) type));
                cr_assert(eq(int, (int) unit_name_type(name), type));
        }
        cr_assert(eq(int, (int) unit_name_type("x"), (int) _UNIT_TYPE_INVALID));
        cr_assert(eq(int, (int) unit_name_type("x.conf"), (int) _UNIT_TYPE_INVALID));
        cr_assert(eq(int, (int) unit_name_type(NULL), (int) _UNIT_TYPE_INVALID));
}

Test(unit_name, parts) {
        static const Case templates[] = {
                { "a@b.service", "a@.service" },
                { "a@.service", "a@.service" },
                { "a@b@c.d.service", "a@.service" },
                { "a.service", NULL },
                { "a@b", NULL },
        };
        static const Case prefixes[] = {
                { "a@b.service", "a" }, { "a.b.service", "a.b" }, { "a-b@.timer", "a-b" }, { "nonsense", NULL },
        };
        static const Case instances[] = {
                { "a@b.service", "b" }, { "a@b@c.d.service", "b@c.d" }, { "a@.service", NULL }, { "a.service", NULL },
        };

        assert_cases(unit_name_template, templates, ELEMENTSOF(templates));
        assert_cases(unit_name_prefix, prefixes, ELEMENTSOF(prefixes));
        assert_cases(unit_name_instance, instances, ELEMENTSOF(instances));
}

static int with_instance_x(const char *name, char **ret_name) {
        return unit_name_replace_instance(name, "x-1", ret_name);
}

Test(unit_name, instance_is_replaced) {
        static const Case cases[] = {
                { "a@.service", "a@x-1.service" },
                { "a@b@c.service", "a@x-1.service" },
                { "a.service", NULL },
        };
        char *name = NULL;
        char instance[300];

        assert_cases(with_instance_x, cases, ELEMENTSOF(cases));
        cr_assert(eq(int, unit_name_replace_instance("a@.service", "", &name), -EINVAL));
        cr_assert(eq(int, unit_name_replace_instance("a@.service", "b c", &name), -EINVAL));
        memset(instance, 'x', sizeof(instance));
        instance[sizeof(instance) - 1] = '\0';
        cr_assert(eq(int, unit_name_replace_instance("a@.service", instance, &name), -EINVAL));
        assert_null(name);
}

static int mangle(const char *word, char **ret_name) {
        return unit_name_mangle(word, ".service", ret_name);
}

Test(unit_name, words_are_mangled_as_systemctl_does) {
        static const Case cases[] = {
                { "a", "a.service" },
                { "a.service", "a.service" },
                { "a.target", "a.target" },
                { "a.b", "a.b.service" },
                { "a@b", "a@b.service" },
                { "a b", "a\\x20b.service" },
                { "a/b", "a-b.service" },
                { "ä", "\\xc3\\xa4.service" },
                { "/", "-.mount" },
                { "/home/user", "home-user.mount" },
                { "/dev/sda", "dev-sda.device" },
                { "/sys/x", "sys-x.device" },
                { "", NULL },
                { "@", NULL },
                { "@b", NULL },
                { "/a/../b", NULL },
        };
        cleanup_free_ char *name = NULL;
        char word[UNIT_NAME_MAX + 2];

        assert_cases(mangle, cases, ELEMENTSOF(cases));
        memset(word, ' ', 100);
        word[100] = '\0';
        cr_assert(eq(int, mangle(word, &name), -EINVAL));       /* grows to 400 */
        memset(word, 'a', sizeof(word));
        word[sizeof(word) - 1] = '\0';
        cr_assert(eq(int, mangle(word, &name), -EINVAL));
}

Test(unit_name, text_is_escaped_as_systemd_escape_does) {
        static const Case cases[] = {
                { "", "" },
                { "Hallöchen, Meister", "Hall\\xc3\\xb6chen\\x2c\\x20Meister" },
                { "/tmp//waldi/foobar/", "-tmp--waldi-foobar-" },
                { "foo-bar", "foo\\x2dbar" },
                { "a\\b", "a\\x5cb" },
                { ".hidden.txt", "\\x2ehidden.txt" },
                { "a:b_c.d", "a:b_c.d" },
                { "x@y", "x\\x40y" },
                { "\001\n", "\\x01\\x0a" },
        };

        assert_cases(unit_name_escape, cases, ELEMENTSOF(cases));
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *back = NULL;

                cr_assert(eq(int, unit_name_unescape(cases[i].to, &back), 0));
                assert_string(back, cases[i].from);
        }
}

Test(unit_name, broken_escapes_are_refused) {
        static const Case cases[] = {
                { "a\\x", NULL },    { "a\\x2", NULL },        { "a\\x2g", NULL }, { "a\\y20", NULL },
                { "a\\", NULL },     { "\\x00", NULL },        { "\\x2D", "-" },   { "a-b", "a/b" },
        };

        assert_cases(unit_name_unescape, cases, ELEMENTSOF(cases));
}

Test(unit_name, paths_are_escaped_without_their_slashes_at_the_ends) {
        static const Case cases[] = {
                { "/", "-" },
                { "", "-" },
                { "///", "-" },
                { "/tmp//waldi/foobar/", "tmp-waldi-foobar" },
                { "/.foo", "\\x2efoo" },
                { "/./a/./b/.", "a-b" },
                { "/foo-bar", "foo\\x2dbar" },
                { "/..", NULL },
                { "/a/../b", NULL },
                { "/a..b/...", "a..b-..." },
        };

        assert_cases(unit_name_escape_path, cases, ELEMENTSOF(cases));
}

Test(unit_name, paths_come_back) {
        static const Case cases[] = {
                { "-", "/" },
                { "tmp-waldi-foobar", "/tmp/waldi/foobar" },
                { "\\x2efoo", "/.foo" },
                { "foo\\x2dbar", "/foo-bar" },
                { "", NULL },
                { "-a", NULL },
                { "a-", NULL },
                { "a--b", NULL },
                { "a-..-b", NULL },
                { ".", NULL },
                { "a\\x2fb", "/a/b" },
        };

        assert_cases(unit_name_unescape_path, cases, ELEMENTSOF(cases));
}
