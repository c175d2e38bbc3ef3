/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of [Flow] and [Node …]
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "run/run_name.h"
#include "run/run_value.h"
#include "time/calendar.h"
#include "unit/unit_name.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_value.h"
#include "unitfile/file_word.h"
#include "unitfile/flow_settings.h"
#include "unitfile/flow_value.h"
#include "unitfile/unit_draft.h"

/* A name has what useradd takes; whether there is such a user is seen when somebody asks for something. */
static int judge_user(const DirectiveLine *line, char **word) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
        const char *name = *word + (**word == '@');
        const size_t n = strlen(name);

        if (n == 0 || n > 32 || *name == '-' || strspn(name, letters) + (n > 1 && name[n - 1] == '$') != n)
                return directive_complain(line, "'%s' is neither a user, by name or number, nor @GROUP%s", *word,
                                          strchr(*word, ',') ? " (they are separated by blanks, not by commas)" : "");
        return 1;
}

int flow_parse_allow(const DirectiveLine *line, const char *value) {
        return directive_parse_list(line, value, judge_user);
}

int flow_parse_count(const DirectiveLine *line, const char *value) {
        uint32_t number;

        if (text_parse_u32(value, &number) < 0 || number == 0)
                return directive_complain(line, "'%s' is not a whole number between 1 and 4294967295", value);
        *(uint32_t *) directive_field(line) = number;
        return 0;
}

/* "20", or "20%" with *ret_is_percent. */
static bool parse_share(const char *text, uint32_t *ret_number, bool *ret_is_percent) {
        char digits[16];
        size_t n = strlen(text);

        *ret_is_percent = n > 0 && text[n - 1] == '%';
        n -= *ret_is_percent;
        if (n >= sizeof(digits))
                return false;
        memcpy(digits, text, n);
        digits[n] = '\0';
        return text_parse_u32(digits, ret_number) == 0;
}

int flow_parse_percent(const DirectiveLine *line, const char *value) {
        bool is_percent;
        uint32_t number;

        if (!parse_share(value, &number, &is_percent) || number > 100)
                return directive_complain(line, "'%s' is not a share between 0%% and 100%%", value);
        *(uint32_t *) directive_field(line) = number;
        return 0;
}

int flow_parse_timeout(const DirectiveLine *line, const char *value) {
        usec_t usec;

        if (usec_parse(value, USEC_PER_SEC, &usec) == 0 && usec == 0)
                return directive_complain(line, "A limit of 0 would end it before it begins; for no limit write "
                                                "infinity");
        return directive_parse_seconds(line, value);
}

static int judge_lock(const DirectiveLine *line, char **word) {
        char *const *locks = *(char ***) directive_field(line);

        if (!flow_lock_is_valid(*word))
                return directive_complain(line, "'%s' is not a name of a lock%s: a name has letters, digits, '_', '.', "
                                                "'-', ':', '@', '/' and '+', and at most 255 of them", *word,
                                          strchr(*word, ',') ? " (names are separated by blanks, not by commas)" : "");
        /* Once is enough. */
        strv_foreach(lock, locks)
                if (strcmp(*lock, *word) == 0)
                        return 0;
        return 1;
}

int flow_parse_lock(const DirectiveLine *line, const char *value) {
        return directive_parse_list(line, value, judge_lock);
}

int flow_parse_needs(const DirectiveLine *line, const char *value) {
        FlowNeeds *needs = directive_field(line);
        const char *at = value;

        if (!*value)
                flow_needs_clear(needs);
        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                r = flow_needs_add(needs, word);
                if (r == -EEXIST)
                        return directive_complain(line, "In '%s' a resource is named that this setting has already",
                                                  word);
                if (r == -EINVAL)
                        return directive_complain(line, "'%s' is not a name of a resource and an amount above 0, such "
                                                        "as cpu:2 or memory:4G", word);
                if (r < 0)
                        return r;
        }
}

/* Each value is a line, as it is written: %, $ and quotes are the shell's. */
int flow_parse_script(const DirectiveLine *line, const char *value) {
        char **script = directive_field(line), *whole;
        int r;

        if (!*value) {
                free(take_ptr(*script));
                return 0;
        }
        if (!*script && strncmp(value, "#!", 2) == 0)
                return directive_complain(line, "The lines are read by /bin/sh -eu, not by '%s'; write Exec=FILE for a "
                                                "script in a file of its own", value);
        if ((*script ? strlen(*script) : 0) + strlen(value) >= FLOW_SCRIPT_MAX)
                return directive_complain(line, "The script has more than %u bytes; write Exec=FILE for one in a file "
                                                "of its own", FLOW_SCRIPT_MAX);
        r = text_format(&whole, "%s%s\n", *script ? *script : "", value);
        if (r < 0)
                return r;
        free(*script);
        *script = whole;
        return 0;
}

