/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Random expressions, evaluated and compared with a model
 *
 * The model has an expression as a tree, calls itself for both sides, and
 * knows a value as its compact text. It is written from the rules of
 * run_value.h: no stack, no jumps, no parser.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_write.h"
#include "double/double_assert.h"
#include "double/double_json.h"
#include "double/double_scope.h"
#include "run/run_value.h"

#define NODES_MAX 256
#define MEMBERS_MAX 4

static const char values[] =
        "{\"param\":{\"s\":\"a\",\"n\":2,\"t\":true,\"f\":false},\"node\":{\"x\":{\"state\":\"FAILED\",\"result\":"
        "{\"l\":[1,\"a\",null],\"o\":{\"a\":1,\"2\":[]},\"d\":-0.5}},\"a.b\":{\"cause\":\"FAILED\"}},\"item\":["
        "\"FAILED\",2],"
        "\"trigger\":{\"at\":9007199254740993}}";

typedef struct Term {
        const char *text, *value;
        const char *members[MEMBERS_MAX];       /* items of an array, keys of an object */
} Term;

static const Term terms[] = {
        { "null", "null" },
        { "true", "true" },
        { "false", "false" },
        { "0", "0" },
        { "1", "1" },
        { "2.0", "2.0" },
        { "-5e-1", "-5e-1" },
        { "9007199254740992", "9007199254740992" },
        { "9007199254740993.0", "9007199254740993.0" },
        { "\"\"", "\"\"" },
        { "\"a\"", "\"a\"" },
        { "\"\\u0061b\"", "\"ab\"" },
        { "\"FAILED\"", "\"FAILED\"" },
        { "[]", "[]" },
        { "[ 1 , \"a\",null]", "[1,\"a\",null]", { "1", "\"a\"", "null" } },
        { "[true, []]", "[true,[]]", { "true", "[]" } },
        { "{\"a\":1,\"2\":[]}", "{\"a\":1,\"2\":[]}", { "\"a\"", "\"2\"" } },
        { "param.s", "\"a\"" },
        { "param.n", "2" },
        { "param.t", "true" },
        { "param.f", "false" },
        { "param.none", "null" },
        { "x.state", "\"FAILED\"" },
        { "x.result.l", "[1,\"a\",null]", { "1", "\"a\"", "null" } },
        { "x.result.l.1", "\"a\"" },
        { "x.result.l.3", "null" },
        { "x.result.o", "{\"a\":1,\"2\":[]}", { "\"a\"", "\"2\"" } },
        { "x.result.o.2", "[]" },
        { "x.result.d", "-0.5" },
        { "node[\"a.b\"].cause", "\"FAILED\"" },
        { "item", "[\"FAILED\",2]", { "\"FAILED\"", "2" } },
        { "item.0", "\"FAILED\"" },
        { "trigger.at", "9007199254740993" },
};

typedef enum Kind {
        TERM,
        EQUAL,
        DIFFERENT,
        LESS,
        LESS_OR_EQUAL,
        MORE,
        MORE_OR_EQUAL,
        IN,
        NOT,
        AND,
        OR,
        _KIND_MAX
} Kind;

static const char *const words[] = {
        [EQUAL] = "==", [DIFFERENT] = "!=", [LESS] = "<", [LESS_OR_EQUAL] = "<=", [MORE] = ">", [MORE_OR_EQUAL] = ">=",
        [IN] = "in", [NOT] = "not", [AND] = "and", [OR] = "or",
};

typedef struct Node {
        Kind kind;
        const Term *term;
        struct Node *a, *b;             /* NOT has .a alone */
} Node;

typedef struct Tree {
        uint64_t seed;
        Node nodes[NODES_MAX];
        unsigned n;
} Tree;

static Node *make(Tree *tree, unsigned depth) {
        Node *node = &tree->nodes[tree->n++];

        node->kind = depth == 0 ? TERM : double_json_number(&tree->seed, _KIND_MAX);
        if (node->kind == TERM) {
                node->term = &terms[double_json_number(&tree->seed, ELEMENTSOF(terms))];
                return node;
        }
        node->a = make(tree, depth - 1);
        node->b = node->kind == NOT ? NULL : make(tree, depth - 1);
        return node;
}

/* — as text — */

static unsigned binding_of(Kind kind) {
        if (kind == OR)
                return 0;
        if (kind == AND)
                return 1;
        if (kind == NOT)
                return 2;
        return kind == TERM ? 4 : 3;
}

