/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Runs with many nodes: those without parents become READY some in each turn, and so do nodes end with their run to which
 * nothing has happened
 *
 * S004-18, S004-21
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "run/run_engine.h"

#define NODES 12U
#define SLICE 3U
#define LARGE 100000U
#define LARGE_MOST 2000U /* rows of a turn */
#define PARALLEL 2U

typedef struct World {
        RunEngine *engine;
        RunFlow *flow;
        RunGraph *graph;
        uint32_t batch, n_spawned, n_rows, most_rows; /* rows since the last batch; the most of a batch */
        RunAttemptKey attempts[NODES];
        RunRow run; /* the last one that was put */
        RunNodeRow rows[NODES];
        bool has_row[NODES];
        uint32_t n_open; /* nodes whose last row is not one of an end */
        bool ended_early;
} World;

static void put_run(void *userdata, const RunRow *row) {
        ((World *) userdata)->run = *row;
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
        World *world = userdata;

        world->n_rows++;
        world->n_open -= run_node_state_is_terminal(row->state);
        if (row->node >= NODES)
                return;
        world->rows[row->node] = *row;
        world->has_row[row->node] = true;
}

static int persist(void *userdata, uint32_t *ret_batch) {
        World *world = userdata;

        world->ended_early = world->ended_early || (run_state_is_terminal(world->run.state) && world->n_open > 0);
        world->most_rows = MAX(world->most_rows, world->n_rows);
        world->n_rows = 0;
        *ret_batch = ++world->batch;
        return 0;
}

static void spawn(void *userdata, const RunAttemptKey *attempt) {
        World *world = userdata;

        cr_assert(lt(u32, world->n_spawned, NODES));
        world->attempts[world->n_spawned++] = *attempt;
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = {
        .put_run = put_run, .put_node = put_node, .persist = persist, .spawn = spawn, .end = end, .random = get_random
};

static const RunSettings settings = { .max_parallel = PARALLEL,
                                      .max_runs = 1,
                                      .max_queued = 1,
                                      .timeout = USEC_INFINITY,
                                      .queue_timeout = USEC_INFINITY };

static void make_engine(World *world, const RunSettings *of) {
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_flow_new(world->engine, of, &world->flow), 0));
        run_engine_set_slice(world->engine, SLICE);
        run_engine_time(world->engine, 1);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
}

/* Nodes with these parents, or with none; @policy is that of each, but its times. */
static RunGraph *make_graph(uint32_t n, const char *parent, const RunPolicy *policy) {
        static char names[LARGE][16];
        static RunNodeSpec nodes[LARGE];
        RunGraph *graph;

        for (uint32_t i = 0; i < n; i++) {
                (void) snprintf(names[i], sizeof(names[i]), "n%u", i);
                nodes[i] = (RunNodeSpec) { .name = names[i] };
                if (policy)
                        nodes[i].policy = *policy;
                if (i > 0 && parent)
                        nodes[i].parents = &parent;
                nodes[i].n_parents = i > 0 && parent;
                nodes[i].policy.recover = RUN_RECOVER_RETRY;
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
        }
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = n }, &graph, NULL), 0));
        return graph;
}

static bool turn(World *world) {
        const bool is_more = run_engine_turn(world->engine, 10);

        run_engine_stored(world->engine, world->batch, world->batch);
        return is_more;
}

static void begin_with(World *world, const RunSettings *of, uint32_t n, const char *parent, const RunPolicy *policy) {
        uint32_t id;

        *world = (World) { .graph = make_graph(n, parent, policy), .n_open = n };
        make_engine(world, of);
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = 1, .graph = world->graph }, &id), 0));
        while (turn(world))
                ;
}

static void begin(World *world, uint32_t n, const char *parent) {
        begin_with(world, &settings, n, parent, NULL);
}

static void finish(World *world) {
        run_engine_free(world->engine);
        run_graph_unref(world->graph);
}

static RunState state_of(const World *world) {
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get(world->engine, 1, &row, &why), 0));
        return row.state;
}

static RunNodeRow row_of(const World *world, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(world->engine, 1, node, &row, &why), 0));
        return row;
}

static uint32_t count(const World *world, RunNodeState state) {
        uint32_t tally[_RUN_NODE_STATE_MAX];

        cr_assert(eq(int, run_engine_tally(world->engine, 1, tally), 0));
        return tally[state];
}

