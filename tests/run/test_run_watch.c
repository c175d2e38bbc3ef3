/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The watchdog: an engine that has forgotten something is told so, and goes on
 *
 * Each test takes something away that the engine keeps about a run, shows that
 * the run stays where it is, and that it ends after a round of the watchdog. That
 * it finds nothing in an engine that is right, tests/property/run_adapter.c
 * checks after each turn of each random case.
 *
 * S000-46, S002-19
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"

#define ID 7U
#define LONG 100000U

typedef struct World {
        RunEngine *engine;
        RunFlow *flow;
        RunGraph *graph;
        uint32_t batch, n_spawned;
        RunAttemptKey last;
        uint32_t n_told, run, node; /* what the watchdog has told */
        RunOversight oversight;
        uint32_t n_asked;
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
}

static void ask(void *userdata, uint32_t run, uint32_t node, uint32_t generation) {
        ((World *) userdata)->n_asked++;
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = { .put_run = put_run, .put_node = put_node, .persist = persist, .spawn = spawn,
                              .end = end,         .ask = ask,           .random = get_random };

static RunNodeSpec spec_of(const char *name, const char *const *parents, uint32_t payload) {
        RunNodeSpec spec = { .name = name, .parents = parents, .n_parents = parents ? 1 : 0, .payload = payload };

        spec.policy.recover = RUN_RECOVER_PENDING;
        spec.policy.timeout = spec.policy.total_timeout = spec.policy.window = USEC_INFINITY;
        return spec;
}

/* Node 0, a command, and node 1 below it, which is @below. */
static void set_up(World *world, const RunNodeSpec *below) {
        const RunSettings settings = { .max_parallel = 2,
                                       .max_runs = 1,
                                       .timeout = USEC_INFINITY,
                                       .queue_timeout = USEC_INFINITY };
        RunNodeSpec nodes[] = { spec_of("a", NULL, 1), *below };
        uint32_t taken;

        nodes[0].policy.retry = 1;
        nodes[0].policy.delay = USEC_PER_SEC;
        *world = (World) {};
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 2 }, &world->graph, NULL), 0));
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_flow_new(world->engine, &settings, &world->flow), 0));
        run_engine_time(world->engine, USEC_PER_SEC);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int,
                     run_engine_submit(world->flow, &(RunSubmit) { .id = ID, .graph = world->graph }, &taken), 0));
}

static void tear_down(World *world) {
        run_engine_free(world->engine);
        run_graph_unref(world->graph);
}

static void turn(World *world) {
        while (run_engine_turn(world->engine, 10))
                ;
        run_engine_stored(world->engine, world->batch, world->batch);
}

static void end_last(World *world, uint16_t status) {
        cr_assert(eq(int, run_engine_started(world->engine, &world->last, USEC_PER_SEC), 0));
        cr_assert(eq(int, run_engine_ended(world->engine, &world->last, RUN_END_EXITED, status), 0));
}

static RunNodeState node_state(const World *world, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(world->engine, ID, node, &row, &why), 0));
        return row.state;
}

static void tell(void *userdata, uint32_t run, uint32_t node, RunOversight oversight) {
        World *world = userdata;

        world->n_told++;
        world->run = run;
        world->node = node;
        world->oversight = oversight;
}

static uint32_t watch(World *world, uint32_t budget) {
        uint32_t n_slices = 1;

        world->n_told = 0;
        run_engine_watch_begin(world->engine);
        while (run_engine_watch(world->engine, budget, tell, world))
                n_slices++;
        return n_slices;
}

/* One thing was told, of that node; the next round has nothing to tell. */
static void expect_told(World *world, uint32_t node, RunOversight oversight) {
        watch(world, 100);
        cr_assert(eq(u32, world->n_told, 1));
        cr_assert(eq(u32, world->run, ID));
        cr_assert(eq(u32, world->node, node));
        cr_assert(eq(int, world->oversight, oversight));
        watch(world, 100);
        cr_assert(eq(u32, world->n_told, 0));
}

static void expect_success(World *world) {
        RunRow row;
        RunWhy why;

        for (uint32_t n = world->n_spawned + 3; world->n_spawned < n;) {
                const uint32_t before = world->n_spawned;

                turn(world);
                if (world->n_spawned == before)
                        break;
                end_last(world, 0);
        }
        turn(world);
        cr_assert(eq(int, run_engine_get(world->engine, ID, &row, &why), 0));
        cr_assert(eq(int, row.state, RUN_SUCCEEDED));
}

static const char *const after_a[] = { "a" };

