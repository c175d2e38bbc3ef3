/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Nodes that are runs of other flows, and what these have of their parents
 *
 * S004-5, S004-12, S004-20
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "run/run_engine.h"

typedef struct World {
        RunEngine *engine;
        RunFlow *outer, *inner;
        uint32_t batch, n_ended;
} World;

static void put_run(void *userdata, const RunRow *row) {
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
}

static int persist(void *userdata, uint32_t *ret_batch) {
        *ret_batch = ++((World *) userdata)->batch;
        return 0;
}

static void spawn(void *userdata, const RunAttemptKey *attempt) {
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
        ((World *) userdata)->n_ended++;
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = {
        .put_run = put_run, .put_node = put_node, .persist = persist, .spawn = spawn, .end = end, .random = get_random
};

static RunNodeSpec node_of(const char *name, RunAction action) {
        RunNodeSpec spec = { .name = name };

        spec.policy.action = action;
        spec.policy.timeout = spec.policy.total_timeout = spec.policy.window = USEC_INFINITY;
        return spec;
}

static RunFlow *add_flow(World *world) {
        const RunSettings settings = { .max_parallel = 2,
                                       .max_runs = 2,
                                       .max_queued = 2,
                                       .timeout = USEC_INFINITY,
                                       .queue_timeout = USEC_INFINITY };
        RunFlow *flow;

        cr_assert(eq(int, run_flow_new(world->engine, &settings, &flow), 0));
        run_flow_unit(flow, RUN_UNIT_ACTIVE, false);
        return flow;
}

static void begin(World *world) {
        *world = (World) {};
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        run_engine_time(world->engine, 1);
        world->outer = add_flow(world);
        world->inner = add_flow(world);
}

/* @of_run, @of_node: numbers of @demands from 1; 0: nothing is taken. */
static RunGraph *graph_of(RunAction action, const RunDemand *demands, uint32_t of_run, uint32_t of_node) {
        RunNodeSpec node = node_of("x", action);
        RunGraph *graph;

        node.policy.demand = of_node;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &node, 1, demands, demands ? 1 : 0, of_run }, &graph, NULL),
                     0));
        return graph;
}

static void submit(RunFlow *flow, uint32_t id, uint32_t parent, RunGraph *graph) {
        const RunSubmit wanted = { .id = id, .graph = graph, .parent = parent };
        uint32_t ret_id;

        cr_assert(eq(int, run_engine_submit(flow, &wanted, &ret_id), 0));
        run_graph_unref(graph);
}

static void turn(World *world) {
        (void) run_engine_turn(world->engine, 10);
        run_engine_stored(world->engine, world->batch, world->batch);
        (void) run_engine_turn(world->engine, 10);
}

static RunState state_of(const World *world, uint32_t id) {
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get(world->engine, id, &row, &why), 0));
        return row.state;
}

static RunNodeRow row_of(const World *world, uint32_t id, RunWhy *ret_why) {
        RunNodeRow row;

        cr_assert(eq(int, run_engine_get_node(world->engine, id, 0, &row, ret_why), 0));
        return row;
}

static const RunDemandLock door[] = { { "door", 1 } };
static const RunDemand lock[] = { { .locks = door, .n_locks = 1 } };

Test(run_sub, a_node_says_that_it_is_a_run) {
        World world;
        RunWhy why;

        begin(&world);
        submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, 1, &why).reason, RUN_REASON_SUB_RUN));
        cr_assert(eq(int, why, RUN_WHY_SUB_RUN));
        cr_assert(eq(str, (char *) run_reason_to_string(RUN_REASON_SUB_RUN), (char *) "sub-run"));
        cr_assert(eq(str, (char *) run_why_to_string(RUN_WHY_SUB_RUN), (char *) "sub-run"));
        run_engine_free(world.engine);
}

/* A pause passes to the run, which need not end first; the end counts in a run that is paused, too. */
Test(run_sub, a_run_is_paused_while_its_sub_run_lasts) {
        World world;
        RunWhy why;

        begin(&world);
        submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
        submit(world.outer, 2, 0, graph_of(RUN_ACTION_JOB, NULL, 0, 0));
        turn(&world);
        for (uint32_t id = 1; id <= 2; id++)
                cr_assert(eq(int, run_engine_verb(world.engine, id, RUN_VERB_PAUSE, 0), 0));
        cr_assert(eq(int, state_of(&world, 1), RUN_PAUSED));
        cr_assert(eq(int, state_of(&world, 2), RUN_PAUSING));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 0, 1, 1 }, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_RESUME, 0), 0));
        cr_assert(eq(int, state_of(&world, 1), RUN_SUCCEEDED));
        run_engine_free(world.engine);
}

