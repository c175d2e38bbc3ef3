/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * JSON, written: the same text again, for every value
 */

#include <inttypes.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/macro.h"
#include "double/double_assert.h"
#include "double/double_json.h"

static char *write_again(const char *json) {
        cleanup_(json_tree_deinit) JsonTree tree = {};
        cleanup_free_ char *problem = NULL;
        Text text = {};
        char *written;

        cr_assert(eq(int, json_tree_read(json, strlen(json), &tree, &problem), 0), "%s: %s", json, problem);
        json_write_value(&text, tree.values, SIZE_MAX);
        cr_assert(eq(int, text_finish(&text, &written), 0));
        return written;
}

static void assert_written(const char *json, const char *expected) {
        cleanup_free_ char *written = write_again(json);

        assert_string(written, expected);
}

Test(json_write, values) {
        assert_written(" null ", "null");
        assert_written("[ true , false ]", "[true,false]");
        assert_written("{ \"b\" : [ ] , \"a\" : { } }", "{\"b\":[],\"a\":{}}");
        assert_written("[[[1]],[],{\"a\":{\"b\":[2]}},3]", "[[[1]],[],{\"a\":{\"b\":[2]}},3]");
}

Test(json_write, numbers_stay_as_they_were_written) {
        assert_written("[1.50,-0,1E5,18446744073709551615]", "[1.50,-0,1E5,18446744073709551615]");
}

Test(json_write, strings_have_the_escapes_that_json_demands) {
        assert_written("\"\\u0041\\/\\u00e4\\ud83d\\ude00\\u007f\"", "\"A/ä😀\x7f\"");
        assert_written("\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\"", "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\"");
        assert_written("{\"a\\u000ab\":\"\"}", "{\"a\\nb\":\"\"}");
}

Test(json_write, a_part_is_a_value) {
        cleanup_(json_tree_deinit) JsonTree tree = {};
        cleanup_free_ char *problem = NULL, *written = NULL;
        static const char json[] = "{\"a\":{\"b\":[1,2]},\"c\":3}";
        size_t budget = 100;
        Text text = {};

        cr_assert(eq(int, json_tree_read(json, strlen(json), &tree, &problem), 0));
        json_write_value(&text, json_value_find(tree.values, "a", &budget), SIZE_MAX);
        cr_assert(eq(int, text_finish(&text, &written), 0));
        assert_string(written, "{\"b\":[1,2]}");
}

Test(json_write, what_is_too_long_is_not_written_to_its_end) {
        cleanup_(json_tree_deinit) JsonTree tree = {};
        cleanup_free_ char *problem = NULL, *written = NULL, *whole = NULL;
        static const char json[] = "[[1,2],[3,4],\"abcdef\",5,6,7,8,9]";
        Text text = {}, enough = {};

        cr_assert(eq(int, json_tree_read(json, strlen(json), &tree, &problem), 0));
        json_write_value(&text, tree.values, 4);
        cr_assert(eq(int, text_finish(&text, &written), 0));
        assert_string(written, "[[1,2]");
        json_write_value(&enough, tree.values, strlen(json));
        cr_assert(eq(int, text_finish(&enough, &whole), 0));
        assert_string(whole, json);
}

Test(json_write, the_deepest_value) {
        char json[2 * JSON_DEPTH_MAX + 1] = {};

        memset(json, '[', JSON_DEPTH_MAX);
        memset(json + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
        assert_written(json, json);
}

/* A random value, written loosely, is written compactly; that text is written as it is, and both are equal. */
static void check_random(uint64_t seed) {
        cleanup_free_ char *loose = NULL, *compact = NULL, *first = NULL, *second = NULL;
        cleanup_(json_tree_deinit) JsonTree a = {}, b = {};
        cleanup_free_ char *problem = NULL;
        Text loose_text = {}, compact_text = {};
        size_t unlimited = SIZE_MAX;
        uint64_t state = seed;

        double_json_value(&state, 1 + (unsigned) seed % 6, &loose_text, &compact_text);
        cr_assert(eq(int, text_finish(&loose_text, &loose), 0));
        cr_assert(eq(int, text_finish(&compact_text, &compact), 0));
        first = write_again(loose);
        second = write_again(compact);
        cr_assert(eq(str, first, compact), "seed %" PRIu64, seed);
        cr_assert(eq(str, second, compact), "seed %" PRIu64, seed);
        cr_assert(eq(int, json_tree_read(loose, strlen(loose), &a, &problem), 0));
        cr_assert(eq(int, json_tree_read(compact, strlen(compact), &b, &problem), 0));
        cr_assert(json_value_equal(a.values, b.values, &unlimited), "seed %" PRIu64, seed);
        cr_assert(eq(u32, a.values->span, b.values->span));
}

Test(json_write, random_values, .timeout = 60) {
        for (uint64_t seed = 1; seed <= 20000; seed++)
                check_random(seed * UINT64_C(0x9E3779B97F4A7C15));
}
