/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Nodes with Foreach=: instances, their ends, and what becomes of the node
 *
 * S004-16b, S004-18, S004-19a
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "double/double_memory.h"
#include "run/run_engine.h"

#define ATTEMPTS_MAX 64U
#define ROWS_MAX 64U

typedef struct World {
        RunEngine *engine;
        RunFlow *flow;
        RunGraph *graph; /* of the definition */
        RunGraph *wide; /* a reference: with instances */
        uint32_t n_items; /* of each node */
        RunReason count_reason, gather_reason;
        uint32_t batch, n_gathered;
        RunAttemptKey attempts[ATTEMPTS_MAX];
        uint32_t n_attempts;
        RunRow run; /* the last one that was put */
        RunNodeRow rows[ROWS_MAX];
        bool has_row[ROWS_MAX];
        uint32_t n_put;
} World;

static void put_run(void *userdata, const RunRow *row) {
        ((World *) userdata)->run = *row;
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
        World *world = userdata;

        cr_assert(lt(u32, row->node, ROWS_MAX));
        world->rows[row->node] = *row;
        world->has_row[row->node] = true;
        world->n_put++;
}

static int persist(void *userdata, uint32_t *ret_batch) {
        *ret_batch = ++((World *) userdata)->batch;
        return 0;
}

static void spawn(void *userdata, const RunAttemptKey *attempt) {
        World *world = userdata;

        cr_assert(lt(u32, world->n_attempts, ATTEMPTS_MAX));
        world->attempts[world->n_attempts++] = *attempt;
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
}

static RunReason count(void *userdata, uint32_t run, uint32_t node, uint32_t *ret_n) {
        const World *world = userdata;

        *ret_n = world->n_items;
        return world->count_reason;
}

static int grow(void *userdata, uint32_t run, RunGraph *graph) {
        World *world = userdata;

        run_graph_unref(world->wide);
        world->wide = run_graph_ref(graph);
        return 0;
}

static RunReason gather(void *userdata, uint32_t run, uint32_t node) {
        World *world = userdata;

        world->n_gathered++;
        return world->gather_reason;
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = {
        .put_run = put_run,
        .put_node = put_node,
        .persist = persist,
        .spawn = spawn,
        .end = end,
        .count = count,
        .grow = grow,
        .gather = gather,
        .random = get_random,
};

static const char *const parent_a[] = { "a" };

static RunNodeSpec node_of(const char *name, const char *const *parents, uint32_t n_parents) {
        RunNodeSpec spec = { .name = name, .parents = parents, .n_parents = n_parents };

        spec.policy.recover = RUN_RECOVER_RETRY;
        spec.policy.timeout = spec.policy.total_timeout = spec.policy.window = USEC_INFINITY;
        return spec;
}

static RunNodeSpec foreach_of(const char *name) {
        RunNodeSpec spec = node_of(name, NULL, 0);

        spec.policy.is_foreach = true;
        return spec;
}

static const RunSettings settings = { .max_parallel = 3,
                                      .max_runs = 1,
                                      .max_queued = 1,
                                      .timeout = USEC_INFINITY,
                                      .queue_timeout = USEC_INFINITY };

static void make_of(World *world, const RunGraphSpec *spec) {
        *world = (World) { .n_items = 5 };
        cr_assert(eq(int, run_graph_new(spec, &world->graph, NULL), 0));
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_flow_new(world->engine, &settings, &world->flow), 0));
        run_engine_time(world->engine, 1);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
}

static void make(World *world, const RunNodeSpec *nodes, uint32_t n) {
        make_of(world, &(RunGraphSpec) { .nodes = nodes, .n_nodes = n });
}

static void turn(World *world) {
        (void) run_engine_turn(world->engine, 100);
        run_engine_stored(world->engine, world->batch, world->batch);
}

static void begin(World *world, const RunNodeSpec *nodes, uint32_t n) {
        uint32_t id;

        make(world, nodes, n);
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = 1, .graph = world->graph }, &id), 0));
        turn(world);
}

static void finish(World *world) {
        run_engine_free(world->engine);
        run_graph_unref(world->wide);
        run_graph_unref(world->graph);
}

static RunGraph *graph_of(const World *world) {
        return world->wide ? world->wide : world->graph;
}

static RunNodeRow row_of(const World *world, const char *name) {
        const uint32_t node = run_graph_find(graph_of(world), name);
        RunNodeRow row;
        RunWhy why;

        cr_assert(ne(u32, node, RUN_NODE_NONE), "%s", name);
        cr_assert(eq(int, run_engine_get_node(world->engine, 1, node, &row, &why), 0));
        return row;
}

static RunWhy why_of(const World *world, const char *name) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int,
                     run_engine_get_node(world->engine, 1,
                                         run_graph_find(graph_of(world), name), &row, &why),
                     0));
        return why;
}

static int verb(const World *world, RunVerb verb, const char *name) {
        return run_engine_verb(world->engine, 1, verb, run_graph_find(graph_of(world), name));
}

static RunState state_of(const World *world) {
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get(world->engine, 1, &row, &why), 0));
        return row.state;
}

/* Ends attempt @i, which was begun as number @i, with a status. */
static void end_attempt(World *world, uint32_t i, uint16_t status) {
        cr_assert(lt(u32, i, world->n_attempts));
        cr_assert(eq(int, run_engine_ended(world->engine, &world->attempts[i], RUN_END_EXITED, status), 0));
}

/* Ends all attempts, also those that follow; @failing: name of an instance that fails. */
static void end_all(World *world, const char *failing) {
        for (uint32_t i = 0; i < world->n_attempts; i++) {
                const char *name = run_graph_name(graph_of(world), world->attempts[i].node);

                if (run_engine_ended(world->engine, &world->attempts[i], RUN_END_EXITED,
                                     failing && strcmp(name, failing) == 0) == 0)
                        turn(world);
        }
}

Test(run_item, instances_run_as_max_parallel_allows_and_then_the_child) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;

        begin(&world, nodes, 2);
        cr_assert(eq(u32, run_graph_count(graph_of(&world)), 7));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&world, "a").reason, RUN_REASON_FOREACH));
        cr_assert(eq(int, why_of(&world, "a"), RUN_WHY_ITEMS));
        cr_assert(eq(u32, world.n_attempts, 3));
        cr_assert(eq(int, row_of(&world, "a[2]").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&world, "a[3]").state, RUN_NODE_READY));
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_WAITING));
        end_attempt(&world, 1, 0);
        turn(&world);
        cr_assert(eq(u32, world.n_attempts, 4));
        end_all(&world, NULL);
        cr_assert(eq(u32, world.n_attempts, 6));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(u32, world.n_gathered, 1));
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

Test(run_item, what_has_not_begun_has_no_row) {
        const RunNodeSpec nodes[] = { foreach_of("a") };
        World world;

        begin(&world, nodes, 1);
        cr_assert(world.has_row[0] && world.has_row[1] && world.has_row[3]);
        cr_assert(not(world.has_row[4]));
        cr_assert(not(world.has_row[5]));
        finish(&world);
}

Test(run_item, no_items_are_one_success) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;
        uint32_t id;

        make(&world, nodes, 2);
        world.n_items = 0;
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_RUNNING));
        finish(&world);
}