Test(run_sub, a_run_that_is_cancelled_waits_for_its_sub_run) {
        World world;
        RunWhy why;

        begin(&world);
        submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
        turn(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_CANCEL, 0), 0));
        cr_assert(eq(u32, world.n_ended, 1));
        cr_assert(eq(int, state_of(&world, 1), RUN_STOPPING));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 0, 1, 1 }, RUN_END_CANCELLED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_CANCELLED));
        cr_assert(eq(int, state_of(&world, 1), RUN_CANCELLED));
        run_engine_free(world.engine);
}

/* By somebody else it is a failure. */
Test(run_sub, a_sub_run_that_is_cancelled_fails_its_parent) {
        World world;
        RunWhy why;

        begin(&world);
        submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
        turn(&world);
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 0, 1, 1 }, RUN_END_CANCELLED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_CANCELLED));
        cr_assert(eq(int, row_of(&world, 1, &why).reason, RUN_REASON_SUB_RUN));
        cr_assert(eq(int, state_of(&world, 1), RUN_FAILED));
        run_engine_free(world.engine);
}

/* Without a parent it waits; locks of runs and of nodes are two kinds, and never keep each other waiting. */
Test(run_sub, a_sub_run_has_the_locks_of_what_is_above_it) {
        static const struct {
                uint32_t of_run, of_node; /* of the parent */
                uint32_t sub_run, sub_node;
                bool has_it_alone; /* also if it is no sub-run */
        } cases[] = {
                { 1, 0, 1, 0, false },
                { 0, 1, 0, 1, false },
                { 1, 0, 0, 1, true },
                { 0, 1, 1, 0, true },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                for (uint32_t parent = 0; parent < 2; parent++) {
                        World world;
                        RunWhy why;

                        begin(&world);
                        submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, lock, cases[i].of_run, cases[i].of_node));
                        turn(&world);
                        submit(world.inner, 2, parent,
                               graph_of(RUN_ACTION_PROCESS, lock, cases[i].sub_run, cases[i].sub_node));
                        turn(&world);
                        cr_expect(eq(int, row_of(&world, 2, &why).state == RUN_NODE_RUNNING,
                                     parent == 1 || cases[i].has_it_alone),
                                  "case %zu, parent %u", i, parent);
                        run_engine_free(world.engine);
                }
}

/* The grandchild has what the first one holds, though the run between takes nothing. */
Test(run_sub, a_lock_is_had_over_several_runs) {
        World world;
        RunWhy why;

        begin(&world);
        submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, lock, 0, 1));
        turn(&world);
        submit(world.inner, 2, 1, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
        turn(&world);
        submit(world.inner, 3, 2, graph_of(RUN_ACTION_PROCESS, lock, 0, 1));
        turn(&world);
        cr_assert(eq(int, row_of(&world, 3, &why).state, RUN_NODE_RUNNING));
        run_engine_free(world.engine);
}

/* What a sub-run has, it has of its parent, which stays as long. */
Test(run_sub, a_run_stays_as_long_as_its_sub_runs) {
        World world;

        begin(&world);
        submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, lock, 0, 1));
        turn(&world);
        submit(world.inner, 2, 1, graph_of(RUN_ACTION_PROCESS, NULL, 0, 0));
        turn(&world);
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 0, 1, 1 }, RUN_END_EXITED, 0), 0));
        turn(&world);
        cr_assert(eq(int, state_of(&world, 1), RUN_SUCCEEDED));
        cr_assert(eq(int, run_engine_forget(world.engine, 1), -EBUSY));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 2, 0, 1, 1 }, RUN_END_EXITED, 0), 0));
        turn(&world);
        cr_assert(eq(int, run_engine_forget(world.engine, 2), 0));
        cr_assert(eq(int, run_engine_forget(world.engine, 1), 0));
        run_engine_free(world.engine);
}

Test(run_sub, a_run_with_sub_runs_takes_no_nodes) {
        const RunNodeSpec nodes[] = { node_of("x", RUN_ACTION_RUN), node_of("y", RUN_ACTION_PROCESS) };
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        World world;

        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 2, NULL, 0, 0 }, &graph, NULL), 0));
        begin(&world);
        submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
        turn(&world);
        submit(world.inner, 2, 1, graph_of(RUN_ACTION_PROCESS, NULL, 0, 0));
        turn(&world);
        cr_assert(eq(int, run_engine_grow(world.engine, 1, graph, NULL), -EBUSY));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 2, 0, 1, 1 }, RUN_END_EXITED, 0), 0));
        turn(&world);
        cr_assert(eq(int, run_engine_forget(world.engine, 2), 0));
        cr_assert(eq(int, run_engine_grow(world.engine, 1, graph, NULL), 0));
        run_engine_free(world.engine);
}

