/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow graph: the nodes of a flow and what they wait for, in the language of graphviz
 *
 * The graph is that of the files, which are read as verify reads them, so that
 * no manager is needed. A run adds the states of its nodes.
 */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"
#include "jobctl/offline.h"
#include "unitfile/flow_graph.h"
#include "unitfile/unit_file.h"

typedef struct Drawing {
        Jobctl *ctl; /* borrowed */
        const char *name; /* borrowed: of the flow or run */
        json_t *states; /* owned: of nodes, by name; NULL: no run is drawn */
        json_t *document; /* owned: with --json */
        BusError problem; /* the first, with --json */
        unsigned n_errors;
        bool is_drawn;
} Drawing;

static void drawing_deinit(Drawing *drawing) {
        json_decref(drawing->states);
        json_decref(drawing->document);
        bus_error_deinit(&drawing->problem);
}

/* — dot — */

/* Names of nodes have no character that a string of dot would need to escape; those of files may. */
static void print_quoted(const char *name) {
        putchar('"');
        for (const char *c = name; *c; c++) {
                if (*c == '"' || *c == '\\')
                        putchar('\\');
                putchar(*c);
        }
        putchar('"');
}

static const char *color_of(const char *state) {
        static const struct {
                const char *state, *color;
        } colors[] = {
                { "SUCCEEDED", "palegreen" }, { "RUNNING", "lightskyblue" }, { "FAILED", "salmon" },
                { "TIMEOUT", "salmon" },      { "PENDING", "gold" },         { "BLOCKED", "gold" },
                { "SKIPPED", "lightgrey" },   { "CANCELLED", "lightgrey" },
        };

        for (size_t i = 0; i < ELEMENTSOF(colors); i++)
                if (text_equal(colors[i].state, state))
                        return colors[i].color;
        return "white";
}

/* Without Readiness= the parents have to succeed; other edges only may contribute. */
static const char *style_of(FlowDependencyKind kind) {
        switch (kind) {
        case FLOW_DEPENDS_ON:
                return "";
        case FLOW_OPTIONAL_DEPENDS_ON:
                return " [style=dotted]";
        case FLOW_ANY_OF:
                return " [style=dashed]";
        case _FLOW_DEPENDENCY_MAX:
                break;
        }
        return "";
}

static void print_node(const Drawing *drawing, const char *name, bool is_branch) {
        const char *state = drawing->states ? json_string_value(json_object_get(drawing->states, name)) : NULL;

        printf("\t\"%s\"", name);
        if (state)
                printf(" [label=\"%s\\n%s\", fillcolor=%s%s]", name, state, color_of(state),
                       is_branch ? ", shape=diamond" : "");
        else if (is_branch)
                printf(" [shape=diamond]");
        puts(";");
}

static void print_dot(Drawing *drawing, const FlowGraph *graph) {
        fputs("digraph ", stdout);
        print_quoted(drawing->name);
        puts(" {\n\trankdir=LR;\n\tnode [shape=box, style=\"rounded,filled\", fillcolor=white];");
        for (size_t i = 0; i < graph->nodes.n; i++)
                print_node(drawing, graph->nodes.items[i].name,
                           graph->nodes.items[i].has_condition || graph->nodes.items[i].is_otherwise);
        for (size_t i = 0; i < graph->nodes.n; i++) {
                const FlowGraphNode *node = &graph->nodes.items[i];

                for (uint32_t e = node->first; e < node->first + node->n; e++) {
                        const FlowGraphEdge *edge = &graph->edges.items[e];

                        printf("\t\"%s\" -> \"%s\"%s;\n", edge->name, node->name, style_of(edge->kind));
                }
        }
        puts("}");
}

/* — JSON — */

static int make_document(Drawing *drawing, const FlowGraph *graph) {
        json_t *nodes = json_array(), *edges = json_array();

        drawing->document = json_pack("{s:s, s:o, s:o}", "name", drawing->name, "nodes", nodes, "edges", edges);
        for (size_t i = 0; drawing->document && i < graph->nodes.n; i++) {
                const FlowGraphNode *node = &graph->nodes.items[i];
                json_t *state = drawing->states ? json_object_get(drawing->states, node->name) : NULL;
                json_t *item = json_pack("{s:s, s:b}", "node", node->name, "condition",
                                         node->has_condition || node->is_otherwise);

                if (state)
                        json_object_set(item, "state", state);
                json_array_append_new(nodes, item);
                for (uint32_t e = node->first; e < node->first + node->n; e++)
                        json_array_append_new(edges, json_pack("{s:s, s:s, s:s}", "from", graph->edges.items[e].name,
                                                               "to", node->name, "kind",
                                                               flow_dependency_to_string(graph->edges.items[e].kind)));
        }
        return drawing->document ? 0 : -ENOMEM;
}

/* — the files — */

/* A run keeps the graph that it was submitted with, which the files may have no more. */
static void compare_nodes(const Drawing *drawing, const FlowGraph *graph) {
        size_t n_known = 0;

        for (size_t i = 0; i < graph->nodes.n; i++)
                n_known += json_object_get(drawing->states, graph->nodes.items[i].name) != NULL;
        if (n_known != graph->nodes.n || n_known != json_object_size(drawing->states))
                terminal_say(stderr,
                             "The files of the flow have changed since %s was submitted; this is the graph "
                             "that they have now.",
                             drawing->name);
}

