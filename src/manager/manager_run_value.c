/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of a run: what conditions and words of commands name
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_value.h"
#include "manager/manager_stream.h"
#include "run/run_word.h"
#include "unitfile/exec_settings.h"

#define LIST_MAX ((size_t) 16 * 1024 * 1024) /* bytes of a list of items */

typedef struct Scope {
        RunScope scope;
        const ManagerRuns *runs; /* borrowed, as the run */
        ManagerRun *run; /* NULL: it has no name yet */
        uint32_t number; /* of the run */
        const ManagerRunFacts *facts; /* the same */
        uint32_t node; /* that executes; RUN_NODE_NONE: none does */
        const char *item_text; /* of that; NULL: it has none */
        char item[24]; /* the number of the item or the element that executes; "": none does */
        const char *group, *key; /* borrowed: of the element; NULL: none */
        JsonTree params; /* read when the first one is asked for */
        VECTOR(JsonTree) trees; /* of results and causes that were asked for */
        char id[16];
} Scope;

static void scope_deinit(Scope *scope) {
        json_tree_deinit(&scope->params);
        for (size_t i = 0; i < scope->trees.n; i++)
                json_tree_deinit(&scope->trees.items[i]);
        vector_deinit(&scope->trees);
}

static int find_param(Scope *scope, const char *name, const JsonValue **ret_value) {
        const char *json = scope->facts->params;
        size_t budget = RUN_PARAMS_MAX;
        int r = 0;

        if (!json)
                return 0;
        if (!scope->params.values)
                r = json_tree_read(json, strlen(json), &scope->params, NULL);
        if (r == 0)
                *ret_value = json_value_find(scope->params.values, name, &budget);
        return r == -ENOMEM ? r : 0;
}

static void make_text(const char *text, JsonValue *made, const JsonValue **ret_value) {
        if (!text)
                return;
        *made = JSON_VALUE_STRING(text, strlen(text));
        *ret_value = made;
}

static void find_state(const Scope *scope, const char *name, JsonValue *made, const JsonValue **ret_value) {
        const uint32_t node = run_graph_find(manager_run_graph(scope->run), name);
        RunNodeRow row;
        RunWhy why;

        if (node != RUN_NODE_NONE &&
            manager_run_get_node(scope->runs, scope->run, node, &row, &why) == 0)
                make_text(run_node_state_to_string(row.state), made, ret_value);
}

static int keep_tree(Scope *scope, JsonTree tree, const JsonValue **ret_value) {
        if (vector_push(&scope->trees, tree) < 0) {
                json_tree_deinit(&tree);
                return -ENOMEM;
        }
        *ret_value = tree.values;
        return 0;
}

static int find_result(Scope *scope, const char *name, const JsonValue **ret_value) {
        const uint32_t node = run_graph_find(manager_run_graph(scope->run), name);
        ManagerNodeResult result;
        JsonTree tree;
        int r;

        if (node == RUN_NODE_NONE)
                return 0;
        r = manager_run_get_result(scope->runs, scope->run, node, &result);
        if (r < 0 || !result.result)
                return r;
        r = manager_run_read_result(result.result, &tree);
        if (r == 0)
                r = keep_tree(scope, tree, ret_value);
        else if (r != -ENOMEM)
                r = -EFBIG;
        manager_run_result_deinit(&result);
        return r;
}

static int find_cause(Scope *scope, const char *name, const JsonValue **ret_value) {
        const uint32_t node = run_graph_find(manager_run_graph(scope->run), name);
        cleanup_free_ char *json = NULL;
        JsonTree tree;
        int r;

        if (node == RUN_NODE_NONE)
                return 0;
        r = manager_run_write_cause(scope->runs, scope->run, manager_run_find_cause(scope->runs, scope->run, node),
                                    &json);
        if (r < 0 || !json)
                return r;
        r = json_tree_read(json, strlen(json), &tree, NULL);
        return r < 0 ? r : keep_tree(scope, tree, ret_value);
}

/*
 * The item is there as long as the run lives; after a restart the list is evaluated again. A command is not executed
 * with another item than its own, nor with none.
 */
