/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the nodes of a flow to its graph
 *
 * All steps are linear in nodes and edges, and none is recursive: a flow may
 * be a chain of its 100,000 nodes.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "run/run_word.h"
#include "unitfile/flow_graph.h"

/* A similar name is looked for in a flow that a person has written. */
#define NEAREST_MAX 1000U
/* Edges of a cycle that a message has. */
#define SHOWN_MAX 20U

#define NO_NODE UINT32_MAX

void flow_graph_deinit(FlowGraph *graph) {
        vector_deinit(&graph->nodes);
        vector_deinit(&graph->edges);
        vector_deinit(&graph->references);
        vector_deinit(&graph->inputs);
        vector_deinit(&graph->outputs);
        index_table_deinit(&graph->by_name);
        arena_deinit(&graph->names);
}

static int refuse(FlowGraph *graph, const FlowPlace *place, const char *setting, const char *format, ...)
        printf_(4, 5);

static int refuse(FlowGraph *graph, const FlowPlace *place, const char *setting, const char *format, ...) {
        cleanup_free_ char *message = NULL;
        va_list args;
        int r;

        graph->is_broken = true;
        va_start(args, format);
        r = text_vformat(&message, format, args);
        va_end(args);
        return r < 0 ? r : unit_draft_refuse(graph->draft, place->file, place->line, setting, "%s.", message);
}

static uint32_t find(const FlowGraph *graph, const char *name) {
        size_t probe = 0;
        uint32_t at;

        while (index_table_next(&graph->by_name, index_table_hash(name), &probe, &at))
                if (strcmp(graph->nodes.items[at].name, name) == 0)
                        return at;
        return NO_NODE;
}

/* — nodes — */

static int add_edges(FlowGraph *graph, const FlowNode *node) {
        int r = vector_reserve(&graph->edges, node->depends_on.n);

        for (size_t i = 0; r == 0 && i < node->depends_on.n; i++) {
                const FlowDependency *dependency = &node->depends_on.items[i];
                FlowGraphEdge edge = { .parent = NO_NODE, .place = dependency->place, .kind = dependency->kind };

                edge.name = arena_strdup(&graph->names, dependency->name);
                if (!edge.name)
                        return -ENOMEM;
                r = vector_push(&graph->edges, edge);
        }
        return r;
}

static int add_reference(FlowGraph *graph, const RunReference *reference, const char *setting, FlowPlace place) {
        const bool is_of_flow = strcmp(setting, "FinalExec") == 0;
        FlowGraphReference entry = { .node = is_of_flow ? NO_NODE : (uint32_t) graph->nodes.n,
                                     .setting = setting,
                                     .place = place,
                                     .is_of_end = is_of_flow || strcmp(setting, "Compensate") == 0 };

        if (reference->kind != RUN_REFERENCE_STATE && reference->kind != RUN_REFERENCE_RESULT &&
            reference->kind != RUN_REFERENCE_CAUSE)
                return 0;
        entry.name = arena_strdup(&graph->names, reference->name);
        return entry.name ? vector_push(&graph->references, entry) : -ENOMEM;
}

static int add_references_of(FlowGraph *graph, const char *text, const char *setting, FlowPlace place) {
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_free_ char *problem = NULL;
        const RunReference *references;
        size_t n;
        int r = text ? run_expression_parse(text, &expression, &problem) : -EINVAL;

        if (r < 0)
                return r == -EINVAL ? 0 : r;
        references = run_expression_references(expression, &n);
        for (size_t i = 0; i < n && r == 0; i++)
                r = add_reference(graph, &references[i], setting, place);
        return r;
}

