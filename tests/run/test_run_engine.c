/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The engine beyond what tests/property compares with the model: its host, its bounds, its size
 *
 * S000-40, S000-41, S000-43, S000-44, S002-15, S002-19, S002-21, S002-27,
 * S004-18, S004-21, S004-40
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "double/double_memory.h"
#include "run/run_engine.h"

#define LONG 100000U

typedef struct World {
        uint32_t batch, n_spawned, n_ended, n_rows;
        RunAttemptKey last;
        int answer; /* of persist */
} World;

static void put_run(void *userdata, const RunRow *row) {
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
        ((World *) userdata)->n_rows++;
}

static int persist(void *userdata, uint32_t *ret_batch) {
        World *world = userdata;

        if (world->answer < 0)
                return world->answer;
        *ret_batch = ++world->batch;
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

typedef struct Fixture {
        World world;
        RunEngine *engine;
        RunFlow *flow;
} Fixture;

static void set_up(Fixture *fixture) {
        const RunSettings settings = { .max_parallel = 2,
                                       .max_runs = 1,
                                       .max_queued = 1,
                                       .timeout = USEC_INFINITY,
                                       .queue_timeout = USEC_INFINITY };

        *fixture = (Fixture) {};
        cr_assert(eq(int, run_engine_new(&fixture->engine, &host, &fixture->world), 0));
        cr_assert(eq(int, run_flow_new(fixture->engine, &settings, &fixture->flow), 0));
        run_engine_time(fixture->engine, 1);
        run_flow_unit(fixture->flow, RUN_UNIT_ACTIVE, false);
}

/* @payload: RUN_NODE_NONE makes checkpoints. */
static RunGraph *make_chain(uint32_t n, uint32_t payload) {
        static char names[LONG][16];
        static const char *parents[LONG];
        static RunNodeSpec nodes[LONG];
        RunGraph *graph;

        for (uint32_t i = 0; i < n; i++) {
                snprintf(names[i], sizeof(names[i]), "n%u", i);
                parents[i] = i == 0 ? NULL : names[i - 1];
                nodes[i] = (RunNodeSpec) {
                        .name = names[i], .parents = &parents[i], .n_parents = i > 0, .payload = payload
                };
                nodes[i].policy.recover = RUN_RECOVER_PENDING;
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
        }
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, n }, &graph, NULL), 0));
        return graph;
}

static int submit(Fixture *fixture, uint32_t id, RunGraph *graph) {
        uint32_t taken;

        return run_engine_submit(fixture->flow, &(RunSubmit) { .id = id, .graph = graph }, &taken);
}

static RunState state_of(const Fixture *fixture, uint32_t id) {
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get(fixture->engine, id, &row, &why), 0));
        return row.state;
}

static RunWhy why_of(const Fixture *fixture, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(fixture->engine, 1, node, &row, &why), 0));
        return why;
}

Test(run_engine, spawns_when_the_batch_is_durable) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(1, 0);
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        cr_assert(not(run_engine_turn(fixture.engine, 10)));
        cr_assert(eq(int, why_of(&fixture, 0), RUN_WHY_STORE));
        run_engine_stored(fixture.engine, 1, 0);
        cr_assert(eq(u32, fixture.world.n_spawned, 0));
        run_engine_stored(fixture.engine, 1, 1);
        cr_assert(eq(u32, fixture.world.n_spawned, 1));
        cr_assert(eq(int, run_engine_started(fixture.engine, &fixture.world.last, 1), 0));
        cr_assert(eq(int, run_engine_ended(fixture.engine, &fixture.world.last, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, run_engine_ended(fixture.engine, &fixture.world.last, RUN_END_EXITED, 0), -ENOENT));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUCCEEDED));
        cr_assert(eq(int, run_engine_forget(fixture.engine, 1), -EBUSY));
        (void) run_engine_turn(fixture.engine, 10);
        cr_assert(eq(int, run_engine_forget(fixture.engine, 1), 0));
        run_engine_free(fixture.engine);
}

