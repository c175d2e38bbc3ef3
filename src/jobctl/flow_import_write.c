/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workflow of another program, written as a flow
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/flow_import.h"
#include "jobctl/value.h"

/* The width at which a list of parents is continued in a new line. */
#define LIST_WIDTH 100U

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:=+/-";

void import_add_unspecified(Text *text, const char *value) {
        for (; *value; value++) {
                if (*value == '%')
                        text_add_char(text, '%');
                text_add_char(text, *value == '\n' ? ' ' : *value);
        }
}

static bool is_plain(const char *word) {
        return *word && word[strspn(word, plain)] == '\0';
}

void import_add_word(Text *text, const char *word) {
        if (is_plain(word)) {
                text_add(text, word);
                return;
        }
        text_add_char(text, '"');
        for (; *word; word++)
                if (*word == '%' || *word == '$') {
                        text_add_char(text, *word);
                        text_add_char(text, *word);
                } else if (*word == '"' || *word == '\\') {
                        text_add_char(text, '\\');
                        text_add_char(text, *word);
                } else if (*word == '\n')
                        text_add(text, "\\n");
                else if (*word == '\t')
                        text_add(text, "\\t");
                else if ((unsigned char) *word < ' ' || *word == '\x7f')
                        text_addf(text, "\\x%02x", (unsigned char) *word);
                else
                        text_add_char(text, *word);
        text_add_char(text, '"');
}

bool import_is_program(const char *program) {
        return is_plain(program) && (program[0] == '/' || !strchr(program, '/')) && !strchr("-+:", program[0]) &&
               program[strlen(program) - 1] != '/';
}

void import_add_setting(Text *text, const char *name, const char *value) {
        text_addf(text, "%s=", name);
        import_add_unspecified(text, value);
        text_add_char(text, '\n');
}

void import_add_environment(Text *text, const char *name, const char *value) {
        text_addf(text, "Environment=\"%s=", name);
        for (; *value; value++)
                if (*value == '%')
                        text_add(text, "%%");
                else if (*value == '\n')
                        text_add(text, "\\n");
                else if ((unsigned char) *value < ' ' || *value == '\x7f')
                        text_addf(text, "\\x%02x", (unsigned char) *value);
                else {
                        if (strchr("\"\\", *value))
                                text_add_char(text, '\\');
                        text_add_char(text, *value);
                }
        text_add(text, "\"\n");
}

void import_add_comment(Text *text, const char *comment) {
        text_add(text, "# ");
        for (; *comment; comment++)
                /* A backslash at the end of a line would continue it. */
                if (*comment == '\\' && (comment[1] == '\n' || !comment[1]))
                        text_add_char(text, '/');
                else if (*comment != '\n')
                        text_add_char(text, *comment);
                else if (comment[1])
                        text_add(text, "\n# ");
        text_add_char(text, '\n');
}

/* The value of Exec=. */
static void add_command(Text *text, const ImportTask *task) {
        if (task->is_shell) {
                text_addf(text, "%s -c ", task->shell ? task->shell : "/bin/bash");
                import_add_word(text, task->program);
        } else if (import_is_program(task->program))
                text_add(text, task->program);
        else if (is_plain(task->program)) {
                /* A path from the working directory, which only a shell follows. */
                text_add(text, "/bin/bash -c \"exec -- \\\"$$0\\\" \\\"$$@\\\"\" ");
                text_add(text, task->program);
        } else {
                text_add(text, "/bin/bash -c ");
                import_add_word(text, task->program);
                /* The shell's own name, so that the arguments are counted from $1. */
                if (task->arguments)
                        text_add(text, " bash");
        }
        strv_foreach(argument, task->arguments) {
                text_add_char(text, ' ');
                import_add_word(text, *argument);
        }
}

/* — sections — */

static void add_parents(Text *text, const ImportedFlow *flow, const ImportTask *task) {
        size_t begin = 0;

        for (size_t i = 0; i < task->parents.n; i++) {
                const char *name = flow->tasks.items[task->parents.items[i]].node;
                bool is_new = i == 0 || text->n - begin + strlen(name) >= LIST_WIDTH;

                if (is_new)
                        text_addf(text, "%sDependsOn", i > 0 ? "\n" : "");
                if (is_new)
                        begin = text->n;
                text_addf(text, "%c%s", is_new ? '=' : ' ', name);
        }
        if (task->parents.n > 0)
                text_add_char(text, '\n');
}