static int add_references_of_words(FlowGraph *graph, char *const *words, const char *setting, FlowPlace place) {
        int r = 0;

        for (char *const *text = words; text && *text && r == 0; text++) {
                cleanup_(run_word_freep) RunWord *word = NULL;
                cleanup_free_ char *problem = NULL;

                if (!strstr(*text, "%{"))
                        continue;
                r = run_word_parse(*text, &word, &problem);
                for (size_t i = 0; r == 0 && i < run_word_count(word); i++)
                        r = add_reference(graph, run_word_reference(word, i), setting, place);
                r = r == -EINVAL ? 0 : r;
        }
        return r;
}

static int add_references_of_command(FlowGraph *graph, const ExecCommand *command, const char *setting) {
        return command ? add_references_of_words(graph, command->argv, setting,
                                                 (FlowPlace) { .file = command->file, .line = command->line })
                       : 0;
}

static int add_outputs(FlowGraph *graph, const FlowNode *node) {
        int r = 0;

        strv_foreach(output, node->data.outputs) {
                const char *key = arena_strdup(&graph->names, *output);

                r = key ? vector_push(&graph->outputs, key) : -ENOMEM;
                if (r < 0)
                        break;
        }
        return r;
}

/* The names that neither parameters nor Data= give. */
static int add_inputs(FlowGraph *graph, const FlowNode *node) {
        const FlowSettings *flow = graph->draft->section.own;
        int r = 0;

        for (size_t i = 0; i < node->data.inputs.n && r == 0; i++) {
                const FlowInput *input = &node->data.inputs.items[i];
                const FlowPlace place = { .file = input->file, .line = input->line };
                const char *text = input->node ? input->node : input->key, *copy;

                /* The keys of a DataFile= are known when an attempt begins. */
                if (!input->node && (run_params_find(&flow->params, text) || flow_data_has(&node->data, text) ||
                                     node->data.data_file || strcmp(text, FLOW_ALL_INPUTS) == 0))
                        continue;
                copy = arena_strdup(&graph->names, text);
                if (!copy)
                        return -ENOMEM;
                if (input->node)
                        r = vector_push(&graph->references,
                                        ((FlowGraphReference) { .node = (uint32_t) graph->nodes.n,
                                                                .name = copy,
                                                                .setting = "Inputs",
                                                                .place = place }));
                else
                        r = vector_push(&graph->inputs,
                                        ((FlowGraphInput) { (uint32_t) graph->nodes.n, copy, place }));
        }
        return r;
}

int flow_graph_add(FlowGraph *graph, const FlowNode *node) {
        FlowGraphNode entry = {
                .place = node->place,
                .readiness_place = node->readiness_place,
                .readiness = node->readiness,
                .failure = flow_node_failure(graph->draft->section.own, node),
                .first = (uint32_t) graph->edges.n,
                .n = (uint32_t) node->depends_on.n,
                .first_output = (uint32_t) graph->outputs.n,
                .n_outputs = (uint32_t) strv_length(node->data.outputs),
                .has_condition = node->when,
                .is_otherwise = node->otherwise,
                .is_foreach = node->foreach,
        };
        uint32_t other = find(graph, node->name);
        int r;

        for (size_t i = 0; i < node->depends_on.n; i++)
                entry.n_judged += node->depends_on.items[i].kind == FLOW_DEPENDS_ON;
        if (other != NO_NODE) {
                const FlowPlace *place = &graph->nodes.items[other].place;

                return refuse(graph, &node->place, NULL, "There is a node %s already, in line %u of %s", node->name,
                              place->line, place->file);
        }
        if (graph->nodes.n == FLOW_NODES_MAX)
                return graph->is_broken ? 0 : refuse(graph, &node->place, NULL, "The flow has more than %u nodes",
                                                     FLOW_NODES_MAX);
        entry.name = arena_strdup(&graph->names, node->name);
        r = entry.name ? add_edges(graph, node) : -ENOMEM;
        if (r == 0)
                r = add_references_of(graph, node->when, "When", node->when_place);
        if (r == 0)
                r = add_references_of(graph, node->foreach, "Foreach", node->foreach_place);
        if (r == 0)
                r = add_references_of_words(graph, node->sub_params, "SubParams", node->sub_params_place);
        if (r == 0)
                r = add_references_of_command(graph, node->command, "Exec");
        if (r == 0)
                r = add_references_of_command(graph, node->compensation, "Compensate");
        if (r == 0)
                r = add_inputs(graph, node);
        if (r == 0)
                r = add_outputs(graph, node);
        if (r == 0)
                r = vector_push(&graph->nodes, entry);
        return r < 0 ? r : index_table_put(&graph->by_name, index_table_hash(entry.name),
                                           (uint32_t) (graph->nodes.n - 1));
}

