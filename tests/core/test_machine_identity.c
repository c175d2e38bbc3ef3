/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names and ids of machines.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "core/machine_identity.h"
#include "double/double_assert.h"

Test(machine_identity, hostname_is_the_first_line_that_is_no_comment) {
        static const struct {
                const char *text;
                const char *name;       /* NULL: no name */
        } cases[] = {
                { "box\n", "box" },
                { "# ours\n\n  box.example \n", "box.example" },
                { "box", "box" },
                { "box_1\nother\n", "box_1" },
                { "", NULL },
                { "# only a comment", NULL },
                { "two words\n", "two" },
                { "b\303\266x\n", NULL },
                { "-x\n", NULL },
                { ".x\n", NULL },
                { "a/b\n", NULL },
                { "a234567890123456789\n", NULL },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                char name[16] = "untouched";
                int r = machine_hostname_parse(cases[i].text, name, sizeof(name));

                cr_expect(eq(int, r, cases[i].name ? 0 : -ENOENT), "%s", cases[i].text);
                cr_expect(strcmp(name, cases[i].name ? cases[i].name : "untouched") == 0, "%s", cases[i].text);
        }
}

Test(machine_identity, id_has_32_digits_that_are_not_all_zero) {
        cr_assert(eq(int, machine_id_parse("0123456789abcdef0123456789abcdef\n"), 1));
        cr_assert(eq(int, machine_id_parse("0123456789abcdef0123456789abcdef"), 1));
        cr_assert(eq(int, machine_id_parse("00000000000000000000000000000000\n"), 0));
        cr_assert(eq(int, machine_id_parse("0123456789abcdef0123456789abcde\n"), 0));
        cr_assert(eq(int, machine_id_parse("0123456789abcdef0123456789abcdef0\n"), 0));
        cr_assert(eq(int, machine_id_parse("uninitialized\n"), 0));
        cr_assert(eq(int, machine_id_parse(""), 0));
}

typedef struct Root {
        char path[64], id[80];
} Root;

static void root_init(Root *root) {
        char folder[80];

        strcpy(root->path, "/tmp/jobd-identity-XXXXXX");
        assert_not_null(mkdtemp(root->path));
        snprintf(folder, sizeof(folder), "%s/etc", root->path);
        cr_assert(eq(int, mkdir(folder, 0755), 0));
        snprintf(root->id, sizeof(root->id), "%s/etc/machine-id", root->path);
}

static void root_deinit(Root *root) {
        char folder[80];

        unlink(root->id);
        snprintf(folder, sizeof(folder), "%s/etc", root->path);
        rmdir(folder);
        rmdir(root->path);
}

static void read_id(const Root *root, char ret_text[static 64]) {
        int fd = open(root->id, O_RDONLY | O_CLOEXEC);
        ssize_t n;

        cr_assert(ge(int, fd, 0));
        n = read(fd, ret_text, 63);
        cr_assert(ge(int, (int) n, 0));
        ret_text[n] = '\0';
        close(fd);
}

Test(machine_identity, machine_without_an_id_gets_one_and_keeps_it) {
        cleanup_(root_deinit) Root root = {};
        char first[64], second[64];

        root_init(&root);
        cr_assert(eq(int, machine_set_id(root.path), 0));
        read_id(&root, first);
        cr_assert(eq(int, machine_id_parse(first), 1), "%s", first);
        cr_assert(eq(int, machine_set_id(root.path), 0));
        read_id(&root, second);
        assert_string(second, first);
}

Test(machine_identity, id_that_says_uninitialized_is_replaced) {
        cleanup_(root_deinit) Root root = {};
        char text[64];
        FILE *file;

        root_init(&root);
        file = fopen(root.id, "we");
        assert_not_null(file);
        fputs("uninitialized\n", file);
        fclose(file);
        cr_assert(eq(int, machine_set_id(root.path), 0));
        read_id(&root, text);
        cr_assert(eq(int, machine_id_parse(text), 1), "%s", text);
}
