/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The input of an attempt: Inputs=, Data=, InputMode=
 *
 * A key of Inputs= is looked for in Data= of the node, in the parameters of the
 * run, and in the results of the nodes above it: of its parents first, then of
 * theirs, and so on. NODE.KEY is of that node alone.
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_input.h"
#include "manager/manager_run_object.h"
#include "manager/manager_run_table.h"
#include "unitfile/file_text.h"

#define INPUT_MAX ((size_t) 1024 * 1024) /* bytes of all inputs of a node */
#define VARIABLES_MAX (64U * 1024U) /* bytes of all variables */

typedef struct Search {
        const ManagerRuns *runs; /* borrowed, as all of it */
        const ManagerRun *run;
        uint32_t node;
        const FlowData *data;
        const char *own; /* its own data, an object of JSON; NULL: none */
} Search;

typedef VECTOR(uint32_t) NodeList;

/* Adds value @key of @json to @text: 1; 0 if it has none, or null; or -errno. */
static int add_from_json(Text *text, const char *json, const char *key) {
        size_t budget = INPUT_MAX;
        const JsonValue *value;
        JsonTree tree = {};
        int r = json ? json_tree_read(json, strlen(json), &tree, NULL) : 0;

        if (r < 0 || !json)
                return r;
        value = json_value_find(tree.values, key, &budget);
        if (value && value->kind != JSON_TOKEN_NULL) {
                json_write_value(text, value, INPUT_MAX);
                r = 1;
        }
        json_tree_deinit(&tree);
        return r;
}

/* The same of the result of @node. */
static int add_from_result(const Search *search, Text *text, uint32_t node, const char *key) {
        size_t budget = INPUT_MAX;
        ManagerNodeResult result;
        const JsonValue *value;
        JsonTree tree = {};
        int r = manager_run_get_result(search->runs, search->run, node, &result);

        if (r < 0 || !result.result)
                return r;
        r = manager_run_read_result(result.result, &tree);
        manager_run_result_deinit(&result);
        if (r < 0)
                return r;
        value = json_value_find(tree.values, key, &budget);
        if (value && value->kind != JSON_TOKEN_NULL) {
                json_write_value(text, value, INPUT_MAX);
                r = 1;
        }
        json_tree_deinit(&tree);
        return r;
}

static int list_parents(const Search *search, uint32_t node, bool *seen, NodeList *list) {
        uint32_t n;
        const uint32_t *parents = run_graph_parents(manager_run_definition_graph(search->run), node, &n);
        int r = 0;

        for (uint32_t i = 0; i < n && r == 0; i++) {
                if (seen[parents[i]] || manager_run_is_beside(search->run, node, i))
                        continue;
                seen[parents[i]] = true;
                r = vector_push(list, parents[i]);
        }
        return r;
}

static int add_from_above(const Search *search, Text *text, const char *key) {
        cleanup_free_ bool *seen = calloc(run_graph_count(manager_run_definition_graph(search->run)),
                                          sizeof(*seen));
        NodeList list = {};
        int r = seen ? list_parents(search, search->node, seen, &list) : -ENOMEM;

        for (size_t i = 0; i < list.n && r == 0; i++) {
                r = add_from_result(search, text, list.items[i], key);
                if (r == 0)
                        r = list_parents(search, list.items[i], seen, &list);
        }
        vector_deinit(&list);
        return r;
}

/* The array of the results of all parents. */
static int add_all(const Search *search, Text *text) {
        uint32_t n;
        const uint32_t *parents = run_graph_parents(manager_run_definition_graph(search->run), search->node, &n);
        bool is_first = true;
        int r = 0;

        text_add(text, "[");
        for (uint32_t i = 0; i < n && r >= 0; i++) {
                if (manager_run_is_beside(search->run, search->node, i))
                        continue;
                text_add(text, is_first ? "" : ",");
                is_first = false;
                r = add_from_result(search, text, parents[i], "");
                if (r == 0)
                        text_add(text, "null");
        }
        text_add(text, "]");
        return r < 0 ? r : 1;
}