static int receive_graph(void *userdata, const FlowGraph *graph) {
        Drawing *drawing = userdata;

        drawing->is_drawn = true;
        if (drawing->states)
                compare_nodes(drawing, graph);
        if (drawing->ctl->options.json)
                return make_document(drawing, graph);
        print_dot(drawing, graph);
        return 0;
}

/* On standard error; or with --json as the document, if it is the first. */
static void complain(Drawing *drawing, const char *place, unsigned line, const char *problem) {
        char number[16] = "";

        if (line > 0)
                snprintf(number, sizeof(number), ":%u", line);
        if (!drawing->ctl->options.json)
                terminal_say(stderr, "%s%s: error: %s", place, number, problem);
        else if (!drawing->problem.name)
                bus_error_set(&drawing->problem, "org.jobd1.LoadFailed", "%s%s: %s", place, number, problem);
}

static int fail(Drawing *drawing) {
        const int status = drawing->ctl->options.json ? jobctl_fail(drawing->ctl, &drawing->problem, NULL) : 0;

        return status < 0 ? status : EXIT_FAILED;
}

static void receive_message(void *userdata, const UnitFileDiagnostic *message) {
        Drawing *drawing = userdata;

        if (message->severity != UNIT_FILE_ERROR)
                return;
        drawing->n_errors++;
        complain(drawing, message->file ?: message->unit ?: "", message->line, message->message);
}

static int draw_files(Drawing *drawing, const char *path, char *const *search_path) {
        Jobctl *ctl = drawing->ctl;
        UnitFileOptions options = { .is_user = ctl->address.is_user,
                                    .search_path = search_path,
                                    .receiver = receive_message,
                                    .receive_graph = receive_graph,
                                    .userdata = drawing };
        int r = unit_file_verify(path, &options);

        if (r == -ENOMEM)
                return r;
        if (r < 0)
                complain(drawing, path, 0, strerror(-r));
        else if (!drawing->is_drawn && drawing->n_errors == 0)
                complain(drawing, path, 0, "This is not a flow.");
        if (!drawing->is_drawn)
                return fail(drawing);
        return ctl->options.json ? jobctl_print_json(ctl, take_ptr(drawing->document), EXIT_OK) : EXIT_OK;
}

/* — what is drawn — */

/* "7" and "nightly-7" are runs; a flow of such a name is written with its suffix. */
static bool is_run(const char *word) {
        const char *dash = strrchr(word, '-'), *number = dash ? dash + 1 : word;

        return *number && number[strspn(number, "0123456789")] == '\0' && !strchr(word, '/');
}

static int draw_run(Drawing *drawing, const char *word) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_(strv_freep) char **search_path = NULL;
        cleanup_json_ json_t *run = NULL, *nodes = NULL;
        cleanup_free_ char *path = NULL;
        json_t *node;
        uint64_t id;
        size_t i;
        int r = jobctl_connect(drawing->ctl);

        if (r == 0)
                r = flow_parse_run(drawing->ctl, word, &id);
        if (r != 0)
                return r;
        r = text_format(&path, BUS_PATH "/run/%" PRIu64, id);
        if (r == 0)
                r = flow_get(drawing->ctl, id, &run, &error);
        if (r == 0)
                r = flow_query(drawing->ctl, path, "Nodes", json_object(), SIZE_MAX, &nodes, &error);
        if (r == 0)
                r = offline_search_path(drawing->ctl, &search_path);
        if (r < 0)
                return jobctl_fail(drawing->ctl, &error, "draw run %" PRIu64, id);
        drawing->states = json_object();
        /* Compensations, the final command (@final) and instances (scan[0]) are no nodes of the files. */
        json_array_foreach(nodes, i, node)
                if (!strpbrk(value_string(node, "node"), "@["))
                        json_object_set(drawing->states, value_string(node, "node"), json_object_get(node, "state"));
        drawing->name = value_string(run, "name");
        return draw_files(drawing, value_string(run, "unit"), search_path);
}

static int draw_unit(Drawing *drawing, const char *word) {
        Jobctl *ctl = drawing->ctl;
        cleanup_(installer_freep) Installer *installer = NULL;
        cleanup_(strv_freep) char **search_path = NULL;
        cleanup_free_ char *unit = NULL;
        int r = name_mangle(word, ".flow", &unit);

        if (r == -EINVAL || (r == 0 && !text_ends_with(unit, ".flow")))
                return jobctl_misused(ctl, "'%s' is neither a flow nor a run nor a file.", word);
        if (r == 0)
                r = offline_open(ctl, &installer);
        if (r == 0)
                r = offline_search_path(ctl, &search_path);
        drawing->name = unit;
        return r != 0 ? r : draw_files(drawing, unit, search_path);
}

static int draw_path(Drawing *drawing, const char *path) {
        Jobctl *ctl = drawing->ctl;
        cleanup_(strv_freep) char **search_path = NULL;
        int r = unit_file_search_path(ctl->address.is_user, ctl->options.with_systemd_units, ctl->options.unit_path,
                                      &search_path);

        drawing->name = strrchr(path, '/') + 1;
        return r < 0 ? r : draw_files(drawing, path, search_path);
}

int flow_draw(Jobctl *ctl, char *const *words) {
        cleanup_(drawing_deinit) Drawing drawing = { .ctl = ctl };

        if (!words[0] || words[1])
                return jobctl_misused(ctl, "'flow graph' takes a flow, a run, or the path of a file.");
        jobctl_choose_manager(ctl);
        if (strchr(words[0], '/'))
                return draw_path(&drawing, words[0]);
        return is_run(words[0]) ? draw_run(&drawing, words[0]) : draw_unit(&drawing, words[0]);
}