/* — a sub-run that waits for a person: C15 — */

static const RunAttemptKey first = { 1, 0, 1, 1 };

/* x is a run, y waits for x, z is beside them; x has begun. */
static RunGraph *three_nodes(const RunDemand *demand, RunNodeSpec nodes[static 3]) {
        static const char *const above[] = { "x" };
        RunGraph *graph;

        nodes[0] = node_of("x", RUN_ACTION_RUN);
        nodes[1] = node_of("y", RUN_ACTION_PROCESS);
        nodes[2] = node_of("z", RUN_ACTION_PROCESS);
        nodes[0].policy.demand = demand ? 1 : 0;
        nodes[1].parents = above;
        nodes[1].n_parents = 1;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 3, demand, demand ? 1 : 0, 0 }, &graph, NULL), 0));
        return graph;
}

static void begin_waiting(World *world, RunNodeSpec nodes[static 3]) {
        begin(world);
        submit(world->outer, 1, 0, three_nodes(NULL, nodes));
        turn(world);
        cr_assert(eq(int, run_engine_started(world->engine, &first, 1), 0));
        cr_assert(eq(int, run_engine_sub_waits(world->engine, &first, true), 1));
        turn(world);
}

static RunNodeState node_state(const World *world, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(world->engine, 1, node, &row, &why), 0));
        return row.state;
}

Test(run_sub, a_node_waits_with_its_sub_run) {
        RunNodeSpec nodes[3];
        RunNodeRow row;
        World world;
        RunWhy why;

        begin_waiting(&world, nodes);
        row = row_of(&world, 1, &why);
        cr_assert(eq(int, row.state, RUN_NODE_PENDING));
        cr_assert(eq(int, row.reason, RUN_REASON_SUB_RUN));
        cr_assert(eq(int, row.attempt, RUN_ATTEMPT_IS_STARTED));
        cr_assert(eq(u64, row.at, 1));
        cr_assert(eq(int, why, RUN_WHY_SUB_RUN));
        cr_assert(eq(int, node_state(&world, 1), RUN_NODE_BLOCKED));
        /* Something else runs yet. */
        cr_assert(eq(int, state_of(&world, 1), RUN_RUNNING));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 2, 1, 1 }, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, state_of(&world, 1), RUN_SUSPENDED));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 0));

        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, false), 1));
        cr_assert(eq(int, state_of(&world, 1), RUN_RUNNING));
        row = row_of(&world, 1, &why);
        cr_assert(eq(int, row.state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row.reason, RUN_REASON_SUB_RUN));
        cr_assert(eq(u32, row.number, 1));
        cr_assert(eq(int, node_state(&world, 1), RUN_NODE_WAITING));
        cr_assert(eq(int, run_engine_ended(world.engine, &first, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_SUCCEEDED));
        run_engine_free(world.engine);
}

/* Nobody need have said before that the sub-run goes on. */
Test(run_sub, the_end_of_a_sub_run_counts_while_its_node_waits) {
        RunNodeSpec nodes[3];
        World world;
        RunWhy why;

        begin_waiting(&world, nodes);
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 2, 1, 1 }, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &first, RUN_END_FAILED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_FAILED));
        cr_assert(eq(int, state_of(&world, 1), RUN_FAILED));
        run_engine_free(world.engine);
}

/* What is to be decided is to be decided of the sub-run. */
Test(run_sub, no_verb_decides_about_a_node_that_waits_with_its_sub_run) {
        static const RunVerb verbs[] = { RUN_VERB_RETRY,      RUN_VERB_RERUN,    RUN_VERB_AS_SUCCESS,
                                         RUN_VERB_AS_FAILED,  RUN_VERB_AS_RETRY, RUN_VERB_AS_SKIP,
                                         RUN_VERB_SKIP,       RUN_VERB_APPROVE,  RUN_VERB_REJECT,
                                         RUN_VERB_UNLOCK };
        RunNodeSpec nodes[3];
        World world;
        RunWhy why;

        begin_waiting(&world, nodes);
        for (size_t i = 0; i < ELEMENTSOF(verbs); i++)
                cr_expect(eq(int, run_engine_verb(world.engine, 1, verbs[i], 0), -EINVAL), "verb %d", (int) verbs[i]);
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_PENDING));
        run_engine_free(world.engine);
}

/* The attempt of such a node ends with its run: not before it is over. */
Test(run_sub, the_end_of_a_run_ends_a_sub_run_that_waits) {
        RunNodeSpec nodes[3];
        World world;
        RunWhy why;

        begin_waiting(&world, nodes);
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 2, 1, 1 }, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, state_of(&world, 1), RUN_SUSPENDED));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_CANCEL, 0), 0));
        cr_assert(eq(u32, world.n_ended, 1));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_RUNNING));
        cr_assert(eq(int, state_of(&world, 1), RUN_STOPPING));
        /* It is not to wait again: it was told to end. */
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &first, RUN_END_CANCELLED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_CANCELLED));
        cr_assert(eq(int, state_of(&world, 1), RUN_CANCELLED));
        run_engine_free(world.engine);
}

