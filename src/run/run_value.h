/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Expressions over the values of a run: When=, Foreach=
 *
 * An expression is parsed once, when its definition is loaded, and evaluated
 * for each run. run_word.h has %{…}, which takes a reference alone.
 *
 *     expression   conjunction { or conjunction }
 *     conjunction  negation { and negation }
 *     negation     not negation | comparison
 *     comparison   term [ == term | != term | < term | <= term | > term | >= term | in term ]
 *     term         ( expression ) | reference | literal
 *
 * A literal is any value of JSON. There are no functions and no arithmetic;
 * at most 64 references and literals, and parentheses and "not" at most 64
 * deep. A reference is one of
 *
 *     param.NAME        a parameter of the run
 *     NODE.state        the state of a node, as a string: "SUCCEEDED"
 *     NODE.result       its result
 *     NODE.cause        why it has none of its own: {"node", "attempt", "exit"}
 *     item              the item of an instance of Foreach=
 *     retry.value       the value of the present try
 *     trigger.NAME      what the run was triggered by
 *     run.id, run.name  the run itself
 *     group, sequence, key  those of the element of a stream
 *
 * All but NODE.state and those of run and elements may go on with a path, such as
 * pull.result.shards.0.name: keys of objects and indexes of arrays, made of
 * letters, digits, '_' and '-'. A NODE is written bare if its name begins with
 * a letter or '_', has no '.', and is none of the words above, a literal or an
 * operator; node["a.b"].result is another one.
 *
 * A missing value is null, at each step of a path. Values are never
 * converted:
 *
 *     == !=        values of different types are different; 1 == 1.0; objects are equal in any order of keys
 *     < <= > >=    two numbers, or two strings by their bytes; whole numbers are exact
 *     in           whether an array has a value that is equal, or an object a key; the right side is one of these
 *     and or not   true and false only; the right side is not evaluated where the left one decides
 *
 * so that x.result.n != null and x.result.n > 3 is the way to ask for what may
 * be missing. Anything else is an error of evaluation.
 */

#include "basic/json_tree.h"
#include "basic/macro.h"

#define RUN_TERMS_MAX 64U
#define RUN_NESTING_MAX 64U
#define RUN_EVALUATION_MAX (1U << 18)   /* values that one evaluation looks at, which takes some ms */

typedef enum RunReferenceKind {
        RUN_REFERENCE_PARAM,
        RUN_REFERENCE_STATE,            /* of a node */
        RUN_REFERENCE_RESULT,
        RUN_REFERENCE_CAUSE,
        RUN_REFERENCE_ITEM,
        RUN_REFERENCE_RETRY,
        RUN_REFERENCE_TRIGGER,
        RUN_REFERENCE_RUN_ID,
        RUN_REFERENCE_RUN_NAME,
        RUN_REFERENCE_ELEMENT,          /* .name: "group", "sequence" or "key" */
} RunReferenceKind;

typedef struct RunReference {
        RunReferenceKind kind;
        char *name;                     /* of the parameter, the node, or what the trigger has; else NULL */
        char *path;                     /* behind it, as json_value_find() takes it; "": the whole */
        char *text;                     /* as it was written */
        unsigned column;                /* in bytes, from 1 */
} RunReference;

/*
 * Where an evaluation finds values. @find gives what @reference names, without its path, in *ret_value: a value of a
 * tree, or @made, which it may fill with one that belongs to none (JSON_VALUE_STRING). Trees and texts stay until the
 * caller is done with the outcome. It leaves *ret_value as it is, NULL, if there is none. 0; -EFBIG for a value that is
 * too large to be looked at; -ENOMEM.
 *
 * An evaluation does not wait: results that its references name are read before it, in slices (JsonBuilder).
 */
typedef struct RunScope RunScope;
struct RunScope {
        int (*find)(const RunScope *scope, const RunReference *reference, JsonValue *made, const JsonValue **ret_value);
};

/* Not to be copied: .value may point to .made. */
typedef struct RunValue {
        const JsonValue *value;         /* borrowed from the scope, the expression or this struct; never NULL */
        JsonValue made;
} RunValue;

typedef struct RunExpression RunExpression;

/* 0, -ENOMEM, or -EINVAL with a sentence that names the column in *ret_problem, which the caller owns. */
int run_expression_parse(const char *text, RunExpression **ret_expression, char **ret_problem);
RunExpression *run_expression_free(RunExpression *expression);  /* accepts NULL, returns NULL */
DEFINE_CLEANUP(RunExpression, run_expression_free)

/*
 * All references of an expression in the order of the text, so that a loader can check that each parameter is declared
 * and each node an ancestor.
 */
const RunReference *run_expression_references(const RunExpression *expression, size_t *ret_n);

typedef enum RunWanted {
        RUN_WANTED_ANY,
        RUN_WANTED_BOOLEAN,             /* When= */
        RUN_WANTED_ARRAY,               /* Foreach= */
} RunWanted;

/*
 * 0; -EINVAL for an error of evaluation, and -EFBIG for a value that is too large or takes too long to look at, both
 * with a sentence in *ret_problem, which the caller owns; -ENOMEM.
 */
int run_expression_evaluate(const RunExpression *expression, const RunScope *scope, RunWanted wanted,
                            RunValue *ret_value, char **ret_problem);