int flow_parse_priority(const DirectiveLine *line, const char *value) {
        static const struct {
                const char *word;
                uint32_t priority;
        } words[] = {
                { "", FLOW_PRIORITY_UNSET }, { "high", 192 }, { "medium", FLOW_PRIORITY_MEDIUM }, { "low", 64 },
        };
        uint32_t *priority = directive_field(line), number;

        for (size_t i = 0; i < ELEMENTSOF(words); i++)
                if (strcmp(words[i].word, value) == 0) {
                        *priority = words[i].priority;
                        return 0;
                }
        if (text_parse_u32(value, &number) < 0 || number > FLOW_PRIORITY_MAX)
                return directive_complain(line, "'%s' is not a number between 0 and 255, nor high, medium or low",
                                          value);
        *priority = number;
        return 0;
}

int flow_parse_keep_for(const DirectiveLine *line, const char *value) {
        FlowSettings *flow = directive_base(line, DIRECTIVE_IN_TYPE);
        usec_t usec;

        if (!*value || usec_parse(value, USEC_PER_SEC, &usec) == 0)
                flow->has_keep_for = *value != '\0';
        return *value ? directive_parse_seconds(line, value) : 0;
}

int flow_parse_on_trigger(const DirectiveLine *line, const char *value) {
        FlowSettings *flow = directive_base(line, DIRECTIVE_IN_TYPE);

        flow->has_on_trigger = *value != '\0';
        return *value ? directive_parse_enum(line, value) : 0;
}

int flow_parse_compensate_on(const DirectiveLine *line, const char *value) {
        unsigned *on = directive_field(line), wanted = 0;
        bool is_never = false;
        const char *at = value;

        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r < 0)
                        return r == -EINVAL ? 0 : r;
                if (r == 0)
                        break;
                if (strcmp(word, "failure") == 0)
                        wanted |= FLOW_COMPENSATE_ON_FAILURE;
                else if (strcmp(word, "cancel") == 0)
                        wanted |= FLOW_COMPENSATE_ON_CANCEL;
                else if (strcmp(word, "never") == 0)
                        is_never = true;
                else
                        return directive_complain(line, "'%s' is none of failure, cancel, and never", word);
        }
        if (is_never && wanted != 0)
                return directive_complain(line, "'never' stands alone");
        *on = wanted;
        return 0;
}

/* A name without a slash in front is one in the folder of the file with the line. */
int flow_parse_nodes_file(const DirectiveLine *line, const char *value) {
        char **field = directive_field(line);
        cleanup_free_ char *name = NULL, *path = NULL;
        const char *slash = strrchr(line->file, '/');
        int r = *value ? directive_expand(line, value, &name) : 1;

        if (r <= 0)
                return r;
        if (!name || name[0] == '/')
                path = take_ptr(name);
        else if (text_format(&path, "%.*s%s", slash ? (int) (slash + 1 - line->file) : 0, line->file, name) < 0)
                return -ENOMEM;
        if (path && !directive_simplify_path(path))
                return directive_complain(line, "The path '%s' contains '..'", path);
        free(*field);
        *field = take_ptr(path);
        return 0;
}

static int keep_place(const DirectiveLine *line, FlowPlace *place) {
        place->line = line->line;
        return flow_settings_keep_file(line->target->draft->section.own, line->file, &place->file);
}

static void clear_dependencies(FlowNode *node, FlowDependencyKind kind) {
        size_t n = 0;

        for (size_t i = 0; i < node->depends_on.n; i++)
                if (node->depends_on.items[i].kind == kind)
                        free(node->depends_on.items[i].name);
                else
                        node->depends_on.items[n++] = node->depends_on.items[i];
        node->depends_on.n = n;
}

/* Returns 0 if @name is one of a node; else it was complained about. */
static int check_name(const DirectiveLine *line, const char *name) {
        if (unit_draft_name_is_of_instance(name))
                return 0;
        (void) directive_complain(line, "'%s' is not a name of a node%s", name,
                                  strchr(name, ',') ? " (names are separated by blanks, not by commas)" : "");
        return -EINVAL;
}

