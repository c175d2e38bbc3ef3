/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Expressions: what they are, what they are refused for, what they give
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/json_write.h"
#include "double/double_assert.h"
#include "double/double_memory.h"
#include "double/double_scope.h"
#include "run/run_value.h"

static const char values[] =
        "{\"param\":{\"cluster\":\"red\",\"depth\":3,\"dry-run\":false,\"list\":[1,2.0,\"x\",null,{\"k\":[]}]},"
        "\"node\":{"
        "\"pull\":{\"state\":\"SUCCEEDED\",\"result\":{\"shards\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"n\":7,\"ok\":"
        "true}},"
        "\"a.b\":{\"state\":\"FAILED\",\"cause\":{\"node\":\"pull\",\"exit\":2}},"
        "\"item\":{\"state\":\"SKIPPED\"},\"1st\":{\"result\":1},\"cache-hit\":{\"result\":\"hit\"},"
        "\"big\":{\"state\":\"SUCCEEDED\",\"result\":\"TOO LARGE\"}},"
        "\"item\":{\"id\":18446744073709551615},\"retry\":[\"eu\",\"us\"],\"trigger\":{\"unit\":\"x.timer\"},"
        "\"run\":{\"id\":\"41\",\"name\":\"nightly\"},\"element\":{\"group\":\"anna\",\"key\":\"o-1\",\"sequence\":7}}";

/* The value as JSON, or the problem. */
static char *outcome_of(const char *text, RunWanted wanted, int *ret_r) {
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_(double_scope_deinit) DoubleScope scope;
        char *outcome = NULL;
        RunValue value;
        Text written = {};

        double_scope_init(&scope, values);
        *ret_r = run_expression_parse(text, &expression, &outcome);
        if (*ret_r == 0)
                *ret_r = run_expression_evaluate(expression, &scope.scope, wanted, &value, &outcome);
        if (*ret_r < 0)
                return outcome;
        json_write_value(&written, value.value, SIZE_MAX);
        cr_assert(eq(int, text_finish(&written, &outcome), 0));
        return outcome;
}

static void assert_value(const char *text, const char *expected) {
        int r;
        cleanup_free_ char *outcome = outcome_of(text, RUN_WANTED_ANY, &r);

        cr_expect(eq(int, r, 0), "%s: %s", text, outcome);
        cr_expect(eq(str, outcome, (char *) expected), "%s", text);
}

static void assert_refused_as(const char *text, RunWanted wanted, int error, const char *expected) {
        int r;
        cleanup_free_ char *outcome = outcome_of(text, wanted, &r);

        cr_expect(eq(int, r, error), "%s: %s", text, outcome);
        cr_expect(eq(str, outcome ?: (char *) "-", (char *) expected), "%s", text);
}

static void assert_refused(const char *text, const char *expected) {
        assert_refused_as(text, RUN_WANTED_ANY, -EINVAL, expected);
}

/* — terms — */

Test(run_value, literals_are_json) {
        assert_value("null", "null");
        assert_value(" true ", "true");
        assert_value("-1.50", "-1.50");
        assert_value("\"a b\\u00e4\"", "\"a bä\"");
        assert_value("[1, {\"a\": [\"b\"]}]", "[1,{\"a\":[\"b\"]}]");
        assert_value("(18446744073709551615)", "18446744073709551615");
}