static int get_item(const ManagerRuns *runs, ManagerRun *run, uint32_t instance, const JsonValue **ret_value) {
        cleanup_free_ char *problem = NULL;
        uint32_t item;
        int r = 0;
        const uint32_t node = run_graph_item_of(manager_run_graph(run), instance, &item);
        ManagerItems *items = node != RUN_NODE_NONE ? manager_run_find_items(run, node) : NULL;

        if (node == RUN_NODE_NONE)
                return 0;
        if (!items)
                r = manager_run_evaluate_items(runs, run, node, &items, &problem);
        if (r == 0 && (!items || item >= items->n))
                r = -ENODATA;
        if (r < 0)
                return r;
        *ret_value = items->values[item];
        return 0;
}

/* The time of a timer that the run is for, µs since 1970. */
static void find_time(const ManagerRunFacts *facts, JsonValue *made, const JsonValue **ret_value) {
        strv_foreach(variable, facts->environment) {
                const char *time = *variable + strlen(UNIT_RUN_TIME);

                if (!text_starts_with(*variable, UNIT_RUN_TIME))
                        continue;
                *made = JSON_VALUE_NUMBER(time, strlen(time));
                *ret_value = made;
        }
}

/* An element without a key has an empty one. */
static void find_element_value(const Scope *scope, const char *name, JsonValue *made, const JsonValue **ret_value) {
        if (strcmp(name, "group") == 0)
                make_text(scope->group, made, ret_value);
        else if (strcmp(name, "key") == 0)
                make_text(scope->group && !scope->key ? "" : scope->key, made, ret_value);
        else if (*scope->item) {
                *made = JSON_VALUE_NUMBER(scope->item, strlen(scope->item));
                *ret_value = made;
        }
}

static int find_value(const RunScope *base, const RunReference *reference, JsonValue *made,
                      const JsonValue **ret_value) {
        Scope *scope = container_of(base, Scope, scope);
        const ManagerRunFacts *facts = scope->facts;

        switch (reference->kind) {
        case RUN_REFERENCE_PARAM:
                return find_param(scope, reference->name, ret_value);
        case RUN_REFERENCE_STATE:
                find_state(scope, reference->name, made, ret_value);
                break;
        case RUN_REFERENCE_TRIGGER:
                if (strcmp(reference->name, "unit") == 0)
                        make_text(facts->trigger, made, ret_value);
                else if (strcmp(reference->name, "time") == 0)
                        find_time(facts, made, ret_value);
                break;
        case RUN_REFERENCE_RUN_ID:
                snprintf(scope->id, sizeof(scope->id), "%" PRIu32, scope->number);
                *made = JSON_VALUE_NUMBER(scope->id, strlen(scope->id));
                *ret_value = made;
                break;
        case RUN_REFERENCE_RUN_NAME:
                make_text(facts->name, made, ret_value);
                break;
        case RUN_REFERENCE_RESULT:
                return find_result(scope, reference->name, ret_value);
        case RUN_REFERENCE_CAUSE:
                return find_cause(scope, reference->name, ret_value);
        case RUN_REFERENCE_ITEM:
                if (scope->item_text) {
                        make_text(scope->item_text, made, ret_value);
                        break;
                }
                if (*scope->item) {
                        *made = JSON_VALUE_NUMBER(scope->item, strlen(scope->item));
                        *ret_value = made;
                        break;
                }
                return scope->node == RUN_NODE_NONE ? 0 : get_item(scope->runs, scope->run, scope->node, ret_value);
        case RUN_REFERENCE_ELEMENT:
                find_element_value(scope, reference->name, made, ret_value);
                break;
        case RUN_REFERENCE_RETRY:
                break;
        }
        return 0;
}

static Scope make_scope(const ManagerRuns *runs, ManagerRun *run) {
        return (Scope) {
                .scope = { .find = find_value },
                .runs = runs,
                .run = run,
                .number = manager_run_id(run),
                .facts = manager_run_facts(run),
                .node = RUN_NODE_NONE,
        };
}

/* — names — */

int manager_run_make_name(const FlowSettings *settings, const ManagerRunFacts *facts, uint32_t id, char **ret_name,
                          char **ret_problem) {
        Scope scope = { .scope = { .find = find_value }, .number = id, .facts = facts, .node = RUN_NODE_NONE };
        cleanup_(run_word_freep) RunWord *word = NULL;
        int r = run_word_parse(settings->run_name, &word, ret_problem);

        if (r == 0)
                r = run_word_substitute(word, &scope.scope, ret_name, ret_problem);
        scope_deinit(&scope);
        return r == -EFBIG ? -EINVAL : r;
}

/* — conditions — */

