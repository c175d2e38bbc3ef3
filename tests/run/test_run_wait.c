/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Nodes that wait without a process: at a gate for a person, and for a time
 *
 * Nodes are "a", "b", … in the order of a plan; the parent of each is the one
 * before it, unless it is a root. Rows are kept, so that an engine can be
 * made anew from them.
 *
 * S004-1, S004-18, S004-20
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "run/run_engine.h"

#define NODES 8U
#define ID 1U
#define CHECKPOINT RUN_NODE_NONE
#define WALL UINT64_C(1000000000) /* the wall clock is so much ahead */

typedef struct Plan {
        uint32_t n;
        struct {
                RunPolicy policy;
                uint32_t payload;
                bool is_root;
        } nodes[NODES];
} Plan;

typedef struct World {
        RunEngine *engine;
        RunFlow *flow;
        RunGraph *graph;
        uint32_t batch;
        uint32_t n_spawned, n_ended;
        usec_t wakes; /* by the wall clock */
        usec_t run_timeout; /* 0: none */
        bool drains; /* at that time */
        const RunDemand *demand; /* borrowed; NULL: nothing is taken */
        RunRow run;
        RunNodeRow rows[NODES];
        bool has_row[NODES];
        char shown[512];
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
        ((World *) userdata)->n_spawned++;
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
        ((World *) userdata)->n_ended++;
}

static void abandon(void *userdata, const RunAttemptKey *attempt) {
}

static RunCondition judge(void *userdata, uint32_t run, uint32_t node) {
        return RUN_CONDITION_TRUE;
}

static void ask(void *userdata, uint32_t run, uint32_t node, uint32_t generation) {
}

static usec_t wake(void *userdata, uint32_t run, uint32_t node) {
        return ((World *) userdata)->wakes;
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = { .put_run = put_run,
                              .put_node = put_node,
                              .persist = persist,
                              .spawn = spawn,
                              .end = end,
                              .abandon = abandon,
                              .judge = judge,
                              .ask = ask,
                              .wake = wake,
                              .random = get_random };

/* — the world — */

static void make_graph(World *world, const Plan *plan) {
        static const char *const names[NODES] = { "a", "b", "c", "d", "e", "f", "g", "h" };
        RunNodeSpec nodes[NODES];
        char *problem = NULL;

        for (uint32_t i = 0; i < plan->n; i++) {
                nodes[i] = (RunNodeSpec) { .name = names[i],
                                          .parents = &names[i > 0 ? i - 1 : 0],
                                          .n_parents = i > 0 && !plan->nodes[i].is_root,
                                          .payload = plan->nodes[i].payload,
                                          .policy = plan->nodes[i].policy };
                nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
                if (nodes[i].policy.timeout == 0)
                        nodes[i].policy.timeout = USEC_INFINITY;
        }
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, plan->n, world->demand, world->demand != NULL, 0 },
                                   &world->graph, &problem),
                     0),
                  "%s", problem);
}

static void make_engine(World *world) {
        const RunSettings settings = {
                .max_parallel = 1, .max_runs = 1, .queue_timeout = USEC_INFINITY,
                .timeout = world->run_timeout > 0 ? world->run_timeout : USEC_INFINITY,
                .timeout_mode = world->drains ? RUN_TIMEOUT_DRAIN : RUN_TIMEOUT_TERMINATE
        };

        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_flow_new(world->engine, &settings, &world->flow), 0));
}

static void turn(World *world) {
        while (run_engine_turn(world->engine, 100))
                ;
        run_engine_stored(world->engine, world->batch, world->batch);
}

static void begin(World *world, const Plan *plan) {
        uint32_t id;

        *world = (World) { .wakes = world->wakes, .run_timeout = world->run_timeout, .drains = world->drains,
                           .demand = world->demand };
        make_graph(world, plan);
        make_engine(world);
        run_engine_wall(world->engine, 1000, WALL + 1000);
        run_engine_time(world->engine, 1000);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = ID, .graph = world->graph }, &id), 0));
        turn(world);
}

/* Core has died; @then: the time of the last batch, @now: by the clock of this boot. */
static void restart(World *world, usec_t then, usec_t now, bool is_other_boot) {
        RunNodeRow rows[NODES];
        uint32_t n = 0;

        for (uint32_t i = 0; i < NODES; i++)
                if (world->has_row[i])
                        rows[n++] = world->rows[i];
        run_engine_free(world->engine);
        make_engine(world);
        cr_assert(eq(int, run_engine_restore(world->flow, world->graph, &world->run, rows, n), 0));
        run_engine_restored(world->engine, world->batch, world->batch, then, now, is_other_boot);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
        turn(world);
}

