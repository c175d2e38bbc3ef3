/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A run that goes on with a larger graph
 *
 * The node a runs under a lock when the graph gets the node p below it, for which the node
 * "join" then waits, too.
 *
 * S004-10
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "double/double_memory.h"
#include "run/run_engine.h"

#define ID 1U
enum { A, JOIN, LATER, P };

typedef struct World {
        RunEngine *engine;
        RunFlow *flow;
        uint32_t batch, n_spawned, n_rows;
} World;

static void put_run(void *userdata, const RunRow *row) {
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
        ((World *) userdata)->n_rows++;
}

static int persist(void *userdata, uint32_t *ret_batch) {
        *ret_batch = ++((World *) userdata)->batch;
        return 0;
}

static void spawn(void *userdata, const RunAttemptKey *attempt) {
        ((World *) userdata)->n_spawned++;
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = {
        .put_run = put_run, .put_node = put_node, .persist = persist, .spawn = spawn, .end = end, .random = get_random
};

/* @n: 3, or 4 with p. */
static RunGraph *make_graph(uint32_t n) {
        static const char *const names[] = { "a", "join", "later", "p" };
        static const char *const of_join[] = { "a", "p" }, *const of_later[] = { "join" }, *const of_p[] = { "a" };
        static const RunDemandLock lock = { "l", 1 };
        const RunDemand demand = { .locks = &lock, .n_locks = 1 };
        RunNodeSpec nodes[4] = {};
        RunGraph *graph = NULL;

        for (uint32_t i = 0; i < 4; i++) {
                nodes[i].name = names[i];
                nodes[i].policy.recover = RUN_RECOVER_PENDING;
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
        }
        nodes[A].policy.timeout = 50;
        nodes[A].policy.demand = 1;
        nodes[JOIN].parents = of_join;
        nodes[JOIN].n_parents = n - 2;
        nodes[LATER].parents = of_later;
        nodes[LATER].n_parents = 1;
        nodes[P].parents = of_p;
        nodes[P].n_parents = 1;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, n, &demand, 1, 0 }, &graph, NULL), 0));
        return graph;
}

static void turn(World *world) {
        (void) run_engine_turn(world->engine, 10);
        run_engine_stored(world->engine, world->batch, world->batch);
}

static void begin(World *world) {
        const RunSettings settings = { .max_parallel = 4,
                                       .max_runs = 1,
                                       .max_queued = 1,
                                       .timeout = USEC_INFINITY,
                                       .queue_timeout = USEC_INFINITY };
        RunGraph *graph = make_graph(3);
        uint32_t id;

        *world = (World) {};
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_flow_new(world->engine, &settings, &world->flow), 0));
        run_engine_time(world->engine, 1);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = ID, .graph = graph }, &id), 0));
        run_graph_unref(graph);
}

static RunNodeRow row_of(const World *world, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(world->engine, ID, node, &row, &why), 0));
        return row;
}

static RunState state_of(const World *world) {
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get(world->engine, ID, &row, &why), 0));
        return row.state;
}

static void finish(World *world, uint32_t node) {
        const RunAttemptKey key = { ID, node, 1, 1 };

        (void) run_engine_started(world->engine, &key, 1);
        cr_assert(eq(int, run_engine_ended(world->engine, &key, RUN_END_EXITED, 0), 0));
        turn(world);
}

static int grow(World *world) {
        RunGraph *graph = make_graph(4);
        const int r = run_engine_grow(world->engine, ID, graph, NULL);

        run_graph_unref(graph);
        return r;
}

/* Before the batch with its attempt is there, after that, or once it has started: the attempt is made once. */
Test(run_grow, what_waits_for_a_node_waits_for_what_is_added_below_it) {
        for (unsigned when = 0; when < 4; when++) {
                World world;

                begin(&world);
                if (when == 1)
                        (void) run_engine_turn(world.engine, 10);
                else if (when > 1)
                        turn(&world);
                if (when == 3)
                        (void) run_engine_started(world.engine, &(RunAttemptKey) { ID, A, 1, 1 }, 1);
                cr_assert(eq(int, grow(&world), 0));
                turn(&world);
                turn(&world);
                cr_assert(eq(u32, world.n_spawned, 1), "%u", when);
                cr_assert(eq(int, row_of(&world, A).state, RUN_NODE_RUNNING));
                finish(&world, A);
                cr_assert(eq(int, row_of(&world, P).state, RUN_NODE_RUNNING));
                cr_assert(eq(int, row_of(&world, JOIN).state, RUN_NODE_WAITING));
                finish(&world, P);
                finish(&world, JOIN);
                finish(&world, LATER);
                cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
                cr_assert(eq(u32, world.n_spawned, 4));
                run_engine_free(world.engine);
        }
}

