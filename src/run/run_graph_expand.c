/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Graphs with instances of nodes with Foreach=
 *
 * A graph does not change, so the graph of a run is made anew from that of its
 * definition whenever a node gets its instances. Nodes keep their numbers.
 * An expansion takes time in proportion to the whole graph, once for each such node.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/vector.h"
#include "run/run_graph.h"

#define EDGES_OF_DEFINITION \
        ((unsigned) (RUN_EDGE_OPTIONAL | RUN_EDGE_NAMED | RUN_EDGE_SKIP_SUCCEEDS | RUN_EDGE_SKIP_FAILS))
#define ITEM_DIGITS 10U

typedef struct Expander {
        RunGraph *definition; /* borrowed */
        const RunExpansion *expansions; /* borrowed */
        uint32_t n_expansions;
        uint32_t n_base, n;
        uint32_t *n_items; /* owned: of each node of the definition, so many are used */
        const char **instances; /* owned: names of all instances, from number .n_base on */
        char *names; /* owned */
        RunNodeSpec *nodes; /* owned */
        const char **parents; /* owned: of all nodes */
        uint8_t *edges; /* owned, beside them */
} Expander;

static void expander_deinit(Expander *expander) {
        free(expander->n_items);
        free(expander->instances);
        free(expander->names);
        free(expander->nodes);
        free(expander->parents);
        free(expander->edges);
}

/*
 * How many nodes of the definition the graph has. An earlier version, which undid no sub-runs, numbered instances from
 * where their compensations stand now, the last nodes of the definition: its run goes on without these.
 */
static uint32_t count_base(const RunGraph *definition, const RunExpansion *expansions, uint32_t n) {
        const uint32_t n_all = run_graph_count(definition);

        if (n == 0)
                return n_all;
        for (uint32_t i = expansions[0].first; i < n_all; i++)
                if (run_graph_partner(definition, i) == RUN_NODE_NONE || !run_graph_is_extra(definition, i) ||
                    run_graph_policy(definition, i)->action != RUN_ACTION_RUN)
                        return n_all;
        return MIN(n_all, expansions[0].first);
}

/* Numbers follow each other, and so do the items of a node. */
static int count_items(Expander *expander) {
        uint32_t *n_all = calloc(expander->n_base, sizeof(*n_all));
        int r = n_all ? 0 : -ENOMEM;

        expander->n = expander->n_base;
        for (uint32_t i = 0; i < expander->n_expansions && r == 0; i++) {
                const RunExpansion *expansion = &expander->expansions[i];

                if (expansion->node >= expander->n_base || expansion->first != expander->n ||
                    !run_graph_policy(expander->definition, expansion->node)->is_foreach || expansion->n == 0 ||
                    expansion->used > expansion->n || expansion->n >= RUN_NODE_NONE - expander->n ||
                    expansion->item != n_all[expansion->node]) {
                        r = -EINVAL;
                        break;
                }
                n_all[expansion->node] += expansion->n;
                expander->n_items[expansion->node] += expansion->used;
                expander->n += expansion->n;
        }
        free(n_all);
        return r;
}

static size_t count_name_bytes(const Expander *expander) {
        size_t n = 1;

        for (uint32_t i = 0; i < expander->n_expansions; i++)
                n += expander->expansions[i].n *
                     (strlen(run_graph_name(expander->definition, expander->expansions[i].node)) + ITEM_DIGITS +
                      sizeof("[]"));
        return n;
}

static int name_instances(Expander *expander) {
        char *at;

        expander->instances = calloc(expander->n - expander->n_base + 1U, sizeof(*expander->instances));
        at = expander->names = malloc(count_name_bytes(expander));
        if (!expander->instances || !expander->names)
                return -ENOMEM;
        for (uint32_t i = 0; i < expander->n_expansions; i++) {
                const RunExpansion *expansion = &expander->expansions[i];
                const char *name = run_graph_name(expander->definition, expansion->node);

                for (uint32_t k = 0; k < expansion->n; k++) {
                        expander->instances[expansion->first - expander->n_base + k] = at;
                        at += sprintf(at, "%s[%u]", name, expansion->item + k) + 1;
                }
        }
        return 0;
}

