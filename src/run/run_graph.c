/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Making and checking graphs
 *
 * Edges are ranges of numbers in one array for each direction. Walks are
 * loops over arrays, so a chain of any length needs no stack.
 */

#include <assert.h>
#include <string.h>

#include "basic/hash.h"
#include "basic/index_table.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "run/run_graph.h"

/* Edges of a cycle that are named one by one; of the others the number is given. */
#define CYCLE_EDGES_MAX 100U

typedef struct GraphNode {
        uint32_t name; /* offset in .names */
        uint32_t payload;
        uint32_t policy; /* index in .policies */
        uint32_t first_parent, first_child;
        uint32_t n_judged; /* of its parents */
        uint32_t rank, urgency; /* places in .order and .by_urgency */
} GraphNode;

struct RunGraph {
        uint32_t n_refs;
        uint32_t n;
        uint32_t first_extra, n_extra; /* those of the end of a run */
        uint32_t *partners; /* owned: of each node; NULL: none has one */
        uint32_t final;
        unsigned undo_on;
        GraphNode *nodes; /* owned; one more than .n, where the last ranges end */
        uint32_t *parents, *children; /* owned */
        uint8_t *parent_edges, *child_edges; /* owned; RunEdge, beside each of them */
        uint32_t *order, *by_urgency; /* owned */
        uint16_t *ways; /* owned */
        char *names; /* owned */
        size_t n_names; /* bytes */
        VECTOR(RunPolicy) policies;
        IndexTable by_name; /* of nodes */
        RunDemand *demands; /* owned */
        uint32_t n_demands, demand;
        RunGraph *definition; /* a reference: the graph without instances; NULL: it is this one */
        RunExpansion *expansions; /* owned, by .first */
        uint32_t n_expansions;
};

static RunGraph *free_graph(RunGraph *graph) {
        free(graph->nodes);
        free(graph->partners);
        free(graph->parents);
        free(graph->children);
        free(graph->parent_edges);
        free(graph->child_edges);
        free(graph->order);
        free(graph->by_urgency);
        free(graph->ways);
        free(graph->names);
        vector_deinit(&graph->policies);
        index_table_deinit(&graph->by_name);
        free(graph->demands);
        free(graph->expansions);
        /* The other graph is that of a definition, and has none itself. */
        run_graph_unref(graph->definition);
        free(graph);
        return NULL;
}

RunGraph *run_graph_ref(RunGraph *graph) {
        graph->n_refs++;
        return graph;
}

RunGraph *run_graph_unref(RunGraph *graph) {
        return graph && --graph->n_refs == 0 ? free_graph(graph) : NULL;
}

/* A refusal: 0 from text_format() is -EINVAL for the caller. */
#define refuse(ret_problem, ...) \
        ({ \
                int refuse_r_ = text_format(ret_problem, __VA_ARGS__); \
                refuse_r_ < 0 ? refuse_r_ : -EINVAL; \
        })

uint32_t run_graph_find(const RunGraph *graph, const char *name) {
        uint32_t hash = index_table_hash(name);
        uint32_t node;

        for (size_t probe = 0; index_table_next(&graph->by_name, hash, &probe, &node);)
                if (strcmp(run_graph_name(graph, node), name) == 0)
                        return node;
        return RUN_NODE_NONE;
}

/* — making: each step does a part of a pass over the nodes — */

typedef enum GraphPass {
        PASS_BEGIN,
        PASS_NAMES, /* with policies */
        PASS_PARENTS,
        PASS_JUDGED,
        PASS_OTHERWISE,
        PASS_CHILDREN,
        PASS_ORDER,
        PASS_WAYS,
        PASS_URGENCY,
        _PASS_MAX,
} GraphPass;

struct RunGraphMaker {
        RunGraphSpec spec; /* what it points to is borrowed */
        RunGraph *graph; /* a reference */
        GraphPass pass;
        uint32_t at; /* the next node of the pass */
        size_t n_names; /* bytes that are placed */
        IndexTable by_policy; /* of .policies of the graph */
        uint32_t n_edges; /* that are placed */
        uint32_t *seen; /* owned: for each node the child that named it last, plus one */
        uint32_t *ways; /* owned: what is left to do below each node */
};

static int begin_names(RunGraph *graph, const RunGraphSpec *spec, char **ret_problem) {
        for (uint32_t i = 0; i < spec->n_nodes; i++)
                graph->n_names += strlen(spec->nodes[i].name) + 1;
        if (graph->n_names > UINT32_MAX)
                return refuse(ret_problem, "The names of all nodes take more than 4 GiB.");
        graph->names = malloc(graph->n_names);
        return graph->names ? index_table_reserve(&graph->by_name, spec->n_nodes) : -ENOMEM;
}

