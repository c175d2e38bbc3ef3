/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes for a run that has begun
 *
 * A definition is text. A node that is added is one more section behind it, and
 * what waits for the node has a section with one more line, as in a drop-in. So
 * all that is checked of a file is checked of it, and a run with more nodes is
 * kept and read like any other.
 */

#include <errno.h>
#include <string.h>

#include "basic/json_tree.h"
#include "basic/strv.h"
#include "flow/flow_add.h"
#include "unitfile/directive.h"
#include "unitfile/unit_draft.h"

/* In front of each section. */
#define MARK "# Added to the run.\n"
/* In one whose node has named no parent, in front of the one that it got. */
#define UNNAMED "# Below the node that has added it.\n"

/* The line at hand. */
typedef struct Line {
        FlowAddition *addition; /* borrowed, as all of it */
        const char *below;
        unsigned number;
        const char *name; /* NULL: not read yet */
        Text body;
        char **parents; /* owned */
        bool has_parents;
        Failure *failure;
} Line;

static int refuse(const Line *line, const char *what, const char *problem) {
        return failure_set(line->failure, -EINVAL, "InvalidArgs", "Line %u%s%s: %s.", line->number,
                           what ? ": " : "", what ? what : "", problem);
}

static bool is_parent_setting(const char *key) {
        return strcmp(key, "DependsOn") == 0 || strcmp(key, "AnyOf") == 0 || strcmp(key, "OptionalDependsOn") == 0;
}

static const char *text_of(const JsonValue *value) {
        if (value->kind == JSON_TOKEN_TRUE)
                return "yes";
        if (value->kind == JSON_TOKEN_FALSE)
                return "no";
        return value->kind == JSON_TOKEN_NUMBER || value->kind == JSON_TOKEN_STRING ? value->text : NULL;
}

static int add_parents(Line *line, const char *text) {
        cleanup_(strv_freep) char **words = NULL;
        int r = strv_split(text, " \t", &words);

        line->has_parents = true;
        strv_foreach(word, words)
                if (r == 0)
                        r = strv_push(&line->parents, *word);
        return r;
}

/* One line of the section. */
static int add_value(Line *line, const char *key, const JsonValue *value) {
        const char *text = text_of(value);
        const size_t n = text ? strlen(text) : 0;

        if (!text)
                return refuse(line, key, "The value is none of text, a number, true, false, and an array of these");
        if (value->kind == JSON_TOKEN_STRING &&
            (n < value->n || strpbrk(text, "\n\r") || (n > 0 && text[n - 1] == '\\')))
                return refuse(line, key, "The value has a line break or a NUL byte, or ends with a backslash");
        text_addf(&line->body, "%s=%s\n", key, text);
        return is_parent_setting(key) ? add_parents(line, text) : 0;
}

static int add_entry(Line *line, const char *key, const JsonValue *value) {
        const JsonValue *item = value->n > 0 ? json_value_first(value) : NULL;
        int r = 0;

        if (strcmp(key, "Node") == 0) {
                if (value->kind != JSON_TOKEN_STRING || strlen(value->text) < value->n ||
                    !unit_draft_name_is_of_instance(value->text))
                        return refuse(line, "Node", "This is not a name of a node");
                line->name = value->text;
                return 0;
        }
        /* A unit file may have more than this version knows; what is added now has not. */
        if (!directive_find(directive_section_find("Node *"), key))
                return refuse(line, key, "There is no such setting of a node");
        if (value->kind != JSON_TOKEN_ARRAY)
                return add_value(line, key, value);
        for (uint32_t i = 0; i < value->n && r == 0; i++) {
                r = add_value(line, key, item);
                if (i + 1 < value->n)
                        item = json_value_next(item);
        }
        return r;
}

/* The section of the node. @mark: before the parent that it got. */
static int write_section(const Line *line, const char *body, const char *mark, char **ret_section) {
        const bool is_unnamed = line->below && !line->has_parents;

        return text_format(ret_section, MARK "[Node %s]\n%s%s%s%s%s\n", line->name, is_unnamed ? mark : "",
                           is_unnamed ? "DependsOn=" : "", is_unnamed ? line->below : "", is_unnamed ? "\n" : "", body);
}