int flow_graph_add_sections(FlowGraph *graph) {
        const UnitDraft *draft = graph->draft;
        int r = add_references_of_command(graph, ((const FlowSettings *) draft->section.own)->final, "FinalExec");

        for (size_t i = 0; r == 0 && i < draft->instances.n; i++)
                if (draft_section_is_node(draft->instances.items[i]))
                        r = flow_graph_add(graph, &((const FlowNodeSettings *) draft->instances.items[i]->own)->node);
        return r;
}

/* — edges — */

static int tell_unknown(FlowGraph *graph, const FlowGraphNode *node, const FlowGraphEdge *edge) {
        const char *names[NEAREST_MAX], *nearest = NULL;

        if (graph->nodes.n <= NEAREST_MAX) {
                for (size_t i = 0; i < graph->nodes.n; i++)
                        names[i] = graph->nodes.items[i].name;
                nearest = text_nearest(edge->name, names, graph->nodes.n);
        }
        return refuse(graph, &edge->place, flow_dependency_to_string(edge->kind),
                      "Node %s depends on %s, and there is no such node%s%s%s", node->name, edge->name,
                      nearest ? " (did you mean " : "", nearest ? nearest : "",
                      nearest ? "?)" : "");
}

/* Finds the parents of node @at. @seen has, for each node, the last node that names it, counted from 1. */
static int resolve_edges(FlowGraph *graph, uint32_t at, uint32_t *seen) {
        const FlowGraphNode *node = &graph->nodes.items[at];
        int r = 0;

        for (uint32_t i = node->first; r == 0 && i < node->first + node->n; i++) {
                FlowGraphEdge *edge = &graph->edges.items[i];

                edge->parent = find(graph, edge->name);
                if (edge->parent == NO_NODE)
                        r = tell_unknown(graph, node, edge);
                else if (edge->parent == at)
                        r = refuse(graph, &edge->place, flow_dependency_to_string(edge->kind),
                                   "Node %s depends on itself", node->name);
                else if (seen[edge->parent] == at + 1)
                        r = refuse(graph, &edge->place, flow_dependency_to_string(edge->kind),
                                   "Node %s depends on %s twice", node->name, edge->name);
                else
                        seen[edge->parent] = at + 1;
        }
        return r;
}

/* A share that no number of parents reaches. */
static int check_readiness(FlowGraph *graph, const FlowGraphNode *node) {
        const FlowReadiness *readiness = &node->readiness;

        /* How many instances such a parent has is not known yet. */
        for (uint32_t i = node->first; i < node->first + node->n; i++) {
                const uint32_t parent = graph->edges.items[i].parent;

                if (parent != NO_NODE && graph->nodes.items[parent].is_foreach)
                        return 0;
        }
        if (readiness->kind != FLOW_READY_AT_LEAST ||
            (node->n_judged > 0 && (readiness->is_percent || readiness->n <= node->n_judged)))
                return 0;
        return refuse(graph, &node->readiness_place, "Readiness",
                      "Node %s would never be ready: at least %u%s of its parents are to succeed, and it has %u",
                      node->name, readiness->n, readiness->is_percent ? "%" : "", node->n_judged);
}

/* — cycles — */