static int evaluate(const ManagerRuns *runs, ManagerRun *run, uint32_t node, bool *ret_holds,
                    char **ret_problem) {
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        Scope scope = make_scope(runs, run);
        FlowCommand command;
        RunValue value;
        int r = manager_run_open_command(run, node, &command);

        if (r < 0)
                return r;
        r = run_expression_parse(command.node->when, &expression, ret_problem);
        flow_command_close(&command);
        if (r == 0)
                r = run_expression_evaluate(expression, &scope.scope, RUN_WANTED_BOOLEAN, &value, ret_problem);
        if (r == 0)
                *ret_holds = value.value->kind == JSON_TOKEN_TRUE;
        scope_deinit(&scope);
        return r;
}

RunCondition manager_run_judge(void *userdata, uint32_t id, uint32_t node) {
        const ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, id);
        cleanup_free_ char *problem = NULL;
        bool holds = false;
        int r;

        if (!run)
                return RUN_CONDITION_BROKEN;
        r = evaluate(runs, run, node, &holds, &problem);
        if (r == 0)
                return holds ? RUN_CONDITION_TRUE : RUN_CONDITION_FALSE;
        log_write(LOG_LEVEL_ERROR, manager_run_unit(run)->id, "Run %" PRIu32 ", node %s: When= has no value: %s", id,
                  run_graph_name(manager_run_graph(run), node), problem ? problem : strerror(-r));
        return RUN_CONDITION_BROKEN;
}

/* — lists — */

static int evaluate_list(const ManagerRuns *runs, ManagerRun *run, uint32_t node, char **ret_json,
                         char **ret_problem) {
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_(text_deinit) Text text = {};
        Scope scope = make_scope(runs, run);
        FlowCommand command;
        RunValue value;
        int r = manager_run_open_command(run, node, &command);

        if (r < 0)
                return r;
        r = run_expression_parse(command.node->foreach, &expression, ret_problem);
        flow_command_close(&command);
        if (r == 0)
                r = run_expression_evaluate(expression, &scope.scope, RUN_WANTED_ARRAY, &value, ret_problem);
        if (r == 0)
                json_write_value(&text, value.value, LIST_MAX);
        if (r == 0 && text.n > LIST_MAX)
                r = -EFBIG;
        if (r == 0)
                r = text_finish(&text, ret_json);
        scope_deinit(&scope);
        return r;
}

int manager_run_evaluate_items(const ManagerRuns *runs, ManagerRun *run, uint32_t node, ManagerItems **ret_items,
                               char **ret_problem) {
        cleanup_free_ char *json = NULL;
        int r = evaluate_list(runs, run, node, &json, ret_problem);

        return r < 0 ? r : manager_run_keep_items(run, node, json, ret_items);
}

/* — parameters of sub-runs — */

static int substitute_word(const Scope *scope, const char *text, char **ret_word, char **ret_problem) {
        cleanup_(run_word_freep) RunWord *word = NULL;
        int r = run_word_parse(text, &word, ret_problem);

        return r < 0 ? r : run_word_substitute(word, &scope->scope, ret_word, ret_problem);
}

/* The reference that is all of @text, "%{item.name}"; NULL: it is something else. The caller owns it. */
static char *only_reference(const char *text) {
        const char *end = strchr(text, '}');

        return text_starts_with(text, "%{") && end && !end[1] ? strndup(text + 2, (size_t) (end - text) - 2) : NULL;
}

/* The value of a reference as JSON, of any kind. */
static int write_reference(const Scope *scope, const char *text, char **ret_json, char **ret_problem) {
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_(text_deinit) Text json = {};
        RunValue value;
        int r = run_expression_parse(text, &expression, ret_problem);

        if (r == 0)
                r = run_expression_evaluate(expression, &scope->scope, RUN_WANTED_ANY, &value, ret_problem);
        if (r < 0)
                return r;
        json_write_value(&json, value.value, RUN_PARAMS_MAX);
        return text_finish(&json, ret_json);
}

/* A typed parameter has the value that a reference names as it is; in others references are parts of a text. */
static int make_param(const Scope *scope, const char *word, char **ret_param, char **ret_problem) {
        const char *sign = strchr(word, '='), *value = sign + 1;
        cleanup_free_ char *reference = sign[-1] == ':' ? only_reference(value) : NULL, *made = NULL;
        int r = reference ? write_reference(scope, reference, &made, ret_problem)
                          : substitute_word(scope, value, &made, ret_problem);

        return r < 0 ? r : text_format(ret_param, "%.*s%s", (int) (value - word), word, made);
}