/* 1, 0 if nobody has it, or -errno. */
static int add_input(const Search *search, Text *text, const FlowInput *input) {
        int r;

        if (input->node) {
                const uint32_t node = run_graph_find(manager_run_definition_graph(search->run), input->node);

                return node != RUN_NODE_NONE ? add_from_result(search, text, node, input->key) : 0;
        }
        r = add_from_json(text, search->own, input->key);
        if (r == 0)
                r = add_from_json(text, manager_run_facts(search->run)->params, input->key);
        if (r == 0)
                r = strcmp(input->key, FLOW_ALL_INPUTS) == 0 ? add_all(search, text)
                                                             : add_from_above(search, text, input->key);
        return r;
}

static int complain(const FlowInput *input, int error, char **ret_problem) {
        int r = text_format(ret_problem, "Inputs=%s%s%s: %s", input->node ? input->node : "", input->node ? "." : "",
                            input->key,
                            error == 0        ? "nothing above it has given that, or it is null"
                            : error == -EFBIG ? "it is in a result of more than 1 MiB"
                                              : strerror(-error));

        return r < 0 ? r : -ENODATA;
}

/* {"data":…,"inputs":{…}}; nothing if the node has neither. */
static int make_context(const Search *search, char **ret_context, char **ret_problem) {
        const FlowData *data = search->data;
        cleanup_(text_deinit) Text text = {};

        if (!search->own && data->inputs.n == 0)
                return 0;
        text_addf(&text, "{\"data\":%s,\"inputs\":{", search->own ? search->own : "null");
        for (size_t i = 0; i < data->inputs.n; i++) {
                const FlowInput *input = &data->inputs.items[i];
                int r;

                text_addf(&text, "%s\"%s%s%s\":", i > 0 ? "," : "", input->node ? input->node : "",
                          input->node ? "." : "", input->key);
                r = add_input(search, &text, input);
                if (r == -ENOMEM)
                        return r;
                if (r <= 0)
                        return complain(input, r, ret_problem);
        }
        text_add(&text, "}}");
        return text_finish(&text, ret_context);
}

/* DataFile=, as it is now. -ENODATA with a sentence. */
static int read_data_file(const char *path, char **ret_json, char **ret_problem) {
        cleanup_free_ char *json = NULL, *fault = NULL;
        FileProblem problem = {};
        JsonTree tree = {};
        bool is_object;
        struct stat st;
        int r = file_text_read_up_to(path, FLOW_DATA_FILE_MAX, "It is larger than 1 MiB.", &json, &st, &problem);

        if (r == -ENOMEM)
                return r;
        if (r < 0)
                r = text_format(ret_problem, "DataFile=%s cannot be read: %s", path,
                                r == -EBADMSG ? problem.text : strerror(-r));
        else {
                r = json_tree_read(json, strlen(json), &tree, &fault);
                if (r == -ENOMEM)
                        return r;
                is_object = r == 0 && tree.values->kind == JSON_TOKEN_OBJECT;
                json_tree_deinit(&tree);
                if (is_object) {
                        *ret_json = take_ptr(json);
                        return 0;
                }
                r = text_format(ret_problem, "DataFile=%s is not an object of JSON%s%s", path, fault ? ": " : "",
                                fault ? fault : "");
        }
        return r < 0 ? r : -ENODATA;
}

int manager_run_input(void *userdata, const RunAttemptKey *key, const char *folder, char **ret_json,
                      char **ret_problem) {
        const ManagerRuns *runs = userdata;
        const ManagerRun *run = manager_run_find(runs, key->run);
        cleanup_free_ char *context = NULL, *file = NULL;
        FlowCommand command = {};
        int r = run ? manager_run_open_command(run, key->node, &command) : -ENOENT;

        if (r == 0 && !command.is_extra && command.node->data.data_file)
                r = read_data_file(command.node->data.data_file, &file, ret_problem);
        if (r == 0) {
                static const FlowData none;
                const FlowData *data = command.is_extra ? &none : &command.node->data;
                const Search search = { runs, run, run_graph_origin(manager_run_graph(run), key->node), data,
                                        file ? file : data->data };

                r = make_context(&search, &context, ret_problem);
        }
        flow_command_close(&command);
        if (r < 0)
                return r;
        return manager_run_object_write(runs,
                                        &(ManagerRunObject) {
                                                .event = "input",
                                                .run = key->run,
                                                .node = key->node,
                                                .context = context,
                                                .folder = folder,
                                                .has_no_place = !folder,
                                        },
                                        ret_json);
}