static int add_name(RunGraphMaker *maker, uint32_t node, char **ret_problem) {
        RunGraph *graph = maker->graph;
        const char *name = maker->spec.nodes[node].name;
        const size_t n = strlen(name) + 1;

        if (strcmp(name, RUN_NO_NODE) == 0)
                return refuse(ret_problem, "No node can be called \"%s\", which means no node.", name);
        if (run_graph_find(graph, name) != RUN_NODE_NONE)
                return refuse(ret_problem, "There are two nodes \"%s\".", name);
        graph->nodes[node] = (GraphNode) { .name = (uint32_t) maker->n_names,
                                           .payload = maker->spec.nodes[node].payload };
        memcpy(graph->names + maker->n_names, name, n);
        maker->n_names += n;
        return index_table_put(&graph->by_name, index_table_hash(name), node);
}

/* Word by word: a policy has some hundred bytes. */
static uint32_t hash_policy(const RunPolicy *policy) {
        uint32_t words[sizeof(*policy) / sizeof(uint32_t)];
        uint64_t sum = HASH_BEGIN;

        static_assert(sizeof(*policy) % sizeof(uint32_t) == 0, "a policy is whole words");
        memcpy(words, policy, sizeof(words));
        for (size_t i = 0; i < ELEMENTSOF(words); i++) {
                sum = (sum ^ words[i]) * UINT64_C(0x100000001b3);
                sum ^= sum >> 32;
        }
        return (uint32_t) sum;
}

/* Padding may keep equal policies apart, which costs memory only. */
static int add_policy(RunGraph *graph, IndexTable *table, const RunPolicy *policy, uint32_t *ret_index) {
        uint32_t hash, index;
        int r;

        /* Most nodes have that of the one before. */
        if (graph->policies.n > 0 && memcmp(&graph->policies.items[*ret_index], policy, sizeof(*policy)) == 0)
                return 0;
        hash = hash_policy(policy);
        for (size_t probe = 0; index_table_next(table, hash, &probe, &index);)
                if (memcmp(&graph->policies.items[index], policy, sizeof(*policy)) == 0) {
                        *ret_index = index;
                        return 0;
                }

        index = (uint32_t) graph->policies.n;
        r = vector_reserve(&graph->policies, 1);
        if (r < 0)
                return r;
        r = index_table_put(table, hash, index);
        if (r < 0)
                return r;
        memcpy(&graph->policies.items[graph->policies.n++], policy, sizeof(*policy));
        *ret_index = index;
        return 0;
}

static int take_node(RunGraphMaker *maker, uint32_t node, char **ret_problem) {
        GraphNode *nodes = maker->graph->nodes;
        int r = add_name(maker, node, ret_problem);

        if (r < 0)
                return r;
        nodes[node].policy = node > 0 ? nodes[node - 1].policy : 0;
        return add_policy(maker->graph, &maker->by_policy, &maker->spec.nodes[node].policy, &nodes[node].policy);
}

static int begin_edges(RunGraphMaker *maker, char **ret_problem) {
        RunGraph *graph = maker->graph;
        uint64_t n_max = 0;

        for (uint32_t i = 0; i < graph->n; i++)
                n_max += maker->spec.nodes[i].n_parents;
        if (n_max >= UINT32_MAX)
                return refuse(ret_problem, "There are too many dependencies.");
        maker->seen = calloc(graph->n, sizeof(*maker->seen));
        graph->parents = calloc(n_max + 1, sizeof(*graph->parents));
        graph->parent_edges = calloc(n_max + 1, sizeof(*graph->parent_edges));
        return maker->seen && graph->parents && graph->parent_edges ? 0 : -ENOMEM;
}

/* Finds the parents of one node. */
static int add_parents(RunGraphMaker *maker, uint32_t node, char **ret_problem) {
        const RunNodeSpec *spec = &maker->spec.nodes[node];
        RunGraph *graph = maker->graph;

        graph->nodes[node].first_parent = maker->n_edges;
        for (uint32_t i = 0; i < spec->n_parents; i++) {
                const char *name = spec->parents[i];
                uint32_t parent;

                if (strcmp(name, RUN_NO_NODE) == 0)
                        continue;
                parent = run_graph_find(graph, name);
                if (parent == RUN_NODE_NONE)
                        return refuse(ret_problem, "Node \"%s\" depends on \"%s\", which does not exist.", spec->name,
                                      name);
                if (parent == node)
                        return refuse(ret_problem, "Node \"%s\" depends on itself.", name);
                if (maker->seen[parent] == node + 1)
                        return refuse(ret_problem, "Node \"%s\" depends on \"%s\" twice.", spec->name, name);
                maker->seen[parent] = node + 1;
                graph->parent_edges[maker->n_edges] = spec->edges ? spec->edges[i] : 0;
                graph->parents[maker->n_edges++] = parent;
        }
        graph->nodes[node + 1].first_parent = maker->n_edges;
        return 0;
}