int manager_run_make_params(const ManagerRuns *runs, ManagerRun *run, uint32_t node, char *const *words,
                            char ***ret_params, char **ret_problem) {
        cleanup_(strv_freep) char **params = NULL;
        Scope scope = make_scope(runs, run);
        int r = 0;

        scope.node = node;
        for (char *const *word = words; word && *word && r == 0; word++) {
                char *param = NULL;

                r = make_param(&scope, *word, &param, ret_problem);
                if (r == 0)
                        r = strv_consume(&params, param);
        }
        scope_deinit(&scope);
        if (r == 0)
                *ret_params = take_ptr(params);
        return r;
}

/* — times — */

usec_t manager_run_wake(void *userdata, uint32_t id, uint32_t node) {
        const ManagerRuns *runs = userdata;
        const ManagerRun *run = manager_run_find(runs, id);
        FlowCommand command;
        usec_t wake;

        if (!run || manager_run_open_command(run, node, &command) < 0)
                return 0;
        wake = flow_node_wake(command.node, manager_runs_now_realtime(runs));
        flow_command_close(&command);
        return wake;
}

/* — words — */

/* The process expands $VARIABLES in its words; a value is text. */
static int escape_variables(char **word) {
        cleanup_(text_deinit) Text text = {};
        char *escaped;
        int r;

        if (!strchr(*word, '$'))
                return 0;
        for (const char *at = *word; *at; at++) {
                if (*at == '$')
                        text_add_char(&text, '$');
                text_add_char(&text, *at);
        }
        r = text_finish(&text, &escaped);
        if (r < 0)
                return r;
        free(*word);
        *word = escaped;
        return 0;
}

/* The text between two '$' of the word, which stay what they are; those of values are escaped. */
static int substitute_part(const Scope *scope, const char *text, size_t n, Text *whole, char **ret_problem) {
        cleanup_free_ char *part = strndup(text, n), *value = NULL;
        int r = part ? substitute_word(scope, part, &value, ret_problem) : -ENOMEM;

        if (r == 0)
                r = escape_variables(&value);
        if (r == 0)
                text_add(whole, value);
        return r;
}

static int substitute_between(const Scope *scope, const char *text, char **ret_word, char **ret_problem) {
        cleanup_(text_deinit) Text whole = {};
        int r = 0;

        while (*text && r == 0) {
                const size_t n = strcspn(text, "$");

                r = substitute_part(scope, text, n, &whole, ret_problem);
                text += n;
                if (*text)
                        text_add_char(&whole, *text++);
        }
        return r < 0 ? r : text_finish(&whole, ret_word);
}

int manager_run_substitute(ManagerRuns *runs, const RunAttemptKey *key, const ExecCommand *command, char ***ret_argv,
                           char **ret_problem) {
        ManagerRun *run = manager_run_find(runs, key->run);
        char **argv = NULL;
        uint32_t tries;
        uint64_t item;
        RunStreamBegin element;
        bool is_told;
        Scope scope;
        int r = 0;

        *ret_argv = NULL;
        if (!run)
                return -ENOENT;
        scope = make_scope(runs, run);
        scope.node = key->node;
        if (manager_attempts_get_item(manager_runs_attempts(runs), key, &item, &tries, &is_told) == 0)
                snprintf(scope.item, sizeof(scope.item), "%" PRIu64, item);
        scope.item_text = manager_attempts_get_text(manager_runs_attempts(runs), key);
        if (*scope.item && manager_stream_find_element(runs, key, item, &element) == 0) {
                scope.group = element.group;
                scope.key = element.key;
        }
        for (char *const *word = command->argv; *word && r == 0; word++) {
                char *made = NULL;

                if (!strstr(*word, "%{"))
                        r = text_copy(*word, &made);
                else if (command->flags & EXEC_NO_EXPANSION)
                        r = substitute_word(&scope, *word, &made, ret_problem);
                else
                        r = substitute_between(&scope, *word, &made, ret_problem);
                if (r == 0)
                        r = strv_consume(&argv, made);
        }
        scope_deinit(&scope);
        if (r == -ENODATA && !*ret_problem)
                (void) text_copy("The list of Foreach= has no such item any more.", ret_problem);
        if (r < 0)
                argv = strv_free(argv);
        *ret_argv = argv;
        return r;
}
