/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The end of a run: compensations in reverse order of success, and the final
 * node
 *
 * Nodes a, b, c have compensations; a and b may run at the same time, c runs
 * after both. Rows are kept, so that an engine can be made anew from them at
 * any moment.
 *
 * S004-15
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#include "run/run_engine.h"

#define ID 1U
enum { A, B, C, UNDO_A, UNDO_B, UNDO_C, FINAL, NODES };

typedef struct World {
        RunEngine *engine;
        RunFlow *flow;
        RunGraph *graph;
        uint32_t batch;
        usec_t timeout; /* of the run; 0: none */
        bool has_otherwise; /* c runs if the condition of a, which is true, is false */
        char spawned[64]; /* names, in their order: "ab" and, for compensations, "BA" */
        RunRow run;
        RunNodeRow rows[NODES];
        bool has_row[NODES];
} World;

static void put_run(void *userdata, const RunRow *row) {
        ((World *) userdata)->run = *row;
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
        World *world = userdata;

        world->rows[row->node] = *row;
        world->has_row[row->node] = true;
}

static int persist(void *userdata, uint32_t *ret_batch) {
        *ret_batch = ++((World *) userdata)->batch;
        return 0;
}

static void spawn(void *userdata, const RunAttemptKey *attempt) {
        World *world = userdata;
        const size_t n = strlen(world->spawned);

        cr_assert(lt(sz, n, sizeof(world->spawned) - 1));
        world->spawned[n] = "abcABCF"[attempt->node];
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
}

static RunCondition judge(void *userdata, uint32_t run, uint32_t node) {
        return RUN_CONDITION_TRUE;
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = {
        .put_run = put_run, .put_node = put_node, .persist = persist, .spawn = spawn, .end = end,
        .judge = judge, .random = get_random
};

/* — the world — */

static const RunSettings settings = {
        .max_parallel = 2, .max_runs = 1, .max_queued = 1, .timeout = USEC_INFINITY, .queue_timeout = USEC_INFINITY
};

static void make_graph(World *world, unsigned undo_on) {
        static const char *const names[NODES] = { "a", "b", "c", "a@compensate", "b@compensate", "c@compensate",
                                                  "@final" };
        RunNodeSpec nodes[NODES] = {};
        char *problem = NULL;

        for (uint32_t i = 0; i < NODES; i++) {
                nodes[i].name = names[i];
                nodes[i].policy.recover = RUN_RECOVER_PENDING;
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
                if (i < UNDO_A)
                        continue;
                nodes[i].undoes = i < FINAL ? i - UNDO_A : RUN_NODE_NONE;
                nodes[i].policy.failure = i < FINAL ? RUN_POLICY_SUSPEND : RUN_POLICY_CONTINUE;
                nodes[i].policy.timeout = 90;
        }
        nodes[A].policy.has_condition = nodes[C].policy.is_otherwise = world->has_otherwise;
        nodes[C].parents = names;
        nodes[C].n_parents = world->has_otherwise ? 0 : 2;
        cr_assert(eq(int,
                     run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = NODES, .first_extra = UNDO_A,
                                                     .n_extra = NODES - UNDO_A,
                                                     .undo_on = undo_on },
                                   &world->graph, &problem),
                     0),
                  "%s", problem);
}

static void make_engine(World *world) {
        RunSettings of_flow = settings;

        if (world->timeout > 0)
                of_flow.timeout = world->timeout;
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_flow_new(world->engine, &of_flow, &world->flow), 0));
        run_engine_time(world->engine, 1);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
}

static void turn(World *world) {
        (void) run_engine_turn(world->engine, 10);
        run_engine_stored(world->engine, world->batch, world->batch);
}

static void begin(World *world, unsigned undo_on) {
        uint32_t id;

        *world = (World) { .has_otherwise = world->has_otherwise, .timeout = world->timeout };
        make_graph(world, undo_on);
        make_engine(world);
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = ID, .graph = world->graph }, &id), 0));
        turn(world);
}

static void deinit(World *world) {
        run_engine_free(world->engine);
        run_graph_unref(world->graph);
}

/* Core dies, and the next one reads the rows. */
static void die(World *world) {
        RunNodeRow rows[NODES];
        uint32_t n = 0;

        for (uint32_t i = 0; i < NODES; i++)
                if (world->has_row[i])
                        rows[n++] = world->rows[i];
        run_engine_free(world->engine);
        make_engine(world);
        cr_assert(eq(int, run_engine_restore(world->flow, world->graph, &world->run, rows, n), 0));
        run_engine_restored(world->engine, world->batch, world->batch, 1, 1, false);
        turn(world);
}