static void cancel(World *world) {
        cr_assert(eq(int, run_engine_verb(world->engine, 1, RUN_VERB_CANCEL, 0), 0));
}

static void end_attempt(World *world, uint32_t at, uint16_t status) {
        cr_assert(eq(int, run_engine_ended(world->engine, &world->attempts[at], RUN_END_EXITED, status), 0));
}

static void end_attempts(World *world) {
        for (uint32_t i = 0; i < world->n_spawned; i++)
                end_attempt(world, i, 143);
}

/* — the beginning — */

static void submit(World *world, uint32_t n) {
        uint32_t id;

        *world = (World) { .graph = make_graph(n, NULL, NULL), .n_open = n };
        make_engine(world, &settings);
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = 1, .graph = world->graph }, &id), 0));
}

static void restart(World *world) {
        RunNodeRow rows[NODES];
        uint32_t n = 0;

        for (uint32_t i = 0; i < NODES; i++)
                if (world->has_row[i])
                        rows[n++] = world->rows[i];
        cr_assert(lt(u32, n, NODES));
        run_engine_free(world->engine);
        make_engine(world, &settings);
        cr_assert(eq(int, run_engine_restore(world->flow, world->graph, &world->run, rows, n), 0));
        run_engine_restored(world->engine, world->batch, world->batch, 1, 1, false);
}

static void overlooked(void *userdata, uint32_t run, uint32_t node, RunOversight oversight) {
        cr_assert(false);
}

Test(run_begin, nodes_without_parents_become_ready_some_in_each_turn) {
        World world;

        submit(&world, NODES);
        for (uint32_t n = SLICE; n < NODES; n += SLICE) {
                cr_assert(eq(int, state_of(&world), RUN_RUNNING));
                cr_assert(eq(u32, count(&world, RUN_NODE_WAITING), NODES - n));
                run_engine_watch_begin(world.engine);
                cr_assert(not(run_engine_watch(world.engine, NODES, overlooked, NULL)));
                /* The turn at hand has had its part. */
                if (n == SLICE)
                        (void) turn(&world);
                cr_assert(eq(int, turn(&world), n + SLICE < NODES));
        }
        cr_assert(eq(u32, count(&world, RUN_NODE_WAITING), 0));
        cr_assert(not(turn(&world)));
        cr_assert(eq(u32, world.most_rows, SLICE));
        finish(&world);
}

Test(run_begin, a_large_run_begins_in_many_turns) {
        uint32_t n_turns = 0;
        World world;

        submit(&world, LARGE);
        run_engine_set_slice(world.engine, 1024);
        while (turn(&world))
                n_turns++;
        cr_assert(eq(u32, count(&world, RUN_NODE_READY), LARGE - PARALLEL));
        cr_assert(lt(u32, world.most_rows, LARGE_MOST));
        cr_assert(lt(u32, LARGE / LARGE_MOST, n_turns));
        finish(&world);
}

/* The store has rows of some of them: another core goes on. */
Test(run_begin, a_restart_goes_on_with_the_beginning) {
        World world;

        submit(&world, NODES);
        (void) turn(&world);
        restart(&world);
        cr_assert(lt(u32, 0, count(&world, RUN_NODE_WAITING)));
        while (turn(&world))
                ;
        cr_assert(eq(u32, count(&world, RUN_NODE_READY) + count(&world, RUN_NODE_RUNNING), NODES));
        finish(&world);
}

/* As if all had been READY from the beginning. */
Test(run_begin, nodes_begin_in_their_order) {
        World world;

        submit(&world, NODES);
        for (uint32_t i = 0; i < NODES; i++) {
                while (world.n_spawned == i)
                        (void) turn(&world);
                cr_assert(eq(u32, world.attempts[i].node, i));
                end_attempt(&world, i, 0);
        }
        while (turn(&world))
                ;
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

/* One that depends on another, and need not wait for it, comes after the others, too. */
Test(run_begin, what_is_ready_at_once_is_not_before_its_turn) {
        static const char *const parent = "n0";
        RunNodeSpec nodes[NODES];
        World world = { .n_open = NODES };
        char names[NODES][4];
        uint32_t id;

        for (uint32_t i = 0; i < NODES; i++) {
                (void) snprintf(names[i], sizeof(names[i]), "n%u", i);
                nodes[i] = (RunNodeSpec) { .name = names[i] };
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
        }
        nodes[NODES - 1].parents = &parent;
        nodes[NODES - 1].n_parents = 1;
        nodes[NODES - 1].policy.readiness = RUN_READY_ALWAYS;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = NODES }, &world.graph, NULL), 0));
        make_engine(&world, &settings);
        run_engine_set_slice(world.engine, 1);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        while (turn(&world))
                ;
        cr_assert(eq(u32, world.n_spawned, PARALLEL));
        cr_assert(eq(u32, world.attempts[0].node, 0));
        cr_assert(eq(u32, world.attempts[1].node, 1));
        finish(&world);
}