Test(run_item, a_list_without_value_or_of_too_many_fails_the_node) {
        static const RunReason reasons[] = { RUN_REASON_EXPRESSION, RUN_REASON_TOO_MANY };
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };

        for (size_t i = 0; i < ELEMENTSOF(reasons); i++) {
                World world;
                uint32_t id;

                make(&world, nodes, 2);
                world.count_reason = reasons[i];
                cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id),
                             0));
                turn(&world);
                cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_FAILED));
                cr_assert(eq(int, row_of(&world, "a").reason, reasons[i]));
                cr_assert(eq(int, state_of(&world), RUN_FAILED));
                finish(&world);
        }
}

/* The failure of an instance is one of the node, and its policy is that of the node. */
Test(run_item, a_failed_instance_fails_the_node_when_all_have_ended) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;

        begin(&world, nodes, 2);
        end_attempt(&world, 0, 1);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a[0]").state, RUN_NODE_FAILED));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_SKIPPED));
        cr_assert(eq(int, state_of(&world), RUN_RUNNING));
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "a[4]").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_FAILED));
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        cr_assert(eq(u32, world.n_gathered, 0));
        finish(&world);
}

/* 3 of 5 are 60 %. */
Test(run_item, children_count_instances) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1), node_of("c", parent_a, 1) };
        World world;

        nodes[0].policy.failure = RUN_POLICY_CONTINUE;
        nodes[1].policy.readiness = RUN_READY_AT_LEAST_PERCENT;
        nodes[1].policy.amount = 60;
        nodes[2].policy.readiness = RUN_READY_AT_LEAST;
        nodes[2].policy.amount = 6;
        begin(&world, nodes, 3);
        cr_assert(eq(int, row_of(&world, "c").state, RUN_NODE_SKIPPED));
        end_attempt(&world, 0, 0);
        end_attempt(&world, 1, 1);
        end_attempt(&world, 2, 0);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_WAITING));
        end_attempt(&world, 3, 0);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_RUNNING));
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_PARTIAL));
        finish(&world);
}

Test(run_item, foreach_parallel_bounds_the_instances) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("z", NULL, 0) };
        World world;

        nodes[0].policy.foreach_parallel = 1;
        begin(&world, nodes, 2);
        cr_assert(eq(u32, world.n_attempts, 2));
        cr_assert(eq(int, why_of(&world, "a[1]"), RUN_WHY_PLACE));
        for (uint32_t i = 0; i < 5; i++) {
                uint32_t n = 0;

                for (uint32_t k = 0; k < 5; k++) {
                        const uint32_t node = run_graph_find_item(graph_of(&world), 0, k);
                        RunNodeRow row;
                        RunWhy why;

                        (void) run_engine_get_node(world.engine, 1, node, &row, &why);
                        n += row.state == RUN_NODE_RUNNING;
                }
                cr_assert(eq(u32, n, 1));
                for (uint32_t k = 0; k < world.n_attempts; k++)
                        if (world.attempts[k].node != 1)
                                (void) run_engine_ended(world.engine, &world.attempts[k], RUN_END_EXITED, 0);
                turn(&world);
        }
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_SUCCEEDED));
        finish(&world);
}

Test(run_item, an_instance_that_is_pending_suspends_the_run) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;

        nodes[0].policy.failure = RUN_POLICY_SUSPEND;
        begin(&world, nodes, 2);
        end_all(&world, "a[3]");
        cr_assert(eq(int, row_of(&world, "a[3]").state, RUN_NODE_PENDING));
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_BLOCKED));
        cr_assert(eq(int, state_of(&world), RUN_SUSPENDED));
        cr_assert(eq(int, verb(&world, RUN_VERB_AS_SUCCESS, "a[3]"), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_RUNNING));
        finish(&world);
}

Test(run_item, a_person_may_fail_an_instance_and_with_it_the_node) {
        RunNodeSpec nodes[] = { foreach_of("a") };
        World world;

        nodes[0].policy.failure = RUN_POLICY_SUSPEND;
        begin(&world, nodes, 1);
        end_all(&world, "a[3]");
        cr_assert(eq(int, verb(&world, RUN_VERB_AS_FAILED, "a[3]"), 0));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_FAILED));
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        finish(&world);
}

Test(run_item, a_cancel_ends_instances_and_their_node) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;

        begin(&world, nodes, 2);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_CANCEL, 0), 0));
        cr_assert(eq(int, row_of(&world, "a[4]").state, RUN_NODE_SKIPPED));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, state_of(&world), RUN_STOPPING));
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "a[0]").state, RUN_NODE_CANCELLED));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_CANCELLED));
        cr_assert(eq(int, state_of(&world), RUN_CANCELLED));
        finish(&world);
}

Test(run_item, a_pause_waits_for_instances_alone) {
        const RunNodeSpec nodes[] = { foreach_of("a") };
        World world;

        begin(&world, nodes, 1);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_PAUSE, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_PAUSING));
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_PAUSED));
        cr_assert(eq(u32, world.n_attempts, 3));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_RESUME, 0), 0));
        turn(&world);
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

Test(run_item, an_instance_is_retried_by_itself) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;
        uint32_t n;

        begin(&world, nodes, 2);
        end_all(&world, "a[1]");
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        n = world.n_attempts;
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "a[1]"), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_RUNNING));
        cr_assert(eq(u32, row_of(&world, "a").generation, 2));
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_WAITING));
        cr_assert(eq(u32, world.n_attempts, n + 1));
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

Test(run_item, a_retry_of_the_node_is_one_of_what_has_failed) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;
        uint32_t n;

        begin(&world, nodes, 2);
        end_all(&world, "a[1]");
        n = world.n_attempts;
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "a"), 0));
        turn(&world);
        cr_assert(eq(u32, world.n_attempts, n + 1));
        cr_assert(eq(u32, world.attempts[n].node, run_graph_find(graph_of(&world), "a[1]")));
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

/* Fewer items the second time, and more the third time: numbers stay. */
Test(run_item, a_rerun_counts_anew) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        static const uint32_t n_items[] = { 2, 7, 0 };
        World world;

        begin(&world, nodes, 2);
        end_all(&world, NULL);
        for (size_t i = 0; i < ELEMENTSOF(n_items); i++) {
                const uint32_t n = world.n_attempts;
                uint32_t tally[_RUN_NODE_STATE_MAX], sum = 0;

                world.n_items = n_items[i];
                cr_assert(eq(int, verb(&world, RUN_VERB_RERUN, "a"), 0));
                turn(&world);
                end_all(&world, NULL);
                cr_assert(eq(u32, world.n_attempts, n + n_items[i] + 1));
                cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
                cr_assert(eq(int, run_engine_tally(world.engine, 1, tally), 0));
                for (unsigned k = 0; k < _RUN_NODE_STATE_MAX; k++)
                        sum += tally[k];
                cr_assert(eq(u32, sum, n_items[i] + 2));
        }
        cr_assert(eq(u32, run_graph_find(graph_of(&world), "a[1]"), 3));
        cr_assert(eq(u32, run_graph_find(graph_of(&world), "a[6]"), 8));
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "a[1]"), -ENOENT));
        finish(&world);
}

