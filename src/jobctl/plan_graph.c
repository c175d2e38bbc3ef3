/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A plan as a graph, in the language of graphviz
 *
 * The requested jobs are at the left, their consequences at the right; arrows
 * point to the jobs that are pulled in or waited for, so time runs from right
 * to left. Colours only repeat what shapes, lines and words say. Nodes have
 * generated ids: unit names are only in labels, broken into lines.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/plan_action.h"
#include "jobctl/plan_edges.h"
#include "jobctl/plan_graph.h"
#include "jobctl/value.h"

#define NAME_COLUMNS 30U
#define NAME_LINES 4U
#define TITLE_COLUMNS 100U
#define TITLE_LINES 6U
#define REASON_COLUMNS 46U
#define REASON_LINES 8U
/* With more jobs left out, the reasons are only in the tooltips. */
#define REASONS_MAX 12U

/* Names are broken after these characters, and before a backslash. */
static const char name_breaks[] = "-.@_:";

static bool is_continuation(char c) {
        return ((unsigned char) c & 0xC0) == 0x80;
}

/* Escapes a character for a quoted string: graphviz knows escapes, and entities as in HTML. */
static void add_char(Text *dot, char c) {
        if (c == '&')
                text_add(dot, "&amp;");
        else if (c == '\n')
                text_add(dot, "\\n");
        else if ((unsigned char) c < 0x20 || c == 0x7F)
                text_add_char(dot, '?');
        else {
                if (c == '"' || c == '\\')
                        text_add_char(dot, '\\');
                text_add_char(dot, c);
        }
}

static void add_plain(Text *dot, const char *string) {
        for (const char *c = string; *c; c++)
                add_char(dot, *c);
}

static void add_attribute(Text *dot, const char *name, const char *value) {
        text_addf(dot, "%s=\"", name);
        add_plain(dot, value);
        text_add_char(dot, '"');
}

/* How much of @string goes into a line: up to a place where it may be broken, if there is one. */
static size_t line_length(const char *string, const char *breaks, size_t n_columns) {
        size_t n = 0, columns = 0, good = 0;

        while (string[n] && columns < n_columns) {
                columns++;
                do
                        n++;
                while (is_continuation(string[n]));
                if (strchr(breaks, string[n - 1]) || (string[n] == '\\' && breaks == name_breaks))
                        good = n;
        }
        if (!string[n])
                return n;
        return good > n / 3 ? good : n;
}

static void add_lines(Text *dot, const char *string, const char *breaks, size_t n_columns, size_t n_lines) {
        for (size_t line = 0; *string; line++) {
                size_t n = line_length(string, breaks, n_columns);

                if (line > 0)
                        text_add(dot, "\\n");
                for (size_t i = 0; i < n; i++)
                        add_char(dot, string[i]);
                string += n;
                if (line + 1 == n_lines && *string) {
                        text_add(dot, "…");
                        return;
                }
        }
}

static void add_name(Text *dot, const char *name) {
        add_lines(dot, name, name_breaks, NAME_COLUMNS, NAME_LINES);
}

static void add_sentence(Text *dot, const char *sentence, size_t n_columns, size_t n_lines) {
        add_lines(dot, sentence, " ", n_columns, n_lines);
}

static void add_title(Text *dot, const json_t *plan, const char *title) {
        size_t n = json_array_size(json_object_get(plan, "jobs"));
        size_t n_dropped = json_array_size(json_object_get(plan, "dropped"));
        size_t n_canceled = json_array_size(json_object_get(plan, "canceled"));

        text_add(dot, "  label=\"");
        add_sentence(dot, title, TITLE_COLUMNS, TITLE_LINES);
        if (value_bool(plan, "ok")) {
                text_addf(dot, "\\n%zu %s", n, n == 1 ? "job" : "jobs");
                if (n_dropped > 0)
                        text_addf(dot, ", %zu left out", n_dropped);
                if (n_canceled > 0)
                        text_addf(dot, ", %zu canceled", n_canceled);
        } else {
                text_add(dot, "\\nwould be refused: ");
                add_sentence(dot, value_string(plan, "message"), TITLE_COLUMNS, TITLE_LINES);
        }
        text_add(dot, "\\n \";\n");
}