/* What waits for a person is no reason to suspend a run of which more is to come. */
Test(run_begin, a_run_is_not_suspended_before_all_of_it_is_ready) {
        const RunPolicy policy = { .failure = RUN_POLICY_SUSPEND };
        World world = { .graph = make_graph(NODES, NULL, &policy), .n_open = NODES };
        uint32_t id;

        make_engine(&world, &settings);
        run_engine_set_slice(world.engine, 1);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        for (uint32_t i = 0; i < NODES; i++) {
                while (world.n_spawned == i)
                        (void) turn(&world);
                cr_assert(eq(int, state_of(&world), RUN_RUNNING));
                end_attempt(&world, i, 1);
        }
        cr_assert(eq(int, state_of(&world), RUN_SUSPENDED));
        finish(&world);
}

/* — the end — */

/* As in one turn: what ran is CANCELLED, the others are SKIPPED(ended), and so say the rows. */
static void check_end(const World *world, uint32_t n_cancelled) {
        cr_assert(eq(int, state_of(world), RUN_CANCELLED));
        cr_assert(eq(u32, count(world, RUN_NODE_CANCELLED), n_cancelled));
        cr_assert(eq(u32, count(world, RUN_NODE_SKIPPED), NODES - n_cancelled));
        cr_assert(not(world->ended_early));
        cr_assert(eq(u32, world->n_open, 0));
        for (uint32_t i = n_cancelled; i < NODES; i++) {
                cr_assert(eq(int, world->rows[i].state, RUN_NODE_SKIPPED));
                cr_assert(eq(int, world->rows[i].reason, RUN_REASON_ENDED));
        }
}

/* One place, and a node that takes a lock and is more urgent than all others: it is the first, whatever the slice. */
Test(run_end, roots_do_not_pass_a_node_that_takes_something) {
        const RunDemandLock lock = { "door", 1 };
        const RunDemand demand = { &lock, NULL, 1, 0 };
        RunSettings of = settings;
        RunNodeSpec nodes[NODES];
        char names[NODES][16];
        World world = { .n_open = NODES };
        uint32_t id;

        of.max_parallel = 1;
        for (uint32_t i = 0; i < NODES; i++) {
                (void) snprintf(names[i], sizeof(names[i]), "n%u", i);
                nodes[i] = (RunNodeSpec) { .name = names[i] };
                nodes[i].policy.recover = RUN_RECOVER_RETRY;
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
        }
        nodes[NODES - 1].policy.priority = 255;
        nodes[NODES - 1].policy.demand = 1;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, NODES, &demand, 1, 0 }, &world.graph, NULL), 0));
        make_engine(&world, &of);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        while (turn(&world))
                ;
        cr_assert(eq(u32, world.n_spawned, 1));
        cr_assert(eq(u32, world.attempts[0].node, NODES - 1));
        finish(&world);
}

Test(run_end, nodes_end_with_their_run_some_in_each_turn) {
        World world;

        begin(&world, NODES, "n0");
        world.most_rows = 0;
        cancel(&world);
        end_attempts(&world);
        cr_assert(eq(int, state_of(&world), RUN_STOPPING));
        cr_assert(eq(u32, count(&world, RUN_NODE_WAITING), NODES - 1 - SLICE));
        cr_assert(turn(&world));
        cr_assert(eq(u32, count(&world, RUN_NODE_WAITING), NODES - 1 - SLICE));
        while (turn(&world))
                cr_assert(eq(int, state_of(&world), RUN_STOPPING));
        check_end(&world, 1);
        /* The root is in the first batch. */
        cr_assert(eq(u32, world.most_rows, SLICE + 1));
        finish(&world);
}

