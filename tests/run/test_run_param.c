/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Parameters: declarations, and the values of a run
 *
 * S004-19, S004-34
 */

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "basic/text.h"
#include "double/double_assert.h"
#include "double/double_memory.h"
#include "run/run_param.h"

#define WORDS(...) ((char **) (const char *const[]) { __VA_ARGS__ __VA_OPT__(,) NULL })

/* A declaration that is refused, with all others before it. */
static char *problem_of(char *const *declarations) {
        cleanup_(run_params_deinit) RunParams params = {};
        char *problem = NULL;

        for (; *declarations; declarations++) {
                int r = run_params_declare(&params, *declarations, &problem);

                cr_assert(eq(int, r, declarations[1] ? 0 : -EINVAL), "%s: %s", *declarations, problem);
        }
        return problem;
}

static void assert_not_declared(char *const *declarations, const char *expected) {
        cleanup_free_ char *problem = problem_of(declarations);

        cr_expect(eq(str, problem ?: (char *) "-", (char *) expected));
}

static char *outcome_of(char *const *declarations, char *const *given, int *ret_r) {
        cleanup_(run_params_deinit) RunParams params = {};
        char *json = NULL, *problem = NULL;

        for (; *declarations; declarations++)
                cr_assert(eq(int, run_params_declare(&params, *declarations, &problem), 0), "%s", problem);
        *ret_r = run_params_apply(&params, given, &json, &problem);
        return json ?: problem;
}

static void assert_object(char *const *declarations, char *const *given, const char *expected) {
        int r;
        cleanup_free_ char *outcome = outcome_of(declarations, given, &r);

        cr_expect(eq(int, r, 0), "%s", outcome);
        cr_expect(eq(str, outcome, (char *) expected));
}

static void assert_refused(char *const *declarations, char *const *given, const char *expected) {
        int r;
        cleanup_free_ char *outcome = outcome_of(declarations, given, &r);

        cr_expect(eq(int, r, -EINVAL));
        cr_expect(eq(str, outcome, (char *) expected));
}

/* — declarations — */

Test(run_param, declarations) {
        cleanup_(run_params_deinit) RunParams params = {};
        cleanup_free_ char *problem = NULL;

        cr_assert(eq(int, run_params_declare(&params, "cluster:required", &problem), 0));
        cr_assert(eq(int, run_params_declare(&params, "depth:=1", &problem), 0));
        cr_assert(eq(int, run_params_declare(&params, "dry-run", &problem), 0));
        cr_assert(eq(int, run_params_declare(&params, "to=a \"b\"=c", &problem), 0));
        cr_assert(run_params_find(&params, "cluster")->is_required);
        assert_null(run_params_find(&params, "cluster")->value);
        cr_assert(not(run_params_find(&params, "depth")->is_required));
        assert_string(run_params_find(&params, "depth")->value, "1");
        assert_null(run_params_find(&params, "dry-run")->value);
        assert_string(run_params_find(&params, "to")->value, "\"a \\\"b\\\"=c\"");
        assert_null(run_params_find(&params, "other"));
}

Test(run_param, declarations_that_are_none) {
        assert_not_declared(WORDS(""),
                            "'' does not begin with the name of a parameter: letters, digits, '_' and '-', at most 255 "
                            "of them.");
        assert_not_declared(WORDS("=1"),
                            "'=1' does not begin with the name of a parameter: letters, digits, '_' and '-', at "
                            "most 255 of them.");
        assert_not_declared(WORDS("a.b"),
                            "'a.b' declares no parameter: write NAME, NAME:required, NAME=TEXT or NAME:=JSON.");
        assert_not_declared(WORDS("a:optional"),
                            "'a:optional' declares no parameter: write NAME, NAME:required, NAME=TEXT or "
                            "NAME:=JSON.");
        assert_not_declared(WORDS("a:required=1"),
                            "'a:required=1' declares no parameter: write NAME, NAME:required, NAME=TEXT "
                            "or NAME:=JSON.");
        assert_not_declared(WORDS("a:=red"),
                            "The value of the parameter 'a' is not JSON: line 1, column 1: there is no value: a "
                            "string stands in double quotes (write a=TEXT for a string).");
        assert_not_declared(WORDS("a=\xff"), "The value of the parameter 'a' is not valid UTF-8.");
        assert_not_declared(WORDS("a", "b", "a:=1"), "The parameter 'a' is declared twice.");
        assert_not_declared(WORDS("\x1b[2J"),
                            "'\\x1b[2J' does not begin with the name of a parameter: letters, digits, '_' and "
                            "'-', at most 255 of them.");
}

Test(run_param, names_are_limited) {
        cleanup_(run_params_deinit) RunParams params = {};
        cleanup_free_ char *problem = NULL;
        char name[RUN_PARAM_NAME_MAX + 2] = {};

        memset(name, 'x', RUN_PARAM_NAME_MAX + 1);
        cr_assert(eq(int, run_params_declare(&params, name, &problem), -EINVAL));
        cr_assert(eq(int, run_params_declare(&params, name + 1, &problem), 0));
        assert_not_null(run_params_find(&params, name + 1));
}

/* — values of a run — */

