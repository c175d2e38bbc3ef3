/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Evaluating expressions
 *
 * A value of the stack points to a tree of the scope, to a literal of the
 * expression, or to a constant; nothing is copied, so that the cost does not
 * depend on the size of results that are only passed through.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "run/run_value_private.h"

static const JsonValue null_value = { .kind = JSON_TOKEN_NULL, .span = 1 };
static const JsonValue false_value = { .kind = JSON_TOKEN_FALSE, .span = 1 };
static const JsonValue true_value = { .kind = JSON_TOKEN_TRUE, .span = 1 };

typedef struct Slot {
        RunValue value;
        const RunReference *reference;  /* borrowed: where the value is from; NULL for others */
} Slot;

typedef struct Evaluation {
        const RunExpression *expression;
        const RunScope *scope;
        size_t budget;
        Slot slots[RUN_TERMS_MAX];
        unsigned n;
        char **ret_problem;
} Evaluation;

void run_reference_deinit(RunReference *reference) {
        free(reference->name);
        free(reference->path);
        free(reference->text);
        *reference = (RunReference) {};
}

RunExpression *run_expression_free(RunExpression *expression) {
        if (!expression)
                return NULL;

        for (size_t i = 0; i < expression->references.n; i++)
                run_reference_deinit(&expression->references.items[i]);
        for (size_t i = 0; i < expression->literals.n; i++)
                json_tree_deinit(&expression->literals.items[i]);
        vector_deinit(&expression->steps);
        vector_deinit(&expression->references);
        vector_deinit(&expression->literals);
        free(expression);
        return NULL;
}

const RunReference *run_expression_references(const RunExpression *expression, size_t *ret_n) {
        *ret_n = expression->references.n;
        return expression->references.items;
}

/* — words for people — */

/* The operator as it is written; NULL for a step that is none. */
static const char *word_of(RunStepKind kind) {
        static const char *const words[_RUN_STEP_MAX] = {
                [RUN_STEP_EQUAL] = "'=='", [RUN_STEP_DIFFERENT] = "'!='", [RUN_STEP_LESS] = "'<'",
                [RUN_STEP_LESS_OR_EQUAL] = "'<='", [RUN_STEP_MORE] = "'>'", [RUN_STEP_MORE_OR_EQUAL] = "'>='",
                [RUN_STEP_IN] = "'in'", [RUN_STEP_NOT] = "'not'", [RUN_STEP_AND] = "'and'", [RUN_STEP_OR] = "'or'",
                [RUN_STEP_AND_RIGHT] = "'and'", [RUN_STEP_OR_RIGHT] = "'or'",
        };

        return words[kind];
}

static const char *type_of(const JsonValue *value) {
        static const char *const types[] = {
                [JSON_TOKEN_NULL] = "null", [JSON_TOKEN_FALSE] = "false", [JSON_TOKEN_TRUE] = "true",
                [JSON_TOKEN_NUMBER] = "a number", [JSON_TOKEN_STRING] = "a string", [JSON_TOKEN_OBJECT] = "an object",
                [JSON_TOKEN_ARRAY] = "an array",
        };

        return types[value->kind];
}

/* "null (merge.result.count)" or "a number": -EINVAL for the caller. */
static int refuse_slots(Evaluation *evaluation, const char *rule, const Slot *a, const Slot *b) {
        cleanup_(text_deinit) Text text = {};
        int r;

        text_addf(&text, "%s, not %s", rule, type_of(a->value.value));
        if (a->reference)
                text_addf(&text, " (%s)", a->reference->text);
        if (b)
                text_addf(&text, " with %s", type_of(b->value.value));
        if (b && b->reference)
                text_addf(&text, " (%s)", b->reference->text);
        text_add(&text, ".");
        r = text_finish(&text, evaluation->ret_problem);
        return r < 0 ? r : -EINVAL;
}

static int refuse_step(Evaluation *evaluation, const RunStep *step, const char *rule, const Slot *a, const Slot *b) {
        cleanup_free_ char *begin = NULL;
        int r = text_format(&begin, "At column %u: %s %s", step->column, word_of(step->kind), rule);

        return r < 0 ? r : refuse_slots(evaluation, begin, a, b);
}