/* A full disk: no batch is taken, so nothing is spawned, and all of it is put again. */
Test(run_engine, waits_for_a_store_that_takes_nothing) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(1, 0);
        Fixture fixture;

        set_up(&fixture);
        fixture.world.answer = -ENOSPC;
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        (void) run_engine_turn(fixture.engine, 10);
        run_engine_stored(fixture.engine, 7, 7);
        cr_assert(eq(u32, fixture.world.n_spawned, 0));
        fixture.world.answer = 0;
        fixture.world.n_rows = 0;
        fixture.world.batch = 7;
        (void) run_engine_turn(fixture.engine, 10);
        cr_assert(eq(u32, fixture.world.n_rows, 1));
        cr_assert(eq(u32, fixture.world.n_spawned, 0));
        run_engine_stored(fixture.engine, 8, 8);
        cr_assert(eq(u32, fixture.world.n_spawned, 1));

        run_engine_set_store(fixture.engine, RUN_STORE_FULL);
        cr_assert(eq(int, submit(&fixture, 2, graph), -EAGAIN));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_CANCEL, 0), 0));
        cr_assert(eq(u32, fixture.world.n_ended, 1));
        run_engine_free(fixture.engine);
}

Test(run_engine, makes_no_attempt_while_the_store_is_tight) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(1, 0);
        uint32_t n[_RUN_NODE_STATE_MAX];
        Fixture fixture;

        set_up(&fixture);
        run_engine_set_store(fixture.engine, RUN_STORE_TIGHT);
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        (void) run_engine_turn(fixture.engine, 10);
        cr_assert(eq(int, run_engine_tally(fixture.engine, 1, n), 0));
        cr_assert(eq(u32, n[RUN_NODE_READY], 1));
        cr_assert(eq(int, why_of(&fixture, 0), RUN_WHY_STORE));
        run_engine_set_store(fixture.engine, RUN_STORE_OPEN);
        (void) run_engine_turn(fixture.engine, 10);
        cr_assert(eq(int, run_engine_tally(fixture.engine, 1, n), 0));
        cr_assert(eq(u32, n[RUN_NODE_RUNNING], 1));
        run_engine_free(fixture.engine);
}

/* A chain of checkpoints, in slices, on the stack of a test. */
Test(run_engine, walks_a_long_chain_in_slices) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(LONG, RUN_NODE_NONE);
        unsigned n_slices = 0;
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        do
                n_slices++;
        while (run_engine_turn(fixture.engine, 1000));
        cr_assert(eq(uint, n_slices, LONG / 1000));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUCCEEDED));
        run_engine_free(fixture.engine);
}

/* Each run ends in the turn in which it begins: who asks for turns until nothing is left sees the end of all. */
Test(run_engine, says_that_a_run_has_begun_in_the_place_of_another) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(1, RUN_NODE_NONE);
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        cr_assert(eq(int, submit(&fixture, 2, graph), 0));
        while (run_engine_turn(fixture.engine, 10))
                ;
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUCCEEDED));
        cr_assert(eq(int, state_of(&fixture, 2), RUN_SUCCEEDED));
        run_engine_free(fixture.engine);
}

Test(run_engine, skips_a_long_chain_at_once) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(LONG, 0);
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_SKIP, 0), 0));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUCCEEDED));
        run_engine_free(fixture.engine);
}

Test(run_engine, takes_64_bytes_a_node) {
        cr_assert(le(sz, run_engine_bytes(LONG) - run_engine_bytes(0), LONG * (size_t) 64));
}

Test(run_engine, refuses_rows_that_cannot_be) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(2, 0);
        const RunRow row = { .id = 1, .state = RUN_RUNNING, .round = 1, .deadline = USEC_INFINITY };
        RunNodeRow node = { .node = 2, .generation = 1 };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, run_engine_restore(fixture.flow, graph, &row, &node, 1), -EINVAL));
        node = (RunNodeRow) { .node = 0, .generation = 1, .state = RUN_NODE_RUNNING };
        cr_assert(eq(int, run_engine_restore(fixture.flow, graph, &row, &node, 1), -EINVAL));
        node.attempt = RUN_ATTEMPT_IS_HELD;
        cr_assert(eq(int, run_engine_restore(fixture.flow, graph, &row, &node, 1), 0));
        cr_assert(eq(int, run_engine_restore(fixture.flow, graph, &row, &node, 1), -EEXIST));
        run_engine_free(fixture.engine);
}