static void leave(World *world) {
        run_engine_free(world->engine);
        run_graph_unref(world->graph);
}

static RunNodeRow row_of(World *world, uint32_t node, RunWhy *ret_why) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(world->engine, ID, node, &row, ret_why ? ret_why : &why), 0));
        return row;
}

static void ends(World *world, uint32_t node, uint16_t status) {
        const RunNodeRow row = row_of(world, node, NULL);

        cr_assert(eq(int,
                     run_engine_ended(world->engine, &(RunAttemptKey) { ID, node, row.generation, row.number },
                                      RUN_END_EXITED, status),
                     0));
        turn(world);
}

static int verb(World *world, RunVerb verb, uint32_t node) {
        const int r = run_engine_verb(world->engine, ID, verb, node);

        turn(world);
        return r;
}

static const char *show(World *world) {
        RunRow run;
        RunWhy why;
        size_t at;

        cr_assert(eq(int, run_engine_get(world->engine, ID, &run, &why), 0));
        at = (size_t) snprintf(world->shown, sizeof(world->shown), "%s:", run_state_to_string(run.state));
        for (uint32_t i = 0; i < run_graph_count(world->graph); i++) {
                const RunNodeRow row = row_of(world, i, NULL);

                at += (size_t) snprintf(world->shown + at, sizeof(world->shown) - at, " %s%s%s",
                                        run_node_state_to_string(row.state), row.reason == RUN_REASON_NONE ? "" : "/",
                                        run_reason_to_string(row.reason));
        }
        return world->shown;
}

#define expect(world, text) cr_assert(eq(str, (char *) show(world), (char *) (text)))
#define refused(world, verb_, node) cr_assert(eq(int, verb(world, verb_, node), -EINVAL))
#define taken(world, verb_, node) cr_assert(eq(int, verb(world, verb_, node), 0))

/* — gates — */

Test(run_wait, a_gate_waits_for_an_approval) {
        const Plan plan = { 3, { {}, { .policy.has_gate = true }, {} } };
        World world = {};
        RunWhy why;

        begin(&world, &plan);
        refused(&world, RUN_VERB_APPROVE, 1);
        ends(&world, 0, 0);
        expect(&world, "SUSPENDED: SUCCEEDED PENDING/gate BLOCKED");
        (void) row_of(&world, 1, &why);
        cr_assert(eq(int, why, RUN_WHY_GATE));
        /* Nothing goes around it. */
        refused(&world, RUN_VERB_AS_RETRY, 1);
        refused(&world, RUN_VERB_RETRY, 1);
        refused(&world, RUN_VERB_APPROVE, 2);
        taken(&world, RUN_VERB_APPROVE, 1);
        expect(&world, "RUNNING: SUCCEEDED RUNNING WAITING");
        refused(&world, RUN_VERB_APPROVE, 1);
        ends(&world, 1, 0);
        ends(&world, 2, 0);
        expect(&world, "SUCCEEDED: SUCCEEDED SUCCEEDED SUCCEEDED");
        refused(&world, RUN_VERB_REJECT, 1);
        leave(&world);
}

Test(run_wait, what_does_nothing_succeeds_with_its_approval) {
        const Plan plan = { 2, { { .policy.has_gate = true, .payload = CHECKPOINT }, {} } };
        World world = {};

        begin(&world, &plan);
        expect(&world, "SUSPENDED: PENDING/gate BLOCKED");
        taken(&world, RUN_VERB_APPROVE, 0);
        expect(&world, "RUNNING: SUCCEEDED RUNNING");
        leave(&world);
}

Test(run_wait, a_rejection_is_a_failure_by_the_policy_of_the_node) {
        Plan plan = { 2, { { .policy.has_gate = true }, {} } };
        World world = {};

        begin(&world, &plan);
        taken(&world, RUN_VERB_REJECT, 0);
        expect(&world, "FAILED: FAILED/rejected SKIPPED/ended");
        leave(&world);
        plan.nodes[0].policy.failure = RUN_POLICY_CONTINUE;
        plan.nodes[1].policy.readiness = RUN_READY_ALL_FINISHED;
        begin(&world, &plan);
        taken(&world, RUN_VERB_REJECT, 0);
        expect(&world, "RUNNING: FAILED/rejected RUNNING");
        ends(&world, 1, 0);
        expect(&world, "PARTIAL: FAILED/rejected SUCCEEDED");
        leave(&world);
}

