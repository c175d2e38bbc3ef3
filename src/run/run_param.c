/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Parameters of a run
 *
 * Declarations and assignments are read by the same function. A definition has
 * few parameters, so they are looked for one by one.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "run/run_param.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define SHOWN_MAX 64                    /* bytes of a wrong word that a sentence repeats */

/* A refusal: 0 from text_format() is -EINVAL for the caller. */
#define refuse(ret_problem, ...) \
        ({ \
                int refuse_r_ = text_format(ret_problem, __VA_ARGS__); \
                refuse_r_ < 0 ? refuse_r_ : -EINVAL; \
        })

static void deinit_param(RunParam *param) {
        free(param->name);
        free(param->value);
        *param = (RunParam) {};
}

void run_params_deinit(RunParams *params) {
        for (size_t i = 0; i < params->items.n; i++)
                deinit_param(&params->items.items[i]);
        vector_deinit(&params->items);
}

/* The place in .items, or .items.n. */
static size_t find(const RunParams *params, const char *name) {
        size_t i = 0;

        while (i < params->items.n && strcmp(params->items.items[i].name, name) != 0)
                i++;
        return i;
}

const RunParam *run_params_find(const RunParams *params, const char *name) {
        size_t i = find(params, name);

        return i < params->items.n ? &params->items.items[i] : NULL;
}

/* — words — */

/* Repeats a word that may have any bytes. */
static int refuse_word(const char *word, const char *format, char **ret_problem) {
        cleanup_free_ char *shown = NULL;
        int r = text_escape_control(word, &shown);

        if (r < 0)
                return r;
        text_shorten(shown, SHOWN_MAX);
        return refuse(ret_problem, format, shown);
}

/* A string as JSON. */
static int read_text(const RunParam *param, const char *text, char **ret_json, char **ret_problem) {
        Text json = {};

        if (!text_is_utf8(text))
                return refuse(ret_problem, "The value of the parameter '%s' is not valid UTF-8.", param->name);
        json_write_string(&json, text, strlen(text));
        return text_finish(&json, ret_json);
}

/* Any value, as compact JSON. */
static int read_json(const RunParam *param, const char *text, char **ret_json, char **ret_problem) {
        cleanup_(json_tree_deinit) JsonTree tree = {};
        cleanup_free_ char *problem = NULL;
        Text json = {};
        int r = json_tree_read(text, strlen(text), &tree, &problem);

        if (r == -EBADMSG)
                return refuse(ret_problem,
                              "The value of the parameter '%s' is not JSON: %s (write %s=TEXT for a string).",
                              param->name, problem, param->name);
        if (r < 0)
                return r;
        json_write_value(&json, tree.values, SIZE_MAX);
        return text_finish(&json, ret_json);
}

/* Reads NAME=TEXT and NAME:=JSON, or NAME and what else follows, to *ret_rest. */
static int read_word(const char *word, RunParam *param, const char **ret_rest, char **ret_problem) {
        size_t n = strspn(word, NAME_CHARACTERS);

        if (n == 0 || n > RUN_PARAM_NAME_MAX)
                return refuse_word(word,
                                   "'%s' does not begin with the name of a parameter: letters, digits, '_' and '-', at "
                                   "most 255 of them.", ret_problem);
        param->name = strndup(word, n);
        if (!param->name)
                return -ENOMEM;
        *ret_rest = word + n;
        if (strlen(*ret_rest) > RUN_PARAMS_MAX)
                return refuse(ret_problem, "The value of the parameter '%s' has more than %u bytes: give the path of a "
                              "file.", param->name, RUN_PARAMS_MAX);
        if (text_starts_with(*ret_rest, ":="))
                return read_json(param, *ret_rest + 2, &param->value, ret_problem);
        return **ret_rest == '=' ? read_text(param, *ret_rest + 1, &param->value, ret_problem) : 0;
}