static int parse_dependencies(const DirectiveLine *line, const char *value, FlowDependencyKind kind) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;
        const char *at = value;

        if (!*value)
                clear_dependencies(node, kind);
        for (;;) {
                FlowDependency dependency = { .kind = kind };
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                if (strcmp(word, FLOW_NO_NODE) == 0)
                        continue;
                if (check_name(line, word) < 0)
                        return 0;
                dependency.name = word;
                r = keep_place(line, &dependency.place);
                if (r == 0)
                        r = vector_push(&node->depends_on, dependency);
                if (r < 0)
                        return r;
                take_ptr(word);
        }
}

int flow_parse_depends_on(const DirectiveLine *line, const char *value) {
        return parse_dependencies(line, value, FLOW_DEPENDS_ON);
}

int flow_parse_optional_depends_on(const DirectiveLine *line, const char *value) {
        return parse_dependencies(line, value, FLOW_OPTIONAL_DEPENDS_ON);
}

int flow_parse_any_of(const DirectiveLine *line, const char *value) {
        return parse_dependencies(line, value, FLOW_ANY_OF);
}

/* Adds a copy of @name: 0 or -ENOMEM. */
static int add_parent(const DirectiveLine *line, FlowParents *parents, const char *name, bool is_success) {
        FlowParent parent = { .name = strdup(name), .is_success = is_success };
        int r = parent.name ? keep_place(line, &parent.place) : -ENOMEM;

        if (r == 0)
                r = vector_push(parents, parent);
        if (r < 0)
                free(parent.name);
        return r;
}

int flow_parse_skip_counts_as(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;
        const char *at = value;

        if (!*value)
                flow_parents_clear(&node->skip_counts_as);
        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word);
                char *colon;

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                colon = strchr(word, ':');
                if (!colon || (strcmp(colon, ":success") != 0 && strcmp(colon, ":failure") != 0))
                        return directive_complain(line, "'%s' is neither NODE:success nor NODE:failure", word);
                *colon = '\0';
                if (check_name(line, word) < 0)
                        return 0;
                r = add_parent(line, &node->skip_counts_as, word, colon[1] == 's');
                if (r < 0)
                        return r;
        }
}

/* @problem: a sentence. */
static int complain_of(const DirectiveLine *line, const char *problem) {
        return directive_complain(line, "%.*s", (int) unit_draft_length_without_effect(problem), problem);
}

int flow_parse_params(const DirectiveLine *line, const char *value) {
        FlowSettings *flow = directive_base(line, DIRECTIVE_IN_TYPE);
        const char *at = value;

        if (!*value)
                run_params_deinit(&flow->params);
        for (;;) {
                cleanup_free_ char *word = NULL, *problem = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                r = run_params_declare(&flow->params, word, &problem);
                if (r < 0)
                        return r == -EINVAL ? complain_of(line, problem) : r;
        }
}

/* Kept as text: it is parsed again when its node may run. */
static int parse_expression(const DirectiveLine *line, const char *value, char **text, FlowPlace *place) {
        cleanup_free_ char *copy = NULL, *problem = NULL;
        RunExpression *expression = NULL;
        int r;

        free(take_ptr(*text));
        *place = (FlowPlace) {};
        if (!*value)
                return 0;
        r = run_expression_parse(value, &expression, &problem);
        run_expression_free(expression);
        if (r < 0)
                return r == -EINVAL ? complain_of(line, problem) : r;
        copy = strdup(value);
        if (!copy)
                return -ENOMEM;
        *text = take_ptr(copy);
        return keep_place(line, place);
}

int flow_parse_when(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;

        return parse_expression(line, value, &node->when, &node->when_place);
}

int flow_parse_foreach(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;

        if (strncmp(value, "%{", 2) == 0)
                return directive_complain(line, "'%s' has %%{…} around it; a list is written bare, as in When=", value);
        return parse_expression(line, value, &node->foreach, &node->foreach_place);
}

/* A name without values of the run is judged here, others when the run is made. */
int flow_parse_run_name(const DirectiveLine *line, const char *value) {
        FlowSettings *flow = directive_base(line, DIRECTIVE_IN_TYPE);
        cleanup_free_ char *name = NULL;
        const char *problem;
        int r;

        if (!*value) {
                free(take_ptr(flow->run_name));
                return 0;
        }
        r = directive_expand_argument(line, value, &name);
        if (r <= 0)
                return r;
        problem = strstr(name, "%{") ? NULL : run_name_judge(name);
        if (problem)
                return directive_complain(line, "The name '%s' %s", name, problem);
        free(flow->run_name);
        flow->run_name = take_ptr(name);
        return keep_place(line, &flow->run_name_place);
}