static int refuse_cost(char **ret_problem) {
        int r = text_format(ret_problem, "The values are too large: an evaluation looks at no more than %u of them.",
                            RUN_EVALUATION_MAX);

        return r < 0 ? r : -EFBIG;
}

/* — references — */

int run_reference_find(const RunReference *reference, const RunScope *scope, size_t *budget, RunValue *ret_value,
                       char **ret_problem) {
        int r;

        ret_value->value = NULL;
        r = scope->find(scope, reference, &ret_value->made, &ret_value->value);
        if (r == -EFBIG) {
                r = text_format(ret_problem, "The value of %s is too large for an expression.", reference->text);
                return r < 0 ? r : -EFBIG;
        }
        if (r < 0)
                return r;
        if (ret_value->value)
                ret_value->value = json_value_find(ret_value->value, reference->path, budget);
        if (*budget == 0)
                return refuse_cost(ret_problem);
        ret_value->value = ret_value->value ?: &null_value;
        return 0;
}

/* — steps — */

static void set_boolean(Slot *slot, bool is_true) {
        *slot = (Slot) { .value.value = is_true ? &true_value : &false_value };
}

static bool is_boolean(const Slot *slot) {
        return slot->value.value->kind == JSON_TOKEN_TRUE || slot->value.value->kind == JSON_TOKEN_FALSE;
}

static int check_boolean(Evaluation *evaluation, const RunStep *step) {
        const Slot *top = &evaluation->slots[evaluation->n - 1];

        return is_boolean(top) ? 0 : refuse_step(evaluation, step, "takes true and false", top, NULL);
}

static bool is_ordered(RunStepKind kind, int order) {
        if (kind == RUN_STEP_LESS)
                return order < 0;
        if (kind == RUN_STEP_LESS_OR_EQUAL)
                return order <= 0;
        return kind == RUN_STEP_MORE ? order > 0 : order >= 0;
}

/* The two topmost values become one. */
static int step_order(Evaluation *evaluation, const RunStep *step) {
        Slot *a = &evaluation->slots[evaluation->n - 2], *b = a + 1;
        JsonKind kind = a->value.value->kind;

        if (kind != b->value.value->kind || (kind != JSON_TOKEN_NUMBER && kind != JSON_TOKEN_STRING))
                return refuse_step(evaluation, step, "compares two numbers or two strings", a, b);
        set_boolean(a, is_ordered(step->kind, json_value_compare(a->value.value, b->value.value)));
        evaluation->n--;
        return 0;
}

static void step_equal(Evaluation *evaluation, const RunStep *step) {
        Slot *a = &evaluation->slots[evaluation->n - 2], *b = a + 1;
        bool is_equal = json_value_equal(a->value.value, b->value.value, &evaluation->budget);

        set_boolean(a, is_equal == (step->kind == RUN_STEP_EQUAL));
        evaluation->n--;
}

/* Whether @value is an item of an array or a key of an object. */
static bool is_in(const JsonValue *value, const JsonValue *container, size_t *budget) {
        const JsonValue *entry = json_value_first(container);

        for (uint32_t i = 0; i < container->n && *budget > 0; i++, entry = json_value_next(entry)) {
                if (container->kind == JSON_TOKEN_ARRAY) {
                        if (json_value_equal(value, entry, budget))
                                return true;
                        continue;
                }
                (*budget)--;
                if (entry->n_key == value->n && memcmp(entry->key, value->text, value->n) == 0)
                        return true;
        }
        return false;
}

static int step_in(Evaluation *evaluation, const RunStep *step) {
        Slot *a = &evaluation->slots[evaluation->n - 2], *b = a + 1;
        JsonKind kind = b->value.value->kind;

        if (kind != JSON_TOKEN_ARRAY && (kind != JSON_TOKEN_OBJECT || a->value.value->kind != JSON_TOKEN_STRING))
                return refuse_step(evaluation, step,
                                   "looks for a value in an array, or for a string among the keys of an object", a, b);
        set_boolean(a, is_in(a->value.value, b->value.value, &evaluation->budget));
        evaluation->n--;
        return 0;
}