int run_params_declare(RunParams *params, const char *declaration, char **ret_problem) {
        RunParam param = {};
        const char *rest = "";
        int r = read_word(declaration, &param, &rest, ret_problem);

        if (r == 0 && !param.value && *rest) {
                param.is_required = strcmp(rest, ":required") == 0;
                if (!param.is_required)
                        r = refuse_word(declaration,
                                        "'%s' declares no parameter: write NAME, NAME:required, NAME=TEXT or "
                                        "NAME:=JSON.", ret_problem);
        }
        if (r == 0 && run_params_find(params, param.name))
                r = refuse(ret_problem, "The parameter '%s' is declared twice.", param.name);
        if (r == 0)
                r = vector_push(&params->items, param);
        if (r < 0)
                deinit_param(&param);
        return r;
}

/* — values of a run — */

static int refuse_unknown(const RunParams *params, const char *name, char **ret_problem) {
        cleanup_free_ const char **names = malloc((params->items.n + 1) * sizeof(*names));
        const char *nearest, *rest = params->items.n == 0 ? ", because none is declared in Params=" : "";

        if (!names)
                return -ENOMEM;
        for (size_t i = 0; i < params->items.n; i++)
                names[i] = params->items.items[i].name;
        nearest = text_nearest(name, names, params->items.n);
        return refuse(ret_problem, "There is no parameter '%s'%s%s%s.", name, nearest ? " (did you mean '" : "",
                      nearest ?: "", nearest ? "'?)" : rest);
}

/* One assignment, into values[] at the place of its parameter. */
static int take_assignment(const RunParams *params, const char *assignment, char **values, char **ret_problem) {
        RunParam param = {};
        const char *rest = "";
        int r = read_word(assignment, &param, &rest, ret_problem);
        size_t i = r < 0 ? 0 : find(params, param.name);

        if (r == 0 && !param.value)
                r = refuse_word(assignment, "'%s' is not an assignment: write NAME=TEXT or NAME:=JSON.", ret_problem);
        if (r == 0 && i == params->items.n)
                r = refuse_unknown(params, param.name, ret_problem);
        if (r == 0 && values[i])
                r = refuse(ret_problem, "The parameter '%s' is given twice.", param.name);
        if (r == 0)
                values[i] = take_ptr(param.value);
        deinit_param(&param);
        return r;
}

/* A value may be as deep as JSON may be, and then too deep for an object around it. */
static int check_depth(const Text *json, char **ret_problem) {
        cleanup_(json_reader_deinit) JsonReader reader = {};
        int r;

        if (json->error < 0)
                return json->error;
        json_reader_begin(&reader, json->string, json->n);
        r = json_reader_check(&reader);
        return r != -EBADMSG ? r : refuse(ret_problem, "The value of a parameter is nested more than %u deep.",
                                          JSON_DEPTH_MAX - 1);
}

/* The object of @values and, where there is none, defaults. */
static int write_object(const RunParams *params, char *const *values, char **ret_json, char **ret_problem) {
        cleanup_(text_deinit) Text json = {};
        int r;

        text_add_char(&json, '{');
        for (size_t i = 0; i < params->items.n; i++) {
                const RunParam *param = &params->items.items[i];
                const char *value = values[i] ?: param->value;

                if (!value && param->is_required)
                        return refuse(ret_problem, "The parameter '%s' is required: give %s=TEXT or %s:=JSON.",
                                      param->name, param->name, param->name);
                if (!value)
                        continue;
                text_addf(&json, "%s\"%s\":", json.n > 1 ? "," : "", param->name);
                text_add(&json, value);
                if (json.n >= RUN_PARAMS_MAX)
                        return refuse(ret_problem,
                                      "With '%s' the parameters have more than %u bytes: give the path of a file.",
                                      param->name, RUN_PARAMS_MAX);
        }
        text_add_char(&json, '}');
        r = check_depth(&json, ret_problem);
        return r < 0 ? r : text_finish(&json, ret_json);
}

int run_params_apply(const RunParams *params, char *const *given, char **ret_json, char **ret_problem) {
        char **values = calloc(params->items.n + 1, sizeof(*values));
        int r = values ? 0 : -ENOMEM;

        for (char *const *assignment = given; r == 0 && assignment && *assignment; assignment++)
                r = take_assignment(params, *assignment, values, ret_problem);
        if (r == 0)
                r = write_object(params, values, ret_json, ret_problem);
        for (size_t i = 0; values && i < params->items.n; i++)
                free(values[i]);
        free(values);
        return r;
}
