/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Launches: attempts of the one node of a batch
 *
 * S003-6, S003-10, S003-14 to S003-18, S003-23
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
        RunRow row; /* the last that was put … */
        RunNodeRow node; /* … of the run, and of its node */
} World;

static void put_run(void *userdata, const RunRow *row) {
        ((World *) userdata)->row = *row;
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
        if (row->node == 0)
                ((World *) userdata)->node = *row;
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

static const RunSettings settings = { .max_parallel = 1,
                                      .max_runs = 1,
                                      .max_queued = 1,
                                      .timeout = 100,
                                      .timeout_mode = RUN_TIMEOUT_DRAIN,
                                      .queue_timeout = USEC_INFINITY };

static RunGraph *new_graph(RunAction action) {
        RunNodeSpec spec = { .name = "items" };
        RunGraph *graph;

        spec.policy.action = action;
        spec.policy.recover = RUN_RECOVER_RETRY;
        spec.policy.timeout = spec.policy.total_timeout = spec.policy.window = USEC_INFINITY;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &spec, 1 }, &graph, NULL), 0));
        return graph;
}

static void begin_engine(World *world) {
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_flow_new(world->engine, &settings, &world->flow), 0));
        run_engine_time(world->engine, 1);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
}

static void turn(World *world) {
        (void) run_engine_turn(world->engine, 10);
        run_engine_stored(world->engine, world->batch, world->batch);
}

static void begin_with(World *world, RunAction action) {
        cleanup_(run_graph_unrefp) RunGraph *graph = new_graph(action);
        uint32_t id;

        *world = (World) {};
        begin_engine(world);
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = 1, .graph = graph }, &id), 0));
        turn(world);
}

/* A batch whose launch was asked for, and has started. */
static void begin(World *world) {
        begin_with(world, RUN_ACTION_RANGE);
        cr_assert(eq(u32, world->n_spawned, 1));
        cr_assert(eq(int, run_engine_started(world->engine, &world->last, 1), 0));
        turn(world);
}

static RunNodeRow row_of(const World *world, RunWhy *ret_why) {
        RunNodeRow row;

        cr_assert(eq(int, run_engine_get_node(world->engine, 1, 0, &row, ret_why), 0));
        return row;
}

static RunRow run_of(const World *world, RunWhy *ret_why) {
        RunRow row;

        cr_assert(eq(int, run_engine_get(world->engine, 1, &row, ret_why), 0));
        return row;
}

static RunState state_of(const World *world) {
        RunWhy why;

        return run_of(world, &why).state;
}

static void interrupt(World *world) {
        cr_assert(eq(int, run_engine_ended(world->engine, &world->last, RUN_END_INTERRUPTED, 0), 0));
        turn(world);
}

Test(run_launch, items_are_why_its_node_runs) {
        World world;
        RunWhy why;

        begin(&world);
        cr_assert(eq(int, row_of(&world, &why).reason, RUN_REASON_RANGE));
        cr_assert(eq(int, why, RUN_WHY_RANGE));
        run_engine_free(world.engine);
}

Test(run_launch, the_end_is_that_of_the_batch) {
        static const struct {
                RunEndKind kind;
                uint16_t end;
                RunNodeState node;
                RunReason reason;
                RunState run;
        } cases[] = {
                { RUN_END_EXITED, 0, RUN_NODE_SUCCEEDED, RUN_REASON_NONE, RUN_SUCCEEDED },
                { RUN_END_WITH_ERRORS, 0, RUN_NODE_SUCCEEDED, RUN_REASON_ITEM_ERRORS, RUN_PARTIAL },
                { RUN_END_EXITED, 1, RUN_NODE_FAILED, RUN_REASON_NONE, RUN_FAILED },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                RunNodeRow row;
                World world;
                RunWhy why;

                begin(&world);
                cr_assert(eq(int, run_engine_ended(world.engine, &world.last, cases[i].kind, cases[i].end), 0));
                row = row_of(&world, &why);
                cr_expect(eq(int, row.state, cases[i].node), "case %zu", i);
                cr_expect(eq(int, row.reason, cases[i].reason), "case %zu", i);
                cr_expect(eq(int, state_of(&world), cases[i].run), "case %zu", i);
                run_engine_free(world.engine);
        }
}