/* A time limit that has begun is met, and a lock that is held is given back. */
Test(run_grow, limits_and_locks_stay) {
        RunGraph *graph = make_graph(3);
        World world;

        begin(&world);
        turn(&world);
        (void) run_engine_started(world.engine, &(RunAttemptKey) { ID, A, 1, 1 }, 1);
        cr_assert(eq(int, grow(&world), 0));
        run_engine_time(world.engine, 50);
        cr_assert(eq(int, row_of(&world, A).outcome, RUN_OUTCOME_OPEN));
        run_engine_time(world.engine, 51);
        cr_assert(eq(int, row_of(&world, A).outcome, RUN_OUTCOME_TIMEOUT));
        finish(&world, A);
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        /* The next run gets the lock. */
        world.n_spawned = 0;
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID + 1, .graph = graph }, &(uint32_t) { 0 }),
                     0));
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 1));
        run_graph_unref(graph);
        run_engine_free(world.engine);
}

/* A run that waits for a person goes on with what is added. */
Test(run_grow, a_suspended_run_goes_on_with_what_is_added) {
        RunNodeSpec nodes[2] = { { .name = "a" }, { .name = "b" } };
        RunGraph *graph;
        World world;
        uint32_t id;

        for (uint32_t i = 0; i < 2; i++) {
                nodes[i].policy.failure = RUN_POLICY_SUSPEND;
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
        }
        begin(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, ID, RUN_VERB_CANCEL, 0), 0));
        turn(&world);
        cr_assert(eq(int, run_engine_forget(world.engine, ID), 0));
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 1 }, &graph, NULL), 0));
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = graph }, &id), 0));
        run_graph_unref(graph);
        turn(&world);
        cr_assert(eq(int, run_engine_started(world.engine, &(RunAttemptKey) { ID, 0, 1, 1 }, 1), 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { ID, 0, 1, 1 }, RUN_END_EXITED, 1), 0));
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_SUSPENDED));
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 2 }, &graph, NULL), 0));
        cr_assert(eq(int, run_engine_grow(world.engine, ID, graph, NULL), 0));
        run_graph_unref(graph);
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_RUNNING));
        cr_assert(eq(int, row_of(&world, 1).state, RUN_NODE_RUNNING));
        finish(&world, 1);
        cr_assert(eq(int, state_of(&world), RUN_SUSPENDED));
        run_engine_free(world.engine);
}

enum { OF_ANY, OTHER, ANY, NEW };

/* "any" waits for the first of a and "other". @parent: of p, or NULL: there is none; @is_above: p is above "any", too. */
static RunGraph *make_graph_with_any(const char *parent, bool is_above) {
        static const char *const of_any[] = { "a", "other", "p" };
        static const uint8_t edges[] = { RUN_EDGE_OPTIONAL, RUN_EDGE_OPTIONAL, RUN_EDGE_OPTIONAL };
        RunNodeSpec nodes[] = { [OF_ANY] = { .name = "a" }, [OTHER] = { .name = "other" },
                                [ANY] = { .name = "any", .parents = of_any, .edges = edges },
                                [NEW] = { .name = "p", .parents = &parent, .n_parents = 1 } };
        RunGraph *graph;

        nodes[ANY].n_parents = is_above ? 3 : 2;
        for (uint32_t i = 0; i < 4; i++)
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
        nodes[ANY].policy.readiness = RUN_READY_ANY;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = parent ? 4 : 3 }, &graph, NULL), 0));
        return graph;
}

/* Returns what is said, owned; NULL: the node is there. */
static char *grow_with_any(World *world, const char *parent, bool is_above) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_graph_with_any(parent, is_above);
        const uint32_t n_rows = world->n_rows;
        char *problem = NULL;
        RunNodeRow row;
        RunWhy why;
        int r = run_engine_grow(world->engine, ID, graph, &problem);

        if (problem) {
                cr_assert(eq(int, r, -EINVAL));
                cr_assert(eq(int, run_engine_get_node(world->engine, ID, NEW, &row, &why), -ENOENT));
                cr_assert(eq(u32, world->n_rows, n_rows));
        } else
                cr_assert(eq(int, r, 0));
        return problem;
}

static void begin_with_any(World *world) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_graph_with_any(NULL, false);

        begin(world);
        cr_assert(eq(int, run_engine_verb(world->engine, ID, RUN_VERB_CANCEL, 0), 0));
        turn(world);
        cr_assert(eq(int, run_engine_forget(world->engine, ID), 0));
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = ID, .graph = graph }, &(uint32_t) { 0 }),
                     0));
        turn(world);
}