Test(run_value, references) {
        assert_value("param.cluster", "\"red\"");
        assert_value("param.dry-run", "false");
        assert_value("param.list.4.k", "[]");
        assert_value("pull.state", "\"SUCCEEDED\"");
        assert_value("pull.result.shards", "[{\"name\":\"a\"},{\"name\":\"b\"}]");
        assert_value("pull.result.shards.1.name", "\"b\"");
        assert_value("cache-hit.result", "\"hit\"");
        assert_value("node[\"a.b\"].state", "\"FAILED\"");
        assert_value("node[\"a.b\"].cause.exit", "2");
        assert_value("node[\"item\"].state", "\"SKIPPED\"");
        assert_value("node[\"1st\"].result", "1");
        assert_value("node[\"pull\"].result.n", "7");
        assert_value("item.id", "18446744073709551615");
        assert_value("item", "{\"id\":18446744073709551615}");
        assert_value("retry.value", "[\"eu\",\"us\"]");
        assert_value("retry.value.1", "\"us\"");
        assert_value("trigger.unit", "\"x.timer\"");
        assert_value("run.id", "\"41\"");
        assert_value("run.name", "\"nightly\"");
        assert_value("group", "\"anna\"");
        assert_value("key == \"o-1\" and sequence > 6", "true");
        assert_value("group.state", "null");
}

Test(run_value, a_name_may_begin_as_another_word) {
        assert_value("android.state == null and order.state == null", "true");
        assert_value("inner.state in [null]", "true");
        assert_value("not nothing.state != null", "true");
        assert_value("items.result", "null");
        assert_value("param2.result", "null");
        assert_value("nodes.result", "null");
        assert_value("runner.state", "null");
        assert_value("true-north.state", "null");
        assert_value("nullable.state", "null");
}

/* A name of @n characters in a text. */
static char *make_name(const char *begin, unsigned n, const char *end) {
        Text text = {};
        char *expression;

        text_addf(&text, "%sx%0*d%s", begin, (int) n - 1, 0, end);
        cr_assert(eq(int, text_finish(&text, &expression), 0));
        return expression;
}

Test(run_value, names_of_nodes_are_limited) {
        cleanup_free_ char *bare = make_name("", 255, ".state"), *quoted = make_name("node[\"", 255, "\"].state");
        cleanup_free_ char *bare_bad = make_name("", 256, ".state"),
                           *quoted_bad = make_name("node[\"", 256, "\"].state");

        assert_value(bare, "null");
        assert_value(quoted, "null");
        assert_refused(bare_bad, "At column 1: a name of a node has at most 255 characters.");
        assert_refused(quoted_bad,
                       "At column 5: a name of a node has letters, digits, '_', '.' and '-', at most 255, and "
                       "stands in node[\"…\"].");
}

/* Not on a stack that is gone. */
Test(run_value, a_value_that_the_scope_has_made_stays_with_the_outcome) {
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_(double_scope_deinit) DoubleScope scope;
        cleanup_free_ char *problem = NULL;
        RunValue value;

        double_scope_init(&scope, values);
        cr_assert(eq(int, run_expression_parse("run.name", &expression, &problem), 0));
        cr_assert(eq(int, run_expression_evaluate(expression, &scope.scope, RUN_WANTED_ANY, &value, &problem), 0));
        cr_assert(value.value == &value.made);
        assert_string(value.value->text, "nightly");
}

Test(run_value, what_is_missing_is_null) {
        assert_value("param.other", "null");
        assert_value("other.state", "null");
        assert_value("pull.cause", "null");
        assert_value("pull.cause.node", "null");
        assert_value("pull.result.shards.2", "null");
        assert_value("pull.result.shards.name", "null");
        assert_value("pull.result.n.x", "null");
        assert_value("trigger.run.x.y.z", "null");
        assert_value("param.cluster.0", "null");
}