static void print(Tree *tree, const Node *node, unsigned binding, Text *text) {
        static const char *const blanks[] = { " ", "  ", "\n", "\t " };
        unsigned own = binding_of(node->kind);
        bool has_parenthesis = own < binding || double_json_number(&tree->seed, 8) == 0;

        text_add(text, has_parenthesis ? "(" : "");
        if (node->kind == TERM)
                text_add(text, node->term->text);
        if (node->kind == NOT)
                text_add(text, "not ");
        if (node->a)
                print(tree, node->a, node->kind == NOT ? 2 : own == 3 ? 4 : own, text);
        if (node->b) {
                text_add(text, blanks[double_json_number(&tree->seed, ELEMENTSOF(blanks))]);
                text_add(text, words[node->kind]);
                text_add(text, blanks[double_json_number(&tree->seed, ELEMENTSOF(blanks))]);
                print(tree, node->b, own == 3 ? 4 : own, text);
        }
        text_add(text, has_parenthesis ? ")" : "");
}

/* — the model; NULL is an error of evaluation — */

static bool is_number(const char *value) {
        return strchr("-0123456789", *value) != NULL;
}

/* What is not a whole number is a double. */
static long double number_of(const char *value) {
        return strpbrk(value, ".e") ? (long double) strtod(value, NULL) : strtold(value, NULL);
}

static bool is_same(const char *a, const char *b) {
        return is_number(a) && is_number(b) ? number_of(a) == number_of(b) : strcmp(a, b) == 0;
}

static const char *truth(bool is_true) {
        return is_true ? "true" : "false";
}

static bool is_truth(const char *value) {
        return value && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0);
}

static const char *model_order(Kind kind, const char *a, const char *b) {
        int order;

        if (is_number(a) && is_number(b))
                order = (number_of(a) > number_of(b)) - (number_of(a) < number_of(b));
        else if (*a == '"' && *b == '"')
                /* The closing quote is less than all that the strings have. */
                order = strcmp(a, b);
        else
                return NULL;
        return truth(kind == LESS            ? order < 0
                     : kind == LESS_OR_EQUAL ? order <= 0
                     : kind == MORE          ? order > 0
                                             : order >= 0);
}

static const char *model_in(const char *a, const char *b, const Node *right) {
        bool is_found = false;

        if (*b != '[' && (*b != '{' || *a != '"'))
                return NULL;
        for (size_t i = 0; i < MEMBERS_MAX && right->term->members[i]; i++)
                is_found |= is_same(a, right->term->members[i]);
        return truth(is_found);
}

static const char *model(const Node *node) {
        const char *a = node->kind == TERM ? node->term->value : model(node->a), *b;

        if (!a || node->kind == TERM)
                return a;
        if (node->kind == NOT)
                return is_truth(a) ? truth(strcmp(a, "false") == 0) : NULL;
        if (node->kind == AND || node->kind == OR) {
                if (!is_truth(a) || strcmp(a, truth(node->kind == OR)) == 0)
                        return is_truth(a) ? a : NULL;
                b = model(node->b);
                return is_truth(b) ? b : NULL;
        }
        b = model(node->b);
        if (!b)
                return NULL;
        if (node->kind == EQUAL || node->kind == DIFFERENT)
                return truth(is_same(a, b) == (node->kind == EQUAL));
        return node->kind == IN ? model_in(a, b, node->b) : model_order(node->kind, a, b);
}

/* — comparing — */

static void compare(const DoubleScope *scope, uint64_t seed, unsigned *n_values) {
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_free_ char *text = NULL, *written = NULL, *problem = NULL;
        Tree tree = { .seed = seed };
        Text printed = {}, json = {};
        const char *expected;
        RunValue value;
        int r;

        make(&tree, 1 + (unsigned) seed % 5);
        print(&tree, &tree.nodes[0], 0, &printed);
        cr_assert(eq(int, text_finish(&printed, &text), 0));
        expected = model(&tree.nodes[0]);
        r = run_expression_parse(text, &expression, &problem);
        cr_assert(eq(int, r, 0), "seed %" PRIu64 ": %s: %s", seed, text, problem);
        r = run_expression_evaluate(expression, &scope->scope, RUN_WANTED_ANY, &value, &problem);
        cr_assert(eq(int, r, expected ? 0 : -EINVAL), "seed %" PRIu64 ": %s: %s", seed, text, problem);
        if (r < 0)
                return;
        json_write_value(&json, value.value, SIZE_MAX);
        cr_assert(eq(int, text_finish(&json, &written), 0));
        cr_assert(eq(str, written, (char *) expected), "seed %" PRIu64 ": %s", seed, text);
        (*n_values)++;
}

Test(run_value_model, random_expressions_give_the_same, .timeout = 120) {
        enum { N = 40000 };
        cleanup_(double_scope_deinit) DoubleScope scope;
        unsigned n_values = 0;

        double_scope_init(&scope, values);
        for (uint64_t i = 1; i <= N; i++)
                compare(&scope, i * UINT64_C(0x9E3779B97F4A7C15), &n_values);
        cr_assert(lt(uint, N / 10, n_values), "most were errors");
        cr_assert(lt(uint, N / 10, N - n_values), "hardly any was an error");
}
