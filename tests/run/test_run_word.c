/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Words of commands with values of a run
 *
 * S004-19
 */

#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "double/double_assert.h"
#include "double/double_memory.h"
#include "double/double_scope.h"
#include "run/run_word.h"

static const char values[] =
        "{\"param\":{\"s\":\"red\",\"odd\":\"a b\\n'\\\"$(x) %{item} \\\\\",\"empty\":\"\",\"nul\":\"a\\u0000b\"},"
        "\"node\":{\"a.b\":{\"state\":\"SUCCEEDED\",\"result\":{\"n\":1.50,\"t\":true,\"f\":false,\"z\":null,"
        "\"l\":[1, \"x\", {\"k\" : \"a\\u0000\"}]}},\"big\":{\"result\":\"TOO LARGE\"}},"
        "\"item\":7,\"retry\":18446744073709551615,\"run\":{\"id\":\"41\"}}";

static char *outcome_of(const char *text, int *ret_r) {
        cleanup_(run_word_freep) RunWord *word = NULL;
        cleanup_(double_scope_deinit) DoubleScope scope;
        char *outcome = NULL, *problem = NULL;

        double_scope_init(&scope, values);
        *ret_r = run_word_parse(text, &word, &problem);
        if (*ret_r == 0)
                *ret_r = run_word_substitute(word, &scope.scope, &outcome, &problem);
        return outcome ?: problem;
}

static void assert_word(const char *text, const char *expected) {
        int r;
        cleanup_free_ char *outcome = outcome_of(text, &r);

        cr_expect(eq(int, r, 0), "%s: %s", text, outcome);
        cr_expect(eq(str, outcome, (char *) expected), "%s", text);
}

static void assert_refused(const char *text, int error, const char *expected) {
        int r;
        cleanup_free_ char *outcome = outcome_of(text, &r);

        cr_expect(eq(int, r, error), "%s: %s", text, outcome);
        cr_expect(eq(str, outcome, (char *) expected), "%s", text);
}

Test(run_word, a_text_without_references_stays) {
        assert_word("", "");
        assert_word("--out=x y", "--out=x y");
        assert_word("100%", "100%");
        assert_word("%i %% {a} %", "%i %% {a} %");
}

Test(run_word, references_become_values) {
        assert_word("%{param.s}", "red");
        assert_word("a%{param.s}b%{item}c", "aredb7c");
        assert_word("%{ param.s\t}", "red");
        assert_word("%{param.s}%{param.s}", "redred");
        assert_word("%{node[\"a.b\"].state}", "SUCCEEDED");
        assert_word("/runs/%{run.id}", "/runs/41");
}

Test(run_word, each_type_has_its_text) {
        assert_word("%{node[\"a.b\"].result.n}", "1.50");
        assert_word("%{retry.value}", "18446744073709551615");
        assert_word("%{node[\"a.b\"].result.t}/%{node[\"a.b\"].result.f}", "true/false");
        assert_word("<%{node[\"a.b\"].result.z}>", "<>");
        assert_word("%{param.missing}", "");
        assert_word("%{param.empty}", "");
        assert_word("%{node[\"a.b\"].result.l}", "[1,\"x\",{\"k\":\"a\\u0000\"}]");
}

Test(run_word, a_value_is_text_whatever_it_has) {
        assert_word("%{param.odd}", "a b\n'\"$(x) %{item} \\");
}

Test(run_word, two_percent_signs_and_a_bracket_are_text) {
        assert_word("%%{param.s}", "%{param.s}");
        assert_word("%%{", "%{");
        assert_word("%%%{item}", "%%{item}");
        assert_word("%{item}%%{%{item}", "7%{7");
        assert_word("%%{%{item}%%", "%{7%%");
}

Test(run_word, a_loader_sees_all_references) {
        cleanup_(run_word_freep) RunWord *word = NULL, *plain = NULL;
        cleanup_free_ char *problem = NULL;

        cr_assert(eq(int, run_word_parse("a%{param.x}b%%{c}%{n.result.y.0}", &word, &problem), 0));
        cr_assert(eq(sz, run_word_count(word), 2));
        assert_string(run_word_reference(word, 0)->name, "x");
        assert_string(run_word_reference(word, 1)->name, "n");
        assert_string(run_word_reference(word, 1)->path, "y.0");
        cr_assert(eq(uint, run_word_reference(word, 1)->column, 20));
        cr_assert(eq(int, run_word_parse("plain", &plain, &problem), 0));
        cr_assert(eq(sz, run_word_count(plain), 0));
}

Test(run_word, problems_name_the_column) {
        assert_refused("ab%{", -EINVAL, "At column 5: a name is missing.");
        assert_refused("ab%{}", -EINVAL, "At column 5: a name is missing.");
        assert_refused("%{item", -EINVAL,
                       "At column 1: %{ takes one reference, such as param.x or NODE.result.a.b, and the "
                       "'}' behind it (%%{ stands for %{).");
        assert_refused("x%{item == 7}", -EINVAL,
                       "At column 2: %{ takes one reference, such as param.x or NODE.result.a.b, "
                       "and the '}' behind it (%%{ stands for %{).");
        assert_refused("%{1}", -EINVAL, "At column 3: a name is missing.");
        assert_refused("%{true}", -EINVAL, "At column 3: 'true' stands where a value is expected.");
        assert_refused("%{a.exit}", -EINVAL,
                       "At column 5: a node has 'state', 'result' and 'cause', and no 'exit' (a node "
                       "whose name has a '.' is written node[\"a.b\"]).");
        assert_refused("%{${HOME}}", -EINVAL, "At column 3: a name is missing.");
}

