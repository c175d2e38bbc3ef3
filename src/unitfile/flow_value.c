/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of [Flow] and [Node …]
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_value.h"
#include "unitfile/flow_settings.h"
#include "unitfile/flow_value.h"
#include "unitfile/unit_draft.h"

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

int flow_parse_start_mode(const DirectiveLine *line, const char *value) {
        if (!*value || strcmp(value, "accepted") == 0)
                return 0;
        if (strcmp(value, "finished") == 0)
                return directive_complain(line, "'finished' is not supported: the start of a flow is done once its run "
                                                "is accepted");
        return directive_complain(line, "'%s' is not 'accepted'", value);
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

static void clear_dependencies(FlowNode *node) {
        while (node->depends_on.n > 0)
                free(vector_pop(&node->depends_on).name);
}

int flow_parse_depends_on(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;
        const char *at = value;

        if (!*value)
                clear_dependencies(node);
        for (;;) {
                FlowDependency dependency = {};
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                if (strcmp(word, FLOW_NO_NODE) == 0)
                        continue;
                if (!unit_draft_name_is_of_instance(word))
                        return directive_complain(line, "'%s' is not a name of a node%s", word, strchr(word, ',') ?
                                                  " (names are separated by blanks, not by commas)" : "");
                dependency.name = word;
                r = keep_place(line, &dependency.place);
                if (r == 0)
                        r = vector_push(&node->depends_on, dependency);
                if (r < 0)
                        return r;
                take_ptr(word);
        }
}

/* "at-least:3", "at-least:50%" */
static bool readiness_parse_share(const char *text, FlowReadiness *readiness) {
        readiness->kind = FLOW_READY_AT_LEAST;
        return parse_share(text, &readiness->n, &readiness->is_percent) && readiness->n > 0 &&
               (!readiness->is_percent || readiness->n <= 100);
}

/* Kinds that a later version may have: the message does not say that there is no such word. */
static bool readiness_is_known(const char *value) {
        static const char *const words[] = {
                "any", "none-failed", "none-failed-min-one", "none-skipped", "one-failed", "one-success", "one-done",
                "all-failed", "all-done", "all-skipped", "always",
        };

        for (size_t i = 0; i < ELEMENTSOF(words); i++)
                if (strcmp(words[i], value) == 0)
                        return true;
        return text_starts_with(value, "named:") || text_starts_with(value, "policy:");
}

int flow_parse_readiness(const DirectiveLine *line, const char *value) {
        FlowNode *node = &((FlowNodeSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->node;
        FlowReadiness readiness = {};

        if (strcmp(value, "all-finished") == 0)
                readiness.kind = FLOW_READY_ALL_FINISHED;
        else if (text_starts_with(value, "at-least:")) {
                if (!readiness_parse_share(value + strlen("at-least:"), &readiness))
                        return directive_complain(line, "'%s' is neither at-least:N, with N above 0, nor at-least:N%%, "
                                                        "with N from 1 to 100", value);
        } else if (*value && strcmp(value, "all-succeeded") != 0)
                return directive_complain(line, "'%s' is not %s; use all-succeeded, all-finished, at-least:N or "
                                                "at-least:N%%", value, readiness_is_known(value) ? "supported yet" :
                                                "a kind of readiness");
        node->readiness = readiness;
        if (!*value) {
                node->readiness_place = (FlowPlace) {};
                return 0;
        }
        return keep_place(line, &node->readiness_place);
}