static const char *look_of(const char *type) {
        if (strcmp(type, "start") == 0)
                return "shape=box, style=\"rounded,filled\", fillcolor=\"#dff0dc\"";
        if (strcmp(type, "stop") == 0)
                return "shape=octagon, style=filled, fillcolor=\"#f6dcd8\"";
        return "shape=box, style=filled, fillcolor=\"#f7efc8\"";
}

/* Whether a unit with such a job usually has this state. */
static bool is_usual_state(const char *type, const char *state) {
        return !*state || strcmp(state, strcmp(type, "start") == 0 ? "inactive" : "active") == 0;
}

static int add_job(Text *dot, size_t at, const json_t *job) {
        const char *type = value_string(job, "type"), *state = value_string(job, "state");
        cleanup_free_ char *action = NULL;
        int r = plan_format_action(job, &action);

        if (r < 0)
                return r;
        text_addf(dot, "  j%zu [label=\"", at);
        add_name(dot, value_string(job, "unit"));
        text_addf(dot, "\\n%s", type);
        if (!is_usual_state(type, state))
                text_addf(dot, ", is %s", state);
        if (strcmp(action, "new") != 0) {
                text_add(dot, "\\n");
                add_sentence(dot, action, NAME_COLUMNS, NAME_LINES);
        }
        text_addf(dot, "\", %s%s, ", look_of(type), value_bool(job, "anchor") ? ", penwidth=3" : "");
        add_attribute(dot, "tooltip", value_string(job, "why"));
        text_add(dot, "];\n");
        return 0;
}

static void add_aside(Text *dot, const char *prefix, size_t at, const json_t *job, const char *what, bool with_reason) {
        text_addf(dot, "    %s%zu [label=\"", prefix, at);
        add_name(dot, value_string(job, "unit"));
        text_addf(dot, "\\n%s: %s", value_string(job, "type"), what);
        if (with_reason) {
                text_add(dot, "\\n");
                add_sentence(dot, value_string(job, "why"), REASON_COLUMNS, REASON_LINES);
        }
        text_add(dot, "\", ");
        add_attribute(dot, "tooltip", value_string(job, "why"));
        text_add(dot, "];\n");
}

static void open_cluster(Text *dot, const char *name, const char *label) {
        text_addf(dot, "  subgraph cluster_%s {\n    label=\"%s\"; fontsize=11; style=dashed; color=gray50;\n"
                       "    node [shape=box, style=dashed, fontsize=9, color=gray40];\n", name, label);
}

/* Left out because there is nothing to do: such jobs are many and of little interest. */
static bool is_routine(const json_t *drop) {
        const char *rule = value_string(drop, "rule");

        return strcmp(rule, "redundant") == 0 || strcmp(rule, "unreached") == 0;
}

static void add_routine(Text *dot, const json_t *dropped) {
        cleanup_(text_deinit) Text names = {};
        cleanup_free_ char *list = NULL;
        json_t *drop;
        size_t i, n = 0;

        json_array_foreach(dropped, i, drop)
                if (is_routine(drop))
                        text_addf(&names, "%s%s", n++ > 0 ? ", " : "", value_string(drop, "unit"));
        if (n == 0)
                return;
        if (text_finish(&names, &list) < 0) {
                dot->error = -ENOMEM;
                return;
        }
        text_addf(dot, "    routine [style=dotted, label=\"nothing to do for %zu:\\n", n);
        add_sentence(dot, list, REASON_COLUMNS, REASON_LINES);
        text_add(dot, "\", ");
        add_attribute(dot, "tooltip", list);
        text_add(dot, "];\n");
}

static void add_dropped(Text *dot, const json_t *dropped) {
        size_t n = 0, i;
        json_t *drop;

        if (json_array_size(dropped) == 0)
                return;
        json_array_foreach(dropped, i, drop)
                n += !is_routine(drop);
        open_cluster(dot, "dropped", "left out");
        add_routine(dot, dropped);
        json_array_foreach(dropped, i, drop)
                if (!is_routine(drop))
                        add_aside(dot, "d", i, drop, value_string(drop, "rule"), n <= REASONS_MAX);
        text_add(dot, "  }\n");
}