Test(run_wait, an_approval_is_for_a_generation) {
        const Plan plan = { 1, { { .policy.has_gate = true, .policy.retry = 1, .policy.delay = 10 } } };
        World world = {};

        begin(&world, &plan);
        taken(&world, RUN_VERB_APPROVE, 0);
        ends(&world, 0, 1);
        run_engine_time(world.engine, 2000);
        turn(&world);
        expect(&world, "RUNNING: RUNNING");
        restart(&world, 2000, 2001, false);
        cr_assert(row_of(&world, 0, NULL).is_approved);
        ends(&world, 0, 1);
        expect(&world, "FAILED: FAILED");
        taken(&world, RUN_VERB_RETRY, 0);
        expect(&world, "SUSPENDED: PENDING/gate");
        leave(&world);
}

/* It can be opened while the run is paused, and by a person in the next boot. */
Test(run_wait, a_gate_outlives_core_and_a_pause) {
        const Plan plan = { 2, { { .policy.has_gate = true }, { .is_root = true } } };
        World world = {};

        begin(&world, &plan);
        expect(&world, "RUNNING: PENDING/gate RUNNING");
        taken(&world, RUN_VERB_PAUSE, 0);
        ends(&world, 1, 0);
        restart(&world, 1000, 5, true);
        expect(&world, "PAUSED: PENDING/gate SUCCEEDED");
        taken(&world, RUN_VERB_APPROVE, 0);
        expect(&world, "PAUSED: READY SUCCEEDED");
        taken(&world, RUN_VERB_RESUME, 0);
        expect(&world, "RUNNING: RUNNING SUCCEEDED");
        leave(&world);
}

Test(run_wait, a_gate_can_be_skipped_resolved_and_left) {
        const Plan plan = { 2, { { .policy.has_gate = true }, { .policy.readiness = RUN_READY_ALL_FINISHED } } };
        World world = {};

        begin(&world, &plan);
        taken(&world, RUN_VERB_SKIP, 0);
        expect(&world, "RUNNING: SKIPPED/operator RUNNING");
        leave(&world);
        begin(&world, &plan);
        taken(&world, RUN_VERB_AS_SUCCESS, 0);
        expect(&world, "RUNNING: SUCCEEDED/operator RUNNING");
        leave(&world);
        begin(&world, &plan);
        taken(&world, RUN_VERB_CANCEL, 0);
        expect(&world, "CANCELLED: SKIPPED/ended SKIPPED/ended");
        leave(&world);
}

/* — sleep — */

static void time_is(World *world, usec_t now, usec_t wall) {
        run_engine_wall(world->engine, now, wall);
        run_engine_time(world->engine, now);
        turn(world);
}

Test(run_wait, a_sleep_needs_no_process_and_no_place) {
        const Plan plan = { 4, { {}, { .is_root = true, .policy.sleep = 500, .payload = CHECKPOINT }, {},
                                 { .is_root = true, .policy.sleep = 100, .payload = CHECKPOINT } } };
        World world = {};
        RunWhy why;

        begin(&world, &plan);
        /* There is place for one attempt. */
        expect(&world, "RUNNING: RUNNING RUNNING/sleep WAITING RUNNING/sleep");
        cr_assert(eq(u32, world.n_spawned, 1));
        (void) row_of(&world, 1, &why);
        cr_assert(eq(int, why, RUN_WHY_TIME));
        cr_assert(eq(u64, run_engine_deadline(world.engine), 1100));
        time_is(&world, 1499, WALL + 1499);
        expect(&world, "RUNNING: RUNNING RUNNING/sleep WAITING SUCCEEDED");
        time_is(&world, 1500, WALL + 1500);
        expect(&world, "RUNNING: RUNNING SUCCEEDED READY SUCCEEDED");
        ends(&world, 0, 0);
        expect(&world, "RUNNING: SUCCEEDED SUCCEEDED RUNNING SUCCEEDED");
        leave(&world);
}