Test(run_watch, finds_nothing_where_all_is_right) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;

        set_up(&world, &below);
        watch(&world, 100);
        turn(&world);
        watch(&world, 100);
        cr_assert(eq(u32, world.n_told, 0));
        end_last(&world, 0);
        expect_success(&world);
        watch(&world, 100);
        cr_assert(eq(u32, world.n_told, 0));
        tear_down(&world);
}

Test(run_watch, a_node_that_nobody_was_to_begin) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;
        Run *run;

        set_up(&world, &below);
        run = run_find(world.engine, ID);
        run_set_put(run, RUN_SET_READY, run_graph_urgency(world.graph, 0), false);
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 0));
        expect_told(&world, 0, RUN_OVERSIGHT_READY);
        expect_success(&world);
        tear_down(&world);
}

Test(run_watch, a_node_that_was_passed_over) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;
        Run *run;

        set_up(&world, &below);
        run = run_find(world.engine, ID);
        run->first_ready = run->n;
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 0));
        expect_told(&world, 0, RUN_OVERSIGHT_READY);
        expect_success(&world);
        tear_down(&world);
}

Test(run_watch, an_end_of_which_a_child_was_not_told) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;
        Run *run;

        set_up(&world, &below);
        turn(&world);
        run = run_find(world.engine, ID);
        /* What the end adds is what is missing: the child counts its parent as one that has not ended. */
        run->nodes[1].succeeded--;
        end_last(&world, 0);
        turn(&world);
        cr_assert(eq(int, node_state(&world, 1), RUN_NODE_WAITING));
        expect_told(&world, 1, RUN_OVERSIGHT_PARENTS);
        expect_success(&world);
        tear_down(&world);
}

Test(run_watch, a_node_that_was_not_judged) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;
        Run *run;

        set_up(&world, &below);
        turn(&world);
        end_last(&world, 0);
        run = run_find(world.engine, ID);
        run_set_put(run, RUN_SET_READY, run_graph_urgency(world.graph, 1), false);
        run->nodes[1].state = RUN_NODE_WAITING;
        run->tally[RUN_NODE_READY]--;
        run->tally[RUN_NODE_WAITING]++;
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 1));
        expect_told(&world, 1, RUN_OVERSIGHT_PARENTS);
        expect_success(&world);
        tear_down(&world);
}

Test(run_watch, an_attempt_that_was_not_to_be_spawned) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;

        set_up(&world, &below);
        run_engine_turn(world.engine, 10);
        run_hold_attempt(run_find(world.engine, ID), 0, false);
        turn(&world);
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 0));
        expect_told(&world, 0, RUN_OVERSIGHT_ATTEMPT);
        expect_success(&world);
        tear_down(&world);
}

Test(run_watch, a_retry_without_a_timer) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;
        Run *run;

        set_up(&world, &below);
        turn(&world);
        end_last(&world, 1);
        cr_assert(eq(int, node_state(&world, 0), RUN_NODE_DEFERRED));
        run = run_find(world.engine, ID);
        run->nodes[0].timer = 0;
        run->n_timers = 0;
        run_time(run);
        run_engine_time(world.engine, USEC_PER_HOUR);
        turn(&world);
        cr_assert(eq(int, node_state(&world, 0), RUN_NODE_DEFERRED));
        expect_told(&world, 0, RUN_OVERSIGHT_TIME);
        run_engine_time(world.engine, USEC_PER_HOUR + 1);
        expect_success(&world);
        tear_down(&world);
}

Test(run_watch, a_run_without_a_timer) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;
        Run *run;

        set_up(&world, &below);
        turn(&world);
        end_last(&world, 1);
        run = run_find(world.engine, ID);
        heap_remove(&world.engine->timers, run);
        cr_assert(eq(u64, run_engine_deadline(world.engine), USEC_INFINITY));
        expect_told(&world, RUN_NODE_NONE, RUN_OVERSIGHT_TIME);
        run_engine_time(world.engine, USEC_PER_HOUR);
        expect_success(&world);
        tear_down(&world);
}

Test(run_watch, a_command_that_judges_and_was_not_asked) {
        RunNodeSpec below = spec_of("b", after_a, 2);
        World world;

        below.policy.readiness = RUN_READY_BY_POLICY;
        set_up(&world, &below);
        turn(&world);
        end_last(&world, 0);
        run_want_policy(run_find(world.engine, ID), 1, false);
        turn(&world);
        cr_assert(eq(u32, world.n_asked, 0));
        expect_told(&world, 1, RUN_OVERSIGHT_POLICY);
        turn(&world);
        cr_assert(eq(u32, world.n_asked, 1));
        cr_assert(eq(int, run_engine_answered(world.engine, ID, 1, 1, RUN_ANSWER_READY), 0));
        expect_success(&world);
        tear_down(&world);
}