/* A run in time that lets its nodes end by themselves does not wait for a person, either. */
Test(run_sub, the_end_of_a_run_ends_a_sub_run_that_begins_to_wait) {
        RunNodeSpec node = node_of("x", RUN_ACTION_RUN);
        RunSettings in_time = { .max_parallel = 4,
                                .max_runs = 4,
                                .timeout = 5,
                                .timeout_mode = RUN_TIMEOUT_DRAIN,
                                .queue_timeout = USEC_INFINITY };
        RunGraph *graph;
        World world;
        RunWhy why;

        begin(&world);
        run_flow_set(world.outer, &in_time);
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &node, 1, NULL, 0, 0 }, &graph, NULL), 0));
        submit(world.outer, 1, 0, graph);
        turn(&world);
        cr_assert(eq(int, run_engine_started(world.engine, &first, 1), 0));
        run_engine_time(world.engine, 10);
        cr_assert(eq(int, state_of(&world, 1), RUN_STOPPING));
        cr_assert(eq(u32, world.n_ended, 0));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 1));
        cr_assert(eq(u32, world.n_ended, 1));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 0));
        cr_assert(eq(u32, world.n_ended, 1));
        cr_assert(eq(int, run_engine_ended(world.engine, &first, RUN_END_CANCELLED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_TIMEOUT));
        cr_assert(eq(int, state_of(&world, 1), RUN_TIMEOUT));
        run_engine_free(world.engine);
}

/* FailurePolicy=end lets what runs end by itself; a sub-run that waits for a person might never. */
Test(run_sub, a_failure_beside_it_ends_a_sub_run_that_waits) {
        RunNodeSpec nodes[3];
        World world;
        RunWhy why;

        begin(&world);
        run_graph_unref(three_nodes(NULL, nodes));
        nodes[2].policy.failure = RUN_POLICY_END;
        {
                RunGraph *graph;

                cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 3, NULL, 0, 0 }, &graph, NULL), 0));
                submit(world.outer, 1, 0, graph);
        }
        turn(&world);
        cr_assert(eq(int, run_engine_started(world.engine, &first, 1), 0));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 1));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 2, 1, 1 }, RUN_END_EXITED, 1), 0));
        cr_assert(eq(int, state_of(&world, 1), RUN_STOPPING));
        cr_assert(eq(u32, world.n_ended, 1));
        cr_assert(eq(int, run_engine_ended(world.engine, &first, RUN_END_CANCELLED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_CANCELLED));
        cr_assert(eq(int, row_of(&world, 1, &why).reason, RUN_REASON_ENDED));
        cr_assert(eq(int, state_of(&world, 1), RUN_FAILED));
        run_engine_free(world.engine);
}

/* TimeoutSec= bounds the whole attempt. */
Test(run_sub, the_time_of_a_sub_run_goes_on_while_it_waits) {
        RunNodeSpec nodes[3];
        RunGraph *graph;
        World world;
        RunWhy why;

        begin(&world);
        run_graph_unref(three_nodes(NULL, nodes));
        nodes[0].policy.timeout = 10;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 1, NULL, 0, 0 }, &graph, NULL), 0));
        submit(world.outer, 1, 0, graph);
        turn(&world);
        cr_assert(eq(int, run_engine_started(world.engine, &first, 1), 0));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 1));
        cr_assert(eq(int, state_of(&world, 1), RUN_SUSPENDED));
        cr_assert(eq(u64, run_engine_deadline(world.engine), 11));
        run_engine_time(world.engine, 11);
        cr_assert(eq(u32, world.n_ended, 1));
        cr_assert(eq(int, state_of(&world, 1), RUN_RUNNING));
        cr_assert(eq(int, run_engine_ended(world.engine, &first, RUN_END_CANCELLED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_TIMEOUT));
        run_engine_free(world.engine);
}