static RunNodeRow row_of(const World *world, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(world->engine, ID, node, &row, &why), 0));
        return row;
}

static void finish(World *world, uint32_t node, RunEndKind kind, uint16_t status) {
        const RunNodeRow row = row_of(world, node);
        const RunAttemptKey key = { ID, node, row.generation, row.number };

        (void) run_engine_started(world->engine, &key, 1);
        cr_assert(eq(int, run_engine_ended(world->engine, &key, kind, status), 0), "node %u", node);
        turn(world);
}

static RunRow run_of(const World *world) {
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get(world->engine, ID, &row, &why), 0));
        return row;
}

static RunWhy why_of(const World *world) {
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get(world->engine, ID, &row, &why), 0));
        return why;
}

static void check_run(const World *world, RunState state, RunReason reason, RunState result) {
        const RunRow row = run_of(world);

        cr_assert(eq(int, row.state, state), "%s", run_state_to_string(row.state));
        cr_assert(eq(int, row.reason, reason), "%s", run_reason_to_string(row.reason));
        if (!run_state_is_terminal(state))
                cr_assert(eq(int, row.result, result));
}

static void check_spawned(const World *world, const char *names) {
        cr_assert(strcmp(world->spawned, names) == 0, "%s", world->spawned);
}

static int verb(World *world, RunVerb wanted, uint32_t node) {
        const int r = run_engine_verb(world->engine, ID, wanted, node);

        turn(world);
        return r;
}

/* — tests — */

/* b has succeeded before a: a is undone first. What has not succeeded is not undone. */
Test(run_undo, the_last_success_is_undone_first) {
        uint32_t tally[_RUN_NODE_STATE_MAX];
        World world = {};

        begin(&world, RUN_UNDO_ON_FAILURE);
        cr_assert(eq(int, run_engine_tally(world.engine, ID, tally), 0));
        cr_assert(eq(u32, tally[RUN_NODE_WAITING] + tally[RUN_NODE_RUNNING], 3));
        finish(&world, B, RUN_END_EXITED, 0);
        finish(&world, A, RUN_END_EXITED, 0);
        check_spawned(&world, "abc");
        finish(&world, C, RUN_END_EXITED, 1);
        check_run(&world, RUN_STOPPING, RUN_REASON_COMPENSATE, RUN_FAILED);
        cr_assert(eq(int, why_of(&world), RUN_WHY_COMPENSATE));
        check_spawned(&world, "abcA");
        finish(&world, UNDO_A, RUN_END_EXITED, 0);
        check_spawned(&world, "abcAB");
        finish(&world, UNDO_B, RUN_END_EXITED, 0);
        check_run(&world, RUN_STOPPING, RUN_REASON_FINAL, RUN_FAILED);
        cr_assert(eq(int, why_of(&world), RUN_WHY_FINAL));
        finish(&world, FINAL, RUN_END_EXITED, 3);
        check_spawned(&world, "abcABF");
        check_run(&world, RUN_FAILED, RUN_REASON_NONE, RUN_FAILED);
        cr_assert(eq(int, row_of(&world, UNDO_C).state, RUN_NODE_WAITING));
        cr_assert(eq(int, row_of(&world, FINAL).state, RUN_NODE_FAILED));
        deinit(&world);
}

/* Whoever dies when: nothing is undone twice, and nothing is left out. */
Test(run_undo, each_step_survives_the_death_of_core) {
        World world = {};

        begin(&world, RUN_UNDO_ON_FAILURE);
        finish(&world, B, RUN_END_EXITED, 0);
        die(&world);
        finish(&world, A, RUN_END_EXITED, 0);
        die(&world);
        finish(&world, C, RUN_END_EXITED, 1);
        check_run(&world, RUN_STOPPING, RUN_REASON_COMPENSATE, RUN_FAILED);
        memset(world.spawned, 0, sizeof(world.spawned));
        finish(&world, UNDO_A, RUN_END_EXITED, 0);
        die(&world);
        finish(&world, UNDO_B, RUN_END_EXITED, 0);
        die(&world);
        finish(&world, FINAL, RUN_END_EXITED, 0);
        check_run(&world, RUN_FAILED, RUN_REASON_NONE, RUN_FAILED);
        cr_assert(eq(u32, row_of(&world, UNDO_A).number, 1));
        cr_assert(eq(u32, row_of(&world, UNDO_B).number, 1));
        cr_assert(eq(u32, row_of(&world, FINAL).number, 1));
        deinit(&world);
}

