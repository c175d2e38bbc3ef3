/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Graphs: what is refused, and what a graph holds
 *
 * S000-4, S000-13, S000-17, S000-19
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "basic/macro.h"
#include "double/double_memory.h"
#include "run/run_graph.h"

#define LONG 100000U

static RunNodeSpec node(const char *name, const char *const *parents, uint32_t n) {
        return (RunNodeSpec) { .name = name, .parents = parents, .n_parents = n };
}

#define NODE(name, ...) \
        node(name, (const char *const[]) { __VA_ARGS__ }, sizeof((const char *const[]) { __VA_ARGS__ }) / sizeof(char *))
#define ROOT(name) node(name, NULL, 0)

static void refuses(const RunNodeSpec *nodes, uint32_t n, const char *sentence) {
        cleanup_free_ char *problem = NULL;
        RunGraph *graph = NULL;

        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, n }, &graph, &problem), -EINVAL));
        cr_assert(eq(ptr, graph, NULL));
        cr_assert(eq(str, problem, (char *) sentence));
}

#define REFUSES(sentence, ...)                                          \
        ({                                                              \
                const RunNodeSpec nodes_[] = { __VA_ARGS__ };           \
                refuses(nodes_, ELEMENTSOF(nodes_), sentence);          \
        })

Test(run_graph, refuses_what_is_no_graph) {
        refuses(NULL, 0, "There is no node.");
        REFUSES("No node can be called \"N/A\", which means no node.", ROOT("N/A"));
        REFUSES("There are two nodes \"a\".", ROOT("a"), ROOT("b"), ROOT("a"));
        REFUSES("Node \"b\" depends on \"c\", which does not exist.", ROOT("a"), NODE("b", "a", "c"));
        REFUSES("Node \"a\" depends on itself.", NODE("a", "a"));
        REFUSES("Node \"b\" depends on \"a\" twice.", ROOT("a"), NODE("b", "a", "a"));
}

Test(run_graph, names_a_cycle_edge_by_edge) {
        REFUSES("Nodes depend on each other in a cycle: \"b\" depends on \"d\", \"d\" depends on \"c\", "
                "\"c\" depends on \"b\".",
                ROOT("a"), NODE("b", "a", "d"), NODE("c", "b"), NODE("d", "c"), NODE("e", "d"));
        REFUSES("Nodes depend on each other in a cycle: \"y\" depends on \"z\", \"z\" depends on \"y\".",
                NODE("below", "y"), NODE("y", "z"), NODE("z", "y"));
}

Test(run_graph, refuses_shares_out_of_reach) {
        RunNodeSpec nodes[] = { ROOT("a"), ROOT("b"), NODE("c", "a", "b") };
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;

        nodes[2].policy = (RunPolicy) { .readiness = RUN_READY_AT_LEAST, .amount = 3 };
        refuses(nodes, 3, "Node \"c\" wants at least 3 parents to succeed, and has 2.");
        nodes[2].policy = (RunPolicy) { .readiness = RUN_READY_AT_LEAST_PERCENT, .amount = 101 };
        refuses(nodes, 3, "Node \"c\" wants 101% of its parents to succeed: 1% to 100% can.");
        nodes[2].policy = (RunPolicy) { .readiness = RUN_READY_AT_LEAST, .amount = 2 };
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 3 }, &graph, NULL), 0));
}

