/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Expressions, words of commands with values, and parameters
 *
 * An input says which of them follows, and then gives a text or two rows of words. An expression gives the same in
 * parentheses and the opposite behind "not"; what it refers to stands where it says, and means the same alone. Any text
 * is itself if each %{ in it is written %%{, and is one word as it is as a value. Values of parameters are an object that
 * can be read, of declared names.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/strv.h"
#include "fuzz.h"
#include "run/run_param.h"
#include "run/run_word.h"

typedef struct Scope {
        RunScope scope;
        JsonTree tree;
        const char *item;               /* a string in place of that of the tree */
        size_t n_item;
} Scope;

static const char values[] = "{\"a\":{\"n\":1,\"s\":\"x\",\"l\":[1,\"x\",null,{\"k\":true}],\"o\":{\"x\":-0.5,\"y\":"
                             "\"\\u0000\"}},\"b\":\"FAILED\","
                             "\"c\":[true,false],\"d\":null,\"e\":18446744073709551615}";

/* Each name has a value, or none; what is a state is a string. */
static int find(const RunScope *scope, const RunReference *reference, JsonValue *made, const JsonValue **ret_value) {
        const Scope *self = (const Scope *) scope;
        size_t budget = 100;

        if (reference->kind == RUN_REFERENCE_ITEM && self->item) {
                *made = JSON_VALUE_STRING(self->item, self->n_item);
                *ret_value = made;
        } else if (reference->kind == RUN_REFERENCE_STATE) {
                *made = JSON_VALUE_STRING("SUCCEEDED", 9);
                *ret_value = made;
        } else if (reference->kind == RUN_REFERENCE_CAUSE)
                return -EFBIG;
        else
                *ret_value = json_value_find(self->tree.values, reference->name ?: "a", &budget);
        return 0;
}

static void scope_init(Scope *scope) {
        char *problem;

        *scope = (Scope) { .scope.find = find };
        fuzz_check(json_tree_read(values, strlen(values), &scope->tree, &problem) == 0);
}

/* A sentence that names a column of the text. */
static void check_problem(const char *text, const char *problem) {
        unsigned column = 0;

        fuzz_check(problem && sscanf(problem, "At column %u:", &column) == 1);
        fuzz_check(column >= 1 && column <= strlen(text) + 1);
        fuzz_check(problem[strlen(problem) - 1] == '.');
}

/* — expressions — */

/* The value as JSON, or NULL for an error, which has a sentence; *ret_parsed: the text is an expression. */
static char *evaluate(const Scope *scope, const char *text, bool *ret_parsed) {
        RunExpression *expression = NULL;
        char *problem = NULL, *result = NULL;
        Text json = {};
        RunValue value;
        int r = run_expression_parse(text, &expression, &problem);

        fuzz_check(r == 0 || r == -EINVAL);
        *ret_parsed = r == 0;
        if (r < 0)
                check_problem(text, problem);
        else {
                r = run_expression_evaluate(expression, &scope->scope, RUN_WANTED_ANY, &value, &problem);
                fuzz_check(r == 0 || ((r == -EINVAL || r == -EFBIG) && problem[strlen(problem) - 1] == '.'));
        }
        if (r == 0) {
                json_write_value(&json, value.value, SIZE_MAX);
                fuzz_check(text_finish(&json, &result) == 0);
        }
        free(problem);
        run_expression_free(expression);
        return result;
}

static void check_reference(const char *text, const RunReference *reference) {
        RunExpression *expression = NULL;
        const RunReference *alone;
        char *problem = NULL;
        size_t n;

        fuzz_check(strncmp(text + reference->column - 1, reference->text, strlen(reference->text)) == 0);
        fuzz_check(reference->path[0] != '.');
        fuzz_check(run_expression_parse(reference->text, &expression, &problem) == 0);
        alone = run_expression_references(expression, &n);
        fuzz_check(n == 1 && alone->kind == reference->kind && alone->column == 1);
        fuzz_check_string(alone->text, reference->text);
        fuzz_check_string(alone->path, reference->path);
        fuzz_check_string(alone->name ?: "-", reference->name ?: "-");
        run_expression_free(expression);
}

static void check_references(const char *text) {
        RunExpression *expression = NULL;
        const RunReference *references;
        char *problem = NULL;
        size_t n;

        fuzz_check(run_expression_parse(text, &expression, &problem) == 0);
        references = run_expression_references(expression, &n);
        fuzz_check(n <= RUN_TERMS_MAX);
        for (size_t i = 0; i < n; i++)
                check_reference(text, &references[i]);
        run_expression_free(expression);
}

static bool is_truth(const char *value) {
        return value && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0);
}

static void check_expression(const Scope *scope, const char *text) {
        char *inner = NULL, *negation = NULL, *value, *inner_value, *negated;
        bool is_one, is_inner, is_negation;

        value = evaluate(scope, text, &is_one);
        if (!is_one)
                return;
        check_references(text);
        fuzz_check(text_format(&inner, "( %s )", text) == 0 && text_format(&negation, "not (%s)", text) == 0);
        inner_value = evaluate(scope, inner, &is_inner);
        negated = evaluate(scope, negation, &is_negation);
        /* They may be nested too deep then. */
        if (is_inner)
                fuzz_check_string(value ?: "-", inner_value ?: "-");
        if (is_negation)
                fuzz_check_string(negated ?: "-", !is_truth(value) ? "-" : *value == 't' ? "false" : "true");
        free(inner);
        free(negation);
        free(value);
        free(inner_value);
        free(negated);
}

/* — words — */

static int substitute(const Scope *scope, const char *text, char **ret_string) {
        RunWord *word = NULL;
        char *problem = NULL;
        int r = run_word_parse(text, &word, &problem);

        fuzz_check(r == 0 || r == -EINVAL);
        if (r < 0)
                check_problem(text, problem);
        else {
                for (size_t i = 0; i < run_word_count(word); i++)
                        check_reference(text, run_word_reference(word, i));
                r = run_word_substitute(word, &scope->scope, ret_string, &problem);
                fuzz_check(r == 0 || ((r == -EINVAL || r == -EFBIG) && problem[strlen(problem) - 1] == '.'));
        }
        free(problem);
        run_word_free(word);
        return r;
}

static void check_word(Scope *scope, const char *text) {
        char *escaped, *string = NULL, *same = NULL, *value = NULL;
        Text written = {};

        (void) substitute(scope, text, &string);
        for (const char *c = text; *c; c++) {
                text_add(&written, c[0] == '%' && c[1] == '{' ? "%" : "");
                text_add_char(&written, *c);
        }
        fuzz_check(text_finish(&written, &escaped) == 0);
        fuzz_check(substitute(scope, escaped, &same) == 0);
        fuzz_check_string(same, text);

        scope->item = text;
        scope->n_item = strlen(text);
        fuzz_check(substitute(scope, "%{item}", &value) == 0);
        fuzz_check_string(value, text);
        free(escaped);
        free(string);
        free(same);
        free(value);
}

/* — parameters — */

static void check_object(const RunParams *params, const char *json) {
        char *problem = NULL;
        const JsonValue *entry;
        JsonTree tree;

        fuzz_check(strlen(json) <= RUN_PARAMS_MAX);
        fuzz_check(json_tree_read(json, strlen(json), &tree, &problem) == 0);
        fuzz_check(tree.values->kind == JSON_TOKEN_OBJECT && tree.values->n <= params->items.n);
        entry = json_value_first(tree.values);
        for (uint32_t i = 0; i < tree.values->n; i++, entry = json_value_next(entry))
                fuzz_check(run_params_find(params, entry->key) != NULL);
        json_tree_deinit(&tree);
}

/* Words up to an empty one are declarations, those behind it assignments. */
static void check_params(FuzzInput *input) {
        char *json = NULL, *problem = NULL, *word, **given = NULL;
        RunParams params = {};
        int r;

        for (; (word = fuzz_string(input)), *word; free(word)) {
                r = run_params_declare(&params, word, &problem);
                fuzz_check(r == 0 || (r == -EINVAL && text_is_utf8(problem)));
                free(problem);
                problem = NULL;
        }
        free(word);
        for (; (word = fuzz_string(input)), *word; free(word))
                fuzz_check(strv_push(&given, word) == 0);
        free(word);
        r = run_params_apply(&params, given, &json, &problem);
        fuzz_check(r == 0 || (r == -EINVAL && text_is_utf8(problem)));
        if (r == 0)
                check_object(&params, json);
        free(json);
        free(problem);
        strv_free(given);
        run_params_deinit(&params);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
        FuzzInput input = { bytes, bytes + n_bytes };
        unsigned what = fuzz_choose(&input, 3);
        Scope scope;
        char *text;

        if (what == 2) {
                check_params(&input);
                return 0;
        }
        scope_init(&scope);
        text = fuzz_string(&input);
        if (what == 0)
                check_expression(&scope, text);
        else
                check_word(&scope, text);
        free(text);
        json_tree_deinit(&scope.tree);
        return 0;
}