Test(run_item, a_node_that_a_person_calls_a_success_counts_as_one) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;
        uint32_t n;

        begin(&world, nodes, 2);
        end_all(&world, "a[1]");
        n = world.n_attempts;
        cr_assert(eq(int, verb(&world, RUN_VERB_AS_SUCCESS, "a"), 0));
        turn(&world);
        cr_assert(eq(u32, world.n_attempts, n + 1));
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_RUNNING));
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

Test(run_item, an_instance_that_a_person_calls_a_success_completes_the_node) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;

        begin(&world, nodes, 2);
        end_all(&world, "a[1]");
        cr_assert(eq(int, verb(&world, RUN_VERB_AS_SUCCESS, "a[1]"), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_RUNNING));
        finish(&world);
}

Test(run_item, a_list_of_results_that_is_too_large_fails_the_node) {
        const RunNodeSpec nodes[] = { foreach_of("a") };
        World world;

        begin(&world, nodes, 1);
        world.gather_reason = RUN_REASON_RESULT_TOO_LARGE;
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_FAILED));
        cr_assert(eq(int, row_of(&world, "a").reason, RUN_REASON_RESULT_TOO_LARGE));
        finish(&world);
}

/* All instances have ended well, and all run again: as many are open as there are. */
Test(run_item, a_node_whose_list_was_too_large_is_tried_again) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World world;

        nodes[0].policy.failure = RUN_POLICY_SUSPEND;
        begin(&world, nodes, 2);
        world.gather_reason = RUN_REASON_RESULT_TOO_LARGE;
        for (uint32_t i = 0; i < 5; i++) {
                end_attempt(&world, i, 0);
                turn(&world);
        }
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_PENDING));
        world.gather_reason = RUN_REASON_NONE;
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "a"), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a[0]").state, RUN_NODE_RUNNING));
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

/* AnyOf=: the first success spares the other instances. */
Test(run_item, a_success_that_is_enough_spares_the_others) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        static const uint8_t edges[] = { RUN_EDGE_OPTIONAL };
        World world;

        nodes[1].edges = edges;
        nodes[1].policy.readiness = RUN_READY_ANY;
        nodes[1].policy.priority = 9;
        begin(&world, nodes, 2);
        end_attempt(&world, 0, 0);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "b").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&world, "a[4]").reason, RUN_REASON_SHORT_CIRCUIT));
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

/* Rows as they were put, given to another engine. */
static void restart_of(World *old, World *ret_world, const RunGraphSpec *spec, usec_t now) {
        uint32_t n_expansions, n_rows = 0;
        const RunExpansion *expansions = run_graph_expansions(graph_of(old), &n_expansions);
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        RunNodeRow rows[ROWS_MAX];

        make_of(ret_world, spec);
        cr_assert(eq(int, run_graph_expand(ret_world->graph, expansions, n_expansions, &graph), 0));
        for (uint32_t i = 0; i < ROWS_MAX; i++)
                if (old->has_row[i])
                        rows[n_rows++] = old->rows[i];
        cr_assert(eq(int, run_engine_restore(ret_world->flow, graph, &old->run, rows, n_rows), 0));
        ret_world->wide = run_graph_ref(graph);
        ret_world->batch = old->batch;
        run_engine_restored(ret_world->engine, old->batch, old->batch, now, now, false);
        for (uint32_t i = 0; i < n_rows; i++)
                if (rows[i].attempt != RUN_ATTEMPT_NONE)
                        cr_assert(eq(int,
                                     run_engine_started(ret_world->engine,
                                                        &(RunAttemptKey) { 1, rows[i].node, rows[i].generation,
                                                                           rows[i].number },
                                                        1),
                                     0));
}

static void restart_at(World *old, World *ret_world, const RunNodeSpec *nodes, uint32_t n, usec_t now) {
        restart_of(old, ret_world, &(RunGraphSpec) { .nodes = nodes, .n_nodes = n }, now);
}

static void restart(World *old, World *ret_world, const RunNodeSpec *nodes, uint32_t n) {
        restart_at(old, ret_world, nodes, n, 1);
}

/* An earlier version wrote no row of an instance that has not begun, so that there is no time either. */
Test(run_item, instances_without_a_row_wait_no_longer_for_a_restart) {
        RunNodeSpec nodes[] = { foreach_of("a") };
        World old, new;

        nodes[0].policy.queue_timeout = USEC_PER_HOUR;
        begin(&old, nodes, 1);
        cr_assert(old.has_row[5]);
        old.has_row[5] = false;
        restart_at(&old, &new, nodes, 1, 5 * USEC_PER_HOUR);
        cr_assert(eq(int, row_of(&new, "a[4]").state, RUN_NODE_READY));
        run_engine_time(new.engine, 5 * USEC_PER_HOUR + USEC_PER_MINUTE);
        turn(&new);
        cr_assert(eq(int, row_of(&new, "a[4]").state, RUN_NODE_READY));
        cr_assert(new.has_row[5]);
        cr_assert(eq(u64, new.rows[5].at, 5 * USEC_PER_HOUR));
        run_engine_time(new.engine, 7 * USEC_PER_HOUR);
        turn(&new);
        cr_assert(eq(int, row_of(&new, "a[4]").reason, RUN_REASON_QUEUE));
        finish(&old);
        finish(&new);
}

Test(run_item, instances_go_on_after_a_restart) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World old, new;

        begin(&old, nodes, 2);
        end_attempt(&old, 0, 0);
        turn(&old);
        restart(&old, &new, nodes, 2);
        cr_assert(eq(int, row_of(&new, "a").reason, RUN_REASON_FOREACH));
        cr_assert(eq(int, row_of(&new, "a[0]").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&new, "a[1]").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&new, "a[4]").state, RUN_NODE_READY));
        memcpy(new.attempts, old.attempts, sizeof(new.attempts));
        new.n_attempts = old.n_attempts;
        turn(&new);
        end_all(&new, NULL);
        cr_assert(eq(int, row_of(&new, "a").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, state_of(&new), RUN_SUCCEEDED));
        finish(&old);
        finish(&new);
}

static const RunDemandLock one_lock[] = { { "db", 1 } };
static const RunDemand lock_demand[] = { { .locks = one_lock, .n_locks = 1 } };

static void begin_with_lock(World *world, const RunNodeSpec *nodes, uint32_t n, uint32_t n_items) {
        uint32_t id;

        make_of(world, &(RunGraphSpec) { .nodes = nodes, .n_nodes = n, .demands = lock_demand, .n_demands = 1 });
        world->n_items = n_items;
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = 1, .graph = world->graph }, &id), 0));
        turn(world);
}

/* They begin behind all others, but where their node stands, also before what has waited for as long. */
Test(run_item, instances_wait_for_a_lock_where_their_node_stands) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("z", NULL, 0) };
        World world;

        nodes[0].policy.demand = nodes[1].policy.demand = 1;
        begin_with_lock(&world, nodes, 2, 2);
        cr_assert(eq(u32, world.n_attempts, 1));
        cr_assert(eq(int, row_of(&world, "a[0]").state, RUN_NODE_RUNNING));
        end_attempt(&world, 0, 0);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a[1]").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&world, "z").state, RUN_NODE_READY));
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