Test(run_graph, holds_nodes_edges_and_policies) {
        RunNodeSpec nodes[] = { NODE("end", "left", "right"), NODE("left", "root"), NODE("right", "N/A", "root"),
                                NODE("root", "N/A") };
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        const uint32_t *items;
        RunGraph *other;
        uint32_t n;

        nodes[1].payload = 7;
        nodes[1].policy.retry = 3;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 4 }, &graph, NULL), 0));
        nodes[1].policy.retry = 4;
        cr_assert(eq(u32, run_graph_count(graph), 4));
        cr_assert(eq(u32, run_graph_find(graph, "right"), 2));
        cr_assert(eq(u32, run_graph_find(graph, "nobody"), RUN_NODE_NONE));
        cr_assert(eq(str, (char *) run_graph_name(graph, 3), (char *) "root"));
        cr_assert(eq(u32, run_graph_payload(graph, 1), 7));
        cr_assert(eq(u32, run_graph_policy(graph, 1)->retry, 3));
        cr_assert(eq(ptr, (void *) run_graph_policy(graph, 0), (void *) run_graph_policy(graph, 3)));

        items = run_graph_parents(graph, 0, &n);
        cr_assert(n == 2 && items[0] == 1 && items[1] == 2);
        items = run_graph_parents(graph, 2, &n);
        cr_assert(n == 1 && items[0] == 3);
        items = run_graph_children(graph, 3, &n);
        cr_assert(n == 2 && items[0] == 1 && items[1] == 2);
        run_graph_children(graph, 0, &n);
        cr_assert(eq(u32, n, 0));
        items = run_graph_order(graph);
        cr_assert(items[0] == 3 && items[1] == 1 && items[2] == 2 && items[3] == 0);

        other = run_graph_ref(graph);
        cr_assert(eq(ptr, run_graph_unref(other), NULL));
        cr_assert(eq(u32, run_graph_count(graph), 4));
}

/* @first: the parent of the first node; NULL: none. */
static int make_chain(const char *first, RunGraph **ret_graph, char **ret_problem) {
        static char names[LONG][8];
        static const char *parents[LONG];
        static RunNodeSpec nodes[LONG];

        for (uint32_t i = 0; i < LONG; i++) {
                snprintf(names[i], sizeof(names[i]), "n%u", i);
                parents[i] = i == 0 ? first : names[i - 1];
                nodes[i] = node(names[i], &parents[i], i > 0 || first);
        }
        return run_graph_new(&(RunGraphSpec) { nodes, LONG }, ret_graph, ret_problem);
}

/* Criterion runs each test in a process of its own. */
static void limit_stack(void) {
        struct rlimit limit = { 8U << 20, 8U << 20 };

        cr_assert(eq(int, setrlimit(RLIMIT_STACK, &limit), 0));
}

Test(run_graph, long_chain, .init = limit_stack) {
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;

        cr_assert(eq(int, make_chain(NULL, &graph, NULL), 0));
        for (uint32_t i = 0; i < LONG; i++)
                cr_assert(run_graph_order(graph)[i] == i);
        /* 64 bytes a node, and what its edge takes. */
        cr_assert(lt(sz, run_graph_bytes(graph), LONG * (size_t) (64 + 10)));
}

Test(run_graph, long_cycle, .init = limit_stack) {
        cleanup_free_ char *problem = NULL;
        RunGraph *graph = NULL;

        cr_assert(eq(int, make_chain("n99999", &graph, &problem), -EINVAL));
        cr_assert(strstr(problem, "\"n0\" depends on \"n99999\", \"n99999\" depends on \"n99998\"") != NULL);
        cr_assert(strstr(problem, ", and 99900 more.") != NULL);
}