/* A run with one attempt, of which nobody knows whether it was begun. */
static void restore_held(Fixture *fixture, RunAttempt attempt) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(1, 0);
        const RunRow row = { .id = 1, .state = RUN_RUNNING, .round = 1, .deadline = USEC_INFINITY };
        const RunNodeRow node = {
                .node = 0, .generation = 1, .number = 1, .state = RUN_NODE_RUNNING, .attempt = attempt
        };

        set_up(fixture);
        cr_assert(eq(int, run_engine_restore(fixture->flow, graph, &row, &node, 1), 0));
        run_engine_restored(fixture->engine, 1, 1, 1, 1, false);
}

/* Between the load and the first turn: a deadline, a command that has waited for the load, an exit with EndMode=kill. */
Test(run_engine, an_attempt_that_nobody_has_begun_ends_before_the_first_turn) {
        static const RunAttempt attempts[] = { RUN_ATTEMPT_IS_HELD, RUN_ATTEMPT_IS_ASKED };
        Fixture fixture;

        for (size_t i = 0; i < ELEMENTSOF(attempts); i++) {
                restore_held(&fixture, attempts[i]);
                cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_CANCEL, 0), 0));
                (void) run_engine_turn(fixture.engine, UINT32_MAX);
                cr_assert(eq(int, state_of(&fixture, 1), RUN_CANCELLED));
                cr_assert(eq(u32, fixture.world.n_spawned, 0));
                cr_assert(eq(u32, fixture.world.n_ended, 0));
                run_engine_free(fixture.engine);
        }
}

Test(run_engine, an_attempt_that_the_host_has_after_a_restart_is_ended_by_it) {
        const RunAttemptKey key = { 1, 0, 1, 1 };
        Fixture fixture;

        restore_held(&fixture, RUN_ATTEMPT_IS_HELD);
        cr_assert(eq(int, run_engine_known(fixture.engine, &key), 0));
        cr_assert(eq(int, run_engine_known(fixture.engine, &(RunAttemptKey) { 1, 0, 1, 2 }), -ENOENT));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_CANCEL, 0), 0));
        (void) run_engine_turn(fixture.engine, UINT32_MAX);
        cr_assert(eq(u32, fixture.world.n_spawned, 0));
        cr_assert(eq(u32, fixture.world.n_ended, 1));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_STOPPING));
        cr_assert(eq(int, run_engine_ended(fixture.engine, &key, RUN_END_EXITED, 143), 0));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_CANCELLED));
        run_engine_free(fixture.engine);
}

/* The clock of the engine begins anew with a boot. */
static void check_other_boot(usec_t then, usec_t now) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(1, 0);
        const RunRow row = { .id = 1, .state = RUN_RUNNING, .round = 1, .deadline = USEC_INFINITY };
        const RunRow waiting = {
                .id = 2, .state = RUN_QUEUED, .round = 1, .deadline = USEC_INFINITY, .queued_at = then - 30
        };
        RunNodeRow node = {
                .node = 0, .generation = 1, .state = RUN_NODE_DEFERRED, .number = 1, .at = then + 50, .first_at = then - 40
        };
        RunRow got;
        Fixture fixture;
        RunWhy why;

        set_up(&fixture);
        cr_assert(eq(int, run_engine_restore(fixture.flow, graph, &row, &node, 1), 0));
        cr_assert(eq(int, run_engine_restore(fixture.flow, graph, &waiting, NULL, 0), 0));
        run_engine_restored(fixture.engine, 1, 1, then, now, true);
        cr_assert(eq(int, run_engine_get_node(fixture.engine, 1, 0, &node, &why), 0));
        cr_assert(eq(u64, node.at, now + 50));
        cr_assert(eq(u64, node.first_at, now - 40));
        cr_assert(eq(int, run_engine_get(fixture.engine, 2, &got, &why), 0));
        cr_assert(eq(u64, got.queued_at, now - 30));
        run_engine_free(fixture.engine);
}

