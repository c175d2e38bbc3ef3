/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The compiled form of expressions
 *
 * Steps work on a stack of values. 'and' and 'or' jump over their right side
 * where the left one decides, and leave it as the value.
 */

#include "basic/vector.h"
#include "run/run_value.h"

typedef enum RunStepKind {
        RUN_STEP_LITERAL,               /* pushes .literals[.operand] */
        RUN_STEP_REFERENCE,             /* pushes the value of .references[.operand] */
        RUN_STEP_EQUAL,
        RUN_STEP_DIFFERENT,
        RUN_STEP_LESS,
        RUN_STEP_LESS_OR_EQUAL,
        RUN_STEP_MORE,
        RUN_STEP_MORE_OR_EQUAL,
        RUN_STEP_IN,
        RUN_STEP_NOT,
        RUN_STEP_AND,                   /* goes on at .operand if the value is false, else drops it */
        RUN_STEP_OR,                    /* … if it is true … */
        RUN_STEP_AND_RIGHT,             /* the right sides of these: true or false */
        RUN_STEP_OR_RIGHT,
        _RUN_STEP_MAX,
} RunStepKind;

typedef struct RunStep {
        RunStepKind kind;
        unsigned operand;
        unsigned column;
} RunStep;

struct RunExpression {
        VECTOR(RunStep) steps;
        VECTOR(RunReference) references;
        VECTOR(JsonTree) literals;
};

void run_reference_deinit(RunReference *reference);

/*
 * Parses the reference that @text has at *@at, and moves *@at behind it. The caller owns *ret_reference. 0, -EINVAL
 * with a sentence, -ENOMEM.
 */
int run_reference_parse(const char *text, size_t *at, RunReference *ret_reference, char **ret_problem);

/* The value of a reference, with its path: as run_expression_evaluate(). Missing is null. */
int run_reference_find(const RunReference *reference, const RunScope *scope, size_t *budget, RunValue *ret_value,
                       char **ret_problem);

/* "-EINVAL, and this is why", or -ENOMEM. */
#define run_value_refuse(ret_problem, ...) \
        ({ \
                int refuse_r_ = text_format(ret_problem, __VA_ARGS__); \
                refuse_r_ < 0 ? refuse_r_ : -EINVAL; \
        })