/* Another round issues the items that are errors; of a batch without errors there is nothing to try again. */
Test(run_launch, errors_are_tried_again_after_the_end) {
        static const struct {
                RunEndKind kind;
                int result;
        } cases[] = { { RUN_END_WITH_ERRORS, 0 }, { RUN_END_EXITED, -EINVAL } };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                World world;
                RunWhy why;

                begin(&world);
                cr_assert(eq(int, run_engine_ended(world.engine, &world.last, cases[i].kind, 0), 0));
                turn(&world);
                cr_expect(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_RETRY, 0), cases[i].result), "case %zu", i);
                turn(&world);
                if (cases[i].result == 0) {
                        cr_expect(eq(int, state_of(&world), RUN_RUNNING));
                        cr_expect(eq(u32, world.n_spawned, 2));
                        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_EXITED, 0), 0));
                        cr_expect(eq(int, row_of(&world, &why).reason, RUN_REASON_NONE));
                        cr_expect(eq(int, state_of(&world), RUN_SUCCEEDED));
                }
                run_engine_free(world.engine);
        }
}

/* A pause waits until no item is out; the next launch is another attempt, and no retry is used. */
Test(run_launch, a_resume_makes_the_next_one) {
        World world;
        RunWhy why;

        begin(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_PAUSE, 0), 0));
        turn(&world);
        cr_assert(eq(int, world.row.state, RUN_PAUSING));
        cr_assert(eq(u32, world.n_ended, 0));
        interrupt(&world);
        cr_assert(eq(int, world.row.state, RUN_PAUSED));
        cr_assert(eq(int, row_of(&world, &why).state, RUN_NODE_READY));
        cr_assert(eq(u32, row_of(&world, &why).failures, 0));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_RESUME, 0), 0));
        turn(&world);
        cr_assert(eq(int, state_of(&world), RUN_RUNNING));
        cr_assert(eq(u32, world.n_spawned, 2));
        cr_assert(eq(u32, world.last.number, 2));
        run_engine_free(world.engine);
}

/* A resume before that makes the next launch as soon as this one has ended. */
Test(run_launch, a_resume_during_a_pause_makes_the_next_one_too) {
        World world;

        begin(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_PAUSE, 0), 0));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_RESUME, 0), 0));
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 1));
        interrupt(&world);
        cr_assert(eq(u32, world.n_spawned, 2));
        cr_assert(eq(int, state_of(&world), RUN_RUNNING));
        run_engine_free(world.engine);
}

Test(run_launch, a_spent_budget_pauses_the_batch) {
        World world;
        RunWhy why;
        RunRow row;

        begin(&world);
        cr_assert(eq(int, run_engine_pause(world.engine, &world.last, RUN_REASON_ERROR_BUDGET), 1));
        cr_assert(eq(int, run_engine_pause(world.engine, &world.last, RUN_REASON_ERROR_BUDGET), 0));
        interrupt(&world);
        row = run_of(&world, &why);
        cr_assert(eq(int, row.state, RUN_PAUSED));
        cr_assert(eq(int, row.reason, RUN_REASON_ERROR_BUDGET));
        cr_assert(row.is_paused);
        cr_assert(eq(int, why, RUN_WHY_HUMAN));
        cr_assert(eq(int, run_engine_pause(world.engine, &world.last, RUN_REASON_ERROR_BUDGET), -ENOENT));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_RESUME, 0), 0));
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 2));
        run_engine_free(world.engine);
}