Test(run_engine, waits_of_another_boot_last_as_long_as_they_had_to) {
        check_other_boot(1000, 100000);
        check_other_boot(100000, 1000);
        check_other_boot(1000, 1000);
}

/* Those of its flow may have changed since it was made. */
Test(run_engine, a_run_that_is_given_back_has_its_own_settings) {
        const RunSettings own = { .max_parallel = 2, .max_runs = 1, .timeout = USEC_INFINITY, .queue_timeout = 10 };
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(1, 0);
        const RunRow row = { .id = 1, .state = RUN_RUNNING, .round = 1, .deadline = USEC_INFINITY };
        RunRow waiting = { .id = 2, .state = RUN_QUEUED, .round = 1, .deadline = USEC_INFINITY, .queued_at = 1 };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, run_engine_restore(fixture.flow, graph, &row, NULL, 0), 0));
        cr_assert(eq(int, run_engine_restore(fixture.flow, graph, &waiting, NULL, 0), 0));
        waiting.id = 3;
        cr_assert(eq(int, run_engine_restore(fixture.flow, graph, &waiting, NULL, 0), 0));
        cr_assert(eq(int, run_engine_restore_settings(fixture.engine, 2, &own), 0));
        cr_assert(eq(int, run_engine_restore_settings(fixture.engine, 4, &own), -ENOENT));
        run_engine_restored(fixture.engine, 1, 1, 1, 1, false);
        cr_assert(eq(u64, run_engine_deadline(fixture.engine), 11));
        run_engine_time(fixture.engine, 11);
        cr_expect(eq(int, state_of(&fixture, 1), RUN_RUNNING));
        cr_expect(eq(int, state_of(&fixture, 2), RUN_TIMEOUT));
        cr_expect(eq(int, state_of(&fixture, 3), RUN_QUEUED));
        run_engine_free(fixture.engine);
}

static void set_end(RunEndSet ends, uint32_t end) {
        ends[end / 64] |= UINT64_C(1) << end % 64;
}

/* A success without the result that it has to have is a failure, which is tried again; a failure stays what it is. */
Test(run_engine, a_success_needs_its_result) {
        const struct {
                RunEndKind kind;
                uint16_t end;
                RunNodeState state;
                RunReason reason;
        } cases[] = {
                { RUN_END_RESULT_INVALID, 0, RUN_NODE_FAILED, RUN_REASON_RESULT_INVALID },
                { RUN_END_RESULT_TOO_LARGE, 0, RUN_NODE_FAILED, RUN_REASON_RESULT_TOO_LARGE },
                { RUN_END_OUTPUT_MISSING, 0, RUN_NODE_FAILED, RUN_REASON_OUTPUT_MISSING },
                { RUN_END_RESULT_INVALID, 3, RUN_NODE_DEFERRED, RUN_REASON_RETRY },
                { RUN_END_RESULT_INVALID, 4, RUN_NODE_FAILED, RUN_REASON_NONE },
                { RUN_END_INPUT_MISSING, 0, RUN_NODE_FAILED, RUN_REASON_INPUT_MISSING },
        };
        RunNodeSpec spec = { .name = "a" };

        spec.policy = (RunPolicy) {
                .retry = 1, .timeout = USEC_INFINITY, .total_timeout = USEC_INFINITY, .window = USEC_INFINITY
        };
        set_end(spec.policy.retry_ends, 3);
        spec.policy.delay = spec.policy.max_delay = USEC_PER_SEC;
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
                RunNodeRow row;
                Fixture fixture;
                RunWhy why;

                cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &spec, 1 }, &graph, NULL), 0));
                set_up(&fixture);
                cr_assert(eq(int, submit(&fixture, 1, graph), 0));
                (void) run_engine_turn(fixture.engine, 10);
                run_engine_stored(fixture.engine, fixture.world.batch, fixture.world.batch);
                cr_assert(eq(int, run_engine_ended(fixture.engine, &fixture.world.last, cases[i].kind, cases[i].end),
                             0));
                cr_assert(eq(int, run_engine_get_node(fixture.engine, 1, 0, &row, &why), 0));
                cr_assert(eq(int, row.state, cases[i].state));
                cr_assert(eq(int, row.reason, cases[i].reason));
                run_engine_free(fixture.engine);
        }
}