/* Its locks are those of what waits below it. */
Test(run_sub, a_node_keeps_its_locks_while_its_sub_run_waits) {
        RunNodeSpec nodes[3];
        RunGraph *graph;
        World world;
        RunWhy why;

        begin(&world);
        run_graph_unref(three_nodes(lock, nodes));
        nodes[0].policy.gives_up_locks = true;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 3, lock, 1, 0 }, &graph, NULL), 0));
        submit(world.outer, 1, 0, graph);
        turn(&world);
        cr_assert(eq(int, run_engine_started(world.engine, &first, 1), 0));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 1));
        turn(&world);
        cr_assert(eq(str, (char *) run_engine_held_lock(world.engine, 1, 0, 0), (char *) "door"));
        submit(world.outer, 2, 0, graph_of(RUN_ACTION_PROCESS, lock, 0, 1));
        turn(&world);
        cr_assert(eq(int, row_of(&world, 2, &why).state, RUN_NODE_READY));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, false), 1));
        cr_assert(eq(int, run_engine_ended(world.engine, &first, RUN_END_EXITED, 0), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, 2, &why).state, RUN_NODE_RUNNING));
        run_engine_free(world.engine);
}

/* The row says all that there is to know; one without an attempt is none. */
Test(run_sub, a_node_that_waits_with_its_sub_run_survives_a_restart) {
        RunNodeSpec nodes[3];
        RunNodeRow rows[2];
        RunGraph *graph;
        World world, next;
        RunRow row;
        RunWhy why;

        begin_waiting(&world, nodes);
        cr_assert(eq(int, run_engine_get(world.engine, 1, &row, &why), 0));
        for (uint32_t i = 0; i < 2; i++)
                cr_assert(eq(int, run_engine_get_node(world.engine, 1, 2 * i, &rows[i], &why), 0));
        begin(&next);
        graph = three_nodes(NULL, nodes);
        rows[0].attempt = RUN_ATTEMPT_IS_HELD;
        cr_assert(eq(int, run_engine_restore(next.outer, graph, &row, rows, 2), -EINVAL));
        rows[0].attempt = RUN_ATTEMPT_IS_STARTED;
        cr_assert(eq(int, run_engine_restore(next.outer, graph, &row, rows, 2), 0));
        run_engine_restored(next.engine, 9, 9, 1, 1, false);
        cr_assert(eq(int, row_of(&next, 1, &why).state, RUN_NODE_PENDING));
        cr_assert(eq(int, row_of(&next, 1, &why).attempt, RUN_ATTEMPT_IS_STARTED));
        cr_assert(eq(int, run_engine_ended(next.engine, &(RunAttemptKey) { 1, 2, 1, 1 }, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, state_of(&next, 1), RUN_SUSPENDED));
        cr_assert(eq(int, run_engine_sub_waits(next.engine, &first, false), 1));
        cr_assert(eq(int, state_of(&next, 1), RUN_RUNNING));
        run_graph_unref(graph);
        run_engine_free(world.engine);
        run_engine_free(next.engine);
}

/* C16: nothing below needs it any more, so its end is that of a node that waits for nothing. */
Test(run_sub, an_unneeded_sub_run_that_waits_is_ended) {
        static const char *const above[] = { "x" };
        RunNodeSpec nodes[2] = { node_of("x", RUN_ACTION_RUN), node_of("y", RUN_ACTION_PROCESS) };
        RunGraph *graph;
        World world;
        RunWhy why;

        nodes[1].parents = above;
        nodes[1].n_parents = 1;
        begin(&world);
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 2, NULL, 0, 0 }, &graph, NULL), 0));
        submit(world.outer, 1, 0, graph);
        turn(&world);
        cr_assert(eq(int, run_engine_started(world.engine, &first, 1), 0));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_SKIP, 1), 0));
        cr_assert(eq(u32, world.n_ended, 0));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 1));
        cr_assert(eq(u32, world.n_ended, 1));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_RUNNING));
        cr_assert(eq(int, run_engine_ended(world.engine, &first, RUN_END_CANCELLED, 0), 0));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_CANCELLED));
        cr_assert(eq(int, row_of(&world, 1, &why).reason, RUN_REASON_UNNEEDED));
        run_engine_free(world.engine);
}

/* — on purpose — */

/* Run 1 waits with run 2, which waits with run 3, which waits for a person: at a gate, or because it has failed. */
static void begin_chain(World *world, bool is_at_gate) {
        RunNodeSpec last = node_of("x", RUN_ACTION_PROCESS);
        const RunAttemptKey second = { 2, 0, 1, 1 }, third = { 3, 0, 1, 1 };
        RunGraph *graph;

        last.policy.has_gate = is_at_gate;
        last.policy.failure = RUN_POLICY_SUSPEND;
        begin(world);
        submit(world->outer, 1, 0, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
        submit(world->inner, 2, 1, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &last, 1, NULL, 0, 0 }, &graph, NULL), 0));
        submit(world->inner, 3, 2, graph);
        turn(world);
        cr_assert(eq(int, run_engine_started(world->engine, &first, 1), 0));
        cr_assert(eq(int, run_engine_started(world->engine, &second, 1), 0));
        if (!is_at_gate)
                cr_assert(eq(int, run_engine_ended(world->engine, &third, RUN_END_EXITED, 1), 0));
        cr_assert(eq(int, state_of(world, 3), RUN_SUSPENDED));
        cr_assert(eq(int, run_engine_sub_waits(world->engine, &second, true), 1));
        cr_assert(eq(int, run_engine_sub_waits(world->engine, &first, true), 1));
        turn(world);
        cr_assert(eq(int, state_of(world, 1), RUN_SUSPENDED));
}

