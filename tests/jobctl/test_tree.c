/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Trees as they are printed.
 */

#include <stdio.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/tree.h"
#include "jobctl/value.h"

static void assert_printed(const Tree *tree, const char *expected) {
        Terminal terminal = {};
        char printed[1024] = "";
        int pipe_fds[2], saved = dup(STDOUT_FILENO);
        ssize_t n;

        cr_assert(eq(int, pipe(pipe_fds), 0));
        fflush(stdout);
        dup2(pipe_fds[1], STDOUT_FILENO);
        cr_assert(eq(int, tree_print(tree, &terminal, 1, true), 0));
        fflush(stdout);
        dup2(saved, STDOUT_FILENO);
        close(pipe_fds[1]);
        n = read(pipe_fds[0], printed, sizeof(printed) - 1);
        close(pipe_fds[0]);
        close(saved);
        printed[n < 0 ? 0 : n] = '\0';
        assert_string(printed, expected);
}

Test(tree, an_empty_one_is_nothing) {
        cleanup_(tree_deinit) Tree tree = {};

        cr_assert(eq(int, tree_print(&tree, &(Terminal) {}, 0, true), 0));
}

Test(tree, leaves_come_first_and_siblings_in_order) {
        cleanup_(tree_deinit) Tree tree = {};
        size_t a = tree_find(&tree, TREE_ROOT, "a"), b;

        b = tree_find(&tree, a, "b");
        tree_add(&tree, b, NULL, COLOR_NONE, "deep");
        tree_add(&tree, a, NULL, COLOR_NONE, "%d", 1);
        tree_add(&tree, a, NULL, COLOR_NONE, "%d", 2);
        tree_add(&tree, TREE_ROOT, NULL, COLOR_NONE, "top");
        cr_assert(eq(sz, tree_find(&tree, a, "b"), b));
        assert_printed(&tree,
                       " |-top\n"
                       " `-a\n"
                       "   |-1\n"
                       "   |-2\n"
                       "   `-b\n"
                       "     `-deep\n");
}

Test(tree, processes_stand_below_their_groups) {
        cleanup_(tree_deinit) Tree tree = {};
        json_t *processes = json_pack("[[sis][sis][sis]]", "/base/x/inner", 30, "c", "/base/x", 7, "b", "/base/x", 5, "a");

        tree_add_processes(&tree, processes, "/base/x");
        json_decref(processes);
        assert_printed(&tree,
                       " |- 5 a\n"
                       " |- 7 b\n"
                       " `-inner\n"
                       "   `-30 c\n");
}