/* Core before has stored a and c as nodes that nothing undoes; b has come between. */
Test(run_undo, a_success_without_a_number_gets_one) {
        World world = {};

        begin(&world, 0);
        finish(&world, B, RUN_END_EXITED, 0);
        finish(&world, A, RUN_END_EXITED, 0);
        finish(&world, C, RUN_END_EXITED, 0);
        finish(&world, FINAL, RUN_END_EXITED, 0);
        world.rows[A].at = world.rows[C].at = 0;
        die(&world);
        cr_assert(eq(u64, world.rows[A].at, 1));
        cr_assert(lt(u64, world.rows[A].at, world.rows[B].at));
        cr_assert(lt(u64, world.rows[B].at, world.rows[C].at));
        cr_assert(run_engine_can_undo(world.engine, ID));
        memset(world.spawned, 0, sizeof(world.spawned));
        cr_assert(eq(int, verb(&world, RUN_VERB_COMPENSATE, 0), 0));
        finish(&world, UNDO_C, RUN_END_EXITED, 0);
        finish(&world, UNDO_B, RUN_END_EXITED, 0);
        finish(&world, UNDO_A, RUN_END_EXITED, 0);
        check_spawned(&world, "CBA");
        cr_assert(not(run_engine_can_undo(world.engine, ID)));
        deinit(&world);
}

Test(run_undo, success_undoes_nothing_and_ends_with_the_final_node) {
        World world = {};

        begin(&world, RUN_UNDO_ON_FAILURE | RUN_UNDO_ON_CANCEL);
        finish(&world, A, RUN_END_EXITED, 0);
        finish(&world, B, RUN_END_EXITED, 0);
        finish(&world, C, RUN_END_EXITED, 0);
        check_run(&world, RUN_STOPPING, RUN_REASON_FINAL, RUN_SUCCEEDED);
        finish(&world, FINAL, RUN_END_EXITED, 0);
        check_run(&world, RUN_SUCCEEDED, RUN_REASON_NONE, RUN_SUCCEEDED);
        check_spawned(&world, "abcF");
        deinit(&world);
}

Test(run_undo, a_cancel_undoes_only_if_the_flow_says_so) {
        for (unsigned on = 0; on < 4; on++) {
                World world = {};

                begin(&world, on);
                finish(&world, A, RUN_END_EXITED, 0);
                cr_assert(eq(int, verb(&world, RUN_VERB_CANCEL, 0), 0));
                finish(&world, B, RUN_END_EXITED, 0);
                if (on & RUN_UNDO_ON_CANCEL)
                        finish(&world, UNDO_A, RUN_END_EXITED, 0);
                finish(&world, FINAL, RUN_END_EXITED, 0);
                check_run(&world, RUN_CANCELLED, RUN_REASON_NONE, RUN_CANCELLED);
                cr_assert(eq(int, row_of(&world, UNDO_A).state,
                             on & RUN_UNDO_ON_CANCEL ? RUN_NODE_SUCCEEDED : RUN_NODE_WAITING));
                deinit(&world);
        }
}

/* A compensation that fails, or of which nobody knows the end, waits for a person, and those after it with it. */
Test(run_undo, a_compensation_that_is_lost_waits_for_a_person) {
        static const RunEndKind kinds[] = { RUN_END_LOST, RUN_END_INTERRUPTED, RUN_END_EXITED };
        static const RunReason reasons[] = { RUN_REASON_LOST, RUN_REASON_INTERRUPTED, RUN_REASON_FAILED };

        for (unsigned i = 0; i < 3; i++) {
                World world = {};

                begin(&world, RUN_UNDO_ON_FAILURE);
                finish(&world, B, RUN_END_EXITED, 0);
                finish(&world, A, RUN_END_EXITED, 0);
                finish(&world, C, RUN_END_EXITED, 1);
                finish(&world, UNDO_A, kinds[i], kinds[i] == RUN_END_EXITED ? 9 : 0);
                check_run(&world, RUN_SUSPENDED, RUN_REASON_COMPENSATE, RUN_FAILED);
                cr_assert(eq(int, row_of(&world, UNDO_A).state, RUN_NODE_PENDING));
                cr_assert(eq(int, row_of(&world, UNDO_A).reason, reasons[i]));
                die(&world);
                check_run(&world, RUN_SUSPENDED, RUN_REASON_COMPENSATE, RUN_FAILED);
                /* What it was about has ended, and stays. */
                cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, C), -EINVAL));
                cr_assert(eq(int, verb(&world, RUN_VERB_RERUN, UNDO_A), -EINVAL));
                cr_assert(eq(int, verb(&world, RUN_VERB_AS_RETRY, UNDO_A), 0));
                check_run(&world, RUN_STOPPING, RUN_REASON_COMPENSATE, RUN_FAILED);
                cr_assert(eq(u32, row_of(&world, UNDO_A).number, 2));
                finish(&world, UNDO_A, RUN_END_LOST, 0);
                cr_assert(eq(int, verb(&world, RUN_VERB_AS_SUCCESS, UNDO_A), 0));
                finish(&world, UNDO_B, RUN_END_EXITED, 0);
                finish(&world, FINAL, RUN_END_EXITED, 0);
                check_run(&world, RUN_FAILED, RUN_REASON_NONE, RUN_FAILED);
                deinit(&world);
        }
}