/* The first @n runs, given to another engine. */
static void restore_chain(const World *old, World *ret_world, uint32_t n, bool is_at_gate) {
        begin(ret_world);
        for (uint32_t id = 1; id <= n; id++) {
                RunNodeSpec node = node_of("x", id < 3 ? RUN_ACTION_RUN : RUN_ACTION_PROCESS);
                RunNodeRow node_row;
                RunGraph *graph;
                RunRow row;
                RunWhy why;

                node.policy.has_gate = is_at_gate && id == 3;
                cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &node, 1, NULL, 0, 0 }, &graph, NULL), 0));
                cr_assert(eq(int, run_engine_get_row(old->engine, id, &row), 0));
                node_row = row_of(old, id, &why);
                cr_assert(eq(int, run_engine_restore(id == 1 ? ret_world->outer : ret_world->inner, graph, &row,
                                                     &node_row, 1),
                             0));
                run_graph_unref(graph);
        }
        run_engine_restored(ret_world->engine, 9, 9, 1, 1, false);
}

static bool is_on_purpose(const World *world, uint32_t id) {
        const bool is_planned = run_engine_waits_on_purpose(world->engine, id, RUN_NODE_NONE);

        cr_assert(eq(int, run_engine_waits_on_purpose(world->engine, id, 0), is_planned));
        return is_planned;
}

/* A person who is asked for an approval is not to be alarmed, by any of the runs above, also after a restart. */
Test(run_sub, a_wait_with_a_gate_below_is_on_purpose) {
        World world, next;

        begin_chain(&world, true);
        restore_chain(&world, &next, 3, true);
        for (uint32_t id = 1; id <= 3; id++) {
                cr_assert(is_on_purpose(&world, id));
                cr_assert(is_on_purpose(&next, id));
        }
        run_engine_free(world.engine);
        run_engine_free(next.engine);
}

Test(run_sub, a_wait_with_a_failure_below_is_not_on_purpose) {
        World world, next;

        begin_chain(&world, false);
        restore_chain(&world, &next, 3, false);
        for (uint32_t id = 1; id <= 3; id++) {
                cr_assert(not(is_on_purpose(&world, id)));
                cr_assert(not(is_on_purpose(&next, id)));
        }
        run_engine_free(world.engine);
        run_engine_free(next.engine);
}

/* Whichever of them the engine finds first: run 3, at its gate, or run 2, of which another node has failed. */
Test(run_sub, a_failure_beside_a_gate_is_not_on_purpose) {
        RunNodeSpec nodes[] = { node_of("x", RUN_ACTION_RUN), node_of("y", RUN_ACTION_PROCESS) };
        RunNodeSpec gate = node_of("x", RUN_ACTION_PROCESS);
        const RunAttemptKey second = { 2, 0, 1, 1 }, failed = { 2, 1, 1, 1 };

        nodes[1].policy.failure = RUN_POLICY_SUSPEND;
        gate.policy.has_gate = true;
        for (int turned = 0; turned < 2; turned++) {
                RunGraph *graph;
                World world;

                begin(&world);
                submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
                cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 2, NULL, 0, 0 }, &graph, NULL), 0));
                submit(turned ? world.inner : world.outer, 2, 1, graph);
                cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &gate, 1, NULL, 0, 0 }, &graph, NULL), 0));
                submit(turned ? world.outer : world.inner, 3, 2, graph);
                turn(&world);
                cr_assert(eq(int, run_engine_started(world.engine, &first, 1), 0));
                cr_assert(eq(int, run_engine_started(world.engine, &second, 1), 0));
                cr_assert(eq(int, run_engine_ended(world.engine, &failed, RUN_END_EXITED, 1), 0));
                cr_assert(eq(int, run_engine_sub_waits(world.engine, &second, true), 1));
                cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 1));
                turn(&world);
                cr_assert(eq(int, state_of(&world, 1), RUN_SUSPENDED));
                cr_assert(not(is_on_purpose(&world, 1)));
                run_engine_free(world.engine);
        }
}