/* No turn of the end of a run of 100,000 nodes has more rows than that, whether they wait for others or are READY. */
Test(run_end, a_large_run_ends_in_many_turns) {
        static const char *const parents[] = { "n0", NULL };

        for (size_t i = 0; i < ELEMENTSOF(parents); i++) {
                uint32_t n_turns = 0;
                World world;

                begin(&world, LARGE, parents[i]);
                run_engine_set_slice(world.engine, 1024);
                world.most_rows = 0;
                cancel(&world);
                end_attempts(&world);
                while (turn(&world))
                        n_turns++;
                cr_assert(eq(int, state_of(&world), RUN_CANCELLED));
                cr_assert(not(world.ended_early));
                cr_assert(eq(u32, world.n_open, 0));
                cr_assert(lt(u32, world.most_rows, LARGE_MOST));
                cr_assert(lt(u32, LARGE / LARGE_MOST, n_turns));
                finish(&world);
        }
}

/* The store has the run as STOPPING, and some of its nodes as they were: another core goes on. */
Test(run_end, a_restart_goes_on_with_the_end) {
        RunNodeRow rows[NODES];
        uint32_t n = 0;
        World world;

        begin(&world, NODES, "n0");
        cancel(&world);
        end_attempts(&world);
        (void) turn(&world);
        (void) turn(&world);
        cr_assert(eq(int, world.run.state, RUN_STOPPING));
        for (uint32_t i = 0; i < NODES; i++)
                if (world.has_row[i])
                        rows[n++] = world.rows[i];
        cr_assert(lt(u32, n, NODES));
        run_engine_free(world.engine);
        make_engine(&world, &settings);
        cr_assert(eq(int, run_engine_restore(world.flow, world.graph, &world.run, rows, n), 0));
        run_engine_restored(world.engine, world.batch, world.batch, 1, 1, false);
        while (turn(&world))
                ;
        check_end(&world, 1);
        finish(&world);
}

Test(run_end, a_run_may_end_while_it_begins) {
        World world;

        submit(&world, NODES);
        (void) turn(&world);
        (void) turn(&world);
        cr_assert(lt(u32, 0, count(&world, RUN_NODE_WAITING)));
        cancel(&world);
        end_attempts(&world);
        while (turn(&world))
                ;
        check_end(&world, PARALLEL);
        finish(&world);
}

/* Nothing of it begins, though there is room. */
Test(run_end, what_is_ready_does_not_begin_any_more) {
        World world;

        begin(&world, NODES, NULL);
        cr_assert(eq(u32, world.n_spawned, PARALLEL));
        cancel(&world);
        end_attempts(&world);
        while (turn(&world))
                ;
        cr_assert(eq(u32, world.n_spawned, PARALLEL));
        check_end(&world, PARALLEL);
        finish(&world);
}

/* One that nothing has told to end does so by itself. */
Test(run_end, a_stop_waits_for_what_runs_and_for_the_rest) {
        World world;

        begin(&world, NODES, "n0");
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_STOP, 0), 0));
        end_attempt(&world, 0, 0);
        cr_assert(eq(int, row_of(&world, 0).state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, state_of(&world), RUN_STOPPING));
        while (turn(&world))
                ;
        cr_assert(eq(int, state_of(&world), RUN_CANCELLED));
        cr_assert(eq(u32, count(&world, RUN_NODE_SKIPPED), NODES - 1));
        cr_assert(not(world.ended_early));
        finish(&world);
}

/* The time that a node may wait is of no account any more, also at the moment at which it is over for all of them. */
Test(run_end, a_time_limit_that_is_met_meanwhile_changes_nothing) {
        const RunPolicy policy = { .queue_timeout = 10, .failure = RUN_POLICY_END };
        World world;

        begin_with(&world, &settings, NODES, NULL, &policy);
        run_engine_time(world.engine, 100);
        cr_assert(eq(int, state_of(&world), RUN_STOPPING));
        end_attempts(&world);
        run_engine_time(world.engine, 200);
        while (turn(&world))
                ;
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        cr_assert(eq(u32, count(&world, RUN_NODE_TIMEOUT), 1));
        cr_assert(eq(u32, count(&world, RUN_NODE_SKIPPED), NODES - 1 - PARALLEL));
        finish(&world);
}