/* A pause waits for attempts; a sleep goes on meanwhile, and what follows it does not begin. */
Test(run_wait, a_sleep_goes_on_in_a_pause) {
        const Plan plan = { 2, { { .policy.sleep = 500, .payload = CHECKPOINT }, {} } };
        World world = {};

        begin(&world, &plan);
        taken(&world, RUN_VERB_PAUSE, 0);
        expect(&world, "PAUSED: RUNNING/sleep WAITING");
        time_is(&world, 1500, WALL + 1500);
        expect(&world, "PAUSED: SUCCEEDED READY");
        taken(&world, RUN_VERB_RESUME, 0);
        expect(&world, "RUNNING: SUCCEEDED RUNNING");
        leave(&world);
}

Test(run_wait, the_end_of_a_run_waits_for_no_sleep) {
        const Plan plan = { 2, { { .policy.sleep = 500, .payload = CHECKPOINT }, { .is_root = true } } };
        World world = {};

        begin(&world, &plan);
        taken(&world, RUN_VERB_STOP, 0);
        expect(&world, "STOPPING: CANCELLED/ended RUNNING");
        ends(&world, 1, 0);
        expect(&world, "CANCELLED: CANCELLED/ended SUCCEEDED");
        cr_assert(eq(u32, world.n_ended, 0));
        leave(&world);
}

Test(run_wait, a_sleep_lasts_across_boots_what_was_left_of_it) {
        const Plan plan = { 1, { { .policy.sleep = 500, .payload = CHECKPOINT } } };
        World world = {};

        begin(&world, &plan);
        /* Another core of this boot. */
        restart(&world, 1200, 1300, false);
        expect(&world, "RUNNING: RUNNING/sleep");
        cr_assert(eq(u64, run_engine_deadline(world.engine), 1500));
        /* In the next boot 300 are left, which it had at the last commit. */
        restart(&world, 1200, 50, true);
        expect(&world, "RUNNING: RUNNING/sleep");
        cr_assert(eq(u64, run_engine_deadline(world.engine), 350));
        time_is(&world, 350, WALL + 350);
        expect(&world, "SUCCEEDED: SUCCEEDED");
        leave(&world);
}

Test(run_wait, a_sleep_until_a_time_follows_the_wall_clock) {
        const Plan plan = { 2, { { .policy.sleeps_until = true, .payload = CHECKPOINT }, {} } };
        World world = { .wakes = 2 * WALL };
        const usec_t left = WALL - 1000;

        begin(&world, &plan);
        expect(&world, "RUNNING: RUNNING/sleep WAITING");
        cr_assert(eq(u64, run_engine_deadline(world.engine), 1000 + left));
        /* Clocks that are read one after the other are not set by that. */
        time_is(&world, 1001, WALL + 1002);
        cr_assert(eq(u64, run_engine_deadline(world.engine), 1000 + left));
        /* It is set back, and then past the time. */
        time_is(&world, 2000, 2000);
        cr_assert(eq(u64, run_engine_deadline(world.engine), 2 * WALL));
        time_is(&world, 3000, 2 * WALL + 1);
        expect(&world, "RUNNING: SUCCEEDED RUNNING");
        leave(&world);
        /* In the next boot the same time counts. */
        begin(&world, &plan);
        restart(&world, 1000, 7, true);
        time_is(&world, 8, 2 * WALL - 1);
        expect(&world, "RUNNING: RUNNING/sleep WAITING");
        time_is(&world, 20000, 2 * WALL + 20000);
        expect(&world, "RUNNING: SUCCEEDED RUNNING");
        leave(&world);
}

Test(run_wait, a_time_that_is_over_is_not_waited_for) {
        const Plan plan = { 2, { { .policy = { .sleeps_until = true, .has_gate = true }, .payload = CHECKPOINT }, {} } };
        World world = {};

        begin(&world, &plan);
        taken(&world, RUN_VERB_APPROVE, 0);
        time_is(&world, 1001, WALL + 1001);
        expect(&world, "RUNNING: SUCCEEDED RUNNING");
        leave(&world);
}

Test(run_wait, a_cancel_ends_a_sleep_at_once) {
        const Plan plan = { 3, { { .policy.sleep = 500, .payload = CHECKPOINT }, { .is_root = true },
                                 { .policy.readiness = RUN_READY_ANY } } };
        World world = {};

        begin(&world, &plan);
        taken(&world, RUN_VERB_CANCEL, 0);
        expect(&world, "STOPPING: CANCELLED/ended RUNNING SKIPPED/ended");
        cr_assert(eq(u32, world.n_ended, 1));
        leave(&world);
}