/* What a command asks for in its own words counts beside its status. */
Test(run_engine, an_end_may_ask_for_a_person_or_a_time) {
        const struct {
                RunEndKind kind;
                uint16_t end;
                usec_t again;
                RunNodeState state;
                RunReason reason;
                usec_t delay; /* 0: none */
        } cases[] = {
                { RUN_END_PENDING, 0, USEC_INFINITY, RUN_NODE_PENDING, RUN_REASON_STATUS, 0 },
                { RUN_END_PENDING, 1, USEC_INFINITY, RUN_NODE_PENDING, RUN_REASON_STATUS, 0 },
                { RUN_END_PENDING, 75, 3 * USEC_PER_SEC, RUN_NODE_PENDING, RUN_REASON_STATUS, 0 },
                { RUN_END_EXITED, 75, USEC_INFINITY, RUN_NODE_DEFERRED, RUN_REASON_AGAIN, 10 * USEC_PER_SEC },
                { RUN_END_EXITED, 75, 3 * USEC_PER_SEC, RUN_NODE_DEFERRED, RUN_REASON_AGAIN, 3 * USEC_PER_SEC },
                { RUN_END_EXITED, 0, 3 * USEC_PER_SEC, RUN_NODE_SUCCEEDED, RUN_REASON_NONE, 0 },
                { RUN_END_EXITED, 1, 3 * USEC_PER_SEC, RUN_NODE_FAILED, RUN_REASON_NONE, 0 },
        };
        const usec_t begun = 1000 * USEC_PER_SEC;
        RunNodeSpec spec = { .name = "a" };

        spec.policy = (RunPolicy) { .timeout = USEC_INFINITY,
                                    .total_timeout = USEC_INFINITY,
                                    .window = USEC_INFINITY,
                                    .again = 10 * USEC_PER_SEC };
        set_end(spec.policy.again_ends, 75);
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
                RunNodeRow row;
                Fixture fixture;
                RunWhy why;

                cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &spec, 1 }, &graph, NULL), 0));
                set_up(&fixture);
                cr_assert(eq(int, submit(&fixture, 1, graph), 0));
                run_engine_time(fixture.engine, begun);
                (void) run_engine_turn(fixture.engine, 10);
                run_engine_stored(fixture.engine, fixture.world.batch, fixture.world.batch);
                cr_assert(eq(int,
                             run_engine_ended_until(fixture.engine, &fixture.world.last, cases[i].kind, cases[i].end,
                                                    cases[i].again),
                             0));
                cr_assert(eq(int, run_engine_get_node(fixture.engine, 1, 0, &row, &why), 0));
                cr_expect(eq(int, row.state, cases[i].state), "case %zu", i);
                cr_expect(eq(int, row.reason, cases[i].reason), "case %zu", i);
                if (cases[i].delay > 0)
                        cr_expect(eq(u64, row.at, begun + cases[i].delay), "case %zu", i);
                run_engine_free(fixture.engine);
        }
}