/* Clears .n_open of each node that does not wait, over any number of edges, for a cycle. */
static int release(const FlowGraph *graph, uint32_t *n_open) {
        size_t n = graph->nodes.n;
        cleanup_free_ uint32_t *first = calloc(n + 1, sizeof(*first));          /* of the children of each node … */
        cleanup_free_ uint32_t *children = calloc(graph->edges.n + 1, sizeof(*children));
        cleanup_free_ uint32_t *ready = calloc(n + 1, sizeof(*ready));
        size_t n_ready = 0;

        if (!first || !children || !ready)
                return -ENOMEM;
        for (size_t i = 0; i < graph->edges.n; i++)
                first[graph->edges.items[i].parent]++;
        for (size_t i = 1; i <= n; i++)
                first[i] += first[i - 1];               /* … after this one past their end … */
        for (uint32_t i = 0; i < n; i++) {
                const FlowGraphNode *node = &graph->nodes.items[i];

                n_open[i] = node->n;
                if (node->n == 0)
                        ready[n_ready++] = i;
                for (uint32_t k = node->first; k < node->first + node->n; k++)
                        children[--first[graph->edges.items[k].parent]] = i;    /* … and after this their first */
        }
        for (size_t at = 0; at < n_ready; at++)
                for (uint32_t k = first[ready[at]]; k < first[ready[at] + 1]; k++)
                        if (--n_open[children[k]] == 0)
                                ready[n_ready++] = children[k];
        return 0;
}

/* An edge of @node to a parent that waits for a cycle, too. */
static const FlowGraphEdge *open_edge(const FlowGraph *graph, const uint32_t *n_open, uint32_t node) {
        const FlowGraphNode *entry = &graph->nodes.items[node];

        for (uint32_t k = entry->first; k < entry->first + entry->n; k++)
                if (n_open[graph->edges.items[k].parent] > 0)
                        return &graph->edges.items[k];
        assert(!"a node that waits has a parent that waits");
        return NULL;
}

/* Reports the cycle that node @begin is part of. */
static int tell_cycle(FlowGraph *graph, const uint32_t *n_open, uint32_t begin) {
        const FlowGraphEdge *first = open_edge(graph, n_open, begin);
        cleanup_(text_deinit) Text text = {};
        cleanup_free_ char *list = NULL;
        uint32_t at = begin, n = 0;
        int r;

        do {
                const FlowGraphEdge *edge = open_edge(graph, n_open, at);
                bool is_elsewhere = strcmp(edge->place.file, first->place.file) != 0;

                if (n++ < SHOWN_MAX)
                        text_addf(&text, "%s%s depends on %s (line %u%s%s)", n > 1 ? ", " : "",
                                  graph->nodes.items[at].name, edge->name, edge->place.line,
                                  is_elsewhere ? " of " : "", is_elsewhere ? edge->place.file : "");
                at = edge->parent;
        } while (at != begin);
        if (n > SHOWN_MAX)
                text_addf(&text, ", and so on over %u more edges back to %s", n - SHOWN_MAX,
                          graph->nodes.items[begin].name);
        r = text_finish(&text, &list);
        return r < 0 ? r : refuse(graph, &first->place, flow_dependency_to_string(first->kind),
                              "Nodes wait for each other in a circle: %s", list);
}

/* The first, in the order of the files, of the nodes in the cycle that @node is part of. */
static uint32_t first_of_cycle(const FlowGraph *graph, const uint32_t *n_open, uint32_t node) {
        uint32_t first = node;

        for (uint32_t at = open_edge(graph, n_open, node)->parent; at != node;
             at = open_edge(graph, n_open, at)->parent)
                first = MIN(first, at);
        return first;
}

