/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workflow of Dagu: parameters, variables and folders
 *
 * A variable with a fixed value is one of Environment=. One that is computed
 * is set by the lines before a command; if one of all steps is, all are, since
 * a later one may take the place of an earlier one.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "jobctl/flow_import_dagu.h"

/* — parameters — */

static bool has_param(const DaguReader *reader, const char *field) {
        for (size_t i = 0; i < reader->params.n; i++)
                if (strcmp(reader->params.items[i].field, field) == 0)
                        return true;
        return false;
}

/* Declares a parameter; @name may be empty, and @value NULL: it has to be given. */
static int add_param(DaguReader *reader, const YamlNode *node, const char *name, const char *value) {
        DaguParam param = {};
        Text *text = &reader->flow->settings;
        int r;

        if (*name && !dagu_is_variable(name))
                return dagu_fail(reader, node, "'%s' is no name that a parameter can have", name);
        if (value && dagu_is_dynamic(value))
                return dagu_fail(reader, node, "the default '%s' of a parameter has no counterpart if it is computed",
                                 value);
        r = *name ? text_copy(name, &param.field) : text_format(&param.field, "arg%zu", reader->params.n + 1);
        if (r == 0)
                r = text_copy(name, &param.name);
        if (r == 0 && has_param(reader, param.field))
                r = dagu_fail(reader, node, "the parameter '%s' is there twice", param.field);
        if (r == 0)
                r = vector_push(&reader->params, param);
        if (r < 0) {
                free(param.name);
                free(param.field);
                return r;
        }
        text_add(text, "Params=");
        if (!value) {
                text_addf(text, "%s:required\n", param.field);
                return 0;
        }
        text_addf(text, "\"%s=", param.field);
        for (; *value; value++)
                if ((unsigned char) *value < ' ' || *value == '\x7f')
                        text_addf(text, "\\x%02x", (unsigned char) *value);
                else {
                        if (strchr("\"\\%", *value))
                                text_add_char(text, *value == '%' ? '%' : '\\');
                        text_add_char(text, *value);
                }
        text_add(text, "\"\n");
        return 0;
}

/* One word of "a b KEY=c KEY="d e"". */
static int add_word_param(DaguReader *reader, const YamlNode *node, const char **at) {
        cleanup_(text_deinit) Text value = {};
        const size_t n_name = strcspn(*at, " \t\n=\"`");
        const bool has_name = (*at)[n_name] == '=' && n_name > 0;
        cleanup_free_ char *name = has_name ? strndup(*at, n_name) : strdup("");
        const char *from = has_name ? *at + n_name + 1 : *at;

        if (!name)
                return -ENOMEM;
        if (*from == '"') {
                for (from++; *from && *from != '"'; from++) {
                        from += *from == '\\' && from[1] ? 1 : 0;
                        text_add_char(&value, *from);
                }
                from += *from == '"' ? 1 : 0;
        } else
                while (*from && !strchr(" \t\n", *from))
                        text_add_char(&value, *from++);
        *at = from;
        if (value.error < 0)
                return value.error;
        return add_param(reader, node, name, value.n > 0 ? value.string : "");
}

static int read_words(DaguReader *reader, const YamlNode *node) {
        const char *at = node->text + strspn(node->text, " \t\n");
        int r = 0;

        if (*at == '{' || *at == '[')
                return dagu_fail(reader, node, "params in JSON have no counterpart; write a list");
        while (r == 0 && *at) {
                r = add_word_param(reader, node, &at);
                at += strspn(at, " \t\n");
        }
        return r;
}

/* {name: …, default: …, …}: what bounds the values is told. */
static int read_rich(DaguReader *reader, const YamlNode *map) {
        static const char bound[] = "has no counterpart: values of parameters are not checked";
        static const DaguKey keys[] = {
                { .name = "name" },
                { .name = "default" },
                { .name = "required" },
                { .name = "description", .treatment = DAGU_NOTE, .text = "has no counterpart at a parameter" },
                { .name = "eval", .treatment = DAGU_REFUSE, .text = "the default would not be computed" },
                { .name = "type", .treatment = DAGU_NOTE, .text = bound },
                { .name = "enum", .treatment = DAGU_NOTE, .text = bound },
                { .name = "minimum", .treatment = DAGU_NOTE, .text = bound },
                { .name = "maximum", .treatment = DAGU_NOTE, .text = bound },
                { .name = "min_length", .treatment = DAGU_NOTE, .text = bound },
                { .name = "max_length", .treatment = DAGU_NOTE, .text = bound },
                { .name = "pattern", .treatment = DAGU_NOTE, .text = bound },
        };
        const char *name = "", *value = NULL;
        bool is_required = false;
        int r = dagu_check_keys(reader, map, "a parameter", keys, ELEMENTSOF(keys));

        if (r == 0)
                r = MIN(dagu_get_text(reader, map, "name", &name), 0);
        if (r == 0)
                r = MIN(dagu_get_text(reader, map, "default", &value), 0);
        if (r == 0)
                r = MIN(dagu_get_bool(reader, map, "required", &is_required), 0);
        if (r == 0 && !*name)
                r = dagu_fail(reader, map, "the parameter has no name");
        return r < 0 ? r : add_param(reader, map, name, value || is_required ? value : "");
}

