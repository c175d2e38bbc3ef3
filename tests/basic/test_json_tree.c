/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Values of JSON: reading, looking up, comparing
 */

#include <errno.h>
#include <string.h>

#include "basic/json_tree.h"
#include "basic/macro.h"
#include "double/double_assert.h"
#include "double/double_memory.h"

static JsonTree read_tree(const char *json) {
        cleanup_free_ char *problem = NULL;
        JsonTree tree;
        int r = json_tree_read(json, strlen(json), &tree, &problem);

        cr_assert(eq(int, r, 0), "%s: %s", json, problem);
        return tree;
}

/* — reading — */

Test(json_tree, values_stand_in_the_order_of_the_text) {
        cleanup_(json_tree_deinit) JsonTree tree = read_tree("{\"a\":[1,{\"b\":\"x\\u0000y\"}],\"\":null}");
        const JsonValue *root = tree.values, *a = json_value_first(root), *last = json_value_next(a);

        cr_assert(eq(int, root->kind, JSON_TOKEN_OBJECT));
        cr_assert(eq(u32, root->n, 2));
        cr_assert(eq(u32, root->span, 6));
        cr_assert(root->key == NULL);
        assert_string(a->key, "a");
        cr_assert(eq(u32, a->n, 2));
        cr_assert(eq(u32, a->span, 4));
        assert_string(json_value_first(a)->text, "1");
        cr_assert(json_value_first(a)->key == NULL);
        cr_assert(eq(u32, a[3].n, 3));
        cr_assert(memcmp(a[3].text, "x\0y", 4) == 0);
        assert_string(last->key, "");
        cr_assert(eq(int, last->kind, JSON_TOKEN_NULL));
        cr_assert(json_value_next(last) == json_value_next(root));
}

/* The bytes of a tree are as many as those of its text: every shape that takes most of them. */
Test(json_tree, bytes_fit) {
        static const char *const texts[] = {
                "1", "12", "\"\"", "[1]", "[1,2,3]", "{\"a\":1}", "{\"\":\"\"}", "[[],{},\"\"]", "-0.5e-10",
        };

        for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
                cleanup_(json_tree_deinit) JsonTree tree = read_tree(texts[i]);

                cr_expect(tree.values->span > 0);
        }
}

Test(json_tree, a_text_that_is_none_is_refused) {
        cleanup_free_ char *problem = NULL;
        JsonBuilder builder;
        JsonTree tree;

        cr_assert(eq(int, json_tree_read("[1,\n 02]", 8, &tree, &problem), -EBADMSG));
        assert_string(problem, "line 2, column 2: a number begins with 0");
        cr_assert(eq(int, json_builder_begin(&builder, "", (size_t) JSON_TREE_MAX + 1), -E2BIG));
        json_builder_deinit(&builder);
}

Test(json_tree, nobody_has_to_ask_for_the_problem) {
        JsonTree tree = {};

        cr_assert(eq(int, json_tree_read("[1,\n 02]", 8, &tree, NULL), -EBADMSG));
        cr_assert(eq(int, json_tree_read("", 0, &tree, NULL), -EBADMSG));
}

Test(json_tree, a_large_text_is_read_in_slices) {
        enum { N = 20000, BUDGET = 4096 };
        cleanup_(json_tree_deinit) JsonTree tree = {};
        cleanup_free_ char *json = NULL;
        size_t unlimited = SIZE_MAX;
        unsigned n_steps = 0;
        JsonBuilder builder;
        Text text = {};
        int r;

        for (unsigned i = 0; i < N; i++)
                text_addf(&text, "%s{\"id\":%u,\"name\":\"number %u\"}", i == 0 ? "[" : ",", i, i);
        text_add(&text, "]");
        cr_assert(eq(int, text_finish(&text, &json), 0));
        cr_assert(eq(int, json_builder_begin(&builder, json, strlen(json)), 0));
        while ((r = json_builder_step(&builder, BUDGET, &tree)) == JSON_STEP_PAUSED)
                n_steps++;
        cr_assert(eq(int, r, JSON_STEP_END));
        cr_assert(ge(uint, n_steps, (unsigned) strlen(json) / (BUDGET + 100)));
        json_builder_deinit(&builder);
        cr_assert(eq(u32, tree.values->n, N));
        assert_string(json_value_find(tree.values, "19999.name", &unlimited)->text, "number 19999");
}

Test(json_tree, memory_runs_out) {
        static const char json[] = "{\"a\":[1,2,{\"b\":\"c\"},[[]]],\"b\":\"text\\n\",\"c\":{\"a\":null}}";

        for (size_t n = 1;; n++) {
                cleanup_(json_tree_deinit) JsonTree tree = {};
                cleanup_free_ char *problem = NULL;
                int r;

                double_memory_arm(n, false);
                r = json_tree_read(json, strlen(json), &tree, &problem);
                if (!double_memory_disarm()) {
                        cr_assert(eq(int, r, 0));
                        break;
                }
                /* A tree that could not be made smaller is a tree. */
                cr_assert(r == -ENOMEM || (r == 0 && tree.values->n == 3), "allocation %zu: %d", n, r);
        }
}

/* — looking up — */

static void assert_found(const char *json, const char *path, const char *expected) {
        cleanup_(json_tree_deinit) JsonTree tree = read_tree(json);
        size_t unlimited = SIZE_MAX;
        const JsonValue *found = json_value_find(tree.values, path, &unlimited);

        cr_assert(eq(int, found != NULL, expected != NULL), "%s of %s", path, json);
        if (found)
                cr_expect(eq(str, (char *) (found->text ?: "-"), (char *) expected), "%s of %s", path, json);
}