/* A parent that was skipped for a failure counts as one that failed; but nothing is done then. */
static bool hands_failure(RunReadiness readiness) {
        return readiness != RUN_READY_ONE_DONE;
}

/* Says which parents count: those that are named, else those that must be waited for, else all. */
static void judge_edges(RunGraph *graph, uint32_t node) {
        const RunReadiness readiness = run_graph_policy(graph, node)->readiness;
        uint8_t *edges = graph->parent_edges + graph->nodes[node].first_parent;
        bool has_must = false;
        uint32_t n;

        (void) run_graph_parents(graph, node, &n);
        for (uint32_t i = 0; i < n; i++)
                has_must = has_must || !(edges[i] & RUN_EDGE_OPTIONAL);
        for (uint32_t i = 0; i < n; i++) {
                const bool counts = readiness == RUN_READY_NAMED ? (edges[i] & RUN_EDGE_NAMED) != 0
                                                                 : !(edges[i] & RUN_EDGE_OPTIONAL) || !has_must;
                const bool is_judged = counts && !(edges[i] & RUN_EDGE_ITEM);

                edges[i] |= is_judged ? RUN_EDGE_IS_JUDGED : 0;
                edges[i] |= hands_failure(readiness) ? RUN_EDGE_HANDS_FAILURE : 0;
                graph->nodes[node].n_judged += is_judged;
        }
}

/* How many parents count is not known before each of them has its instances. */
static bool has_items_above(const RunGraph *graph, uint32_t node) {
        uint32_t n;
        const uint32_t *parents = run_graph_parents(graph, node, &n);

        for (uint32_t i = 0; i < n; i++)
                if (run_graph_policy(graph, parents[i])->is_foreach || run_graph_policy(graph, parents[i])->is_item)
                        return true;
        return false;
}

static int check_amount(const RunGraph *graph, uint32_t node, char **ret_problem) {
        const RunPolicy *policy = run_graph_policy(graph, node);
        const uint32_t n = graph->nodes[node].n_judged;

        if (policy->readiness == RUN_READY_NAMED && n == 0)
                return refuse(ret_problem, "Node \"%s\" waits for parents by name, and has none of these.",
                              run_graph_name(graph, node));
        if (policy->readiness == RUN_READY_AT_LEAST &&
            (policy->amount == 0 || (policy->amount > n && !has_items_above(graph, node))))
                return refuse(ret_problem, "Node \"%s\" wants at least %u parents to succeed, and has %u.",
                              run_graph_name(graph, node), policy->amount, n);
        if (policy->readiness == RUN_READY_AT_LEAST_PERCENT && (policy->amount == 0 || policy->amount > 100))
                return refuse(ret_problem, "Node \"%s\" wants %u%% of its parents to succeed: 1%% to 100%% can.",
                              run_graph_name(graph, node), policy->amount);
        return 0;
}

static int judge_node(RunGraph *graph, uint32_t node, char **ret_problem) {
        judge_edges(graph, node);
        return check_amount(graph, node, ret_problem);
}

/* — Otherwise= — */

static uint32_t hash_parents(const RunGraph *graph, uint32_t node) {
        uint32_t n, sum;
        const uint32_t *parents = run_graph_parents(graph, node, &n);

        sum = n;
        for (uint32_t i = 0; i < n; i++)
                sum += (parents[i] + 1) * UINT32_C(2654435761);
        return sum;
}

/* @seen: as of the maker, of a walk that is over. */
static bool has_same_parents(const RunGraph *graph, uint32_t a, uint32_t b, uint32_t *seen) {
        uint32_t n_a, n_b;
        const uint32_t *of_a = run_graph_parents(graph, a, &n_a), *of_b = run_graph_parents(graph, b, &n_b);

        for (uint32_t i = 0; i < n_a && n_a == n_b; i++)
                seen[of_a[i]] = a + 1;
        for (uint32_t i = 0; i < n_b && n_a == n_b; i++)
                if (seen[of_b[i]] != a + 1)
                        return false;
        return n_a == n_b;
}

typedef VECTOR(uint32_t) NodeList;