Test(run_param, the_object_has_what_is_given_and_defaults_in_the_order_of_the_declarations) {
        char **declarations = WORDS("cluster:required", "depth:=1", "to=a", "opt");

        assert_object(declarations, WORDS("cluster=red"), "{\"cluster\":\"red\",\"depth\":1,\"to\":\"a\"}");
        assert_object(declarations, WORDS("opt:=[1, {\"a\" : null}]", "to:=null", "depth=2", "cluster="),
                      "{\"cluster\":\"\",\"depth\":\"2\",\"to\":null,\"opt\":[1,{\"a\":null}]}");
        assert_object(WORDS("a"), NULL, "{}");
        assert_object(WORDS("a"), WORDS("a=b:=\"c\"\nd"), "{\"a\":\"b:=\\\"c\\\"\\nd\"}");
        assert_object(WORDS("a"), WORDS("a==b"), "{\"a\":\"=b\"}");
        assert_object(WORDS(), NULL, "{}");
}

Test(run_param, what_is_wrong_with_a_value_is_told_by_name) {
        char **declarations = WORDS("cluster:required", "depth:=1");

        assert_refused(declarations, WORDS("depth:=2"), "The parameter 'cluster' is required: give cluster=TEXT or "
                       "cluster:=JSON.");
        assert_refused(declarations, WORDS("cluster=red", "deth:=2"),
                       "There is no parameter 'deth' (did you mean 'depth'?).");
        assert_refused(declarations, WORDS("cluster=red", "x=2"), "There is no parameter 'x'.");
        assert_refused(WORDS(), WORDS("x=2"), "There is no parameter 'x', because none is declared in Params=.");
        assert_refused(declarations, WORDS("cluster=red", "cluster:=1"), "The parameter 'cluster' is given twice.");
        assert_refused(declarations, WORDS("cluster"),
                       "'cluster' is not an assignment: write NAME=TEXT or NAME:=JSON.");
        assert_refused(declarations, WORDS("cluster:required"),
                       "'cluster:required' is not an assignment: write NAME=TEXT or "
                       "NAME:=JSON.");
        assert_refused(declarations, WORDS("cluster:={\"a\":1,\"a\":2}"),
                       "The value of the parameter 'cluster' is not JSON: line "
                       "1, column 8: the object has this key twice (write cluster=TEXT for a string).");
        assert_refused(declarations, WORDS("cluster=\xc3"), "The value of the parameter 'cluster' is not valid UTF-8.");
}

static char *make_assignment(const char *begin, const char *unit, size_t n, const char *end) {
        Text text = {};
        char *assignment;

        text_add(&text, begin);
        for (; n > 0; n--)
                text_add(&text, unit);
        for (const char *c = end; *c; c++)
                text_add_char(&text, *c);
        cr_assert(eq(int, text_finish(&text, &assignment), 0));
        return assignment;
}

Test(run_param, the_object_is_not_endless) {
        size_t rest = RUN_PARAMS_MAX - strlen("{\"a\":\"\"}");
        cleanup_free_ char *full = make_assignment("a=", "x", rest, ""),
                           *more = make_assignment("a=", "x", rest + 1, "");
        cleanup_free_ char *large = make_assignment("a=", "x", RUN_PARAMS_MAX, "");
        cleanup_free_ char *json = NULL;
        int r;

        json = outcome_of(WORDS("a"), WORDS(full), &r);
        cr_assert(eq(int, r, 0));
        cr_assert(eq(sz, strlen(json), RUN_PARAMS_MAX));
        assert_refused(WORDS("a"), WORDS(more),
                       "With 'a' the parameters have more than 65536 bytes: give the path of a file.");
        assert_refused(WORDS("a"), WORDS(large),
                       "The value of the parameter 'a' has more than 65536 bytes: give the path of a "
                       "file.");
}

/* A value that JSON allows by itself must not make an object that nobody can read. */
Test(run_param, values_leave_room_for_the_object_around_them) {
        cleanup_free_ char *deep = NULL, *deepest = NULL, *json = NULL;
        char brackets[JSON_DEPTH_MAX + 1] = {};
        int r;

        memset(brackets, ']', JSON_DEPTH_MAX);
        deepest = make_assignment("a:=", "[", JSON_DEPTH_MAX, brackets);
        deep = make_assignment("a:=", "[", JSON_DEPTH_MAX - 1, brackets + 1);
        json = outcome_of(WORDS("a"), WORDS(deep), &r);
        cr_assert(eq(int, r, 0), "%s", json);
        assert_refused(WORDS("a"), WORDS(deepest), "The value of a parameter is nested more than 63 deep.");
}

Test(run_param, memory_runs_out) {
        for (size_t n = 1;; n++) {
                cleanup_(run_params_deinit) RunParams params = {};
                cleanup_free_ char *json = NULL, *problem = NULL;
                int r;

                double_memory_arm(n, false);
                r = run_params_declare(&params, "depth:=[1]", &problem);
                if (r == 0)
                        r = run_params_declare(&params, "x=1", &problem);
                if (r == 0)
                        r = run_params_apply(&params, WORDS("depth:={\"a\":[2]}", "y=3"), &json, &problem);
                if (!double_memory_disarm()) {
                        cr_assert(eq(int, r, -EINVAL));
                        cr_assert(lt(sz, 10, n));
                        break;
                }
                /* A tree that could not be made smaller is a tree. */
                cr_assert(r == -ENOMEM || (r == -EINVAL && problem), "allocation %zu: %d", n, r);
        }
}