/* A node that ends well by SIGTERM (15), and is tried again after SIGKILL (9) and status 9 alone. */
Test(run_engine, signals_are_ends_like_statuses) {
        const struct {
                uint16_t end;
                RunNodeState state;
        } cases[] = {
                { RUN_END_BY_SIGNAL(15), RUN_NODE_SUCCEEDED }, { 15, RUN_NODE_FAILED },
                { RUN_END_BY_SIGNAL(9), RUN_NODE_DEFERRED },   { 9, RUN_NODE_DEFERRED },
                { RUN_END_BY_SIGNAL(127), RUN_NODE_FAILED },   { RUN_END_BY_SIGNAL(1), RUN_NODE_FAILED },
        };
        RunNodeSpec spec = { .name = "a" };

        spec.policy = (RunPolicy) {
                .retry = 1, .timeout = USEC_INFINITY, .total_timeout = USEC_INFINITY, .window = USEC_INFINITY
        };
        set_end(spec.policy.success_ends, RUN_END_BY_SIGNAL(15));
        set_end(spec.policy.retry_ends, RUN_END_BY_SIGNAL(9));
        set_end(spec.policy.retry_ends, RUN_END_BY_SIGNAL(1));
        set_end(spec.policy.no_retry_ends, RUN_END_BY_SIGNAL(1));
        set_end(spec.policy.retry_ends, 9);
        spec.policy.delay = spec.policy.max_delay = USEC_PER_SEC;
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
                RunNodeRow row;
                Fixture fixture;
                RunWhy why;

                cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &spec, 1 }, &graph, NULL), 0));
                set_up(&fixture);
                cr_assert(eq(int, submit(&fixture, 1, graph), 0));
                (void) run_engine_turn(fixture.engine, 10);
                run_engine_stored(fixture.engine, fixture.world.batch, fixture.world.batch);
                cr_assert(eq(int, run_engine_ended(fixture.engine, &fixture.world.last, RUN_END_EXITED, cases[i].end),
                             0));
                cr_assert(eq(int, run_engine_get_node(fixture.engine, 1, 0, &row, &why), 0));
                cr_expect(eq(int, row.state, cases[i].state), "case %zu", i);
                run_engine_free(fixture.engine);
        }
}

/* Whoever owns the unit asks after each turn whether it must start. */
Test(run_engine, a_run_wants_its_unit) {
        const RunSettings two = { .max_parallel = 2,
                                  .max_runs = 2,
                                  .max_queued = 1,
                                  .timeout = USEC_INFINITY,
                                  .queue_timeout = USEC_INFINITY };
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(1, 0);
        Fixture fixture;

        set_up(&fixture);
        run_flow_unit(fixture.flow, RUN_UNIT_INACTIVE, false);
        cr_assert(not(run_flow_wants_unit(fixture.flow)));
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        cr_assert(eq(int, run_flow_forget(fixture.flow), -EBUSY));
        /* A job of its unit would outlive a run that the store does not have. */
        cr_assert(not(run_flow_wants_unit(fixture.flow)));
        cr_assert(not(run_engine_turn(fixture.engine, 10)));
        run_engine_stored(fixture.engine, fixture.world.batch, fixture.world.batch - 1);
        cr_assert(not(run_flow_wants_unit(fixture.flow)));
        run_engine_stored(fixture.engine, fixture.world.batch, fixture.world.batch);
        cr_assert(run_flow_wants_unit(fixture.flow));
        run_flow_unit(fixture.flow, RUN_UNIT_ACTIVE, false);
        cr_assert(not(run_flow_wants_unit(fixture.flow)));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_RUNNING));

        cr_assert(eq(int, submit(&fixture, 2, graph), 0));
        cr_assert(eq(int, state_of(&fixture, 2), RUN_QUEUED));
        cr_assert(eq(int, submit(&fixture, 3, graph), -EBUSY));
        run_flow_set(fixture.flow, &two);
        cr_assert(eq(int, state_of(&fixture, 2), RUN_RUNNING));
        run_engine_free(fixture.engine);
}