/* One instance has failed once, and waits for its next try with the only slot of the lock. */
static void begin_with_deferred(World *world, RunNodeSpec *node) {
        node->policy.demand = node->policy.foreach_parallel = node->policy.retry = 1;
        node->policy.delay = node->policy.max_delay = 5 * USEC_PER_SEC;
        begin_with_lock(world, node, 1, 2);
        end_attempt(world, 0, 1);
        turn(world);
        cr_assert(eq(int, row_of(world, "a[0]").state, RUN_NODE_DEFERRED));
        cr_assert(eq(int, row_of(world, "a[1]").state, RUN_NODE_READY));
}

/* Another one would have the turn, and wait for the lock. */
Test(run_item, an_instance_keeps_its_turn_with_its_lock) {
        RunNodeSpec node = foreach_of("a");
        const RunGraphSpec spec = { .nodes = &node, .n_nodes = 1, .demands = lock_demand, .n_demands = 1 };
        World old, new;

        begin_with_deferred(&old, &node);
        restart_of(&old, &new, &spec, 1);
        for (unsigned i = 0; i < 2; i++) {
                World *world = i == 0 ? &old : &new;

                turn(world);
                cr_assert(eq(int, why_of(world, "a[1]"), RUN_WHY_PLACE));
                run_engine_time(world->engine, 6 * USEC_PER_SEC);
                turn(world);
                cr_assert(eq(int, row_of(world, "a[0]").state, RUN_NODE_RUNNING));
                end_all(world, NULL);
                cr_assert(eq(int, state_of(world), RUN_SUCCEEDED));
                finish(world);
        }
}

Test(run_item, an_instance_gives_its_turn_up_with_its_lock) {
        RunNodeSpec node = foreach_of("a");
        World world;

        begin_with_deferred(&world, &node);
        cr_assert(eq(int, verb(&world, RUN_VERB_UNLOCK, "a[0]"), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a[1]").state, RUN_NODE_RUNNING));
        run_engine_time(world.engine, 6 * USEC_PER_SEC);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a[0]").state, RUN_NODE_READY));
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

Test(run_item, a_lock_that_is_given_up_lets_another_instance_run) {
        RunNodeSpec node = foreach_of("a");
        World world;

        node.policy.demand = node.policy.foreach_parallel = 1;
        node.policy.failure = RUN_POLICY_SUSPEND;
        begin_with_lock(&world, &node, 1, 2);
        end_attempt(&world, 0, 1);
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_SUSPENDED));
        cr_assert(eq(int, verb(&world, RUN_VERB_UNLOCK, "a[0]"), 0));
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_RUNNING));
        cr_assert(eq(int, row_of(&world, "a[1]").state, RUN_NODE_RUNNING));
        finish(&world);
}

Test(run_item, an_ended_run_is_retried_after_a_restart) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World old, new;

        begin(&old, nodes, 2);
        end_all(&old, "a[2]");
        turn(&old);
        restart(&old, &new, nodes, 2);
        cr_assert(eq(int, state_of(&new), RUN_FAILED));
        cr_assert(eq(int, verb(&new, RUN_VERB_RETRY, "a[2]"), 0));
        turn(&new);
        cr_assert(eq(u32, new.n_attempts, 1));
        end_all(&new, NULL);
        cr_assert(eq(int, state_of(&new), RUN_SUCCEEDED));
        finish(&old);
        finish(&new);
}

static int complete(const World *world, const char *name, RunCompletion completion) {
        return run_engine_complete(world->engine, 1, run_graph_find(graph_of(world), name), row_of(world, name).generation,
                                   completion);
}

/* All of them wait, though three run at a time; each is completed for itself, also after a restart. */
Test(run_item, instances_with_a_callback_are_completed_one_by_one) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        World old, new;

        nodes[0].policy.has_callback = true;
        begin(&old, nodes, 2);
        end_all(&old, NULL);
        cr_assert(eq(u32, old.n_attempts, 5));
        cr_assert(eq(int, row_of(&old, "a").reason, RUN_REASON_FOREACH));
        cr_assert(eq(int, why_of(&old, "a"), RUN_WHY_ITEMS));
        cr_assert(eq(int, why_of(&old, "a[4]"), RUN_WHY_CALLBACK));
        cr_assert(eq(int, complete(&old, "a", RUN_COMPLETION_SUCCESS), -EINVAL));
        cr_assert(eq(int, complete(&old, "a[3]", RUN_COMPLETION_SUCCESS), 0));
        cr_assert(eq(int, row_of(&old, "a[3]").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&old, "a[2]").reason, RUN_REASON_CALLBACK));
        turn(&old);
        restart(&old, &new, nodes, 2);
        for (uint32_t i = 0; i < 5; i++) {
                cr_assert(eq(int, row_of(&new, "a").state, RUN_NODE_RUNNING));
                cr_assert(eq(int, complete(&new, ((const char *[]) { "a[0]", "a[1]", "a[2]", "a[3]", "a[4]" })[i],
                                           RUN_COMPLETION_SUCCESS),
                             0));
        }
        turn(&new);
        cr_assert(eq(int, row_of(&new, "a").state, RUN_NODE_SUCCEEDED));
        end_all(&new, NULL);
        cr_assert(eq(int, state_of(&new), RUN_SUCCEEDED));
        finish(&old);
        finish(&new);
}

Test(run_item, an_instance_that_is_completed_as_failed_fails_the_node) {
        RunNodeSpec nodes[] = { foreach_of("a") };
        World world;

        nodes[0].policy.has_callback = true;
        nodes[0].policy.foreach_parallel = 2;
        begin(&world, nodes, 1);
        end_all(&world, NULL);
        /* Those that wait to be completed run within ForeachParallel=. */
        cr_assert(eq(u32, world.n_attempts, 2));
        cr_assert(eq(int, complete(&world, "a[0]", RUN_COMPLETION_FAILURE), 0));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_RUNNING));
        turn(&world);
        cr_assert(eq(u32, world.n_attempts, 3));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_STOP, 0), 0));
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_FAILED));
        finish(&world);
}

/* TimeoutSec= is that of each instance; the node itself has none, so that nothing is due when one is over. */
Test(run_item, the_time_of_an_attempt_is_that_of_an_instance) {
        RunNodeSpec nodes[] = { foreach_of("a") };
        World world;

        nodes[0].policy.timeout = 1000;
        begin(&world, nodes, 1);
        cr_assert(eq(u64, run_engine_deadline(world.engine), USEC_INFINITY));
        run_engine_time(world.engine, 900);
        for (uint32_t i = 0; i < 3; i++)
                cr_assert(eq(int, run_engine_started(world.engine, &world.attempts[i], 900), 0));
        cr_assert(eq(u64, run_engine_deadline(world.engine), 1900));
        run_engine_time(world.engine, 1500);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a").outcome, RUN_OUTCOME_OPEN));
        run_engine_time(world.engine, 1900);
        cr_assert(eq(int, row_of(&world, "a[1]").outcome, RUN_OUTCOME_TIMEOUT));
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_FAILED));
        finish(&world);
}

