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
        cr_assert(eq(int, run_engine_grow(world.engine, 1, graph), -EBUSY));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 2, 0, 1, 1 }, RUN_END_EXITED, 0), 0));
        turn(&world);
        cr_assert(eq(int, run_engine_forget(world.engine, 2), 0));
        cr_assert(eq(int, run_engine_grow(world.engine, 1, graph), 0));
        run_engine_free(world.engine);
}