static int check_cycle(FlowGraph *graph) {
        cleanup_free_ uint32_t *n_open = calloc(graph->nodes.n + 1, sizeof(*n_open));
        uint32_t at = 0;
        int r = n_open ? release(graph, n_open) : -ENOMEM;

        if (r < 0)
                return r;
        while (at < graph->nodes.n && n_open[at] == 0)
                at++;
        if (at == graph->nodes.n)
                return 0;
        /* From any node that waits, so many steps up lead into a cycle. */
        for (size_t i = 0; i < graph->nodes.n; i++)
                at = open_edge(graph, n_open, at)->parent;
        return tell_cycle(graph, n_open, first_of_cycle(graph, n_open, at));
}

/* — values of other nodes — */

/* Whether node @above is above node @at. @seen: of each node the last search that came by, counted from 1. */
static int is_above(const FlowGraph *graph, uint32_t above, uint32_t at, uint32_t search, uint32_t *seen) {
        VECTOR(uint32_t) queue = {};
        int r = vector_push(&queue, at);

        for (size_t i = 0; r == 0 && i < queue.n; i++) {
                const FlowGraphNode *node = &graph->nodes.items[queue.items[i]];

                for (uint32_t k = node->first; k < node->first + node->n && r == 0; k++) {
                        const uint32_t parent = graph->edges.items[k].parent;

                        if (parent == above)
                                r = 1;
                        else if (seen[parent] != search) {
                                seen[parent] = search;
                                r = vector_push(&queue, parent);
                        }
                }
        }
        vector_deinit(&queue);
        return r;
}

static int check_references(FlowGraph *graph) {
        cleanup_free_ uint32_t *seen = calloc(graph->nodes.n + 1, sizeof(*seen));
        int r = seen ? 0 : -ENOMEM;

        for (uint32_t i = 0; i < graph->references.n && r == 0; i++) {
                const FlowGraphReference *reference = &graph->references.items[i];
                const FlowGraphNode *node = reference->node != NO_NODE ? &graph->nodes.items[reference->node] : NULL;
                const uint32_t other = find(graph, reference->name);

                if (other == NO_NODE && !node) {
                        r = refuse(graph, &reference->place, reference->setting,
                                   "It wants a value of %s, and there is no such node", reference->name);
                        continue;
                }
                if (other == NO_NODE) {
                        r = refuse(graph, &reference->place, reference->setting,
                                   "Node %s wants a value of %s, and there is no such node", node->name,
                                   reference->name);
                        continue;
                }
                if (reference->is_of_end)
                        continue;
                r = is_above(graph, other, reference->node, i + 1, seen);
                if (r == 0)
                        r = refuse(graph, &reference->place, reference->setting,
                                   "Node %s wants a value of %s, which it does not wait for: it is no parent, nor "
                                   "above one",
                                   node->name, reference->name);
                r = MIN(r, 0);
        }
        return r;
}

/* — inputs — */

static bool gives(const FlowGraph *graph, uint32_t at, const char *key) {
        const FlowGraphNode *node = &graph->nodes.items[at];

        for (uint32_t i = node->first_output; i < node->first_output + node->n_outputs; i++)
                if (strcmp(graph->outputs.items[i], key) == 0)
                        return true;
        return false;
}

typedef VECTOR(uint32_t) NodeList;

/* Adds the parents of @at to @list, each once. @seen: as of is_above(). */
static int list_parents(const FlowGraph *graph, uint32_t at, uint32_t search, uint32_t *seen, NodeList *list) {
        const FlowGraphNode *node = &graph->nodes.items[at];
        int r = 0;

        for (uint32_t k = node->first; k < node->first + node->n && r == 0; k++) {
                const uint32_t parent = graph->edges.items[k].parent;

                if (seen[parent] == search)
                        continue;
                seen[parent] = search;
                r = vector_push(list, parent);
        }
        return r;
}