/* Nobody knows what a sub-run that is not there waits for. */
Test(run_sub, a_wait_with_nothing_is_not_on_purpose) {
        World world, next;

        begin_chain(&world, true);
        restore_chain(&world, &next, 2, true);
        cr_assert(not(is_on_purpose(&next, 1)));
        cr_assert(not(is_on_purpose(&next, 2)));
        cr_assert(not(run_engine_waits_on_purpose(next.engine, 3, RUN_NODE_NONE)));
        cr_assert(not(run_engine_waits_on_purpose(next.engine, 1, 1)));
        run_engine_free(world.engine);
        run_engine_free(next.engine);
}

Test(run_sub, a_pause_below_is_on_purpose) {
        World world;

        begin(&world);
        submit(world.outer, 1, 0, graph_of(RUN_ACTION_RUN, NULL, 0, 0));
        turn(&world);
        cr_assert(eq(int, run_engine_started(world.engine, &first, 1), 0));
        submit(world.inner, 2, 1, graph_of(RUN_ACTION_PROCESS, NULL, 0, 0));
        cr_assert(eq(int, run_engine_verb(world.engine, 2, RUN_VERB_PAUSE, 0), 0));
        cr_assert(eq(int, state_of(&world, 2), RUN_PAUSED));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &first, true), 1));
        cr_assert(is_on_purpose(&world, 1));
        run_engine_free(world.engine);
}

/* — the undo of a sub-run: C17 — */

static const RunAttemptKey undo = { 1, 1, 1, 1 };

/* x, and what undoes it; x takes the first of @demands, if there are any. */
static RunGraph *graph_with_undo(RunAction action, const RunDemand *demands) {
        RunNodeSpec nodes[2] = { node_of("x", action), node_of("x@compensate", action) };
        RunGraph *graph;

        nodes[0].policy.demand = nodes[1].policy.demand = demands ? 1 : 0;
        nodes[1].policy.recover = RUN_RECOVER_PENDING;
        nodes[1].policy.failure = RUN_POLICY_SUSPEND;
        cr_assert(eq(int,
                     run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 2, .demands = demands,
                                                     .n_demands = demands ? 1 : 0, .first_extra = 1, .n_extra = 1 },
                                   &graph, NULL),
                     0));
        return graph;
}

/* Run 1 and run 2, which is a part of it, have succeeded, and run 1 is undone. */
static void begin_undo(World *world, const RunDemand *demands) {
        static const RunAttemptKey second = { 2, 0, 1, 1 };

        begin(world);
        submit(world->outer, 1, 0, graph_with_undo(RUN_ACTION_RUN, demands));
        turn(world);
        submit(world->inner, 2, 1, graph_with_undo(RUN_ACTION_PROCESS, demands));
        turn(world);
        cr_assert(eq(int, run_engine_started(world->engine, &first, 1), 0));
        cr_assert(eq(int, run_engine_ended(world->engine, &second, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, run_engine_ended(world->engine, &first, RUN_END_EXITED, 0), 0));
        turn(world);
        cr_assert(eq(int, state_of(world, 1), RUN_SUCCEEDED));
        cr_assert(run_engine_can_undo(world->engine, 1));
        cr_assert(eq(int, run_engine_verb(world->engine, 1, RUN_VERB_COMPENSATE, 0), 0));
        turn(world);
}

static RunNodeRow undo_row(const World *world, uint32_t id) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(world->engine, id, 1, &row, &why), 0));
        return row;
}

/* The step of the run above holds the lock that what undoes the part takes, too. */
Test(run_sub, a_part_that_is_undone_has_the_locks_of_the_step) {
        World world;

        begin_undo(&world, lock);
        cr_assert(eq(int, undo_row(&world, 1).state, RUN_NODE_RUNNING));
        cr_assert(eq(int, undo_row(&world, 1).reason, RUN_REASON_SUB_RUN));
        cr_assert(eq(str, (char *) run_engine_held_lock(world.engine, 1, 1, 0), (char *) "door"));
        cr_assert(eq(int, run_engine_verb(world.engine, 2, RUN_VERB_COMPENSATE, 0), 0));
        turn(&world);
        cr_assert(eq(int, undo_row(&world, 2).state, RUN_NODE_RUNNING));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 2, 1, 1, 1 }, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &undo, RUN_END_EXITED, 0), 0));
        turn(&world);
        cr_assert(eq(int, state_of(&world, 1), RUN_SUCCEEDED));
        cr_assert(not(run_engine_can_undo(world.engine, 1)));
        run_engine_free(world.engine);
}

static void end_attempt(const World *world, uint32_t id, uint32_t node) {
        cr_assert(eq(int, run_engine_ended(world->engine, &(RunAttemptKey) { id, node, 1, 1 }, RUN_END_EXITED, 0), 0));
}