Test(run_launch, its_preparation_is_awaited) {
        World world;
        RunWhy why;

        begin(&world);
        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, true), 1));
        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, true), 0));
        turn(&world);
        cr_assert(eq(int, world.row.state, RUN_AWAITING));
        (void) run_of(&world, &why);
        cr_assert(eq(int, why, RUN_WHY_PROCEED));
        (void) row_of(&world, &why);
        cr_assert(eq(int, why, RUN_WHY_PROCEED));
        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, false), 1));
        turn(&world);
        cr_assert(eq(int, world.row.state, RUN_RUNNING));
        run_engine_free(world.engine);
}

Test(run_launch, a_preparation_that_fails_pauses_the_batch) {
        World world;
        RunWhy why;

        begin(&world);
        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, true), 1));
        cr_assert(eq(int, run_engine_pause(world.engine, &world.last, RUN_REASON_PREPARE), 1));
        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, true), 0));
        interrupt(&world);
        cr_assert(eq(int, run_of(&world, &why).state, RUN_PAUSED));
        cr_assert(eq(int, run_of(&world, &why).reason, RUN_REASON_PREPARE));
        run_engine_free(world.engine);
}

/* Whatever ends a launch that is awaited, the run goes on by that end. */
Test(run_launch, the_end_of_one_that_is_awaited_counts) {
        World world;

        begin(&world);
        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, true), 1));
        interrupt(&world);
        cr_assert(eq(int, state_of(&world), RUN_RUNNING));
        cr_assert(eq(u32, world.n_spawned, 2));
        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, true), 1));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_CANCEL, 0), 0));
        cr_assert(eq(u32, world.n_ended, 1));
        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_CANCELLED));
        run_engine_free(world.engine);
}

/* As from the run that it is a part of: what is out ends by itself. */
Test(run_launch, a_stop_drains_it) {
        World world;

        begin(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_STOP, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_STOPPING));
        cr_assert(eq(u32, world.n_ended, 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_INTERRUPTED, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_CANCELLED));
        run_engine_free(world.engine);
}

/* Nothing knows how to forget which items are over, and a pause of a batch is no time to leave them out. */
Test(run_launch, items_are_not_skipped_nor_executed_again) {
        World world;

        begin(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_PAUSE, 0), 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_INTERRUPTED, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_PAUSED));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_SKIP, 0), -EINVAL));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_CANCEL, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_CANCELLED));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_RERUN, 0), -EINVAL));
        run_engine_free(world.engine);
}

/* The unit is stopped, and started again. */
Test(run_launch, a_stop_of_the_unit_is_a_pause) {
        for (unsigned is_awaited = 0; is_awaited < 2; is_awaited++) {
                World world;
                RunWhy why;

                begin(&world);
                if (is_awaited)
                        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, true), 1));
                run_flow_unit(world.flow, RUN_UNIT_STOP, true);
                turn(&world);
                cr_assert(eq(int, world.row.state, RUN_PAUSING));
                interrupt(&world);
                cr_assert(eq(int, run_of(&world, &why).state, RUN_PAUSED));
                cr_assert(eq(int, run_of(&world, &why).reason, RUN_REASON_UNIT));
                run_flow_unit(world.flow, RUN_UNIT_INACTIVE, true);
                run_flow_unit(world.flow, RUN_UNIT_ACTIVE, true);
                turn(&world);
                cr_assert(eq(u32, world.n_spawned, 2));
                run_engine_free(world.engine);
        }
}

static uint32_t submit(World *world, uint32_t id, bool is_paused) {
        cleanup_(run_graph_unrefp) RunGraph *graph = new_graph(RUN_ACTION_RANGE);
        const RunSubmit wanted = { .id = id, .graph = graph, .is_paused = is_paused };

        cr_assert(eq(int, run_engine_submit(world->flow, &wanted, &id), 0));
        turn(world);
        return id;
}

