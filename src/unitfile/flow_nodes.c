/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes of a flow from a file
 *
 * A node costs one section of a draft, which is freed with the next line: what
 * is read stays in the caller's hands only.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/file_text.h"
#include "unitfile/flow_check.h"
#include "unitfile/flow_nodes.h"
#include "unitfile/unit_draft_read.h"

int flow_nodes_begin(FlowNodes *nodes, UnitDraft *draft, const char *path, const char *text) {
        assert(draft->type == UNIT_FLOW);

        *nodes = (FlowNodes) { .draft = draft, .next = text };
        return flow_settings_keep_file(draft->section.own, path, &nodes->path);
}

static void close_section(FlowNodes *nodes) {
        if (nodes->is_open)
                draft_section_deinit(&nodes->section);
        nodes->is_open = false;
        nodes->section = (DraftSection) {};
        /* Lists are known by their address, which those of the next line may have, too. */
        draft_lists_deinit(&nodes->draft->lists);
        nodes->draft->lists = (DraftLists) {};
}

void flow_nodes_end(FlowNodes *nodes) {
        close_section(nodes);
        json_reader_deinit(&nodes->json);
}

/* — messages — */

static int refuse(FlowNodes *nodes, const char *setting, const char *format, ...) printf_(3, 4);

/* Reports what is wrong with the line: -EBADMSG or -ENOMEM. */
static int refuse(FlowNodes *nodes, const char *setting, const char *format, ...) {
        cleanup_free_ char *message = NULL;
        va_list args;
        int r;

        va_start(args, format);
        r = text_vformat(&message, format, args);
        va_end(args);
        if (r == 0)
                r = unit_draft_refuse(nodes->draft, nodes->path, nodes->line, setting, "%s.", message);
        return r < 0 ? r : -EBADMSG;
}

static int next_token(FlowNodes *nodes, JsonToken *ret_token) {
        int r = json_reader_next(&nodes->json, ret_token);

        return r != -EBADMSG ? r : refuse(nodes, NULL, "At byte %zu of the line %s", nodes->json.at + 1,
                                          nodes->json.problem);
}

static int refuse_key(FlowNodes *nodes, const char *key) {
        const char *nearest = directive_find_nearest(nodes->section.section, key);

        return refuse(nodes, key, "Unknown directive of a node%s%s%s", nearest ? " (did you mean " : "",
                      nearest ? nearest : "", nearest ? "=?)" : "");
}

/* — values — */

static int assign(FlowNodes *nodes, const Directive *directive, const char *value) {
        DirectiveLine line = { .target = &nodes->section.target, .directive = directive, .file = nodes->path,
                               .line = nodes->line };

        return unit_draft_assign(nodes->draft, &nodes->section, &line, value);
}

/* Assigns what @token says, if it is the value of one line. */
static int assign_token(FlowNodes *nodes, const Directive *directive, const JsonToken *token) {
        cleanup_free_ char *copy = NULL;
        size_t n;

        if (token->kind == JSON_TOKEN_TRUE || token->kind == JSON_TOKEN_FALSE)
                return assign(nodes, directive, token->kind == JSON_TOKEN_TRUE ? "yes" : "no");
        if (token->kind == JSON_TOKEN_NUMBER)
                return assign(nodes, directive, token->text);
        if (token->kind != JSON_TOKEN_STRING)
                return refuse(nodes, directive->name, "The value is none of text, a number, true, false, and an array "
                                                      "of these");
        if (strlen(token->text) < token->n || strpbrk(token->text, "\n\r"))
                return refuse(nodes, directive->name, "The value has a line break or a NUL byte");
        copy = strdup(token->text + strspn(token->text, " \t"));
        if (!copy)
                return -ENOMEM;
        for (n = strlen(copy); n > 0 && strchr(" \t", copy[n - 1]);)
                copy[--n] = '\0';
        return assign(nodes, directive, copy);
}

static int read_array(FlowNodes *nodes, const Directive *directive) {
        JsonToken token;

        for (;;) {
                int r = next_token(nodes, &token);

                if (r < 0 || token.kind == JSON_TOKEN_ARRAY_END)
                        return r < 0 ? r : 0;
                r = assign_token(nodes, directive, &token);
                if (r < 0)
                        return r;
        }
}