/* Each instance waits for the lock of its node, which the node itself does not take. */
Test(run_item, instances_take_what_the_node_takes) {
        const RunDemandLock lock = { "door", 2 };
        const RunDemand demand = { &lock, NULL, 1, 0 };
        RunNodeSpec nodes[] = { foreach_of("a") };
        World world;
        uint32_t id;

        nodes[0].policy.demand = 1;
        world = (World) { .n_items = 5 };
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 1, .demands = &demand,
                                                          .n_demands = 1 },
                                        &world.graph, NULL), 0));
        cr_assert(eq(int, run_engine_new(&world.engine, &host, &world), 0));
        cr_assert(eq(int, run_flow_new(world.engine, &settings, &world.flow), 0));
        run_engine_time(world.engine, 1);
        run_flow_unit(world.flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        turn(&world);
        cr_assert(eq(u32, world.n_attempts, 2));
        cr_assert(eq(int, why_of(&world, "a[2]"), RUN_WHY_LOCK));
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

/* C12: nobody knows yet whether three instances of "a" are enough for "c", or half of its parents too few for "d". */
Test(run_item, a_list_that_is_not_known_decides_nothing_about_children) {
        static const char *const parents[] = { "a", "z" };
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("z", NULL, 0), node_of("c", parents, 2),
                                node_of("d", parents, 2) };
        World world;

        nodes[0].policy.has_gate = true;
        nodes[2].policy.readiness = RUN_READY_AT_LEAST;
        nodes[2].policy.amount = 6;
        nodes[3].policy.readiness = RUN_READY_AT_LEAST_PERCENT;
        nodes[3].policy.amount = 50;
        begin(&world, nodes, 4);
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "z").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&world, "c").state, RUN_NODE_BLOCKED));
        cr_assert(eq(int, row_of(&world, "d").state, RUN_NODE_BLOCKED));
        cr_assert(eq(int, verb(&world, RUN_VERB_APPROVE, "a"), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "d").state, RUN_NODE_WAITING));
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "c").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&world, "d").state, RUN_NODE_SUCCEEDED));
        finish(&world);
}

/* One item: half of two parents have succeeded before it runs. */
Test(run_item, what_was_enough_is_so_as_soon_as_the_list_is_known) {
        static const char *const parents[] = { "a", "z" };
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("z", NULL, 0), node_of("d", parents, 2) };
        World world;
        uint32_t id;

        nodes[0].policy.has_gate = true;
        nodes[2].policy.readiness = RUN_READY_AT_LEAST_PERCENT;
        nodes[2].policy.amount = 50;
        make(&world, nodes, 3);
        world.n_items = 1;
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        turn(&world);
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "d").state, RUN_NODE_BLOCKED));
        cr_assert(eq(int, verb(&world, RUN_VERB_APPROVE, "a"), 0));
        turn(&world);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&world, "d").state, RUN_NODE_RUNNING));
        finish(&world);
}

/* D15: an instance comes before a node of another run that stands behind its own in the file. */
Test(run_item, instances_stand_with_their_node_between_runs) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("y", NULL, 0) };
        RunNodeSpec others[] = { node_of("gate", NULL, 0), node_of("z", NULL, 0) };
        RunFlow *flow;
        RunGraph *graph;
        World world;
        RunNodeRow row;
        RunWhy why;
        uint32_t id;

        others[0].policy.has_gate = true;
        make(&world, nodes, 2);
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = others, .n_nodes = 2 }, &graph, NULL), 0));
        cr_assert(eq(int, run_flow_new(world.engine, &settings, &flow), 0));
        run_flow_unit(flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        cr_assert(eq(int, run_engine_submit(flow, &(RunSubmit) { .id = 2, .graph = graph }, &id), 0));
        /* The list begins, and then one more. */
        (void) run_engine_turn(world.engine, 2);
        cr_assert(eq(int, run_engine_get_node(world.engine, 2, 1, &row, &why), 0));
        cr_assert(eq(int, row.state, RUN_NODE_READY));
        cr_assert(eq(int, row_of(&world, "a[0]").state, RUN_NODE_RUNNING));
        run_graph_unref(graph);
        finish(&world);
}

/* Instances wait for the lock since the beginning, and "b" for an hour less: a restart does not turn that round. */
Test(run_item, an_instance_waits_for_its_lock_over_a_restart) {
        static const char *const parent_q[] = { "q" };
        const RunDemandLock lock = { "door", 1 };
        const RunDemand demand = { &lock, NULL, 1, 0 };
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("q", NULL, 0), node_of("b", parent_q, 1) };
        const RunGraphSpec spec = { .nodes = nodes, .n_nodes = 3, .demands = &demand, .n_demands = 1 };
        World old, new;
        uint32_t id;

        nodes[0].policy.demand = nodes[2].policy.demand = 1;
        make_of(&old, &spec);
        cr_assert(eq(int, run_engine_submit(old.flow, &(RunSubmit) { .id = 1, .graph = old.graph }, &id), 0));
        turn(&old);
        cr_assert(eq(int, row_of(&old, "a[0]").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&old, "q").state, RUN_NODE_RUNNING));
        run_engine_time(old.engine, USEC_PER_HOUR);
        end_attempt(&old, old.attempts[0].node != 1, 0);
        turn(&old);
        cr_assert(eq(int, row_of(&old, "b").state, RUN_NODE_READY));
        cr_assert(eq(int, why_of(&old, "b"), RUN_WHY_LOCK));
        restart_of(&old, &new, &spec, 2 * USEC_PER_HOUR);
        cr_assert(eq(u64, row_of(&new, "a[1]").at, 1));
        memcpy(new.attempts, old.attempts, sizeof(new.attempts));
        new.n_attempts = old.n_attempts;
        end_attempt(&new, old.attempts[0].node == 1, 0);
        turn(&new);
        cr_assert(eq(int, row_of(&new, "a[1]").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&new, "b").state, RUN_NODE_READY));
        finish(&old);
        finish(&new);
}

/*
 * "p" was undone, so the list of "a" below it is evaluated again: what a person says about an instance of the old list
 * cannot be kept, and nothing of "a" begins before "p" has run again.
 */
Test(run_item, an_instance_below_what_was_undone_is_not_resolved) {
        static const char *const parent_p[] = { "p" };
        RunNodeSpec nodes[] = { node_of("p", NULL, 0), foreach_of("a"), node_of("p@compensate", NULL, 0) };
        World world = { .n_items = 2 };
        uint32_t id;

        nodes[1].parents = parent_p;
        nodes[1].n_parents = 1;
        cr_assert(eq(int,
                     run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 3, .first_extra = 2, .n_extra = 1,
                                                     .undo_on = RUN_UNDO_ON_FAILURE },
                                   &world.graph, NULL),
                     0));
        cr_assert(eq(int, run_engine_new(&world.engine, &host, &world), 0));
        cr_assert(eq(int, run_flow_new(world.engine, &settings, &world.flow), 0));
        run_engine_time(world.engine, 1);
        run_flow_unit(world.flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        turn(&world);
        end_all(&world, "a[1]");
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        cr_assert(eq(int, row_of(&world, "p@compensate").state, RUN_NODE_SUCCEEDED));

        cr_assert(eq(int, verb(&world, RUN_VERB_AS_SUCCESS, "a[1]"), -EINVAL));
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        cr_assert(eq(int, row_of(&world, "a[1]").state, RUN_NODE_FAILED));
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "a[1]"), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "p").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_WAITING));
        end_all(&world, "a[1]");
        cr_assert(eq(int, state_of(&world), RUN_FAILED));

        /* The node itself may be resolved; it is one generation later for that alone. */
        cr_assert(eq(int, verb(&world, RUN_VERB_AS_SUCCESS, "a"), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "p").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(u32, row_of(&world, "a").generation, 3));
        end_all(&world, NULL);
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        finish(&world);
}