Test(run_word, what_a_command_cannot_get_is_refused_by_name) {
        assert_refused("x%{param.nul}", -EINVAL,
                       "The value of param.nul has a NUL byte, which no argument of a command can "
                       "have.");
        assert_refused("%{big.result.x}", -EFBIG, "The value of big.result.x is too large for an expression.");
}

/* A string of @n bytes and one character before it. */
static int substitute_long(size_t n, char **ret_outcome) {
        cleanup_(run_word_freep) RunWord *word = NULL;
        cleanup_(double_scope_deinit) DoubleScope scope;
        cleanup_free_ char *json = NULL;
        char *problem = NULL;
        Text text = {};
        int r;

        text_addf(&text, "{\"item\":\"%0*d\"}", (int) n, 0);
        cr_assert(eq(int, text_finish(&text, &json), 0));
        double_scope_init(&scope, json);
        cr_assert(eq(int, run_word_parse("-%{item}", &word, &problem), 0));
        r = run_word_substitute(word, &scope.scope, ret_outcome, &problem);
        if (r < 0)
                *ret_outcome = problem;
        return r;
}

Test(run_word, a_word_is_no_longer_than_an_argument_may_be) {
        cleanup_free_ char *good = NULL, *bad = NULL;

        cr_assert(eq(int, substitute_long(RUN_WORD_MAX - 1, &good), 0));
        cr_assert(eq(sz, strlen(good), RUN_WORD_MAX));
        cr_assert(eq(int, substitute_long(RUN_WORD_MAX, &bad), -EFBIG));
        assert_string(
                bad,
                "With the value of item the argument has more than 131071 bytes, too many for a command.");
}

/* A value that is too long is not written to its end first. */
Test(run_word, an_array_may_be_too_long, .timeout = 20) {
        cleanup_(run_word_freep) RunWord *word = NULL;
        cleanup_(double_scope_deinit) DoubleScope scope;
        cleanup_free_ char *json = NULL, *outcome = NULL, *problem = NULL;
        Text text = {};

        text_add(&text, "{\"item\":[1");
        for (unsigned i = 0; i < RUN_WORD_MAX; i++)
                text_add(&text, ",1");
        text_add(&text, "]}");
        cr_assert(eq(int, text_finish(&text, &json), 0));
        double_scope_init(&scope, json);
        cr_assert(eq(int, run_word_parse("%{item}%{item.1}", &word, &problem), 0));
        cr_assert(eq(int, run_word_substitute(word, &scope.scope, &outcome, &problem), -EFBIG));
        assert_string(problem,
                      "With the value of item the argument has more than 131071 bytes, too many for a command.");
}

Test(run_word, a_search_has_an_end) {
        cleanup_(run_word_freep) RunWord *near = NULL, *far = NULL;
        cleanup_(double_scope_deinit) DoubleScope scope;
        cleanup_free_ char *json = NULL, *outcome = NULL, *problem = NULL;
        Text text = {};

        text_add(&text, "{\"item\":[0");
        for (unsigned i = 1; i <= RUN_EVALUATION_MAX; i++)
                text_addf(&text, ",%u", i);
        text_add(&text, "]}");
        cr_assert(eq(int, text_finish(&text, &json), 0));
        double_scope_init(&scope, json);
        cr_assert(eq(int, run_word_parse("%{item.200000}", &near, &problem), 0));
        cr_assert(eq(int, run_word_parse("%{item.262144}", &far, &problem), 0));
        cr_assert(eq(int, run_word_substitute(near, &scope.scope, &outcome, &problem), 0));
        assert_string(outcome, "200000");
        cr_assert(eq(int, run_word_substitute(far, &scope.scope, &outcome, &problem), -EFBIG));
        assert_string(problem, "The values are too large: an evaluation looks at no more than 262144 of them.");
}

Test(run_word, memory_runs_out) {
        for (size_t n = 1;; n++) {
                cleanup_(run_word_freep) RunWord *word = NULL;
                cleanup_(double_scope_deinit) DoubleScope scope;
                cleanup_free_ char *outcome = NULL, *problem = NULL;
                int r;

                double_scope_init(&scope, values);
                double_memory_arm(n, false);
                r = run_word_parse("a%{node[\"a.b\"].result.l}b%{param.odd}%{item}c", &word, &problem);
                if (r == 0)
                        r = run_word_substitute(word, &scope.scope, &outcome, &problem);
                if (!double_memory_disarm()) {
                        cr_assert(eq(int, r, 0));
                        cr_assert(lt(sz, 10, n));
                        break;
                }
                cr_assert(eq(int, r, -ENOMEM), "allocation %zu", n);
        }
}