static void add_section(Text *text, const ImportedFlow *flow, const ImportTask *task) {
        text_addf(text, "\n[Node %s]\n", task->node);
        add_parents(text, flow, task);
        if (task->program) {
                text_add(text, "Exec=");
                add_command(text, task);
                text_add_char(text, '\n');
        }
        text_add(text, task->settings.n > 0 ? task->settings.string : "");
}

/* — JSON lines — */

static json_t *make_parents(const ImportedFlow *flow, const ImportTask *task) {
        json_t *parents = json_array();

        for (size_t i = 0; i < task->parents.n; i++)
                if (json_array_append_new(parents, json_string(flow->tasks.items[task->parents.items[i]].node)) < 0) {
                        json_decref(parents);
                        return NULL;
                }
        return parents;
}

static int add_line(Text *text, const ImportedFlow *flow, const ImportTask *task) {
        cleanup_json_ json_t *node = json_pack("{s:s}", "Node", task->node);
        cleanup_(text_deinit) Text command = {};
        cleanup_free_ char *line = NULL;
        int r = node ? 0 : -ENOMEM;

        if (r == 0 && task->program) {
                add_command(&command, task);
                r = command.error;
                if (r == 0 && json_object_set_new(node, "Exec", json_string(command.string)) < 0)
                        r = -ENOMEM;
        }
        if (r == 0 && task->parents.n > 0)
                r = json_object_set_new(node, "DependsOn", make_parents(flow, task)) < 0 ? -ENOMEM : 0;
        line = r == 0 ? json_dumps(node, JSON_COMPACT) : NULL;
        if (!line)
                return -ENOMEM;
        text_addf(text, "%s\n", line);
        return 0;
}

/* The beginning of a unit file. */
static void add_head(Text *text, const ImportedFlow *flow, const char *source) {
        char place[16] = "";

        if (flow->line > 0)
                snprintf(place, sizeof(place), ":%u", flow->line);
        text_addf(text, "# Imported from %s%s by 'jobctl flow import'\n[Unit]\nDescription=", source, place);
        import_add_unspecified(text, flow->description ? flow->description : source);
}

static void add_part(Text *text, const char *section, const Text *lines) {
        if (lines->n > 0)
                text_addf(text, "\n[%s]\n%s", section, lines->string);
}

int import_write_timer(const ImportedFlow *flow, const char *source, const char *unit, char **ret_timer) {
        cleanup_(text_deinit) Text text = {};

        *ret_timer = NULL;
        if (flow->timer.n == 0)
                return flow->timer.error;
        add_head(&text, flow, source);
        text_addf(&text, "\n\n[Timer]\n%sUnit=", flow->timer.string);
        import_add_unspecified(&text, unit);
        text_add(&text, "\n\n[Install]\nWantedBy=timers.target\n");
        return text_finish(&text, ret_timer);
}

/* -ENOMEM if that befell a text of the flow. */
static int error_of(const ImportedFlow *flow) {
        int r = MIN(MIN(flow->settings.error, flow->install.error), flow->timer.error);

        for (size_t i = 0; i < flow->tasks.n; i++)
                r = MIN(r, flow->tasks.items[i].settings.error);
        return r;
}

int import_write(const ImportedFlow *flow, const char *source, const char *nodes_file, char **ret_flow,
                 char **ret_nodes) {
        cleanup_(text_deinit) Text text = {}, nodes = {};
        cleanup_free_ char *unit = NULL;
        int r = error_of(flow);

        add_head(&text, flow, source);
        if (nodes_file) {
                text_add(&text, "\n\n[Flow]\nNodesFile=");
                import_add_unspecified(&text, nodes_file);
        }
        text_add_char(&text, '\n');
        add_part(&text, "Flow", &flow->settings);
        for (size_t i = 0; r == 0 && i < flow->order.n; i++)
                if (nodes_file)
                        r = add_line(&nodes, flow, &flow->tasks.items[flow->order.items[i]]);
                else
                        add_section(&text, flow, &flow->tasks.items[flow->order.items[i]]);
        add_part(&text, "Install", &flow->install);
        if (r == 0)
                r = text_finish(&text, &unit);
        if (r == 0 && nodes_file)
                r = text_finish(&nodes, ret_nodes);
        if (r < 0)
                return r;
        if (!nodes_file)
                *ret_nodes = NULL;
        *ret_flow = take_ptr(unit);
        return 0;
}