/* A node runs that nobody needs any more; then one is added below it, and its failure counts. */
Test(run_grow, what_is_added_below_a_node_needs_it) {
        const RunAttemptKey key = { ID, OF_ANY, 1, 1 };
        World world;

        begin_with_any(&world);
        (void) run_engine_started(world.engine, &key, 1);
        finish(&world, OTHER);
        cr_assert(eq(int, row_of(&world, OF_ANY).reason, RUN_REASON_SHORT_CIRCUIT));
        cr_assert(grow_with_any(&world, "a", false) == NULL);
        cr_assert(eq(int, row_of(&world, OF_ANY).reason, RUN_REASON_NONE));
        cr_assert(eq(int, run_engine_ended(world.engine, &key, RUN_END_EXITED, 1), 0));
        cr_assert(eq(int, row_of(&world, OF_ANY).state, RUN_NODE_FAILED));
        run_engine_free(world.engine);
}

/* A node that was not waited for has begun and ended while its other parent runs. */
Test(run_grow, what_has_begun_gets_no_parent) {
        static const char *const of_state[] = { "Node any of run 1 is RUNNING: it can wait for no node that is added.",
                                                "Node any of run 1 is SUCCEEDED: it can wait for no node that is added." };
        World world;

        begin_with_any(&world);
        finish(&world, OTHER);
        cr_assert(eq(int, row_of(&world, ANY).state, RUN_NODE_RUNNING));
        for (unsigned i = 0; i < 2; i++) {
                cleanup_free_ char *problem = grow_with_any(&world, "a", true);

                cr_assert(eq(str, problem ? problem : (char *) "", (char *) of_state[i]));
                if (i == 0)
                        finish(&world, ANY);
        }
        /* A node may be added that none of these waits for. */
        cr_assert(grow_with_any(&world, "a", false) == NULL);
        finish(&world, OF_ANY);
        finish(&world, NEW);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        run_engine_free(world.engine);
}

Test(run_grow, what_has_ended_gets_no_child) {
        cleanup_free_ char *problem = NULL;
        World world;

        begin_with_any(&world);
        finish(&world, OTHER);
        problem = grow_with_any(&world, "other", false);
        cr_assert(eq(str, problem ? problem : (char *) "",
                     (char *) "Node other of run 1 is SUCCEEDED: what follows it is decided."));
        finish(&world, ANY);
        finish(&world, OF_ANY);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        run_engine_free(world.engine);
}

Test(run_grow, a_run_that_ends_gets_nothing) {
        RunGraph *smaller = make_graph(3);
        World world;

        begin(&world);
        turn(&world);
        cr_assert(eq(int, run_engine_grow(world.engine, ID + 1, smaller, NULL), -ENOENT));
        cr_assert(eq(int, grow(&world), 0));
        cr_assert(eq(int, run_engine_grow(world.engine, ID, smaller, NULL), -EINVAL));
        cr_assert(eq(int, run_engine_verb(world.engine, ID, RUN_VERB_STOP, 0), 0));
        cr_assert(eq(int, grow(&world), -EINVAL));
        run_graph_unref(smaller);
        run_engine_free(world.engine);
}

/* Whichever allocation fails, the run is as it was; once none fails it goes on with the node. */
Test(run_grow, memory_that_is_short_changes_nothing) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_graph(4);
        unsigned failures = 0;
        RunNodeRow row;
        World world;
        RunWhy why;

        begin(&world);
        turn(&world);
        for (size_t n = 1;; n++) {
                int r;

                double_memory_arm(n, false);
                r = run_engine_grow(world.engine, ID, graph, NULL);
                if (!double_memory_disarm()) {
                        cr_assert(eq(int, r, 0));
                        break;
                }
                cr_assert(eq(int, r, -ENOMEM));
                cr_assert(eq(int, run_engine_get_node(world.engine, ID, P, &row, &why), -ENOENT));
                cr_assert(eq(int, state_of(&world), RUN_RUNNING));
                cr_assert(eq(int, row_of(&world, A).state, RUN_NODE_RUNNING));
                cr_assert(eq(int, row_of(&world, JOIN).state, RUN_NODE_WAITING));
                failures++;
        }
        cr_assert(lt(uint, 1, failures));
        turn(&world);
        finish(&world, A);
        cr_assert(eq(int, row_of(&world, JOIN).state, RUN_NODE_WAITING));
        finish(&world, P);
        finish(&world, JOIN);
        finish(&world, LATER);
        cr_assert(eq(u32, world.n_spawned, 4));
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        run_engine_free(world.engine);
}