static int complain_of_unit(const DirectiveLine *line, const char *name) {
        return directive_complain(line, "'%s' is not a unit name%s", name,
                                  unit_name_is_valid(name) ? " (it is a template, which needs an instance)"
                                                           : directive_unit_name_hint(name));
}

static bool is_unit(const char *name) {
        return unit_name_is_valid(name) && !unit_name_is_template(name);
}

static int judge_unit(const DirectiveLine *line, char **word) {
        return is_unit(*word) ? 1 : complain_of_unit(line, *word);
}

int flow_parse_units(const DirectiveLine *line, const char *value) {
        return directive_parse_list(line, value, judge_unit);
}

int flow_parse_unit(const DirectiveLine *line, const char *value) {
        char **unit = directive_field(line);
        cleanup_free_ char *name = NULL;
        int r = *value ? directive_expand(line, value, &name) : 1;

        if (r <= 0)
                return r;
        if (name && !is_unit(name))
                return complain_of_unit(line, name);
        free(*unit);
        *unit = take_ptr(name);
        return 0;
}

int flow_parse_sub_flow(const DirectiveLine *line, const char *value) {
        char **flow = directive_field(line);
        cleanup_free_ char *name = NULL;
        int r = *value ? directive_expand(line, value, &name) : 1;

        if (r <= 0)
                return r;
        if (name && (!unit_name_is_valid(name) || unit_name_is_template(name) ||
                     !unit_type_has_runs(unit_name_type(name)) || unit_name_type(name) == UNIT_STREAM))
                return directive_complain(line, "'%s' is not the name of a flow or a batch, such as 'scan.flow'", name);
        free(*flow);
        *flow = take_ptr(name);
        return 0;
}

/* "NAME=TEXT" or "NAME:=JSON" */
static bool is_assignment(const char *word) {
        const size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

        return n > 0 && (word[n] == '=' || (word[n] == ':' && word[n + 1] == '='));
}

int flow_parse_sub_params(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;
        const char *at = value;

        if (!*value)
                node->sub_params = strv_free(node->sub_params);
        for (;;) {
                cleanup_free_ char *word = NULL;
                char *expanded = NULL;
                int r = file_word_next(&at, FILE_WORD_UNQUOTE | FILE_WORD_UNESCAPE, &word);

                if (r == -EINVAL)
                        return directive_complain(line, "'%s' has an unclosed quote or an unknown escape", at);
                if (r <= 0)
                        return r;
                if (!is_assignment(word))
                        return directive_complain(line, "'%s' is neither NAME=TEXT nor NAME:=JSON", word);
                r = directive_expand_argument(line, word, &expanded);
                if (r <= 0)
                        return r;
                r = strv_consume(&node->sub_params, expanded);
                if (r == 0)
                        r = keep_place(line, &node->sub_params_place);
                if (r < 0)
                        return r;
        }
}

int flow_parse_gate(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;

        if (*value && strcmp(value, "manual") != 0)
                return directive_complain(line, "'%s' is no gate; there is manual alone", value);
        node->has_gate = *value;
        return 0;
}

int flow_parse_summary(const DirectiveLine *line, const char *value) {
        usec_t usec;

        *(usec_t *) directive_field(line) = 0;
        if (!*value || strcmp(value, "off") == 0)
                return 0;
        if (usec_parse(value, USEC_PER_SEC, &usec) == 0 && (usec < USEC_PER_SEC || usec == USEC_INFINITY))
                return directive_complain(line, "'%s' is not between a second and the largest time; for no summaries "
                                                "write off", value);
        return directive_parse_seconds(line, value);
}

int flow_parse_sleep(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;
        usec_t usec;

        node->sleep = 0;
        if (!*value)
                return 0;
        if (usec_parse(value, USEC_PER_SEC, &usec) == 0 && (usec == 0 || usec == USEC_INFINITY))
                return directive_complain(line, "'%s' is no time to sleep: it has to begin and to end", value);
        return directive_parse_seconds(line, value);
}

int flow_parse_sleep_until(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;
        cleanup_(calendar_freep) Calendar *calendar = NULL;
        CalendarFault fault;
        int r;

        free(take_ptr(node->sleep_until));
        if (!*value)
                return 0;
        r = calendar_parse(value, &calendar, &fault);
        if (r == -EINVAL)
                return directive_complain(line, "'%s' is no time: %s", value, fault.message);
        if (r < 0)
                return r;
        node->sleep_until = strdup(value);
        return node->sleep_until ? 0 : -ENOMEM;
}