Test(run_end, the_deadline_and_failures_that_end_a_run_do_so_in_turns_too) {
        const RunPolicy policy = { .failure = RUN_POLICY_END };
        RunSettings limited = settings;
        World world;

        limited.timeout = 50;
        begin_with(&world, &limited, NODES, "n0", NULL);
        run_engine_time(world.engine, 100);
        end_attempts(&world);
        cr_assert(eq(int, state_of(&world), RUN_STOPPING));
        while (turn(&world))
                ;
        cr_assert(eq(int, state_of(&world), RUN_TIMEOUT));
        cr_assert(eq(u32, count(&world, RUN_NODE_SKIPPED), NODES - 1));
        cr_assert(not(world.ended_early));
        finish(&world);

        begin_with(&world, &settings, NODES, "n0", &policy);
        end_attempt(&world, 0, 1);
        cr_assert(eq(int, state_of(&world), RUN_STOPPING));
        while (turn(&world))
                ;
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        cr_assert(eq(u32, count(&world, RUN_NODE_SKIPPED), NODES - 1));
        cr_assert(not(world.ended_early));
        finish(&world);
}

/* A second cancel, and a deadline, find a part of it done. */
Test(run_end, being_cancelled_again_changes_nothing) {
        World world;

        begin(&world, NODES, "n0");
        cancel(&world);
        (void) turn(&world);
        cancel(&world);
        end_attempts(&world);
        cr_assert(turn(&world));
        while (turn(&world))
                ;
        check_end(&world, 1);
        finish(&world);
}

/* A run takes its place of MaxRuns= until all of its nodes have ended. */
Test(run_end, another_run_begins_when_all_nodes_have_ended) {
        World world;
        uint32_t id;
        RunRow row;

        begin(&world, NODES, "n0");
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 2, .graph = world.graph }, &id), 0));
        cancel(&world);
        end_attempts(&world);
        cr_assert(eq(int, run_engine_get_row(world.engine, 2, &row), 0));
        cr_assert(eq(int, row.state, RUN_QUEUED));
        while (turn(&world))
                ;
        cr_assert(eq(int, state_of(&world), RUN_CANCELLED));
        cr_assert(eq(int, run_engine_get_row(world.engine, 2, &row), 0));
        cr_assert(eq(int, row.state, RUN_RUNNING));
        cr_assert(eq(u32, world.n_spawned, 2));
        finish(&world);
}

/* The parent of the nodes has failed, and is cancelled when the last goal has ended. */
static RunGraph *make_unneeded(void) {
        const RunNodeSpec nodes[] = {
                { .name = "a", .policy.failure = RUN_POLICY_SUSPEND },
                { .name = "b", .policy.failure = RUN_POLICY_SUSPEND },
                { .name = "enough" },
                { .name = "skipped",
                  .parents = (const char *const[]) { "a" },
                  .n_parents = 1,
                  .policy.readiness = RUN_READY_ALL_SKIPPED },
                { .name = "both", .parents = (const char *const[]) { "skipped", "b" }, .n_parents = 2 },
                { .name = "goal",
                  .parents = (const char *const[]) { "both", "enough" },
                  .n_parents = 2,
                  .policy.readiness = RUN_READY_ANY },
        };
        RunNodeSpec specs[ELEMENTSOF(nodes)];
        RunGraph *graph;

        memcpy(specs, nodes, sizeof(specs));
        for (size_t i = 0; i < ELEMENTSOF(nodes); i++) {
                specs[i].policy.stays = true;
                specs[i].policy.recover = RUN_RECOVER_RETRY;
                specs[i].policy.timeout = specs[i].policy.total_timeout = specs[i].policy.window = USEC_INFINITY;
        }
        cr_assert(
                eq(int, run_graph_new(&(RunGraphSpec) { .nodes = specs, .n_nodes = ELEMENTSOF(specs) }, &graph, NULL), 0));
        return graph;
}

Test(run_end, nodes_that_are_cancelled_as_unneeded_are_told_to_their_children_together) {
        World world = { .graph = make_unneeded(), .n_open = 6 };
        uint32_t id;

        make_engine(&world, &settings);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        for (uint32_t at = 0; at < 4; at++) {
                while (turn(&world))
                        ;
                cr_assert(lt(u32, at, world.n_spawned));
                end_attempt(&world, at, world.attempts[at].node < 2);
        }
        cr_assert(eq(int, row_of(&world, 5).state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&world, 0).reason, RUN_REASON_UNNEEDED));
        cr_assert(eq(int, row_of(&world, 1).reason, RUN_REASON_UNNEEDED));
        cr_assert(eq(int, row_of(&world, 3).reason, RUN_REASON_UPSTREAM));
        /* One that it wanted has failed, whether that comes first or not. */
        cr_assert(eq(int, row_of(&world, 4).reason, RUN_REASON_UPSTREAM_FAILED));
        finish(&world);
}