/* — variables — */

/* Adds PREFIX_NAME=VALUE: strings as they are, other values as JSON. *left: bytes that may follow. */
static int add_variable(char ***environment, const char *prefix, const char *name, const JsonValue *value,
                        size_t *left) {
        cleanup_(text_deinit) Text text = {};
        char *variable;
        int r;

        text_add(&text, prefix);
        for (const char *at = name; *at; at++)
                text_add_char(&text, isalnum((unsigned char) *at) ? *at : '_');
        text_add(&text, "=");
        if (value->kind == JSON_TOKEN_STRING)
                text_add_n(&text, value->text, strlen(value->text));
        else if (value->kind != JSON_TOKEN_NULL)
                json_write_value(&text, value, VARIABLES_MAX);
        if (text.n > *left)
                return -E2BIG;
        *left -= text.n;
        r = text_finish(&text, &variable);
        return r < 0 ? r : strv_consume(environment, variable);
}

/* Parameters without a value are empty variables, as null is. */
static int add_absent_params(const ManagerRun *run, const JsonValue *given, char ***environment, size_t *left) {
        static const JsonValue none = { .kind = JSON_TOKEN_NULL, .span = 1 };
        const RunParams *params = &flow_definition_settings(manager_run_definition(run))->params;
        int r = 0;

        for (size_t i = 0; i < params->items.n && r == 0; i++) {
                size_t budget = INPUT_MAX;

                if (!given || !json_value_find(given, params->items.items[i].name, &budget))
                        r = add_variable(environment, "JOBD_P_", params->items.items[i].name, &none, left);
        }
        return r;
}

static int add_params(const ManagerRun *run, char ***environment, size_t *left) {
        const char *json = manager_run_facts(run)->params;
        JsonTree tree = {};
        int r = json ? json_tree_read(json, strlen(json), &tree, NULL) : 0;
        const JsonValue *entry = json && r == 0 && tree.values->n > 0 ? json_value_first(tree.values) : NULL;

        for (uint32_t i = 0; entry && i < tree.values->n && r == 0; i++) {
                r = add_variable(environment, "JOBD_P_", entry->key, entry, left);
                entry = i + 1 < tree.values->n ? json_value_next(entry) : NULL;
        }
        if (r == 0)
                r = add_absent_params(run, tree.values, environment, left);
        json_tree_deinit(&tree);
        return r;
}

static int add_parent(const ManagerRuns *runs, const ManagerRun *run, uint32_t parent, char ***environment,
                      size_t *left) {
        const char *name = run_graph_name(manager_run_definition_graph(run), parent);
        static const JsonValue none = { .kind = JSON_TOKEN_NULL, .span = 1 };
        ManagerNodeResult result;
        JsonTree tree = {};
        int r = manager_run_get_result(runs, run, parent, &result);

        if (r == 0 && result.result && result.result->n > *left)
                r = -E2BIG;
        else if (r == 0 && result.result)
                r = manager_run_read_result(result.result, &tree);
        if (r == 0)
                r = add_variable(environment, "JOBD_DEP_", name, tree.values ? tree.values : &none, left);
        json_tree_deinit(&tree);
        manager_run_result_deinit(&result);
        return r;
}

int manager_run_variables(void *userdata, const RunAttemptKey *key, bool has_results, char ***environment) {
        const ManagerRuns *runs = userdata;
        const ManagerRun *run = manager_run_find(runs, key->run);
        size_t left = VARIABLES_MAX;
        const uint32_t *parents;
        uint32_t n, node;
        int r = run ? add_params(run, environment, &left) : -ENOENT;

        if (r < 0 || !has_results)
                return r;
        node = run_graph_origin(manager_run_graph(run), key->node);
        parents = run_graph_parents(manager_run_definition_graph(run), node, &n);
        for (uint32_t i = 0; i < n && r == 0; i++)
                if (!manager_run_is_beside(run, node, i))
                        r = add_parent(runs, run, parents[i], environment, &left);
        return r;
}