/* 1: @text has the node in the same words, perhaps as an earlier version wrote them, which did not mark the parent. */
static int has_node(const Line *line, const char *body, const char *text, const char *section) {
        cleanup_free_ char *unmarked = NULL;
        int r;

        if (strstr(text, section))
                return 1;
        r = write_section(line, body, "", &unmarked);
        return r < 0 ? r : strstr(text, unmarked) != NULL;
}

static int take_node(Line *line, const char *text, const RunGraph *graph) {
        cleanup_free_ char *body = NULL, *section = NULL;
        FlowAddition *addition = line->addition;
        int r;

        if (!line->name)
                return refuse(line, "Node", "The line has no name for its node");
        r = text_finish(&line->body, &body);
        if (r == 0)
                r = write_section(line, body, UNNAMED, &section);
        if (r == 0)
                r = has_node(line, body, text, section);
        /* The same node again changes nothing. */
        if (r != 0)
                return MIN(r, 0);
        if (run_graph_find(graph, line->name) != RUN_NODE_NONE || strv_contains(addition->names, line->name))
                return refuse(line, line->name, "There is a node of that name already");
        text_add(&addition->text, section);
        r = strv_push(&addition->names, line->name);
        strv_foreach(parent, line->parents)
                if (r == 0)
                        r = strv_push(&addition->parents, *parent);
        return r;
}

static int read_object(Line *line, const JsonValue *object, const char *text, const RunGraph *graph) {
        const JsonValue *entry = object->n > 0 ? json_value_first(object) : NULL;
        int r = 0;

        if (object->kind != JSON_TOKEN_OBJECT)
                return refuse(line, NULL, "This is not a JSON object such as {\"Node\":\"name\"}");
        for (uint32_t i = 0; i < object->n && r == 0; i++) {
                r = add_entry(line, entry->key, entry);
                if (i + 1 < object->n)
                        entry = json_value_next(entry);
        }
        return r < 0 ? r : take_node(line, text, graph);
}

static int read_line(Line *line, const char *json, size_t n, const char *text, const RunGraph *graph) {
        cleanup_free_ char *problem = NULL;
        JsonTree tree = {};
        int r = json_tree_read(json, n, &tree, &problem);

        if (r < 0)
                return r == -ENOMEM ? r : refuse(line, NULL, problem ? problem : strerror(-r));
        r = read_object(line, tree.values, text, graph);
        json_tree_deinit(&tree);
        text_deinit(&line->body);
        strv_free(line->parents);
        return r;
}

int flow_addition_read(FlowAddition *addition, const char *lines, const char *below, const char *text,
                       const RunGraph *graph, Failure *ret_failure) {
        int r = 0;

        *addition = (FlowAddition) {};
        for (unsigned number = 1; *lines && r == 0; number++) {
                const size_t n = strcspn(lines, "\n");
                Line line = { .addition = addition, .below = below, .number = number, .failure = ret_failure };

                if (strspn(lines, " \t\r") < n)
                        r = read_line(&line, lines, n, text, graph);
                lines += n + (lines[n] == '\n');
        }
        return r;
}

void flow_addition_deinit(FlowAddition *addition) {
        text_deinit(&addition->text);
        strv_free(addition->names);
        strv_free(addition->parents);
}

void flow_addition_join(FlowAddition *addition, const char *child, const char *setting) {
        text_addf(&addition->text, "[Node %s]\n%s=", child, setting);
        strv_foreach(name, addition->names)
                if (!strv_contains(addition->parents, *name))
                        text_addf(&addition->text, "%s ", *name);
        text_add(&addition->text, "\n\n");
}

int flow_addition_find_unnamed(const char *text, const RunGraph *graph, bool *are_unnamed) {
        while ((text = strstr(text, MARK "[Node "))) {
                cleanup_free_ char *name = NULL;
                const char *end;
                uint32_t node;

                text += strlen(MARK "[Node ");
                end = strstr(text, "]\n");
                if (!end || !text_starts_with(end + 2, UNNAMED))
                        continue;
                name = strndup(text, (size_t) (end - text));
                if (!name)
                        return -ENOMEM;
                node = run_graph_find(graph, name);
                if (node != RUN_NODE_NONE)
                        are_unnamed[node] = true;
        }
        return 0;
}

uint32_t flow_addition_count(const char *text) {
        uint32_t n = 0;

        while ((text = strstr(text, MARK "[Node "))) {
                text += strlen(MARK);
                n++;
        }
        return n;
}
