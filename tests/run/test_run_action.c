/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Nodes that are RUNNING without a process
 *
 * S004-5, S004-12, S004-20
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "run/run_engine.h"

typedef struct World {
        RunEngine *engine;
        RunFlow *flow;
        uint32_t batch, n_spawned, n_ended;
        RunAttemptKey last;
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
        World *world = userdata;

        world->n_spawned++;
        world->last = *attempt;
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
        spec.policy.recover = RUN_RECOVER_PENDING;
        spec.policy.timeout = spec.policy.total_timeout = spec.policy.window = USEC_INFINITY;
        return spec;
}

/* A run of nodes without edges, one process at a time. */
static void begin(World *world, const RunNodeSpec *nodes, uint32_t n, const RunDemand *demand) {
        const RunSettings settings = { .max_parallel = 1,
                                       .max_runs = 1,
                                       .max_queued = 1,
                                       .timeout = USEC_INFINITY,
                                       .queue_timeout = USEC_INFINITY };
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        uint32_t id;

        *world = (World) {};
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, n, demand, demand != NULL, 0 }, &graph, NULL), 0));
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_flow_new(world->engine, &settings, &world->flow), 0));
        run_engine_time(world->engine, 1);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = 1, .graph = graph }, &id), 0));
}

static void turn(World *world) {
        (void) run_engine_turn(world->engine, 10);
        run_engine_stored(world->engine, world->batch, world->batch);
}

static RunNodeRow row_of(const World *world, uint32_t node, RunWhy *ret_why) {
        RunNodeRow row;

        cr_assert(eq(int, run_engine_get_node(world->engine, 1, node, &row, ret_why), 0));
        return row;
}

static RunState state_of(const World *world) {
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get(world->engine, 1, &row, &why), 0));
        return row.state;
}

/* Nodes are taken in the order of the definition: both jobs stand behind a process that has no place. */
Test(run_action, jobs_take_no_place_of_max_parallel) {
        const RunNodeSpec nodes[] = { node_of("a", RUN_ACTION_PROCESS), node_of("b", RUN_ACTION_PROCESS),
                                      node_of("c", RUN_ACTION_JOB), node_of("d", RUN_ACTION_JOB) };
        World world;
        RunWhy why;

        begin(&world, nodes, 4, NULL);
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 3));
        cr_assert(eq(int, row_of(&world, 0, &why).reason, RUN_REASON_NONE));
        cr_assert(eq(int, why, RUN_WHY_PROCESS));
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_READY));
        cr_assert(eq(int, why, RUN_WHY_PLACE));
        cr_assert(eq(int, row_of(&world, 2, &why).reason, RUN_REASON_JOB));
        cr_assert(eq(int, why, RUN_WHY_JOB));
        cr_assert(eq(int, row_of(&world, 3, &why).state, RUN_NODE_RUNNING));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { 1, 0, 1, 1 }, RUN_END_EXITED, 0), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_RUNNING));
        run_engine_free(world.engine);
}

/* The same with a lock: nodes that take something are offered by the pool. */
Test(run_action, jobs_with_a_lock_take_no_place_either) {
        const RunDemandLock lock = { "door", 2 };
        const RunDemand demand = { &lock, NULL, 1, 0 };
        RunNodeSpec nodes[] = { node_of("a", RUN_ACTION_PROCESS), node_of("b", RUN_ACTION_PROCESS),
                                node_of("c", RUN_ACTION_JOB) };
        World world;
        RunWhy why;

        nodes[1].policy.demand = nodes[2].policy.demand = 1;
        begin(&world, nodes, 3, &demand);
        turn(&world);
        cr_assert(eq(int, row_of(&world, 1, &why).state, RUN_NODE_READY));
        cr_assert(eq(int, row_of(&world, 2, &why).state, RUN_NODE_RUNNING));
        run_engine_free(world.engine);
}

Test(run_action, the_end_of_a_job_is_that_of_its_node) {
        static const struct {
                RunEndKind kind;
                RunNodeState state;
                RunReason reason;
                RunState run;
        } cases[] = {
                { RUN_END_EXITED, RUN_NODE_SUCCEEDED, RUN_REASON_NONE, RUN_SUCCEEDED },
                { RUN_END_FAILED, RUN_NODE_FAILED, RUN_REASON_NONE, RUN_FAILED },
                { RUN_END_TIMEOUT, RUN_NODE_TIMEOUT, RUN_REASON_NONE, RUN_FAILED },
                { RUN_END_CANCELLED, RUN_NODE_CANCELLED, RUN_REASON_JOB, RUN_FAILED },
                { RUN_END_REFUSED, RUN_NODE_FAILED, RUN_REASON_REFUSED, RUN_FAILED },
                { RUN_END_LOST, RUN_NODE_PENDING, RUN_REASON_LOST, RUN_SUSPENDED },
        };
        const RunNodeSpec node = node_of("a", RUN_ACTION_JOB);

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                RunNodeRow row;
                World world;
                RunWhy why;

                begin(&world, &node, 1, NULL);
                turn(&world);
                cr_assert(eq(int, run_engine_ended(world.engine, &world.last, cases[i].kind, 0), 0));
                row = row_of(&world, 0, &why);
                cr_expect(eq(int, row.state, cases[i].state), "case %zu", i);
                cr_expect(eq(int, row.reason, cases[i].reason), "case %zu", i);
                cr_expect(eq(int, state_of(&world), cases[i].run), "case %zu", i);
                run_engine_free(world.engine);
        }
}

/* What others cancel may be tolerated; then the run has done a part. */
Test(run_action, a_cancelled_job_that_is_tolerated_makes_the_run_partial) {
        RunNodeSpec node = node_of("a", RUN_ACTION_JOB);
        World world;

        node.policy.failure = RUN_POLICY_CONTINUE;
        begin(&world, &node, 1, NULL);
        turn(&world);
        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_CANCELLED, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_PARTIAL));
        run_engine_free(world.engine);
}

/* A refusal is no failure that another try could mend. */
Test(run_action, what_was_refused_is_not_tried_again) {
        RunNodeSpec node = node_of("a", RUN_ACTION_JOB);
        World world;
        RunWhy why;

        node.policy.retry = 3;
        begin(&world, &node, 1, NULL);
        turn(&world);
        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_REFUSED, 0), 0));
        cr_assert(eq(int, row_of(&world, 0, &why).state, RUN_NODE_FAILED));
        run_engine_free(world.engine);
}

Test(run_action, a_cancel_tells_the_host_to_end_the_job) {
        const RunNodeSpec node = node_of("a", RUN_ACTION_JOB);
        World world;
        RunWhy why;

        begin(&world, &node, 1, NULL);
        turn(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_CANCEL, 0), 0));
        cr_assert(eq(u32, world.n_ended, 1));
        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_CANCELLED, 0), 0));
        cr_assert(eq(int, row_of(&world, 0, &why).state, RUN_NODE_CANCELLED));
        cr_assert(eq(int, state_of(&world), RUN_CANCELLED));
        run_engine_free(world.engine);
}
