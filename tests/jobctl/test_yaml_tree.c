/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * YAML as a tree: what it has, what bounds it, and where it is broken.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "jobctl/yaml_tree.h"

static int read_tree(const char *text, YamlTree *tree) {
        return yaml_tree_read(text, strlen(text), tree);
}

static const YamlNode *root(const YamlTree *tree) {
        return &tree->nodes.items[tree->root];
}

static void assert_broken(const char *text, unsigned line, const char *problem) {
        cleanup_(yaml_tree_deinit) YamlTree tree = {};

        cr_assert(eq(int, read_tree(text, &tree), -EBADMSG));
        assert_string(tree.problem, problem);
        cr_assert(eq(u32, tree.line, line));
}

static const char *text_of(const YamlTree *tree, const YamlNode *map, const char *key) {
        const YamlNode *node = yaml_get(tree, map, key);

        return node ? node->text : "nothing";
}

Test(yaml_tree, a_map_has_keys_and_places) {
        cleanup_(yaml_tree_deinit) YamlTree tree = {};
        const YamlNode *list;

        cr_assert(eq(int, read_tree("a: 1\nb:\n  - x\n  - 'true'\n  - true\nc: ~\n", &tree), 0));
        assert_string(text_of(&tree, root(&tree), "a"), "1");
        list = yaml_get(&tree, root(&tree), "b");
        cr_assert(eq(sz, list->items.n, 3));
        cr_assert(eq(u32, yaml_item(&tree, list, 1)->line, 4));
        cr_assert(eq(u32, yaml_item(&tree, list, 1)->column, 5));
        cr_assert(eq(int, yaml_bool(yaml_item(&tree, list, 1)), -EINVAL));
        cr_assert(eq(int, yaml_bool(yaml_item(&tree, list, 2)), 1));
        cr_assert(yaml_get(&tree, root(&tree), "c") == NULL, "null is as good as nothing");
        cr_assert(yaml_get(&tree, root(&tree), "d") == NULL);
        cr_assert(yaml_get(&tree, list, "a") == NULL, "a list has no keys");
        cr_assert(yaml_get(&tree, NULL, "a") == NULL);
}

Test(yaml_tree, an_alias_is_what_it_names) {
        cleanup_(yaml_tree_deinit) YamlTree tree = {};

        cr_assert(eq(int, read_tree("a: &x {k: v}\nb: *x\nc: &x 2\nd: *x\n", &tree), 0));
        assert_string(text_of(&tree, yaml_get(&tree, root(&tree), "b"), "k"), "v");
        assert_string(text_of(&tree, root(&tree), "d"), "2");
}

Test(yaml_tree, keys_are_merged) {
        cleanup_(yaml_tree_deinit) YamlTree tree = {};
        const YamlNode *map;

        cr_assert(eq(int, read_tree("a: &a {k: 1, l: 2}\nb: &b {l: 3, m: 4}\n"
                                    "c:\n  m: own\n  <<: [*a, *b]\nd:\n  <<: *a\n  k: own\ne: {<<: {k: 5}}\n", &tree),
                     0));
        map = yaml_get(&tree, root(&tree), "c");
        assert_string(text_of(&tree, map, "k"), "1");
        assert_string(text_of(&tree, map, "l"), "2");
        assert_string(text_of(&tree, map, "m"), "own");
        cr_assert(eq(sz, map->items.n, 3));
        assert_string(text_of(&tree, yaml_get(&tree, root(&tree), "d"), "k"), "own");
        assert_string(text_of(&tree, yaml_get(&tree, root(&tree), "d"), "l"), "2");
        assert_string(text_of(&tree, yaml_get(&tree, root(&tree), "e"), "k"), "5");
        assert_string(text_of(&tree, yaml_get(&tree, root(&tree), "a"), "k"), "1");
}

Test(yaml_tree, what_is_broken_has_a_place) {
        assert_broken("", 1, "Column 1: there is no document");
        assert_broken("a: 1\na: 2\n", 2, "Column 1: the key is there twice");
        assert_broken("a:\n - [b\n - }\n", 3,
                      "Column 4: did not find expected ',' or ']' while parsing a flow sequence");
        assert_broken("a: 1\n\tb: 2\n", 2, "Column 1: found a tab character that violates indentation while scanning "
                                           "a plain scalar");
        assert_broken("[a]: 1\n", 1, "Column 1: a key is not a text");
        assert_broken("a: *b\n", 1, "Column 4: there is no anchor for this alias");
        assert_broken("a: &b [*b]\n", 1, "Column 8: the alias stands within what it names");
        assert_broken("a: {<<: 1}\n", 1, "Column 9: what '<<' adds is neither a map nor a list of maps");
        assert_broken("a: {<<: [1]}\n", 1, "Column 10: what '<<' adds is not a map");
        assert_broken("a: \"\\0\"\n", 1, "Column 4: the text has a NUL");
        assert_broken("a: 1\n---\nb: 2\n", 2, "Column 1: a second document begins; each one needs a file of its own");
        assert_broken("a: \x01\n", 1, "Column 4: control characters are not allowed");
}

/* "a0: &a0 [x,…]", then lists of ten aliases of the one before. */
Test(yaml_tree, aliases_do_not_multiply_without_bound) {
        cleanup_(yaml_tree_deinit) YamlTree tree = {};
        cleanup_(text_deinit) Text text = {};

        text_add(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (unsigned i = 1; i < 30; i++) {
                text_addf(&text, "a%u: &a%u [", i, i);
                for (unsigned k = 0; k < 10; k++)
                        text_addf(&text, "%s*a%u", k > 0 ? ", " : "", i - 1);
                text_add(&text, "]\n");
        }
        cr_assert(eq(int, text.error, 0));
        cr_assert(eq(int, read_tree(text.string, &tree), -EBADMSG));
        cr_assert(strstr(tree.problem, "the document has more than 100,000 values") != NULL, "%s", tree.problem);
        cr_assert(lt(sz, tree.nodes.n, 200));
}

/* The same with "<<", which copies keys. */
Test(yaml_tree, merged_keys_do_not_multiply_without_bound) {
        cleanup_(yaml_tree_deinit) YamlTree tree = {};
        cleanup_(text_deinit) Text text = {};

        text_add(&text, "a: &a {");
        for (unsigned i = 0; i < 1000; i++)
                text_addf(&text, "k%u: 1, ", i);
        text_add(&text, "}\nb:\n");
        for (unsigned i = 0; i < 1000; i++)
                text_add(&text, "  - {<<: *a}\n");
        cr_assert(eq(int, read_tree(text.string, &tree), -EBADMSG));
        cr_assert(strstr(tree.problem, "the document has more than 100,000 values") != NULL, "%s", tree.problem);
        cr_assert(lt(sz, tree.pairs.n, 200000));
}

Test(yaml_tree, depth_and_anchors_are_bounded) {
        cleanup_(text_deinit) Text deep = {}, anchors = {};
        char level[] = "Column 33: lists and maps are more than 32 deep";

        for (unsigned i = 0; i < 100000; i++)
                text_add_char(&deep, '[');
        assert_broken(deep.string, 1, level);
        for (unsigned i = 0; i <= YAML_ANCHORS_MAX; i++)
                text_addf(&anchors, "- &a%u x\n", i);
        assert_broken(anchors.string, 1001, "Column 3: the document has more than 1,000 anchors");
}