/* A list "a" that can be undone, before a node that fails. */
static void make_undone(RunNodeSpec nodes[static 3], RunGraphSpec *ret_spec) {
        nodes[0].policy.failure = RUN_POLICY_CONTINUE;
        nodes[1].policy.readiness = RUN_READY_ALL_FINISHED;
        nodes[2].policy.action = RUN_ACTION_RUN;
        nodes[2].policy.failure = RUN_POLICY_SUSPEND;
        *ret_spec = (RunGraphSpec) { .nodes = nodes, .n_nodes = 3, .first_extra = 2, .n_extra = 1,
                                     .undo_on = RUN_UNDO_ON_FAILURE };
}

static void begin_undone(World *world, uint32_t n_items) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1), node_of("a@compensate", NULL, 0) };
        RunGraphSpec spec;
        uint32_t id;

        make_undone(nodes, &spec);
        make_of(world, &spec);
        world->n_items = n_items;
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = 1, .graph = world->graph }, &id), 0));
        turn(world);
}

/* A list that has failed is undone as far as it has come, and its instances know the order of their successes. */
Test(run_item, a_list_is_undone_as_far_as_it_has_come) {
        World world;

        begin_undone(&world, 3);
        end_attempt(&world, 2, 0);
        end_attempt(&world, 1, 1);
        end_attempt(&world, 0, 0);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_FAILED));
        cr_assert(lt(u64, row_of(&world, "a[2]").at, row_of(&world, "a[0]").at));
        cr_assert(lt(u64, row_of(&world, "a[0]").at, row_of(&world, "a").at));
        end_attempt(&world, 3, 1);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a@compensate").state, RUN_NODE_RUNNING));
        cr_assert(eq(int, row_of(&world, "a@compensate").reason, RUN_REASON_SUB_RUN));
        end_attempt(&world, 4, 0);
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        cr_assert(not(run_engine_can_undo(world.engine, 1)));

        /* What was undone is done again, all of it. */
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "b"), 0));
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a@compensate").state, RUN_NODE_WAITING));
        cr_assert(eq(u32, world.n_attempts, 8));
        finish(&world);
}

/* Core before has stored them as instances that nothing undoes. */
Test(run_item, instances_without_a_number_get_one_each) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1), node_of("a@compensate", NULL, 0) };
        RunGraphSpec spec;
        World old, new;

        begin_undone(&old, 3);
        end_attempt(&old, 0, 0);
        end_attempt(&old, 1, 0);
        end_attempt(&old, 2, 0);
        turn(&old);
        for (uint32_t i = 0; i < ROWS_MAX; i++)
                if (run_node_state_is_terminal(old.rows[i].state))
                        old.rows[i].at = 0;
        make_undone(nodes, &spec);
        restart_of(&old, &new, &spec, 1);
        cr_assert(eq(u64, row_of(&new, "a").at, 1));
        cr_assert(eq(u64, row_of(&new, "a[0]").at + row_of(&new, "a[1]").at + row_of(&new, "a[2]").at, 2 + 3 + 4));
        cr_assert(ne(u64, row_of(&new, "a[0]").at, row_of(&new, "a[1]").at));
        cr_assert(ne(u64, row_of(&new, "a[1]").at, row_of(&new, "a[2]").at));
        finish(&old);
        finish(&new);
}

Test(run_item, a_list_without_a_success_is_not_undone) {
        World world;

        begin_undone(&world, 2);
        end_attempt(&world, 0, 1);
        end_attempt(&world, 1, 1);
        turn(&world);
        end_attempt(&world, 2, 1);
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        cr_assert(eq(int, verb(&world, RUN_VERB_COMPENSATE, "a"), -EINVAL));

        /* A retry of the list alone makes it one that can be undone. */
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "a"), 0));
        turn(&world);
        end_attempt(&world, 3, 0);
        end_attempt(&world, 4, 0);
        turn(&world);
        cr_assert(eq(int, row_of(&world, "a@compensate").state, RUN_NODE_RUNNING));
        finish(&world);
}

/* A list so long that the time shows whether each end looks at all of it. */
#define LONG_LIST 12000U

typedef struct LongWorld {
        uint32_t batch, n_spawned;
        RunAttemptKey spawned[LONG_LIST + 1];
} LongWorld;

static void put_no_run(void *userdata, const RunRow *row) {
}

static void put_no_node(void *userdata, uint32_t run, const RunNodeRow *row) {
}

static int persist_long(void *userdata, uint32_t *ret_batch) {
        *ret_batch = ++((LongWorld *) userdata)->batch;
        return 0;
}

static void spawn_long(void *userdata, const RunAttemptKey *attempt) {
        LongWorld *world = userdata;

        cr_assert(lt(u32, world->n_spawned, ELEMENTSOF(world->spawned)));
        world->spawned[world->n_spawned++] = *attempt;
}

static RunReason count_long(void *userdata, uint32_t run, uint32_t node, uint32_t *ret_n) {
        *ret_n = LONG_LIST;
        return RUN_REASON_NONE;
}

static int grow_not(void *userdata, uint32_t run, RunGraph *graph) {
        return 0;
}

static RunReason gather_nothing(void *userdata, uint32_t run, uint32_t node) {
        return RUN_REASON_NONE;
}

static const RunHost long_host = {
        .put_run = put_no_run,
        .put_node = put_no_node,
        .persist = persist_long,
        .spawn = spawn_long,
        .end = end,
        .count = count_long,
        .grow = grow_not,
        .gather = gather_nothing,
        .random = get_random,
};

/* The processor time of the ends of all instances, before a node with that rule and another list; in ns. */
static uint64_t time_ends(RunReadiness readiness) {
        static const char *const both[] = { "a", "never" }, *const gate[] = { "gate" };
        static LongWorld world;
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("gate", NULL, 0), foreach_of("never"),
                                node_of("b", both, 2) };
        RunSettings wide = settings;
        struct timespec before, after;
        RunEngine *engine;
        RunGraph *graph;
        RunFlow *flow;
        uint32_t id;

        world = (LongWorld) {};
        nodes[1].policy.has_gate = true;
        nodes[2].parents = gate;
        nodes[2].n_parents = 1;
        nodes[3].policy.readiness = readiness;
        nodes[3].policy.amount = LONG_LIST + 1;
        wide.max_parallel = LONG_LIST;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = ELEMENTSOF(nodes) }, &graph, NULL), 0));
        cr_assert(eq(int, run_engine_new(&engine, &long_host, &world), 0));
        cr_assert(eq(int, run_flow_new(engine, &wide, &flow), 0));
        run_engine_time(engine, 1);
        run_flow_unit(flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(flow, &(RunSubmit) { .id = 1, .graph = graph }, &id), 0));
        while (run_engine_turn(engine, LONG_LIST))
                ;
        run_engine_stored(engine, world.batch, world.batch);
        cr_assert(eq(u32, world.n_spawned, LONG_LIST));
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
        for (uint32_t i = 0; i < LONG_LIST; i++)
                cr_assert(run_engine_ended(engine, &world.spawned[i], RUN_END_EXITED, 0) == 0);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
        run_engine_free(engine);
        run_graph_unref(graph);
        return (uint64_t) (after.tv_sec - before.tv_sec) * 1000000000U + (uint64_t) after.tv_nsec -
               (uint64_t) before.tv_nsec;
}