/* Whatever has paused it; a start that another run has asked for is none of a person. */
Test(run_launch, a_start_of_the_unit_goes_on_with_what_is_paused) {
        for (unsigned other = 0; other < 2; other++) {
                World world;

                begin(&world);
                cr_assert(eq(int, run_engine_pause(world.engine, &world.last, RUN_REASON_ERROR_BUDGET), 1));
                interrupt(&world);
                run_flow_unit(world.flow, RUN_UNIT_STOP, true);
                run_flow_unit(world.flow, RUN_UNIT_INACTIVE, true);
                turn(&world);
                if (other)
                        (void) submit(&world, 2, false);
                cr_expect(eq(int, run_flow_wants_unit(world.flow), (int) other));
                run_flow_unit(world.flow, RUN_UNIT_ACTIVE, true);
                turn(&world);
                cr_expect(eq(int, state_of(&world), other ? RUN_PAUSED : RUN_RUNNING), "case %u", other);
                run_engine_free(world.engine);
        }
}

/* A run that is made alone asks for no place and no unit. */
Test(run_launch, one_that_is_made_alone_begins_when_it_is_resumed) {
        World world = {};
        RunWhy why;

        begin_engine(&world);
        run_flow_unit(world.flow, RUN_UNIT_STOP, false);
        run_flow_unit(world.flow, RUN_UNIT_INACTIVE, false);
        (void) submit(&world, 1, true);
        cr_assert(not(run_flow_wants_unit(world.flow)));
        run_flow_unit(world.flow, RUN_UNIT_FAILED, true);
        run_flow_unit(world.flow, RUN_UNIT_ACTIVE, false);
        turn(&world);
        cr_assert(eq(int, run_of(&world, &why).state, RUN_CREATED));
        cr_assert(eq(int, why, RUN_WHY_HUMAN));
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_PAUSE, 0), -EINVAL));
        (void) submit(&world, 2, false);
        cr_assert(eq(u32, world.last.run, 2));
        (void) submit(&world, 3, false);
        (void) submit(&world, 4, true); /* though MaxQueued= is 1 */
        cr_assert(eq(int, run_engine_verb(world.engine, 1, RUN_VERB_RESUME, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_QUEUED));
        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_EXITED, 0), 0));
        turn(&world);
        cr_assert(eq(u32, world.last.run, 1));
        run_engine_free(world.engine);
}

/* What is out at a deadline that drains ends by itself, and the launch with it. */
Test(run_launch, a_deadline_that_drains_ends_it_in_time) {
        World world;

        begin(&world);
        run_engine_time(world.engine, 101);
        turn(&world);
        cr_assert(eq(int, world.row.state, RUN_STOPPING));
        cr_assert(eq(u32, world.n_ended, 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_INTERRUPTED, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_TIMEOUT));
        run_engine_free(world.engine);
}

/* A core that takes over goes on with the launch: it is the same. */
Test(run_launch, it_outlives_a_restart) {
        cleanup_(run_graph_unrefp) RunGraph *graph = new_graph(RUN_ACTION_RANGE);
        World world;
        RunRow row;
        RunNodeRow node;

        begin(&world);
        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, true), 1));
        turn(&world);
        row = world.row;
        node = world.node;
        run_engine_free(world.engine);
        begin_engine(&world);
        cr_assert(eq(int, run_engine_restore(world.flow, graph, &row, &node, 1), 0));
        run_engine_restored(world.engine, world.batch, world.batch, 1, 2, false);
        cr_assert(eq(int, state_of(&world), RUN_AWAITING));
        cr_assert(eq(int, run_engine_known(world.engine, &world.last), 0));
        turn(&world);
        cr_assert(eq(u32, world.n_spawned, 1));
        cr_assert(eq(int, run_engine_awaits(world.engine, &world.last, false), 1));
        cr_assert(eq(int, run_engine_ended(world.engine, &world.last, RUN_END_EXITED, 0), 0));
        cr_assert(eq(int, state_of(&world), RUN_SUCCEEDED));
        run_engine_free(world.engine);
}