/* A cancel gives up what waits for a person, and what would come after it; the final node runs all the same. */
Test(run_undo, what_waits_for_a_person_can_be_given_up) {
        World world = {};

        begin(&world, RUN_UNDO_ON_FAILURE);
        finish(&world, B, RUN_END_EXITED, 0);
        finish(&world, A, RUN_END_EXITED, 0);
        finish(&world, C, RUN_END_EXITED, 1);
        finish(&world, UNDO_A, RUN_END_LOST, 0);
        cr_assert(eq(int, verb(&world, RUN_VERB_CANCEL, 0), 0));
        check_run(&world, RUN_STOPPING, RUN_REASON_FINAL, RUN_FAILED);
        cr_assert(eq(int, row_of(&world, UNDO_A).state, RUN_NODE_SKIPPED));
        cr_assert(eq(int, row_of(&world, UNDO_B).state, RUN_NODE_SKIPPED));
        finish(&world, FINAL, RUN_END_EXITED, 0);
        check_run(&world, RUN_FAILED, RUN_REASON_NONE, RUN_FAILED);
        deinit(&world);
}

Test(run_undo, a_final_node_that_is_lost_waits_for_a_person) {
        World world = {};

        begin(&world, 0);
        finish(&world, A, RUN_END_EXITED, 1);
        finish(&world, B, RUN_END_EXITED, 0);
        check_run(&world, RUN_STOPPING, RUN_REASON_FINAL, RUN_FAILED);
        finish(&world, FINAL, RUN_END_LOST, 0);
        check_run(&world, RUN_SUSPENDED, RUN_REASON_FINAL, RUN_FAILED);
        cr_assert(eq(int, verb(&world, RUN_VERB_AS_SKIP, FINAL), 0));
        check_run(&world, RUN_FAILED, RUN_REASON_NONE, RUN_FAILED);
        deinit(&world);
}

/* It is an attempt with a limit of its own, which the deadline of the run does not shorten. */
Test(run_undo, a_compensation_has_a_time_limit) {
        World world = {};

        begin(&world, RUN_UNDO_ON_FAILURE);
        finish(&world, A, RUN_END_EXITED, 0);
        finish(&world, B, RUN_END_EXITED, 1);
        (void) run_engine_started(world.engine, &(RunAttemptKey) { ID, UNDO_A, 1, 1 }, 1);
        run_engine_time(world.engine, 90);
        cr_assert(eq(int, row_of(&world, UNDO_A).outcome, RUN_OUTCOME_OPEN));
        run_engine_time(world.engine, 91);
        cr_assert(eq(int, row_of(&world, UNDO_A).outcome, RUN_OUTCOME_TIMEOUT));
        finish(&world, UNDO_A, RUN_END_EXITED, RUN_END_BY_SIGNAL(15));
        check_run(&world, RUN_SUSPENDED, RUN_REASON_COMPENSATE, RUN_FAILED);
        deinit(&world);
}