/* In steps it is the same graph, and each step is short. */
Test(run_graph, is_made_in_steps) {
        RunNodeSpec nodes[] = { ROOT("a"), NODE("b", "a"), NODE("c", "a", "b"), NODE("d", "b") };
        cleanup_(run_graph_unrefp) RunGraph *whole = NULL, *graph = NULL;
        cleanup_(run_graph_maker_freep) RunGraphMaker *maker = NULL;
        unsigned n_steps = 1;
        int r;

        nodes[2].policy.retry = 3;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 4 }, &whole, NULL), 0));
        cr_assert(eq(int, run_graph_begin(&(RunGraphSpec) { nodes, 4 }, &maker), 0));
        while ((r = run_graph_make(maker, 1, &graph, NULL)) > 0) {
                cr_assert(graph == NULL);
                n_steps++;
        }
        cr_assert(eq(int, r, 0));
        /* Names, parents and what is judged, node by node; and the other passes. */
        cr_assert(eq(uint, n_steps, 3 * 4 + 6));
        cr_assert(eq(u32, run_graph_count(graph), 4));
        for (uint32_t i = 0; i < 4; i++) {
                uint32_t n, n_whole;

                cr_expect(eq(str, (char *) run_graph_name(graph, i), (char *) run_graph_name(whole, i)));
                cr_expect(eq(u32, run_graph_policy(graph, i)->retry, i == 2 ? 3 : 0));
                cr_expect(eq(u32, run_graph_order(graph)[i], run_graph_order(whole)[i]));
                cr_expect(eq(u32, run_graph_by_urgency(graph)[i], run_graph_by_urgency(whole)[i]));
                (void) run_graph_parents(graph, i, &n);
                (void) run_graph_parents(whole, i, &n_whole);
                cr_expect(eq(u32, n, n_whole));
        }
}

/* One that is given up, and one that is refused on the way, leave nothing. */
Test(run_graph, steps_may_end_early) {
        const RunNodeSpec nodes[] = { ROOT("a"), NODE("b", "a"), NODE("c", "nobody") };
        cleanup_free_ char *problem = NULL;
        RunGraphMaker *maker;
        RunGraph *graph = NULL;
        int r;

        cr_assert(eq(int, run_graph_begin(&(RunGraphSpec) { nodes, 3 }, &maker), 0));
        for (unsigned i = 0; i < 4; i++)
                cr_assert(eq(int, run_graph_make(maker, 1, &graph, &problem), 1));
        run_graph_maker_free(maker);
        cr_assert(eq(int, run_graph_begin(&(RunGraphSpec) { nodes, 3 }, &maker), 0));
        while ((r = run_graph_make(maker, 1, &graph, &problem)) > 0)
                ;
        cr_assert(eq(int, r, -EINVAL));
        cr_assert(eq(str, problem, (char *) "Node \"c\" depends on \"nobody\", which does not exist."));
        cr_assert(graph == NULL);
        run_graph_maker_free(maker);
}

/* Each edge adds five bytes a direction. */
Test(run_graph, edges_take_ten_bytes) {
        RunNodeSpec apart[] = { ROOT("a"), ROOT("b"), ROOT("c") };
        RunNodeSpec joined[] = { ROOT("a"), NODE("b", "a"), NODE("c", "a", "b") };
        cleanup_(run_graph_unrefp) RunGraph *first = NULL, *second = NULL;

        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { apart, 3 }, &first, NULL), 0));
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { joined, 3 }, &second, NULL), 0));
        cr_assert(eq(sz, run_graph_bytes(second) - run_graph_bytes(first), 3 * 10));
}

/* A graph, or a refusal, or -ENOMEM, and nothing is left over. */
Test(run_graph, memory_runs_out) {
        RunNodeSpec nodes[] = { ROOT("a"), NODE("b", "a", "c"), NODE("c", "a") };
        unsigned failures = 0;

        for (unsigned kind = 0; kind < 2; kind++)
                for (size_t n = 1;; n++) {
                        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
                        cleanup_free_ char *problem = NULL;
                        int r;

                        nodes[0] = kind == 0 ? ROOT("a") : NODE("a", "b");
                        double_memory_arm(n, false);
                        r = run_graph_new(&(RunGraphSpec) { nodes, 3 }, &graph, &problem);
                        if (!double_memory_disarm()) {
                                cr_assert(eq(int, r, kind == 0 ? 0 : -EINVAL));
                                break;
                        }
                        cr_assert(eq(int, r, -ENOMEM));
                        cr_assert(graph == NULL && problem == NULL);
                        failures++;
                }
        cr_assert(lt(uint, 10, failures));
}