static int push_reference(Evaluation *evaluation, const RunReference *reference) {
        Slot *slot = &evaluation->slots[evaluation->n++];

        slot->reference = reference;
        return run_reference_find(reference, evaluation->scope, &evaluation->budget, &slot->value,
                                  evaluation->ret_problem);
}

static void push_literal(Evaluation *evaluation, const JsonTree *literal) {
        evaluation->slots[evaluation->n++] = (Slot) { .value.value = literal->values };
}

/* If the left side decides, it stays as the value, and *next is behind the right side. */
static int step_left(Evaluation *evaluation, const RunStep *step, size_t *next) {
        const Slot *top = &evaluation->slots[evaluation->n - 1];
        int r = check_boolean(evaluation, step);

        if (r < 0)
                return r;
        if (top->value.value->kind == (step->kind == RUN_STEP_AND ? JSON_TOKEN_FALSE : JSON_TOKEN_TRUE))
                *next = step->operand;
        else
                evaluation->n--;
        return 0;
}

static int step_not(Evaluation *evaluation, const RunStep *step) {
        Slot *top = &evaluation->slots[evaluation->n - 1];
        int r = check_boolean(evaluation, step);

        if (r == 0)
                set_boolean(top, top->value.value->kind == JSON_TOKEN_FALSE);
        return r;
}

static int do_step(Evaluation *evaluation, size_t *next) {
        const RunStep *step = &evaluation->expression->steps.items[(*next)++];

        switch (step->kind) {
        case RUN_STEP_LITERAL:
                push_literal(evaluation, &evaluation->expression->literals.items[step->operand]);
                return 0;
        case RUN_STEP_REFERENCE:
                return push_reference(evaluation, &evaluation->expression->references.items[step->operand]);
        case RUN_STEP_EQUAL:
        case RUN_STEP_DIFFERENT:
                step_equal(evaluation, step);
                return 0;
        case RUN_STEP_LESS:
        case RUN_STEP_LESS_OR_EQUAL:
        case RUN_STEP_MORE:
        case RUN_STEP_MORE_OR_EQUAL:
                return step_order(evaluation, step);
        case RUN_STEP_IN:
                return step_in(evaluation, step);
        case RUN_STEP_NOT:
                return step_not(evaluation, step);
        case RUN_STEP_AND:
        case RUN_STEP_OR:
                return step_left(evaluation, step, next);
        case RUN_STEP_AND_RIGHT:
        case RUN_STEP_OR_RIGHT:
                return check_boolean(evaluation, step);
        case _RUN_STEP_MAX:
                break;
        }
        assert(false);
        return -EINVAL;
}

/* The one value that is left. */
static int check_wanted(Evaluation *evaluation, RunWanted wanted) {
        const Slot *slot = &evaluation->slots[0];

        assert(evaluation->n == 1);

        if (wanted == RUN_WANTED_BOOLEAN && !is_boolean(slot))
                return refuse_slots(evaluation, "The expression has to be true or false", slot, NULL);
        if (wanted == RUN_WANTED_ARRAY && slot->value.value->kind != JSON_TOKEN_ARRAY)
                return refuse_slots(evaluation, "The expression has to be an array", slot, NULL);
        return 0;
}

int run_expression_evaluate(const RunExpression *expression, const RunScope *scope, RunWanted wanted,
                            RunValue *ret_value, char **ret_problem) {
        Evaluation evaluation = {
                .expression = expression, .scope = scope, .budget = RUN_EVALUATION_MAX, .ret_problem = ret_problem,
        };
        const RunValue *value = &evaluation.slots[0].value;
        int r;

        for (size_t next = 0; next < expression->steps.n;) {
                r = do_step(&evaluation, &next);
                if (r < 0)
                        return r;
                if (evaluation.budget == 0)
                        return refuse_cost(ret_problem);
        }
        r = check_wanted(&evaluation, wanted);
        if (r < 0)
                return r;
        ret_value->made = value->made;
        ret_value->value = value->value == &value->made ? &ret_value->made : value->value;
        return 0;
}