static int read_param_map(DaguReader *reader, const YamlNode *map) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < map->items.n; i++) {
                const YamlNode *key = yaml_key(&reader->yaml, map, i), *value = yaml_value(&reader->yaml, map, i);

                if (value->kind != YAML_KIND_TEXT)
                        return dagu_fail(reader, value, "the default of the parameter '%s' is not a text", key->text);
                r = add_param(reader, key, key->text, yaml_is_null(value) ? "" : value->text);
        }
        return r;
}

int dagu_read_params(DaguReader *reader) {
        const YamlNode *params = dagu_get(reader, reader->root, "params");
        int r = 0;

        if (!params)
                return 0;
        if (params->kind == YAML_KIND_MAP) {
                if (yaml_get(&reader->yaml, params, "schema") || yaml_get(&reader->yaml, params, "properties"))
                        return dagu_fail(reader, params, "params with a schema have no counterpart; write a list");
                return read_param_map(reader, params);
        }
        for (size_t i = 0; r == 0 && i < dagu_count(params); i++) {
                const YamlNode *item = dagu_item(reader, params, i);

                if (item->kind == YAML_KIND_TEXT)
                        r = read_words(reader, item);
                else if (item->kind == YAML_KIND_LIST)
                        r = dagu_fail(reader, item, "a parameter is a list");
                else if (item->items.n > 1 && yaml_get(&reader->yaml, item, "name"))
                        r = read_rich(reader, item);
                else
                        r = read_param_map(reader, item);
        }
        return r;
}

/* — variables — */

/* How a variable is written. */
typedef int (*EnvWriter)(DaguReader *reader, const YamlNode *node, const char *name, const char *value, Text *text);

static int write_setting(DaguReader *reader, const YamlNode *node, const char *name, const char *value, Text *text) {
        (void) reader;
        (void) node;
        import_add_environment(text, name, value);
        return 0;
}

static int write_line(DaguReader *reader, const YamlNode *node, const char *name, const char *value, Text *text) {
        int r;

        text_addf(text, "export %s=", name);
        r = dagu_add_expanded(reader, node, value, text);
        text_add_char(text, '\n');
        return r;
}

static int note_dynamic(DaguReader *reader, const YamlNode *node, const char *name, const char *value, Text *text) {
        (void) node;
        (void) name;
        (void) text;
        reader->has_dynamic_env |= dagu_is_dynamic(value);
        return 0;
}

static int write_variable(DaguReader *reader, const YamlNode *node, const char *name, const char *value,
                          EnvWriter write, Text *text) {
        if (!dagu_is_variable(name))
                return dagu_fail(reader, node, "'%s' is no name that a variable can have", name);
        return write(reader, node, name, value, text);
}

static int walk_map(DaguReader *reader, const YamlNode *map, EnvWriter write, Text *text) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < map->items.n; i++) {
                const YamlNode *key = yaml_key(&reader->yaml, map, i), *value = yaml_value(&reader->yaml, map, i);

                if (value->kind != YAML_KIND_TEXT)
                        return dagu_fail(reader, value, "the variable '%s' is not a text", key->text);
                r = write_variable(reader, key, key->text, yaml_is_null(value) ? "" : value->text, write, text);
        }
        return r;
}

static int walk_env(DaguReader *reader, const YamlNode *env, EnvWriter write, Text *text) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < dagu_count(env); i++) {
                const YamlNode *item = dagu_item(reader, env, i);

                if (item->kind == YAML_KIND_MAP)
                        r = walk_map(reader, item, write, text);
                else if (item->kind == YAML_KIND_TEXT && strchr(item->text, '=')) {
                        cleanup_free_ char *name = strndup(item->text, strcspn(item->text, "="));

                        r = name ? write_variable(reader, item, name, strchr(item->text, '=') + 1, write, text)
                                 : -ENOMEM;
                } else
                        r = dagu_fail(reader, item, "env has neither KEY: VALUE nor KEY=VALUE");
        }
        return r;
}