/* Of nodes that are equally near two that give the same are one too many. */
static int check_input(FlowGraph *graph, const FlowGraphInput *input, uint32_t search, uint32_t *seen) {
        const char *name = graph->nodes.items[input->node].name;
        NodeList list = {};
        uint32_t giver = NO_NODE;
        int r = list_parents(graph, input->node, search, seen, &list);

        for (size_t i = 0, end = list.n; i < list.n && r == 0; i++) {
                if (i == end && giver != NO_NODE)
                        break;
                if (i == end)
                        end = list.n;
                if (gives(graph, list.items[i], input->key) && giver != NO_NODE) {
                        r = refuse(graph, &input->place, "Inputs",
                                   "Node %s wants '%s', which %s and %s both give: write %s.%s or %s.%s", name,
                                   input->key, graph->nodes.items[giver].name, graph->nodes.items[list.items[i]].name,
                                   graph->nodes.items[giver].name, input->key,
                                   graph->nodes.items[list.items[i]].name, input->key);
                        break;
                }
                if (gives(graph, list.items[i], input->key))
                        giver = list.items[i];
                r = list_parents(graph, list.items[i], search, seen, &list);
        }
        vector_deinit(&list);
        if (r == 0 && giver == NO_NODE && !graph->is_broken)
                r = refuse(graph, &input->place, "Inputs",
                           "Node %s wants '%s', which is no parameter, not in its Data=, and in no Outputs= of a node "
                           "above it",
                           name, input->key);
        return r;
}

static int check_inputs(FlowGraph *graph) {
        cleanup_free_ uint32_t *seen = calloc(graph->nodes.n + 1, sizeof(*seen));
        int r = seen ? 0 : -ENOMEM;

        for (uint32_t i = 0; i < graph->inputs.n && r == 0; i++)
                r = check_input(graph, &graph->inputs.items[i], i + 1, seen);
        return r;
}

static bool has_same_parents(const FlowGraph *graph, const FlowGraphNode *a, const FlowGraphNode *b) {
        if (a->n != b->n)
                return false;
        for (uint32_t i = a->first; i < a->first + a->n; i++) {
                bool is_found = false;

                for (uint32_t k = b->first; k < b->first + b->n && !is_found; k++)
                        is_found = graph->edges.items[i].parent == graph->edges.items[k].parent;
                if (!is_found)
                        return false;
        }
        return true;
}

/* In a flow that a person has written: others learn of it when a run is submitted. */
static int check_otherwise(FlowGraph *graph) {
        int r = 0;

        for (uint32_t i = 0; i < graph->nodes.n && graph->nodes.n <= NEAREST_MAX && r == 0; i++) {
                const FlowGraphNode *node = &graph->nodes.items[i];
                bool is_found = !node->is_otherwise;

                for (uint32_t k = 0; k < graph->nodes.n && !is_found; k++)
                        is_found = graph->nodes.items[k].has_condition &&
                                   has_same_parents(graph, node, &graph->nodes.items[k]);
                if (!is_found)
                        r = refuse(graph, &node->place, "Otherwise",
                                   "Node %s runs otherwise, and no node with the same parents has When=", node->name);
        }
        return r;
}

int flow_graph_finish(FlowGraph *graph) {
        cleanup_free_ uint32_t *seen = calloc(graph->nodes.n + 1, sizeof(*seen));
        int r = seen ? 0 : -ENOMEM;

        for (uint32_t i = 0; r == 0 && i < graph->nodes.n; i++) {
                r = resolve_edges(graph, i, seen);
                if (r == 0)
                        r = check_readiness(graph, &graph->nodes.items[i]);
        }
        if (r == 0 && !graph->is_broken)
                r = check_cycle(graph);
        if (r == 0 && !graph->is_broken)
                r = check_otherwise(graph);
        if (r == 0 && !graph->is_broken)
                r = check_inputs(graph);
        return r < 0 || graph->is_broken ? r : check_references(graph);
}

int flow_graph_check(UnitDraft *draft) {
        cleanup_(flow_graph_deinit) FlowGraph graph;
        int r;

        flow_graph_init(&graph, draft);
        r = flow_graph_add_sections(&graph);
        return r < 0 ? r : flow_graph_finish(&graph);
}