static int read_name(FlowNodes *nodes) {
        JsonToken token;
        int r = next_token(nodes, &token);

        if (r < 0)
                return r;
        if (token.kind != JSON_TOKEN_STRING || strlen(token.text) < token.n ||
            !unit_draft_name_is_of_instance(token.text))
                return refuse(nodes, "Node",
                              "'%s' is not a name of a node: a name has letters, digits, '_', '.' and '-', and at most "
                              "%d of them", token.text ? token.text : "", UNIT_NAME_MAX);
        nodes->section.name = strdup(token.text);
        return nodes->section.name ? 0 : -ENOMEM;
}

static int read_entry(FlowNodes *nodes, const char *key) {
        const Directive *directive;
        JsonToken token;
        int r;

        if (strcmp(key, "Node") == 0)
                return read_name(nodes);
        directive = directive_find(nodes->section.section, key);
        if (!directive)
                return refuse_key(nodes, key);
        r = next_token(nodes, &token);
        if (r < 0)
                return r;
        return token.kind == JSON_TOKEN_ARRAY ? read_array(nodes, directive) : assign_token(nodes, directive, &token);
}

static int read_object(FlowNodes *nodes) {
        JsonToken token;
        int r = next_token(nodes, &token);

        if (r < 0)
                return r;
        if (token.kind != JSON_TOKEN_OBJECT)
                return refuse(nodes, NULL, "The line is not a JSON object such as {\"Node\":\"name\"}");
        for (;;) {
                r = next_token(nodes, &token);
                if (r < 0)
                        return r;
                if (token.kind == JSON_TOKEN_OBJECT_END)
                        break;
                r = read_entry(nodes, token.text);
                if (r < 0)
                        return r;
        }
        r = next_token(nodes, &token);
        if (r == 0 && !nodes->section.name)
                return refuse(nodes, "Node", "The line has no name for its node");
        return r;
}

/* — nodes — */

static int open_section(FlowNodes *nodes) {
        int r;

        close_section(nodes);
        r = draft_section_init(&nodes->section, &flow_node_kind, nodes->draft);
        nodes->is_open = true;
        nodes->section.section = directive_section_find("Node *");
        nodes->section.file = nodes->path;
        nodes->section.line = nodes->line;
        return r;
}

/* Judges and completes what was read. */
static int finish_node(FlowNodes *nodes, size_t n_refusals) {
        cleanup_(resource_settings_freep) ResourceSettings *resources = NULL;
        UnitDraft *draft = nodes->draft;
        int r = unit_draft_parse_kept(draft, &nodes->section);

        if (r == 0 && draft->refusals.n > n_refusals) {
                const Directive *directive = draft->refusals.items[n_refusals].directive;

                draft->refusals.n = n_refusals;
                return refuse(nodes, directive->name, "This directive is not supported, and without it %s",
                              directive->reason);
        }
        if (r == 0)
                r = flow_complete_node(draft, &nodes->section);
        if (r == 0)
                r = flow_check_node(draft, &nodes->section);
        if (r == 0)
                r = unit_draft_settle_section(draft, &nodes->section, &resources);
        return r < 0 ? r : flow_take_process(&nodes->section);
}

static int read_line(FlowNodes *nodes, const char *text, size_t n, FlowNode **ret_node) {
        UnitDraft *draft = nodes->draft;
        size_t n_refusals = draft->refusals.n;
        bool was_broken = draft->is_broken, is_bad;
        int r = open_section(nodes);

        if (r < 0)
                return r;
        draft->is_broken = false;
        json_reader_begin(&nodes->json, text, n);
        r = n > FILE_LINE_MAX ? refuse(nodes, NULL, "The line is longer than 256 KiB") : read_object(nodes);
        if (r == 0)
                r = finish_node(nodes, n_refusals);
        draft->refusals.n = n_refusals;
        is_bad = draft->is_broken;
        draft->is_broken |= was_broken;
        if (r < 0 || is_bad)
                return r < 0 ? r : -EBADMSG;
        *ret_node = &((FlowNodeSettings *) nodes->section.own)->node;
        return 1;
}

int flow_nodes_next(FlowNodes *nodes, FlowNode **ret_node) {
        while (*nodes->next) {
                const char *text = nodes->next;
                size_t n = strcspn(text, "\n");

                nodes->next += n + (text[n] == '\n');
                nodes->line++;
                /* An empty line, mostly the last one. */
                if (strspn(text, " \t\r") < n)
                        return read_line(nodes, text, n, ret_node);
        }
        return 0;
}