/* A rule that does not count shows what the ends themselves take. */
Test(run_item, the_end_of_an_instance_does_not_look_at_all_others) {
        const uint64_t counted = time_ends(RUN_READY_AT_LEAST), judged = time_ends(RUN_READY_ALL_FINISHED);

        cr_assert(lt(u64, counted, 10 * judged));
}

/* D15: instances stand where their node does in the file, and are no longer a way than it is. */
Test(run_item, instances_begin_in_the_order_of_the_file) {
        static const char *const parents[] = { "y" };
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("y", NULL, 0), node_of("z", parents, 1) };
        RunGraph *graph, *wide;
        const uint32_t *order;

        nodes[2].policy.is_foreach = true;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 3 }, &graph, NULL), 0));
        cr_assert(eq(int, run_graph_set_items(graph, 2, 2, &wide), 0));
        cr_assert(eq(u32, run_graph_way(wide, 1), 1));
        run_graph_unref(wide);
        cr_assert(eq(int, run_graph_set_items(graph, 0, 2, &wide), 0));
        order = run_graph_by_urgency(wide);
        cr_assert(eq(u32, order[0], 1));
        cr_assert(eq(u32, order[1], 0));
        cr_assert(eq(u32, order[2], run_graph_find_item(wide, 0, 0)));
        cr_assert(eq(u32, order[3], run_graph_find_item(wide, 0, 1)));
        cr_assert(eq(u32, order[4], 2));
        run_graph_unref(wide);
        run_graph_unref(graph);
}

/* The first waits for another try, the second runs in its turn: also after a restart only one of them runs. */
Test(run_item, a_restart_keeps_foreach_parallel) {
        RunNodeSpec nodes[] = { foreach_of("a") };
        uint32_t n = 0;
        World old, new;

        nodes[0].policy.foreach_parallel = 1;
        nodes[0].policy.retry = 1;
        nodes[0].policy.delay = nodes[0].policy.max_delay = 10;
        begin(&old, nodes, 1);
        end_attempt(&old, 0, 1);
        turn(&old);
        run_engine_time(old.engine, 11);
        turn(&old);
        cr_assert(eq(int, row_of(&old, "a[0]").state, RUN_NODE_READY));
        cr_assert(eq(int, row_of(&old, "a[1]").state, RUN_NODE_RUNNING));
        restart(&old, &new, nodes, 1);
        turn(&new);
        for (uint32_t i = 1; i <= 5; i++) {
                RunNodeRow row;
                RunWhy why;

                cr_assert(eq(int, run_engine_get_node(new.engine, 1, i, &row, &why), 0));
                n += row.state == RUN_NODE_RUNNING;
        }
        cr_assert(eq(u32, n, 1));
        finish(&old);
        finish(&new);
}

/* The instance goes on with its sub-run, though that waits for a person: it keeps its turn, also over a restart. */
Test(run_item, an_instance_keeps_its_turn_while_its_sub_run_waits) {
        RunNodeSpec nodes[] = { foreach_of("a") };
        const RunAttemptKey first = { 1, 1, 1, 1 };
        World old, new;

        nodes[0].policy.foreach_parallel = 1;
        nodes[0].policy.action = RUN_ACTION_RUN;
        begin(&old, nodes, 1);
        cr_assert(eq(int, run_engine_started(old.engine, &first, 1), 0));
        cr_assert(eq(int, run_engine_sub_waits(old.engine, &first, true), 1));
        turn(&old);
        cr_assert(eq(int, row_of(&old, "a[0]").state, RUN_NODE_PENDING));
        cr_assert(eq(int, row_of(&old, "a[1]").state, RUN_NODE_READY));
        cr_assert(eq(int, state_of(&old), RUN_SUSPENDED));
        restart(&old, &new, nodes, 1);
        turn(&new);
        cr_assert(eq(int, row_of(&new, "a[0]").state, RUN_NODE_PENDING));
        cr_assert(eq(int, row_of(&new, "a[1]").state, RUN_NODE_READY));
        cr_assert(eq(int, state_of(&new), RUN_SUSPENDED));
        cr_assert(eq(int, run_engine_sub_waits(new.engine, &first, false), 1));
        turn(&new);
        cr_assert(eq(int, state_of(&new), RUN_RUNNING));
        cr_assert(eq(int, row_of(&new, "a[1]").state, RUN_NODE_READY));
        cr_assert(eq(int, run_engine_ended(new.engine, &first, RUN_END_EXITED, 0), 0));
        turn(&new);
        cr_assert(eq(int, row_of(&new, "a[1]").state, RUN_NODE_RUNNING));
        finish(&old);
        finish(&new);
}

/* The end of a list ends the run. What it would end is over: a later retry does not end by it. */
Test(run_item, a_retry_is_not_ended_by_a_round_that_did_not_begin) {
        RunNodeSpec nodes[] = { foreach_of("a") };
        const RunAttemptKey attempts[] = { { 1, 1, 1, 1 }, { 1, 2, 1, 1 } };
        World world;
        uint32_t id;

        nodes[0].policy.failure = RUN_POLICY_END;
        make(&world, nodes, 1);
        world.n_items = 2;
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
        turn(&world);
        for (size_t i = 0; i < 2; i++) {
                cr_assert(eq(int, run_engine_started(world.engine, &attempts[i], 1), 0));
                cr_assert(eq(int, run_engine_ended(world.engine, &attempts[i], RUN_END_EXITED, 1), 0));
                turn(&world);
        }
        cr_assert(eq(int, state_of(&world), RUN_FAILED));

        run_flow_unit(world.flow, RUN_UNIT_INACTIVE, false);
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "a[0]"), 0));
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_CREATED));
        run_flow_unit(world.flow, RUN_UNIT_FAILED, false);
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_FAILED));

        run_flow_unit(world.flow, RUN_UNIT_INACTIVE, false);
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "a[0]"), 0));
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_CREATED));
        run_flow_unit(world.flow, RUN_UNIT_ACTIVE, false);
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_RUNNING));
        cr_assert(eq(int, row_of(&world, "a[0]").state, RUN_NODE_RUNNING));
        finish(&world);
}

/* One that waits with a limit has a row, so that a restart does not take its time away. */
Test(run_item, an_instance_waits_in_the_queue_over_a_restart) {
        RunNodeSpec nodes[] = { foreach_of("a") };
        World old, new;
        uint32_t id;

        nodes[0].policy.queue_timeout = 1000;
        nodes[0].policy.foreach_parallel = 1;
        make(&old, nodes, 1);
        run_engine_time(old.engine, 5000);
        cr_assert(eq(int, run_engine_submit(old.flow, &(RunSubmit) { .id = 1, .graph = old.graph }, &id), 0));
        turn(&old);
        cr_assert(eq(int, row_of(&old, "a[4]").state, RUN_NODE_READY));
        cr_assert(eq(u64, row_of(&old, "a[4]").at, 5000));
        cr_assert(old.has_row[5]);
        restart_at(&old, &new, nodes, 1, 5600);
        cr_assert(eq(u64, row_of(&new, "a[4]").at, 5000));
        run_engine_time(new.engine, 5999);
        turn(&new);
        cr_assert(eq(int, row_of(&new, "a[4]").state, RUN_NODE_READY));
        run_engine_time(new.engine, 6000);
        turn(&new);
        cr_assert(eq(int, row_of(&new, "a[4]").reason, RUN_REASON_QUEUE));
        finish(&old);
        finish(&new);
}

