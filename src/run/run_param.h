/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Parameters of a run: Params=, and what a run is started with
 *
 * A definition declares each parameter with a word of Params=:
 *
 *     NAME             may be given; without a value it is null
 *     NAME:required    has to be given
 *     NAME=TEXT        is this string unless it is given
 *     NAME:=JSON       is this value unless it is given
 *
 * and a run is started with assignments of the same form: K=V, a string, and
 * K:=JSON. What is not declared is refused. A name has letters, digits, '_'
 * and '-', so that param.NAME is a reference.
 *
 * The outcome is one object of JSON, in the order of the declarations, as it
 * is stored and given to commands. A parameter without a value is not in it.
 */

#include "basic/json_tree.h"

#define RUN_PARAM_NAME_MAX 255U
#define RUN_PARAMS_MAX (64U * 1024U)    /* bytes of the object: more belongs in a file */

typedef struct RunParam {
        char *name;                     /* owned */
        char *value;                    /* owned: the default, as JSON; NULL: none */
        bool is_required;
} RunParam;

/* {} has no parameters. */
typedef struct RunParams {
        VECTOR(RunParam) items;
} RunParams;

void run_params_deinit(RunParams *params);

/*
 * Adds a declaration. 0; -ENOMEM; or -EINVAL with a sentence in *ret_problem, which the caller owns, for one that is
 * not as above or has a name that was declared before.
 */
int run_params_declare(RunParams *params, const char *declaration, char **ret_problem);

const RunParam *run_params_find(const RunParams *params, const char *name);     /* or NULL */

/*
 * The object for a run that is started with @given, NULL-terminated assignments (NULL: none). 0; -ENOMEM; or -EINVAL
 * with a sentence that names the parameter: not an assignment, not declared (with the nearest that is), given twice,
 * not JSON, not UTF-8, required and not given; or if all take more than RUN_PARAMS_MAX.
 */
int run_params_apply(const RunParams *params, char *const *given, char **ret_json, char **ret_problem);