Test(run_value, a_loader_sees_all_references) {
        static const struct {
                RunReferenceKind kind;
                const char *name, *path, *text;
                unsigned column;
        } expected[] = {
                { RUN_REFERENCE_PARAM, "x", "", "param.x", 1 },
                { RUN_REFERENCE_RESULT, "a.b", "c.0", "node[\"a.b\"].result.c.0", 13 },
                { RUN_REFERENCE_STATE, "pull", "", "pull.state", 45 },
                { RUN_REFERENCE_ITEM, NULL, "id", "item.id", 59 },
                { RUN_REFERENCE_RUN_ID, NULL, "", "run.id", 70 },
        };
        static const char text[] =
                "param.x == (node[\"a.b\"].result.c.0) and not pull.state in item.id or run.id < \"z\"";
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_free_ char *problem = NULL;
        const RunReference *references;
        size_t n;

        cr_assert(eq(int, run_expression_parse(text, &expression, &problem), 0), "%s", problem);
        references = run_expression_references(expression, &n);
        cr_assert(eq(sz, n, ELEMENTSOF(expected)));
        for (size_t i = 0; i < n; i++) {
                cr_expect(eq(int, references[i].kind, expected[i].kind));
                cr_expect(eq(str, references[i].name ?: (char *) "-", (char *) (expected[i].name ?: "-")));
                cr_expect(eq(str, references[i].path, (char *) expected[i].path));
                cr_expect(eq(str, references[i].text, (char *) expected[i].text));
                cr_expect(eq(uint, references[i].column, expected[i].column));
        }
}

/* — operators — */

Test(run_value, equality_is_of_the_same_type) {
        assert_value("1 == 1.0", "true");
        assert_value("1 == \"1\"", "false");
        assert_value("1 != \"1\"", "true");
        assert_value("null == false", "false");
        assert_value("param.other == null", "true");
        assert_value("pull.state == \"SUCCEEDED\"", "true");
        assert_value("{\"a\":1,\"b\":[2]} == {\"b\":[2.0],\"a\":1}", "true");
        assert_value("9007199254740993 == 9007199254740992.0", "false");
}

Test(run_value, order_is_of_numbers_and_of_strings) {
        assert_value("2 < 10", "true");
        assert_value("\"2\" < \"10\"", "false");
        assert_value("2 <= 2.0", "true");
        assert_value("2 < 2.0", "false");
        assert_value("item.id > 18446744073709551614", "true");
        assert_value("-1 >= 0", "false");
        assert_value("\"a\" >= \"a\"", "true");
        assert_value("\"Z\" < \"a\"", "true");
        assert_refused("param.other < 3",
                       "At column 13: '<' compares two numbers or two strings, not null (param.other) with a number.");
        assert_refused("3 >= \"3\"",
                       "At column 3: '>=' compares two numbers or two strings, not a number with a string.");
        assert_refused("true > false", "At column 6: '>' compares two numbers or two strings, not true with false.");
        assert_refused("[1] <= pull.result.shards",
                       "At column 5: '<=' compares two numbers or two strings, not an array with "
                       "an array (pull.result.shards).");
}

Test(run_value, in_looks_into_arrays_and_keys) {
        assert_value("2 in param.list", "true");
        assert_value("\"2\" in param.list", "false");
        assert_value("null in param.list", "true");
        assert_value("{\"k\":[]} in param.list", "true");
        assert_value("3 in []", "false");
        assert_value("\"n\" in pull.result", "true");
        assert_value("\"m\" in pull.result", "false");
        assert_value("\"a\" in {}", "false");
        assert_value("pull.state in [\"SUCCEEDED\", \"SKIPPED\"]", "true");
        assert_refused("1 in pull.result",
                       "At column 3: 'in' looks for a value in an array, or for a string among the keys of "
                       "an object, not a number with an object (pull.result).");
        assert_refused("\"a\" in \"abc\"",
                       "At column 5: 'in' looks for a value in an array, or for a string among the keys of "
                       "an object, not a string with a string.");
        assert_refused("1 in param.other",
                       "At column 3: 'in' looks for a value in an array, or for a string among the keys of "
                       "an object, not a number with null (param.other).");
}