Test(json_tree, a_path_names_keys_and_indexes) {
        static const char json[] = "{\"a\":{\"b\":[\"x\",{\"0\":\"y\"}],\"b-c\":\"z\"},\"\":\"e\",\"ab\":\"n\"}";

        assert_found(json, "", "-");
        assert_found(json, "ab", "n");
        assert_found(json, "a.b.0", "x");
        assert_found(json, "a.b.1.0", "y");
        assert_found(json, "a.b-c", "z");
        assert_found("[[1,2],[3]]", "1.0", "3");
        assert_found("\"x\"", "", "x");
}

Test(json_tree, what_is_not_there_is_not_found) {
        static const char json[] = "{\"a\":{\"b\":[\"x\"]},\"n\":null,\"s\":\"text\"}";

        assert_found(json, "b", NULL);
        assert_found(json, "a.b.1", NULL);
        assert_found(json, "a.b.00", NULL);
        assert_found(json, "a.b.-1", NULL);
        assert_found(json, "a.b.4294967296", NULL);
        assert_found(json, "a.b.99999999999999999999", NULL);
        assert_found(json, "a.b.18446744073709551616", NULL);
        assert_found(json, "a.b.x", NULL);
        assert_found(json, "a.b.", "-");
        assert_found(json, "a..b", NULL);
        assert_found(json, "a.0", NULL);
        assert_found(json, "n.a", NULL);
        assert_found(json, "s.0", NULL);
}

Test(json_tree, a_search_ends_with_its_budget) {
        cleanup_(json_tree_deinit) JsonTree tree = read_tree("[1,2,3,4,5,6,7,8]");
        size_t budget = 4, enough = 9;

        cr_assert(json_value_find(tree.values, "7", &budget) == NULL);
        cr_assert(eq(sz, budget, 0));
        assert_string(json_value_find(tree.values, "7", &enough)->text, "8");
        cr_assert(eq(sz, enough, 2));
        budget = 5;
        cr_assert(not(json_value_equal(tree.values, tree.values, &budget)));
        cr_assert(eq(sz, budget, 0));
}

/* One long number is looked for among many short ones. */
Test(json_tree, long_numbers_cost_more) {
        char json[] =
                "0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001";
        cleanup_(json_tree_deinit) JsonTree number = read_tree(json), one = read_tree("1");
        size_t budget = 100;

        cr_assert(not(json_value_equal(number.values, one.values, &budget)));
        cr_assert(eq(sz, budget, 100 - 1 - (strlen(json) + 1) / 32));
}

/* — comparing — */

static bool are_equal(const char *a, const char *b) {
        cleanup_(json_tree_deinit) JsonTree x = read_tree(a), y = read_tree(b);
        size_t unlimited = SIZE_MAX;
        bool is_equal = json_value_equal(x.values, y.values, &unlimited);

        cr_assert(eq(int, json_value_equal(y.values, x.values, &unlimited), is_equal));
        return is_equal;
}

Test(json_tree, equal_values) {
        cr_expect(are_equal("null", "null"));
        cr_expect(are_equal("1", "1.0"));
        cr_expect(are_equal("100", "1e2"));
        cr_expect(are_equal("-0", "0"));
        cr_expect(are_equal("-0.0", "0"));
        cr_expect(are_equal("\"a\\u0062\"", "\"ab\""));
        cr_expect(are_equal("[1,[2]]", "[1, [2.0]]"));
        cr_expect(are_equal("{\"a\":1,\"b\":{\"c\":[],\"d\":2}}", "{\"b\":{\"d\":2,\"c\":[]},\"a\":1}"));
}

Test(json_tree, different_values) {
        cr_expect(not(are_equal("null", "false")));
        cr_expect(not(are_equal("0", "false")));
        cr_expect(not(are_equal("1", "\"1\"")));
        cr_expect(not(are_equal("[]", "{}")));
        cr_expect(not(are_equal("[1,2]", "[2,1]")));
        cr_expect(not(are_equal("[1]", "[1,1]")));
        cr_expect(not(are_equal("\"a\"", "\"a\\u0000\"")));
        cr_expect(not(are_equal("{\"a\":1}", "{\"b\":1}")));
        cr_expect(not(are_equal("{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}")));
        cr_expect(not(are_equal("{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}")));
        cr_expect(not(are_equal("9007199254740993", "9007199254740992.0")));
        cr_expect(not(are_equal("18446744073709551615", "18446744073709551616.0")));
}

/* Rising: each is less than all that follow. */
static void assert_rising(const char *const *values, size_t n) {
        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                        cleanup_(json_tree_deinit) JsonTree a = read_tree(values[i]), b = read_tree(values[j]);
                        int expected = i < j ? -1 : i > j, r = json_value_compare(a.values, b.values);

                        cr_expect(eq(int, r, expected), "%s and %s", values[i], values[j]);
                }
}

Test(json_tree, numbers_are_compared_exactly) {
        static const char *const values[] = {
                "-1e300", "-9223372036854775809.0e3", "-9223372036854775808", "-9223372036854775807",
                "-9007199254740993", "-9007199254740992.0", "-2.5", "-2", "-1.5", "-1", "-0.5",
                "0", "1e-9", "0.5", "1", "1.5", "2", "9007199254740992.0", "9007199254740993",
                "9223372036854775807", "9223372036854775808.0", "9223372036854775809",
                "18446744073709551615", "18446744073709551616.0", "1e300",
        };

        assert_rising(values, ELEMENTSOF(values));
}

Test(json_tree, strings_are_compared_by_their_bytes) {
        static const char *const values[] = {
                "\"\"", "\"\\u0000\"", "\"A\"", "\"a\"", "\"a\\u0000\"", "\"aa\"", "\"b\"", "\"ä\"", "\"😀\"",
        };

        assert_rising(values, ELEMENTSOF(values));
}