/* While the unit starts, OnBusy= and MaxQueued= count as if it had. */
Test(run_engine, runs_that_wait_for_their_unit_have_places) {
        RunSettings settings = { .max_parallel = 2,
                                 .max_runs = 2,
                                 .max_queued = 1,
                                 .timeout = USEC_INFINITY,
                                 .queue_timeout = USEC_INFINITY };
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(1, 0);
        Fixture fixture;

        set_up(&fixture);
        run_flow_unit(fixture.flow, RUN_UNIT_INACTIVE, false);
        settings.on_busy = RUN_BUSY_REJECT;
        run_flow_set(fixture.flow, &settings);
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        cr_assert(eq(int, submit(&fixture, 2, graph), 0));
        cr_assert(eq(int, submit(&fixture, 3, graph), -EBUSY));
        settings.on_busy = RUN_BUSY_QUEUE;
        run_flow_set(fixture.flow, &settings);
        cr_assert(eq(int, submit(&fixture, 3, graph), 0));
        cr_assert(eq(int, submit(&fixture, 4, graph), -EBUSY));
        settings.on_busy = RUN_BUSY_REPLACE;
        run_flow_set(fixture.flow, &settings);
        cr_assert(eq(int, submit(&fixture, 5, graph), 0));
        for (uint32_t id = 1; id <= 3; id++)
                cr_expect(eq(int, state_of(&fixture, id), RUN_CANCELLED));
        run_flow_unit(fixture.flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, state_of(&fixture, 5), RUN_RUNNING));
        run_engine_free(fixture.engine);
}

/* A call that fails for want of memory leaves nothing behind, and works when there is memory again. */
Test(run_engine, memory_runs_out) {
        const RunRow row = { .id = 2, .state = RUN_RUNNING, .round = 1, .deadline = USEC_INFINITY };
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(3, 0);
        RunSettings settings = { .max_parallel = 1 };
        RunEngine *engine = NULL;
        unsigned failures = 0;
        RunFlow *flow = NULL;
        Fixture fixture;

        set_up(&fixture);
        double_memory_arm(1, false);
        cr_assert(eq(int, run_engine_new(&engine, &host, NULL), -ENOMEM));
        cr_assert(double_memory_disarm());
        double_memory_arm(1, false);
        cr_assert(eq(int, run_flow_new(fixture.engine, &settings, &flow), -ENOMEM));
        cr_assert(double_memory_disarm());
        cr_assert(engine == NULL && flow == NULL);
        for (size_t n = 1;; n++) {
                int r;

                double_memory_arm(n, false);
                r = submit(&fixture, 1, graph);
                if (!double_memory_disarm()) {
                        cr_assert(eq(int, r, 0));
                        break;
                }
                cr_assert(eq(int, r, -ENOMEM));
                cr_assert(not(run_flow_wants_unit(fixture.flow)));
                failures++;
        }
        for (size_t n = 1;; n++) {
                int r;

                double_memory_arm(n, false);
                r = run_engine_restore(fixture.flow, graph, &row, NULL, 0);
                if (!double_memory_disarm()) {
                        cr_assert(eq(int, r, 0));
                        break;
                }
                cr_assert(eq(int, r, -ENOMEM));
                failures++;
        }
        cr_assert(eq(int, state_of(&fixture, 1), RUN_RUNNING));
        cr_assert(eq(int, state_of(&fixture, 2), RUN_RUNNING));
        cr_assert(lt(uint, 3, failures));
        run_engine_free(fixture.engine);
}

/* Nothing that happens to a run takes memory. */
Test(run_engine, goes_on_without_memory) {
        static const RunVerb verbs[] = { RUN_VERB_PAUSE, RUN_VERB_RESUME, RUN_VERB_CANCEL };
        cleanup_(run_graph_unrefp) RunGraph *graph = make_chain(3, 0);
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        double_memory_arm(1, true);
        for (uint32_t i = 0; i < 3; i++) {
                (void) run_engine_turn(fixture.engine, 10);
                run_engine_stored(fixture.engine, fixture.world.batch, fixture.world.batch);
                cr_assert(eq(int, run_engine_started(fixture.engine, &fixture.world.last, 1), 0));
                for (size_t k = 0; k < (i == 2 ? ELEMENTSOF(verbs) : 2); k++)
                        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, verbs[k], 0), 0));
                run_engine_time(fixture.engine, 2 + i);
                cr_assert(eq(int, run_engine_ended(fixture.engine, &fixture.world.last, RUN_END_EXITED, 0), 0));
        }
        (void) run_engine_turn(fixture.engine, 10);
        run_engine_set_store(fixture.engine, RUN_STORE_FULL);
        run_flow_unit(fixture.flow, RUN_UNIT_STOP, true);
        cr_assert(not(double_memory_disarm()));
        cr_assert(eq(u32, fixture.world.n_spawned, 3));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_CANCELLED));
        run_engine_free(fixture.engine);
}