/* C12: a run that goes on with one instance does not count those as done that its end had skipped. */
Test(run_item, what_an_earlier_round_has_skipped_is_not_done) {
        RunNodeSpec nodes[] = { foreach_of("a") };
        World world;

        begin(&world, nodes, 1);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_STOP, 0), 0));
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "a[4]").state, RUN_NODE_SKIPPED));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_SKIPPED));
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, "a[3]"), 0));
        turn(&world);
        end_all(&world, NULL);
        cr_assert(eq(int, row_of(&world, "a[3]").state, RUN_NODE_SUCCEEDED));
        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_FAILED));
        cr_assert(eq(int, state_of(&world), RUN_FAILED));
        finish(&world);
}

Test(run_item, graphs_that_cannot_be_are_refused) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        static const RunExpansion broken[] = {
                { 1, 2, 1, 0, 1 }, { 2, 2, 1, 0, 1 }, { 0, 3, 1, 0, 1 }, { 0, 2, 0, 0, 0 }, { 0, 2, 1, 0, 2 },
                { 0, 2, 1, 1, 1 },
        };
        RunGraph *graph, *wide;
        uint32_t item;

        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 2 }, &graph, NULL), 0));
        for (size_t i = 0; i < ELEMENTSOF(broken); i++)
                cr_expect(eq(int, run_graph_expand(graph, &broken[i], 1, &wide), -EINVAL), "case %zu", i);
        cr_assert(eq(int, run_graph_set_items(graph, 0, 3, &wide), 0));
        cr_assert(eq(u32, run_graph_item_of(wide, 4, &item), 0));
        cr_assert(eq(u32, item, 2));
        cr_assert(eq(u32, run_graph_item_of(wide, 1, &item), RUN_NODE_NONE));
        cr_assert(eq(u32, run_graph_origin(wide, 3), 0));
        cr_assert(eq(u32, run_graph_count_judged(wide, 1), 3));
        run_graph_unref(wide);
        run_graph_unref(graph);
}

/* An earlier version had no compensations of sub-runs, which are the last nodes: its instances keep their numbers. */
Test(run_item, instances_keep_their_numbers_where_sub_runs_are_undone) {
        RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1), node_of("@final", NULL, 0),
                                node_of("b@compensate", NULL, 0) };
        const RunExpansion before[] = { { 0, 3, 2, 0, 2 } }, broken[] = { { 0, 2, 2, 0, 2 } };
        RunGraph *graph, *wide, *wider;

        nodes[1].policy.action = nodes[3].policy.action = RUN_ACTION_RUN;
        nodes[2].undoes = RUN_NODE_NONE;
        nodes[3].undoes = 1;
        cr_assert(eq(int,
                     run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 4, .first_extra = 2, .n_extra = 2 },
                                   &graph, NULL),
                     0));
        cr_assert(eq(int, run_graph_expand(graph, broken, 1, &wide), -EINVAL));
        cr_assert(eq(int, run_graph_expand(graph, before, 1, &wide), 0));
        cr_assert(eq(u32, run_graph_find(wide, "a[1]"), 4));
        cr_assert(eq(u32, run_graph_final(wide), 2));
        cr_assert(eq(u32, run_graph_count_extra(wide), 1));
        cr_assert(eq(u32, run_graph_partner(wide, 1), RUN_NODE_NONE));
        cr_assert(not(run_graph_is_extra(wide, 3)));
        cr_assert(eq(int, run_graph_set_items(wide, 0, 3, &wider), 0));
        cr_assert(eq(u32, run_graph_find(wider, "a[2]"), 5));
        run_graph_unref(wider);
        run_graph_unref(wide);
        cr_assert(eq(int, run_graph_set_items(graph, 0, 1, &wide), 0));
        cr_assert(eq(u32, run_graph_find(wide, "a[0]"), 4));
        cr_assert(eq(u32, run_graph_partner(wide, 1), 3));
        run_graph_unref(wide);
        run_graph_unref(graph);
}

/* Instances that are runs of another flow take no place of MaxParallel= from commands, and a pause does not wait for them. */
Test(run_item, instances_may_be_sub_runs) {
        RunNodeSpec nodes[] = { foreach_of("each"), node_of("after", parent_a, 1), node_of("a", NULL, 0) };
        World world;
        uint32_t n_commands = 0;

        nodes[0].policy.action = RUN_ACTION_RUN;
        begin(&world, nodes, ELEMENTSOF(nodes));
        for (uint32_t i = 0; i < 4; i++)
                turn(&world);
        for (uint32_t i = 0; i < world.n_attempts; i++) {
                n_commands += world.attempts[i].node == run_graph_find(graph_of(&world), "a");
                cr_assert(eq(int, run_engine_started(world.engine, &world.attempts[i], i + 1), 0));
        }
        cr_assert(eq(u32, world.n_attempts, 6));
        cr_assert(eq(u32, n_commands, 1));
        for (uint32_t i = 0; i < world.n_attempts; i++)
                if (world.attempts[i].node == run_graph_find(graph_of(&world), "a"))
                        cr_assert(eq(int, run_engine_ended(world.engine, &world.attempts[i], RUN_END_EXITED, 0), 0));
        for (uint32_t i = 0; i < 2; i++)
                turn(&world);
        /* What waits for the command has begun. */
        cr_assert(eq(u32, world.n_attempts, 7));
        cr_assert(eq(int, run_engine_started(world.engine, &world.attempts[6], 7), 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &world.attempts[6], RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_PAUSE, 0), 0));
        turn(&world);
        cr_assert(eq(int, world.run.state, RUN_PAUSED));
        finish(&world);
}

/* Whichever allocation fails as the node begins, it waits for a person, who tries again. */
Test(run_item, without_memory_a_person_tries_again) {
        const RunNodeSpec nodes[] = { foreach_of("a"), node_of("b", parent_a, 1) };
        unsigned failures = 0;
        bool was_reached;

        do {
                World world;
                uint32_t id;

                make(&world, nodes, 2);
                cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = 1, .graph = world.graph }, &id), 0));
                double_memory_arm(failures + 1, false);
                turn(&world);
                was_reached = double_memory_disarm();
                if (was_reached) {
                        failures++;
                        cr_assert(eq(int, row_of(&world, "a").state, RUN_NODE_PENDING));
                        cr_assert(eq(int, state_of(&world), RUN_SUSPENDED));
                        cr_assert(eq(u32, world.n_attempts, 0));
                        cr_assert(eq(int, verb(&world, RUN_VERB_AS_RETRY, "a"), 0));
                        turn(&world);
                }
                end_all(&world, NULL);
                cr_assert(eq(u32, world.n_attempts, 6));
                cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
                finish(&world);
        } while (was_reached);
        cr_assert(lt(uint, 1, failures));
}