/* The nodes with a condition beside @node: @table has all with a condition by their parents. */
static int find_siblings(const RunGraph *graph, const IndexTable *table, uint32_t node, uint32_t *seen,
                         NodeList *list) {
        const uint32_t hash = hash_parents(graph, node);
        uint32_t sibling;

        for (size_t probe = 0; index_table_next(table, hash, &probe, &sibling);) {
                int r;

                if (sibling == node || hash_parents(graph, sibling) != hash ||
                    !has_same_parents(graph, node, sibling, seen))
                        continue;
                r = vector_push(list, sibling);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Makes the edges of @graph anew, with one from each of @list to its node; @n_of: how many each has there. */
static int add_edges_of_siblings(RunGraph *graph, const NodeList *list, const uint32_t *n_of) {
        const uint32_t n_edges = graph->nodes[graph->n].first_parent;
        uint32_t *parents = calloc(n_edges + list->n + 1, sizeof(*parents));
        uint8_t *edges = calloc(n_edges + list->n + 1, sizeof(*edges));
        const uint32_t *sibling = list->items;
        uint32_t at = 0;

        if (!parents || !edges) {
                free(parents);
                free(edges);
                return -ENOMEM;
        }
        for (uint32_t i = 0; i < graph->n; i++) {
                const uint32_t first = graph->nodes[i].first_parent, n = graph->nodes[i + 1].first_parent - first;

                graph->nodes[i].first_parent = at;
                memcpy(parents + at, graph->parents + first, n * sizeof(*parents));
                memcpy(edges + at, graph->parent_edges + first, n * sizeof(*edges));
                at += n;
                for (uint32_t k = 0; k < n_of[i]; k++) {
                        parents[at] = *sibling++;
                        edges[at++] = RUN_EDGE_OTHERWISE;
                }
        }
        graph->nodes[graph->n].first_parent = at;
        free(graph->parents);
        free(graph->parent_edges);
        graph->parents = parents;
        graph->parent_edges = edges;
        return 0;
}

static int list_siblings(const RunGraph *graph, NodeList *list, uint32_t *n_of, char **ret_problem) {
        cleanup_free_ uint32_t *seen = calloc(graph->n, sizeof(*seen));
        cleanup_(index_table_deinit) IndexTable table = {};
        int r = seen ? 0 : -ENOMEM;

        for (uint32_t i = 0; i < graph->n && r == 0; i++)
                if (run_graph_policy(graph, i)->has_condition)
                        r = index_table_put(&table, hash_parents(graph, i), i);
        for (uint32_t i = 0; i < graph->n && r == 0; i++) {
                const size_t n = list->n;

                if (!run_graph_policy(graph, i)->is_otherwise)
                        continue;
                r = find_siblings(graph, &table, i, seen, list);
                n_of[i] = (uint32_t) (list->n - n);
                if (r == 0 && n_of[i] == 0)
                        return refuse(ret_problem,
                                      "Node \"%s\" runs otherwise, and no node with the same parents has a condition.",
                                      run_graph_name(graph, i));
        }
        return r;
}

/* A node with Otherwise= comes after the nodes with a condition beside it, by edges of their own. */
static int add_otherwise(RunGraph *graph, char **ret_problem) {
        cleanup_free_ uint32_t *n_of = NULL;
        NodeList list = {};
        bool has_some = false;
        int r;

        for (uint32_t i = 0; i < graph->n && !has_some; i++)
                has_some = run_graph_policy(graph, i)->is_otherwise;
        if (!has_some)
                return 0;
        n_of = calloc(graph->n, sizeof(*n_of));
        if (!n_of)
                return -ENOMEM;
        r = list_siblings(graph, &list, n_of, ret_problem);
        if (r == 0)
                r = add_edges_of_siblings(graph, &list, n_of);
        vector_deinit(&list);
        return r;
}

/* Turns the parents of all nodes round: counts the children, then places them. */
static int add_children(RunGraph *graph) {
        const uint32_t n_edges = graph->nodes[graph->n].first_parent;
        uint32_t sum = 0;

        graph->children = calloc((size_t) n_edges + 1, sizeof(*graph->children));
        graph->child_edges = calloc((size_t) n_edges + 1, sizeof(*graph->child_edges));
        if (!graph->children || !graph->child_edges)
                return -ENOMEM;
        for (uint32_t i = 0; i < n_edges; i++)
                graph->nodes[graph->parents[i]].first_child++;
        for (uint32_t i = 0; i <= graph->n; i++) {
                sum += graph->nodes[i].first_child;
                graph->nodes[i].first_child = sum;
        }
        /* From behind, so that children stand in rising order, and each range ends where it begins. */
        for (uint32_t i = graph->n; i-- > 0;) {
                uint32_t n;
                const uint32_t *parents = run_graph_parents(graph, i, &n);

                for (uint32_t k = 0; k < n; k++) {
                        const uint32_t at = --graph->nodes[parents[k]].first_child;

                        graph->children[at] = i;
                        graph->child_edges[at] = graph->parent_edges[graph->nodes[i].first_parent + k];
                }
        }
        return 0;
}

/* A node of a cycle that can be reached over parents from @node, which all are without a place in the order. */
static uint32_t find_cycle(const RunGraph *graph, uint32_t node, const uint32_t *missing, uint32_t *next) {
        memset(next, 0xff, graph->n * sizeof(*next));
        while (next[node] == RUN_NODE_NONE) {
                uint32_t n;
                const uint32_t *parents = run_graph_parents(graph, node, &n);

                while (missing[*parents] == 0)
                        parents++;
                next[node] = *parents;
                node = *parents;
        }
        return node;
}

/* @missing: the parents of each node that have no place in the order; 0 for nodes that have one. */
static int refuse_cycle(const RunGraph *graph, const uint32_t *missing, char **ret_problem) {
        cleanup_free_ uint32_t *next = malloc(graph->n * sizeof(*next));
        cleanup_(text_deinit) Text text = {};
        uint32_t first = 0, n = 0;
        int r;

        if (!next)
                return -ENOMEM;
        while (missing[first] == 0)
                first++;
        first = find_cycle(graph, first, missing, next);

        text_add(&text, "Nodes depend on each other in a cycle: ");
        for (uint32_t node = first; n == 0 || node != first; node = next[node], n++)
                if (n < CYCLE_EDGES_MAX)
                        text_addf(&text, "%s\"%s\" depends on \"%s\"", n == 0 ? "" : ", ", run_graph_name(graph, node),
                                  run_graph_name(graph, next[node]));
        if (n > CYCLE_EDGES_MAX)
                text_addf(&text, ", and %u more", n - CYCLE_EDGES_MAX);
        text_add_char(&text, '.');
        r = text_finish(&text, ret_problem);
        return r < 0 ? r : -EINVAL;
}

static int add_order(RunGraph *graph, char **ret_problem) {
        cleanup_free_ uint32_t *missing = calloc(graph->n, sizeof(*missing));
        uint32_t n_placed = 0;

        graph->order = malloc(graph->n * sizeof(*graph->order));
        if (!missing || !graph->order)
                return -ENOMEM;
        for (uint32_t i = 0; i < graph->n; i++) {
                (void) run_graph_parents(graph, i, &missing[i]);
                if (missing[i] == 0)
                        graph->order[n_placed++] = i;
        }
        for (uint32_t done = 0; done < n_placed; done++) {
                uint32_t n;
                const uint32_t *children = run_graph_children(graph, graph->order[done], &n);

                for (uint32_t k = 0; k < n; k++)
                        if (--missing[children[k]] == 0)
                                graph->order[n_placed++] = children[k];
        }
        for (uint32_t i = 0; i < n_placed; i++)
                graph->nodes[graph->order[i]].rank = i;
        return n_placed == graph->n ? 0 : refuse_cycle(graph, missing, ret_problem);
}

/* Adds up how many there are of each, to where each one begins. */
static void sum_up(uint32_t *places, uint32_t n) {
        for (uint32_t i = 0, sum = 0; i < n; i++) {
                const uint32_t count = places[i];

                places[i] = sum;
                sum += count;
        }
}

/* Sorts nodes that stand by way: those of the highest priority come first, otherwise the order stays. */
static void sort_by_priority(RunGraph *graph, const uint32_t *by_way) {
        uint32_t places[RUN_PRIORITY_MAX + 1] = {};

        for (uint32_t i = 0; i < graph->n; i++)
                places[RUN_PRIORITY_MAX - run_graph_policy(graph, i)->priority]++;
        sum_up(places, RUN_PRIORITY_MAX + 1);
        for (uint32_t i = 0; i < graph->n; i++) {
                const uint8_t priority = run_graph_policy(graph, by_way[i])->priority;

                graph->nodes[by_way[i]].urgency = places[RUN_PRIORITY_MAX - priority]++;
                graph->by_urgency[graph->nodes[by_way[i]].urgency] = by_way[i];
        }
}

/* Nodes as the definition has them: instances stand with their node, though their numbers come behind all others. */
static void sort_by_file(const RunGraph *graph, uint32_t *starts, uint32_t *ret_nodes) {
        const uint32_t n_own = graph->n_expansions > 0 ? graph->expansions[0].first : graph->n;

        for (uint32_t i = 0; i < n_own; i++)
                starts[i] = 1;
        for (uint32_t i = 0; i < graph->n_expansions; i++)
                starts[graph->expansions[i].node] += graph->expansions[i].n;
        sum_up(starts, graph->n);
        for (uint32_t i = 0; i < n_own; i++)
                ret_nodes[starts[i]++] = i;
        for (uint32_t i = 0; i < graph->n_expansions; i++)
                for (uint32_t k = 0; k < graph->expansions[i].n; k++)
                        ret_nodes[starts[graph->expansions[i].node]++] = graph->expansions[i].first + k;
}

/* The longest way below each node. */
static int add_ways(RunGraphMaker *maker) {
        RunGraph *graph = maker->graph;
        uint32_t *ways = maker->ways = calloc(graph->n, sizeof(*ways));

        graph->ways = malloc(graph->n * sizeof(*graph->ways));
        if (!ways || !graph->ways)
                return -ENOMEM;
        for (uint32_t at = graph->n; at-- > 0;) {
                const uint32_t node = graph->order[at];
                uint32_t n;
                const uint32_t *children = run_graph_children(graph, node, &n);
                const uint8_t *edges = run_graph_child_edges(graph, node);

                for (uint32_t i = 0; i < n; i++)
                        if (!(edges[i] & RUN_EDGE_OTHERWISE))
                                /* A node and its instance are one step. */
                                ways[node] = MAX(ways[node], ways[children[i]] + !(edges[i] & RUN_EDGE_ITEM));
                graph->ways[node] = (uint16_t) MIN(ways[node], (uint32_t) UINT16_MAX);
        }
        return 0;
}

/* The nodes by their ways: sorted by counting, as a way is no longer than there are nodes. */
static int add_urgency(RunGraphMaker *maker) {
        RunGraph *graph = maker->graph;
        const uint32_t *ways = maker->ways;
        cleanup_free_ uint32_t *places = calloc(graph->n, sizeof(*places));
        cleanup_free_ uint32_t *by_way = calloc(graph->n, sizeof(*by_way));
        cleanup_free_ uint32_t *starts = calloc(graph->n, sizeof(*starts));
        cleanup_free_ uint32_t *by_file = calloc(graph->n, sizeof(*by_file));

        graph->by_urgency = malloc(graph->n * sizeof(*graph->by_urgency));
        if (!places || !by_way || !starts || !by_file || !graph->by_urgency)
                return -ENOMEM;
        /* The longest way comes first. */
        for (uint32_t i = 0; i < graph->n; i++)
                places[graph->n - 1 - ways[i]]++;
        sum_up(places, graph->n);
        sort_by_file(graph, starts, by_file);
        for (uint32_t i = 0; i < graph->n; i++)
                by_way[places[graph->n - 1 - ways[by_file[i]]]++] = by_file[i];
        sort_by_priority(graph, by_way);
        return 0;
}

static int add_demands(RunGraph *graph, const RunGraphSpec *spec) {
        if (spec->n_demands == 0)
                return 0;
        graph->demands = run_demands_copy(spec->demands, spec->n_demands);
        graph->n_demands = spec->n_demands;
        graph->demand = spec->demand;
        return graph->demands ? 0 : -ENOMEM;
}

static int add_expansions(RunGraph *graph, const RunGraphSpec *spec) {
        if (!spec->definition)
                return 0;
        graph->definition = run_graph_ref(spec->definition);
        graph->expansions = calloc(spec->n_expansions + 1U, sizeof(*graph->expansions));
        if (!graph->expansions)
                return -ENOMEM;
        if (spec->n_expansions > 0)
                memcpy(graph->expansions, spec->expansions, spec->n_expansions * sizeof(*graph->expansions));
        graph->n_expansions = spec->n_expansions;
        return 0;
}

/* The node that each compensation undoes, and the compensation of each node. */
static int add_partners(RunGraph *graph, const RunGraphSpec *spec) {
        bool has_partners = false;

        for (uint32_t i = graph->first_extra; i < graph->first_extra + graph->n_extra; i++)
                if (spec->nodes[i].undoes == RUN_NODE_NONE)
                        graph->final = i;
                else
                        has_partners = true;
        if (!has_partners)
                return 0;
        graph->partners = malloc(graph->n * sizeof(*graph->partners));
        if (!graph->partners)
                return -ENOMEM;
        memset(graph->partners, 0xff, graph->n * sizeof(*graph->partners));
        for (uint32_t i = graph->first_extra; i < graph->first_extra + graph->n_extra; i++)
                if (spec->nodes[i].undoes != RUN_NODE_NONE) {
                        graph->partners[i] = spec->nodes[i].undoes;
                        graph->partners[spec->nodes[i].undoes] = i;
                }
        return 0;
}

static int begin_graph(RunGraphMaker *maker, char **ret_problem) {
        const RunGraphSpec *spec = &maker->spec;
        RunGraph *graph;
        int r;

        if (spec->n_nodes == spec->n_extra || spec->n_nodes == RUN_NODE_NONE)
                return refuse(ret_problem, spec->n_nodes == RUN_NODE_NONE ? "There are too many nodes." :
                                                                            "There is no node.");
        graph = maker->graph = malloc(sizeof(*graph));
        if (!graph)
                return -ENOMEM;
        *graph = (RunGraph) {
                .n_refs = 1, .n = spec->n_nodes, .first_extra = spec->first_extra, .n_extra = spec->n_extra,
                .final = RUN_NODE_NONE, .undo_on = spec->undo_on,
        };
        graph->nodes = calloc((size_t) spec->n_nodes + 1, sizeof(*graph->nodes));
        if (!graph->nodes)
                return -ENOMEM;
        r = begin_names(graph, spec, ret_problem);
        if (r == 0)
                r = add_partners(graph, spec);
        if (r == 0)
                r = add_demands(graph, spec);
        return r == 0 ? add_expansions(graph, spec) : r;
}

int run_graph_begin(const RunGraphSpec *spec, RunGraphMaker **ret_maker) {
        RunGraphMaker *maker = calloc(1, sizeof(*maker));

        if (!maker)
                return -ENOMEM;
        maker->spec = *spec;
        *ret_maker = maker;
        return 0;
}

RunGraphMaker *run_graph_maker_free(RunGraphMaker *maker) {
        if (!maker)
                return NULL;
        run_graph_unref(maker->graph);
        index_table_deinit(&maker->by_policy);
        free(maker->seen);
        free(maker->ways);
        free(maker);
        return NULL;
}

/* The part of a pass that concerns the next node, or all of a pass that is not cut. */
static int make_part(RunGraphMaker *maker, char **ret_problem) {
        RunGraph *graph = maker->graph;
        int r = 0;

        switch (maker->pass) {
        case PASS_BEGIN:
                return begin_graph(maker, ret_problem);
        case PASS_NAMES:
                return take_node(maker, maker->at, ret_problem);
        case PASS_PARENTS:
                if (maker->at == 0)
                        r = begin_edges(maker, ret_problem);
                return r == 0 ? add_parents(maker, maker->at, ret_problem) : r;
        case PASS_JUDGED:
                return judge_node(graph, maker->at, ret_problem);
        case PASS_OTHERWISE:
                return add_otherwise(graph, ret_problem);
        case PASS_CHILDREN:
                return add_children(graph);
        case PASS_ORDER:
                return add_order(graph, ret_problem);
        case PASS_WAYS:
                return add_ways(maker);
        case PASS_URGENCY:
                return add_urgency(maker);
        case _PASS_MAX:
                break;
        }
        return 0;
}

static bool is_cut(GraphPass pass) {
        return pass == PASS_NAMES || pass == PASS_PARENTS || pass == PASS_JUDGED;
}

int run_graph_make(RunGraphMaker *maker, uint64_t budget, RunGraph **ret_graph, char **ret_problem) {
        for (uint64_t spent = 0; maker->pass < _PASS_MAX;) {
                const uint32_t n = is_cut(maker->pass) ? maker->spec.n_nodes : 1;
                int r;

                if (spent >= budget)
                        return 1;
                r = make_part(maker, ret_problem);
                if (r < 0)
                        return r;
                spent += is_cut(maker->pass) ? 1 : maker->spec.n_nodes;
                if (++maker->at < n)
                        continue;
                maker->at = 0;
                maker->pass++;
        }
        *ret_graph = take_ptr(maker->graph);
        return 0;
}

int run_graph_new(const RunGraphSpec *spec, RunGraph **ret_graph, char **ret_problem) {
        cleanup_(run_graph_maker_freep) RunGraphMaker *maker = NULL;
        int r = run_graph_begin(spec, &maker);

        return r < 0 ? r : run_graph_make(maker, UINT64_MAX, ret_graph, ret_problem);
}

const RunExpansion *run_graph_expansions(const RunGraph *graph, uint32_t *ret_n) {
        *ret_n = graph->n_expansions;
        return graph->expansions;
}

RunGraph *run_graph_definition(RunGraph *graph) {
        return graph->definition ? graph->definition : graph;
}

const RunDemand *run_graph_demands(const RunGraph *graph, uint32_t *ret_n, uint32_t *ret_of_run) {
        *ret_n = graph->n_demands;
        *ret_of_run = graph->demand;
        return graph->demands;
}

uint32_t run_graph_count(const RunGraph *graph) {
        return graph->n;
}

uint32_t run_graph_count_extra(const RunGraph *graph) {
        return graph->n_extra;
}

bool run_graph_is_extra(const RunGraph *graph, uint32_t node) {
        return node >= graph->first_extra && node - graph->first_extra < graph->n_extra;
}

uint32_t run_graph_partner(const RunGraph *graph, uint32_t node) {
        assert(node < graph->n);
        return graph->partners ? graph->partners[node] : RUN_NODE_NONE;
}

unsigned run_graph_undo_on(const RunGraph *graph) {
        return graph->undo_on;
}

uint32_t run_graph_final(const RunGraph *graph) {
        return graph->final;
}

const char *run_graph_name(const RunGraph *graph, uint32_t node) {
        assert(node < graph->n);
        return graph->names + graph->nodes[node].name;
}

uint32_t run_graph_payload(const RunGraph *graph, uint32_t node) {
        assert(node < graph->n);
        return graph->nodes[node].payload;
}

const RunPolicy *run_graph_policy(const RunGraph *graph, uint32_t node) {
        assert(node < graph->n);
        return &graph->policies.items[graph->nodes[node].policy];
}

const uint32_t *run_graph_parents(const RunGraph *graph, uint32_t node, uint32_t *ret_n) {
        assert(node < graph->n);
        *ret_n = graph->nodes[node + 1].first_parent - graph->nodes[node].first_parent;
        return graph->parents + graph->nodes[node].first_parent;
}

const uint32_t *run_graph_children(const RunGraph *graph, uint32_t node, uint32_t *ret_n) {
        assert(node < graph->n);
        *ret_n = graph->nodes[node + 1].first_child - graph->nodes[node].first_child;
        return graph->children + graph->nodes[node].first_child;
}

const uint8_t *run_graph_parent_edges(const RunGraph *graph, uint32_t node) {
        assert(node < graph->n);
        return graph->parent_edges + graph->nodes[node].first_parent;
}

const uint8_t *run_graph_child_edges(const RunGraph *graph, uint32_t node) {
        assert(node < graph->n);
        return graph->child_edges + graph->nodes[node].first_child;
}

/* Children stand in rising order. */
bool run_graph_find_edge(const RunGraph *graph, uint32_t node, uint32_t child, uint8_t *ret_edge) {
        uint32_t low = 0, high;
        const uint32_t *children = run_graph_children(graph, node, &high);

        while (low < high) {
                const uint32_t middle = low + (high - low) / 2;

                if (children[middle] == child) {
                        *ret_edge = run_graph_child_edges(graph, node)[middle];
                        return true;
                }
                if (children[middle] < child)
                        low = middle + 1;
                else
                        high = middle;
        }
        return false;
}

bool run_graph_is_goal(const RunGraph *graph, uint32_t node) {
        const uint8_t *edges = run_graph_child_edges(graph, node);
        uint32_t n;

        (void) run_graph_children(graph, node, &n);
        for (uint32_t i = 0; i < n; i++)
                if (!(edges[i] & RUN_EDGE_OTHERWISE))
                        return run_graph_policy(graph, node)->is_goal;
        return true;
}

uint32_t run_graph_count_judged(const RunGraph *graph, uint32_t node) {
        assert(node < graph->n);
        return graph->nodes[node].n_judged;
}

const uint32_t *run_graph_order(const RunGraph *graph) {
        return graph->order;
}

const uint32_t *run_graph_by_urgency(const RunGraph *graph) {
        return graph->by_urgency;
}

uint32_t run_graph_urgency(const RunGraph *graph, uint32_t node) {
        return graph->nodes[node].urgency;
}

uint32_t run_graph_way(const RunGraph *graph, uint32_t node) {
        assert(node < graph->n);
        return graph->ways[node];
}

const RunDemand *run_graph_demand(const RunGraph *graph, uint32_t node) {
        const uint32_t demand = node == RUN_NODE_NONE ? graph->demand : run_graph_policy(graph, node)->demand;

        assert(demand <= graph->n_demands);
        return demand == 0 ? NULL : &graph->demands[demand - 1];
}

bool run_graph_dates_wait(const RunGraph *graph, uint32_t node) {
        return run_graph_policy(graph, node)->queue_timeout > 0 || run_graph_demand(graph, node);
}

uint32_t run_graph_rank(const RunGraph *graph, uint32_t node) {
        return graph->nodes[node].rank;
}

size_t run_graph_bytes(const RunGraph *graph) {
        const size_t n_edges = graph->nodes[graph->n].first_parent;

        return sizeof(*graph) + (graph->n + 1) * sizeof(*graph->nodes) +
               2 * n_edges * (sizeof(*graph->parents) + sizeof(*graph->parent_edges)) +
               graph->n * (2 * sizeof(*graph->order) + sizeof(*graph->ways)) + graph->n_names +
               (graph->partners ? graph->n * sizeof(*graph->partners) : 0) +
               graph->policies.allocated * sizeof(*graph->policies.items) +
               graph->by_name.n_slots * sizeof(*graph->by_name.slots) +
               graph->n_expansions * sizeof(*graph->expansions) +
               run_demands_bytes(graph->demands, graph->n_demands);
}