/* The attempt at hand has begun, and ends with that status. */
static void end_attempt(Fixture *fixture, uint16_t end) {
        (void) run_engine_turn(fixture->engine, 10);
        run_engine_stored(fixture->engine, fixture->world.batch, fixture->world.batch);
        cr_assert(eq(int, run_engine_started(fixture->engine, &fixture->world.last, 1), 0));
        cr_assert(eq(int, run_engine_ended(fixture->engine, &fixture->world.last, RUN_END_EXITED, end), 0));
        (void) run_engine_turn(fixture->engine, 10);
}

static int act(Fixture *fixture, RunVerb verb, uint32_t node) {
        return run_engine_verb(fixture->engine, 1, verb, node);
}

/* Nor does what a person decides: of two nodes the first waits for one after each failure, the second at its gate. */
Test(run_engine, people_decide_without_memory) {
        static const char *const parents[] = { "a" };
        const RunPolicy usual = { .recover = RUN_RECOVER_PENDING, .timeout = USEC_INFINITY,
                                  .total_timeout = USEC_INFINITY, .window = USEC_INFINITY };
        RunNodeSpec nodes[] = { { .name = "a", .policy = usual },
                                { .name = "b", .parents = parents, .n_parents = 1, .policy = usual } };
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        Fixture fixture;

        nodes[0].policy.failure = RUN_POLICY_SUSPEND;
        nodes[1].policy.has_gate = true;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 2 }, &graph, NULL), 0));
        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 1, graph), 0));
        double_memory_arm(1, true);
        end_attempt(&fixture, 1);
        cr_assert(eq(int, act(&fixture, RUN_VERB_AS_RETRY, 0), 0));
        end_attempt(&fixture, 1);
        cr_assert(eq(int, act(&fixture, RUN_VERB_AS_FAILED, 0), 0));
        (void) run_engine_turn(fixture.engine, 10);
        cr_assert(eq(int, state_of(&fixture, 1), RUN_FAILED));
        cr_assert(eq(int, act(&fixture, RUN_VERB_RETRY, 0), 0));
        end_attempt(&fixture, 1);
        cr_assert(eq(int, act(&fixture, RUN_VERB_AS_SUCCESS, 0), 0));
        (void) run_engine_turn(fixture.engine, 10);
        cr_assert(eq(int, act(&fixture, RUN_VERB_REJECT, 1), 0));
        (void) run_engine_turn(fixture.engine, 10);
        cr_assert(eq(int, state_of(&fixture, 1), RUN_FAILED));
        cr_assert(eq(int, act(&fixture, RUN_VERB_RERUN, 0), 0));
        end_attempt(&fixture, 0);
        cr_assert(eq(int, act(&fixture, RUN_VERB_APPROVE, 1), 0));
        end_attempt(&fixture, 0);
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUCCEEDED));
        cr_assert(eq(int, act(&fixture, RUN_VERB_RERUN, 0), 0));
        end_attempt(&fixture, 0);
        cr_assert(eq(int, act(&fixture, RUN_VERB_SKIP, 1), 0));
        (void) run_engine_turn(fixture.engine, 10);
        cr_assert(not(double_memory_disarm()));
        cr_assert(eq(u32, fixture.world.n_spawned, 6));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUCCEEDED));
        run_engine_free(fixture.engine);
}