int dagu_set_flow_env(DaguReader *reader) {
        const YamlNode *env = dagu_get(reader, reader->root, "env");
        int r = walk_env(reader, env, note_dynamic, NULL);

        if (r == 0 && !reader->has_dynamic_env)
                r = walk_env(reader, env, write_setting, &reader->flow->settings);
        return r;
}

/* Whether the variables of a step are set by lines. */
static int is_set_by_lines(DaguReader *reader, const YamlNode *step, bool *ret_is) {
        const bool was_dynamic = reader->has_dynamic_env;
        int r = walk_env(reader, dagu_get(reader, step, "env"), note_dynamic, NULL);

        if (r == 0)
                r = walk_env(reader, dagu_get(reader, dagu_get(reader, reader->root, "defaults"), "env"), note_dynamic,
                             NULL);
        *ret_is = reader->has_dynamic_env || reader->is_handler;
        reader->has_dynamic_env = was_dynamic;
        return r;
}

static int write_step_env(DaguReader *reader, const YamlNode *step, EnvWriter write, Text *text) {
        int r = walk_env(reader, dagu_get(reader, dagu_get(reader, reader->root, "defaults"), "env"), write, text);

        return r < 0 ? r : walk_env(reader, dagu_get(reader, step, "env"), write, text);
}

int dagu_set_step_env(DaguReader *reader, const YamlNode *step, ImportTask *task) {
        bool by_lines;
        int r = is_set_by_lines(reader, step, &by_lines);

        return r < 0 || by_lines ? r : write_step_env(reader, step, write_setting, &task->settings);
}

static int add_env_lines(DaguReader *reader, const YamlNode *step, Text *text) {
        bool by_lines;
        int r = is_set_by_lines(reader, step, &by_lines);

        if (r == 0 && reader->has_dynamic_env)
                r = walk_env(reader, dagu_get(reader, reader->root, "env"), write_line, text);
        return r < 0 || !by_lines ? r : write_step_env(reader, step, write_line, text);
}

int dagu_add_head(DaguReader *reader, const YamlNode *step, size_t n_before, DaguScript *script) {
        cleanup_(text_deinit) Text env = {};
        int r = add_env_lines(reader, step, &env);

        if (r < 0)
                return r;
        if (reader->uses_special) {
                text_add(&script->head, "export DAG_NAME=");
                dagu_add_quoted(&script->head, reader->dag_name);
                text_add(&script->head, " DAG_RUN_ID=\"$JOBD_RUN\" DAG_RUN_STEP_NAME=\"$JOBD_NODE\"\n");
        }
        for (size_t i = 0; i < reader->params.n; i++)
                if (dagu_is_variable(reader->params.items[i].name))
                        text_addf(&script->head, "export %s=\"$JOBD_P_%s\"\n", reader->params.items[i].name,
                                  reader->params.items[i].field);
        for (size_t i = 0; i < n_before; i++) {
                const char *output = reader->steps.items[i].output;

                if (output)
                        text_addf(&script->head,
                                  "if [ -e \"$JOBD_RUN_DIR/output.%s\" ]; then %s=$(cat \"$JOBD_RUN_DIR/output.%s\"); "
                                  "export %s; fi\n",
                                  output, output, output, output);
        }
        text_add(&script->head, env.n > 0 ? env.string : "");
        return env.error;
}

/* — folders — */

int dagu_make_path(DaguReader *reader, const YamlNode *node, const char *folder, char **ret_path) {
        const char *path = node->text;

        if (node->kind != YAML_KIND_TEXT || !*path)
                return dagu_fail(reader, node, "a path is not a text");
        if (dagu_is_dynamic(path) || *path == '~')
                return dagu_fail(reader, node, "the path '%s' has no counterpart if it is computed", path);
        for (const char *at = path; *at; at++)
                if ((unsigned char) *at < ' ' || *at == '\\' || *at == '\x7f')
                        return dagu_fail(reader, node, "a path has a backslash or a control character");
        while (text_starts_with(path, "./"))
                path += 2;
        if (*path == '/')
                return text_copy(path, ret_path);
        return !*path || strcmp(path, ".") == 0 ? text_copy(folder, ret_path) : text_join_path(folder, path, ret_path);
}