Test(run_watch, a_node_that_does_not_wait_for_its_lock) {
        static const RunDemandLock lock = { "one", 1 };
        static const RunDemand demands[] = { { .locks = &lock, .n_locks = 1 } };
        const RunSettings settings = { .max_parallel = 1,
                                       .max_runs = 1,
                                       .timeout = USEC_INFINITY,
                                       .queue_timeout = USEC_INFINITY };
        RunNodeSpec node = spec_of("a", NULL, 1);
        World world = {};
        uint32_t taken;
        Run *run;

        node.policy.demand = 1;
        cr_assert(eq(int,
                     run_graph_new(&(RunGraphSpec) { .nodes = &node, .n_nodes = 1, .demands = demands, .n_demands = 1 },
                                   &world.graph, NULL),
                     0));
        cr_assert(eq(int, run_engine_new(&world.engine, &host, &world), 0));
        cr_assert(eq(int, run_flow_new(world.engine, &settings, &world.flow), 0));
        run_engine_time(world.engine, USEC_PER_SEC);
        run_flow_unit(world.flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph }, &taken), 0));
        run = run_find(world.engine, ID);
        run_claim_leave(run->claims[0]);
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 0));
        expect_told(&world, 0, RUN_OVERSIGHT_LOCK);
        expect_success(&world);
        tear_down(&world);
}

Test(run_watch, a_run_whose_nodes_have_ended) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;
        Run *run;

        set_up(&world, &below);
        turn(&world);
        end_last(&world, 0);
        turn(&world);
        end_last(&world, 0);
        run = run_find(world.engine, ID);
        run->row.state = RUN_RUNNING;
        turn(&world);
        expect_told(&world, RUN_NODE_NONE, RUN_OVERSIGHT_RUN);
        expect_success(&world);
        tear_down(&world);
}

/* Nothing can be repaired: it is told in each round. */
Test(run_watch, a_run_in_which_nothing_can_move) {
        const RunNodeSpec below = spec_of("b", after_a, 2);
        World world;
        Run *run;

        set_up(&world, &below);
        turn(&world);
        run = run_find(world.engine, ID);
        run->tally[RUN_NODE_RUNNING]--;
        run->tally[RUN_NODE_WAITING]++;
        watch(&world, 100);
        cr_assert(eq(u32, world.n_told, 1));
        cr_assert(eq(int, world.oversight, RUN_OVERSIGHT_STUCK));
        watch(&world, 100);
        cr_assert(eq(u32, world.n_told, 1));
        run->tally[RUN_NODE_RUNNING]++;
        run->tally[RUN_NODE_WAITING]--;
        tear_down(&world);
}

/* What has to be looked at is what is alive, and a slice ends where its budget does. */
Test(run_watch, works_in_slices) {
        static RunNodeSpec nodes[LONG];
        static char names[LONG][16];
        static const char *parents[LONG];
        const RunSettings settings = { .max_parallel = 1,
                                       .max_runs = 1,
                                       .timeout = USEC_INFINITY,
                                       .queue_timeout = USEC_INFINITY };
        World world = {};
        uint32_t taken;

        for (uint32_t i = 0; i < LONG; i++) {
                snprintf(names[i], sizeof(names[i]), "n%u", i);
                parents[i] = i == 0 ? NULL : names[i - 1];
                nodes[i] = spec_of(names[i], i == 0 ? NULL : &parents[i], 1);
        }
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, LONG }, &world.graph, NULL), 0));
        cr_assert(eq(int, run_engine_new(&world.engine, &host, &world), 0));
        cr_assert(eq(int, run_flow_new(world.engine, &settings, &world.flow), 0));
        run_engine_time(world.engine, USEC_PER_SEC);
        run_flow_unit(world.flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph }, &taken), 0));
        turn(&world);
        /* A look at each node, and one at the parent of each that waits. */
        cr_assert(eq(u32, watch(&world, 1000), 2 * LONG / 1000));
        cr_assert(eq(u32, world.n_told, 0));
        /* Runs that have ended cost nothing. */
        cr_assert(eq(int, run_engine_verb(world.engine, ID, RUN_VERB_CANCEL, 0), 0));
        end_last(&world, 0);
        turn(&world);
        cr_assert(eq(u32, watch(&world, 1000), 1));
        tear_down(&world);
}