/* A person wants undone what has succeeded: also of a run that has succeeded, and once. */
Test(run_undo, a_person_undoes_a_run_that_has_ended) {
        World world = {};

        begin(&world, 0);
        finish(&world, A, RUN_END_EXITED, 0);
        finish(&world, B, RUN_END_EXITED, 0);
        finish(&world, C, RUN_END_EXITED, 0);
        finish(&world, FINAL, RUN_END_EXITED, 0);
        check_run(&world, RUN_SUCCEEDED, RUN_REASON_NONE, RUN_SUCCEEDED);
        cr_assert(eq(int, verb(&world, RUN_VERB_COMPENSATE, 0), 0));
        check_run(&world, RUN_STOPPING, RUN_REASON_COMPENSATE, RUN_SUCCEEDED);
        finish(&world, UNDO_C, RUN_END_EXITED, 1);
        die(&world);
        cr_assert(eq(int, verb(&world, RUN_VERB_AS_FAILED, UNDO_C), 0));
        finish(&world, UNDO_B, RUN_END_EXITED, 0);
        finish(&world, UNDO_A, RUN_END_EXITED, 0);
        check_run(&world, RUN_SUCCEEDED, RUN_REASON_NONE, RUN_SUCCEEDED);
        /* What could not be undone is tried again, alone; then nothing is left. */
        cr_assert(eq(int, verb(&world, RUN_VERB_COMPENSATE, 0), 0));
        finish(&world, UNDO_C, RUN_END_EXITED, 0);
        check_run(&world, RUN_SUCCEEDED, RUN_REASON_NONE, RUN_SUCCEEDED);
        cr_assert(eq(int, verb(&world, RUN_VERB_COMPENSATE, 0), -EINVAL));
        check_spawned(&world, "abcFCBAC");
        deinit(&world);
}

/* What was undone has to be done again before a retry can succeed, and is undone again if that fails. */
Test(run_undo, a_retry_does_again_what_was_undone) {
        World world = {};

        begin(&world, RUN_UNDO_ON_FAILURE);
        finish(&world, A, RUN_END_EXITED, 0);
        finish(&world, B, RUN_END_EXITED, 0);
        finish(&world, C, RUN_END_EXITED, 1);
        finish(&world, UNDO_B, RUN_END_EXITED, 0);
        finish(&world, UNDO_A, RUN_END_EXITED, 0);
        finish(&world, FINAL, RUN_END_EXITED, 0);
        memset(world.spawned, 0, sizeof(world.spawned));
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, C), 0));
        check_spawned(&world, "ab");
        /* Below what was undone, and asked for: one generation later all the same. */
        cr_assert(eq(u32, row_of(&world, C).generation, 2));
        finish(&world, A, RUN_END_EXITED, 0);
        die(&world);
        finish(&world, B, RUN_END_EXITED, 0);
        finish(&world, C, RUN_END_EXITED, 1);
        check_run(&world, RUN_STOPPING, RUN_REASON_COMPENSATE, RUN_FAILED);
        cr_assert(eq(u32, row_of(&world, UNDO_B).generation, 2));
        finish(&world, UNDO_B, RUN_END_EXITED, 0);
        finish(&world, UNDO_A, RUN_END_EXITED, 0);
        finish(&world, FINAL, RUN_END_EXITED, 0);
        check_run(&world, RUN_FAILED, RUN_REASON_NONE, RUN_FAILED);
        deinit(&world);
}

/* A node with Otherwise= stands beside what was undone, not below it. */
Test(run_undo, what_would_have_run_otherwise_does_not_begin_anew) {
        World world = { .has_otherwise = true };

        begin(&world, RUN_UNDO_ON_FAILURE);
        cr_assert(eq(int, row_of(&world, C).reason, RUN_REASON_WHEN));
        finish(&world, A, RUN_END_EXITED, 0);
        finish(&world, B, RUN_END_EXITED, 1);
        finish(&world, UNDO_A, RUN_END_EXITED, 0);
        finish(&world, FINAL, RUN_END_EXITED, 0);
        cr_assert(eq(int, verb(&world, RUN_VERB_RETRY, B), 0));
        check_spawned(&world, "abAFab");
        cr_assert(eq(u32, row_of(&world, C).generation, 1));
        deinit(&world);
}

/* A run whose time is over does not start a unit that a person has stopped. */
Test(run_undo, what_is_left_of_a_run_in_time_waits_for_its_unit) {
        World world = { .timeout = 500 };

        begin(&world, RUN_UNDO_ON_FAILURE);
        finish(&world, A, RUN_END_EXITED, 0);
        run_flow_unit(world.flow, RUN_UNIT_STOP, true);
        finish(&world, B, RUN_END_EXITED, 0);
        run_flow_unit(world.flow, RUN_UNIT_INACTIVE, false);
        memset(world.spawned, 0, sizeof(world.spawned));
        turn(&world);
        run_engine_time(world.engine, 1000);
        turn(&world);
        check_spawned(&world, "");
        cr_assert(not(run_flow_wants_unit(world.flow)));
        cr_assert(eq(int, why_of(&world), RUN_WHY_UNIT));
        run_flow_unit(world.flow, RUN_UNIT_ACTIVE, true);
        turn(&world);
        finish(&world, UNDO_B, RUN_END_EXITED, 0);
        finish(&world, UNDO_A, RUN_END_EXITED, 0);
        finish(&world, FINAL, RUN_END_EXITED, 0);
        check_run(&world, RUN_TIMEOUT, RUN_REASON_NONE, RUN_TIMEOUT);
        deinit(&world);
}