/* The node counts for its instances, of which each is judged by itself. */
static RunPolicy policy_of_item(const RunPolicy *policy) {
        RunPolicy item;

        memcpy(&item, policy, sizeof(item));
        item.is_foreach = false;
        item.is_item = true;
        item.readiness = RUN_READY_ALL_SUCCEEDED;
        item.amount = 0;
        item.has_condition = item.is_otherwise = item.has_gate = false;
        item.end_run = RUN_END_RUN_NO;
        /* A person is asked about an instance; what else a failure means, it means once, for the node. */
        if (item.failure != RUN_POLICY_SUSPEND)
                item.failure = RUN_POLICY_CONTINUE;
        return item;
}

/* How many parents @node has in the new graph; edges to nodes beside it are made by run_graph_new(). */
static size_t count_parents(const Expander *expander, uint32_t node) {
        const uint8_t *edges = run_graph_parent_edges(expander->definition, node);
        uint32_t n;
        const uint32_t *parents = run_graph_parents(expander->definition, node, &n);
        size_t sum = 0;

        for (uint32_t i = 0; i < n; i++)
                if (!(edges[i] & RUN_EDGE_OTHERWISE))
                        sum += expander->n_items[parents[i]] > 0 ? expander->n_items[parents[i]] : 1U;
        return sum;
}

/* Puts the instances of @parent, or itself if it has none; returns where the next one stands. */
static size_t put_parent(Expander *expander, uint32_t parent, uint8_t edge, size_t at) {
        if (expander->n_items[parent] == 0) {
                expander->parents[at] = run_graph_name(expander->definition, parent);
                expander->edges[at++] = edge;
                return at;
        }
        for (uint32_t i = 0; i < expander->n_expansions; i++) {
                const RunExpansion *expansion = &expander->expansions[i];

                for (uint32_t k = 0; k < expansion->used && expansion->node == parent; k++) {
                        expander->parents[at] = expander->instances[expansion->first - expander->n_base + k];
                        expander->edges[at++] = edge;
                }
        }
        return at;
}

static size_t put_node(Expander *expander, uint32_t node, size_t at) {
        const uint8_t *edges = run_graph_parent_edges(expander->definition, node);
        RunNodeSpec *spec = &expander->nodes[node];
        const size_t first = at;
        uint32_t n;
        const uint32_t *parents = run_graph_parents(expander->definition, node, &n);

        for (uint32_t i = 0; i < n; i++)
                if (!(edges[i] & RUN_EDGE_OTHERWISE))
                        at = put_parent(expander, parents[i], (uint8_t) (edges[i] & EDGES_OF_DEFINITION), at);
        spec->name = run_graph_name(expander->definition, node);
        spec->payload = run_graph_payload(expander->definition, node);
        spec->undoes = run_graph_partner(expander->definition, node);
        spec->parents = expander->parents + first;
        spec->edges = expander->edges + first;
        spec->n_parents = (uint32_t) (at - first);
        memcpy(&spec->policy, run_graph_policy(expander->definition, node), sizeof(spec->policy));
        return at;
}

static size_t put_instances(Expander *expander, const RunExpansion *expansion, size_t at) {
        const RunPolicy policy = policy_of_item(run_graph_policy(expander->definition, expansion->node));

        for (uint32_t k = 0; k < expansion->n; k++) {
                RunNodeSpec *spec = &expander->nodes[expansion->first + k];

                spec->name = expander->instances[expansion->first - expander->n_base + k];
                spec->payload = run_graph_payload(expander->definition, expansion->node);
                memcpy(&spec->policy, &policy, sizeof(policy));
                if (k >= expansion->used)
                        continue;
                spec->parents = expander->parents + at;
                spec->edges = expander->edges + at;
                spec->n_parents = 1;
                expander->parents[at] = run_graph_name(expander->definition, expansion->node);
                expander->edges[at++] = RUN_EDGE_ITEM;
        }
        return at;
}

static int put_nodes(Expander *expander) {
        size_t n_parents = 0, at = 0;

        for (uint32_t i = 0; i < expander->n_base; i++)
                n_parents += count_parents(expander, i);
        n_parents += expander->n - expander->n_base;
        expander->nodes = calloc(expander->n, sizeof(*expander->nodes));
        expander->parents = calloc(n_parents + 1, sizeof(*expander->parents));
        expander->edges = calloc(n_parents + 1, sizeof(*expander->edges));
        if (!expander->nodes || !expander->parents || !expander->edges)
                return -ENOMEM;
        for (uint32_t i = 0; i < expander->n_base; i++)
                at = put_node(expander, i, at);
        for (uint32_t i = 0; i < expander->n_expansions; i++)
                at = put_instances(expander, &expander->expansions[i], at);
        return 0;
}

