/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of Inputs=, Outputs=, Data=, Default= and what belongs to them
 *
 * Values of JSON stay as they are written: %, $ and quotes are a part of them.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_tree.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_value.h"
#include "unitfile/flow_data.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft.h"

#define KEY_MAX 255U

static FlowData *data_of(const DirectiveLine *line) {
        return &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node.data;
}

static bool is_key(const char *word) {
        const size_t n = strlen(word);

        return n > 0 && n <= KEY_MAX &&
               strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == n;
}

static int judge_output(const DirectiveLine *line, char **word) {
        if (!is_key(*word))
                return directive_complain(line, "'%s' is not a key: a key has letters, digits, '_' and '-'%s", *word,
                                          strchr(*word, ',') ? " (keys are separated by blanks, not by commas)" : "");
        /* Once is enough. */
        strv_foreach(output, *(char ***) directive_field(line))
                if (strcmp(*output, *word) == 0)
                        return 0;
        return 1;
}

int flow_parse_outputs(const DirectiveLine *line, const char *value) {
        return directive_parse_list(line, value, judge_output);
}

/* "key", "node.key": 1, or 0 if it was complained about, or -ENOMEM. */
static int read_input(const DirectiveLine *line, const char *word, FlowInput *input) {
        const char *dot = strrchr(word, '.'), *key = dot ? dot + 1 : word;

        if (dot)
                input->node = strndup(word, (size_t) (dot - word));
        input->key = strdup(key);
        if ((dot && !input->node) || !input->key)
                return -ENOMEM;
        if (!is_key(key) || (dot && !unit_draft_name_is_of_instance(input->node)))
                return directive_complain(line,
                                          "'%s' is neither KEY nor NODE.KEY, where a key has letters, digits, "
                                          "'_' and '-'%s",
                                          word,
                                          strchr(word, ',') ? " (keys are separated by blanks, not by commas)" : "");
        return 1;
}

int flow_parse_inputs(const DirectiveLine *line, const char *value) {
        FlowData *data = data_of(line);
        const char *at = value;

        if (!*value)
                flow_data_clear_inputs(data);
        for (;;) {
                cleanup_free_ char *word = NULL;
                FlowInput input = { .line = line->line };
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                r = read_input(line, word, &input);
                if (r > 0)
                        r = flow_settings_keep_file(line->target->draft->section.own, line->file, &input.file);
                else
                        r = r < 0 ? r : -EINVAL;
                if (r == 0)
                        r = vector_push(&data->inputs, input);
                if (r < 0) {
                        free(input.node);
                        free(input.key);
                        return r == -EINVAL ? 0 : r;
                }
        }
}

/* A value of JSON that is kept as text; an empty one is none. */
static int parse_json(const DirectiveLine *line, const char *value, bool must_be_object, char **field) {
        cleanup_free_ char *problem = NULL, *copy = NULL;
        JsonTree tree = {};
        bool is_object;
        int r;

        free(take_ptr(*field));
        if (!*value)
                return 0;
        if (strlen(value) > FLOW_DATA_MAX)
                return directive_complain(line, "The value has more than %u bytes", FLOW_DATA_MAX);
        r = json_tree_read(value, strlen(value), &tree, &problem);
        if (r == -EBADMSG)
                return directive_complain(line, "'%s' is not JSON: %s", value, problem ? problem : "?");
        if (r < 0)
                return r;
        is_object = tree.values->kind == JSON_TOKEN_OBJECT;
        json_tree_deinit(&tree);
        if (must_be_object && !is_object)
                return directive_complain(line, "'%s' is not an object of JSON, such as {\"key\":1}", value);
        copy = strdup(value);
        if (!copy)
                return -ENOMEM;
        *field = take_ptr(copy);
        return 0;
}

int flow_parse_data(const DirectiveLine *line, const char *value) {
        return parse_json(line, value, true, directive_field(line));
}

int flow_parse_keep_result(const DirectiveLine *line, const char *value) {
        bool *field = directive_field(line);
        const int keeps = *value ? text_parse_bool(value) : 1;

        if (keeps < 0)
                return directive_complain(line, "'%s' is neither yes nor no", value);
        *field = keeps == 0;
        return 0;
}

int flow_parse_default(const DirectiveLine *line, const char *value) {
        return parse_json(line, value, false, directive_field(line));
}

int flow_parse_default_on(const DirectiveLine *line, const char *value) {
        static const struct {
                const char *word;
                FlowDefaultOn kind;
        } words[] = {
                { "timeout", FLOW_DEFAULT_ON_TIMEOUT },
                { "failure", FLOW_DEFAULT_ON_FAILURE },
                { "skip", FLOW_DEFAULT_ON_SKIP },
        };
        unsigned *field = directive_field(line);
        const char *at = value;

        if (!*value)
                *field = 0;
        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word);
                size_t i = 0;

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                while (i < ELEMENTSOF(words) && strcmp(words[i].word, word) != 0)
                        i++;
                if (i == ELEMENTSOF(words))
                        return directive_complain(line, "'%s' is none of timeout, failure and skip", word);
                *field |= words[i].kind;
        }
}

int flow_parse_result_max(const DirectiveLine *line, const char *value) {
        static const char suffixes[] = "KMG";
        uint64_t *field = directive_field(line), number = 0;
        const char *at = value, *suffix;

        if (!*value) {
                *field = FLOW_RESULT_DEFAULT;
                return 0;
        }
        for (; *at >= '0' && *at <= '9' && number <= FLOW_RESULT_MAX; at++)
                number = 10 * number + (uint64_t) (*at - '0');
        suffix = *at && at > value ? strchr(suffixes, *at) : NULL;
        if (suffix) {
                number <<= 10 * (suffix - suffixes + 1);
                at++;
        }
        if (*at || at == value || number == 0 || number > FLOW_RESULT_MAX)
                return directive_complain(line, "'%s' is not a size between 1 and 64M", value);
        *field = number;
        return 0;
}