/* An end by itself waits for the unit, too; who cancels the run wants no more of it than that. */
Test(run_undo, what_is_left_of_a_failed_run_waits_for_its_unit) {
        World world = {};

        begin(&world, RUN_UNDO_ON_FAILURE);
        finish(&world, A, RUN_END_EXITED, 0);
        run_flow_unit(world.flow, RUN_UNIT_STOP, true);
        finish(&world, B, RUN_END_EXITED, 1);
        run_flow_unit(world.flow, RUN_UNIT_INACTIVE, false);
        memset(world.spawned, 0, sizeof(world.spawned));
        turn(&world);
        check_spawned(&world, "");
        cr_assert(not(run_flow_wants_unit(world.flow)));
        cr_assert(eq(int, verb(&world, RUN_VERB_CANCEL, 0), 0));
        turn(&world);
        cr_assert(run_flow_wants_unit(world.flow));
        deinit(&world);
}

/* A stop of the unit holds a run between two compensations; the next start lets it go on. */
Test(run_undo, a_stop_of_the_unit_holds_what_is_left) {
        World world = {};

        begin(&world, RUN_UNDO_ON_FAILURE);
        finish(&world, A, RUN_END_EXITED, 0);
        finish(&world, B, RUN_END_EXITED, 0);
        finish(&world, C, RUN_END_EXITED, 1);
        memset(world.spawned, 0, sizeof(world.spawned));
        run_flow_unit(world.flow, RUN_UNIT_STOP, true);
        finish(&world, UNDO_B, RUN_END_EXITED, 0);
        run_flow_unit(world.flow, RUN_UNIT_INACTIVE, false);
        turn(&world);
        check_spawned(&world, "");
        check_run(&world, RUN_STOPPING, RUN_REASON_COMPENSATE, RUN_FAILED);
        cr_assert(eq(int, why_of(&world), RUN_WHY_UNIT));
        cr_assert(not(run_flow_wants_unit(world.flow)));
        cr_assert(eq(int, verb(&world, RUN_VERB_RESUME, 0), 0));
        cr_assert(run_flow_wants_unit(world.flow));
        run_flow_unit(world.flow, RUN_UNIT_ACTIVE, true);
        turn(&world);
        check_spawned(&world, "A");
        finish(&world, UNDO_A, RUN_END_EXITED, 0);
        finish(&world, FINAL, RUN_END_EXITED, 0);
        check_run(&world, RUN_FAILED, RUN_REASON_NONE, RUN_FAILED);
        deinit(&world);
}

/* Nothing has begun: there is nothing to end. */
Test(run_undo, a_run_that_has_not_begun_runs_no_final_node) {
        World world = {};
        uint32_t id;

        make_graph(&world, RUN_UNDO_ON_CANCEL);
        make_engine(&world);
        run_flow_unit(world.flow, RUN_UNIT_INACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph }, &id), 0));
        turn(&world);
        cr_assert(eq(int, verb(&world, RUN_VERB_CANCEL, 0), 0));
        check_run(&world, RUN_CANCELLED, RUN_REASON_NONE, RUN_CANCELLED);
        cr_assert(eq(int, row_of(&world, FINAL).state, RUN_NODE_SKIPPED));
        check_spawned(&world, "");
        deinit(&world);

        world = (World) {};
        make_graph(&world, RUN_UNDO_ON_CANCEL);
        make_engine(&world);
        run_flow_unit(world.flow, RUN_UNIT_INACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph }, &id), 0));
        turn(&world);
        run_flow_unit(world.flow, RUN_UNIT_FAILED, false);
        turn(&world);
        check_run(&world, RUN_FAILED, RUN_REASON_DEPENDENCY, RUN_CREATED);
        cr_assert(eq(int, row_of(&world, FINAL).state, RUN_NODE_SKIPPED));
        deinit(&world);
}