/* What is over with the time of its run is late, be it a process or not. */
Test(run_wait, a_deadline_ends_a_sleep_as_late) {
        const Plan plan = { 2, { { .policy.sleep = 5000, .payload = CHECKPOINT }, {} } };
        World world = { .run_timeout = 500 };

        begin(&world, &plan);
        time_is(&world, 1500, WALL + 1500);
        expect(&world, "TIMEOUT: TIMEOUT/deadline SKIPPED/ended");
        leave(&world);
}

/* The one place is taken. */
Test(run_wait, what_is_no_process_needs_no_place) {
        static const RunDemandLock lock = { "door", 1 };
        const RunDemand demand = { &lock, NULL, 1, 0 };
        const Plan plan = { 4, { {}, { .is_root = true, .payload = CHECKPOINT },
                                 { .is_root = true, .policy.sleep = 500, .payload = CHECKPOINT },
                                 { .is_root = true, .policy = { .sleep = 500, .demand = 1 },
                                   .payload = CHECKPOINT } } };
        World world = { .demand = &demand };

        begin(&world, &plan);
        expect(&world, "RUNNING: RUNNING SUCCEEDED RUNNING/sleep RUNNING/sleep");
        leave(&world);
}

/* — callbacks — */

static int complete(World *world, uint32_t node, uint32_t generation, RunCompletion completion) {
        const int r = run_engine_complete(world->engine, ID, node, generation, completion);

        turn(world);
        return r;
}

#define completed(world, ...) cr_assert(eq(int, complete(world, __VA_ARGS__), 0))
#define incomplete(world, ...) cr_assert(eq(int, complete(world, __VA_ARGS__), -EINVAL))

/* S004-7 */
Test(run_wait, a_node_with_a_callback_waits_for_that_and_takes_no_place) {
        const Plan plan = { 3, { { .policy.has_callback = true }, {}, { .is_root = true } } };
        World world = {};
        RunWhy why;

        begin(&world, &plan);
        run_engine_started(world.engine, &(RunAttemptKey) { ID, 0, 1, 1 }, 1000);
        expect(&world, "RUNNING: RUNNING WAITING READY");
        ends(&world, 0, 0);
        expect(&world, "RUNNING: RUNNING/callback WAITING RUNNING");
        (void) row_of(&world, 0, &why);
        cr_assert(eq(int, why, RUN_WHY_CALLBACK));
        ends(&world, 2, 0);
        expect(&world, "RUNNING: RUNNING/callback WAITING SUCCEEDED");
        completed(&world, 0, 1, RUN_COMPLETION_SUCCESS);
        expect(&world, "RUNNING: SUCCEEDED RUNNING SUCCEEDED");
        /* The same again changes nothing, something else is refused. */
        completed(&world, 0, 1, RUN_COMPLETION_SUCCESS);
        incomplete(&world, 0, 1, RUN_COMPLETION_FAILURE);
        incomplete(&world, 1, 1, RUN_COMPLETION_SUCCESS);
        ends(&world, 1, 0);
        expect(&world, "SUCCEEDED: SUCCEEDED SUCCEEDED SUCCEEDED");
        completed(&world, 0, 1, RUN_COMPLETION_SUCCESS);
        leave(&world);
}

Test(run_wait, a_callback_that_comes_early_counts_at_the_end_of_the_command) {
        const Plan plan = { 2, { { .policy = { .has_callback = true, .retry = 1, .delay = 10 } }, {} } };
        World world = {};

        begin(&world, &plan);
        completed(&world, 0, 1, RUN_COMPLETION_SUCCESS);
        expect(&world, "RUNNING: RUNNING WAITING");
        restart(&world, 1000, 1001, false);
        ends(&world, 0, 1);
        expect(&world, "RUNNING: DEFERRED/retry WAITING");
        run_engine_time(world.engine, 2000);
        turn(&world);
        ends(&world, 0, 0);
        expect(&world, "RUNNING: SUCCEEDED RUNNING");
        leave(&world);
        /* Without a process it counts at once. */
        begin(&world, &plan);
        ends(&world, 0, 1);
        expect(&world, "RUNNING: DEFERRED/retry WAITING");
        completed(&world, 0, 1, RUN_COMPLETION_SUCCESS);
        expect(&world, "RUNNING: SUCCEEDED RUNNING");
        leave(&world);
}