Test(run_value, and_or_not_take_true_and_false) {
        assert_value("true and false", "false");
        assert_value("true or false", "true");
        assert_value("not true", "false");
        assert_value("not not true", "true");
        assert_value("true and true and false", "false");
        assert_value("false or false or true", "true");
        assert_refused("1 and true", "At column 3: 'and' takes true and false, not a number.");
        assert_refused("true and null", "At column 6: 'and' takes true and false, not null.");
        assert_refused("false or param.cluster",
                       "At column 7: 'or' takes true and false, not a string (param.cluster).");
        assert_refused("\"a\" or true", "At column 5: 'or' takes true and false, not a string.");
        assert_refused("not pull.cause", "At column 1: 'not' takes true and false, not null (pull.cause).");
        assert_refused("not not 1", "At column 5: 'not' takes true and false, not a number.");
}

Test(run_value, what_the_left_side_decides_is_not_evaluated) {
        assert_value("false and 1", "false");
        assert_value("true or 1", "true");
        assert_value("param.other != null and param.other > 3", "false");
        assert_value("param.depth != null and param.depth > 2", "true");
        assert_value("false and big.result and 1 < null", "false");
        assert_value("true or big.result or 1 < null", "true");
}

Test(run_value, not_binds_closer_than_and_and_that_closer_than_or) {
        assert_value("true or true and false", "true");
        assert_value("(true or true) and false", "false");
        assert_value("false and false or true", "true");
        assert_value("not false and false", "false");
        assert_value("not (false and false)", "true");
        assert_value("not 1 == 2", "true");
        assert_value("not 1 == 1 or true", "true");
        assert_value("(1 < 2) == true", "true");
}

Test(run_value, words_need_no_blanks_where_none_are_needed) {
        assert_value("not(true)or(1)in[1]and\"a\"!=\"b\"", "true");
        assert_value("\t1\n==\r1 ", "true");
}

/* — what is wanted — */

Test(run_value, a_condition_is_true_or_false_and_a_list_an_array) {
        int r;
        cleanup_free_ char *condition = outcome_of("pull.result.ok", RUN_WANTED_BOOLEAN, &r);
        cleanup_free_ char *list = outcome_of("pull.result.shards", RUN_WANTED_ARRAY, &r);

        assert_string(condition, "true");
        assert_string(list, "[{\"name\":\"a\"},{\"name\":\"b\"}]");
        assert_refused_as("pull.result.no", RUN_WANTED_BOOLEAN, -EINVAL,
                          "The expression has to be true or false, not null "
                          "(pull.result.no).");
        assert_refused_as("\"true\"", RUN_WANTED_BOOLEAN, -EINVAL,
                          "The expression has to be true or false, not a string.");
        assert_refused_as("pull.result", RUN_WANTED_ARRAY, -EINVAL, "The expression has to be an array, not an object "
                          "(pull.result).");
}

Test(run_value, what_is_too_large_is_said_so) {
        assert_value("big.state", "\"SUCCEEDED\"");
        assert_refused_as("big.result.x", RUN_WANTED_ANY, -EFBIG,
                          "The value of big.result.x is too large for an expression.");
}

/* An array that holds what differs in its last item only, looked for among as many. */
Test(run_value, an_evaluation_has_an_end) {
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_(double_scope_deinit) DoubleScope scope;
        cleanup_free_ char *json = NULL, *problem = NULL;
        Text text = {};
        RunValue value;

        text_add(&text, "{\"item\":[");
        for (unsigned i = 0; i < 2000; i++)
                text_addf(&text, "%s%u", i == 0 ? "" : ",", i % 1000);
        text_add(&text, "],\"retry\":[");
        for (unsigned k = 0; k < 200; k++) {
                text_add(&text, k == 0 ? "[" : ",[");
                for (unsigned i = 0; i < 2000; i++)
                        text_addf(&text, "%s%u", i == 0 ? "" : ",", i == 1999 ? 0 : i % 1000);
                text_add(&text, "]");
        }
        text_add(&text, "]}");
        cr_assert(eq(int, text_finish(&text, &json), 0));
        double_scope_init(&scope, json);
        cr_assert(eq(int, run_expression_parse("item in retry.value", &expression, &problem), 0));
        cr_assert(eq(int, run_expression_evaluate(expression, &scope.scope, RUN_WANTED_ANY, &value, &problem), -EFBIG));
        assert_string(problem, "The values are too large: an evaluation looks at no more than 262144 of them.");
}