/* A person has the part undone while its parent runs; the step takes the lock that the part then wants. */
Test(run_sub, a_part_that_is_undone_already_gets_the_locks_of_the_step) {
        RunNodeSpec nodes[3] = { node_of("x", RUN_ACTION_RUN), node_of("slow", RUN_ACTION_PROCESS),
                                 node_of("x@compensate", RUN_ACTION_RUN) };
        World world;
        RunGraph *graph;

        nodes[0].policy.demand = nodes[2].policy.demand = 1;
        nodes[2].policy.priority = 255;
        begin(&world);
        cr_assert(eq(int,
                     run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 3, .demands = lock, .n_demands = 1,
                                                     .first_extra = 2, .n_extra = 1,
                                                     .undo_on = RUN_UNDO_ON_FAILURE },
                                   &graph, NULL),
                     0));
        submit(world.outer, 1, 0, graph);
        turn(&world);
        submit(world.inner, 2, 1, graph_with_undo(RUN_ACTION_PROCESS, lock));
        turn(&world);
        cr_assert(eq(int, run_engine_started(world.engine, &first, 1), 0));
        end_attempt(&world, 2, 0);
        end_attempt(&world, 1, 0);
        turn(&world);
        submit(world.inner, 3, 0, graph_of(RUN_ACTION_PROCESS, lock, 0, 1));
        turn(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, 2, RUN_VERB_COMPENSATE, 0), 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 1, 1, 1 }, RUN_END_EXITED, 1), 0));
        turn(&world);
        cr_assert(eq(int, undo_row(&world, 2).state, RUN_NODE_READY));
        end_attempt(&world, 3, 0);
        turn(&world);
        cr_assert(eq(str, (char *) run_engine_held_lock(world.engine, 1, 2, 0), (char *) "door"));
        cr_assert(eq(int, undo_row(&world, 2).state, RUN_NODE_READY));

        run_engine_sub_joins(world.engine, 2);
        turn(&world);
        cr_assert(eq(int, undo_row(&world, 2).state, RUN_NODE_RUNNING));
        end_attempt(&world, 2, 1);
        end_attempt(&world, 1, 2);
        turn(&world);
        cr_assert(eq(int, state_of(&world, 1), RUN_FAILED));
        run_engine_free(world.engine);
}

Test(run_sub, a_step_waits_with_the_part_that_is_undone) {
        World world;

        begin_undo(&world, NULL);
        cr_assert(eq(int, run_engine_started(world.engine, &undo, 1), 0));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &undo, true), 1));
        turn(&world);
        cr_assert(eq(int, undo_row(&world, 1).state, RUN_NODE_PENDING));
        cr_assert(eq(int, undo_row(&world, 1).reason, RUN_REASON_SUB_RUN));
        cr_assert(eq(int, undo_row(&world, 1).outcome, RUN_OUTCOME_OPEN));
        cr_assert(eq(int, state_of(&world, 1), RUN_SUSPENDED));
        for (RunVerb verb = RUN_VERB_AS_SUCCESS; verb <= RUN_VERB_AS_SKIP; verb++)
                cr_assert(eq(int, run_engine_verb(world.engine, 1, verb, 1), -EINVAL));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &undo, false), 1));
        turn(&world);
        cr_assert(eq(int, undo_row(&world, 1).state, RUN_NODE_RUNNING));
        cr_assert(eq(int, state_of(&world, 1), RUN_STOPPING));
        cr_assert(eq(int, run_engine_ended(world.engine, &undo, RUN_END_LOST, 0), 0));
        cr_assert(eq(int, undo_row(&world, 1).reason, RUN_REASON_LOST));
        cr_assert(eq(int, state_of(&world, 1), RUN_SUSPENDED));
        run_engine_free(world.engine);
}

/* A cancel gives up: the attempt is told to end, and the run ends when that has. */
Test(run_sub, a_step_that_waits_with_its_part_is_given_up) {
        World world;

        begin_undo(&world, NULL);
        cr_assert(eq(int, run_engine_started(world.engine, &undo, 1), 0));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &undo, true), 1));
        turn(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_CANCEL, 0), 0));
        turn(&world);
        cr_assert(eq(int, undo_row(&world, 1).state, RUN_NODE_RUNNING));
        cr_assert(eq(int, undo_row(&world, 1).outcome, RUN_OUTCOME_CANCELLED));
        cr_assert(eq(int, run_engine_sub_waits(world.engine, &undo, true), 0));
        cr_assert(eq(int, state_of(&world, 1), RUN_STOPPING));
        cr_assert(eq(int, run_engine_ended(world.engine, &undo, RUN_END_CANCELLED, 0), 0));
        turn(&world);
        cr_assert(eq(int, undo_row(&world, 1).state, RUN_NODE_CANCELLED));
        cr_assert(eq(int, state_of(&world, 1), RUN_SUCCEEDED));
        cr_assert(run_engine_can_undo(world.engine, 1));
        run_engine_free(world.engine);
}