int flow_parse_skip_unneeded(const DirectiveLine *line, const char *value) {
        if (strcmp(value, "all") == 0)
                return directive_complain(line, "'all' is not supported; use optional or no");
        return directive_parse_enum(line, value);
}

/* "at-least:3", "at-least:50%" */
static bool readiness_parse_share(const char *text, FlowReadiness *readiness) {
        readiness->kind = FLOW_READY_AT_LEAST;
        return parse_share(text, &readiness->n, &readiness->is_percent) && readiness->n > 0 &&
               (!readiness->is_percent || readiness->n <= 100);
}

/* "named:a,b": 0 if it was taken or complained about, or -ENOMEM. */
static int readiness_parse_names(const DirectiveLine *line, const char *text, FlowParents *parents) {
        cleanup_free_ char *names = strdup(text);
        char *rest = NULL;
        int r = names ? 0 : -ENOMEM;

        for (char *name = names ? strtok_r(names, ",", &rest) : NULL; name && r == 0;
             name = strtok_r(NULL, ",", &rest)) {
                if (check_name(line, name) < 0)
                        return 0;
                r = add_parent(line, parents, name, false);
        }
        if (r == 0 && parents->n == 0)
                return directive_complain(line, "'named:' is followed by names of parents, with commas between");
        return r;
}

/* "policy:name": 1 if it was taken, 0 if it was complained about, or -ENOMEM. */
static int readiness_parse_policy(const DirectiveLine *line, const char *name, FlowNode *node) {
        if (!unit_draft_name_is_of_instance(name))
                return directive_complain(line, "'policy:' is followed by the name of a section [Policy NAME]");
        node->readiness.kind = FLOW_READY_BY_POLICY;
        node->policy = strdup(name);
        return node->policy ? 1 : -ENOMEM;
}

/* 1 if @value is a kind of readiness, 0 if it was complained about, or -ENOMEM. */
static int readiness_parse(const DirectiveLine *line, const char *value, FlowNode *node) {
        const int kind = *value ? flow_ready_from_string(value) : FLOW_READY_ALL_SUCCEEDED;

        node->readiness = (FlowReadiness) {};
        flow_parents_clear(&node->named);
        free(take_ptr(node->policy));
        if (kind >= 0)
                node->readiness.kind = (FlowReadinessKind) kind;
        else if (strcmp(value, "all-done") == 0)
                node->readiness.kind = FLOW_READY_ALL_FINISHED;
        else if (text_starts_with(value, "named:")) {
                node->readiness.kind = FLOW_READY_NAMED;
                return readiness_parse_names(line, value + strlen("named:"), &node->named) < 0 ? -ENOMEM : 1;
        } else if (text_starts_with(value, "at-least:")) {
                if (readiness_parse_share(value + strlen("at-least:"), &node->readiness))
                        return 1;
                node->readiness = (FlowReadiness) {};
                return directive_complain(line, "'%s' is neither at-least:N, with N above 0, nor at-least:N%%, "
                                                "with N from 1 to 100", value);
        } else if (text_starts_with(value, "policy:"))
                return readiness_parse_policy(line, value + strlen("policy:"), node);
        else
                return directive_complain(line, "'%s' is not a kind of readiness; use all-succeeded, "
                                                "all-finished, any, at-least:N, at-least:N%%, named:NODE,…, "
                                                "policy:NAME or one of Airflow's rules, such as one-success",
                                          value);
        return 1;
}

int flow_parse_readiness(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;
        int r = readiness_parse(line, value, node);

        if (r <= 0)
                return r;
        if (!*value) {
                node->readiness_place = (FlowPlace) {};
                return 0;
        }
        return keep_place(line, &node->readiness_place);
}

/* A value of JSON stays one; other text becomes a string. */
int flow_parse_readiness_context(const DirectiveLine *line, const char *value) {
        char **context = directive_field(line), *made = NULL;
        cleanup_free_ char *problem = NULL;
        cleanup_(text_deinit) Text text = {};
        JsonTree tree = {};
        int r;

        if (strlen(value) > FLOW_CONTEXT_MAX)
                return directive_complain(line, "the value has more than 32 KiB");
        free(take_ptr(*context));
        if (!*value)
                return 0;
        r = json_tree_read(value, strlen(value), &tree, &problem);
        json_tree_deinit(&tree);
        if (r == -ENOMEM)
                return r;
        if (r == 0)
                text_add(&text, value);
        else
                json_write_string(&text, value, strlen(value));
        r = text_finish(&text, &made);
        *context = made;
        return r;
}