/* — texts that are none — */

Test(run_value, problems_name_the_column) {
        assert_refused("", "At column 1: a value is missing.");
        assert_refused("1 ==", "At column 5: a value is missing.");
        assert_refused("1 = 1", "At column 3: '=' is written '=='.");
        assert_refused("true && false", "At column 6: '&&' is written 'and'.");
        assert_refused("true || false", "At column 6: '||' is written 'or'.");
        assert_refused("!true", "At column 1: '!' is written 'not'.");
        assert_refused("1 not in [1]", "At column 3: 'not in' is written: not (a in b).");
        assert_refused("1 < 2 < 3", "At column 7: a comparison is not compared: join two of them with 'and'.");
        assert_refused("(1 == 2", "At column 8: the ')' for column 1 is missing.");
        assert_refused("1)", "At column 2: there is no '(' for this ')'.");
        assert_refused("1 2", "At column 3: an operator is missing: one of == != < <= > >= in and or.");
        assert_refused("1 == and", "At column 6: 'and' stands where a value is expected.");
        assert_refused("a.result == not true", "At column 13: 'not' stands where a value is expected.");
        assert_refused("'a' == 1", "At column 1: a string stands in double quotes.");
        assert_refused("#", "At column 1: there is no value.");
        assert_refused("\"abc", "At column 1: a string has no closing quote.");
        assert_refused("1 == [1,]", "At column 9: there is no value: a string stands in double quotes.");
        assert_refused("{\"a\":1,\"a\":2}", "At column 8: the object has this key twice.");
        assert_refused("01", "At column 1: a number begins with 0.");
}

Test(run_value, problems_of_references) {
        assert_refused("SUCCEEDED",
                       "At column 1: 'SUCCEEDED' is no value: a string stands in double quotes, and a node is "
                       "followed by .state, .result or .cause.");
        assert_refused("length(param.x)",
                       "At column 1: 'length' is no value: a string stands in double quotes, and a node is "
                       "followed by .state, .result or .cause.");
        assert_refused("pull.exit",
                       "At column 6: a node has 'state', 'result' and 'cause', and no 'exit' (a node whose name "
                       "has a '.' is written node[\"a.b\"]).");
        assert_refused("pull.state.x", "At column 11: a state, an id and a name have no parts.");
        assert_refused("run.id.x", "At column 7: a state, an id and a name have no parts.");
        assert_refused("run.start", "At column 5: a run has no 'start'.");
        assert_refused("retry.count", "At column 7: a retry has no 'count'.");
        assert_refused("param", "At column 6: a '.' and a name are missing.");
        assert_refused("param.", "At column 7: a name of letters, digits, '_' and '-' is missing behind the '.'.");
        assert_refused("item.a..b", "At column 8: a name of letters, digits, '_' and '-' is missing behind the '.'.");
        assert_refused("item.a b", "At column 8: an operator is missing: one of == != < <= > >= in and or.");
        assert_refused("node.state",
                       "At column 5: 'node' is followed by a name in brackets and quotes: node[\"a.b\"].");
        assert_refused("node[\"\"].state",
                       "At column 5: a name of a node has letters, digits, '_', '.' and '-', at most 255, "
                       "and stands in node[\"…\"].");
        assert_refused("node[\"a b\"].state",
                       "At column 5: a name of a node has letters, digits, '_', '.' and '-', at most "
                       "255, and stands in node[\"…\"].");
        assert_refused("1st.result", "At column 1: this is no value (a node whose name begins with a digit is written "
                       "node[\"1st\"]).");
        assert_refused("item.ä", "At column 6: a name of letters, digits, '_' and '-' is missing behind the '.'.");
}