Test(run_wait, a_callback_outlives_core_boot_and_pause) {
        const Plan plan = { 2, { { .policy.has_callback = true }, {} } };
        World world = {};

        begin(&world, &plan);
        run_engine_started(world.engine, &(RunAttemptKey) { ID, 0, 1, 1 }, 1000);
        ends(&world, 0, 0);
        restart(&world, 1000, 1001, false);
        expect(&world, "RUNNING: RUNNING/callback WAITING");
        restart(&world, 1001, 5, true);
        expect(&world, "RUNNING: RUNNING/callback WAITING");
        taken(&world, RUN_VERB_PAUSE, 0);
        expect(&world, "PAUSED: RUNNING/callback WAITING");
        completed(&world, 0, 1, RUN_COMPLETION_SUCCESS);
        expect(&world, "PAUSED: SUCCEEDED READY");
        restart(&world, 5, 6, false);
        completed(&world, 0, 1, RUN_COMPLETION_SUCCESS);
        taken(&world, RUN_VERB_RESUME, 0);
        expect(&world, "RUNNING: SUCCEEDED RUNNING");
        leave(&world);
}

Test(run_wait, a_callback_can_say_failure_and_come_too_late) {
        Plan plan = { 2, { { .policy = { .has_callback = true, .timeout = 100, .retry = 1, .delay = 10, .max_delay = 10 } }, {} } };
        World world = {};

        begin(&world, &plan);
        run_engine_started(world.engine, &(RunAttemptKey) { ID, 0, 1, 1 }, 1000);
        ends(&world, 0, 0);
        completed(&world, 0, 1, RUN_COMPLETION_FAILURE);
        expect(&world, "FAILED: FAILED/callback SKIPPED/ended");
        /* A generation has its own. */
        taken(&world, RUN_VERB_RETRY, 0);
        expect(&world, "RUNNING: RUNNING WAITING");
        incomplete(&world, 0, 1, RUN_COMPLETION_FAILURE);
        completed(&world, 0, 2, RUN_COMPLETION_SUCCESS);
        ends(&world, 0, 0);
        expect(&world, "RUNNING: SUCCEEDED RUNNING");
        leave(&world);

        begin(&world, &plan);
        run_engine_started(world.engine, &(RunAttemptKey) { ID, 0, 1, 1 }, 1000);
        ends(&world, 0, 0);
        run_engine_time(world.engine, 1100);
        turn(&world);
        expect(&world, "RUNNING: DEFERRED/retry WAITING");
        run_engine_time(world.engine, 1110);
        turn(&world);
        run_engine_started(world.engine, &(RunAttemptKey) { ID, 0, 1, 2 }, 1110);
        ends(&world, 0, 0);
        run_engine_time(world.engine, 1210);
        turn(&world);
        expect(&world, "FAILED: TIMEOUT SKIPPED/ended");
        incomplete(&world, 0, 1, RUN_COMPLETION_SUCCESS);
        leave(&world);
}

/* With the command or without it: what is not completed in time is late. */
Test(run_wait, a_deadline_ends_a_wait_for_a_callback_as_late) {
        const Plan plan = { 2, { { .policy.has_callback = true }, {} } };
        World world = { .run_timeout = 500, .drains = true };

        begin(&world, &plan);
        ends(&world, 0, 0);
        time_is(&world, 1500, WALL + 1500);
        expect(&world, "TIMEOUT: TIMEOUT/deadline SKIPPED/ended");
        leave(&world);
        begin(&world, &plan);
        time_is(&world, 1500, WALL + 1500);
        expect(&world, "STOPPING: RUNNING SKIPPED/ended");
        ends(&world, 0, 0);
        expect(&world, "TIMEOUT: TIMEOUT/deadline SKIPPED/ended");
        leave(&world);
}

Test(run_wait, nothing_waits_for_a_callback_when_the_run_ends) {
        const Plan plan = { 2, { { .policy.has_callback = true }, {} } };
        World world = {};

        begin(&world, &plan);
        ends(&world, 0, 0);
        taken(&world, RUN_VERB_STOP, 0);
        expect(&world, "CANCELLED: CANCELLED/ended SKIPPED/ended");
        leave(&world);
        begin(&world, &plan);
        taken(&world, RUN_VERB_STOP, 0);
        ends(&world, 0, 0);
        expect(&world, "CANCELLED: CANCELLED/ended SKIPPED/ended");
        leave(&world);
}