static void add_canceled(Text *dot, const json_t *canceled) {
        json_t *job;
        size_t i;

        if (json_array_size(canceled) == 0)
                return;
        open_cluster(dot, "canceled", "canceled");
        json_array_foreach(canceled, i, job) {
                char what[32];

                snprintf(what, sizeof(what), "job %" PRIu64, value_u64(job, "id"));
                add_aside(dot, "c", i, job, what, false);
        }
        text_add(dot, "  }\n");
}

/* — edges — */

#define NEEDED "style=solid"
#define WANTED "style=dashed"
#define ORDER "style=dotted, color=gray30"
#define WAITS ", arrowhead=normal"
#define RUNS_BESIDE ", arrowhead=onormal"

/* Edges that their line style already tells apart need no label. */
static bool has_label(const PlanEdge *edge) {
        static const char *const plain[] = { "Requires", "RequiredBy", "Wants", "WantedBy" };

        for (size_t i = 0; edge->relation && i < ELEMENTSOF(plain); i++)
                if (strcmp(plain[i], edge->relation) == 0)
                        return false;
        return edge->relation;
}

static void add_edge(Text *dot, const PlanEdges *edges, const PlanEdge *edge) {
        text_addf(dot, "  j%u -> j%u [%s%s", edge->from, edge->to,
                  !edge->relation ? ORDER : edge->is_needed ? NEEDED : WANTED, edge->waits ? WAITS : RUNS_BESIDE);
        if (has_label(edge)) {
                text_add(dot, ", ");
                add_attribute(dot, "label", edge->relation);
        }
        if (!edge->relation && plan_edges_find(edges, edge->to, edge->from))
                text_add(dot, ", constraint=false");
        text_add(dot, "];\n");
}

static void add_sample(Text *dot, const char *name, const char *look, const char *meaning) {
        text_addf(dot, "    %s_a [label=\"\", shape=point, width=0.05];\n    %s_b [label=\"%s\"];\n"
                       "    %s_a -> %s_b [%s];\n", name, name, meaning, name, name, look);
}

static void add_legend(Text *dot) {
        text_add(dot, "  subgraph cluster_legend {\n    fontsize=9; style=dotted; color=gray60;\n"
                      "    label=\"round: start · octagon: stop\\nsquare: restart, reload, …\\nthick: requested\";\n"
                      "    node [shape=plaintext, fontsize=9, height=0.15, margin=\"0.05,0.01\"];\n");
        add_sample(dot, "order", ORDER WAITS, "only waits for it");
        add_sample(dot, "beside", NEEDED RUNS_BESIDE, "needs it, and runs at the same time");
        add_sample(dot, "wanted", WANTED WAITS, "wants it, and waits for it");
        add_sample(dot, "needed", NEEDED WAITS, "needs it, and waits for it");
        text_add(dot, "  }\n");
}

int plan_format_dot(const json_t *plan, const char *title, char **ret_dot) {
        const json_t *jobs = json_object_get(plan, "jobs");
        cleanup_(text_deinit) Text dot = {};
        PlanEdges edges;
        json_t *job;
        size_t i;
        int r;

        r = plan_edges_read(plan, &edges);
        if (r < 0)
                return r;

        text_add(&dot, "digraph plan {\n"
                       "  charset=\"UTF-8\"; rankdir=LR; nodesep=0.12; ranksep=0.5; labelloc=t; fontsize=15;\n"
                       "  fontname=\"Helvetica,Arial,sans-serif\"; tooltip=\" \";\n"
                       "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, height=0.3, "
                       "margin=\"0.12,0.05\"];\n"
                       "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, arrowsize=0.7];\n");
        add_title(&dot, plan, title);
        json_array_foreach(jobs, i, job)
                if (r == 0)
                        r = add_job(&dot, i, job);
        for (i = 0; i < edges.n; i++)
                if (!edges.items[i].is_implied)
                        add_edge(&dot, &edges, &edges.items[i]);
        vector_deinit(&edges);
        add_dropped(&dot, json_object_get(plan, "dropped"));
        add_canceled(&dot, json_object_get(plan, "canceled"));
        add_legend(&dot);
        text_add(&dot, "}\n");
        return r < 0 ? r : text_finish(&dot, ret_dot);
}