/* "1 == 1 and 1 == 1 …" with @n terms. */
static char *make_terms(unsigned n) {
        Text text = {};
        char *expression;

        for (unsigned i = 0; i < n; i++)
                text_add(&text, i == 0 ? "item.a" : i % 2 == 0 ? " and item.a" : " == item.a");
        cr_assert(eq(int, text_finish(&text, &expression), 0));
        return expression;
}

Test(run_value, terms_are_limited) {
        cleanup_free_ char *good = make_terms(RUN_TERMS_MAX), *bad = make_terms(RUN_TERMS_MAX + 1);

        assert_value(good, "true");
        assert_refused(bad, "At column 673: an expression has at most 64 values and references.");
}

/* As many values on the stack as there may be terms. */
Test(run_value, the_deepest_expression) {
        cleanup_free_ char *good = NULL, *bad = NULL, *nots = NULL;
        Text text = {}, more = {}, negations = {};

        for (unsigned i = 0; i < RUN_NESTING_MAX - 1; i++)
                text_add(&text, "1 == (");
        text_add(&text, "1");
        for (unsigned i = 0; i < RUN_NESTING_MAX - 1; i++)
                text_add(&text, ")");
        cr_assert(eq(int, text_finish(&text, &good), 0));
        assert_value(good, "false");

        for (unsigned i = 0; i < RUN_NESTING_MAX + 1; i++) {
                text_add(&more, "(");
                text_add(&negations, "not ");
        }
        cr_assert(eq(int, text_finish(&more, &bad), 0));
        cr_assert(eq(int, text_finish(&negations, &nots), 0));
        assert_refused(bad, "At column 65: parentheses and 'not' are nested more than 64 deep.");
        assert_refused(nots, "At column 257: parentheses and 'not' are nested more than 64 deep.");
}

Test(run_value, nesting_ends_with_its_parenthesis) {
        cleanup_free_ char *expression = NULL;
        Text text = {};

        for (unsigned i = 0; i < 60; i++)
                text_add(&text, i == 0 ? "((not (true)))" : " or not not not ((false))");
        cr_assert(eq(int, text_finish(&text, &expression), 0));
        assert_value(expression, "true");
}

Test(run_value, memory_runs_out) {
        static const char text[] = "param.depth in [1, 2, {\"a\":\"b\"}] or not node[\"a.b\"].cause.exit < \"x\"";

        for (size_t n = 1;; n++) {
                cleanup_(run_expression_freep) RunExpression *expression = NULL;
                cleanup_(double_scope_deinit) DoubleScope scope;
                cleanup_free_ char *problem = NULL;
                RunValue value;
                int r;

                double_scope_init(&scope, values);
                double_memory_arm(n, false);
                r = run_expression_parse(text, &expression, &problem);
                if (r == 0)
                        r = run_expression_evaluate(expression, &scope.scope, RUN_WANTED_ANY, &value, &problem);
                if (!double_memory_disarm()) {
                        cr_assert(eq(int, r, -EINVAL), "the types of the comparison");
                        cr_assert(lt(sz, 10, n));
                        break;
                }
                /* A tree that could not be made smaller is a tree. */
                cr_assert(r == -ENOMEM || (r == -EINVAL && problem), "allocation %zu: %d", n, r);
        }
}

Test(run_value, a_scope_may_have_no_memory) {
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_(double_scope_deinit) DoubleScope scope;
        cleanup_free_ char *problem = NULL;
        RunValue value;

        double_scope_init(&scope, values);
        scope.has_no_memory = true;
        cr_assert(eq(int, run_expression_parse("item == 1", &expression, &problem), 0));
        cr_assert(
                eq(int, run_expression_evaluate(expression, &scope.scope, RUN_WANTED_ANY, &value, &problem), -ENOMEM));
        assert_null(problem);
}