int run_graph_expand(RunGraph *definition, const RunExpansion *expansions, uint32_t n, RunGraph **ret_graph) {
        cleanup_(expander_deinit) Expander expander = {
                .definition = definition,
                .expansions = expansions,
                .n_expansions = n,
                .n_base = count_base(definition, expansions, n),
        };
        cleanup_free_ char *problem = NULL;
        RunGraphSpec spec = { .expansions = expansions, .n_expansions = n, .definition = definition };
        int r;

        expander.n_items = calloc(expander.n_base, sizeof(*expander.n_items));
        r = expander.n_items ? count_items(&expander) : -ENOMEM;
        if (r == 0)
                r = name_instances(&expander);
        if (r == 0)
                r = put_nodes(&expander);
        if (r < 0)
                return r;
        spec.nodes = expander.nodes;
        spec.n_nodes = expander.n;
        while (spec.first_extra < expander.n_base && !run_graph_is_extra(definition, spec.first_extra))
                spec.first_extra++;
        spec.n_extra = run_graph_count_extra(definition) - (run_graph_count(definition) - expander.n_base);
        spec.undo_on = run_graph_undo_on(definition);
        spec.demands = run_graph_demands(definition, &spec.n_demands, &spec.demand);
        return run_graph_new(&spec, ret_graph, &problem);
}

/* Instances that are there are used first. */
int run_graph_set_items(RunGraph *graph, uint32_t node, uint32_t n, RunGraph **ret_graph) {
        uint32_t n_old, left = n, item = 0;
        const RunExpansion *old = run_graph_expansions(graph, &n_old);
        VECTOR(RunExpansion) expansions = {};
        int r = 0;

        for (uint32_t i = 0; i < n_old && r == 0; i++) {
                RunExpansion expansion = old[i];

                if (expansion.node == node) {
                        expansion.used = MIN(left, expansion.n);
                        left -= expansion.used;
                        item += expansion.n;
                }
                r = vector_push(&expansions, expansion);
        }
        if (r == 0 && left > 0)
                r = vector_push(&expansions,
                                ((RunExpansion) { node, run_graph_count(graph), left, item, left }));
        if (r == 0)
                r = run_graph_expand(run_graph_definition(graph), expansions.items, (uint32_t) expansions.n,
                                     ret_graph);
        vector_deinit(&expansions);
        return r;
}

/* — what can be asked — */

uint32_t run_graph_item_of(const RunGraph *graph, uint32_t node, uint32_t *ret_item) {
        uint32_t low = 0, high;
        const RunExpansion *expansions = run_graph_expansions(graph, &high);

        if (high == 0 || node < expansions[0].first)
                return RUN_NODE_NONE;
        while (high - low > 1) {
                const uint32_t middle = low + (high - low) / 2;

                if (expansions[middle].first <= node)
                        low = middle;
                else
                        high = middle;
        }
        *ret_item = expansions[low].item + (node - expansions[low].first);
        return expansions[low].node;
}

uint32_t run_graph_find_item(const RunGraph *graph, uint32_t node, uint32_t item) {
        uint32_t n;
        const RunExpansion *expansions = run_graph_expansions(graph, &n);

        for (uint32_t i = 0; i < n; i++)
                if (expansions[i].node == node && item >= expansions[i].item &&
                    item - expansions[i].item < expansions[i].used)
                        return expansions[i].first + (item - expansions[i].item);
        return RUN_NODE_NONE;
}

uint32_t run_graph_count_items(const RunGraph *graph, uint32_t node) {
        uint32_t n, sum = 0;
        const RunExpansion *expansions = run_graph_expansions(graph, &n);

        for (uint32_t i = 0; i < n; i++)
                sum += expansions[i].node == node ? expansions[i].used : 0;
        return sum;
}

uint32_t run_graph_origin(const RunGraph *graph, uint32_t node) {
        uint32_t item;
        const uint32_t of = run_graph_item_of(graph, node, &item);

        return of != RUN_NODE_NONE ? of : node;
}
