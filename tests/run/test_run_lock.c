/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Locks, resources and priorities of runs and nodes: what the engine takes, and gives back whatever happens
 *
 * S004-16, S004-16a, S004-24, S004-25a
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#include "double/double_memory.h"
#include "run/run_engine.h"

#define NODES 4U
#define SPAWNS 64U

typedef struct World {
        uint32_t batch, n_spawned, n_ended;
        RunAttemptKey spawned[SPAWNS];
        RunRow run; /* the last one that was put */
        RunNodeRow nodes[NODES]; /* the same */
} World;

static void put_run(void *userdata, const RunRow *row) {
        ((World *) userdata)->run = *row;
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
        ((World *) userdata)->nodes[row->node] = *row;
}

static int persist(void *userdata, uint32_t *ret_batch) {
        *ret_batch = ++((World *) userdata)->batch;
        return 0;
}

static void spawn(void *userdata, const RunAttemptKey *attempt) {
        World *world = userdata;

        cr_assert(lt(u32, world->n_spawned, SPAWNS));
        world->spawned[world->n_spawned++] = *attempt;
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

static const RunDemandLock db[] = { { "db", 1 } };
static const RunDemandNeed two[] = { { "cpu", 2 } };
static const RunDemandNeed four[] = { { "cpu", 4 } };
static const RunDemandNeed three_and_more[] = { { "cpu", 3 } };

/* In the order of their numbers, from 1 on. */
enum { NOTHING, LOCK, TWO_CPUS, FOUR_CPUS, LOCK_AND_CPUS, THREE_CPUS };

static const RunDemand demands[] = {
        { .locks = db, .n_locks = 1 },
        { .needs = two, .n_needs = 1 },
        { .needs = four, .n_needs = 1 },
        { .locks = db, .n_locks = 1, .needs = two, .n_needs = 1 },
        { .needs = three_and_more, .n_needs = 1 },
};

typedef struct Fixture {
        World world;
        RunEngine *engine;
        RunFlow *flows[2];
        usec_t now;
} Fixture;

static const RunSettings usual = {
        .max_parallel = 2, .max_runs = 8, .max_queued = 4, .timeout = USEC_INFINITY, .queue_timeout = USEC_INFINITY
};

static void set_up(Fixture *fixture) {
        *fixture = (Fixture) { .now = USEC_PER_HOUR };
        cr_assert(eq(int, run_engine_new(&fixture->engine, &host, &fixture->world), 0));
        cr_assert(eq(int, run_engine_set_resource(fixture->engine, "cpu", 4), 0));
        run_engine_time(fixture->engine, fixture->now);
        for (unsigned i = 0; i < 2; i++) {
                cr_assert(eq(int, run_flow_new(fixture->engine, &usual, &fixture->flows[i]), 0));
                run_flow_unit(fixture->flows[i], RUN_UNIT_ACTIVE, false);
        }
}

/* The end of a turn, with what the store has at once. */
static void turn(Fixture *fixture) {
        while (run_engine_turn(fixture->engine, 2));
        run_engine_stored(fixture->engine, fixture->world.batch, fixture->world.batch);
}

static void pass(Fixture *fixture, usec_t time) {
        fixture->now += time;
        run_engine_time(fixture->engine, fixture->now);
        turn(fixture);
}

typedef struct Plan {
        uint32_t run; /* what a run takes */
        RunPolicy nodes[NODES]; /* all beside each other */
        uint32_t n;
} Plan;

static RunGraph *make_graph(const Plan *plan) {
        static const char *const names[NODES] = { "a", "b", "c", "d" };
        RunNodeSpec specs[NODES];
        RunGraph *graph;

        for (uint32_t i = 0; i < plan->n; i++) {
                specs[i] = (RunNodeSpec) { .name = names[i], .payload = i, .policy = plan->nodes[i] };
                specs[i].policy.timeout = specs[i].policy.total_timeout = specs[i].policy.window = USEC_INFINITY;
                specs[i].policy.max_delay = USEC_INFINITY;
        }
        cr_assert(eq(int,
                     run_graph_new(&(RunGraphSpec) { .nodes = specs,
                                                     .n_nodes = plan->n,
                                                     .demands = demands,
                                                     .n_demands = ELEMENTSOF(demands),
                                                     .demand = plan->run },
                                   &graph, NULL),
                     0));
        return graph;
}

static int submit(Fixture *fixture, unsigned flow, uint32_t id, const Plan *plan) {
        RunGraph *graph = make_graph(plan);
        uint32_t taken;
        int r = run_engine_submit(fixture->flows[flow], &(RunSubmit) { .id = id, .graph = graph }, &taken);

        run_graph_unref(graph);
        turn(fixture);
        return r;
}

static const Plan run_with_lock = { .run = LOCK, .n = 1 };

static RunState state_of(const Fixture *fixture, uint32_t id) {
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get(fixture->engine, id, &row, &why), 0));
        return row.state;
}

static RunWhy why_of(const Fixture *fixture, uint32_t id, uint32_t node) {
        RunNodeRow node_row;
        RunRow row;
        RunWhy why;

        if (node == RUN_NODE_NONE)
                cr_assert(eq(int, run_engine_get(fixture->engine, id, &row, &why), 0));
        else
                cr_assert(eq(int, run_engine_get_node(fixture->engine, id, node, &node_row, &why), 0));
        return why;
}

static RunNodeRow node_of(const Fixture *fixture, uint32_t id, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(fixture->engine, id, node, &row, &why), 0));
        return row;
}

static RunAttemptKey attempt_of(const Fixture *fixture, uint32_t id, uint32_t node) {
        const RunNodeRow row = node_of(fixture, id, node);

        return (RunAttemptKey) { id, node, row.generation, row.number };
}

static void end_attempt(Fixture *fixture, uint32_t id, uint32_t node, RunEndKind kind, uint16_t status) {
        const RunAttemptKey key = attempt_of(fixture, id, node);

        cr_assert(eq(int, run_engine_ended(fixture->engine, &key, kind, status), 0));
        turn(fixture);
}

static RunNodeState node_state(const Fixture *fixture, uint32_t id, uint32_t node) {
        return node_of(fixture, id, node).state;
}

/* Whether the lock of runs and of nodes, and all CPUs, are free: a run that wants them begins. */
static void check_all_free(Fixture *fixture) {
        const Plan all = { .run = LOCK, .n = 2, .nodes = { { .demand = LOCK }, { .demand = FOUR_CPUS } } };

        cr_assert(eq(int, submit(fixture, 1, 99, &all), 0));
        cr_assert(eq(int, state_of(fixture, 99), RUN_RUNNING));
        cr_assert(eq(int, node_state(fixture, 99, 0), RUN_NODE_RUNNING));
        cr_assert(eq(int, node_state(fixture, 99, 1), RUN_NODE_RUNNING));
        run_engine_free(fixture->engine);
}

/* — runs — */

Test(run_lock, a_run_waits_for_its_lock_and_names_the_run_that_holds_it) {
        RunClaimWhy why;
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &run_with_lock), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &run_with_lock), 0));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_RUNNING));
        cr_assert(eq(int, state_of(&fixture, 2), RUN_QUEUED));
        cr_assert(eq(int, why_of(&fixture, 2, RUN_NODE_NONE), RUN_WHY_LOCK));
        cr_assert(eq(int, run_engine_get_lock(fixture.engine, 2, RUN_NODE_NONE, &why), 1));
        cr_assert(eq(int, strcmp(why.name, "db"), 0));
        cr_assert(eq(u32, why.holder.run, 1));
        cr_assert(eq(int, run_engine_get_lock(fixture.engine, 1, RUN_NODE_NONE, &why), 0));
        cr_assert(eq(int, run_engine_get_lock(fixture.engine, 3, RUN_NODE_NONE, &why), -ENOENT));
        cr_assert(eq(int, run_engine_get_lock(fixture.engine, 1, 1, &why), -ENOENT));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUCCEEDED));
        cr_assert(eq(int, state_of(&fixture, 2), RUN_RUNNING));
        end_attempt(&fixture, 2, 0, RUN_END_EXITED, 1);
        check_all_free(&fixture);
}

Test(run_lock, a_run_that_waits_for_a_lock_has_no_place_of_max_runs) {
        const Plan plain = { .n = 1 };
        RunSettings one = usual;
        Fixture fixture;

        set_up(&fixture);
        one.max_runs = 1;
        run_flow_set(fixture.flows[1], &one);
        cr_assert(eq(int, submit(&fixture, 0, 1, &run_with_lock), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &run_with_lock), 0));
        cr_assert(eq(int, submit(&fixture, 1, 3, &plain), 0));
        cr_assert(eq(int, state_of(&fixture, 3), RUN_RUNNING));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, state_of(&fixture, 2), RUN_QUEUED));
        cr_assert(eq(int, why_of(&fixture, 2, RUN_NODE_NONE), RUN_WHY_PLACE));
        /* Nor does it keep the lock back from others while there is no place for it. */
        cr_assert(eq(int, submit(&fixture, 0, 4, &run_with_lock), 0));
        cr_assert(eq(int, state_of(&fixture, 4), RUN_RUNNING));
        end_attempt(&fixture, 3, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, state_of(&fixture, 2), RUN_QUEUED));
        end_attempt(&fixture, 4, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, state_of(&fixture, 2), RUN_RUNNING));
        run_engine_free(fixture.engine);
}

Test(run_lock, max_queued_holds_for_runs_that_wait_for_locks) {
        RunSettings settings = usual;
        Fixture fixture;

        set_up(&fixture);
        settings.max_queued = 1;
        run_flow_set(fixture.flows[0], &settings);
        cr_assert(eq(int, submit(&fixture, 0, 1, &run_with_lock), 0));
        cr_assert(eq(int, submit(&fixture, 0, 2, &run_with_lock), 0));
        cr_assert(eq(int, submit(&fixture, 0, 3, &run_with_lock), -ENOBUFS));
        run_engine_free(fixture.engine);
}

Test(run_lock, runs_are_served_by_priority_and_then_in_the_order_of_submission) {
        RunSettings high = usual;
        Fixture fixture;

        set_up(&fixture);
        high.priority = 10;
        run_flow_set(fixture.flows[1], &high);
        for (uint32_t i = 1; i <= 3; i++)
                cr_assert(eq(int, submit(&fixture, 0, i, &run_with_lock), 0));
        cr_assert(eq(int, submit(&fixture, 1, 4, &run_with_lock), 0));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, state_of(&fixture, 4), RUN_RUNNING));
        end_attempt(&fixture, 4, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, state_of(&fixture, 2), RUN_RUNNING));
        cr_assert(eq(int, submit(&fixture, 0, 6, &run_with_lock), 0));
        pass(&fixture, USEC_PER_MINUTE);
        /* Sixteen more for the minute are more than ten. */
        cr_assert(eq(int, submit(&fixture, 1, 5, &run_with_lock), 0));
        end_attempt(&fixture, 2, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, state_of(&fixture, 3), RUN_RUNNING));
        end_attempt(&fixture, 3, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, state_of(&fixture, 6), RUN_RUNNING));
        run_engine_free(fixture.engine);
}

/* How a run that holds the lock may come to its end; each leaves it with run 1 terminal. */
static void cancel_waiting(Fixture *fixture) {
        cr_assert(eq(int, run_engine_verb(fixture->engine, 1, RUN_VERB_CANCEL, 0), 0));
        turn(fixture);
        /* An outcome is not an end: the tree is still there. */
        cr_assert(eq(int, state_of(fixture, 2), RUN_QUEUED));
        end_attempt(fixture, 1, 0, RUN_END_EXITED, 0);
}

static void fail_run(Fixture *fixture) {
        end_attempt(fixture, 1, 0, RUN_END_EXITED, 1);
}

static void lose_run(Fixture *fixture) {
        end_attempt(fixture, 1, 0, RUN_END_LOST, 0);
}

static void stop_run(Fixture *fixture) {
        cr_assert(eq(int, run_engine_verb(fixture->engine, 1, RUN_VERB_STOP, 0), 0));
        end_attempt(fixture, 1, 0, RUN_END_EXITED, 0);
}

static void run_late(Fixture *fixture) {
        pass(fixture, USEC_PER_HOUR);
        cr_assert(eq(int, state_of(fixture, 2), RUN_QUEUED));
        end_attempt(fixture, 1, 0, RUN_END_EXITED, 0);
}

Test(run_lock, the_lock_of_a_run_is_free_once_it_is_terminal_whatever_has_ended_it) {
        static void (*const ends[])(Fixture *fixture) = { cancel_waiting, fail_run, lose_run, stop_run, run_late };
        const Plan holder = { .run = LOCK_AND_CPUS, .n = 1, .nodes = { { .recover = RUN_RECOVER_FAIL } } };

        for (size_t i = 0; i < ELEMENTSOF(ends); i++) {
                RunSettings settings = usual;
                Fixture fixture;

                set_up(&fixture);
                settings.timeout = USEC_PER_MINUTE;
                run_flow_set(fixture.flows[0], &settings);
                cr_assert(eq(int, submit(&fixture, 0, 1, &holder), 0));
                cr_assert(eq(int, submit(&fixture, 1, 2, &run_with_lock), 0));
                ends[i](&fixture);
                cr_assert(eq(int, state_of(&fixture, 2), RUN_RUNNING), "way %zu", i);
                end_attempt(&fixture, 2, 0, RUN_END_EXITED, 0);
                check_all_free(&fixture);
        }
}

Test(run_lock, a_run_that_goes_from_the_queue_lets_the_next_one_pass) {
        const Plan big = { .run = FOUR_CPUS, .n = 1 }, small = { .run = TWO_CPUS, .n = 1 };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &small), 0));
        cr_assert(eq(int, submit(&fixture, 0, 2, &big), 0));
        cr_assert(eq(int, submit(&fixture, 1, 3, &small), 0));
        cr_assert(eq(int, state_of(&fixture, 3), RUN_QUEUED));
        cr_assert(eq(int, why_of(&fixture, 3, RUN_NODE_NONE), RUN_WHY_RESOURCE));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 2, RUN_VERB_CANCEL, 0), 0));
        turn(&fixture);
        cr_assert(eq(int, state_of(&fixture, 3), RUN_RUNNING));
        run_engine_free(fixture.engine);
}

Test(run_lock, a_run_is_held_with_its_unit_and_waits_again_with_it) {
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &run_with_lock), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &run_with_lock), 0));
        run_flow_unit(fixture.flows[1], RUN_UNIT_STOP, false);
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, state_of(&fixture, 2), RUN_QUEUED));
        cr_assert(eq(int, why_of(&fixture, 2, RUN_NODE_NONE), RUN_WHY_UNIT));
        run_flow_unit(fixture.flows[1], RUN_UNIT_ACTIVE, false);
        turn(&fixture);
        cr_assert(eq(int, state_of(&fixture, 2), RUN_RUNNING));
        run_engine_free(fixture.engine);
}

/* — nodes — */

Test(run_lock, nodes_share_resources_over_all_runs) {
        const Plan plan = { .n = 2, .nodes = { { .demand = TWO_CPUS }, { .demand = TWO_CPUS } } };
        RunClaimWhy why;
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &plan), 0));
        cr_assert(eq(u32, fixture.world.n_spawned, 2));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_READY));
        cr_assert(eq(int, why_of(&fixture, 2, 0), RUN_WHY_RESOURCE));
        cr_assert(eq(int, run_engine_get_lock(fixture.engine, 2, 1, &why), 1));
        cr_assert(eq(u64, why.unused, 0));
        cr_assert(eq(u64, why.total, 4));
        cr_assert(eq(u32, why.n_before, 1));
        end_attempt(&fixture, 1, 1, RUN_END_EXITED, 0);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        cr_assert(eq(int, node_state(&fixture, 2, 1), RUN_NODE_READY));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        end_attempt(&fixture, 2, 0, RUN_END_EXITED, 0);
        end_attempt(&fixture, 2, 1, RUN_END_EXITED, 0);
        check_all_free(&fixture);
}

Test(run_lock, a_node_keeps_its_lock_between_tries_and_gives_its_resources_back) {
        const Plan plan = { .n = 1, .nodes = { { .demand = LOCK_AND_CPUS, .retry = 1, .delay = USEC_PER_SEC } } };
        const Plan lock = { .n = 1, .nodes = { { .demand = LOCK } } }, cpus = { .n = 1, .nodes = { { .demand = 3 } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 1);
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_DEFERRED));
        cr_assert(eq(int, submit(&fixture, 1, 2, &lock), 0));
        cr_assert(eq(int, submit(&fixture, 1, 3, &cpus), 0));
        cr_assert(eq(int, why_of(&fixture, 2, 0), RUN_WHY_LOCK));
        cr_assert(eq(int, node_state(&fixture, 3, 0), RUN_NODE_RUNNING));
        pass(&fixture, USEC_PER_SEC);
        cr_assert(eq(int, why_of(&fixture, 1, 0), RUN_WHY_RESOURCE));
        end_attempt(&fixture, 3, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_RUNNING));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_READY));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 1);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        end_attempt(&fixture, 2, 0, RUN_END_EXITED, 0);
        check_all_free(&fixture);
}

Test(run_lock, a_node_may_give_its_lock_up_between_tries) {
        const Plan plan = {
                .n = 1, .nodes = { { .demand = LOCK, .failure = RUN_POLICY_SUSPEND, .gives_up_locks = true } }
        };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &plan), 0));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 1);
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_PENDING));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_AS_RETRY, 0), 0));
        turn(&fixture);
        cr_assert(eq(int, why_of(&fixture, 1, 0), RUN_WHY_LOCK));
        run_engine_free(fixture.engine);
}

Test(run_lock, an_interrupted_node_keeps_its_lock_and_gives_its_resources_back) {
        const Plan plan = { .n = 1, .nodes = { { .demand = LOCK_AND_CPUS, .recover = RUN_RECOVER_RETRY } } };
        const Plan cpus = { .n = 1, .nodes = { { .demand = FOUR_CPUS } } }, lock = { .n = 1, .nodes = { { .demand = 1 } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        run_flow_unit(fixture.flows[0], RUN_UNIT_STOP, true);
        end_attempt(&fixture, 1, 0, RUN_END_INTERRUPTED, 0);
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_READY));
        cr_assert(eq(int, submit(&fixture, 1, 2, &cpus), 0));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        cr_assert(eq(int, submit(&fixture, 1, 3, &lock), 0));
        cr_assert(eq(int, why_of(&fixture, 3, 0), RUN_WHY_LOCK));
        run_engine_free(fixture.engine);
}

Test(run_lock, a_pending_node_keeps_its_lock_until_a_person_resolves_it) {
        const Plan plan = { .n = 1, .nodes = { { .demand = LOCK, .failure = RUN_POLICY_SUSPEND } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &plan), 0));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 1);
        cr_assert(eq(int, why_of(&fixture, 2, 0), RUN_WHY_LOCK));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_AS_SKIP, 0), 0));
        turn(&fixture);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        end_attempt(&fixture, 2, 0, RUN_END_EXITED, 0);
        check_all_free(&fixture);
}

static int unlock(Fixture *fixture, uint32_t id, uint32_t node) {
        int r = run_engine_verb(fixture->engine, id, RUN_VERB_UNLOCK, node);

        turn(fixture);
        return r;
}

Test(run_lock, a_person_has_a_pending_node_give_up_its_lock) {
        const Plan plan = { .n = 2, .nodes = { { .demand = LOCK, .failure = RUN_POLICY_SUSPEND }, {} } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &plan), 0));
        cr_assert(eq(str, (char *) run_engine_held_lock(fixture.engine, 1, 0, 0), (char *) "db"));
        cr_assert(eq(ptr, (void *) run_engine_held_lock(fixture.engine, 1, 0, 1), NULL));
        cr_assert(eq(ptr, (void *) run_engine_held_lock(fixture.engine, 2, 0, 0), NULL));
        cr_assert(eq(ptr, (void *) run_engine_held_lock(fixture.engine, 1, RUN_NODE_NONE, 0), NULL));
        /* A node that runs keeps it (C1), one that waits for it has none, and neither has one that wants none. */
        cr_assert(eq(int, unlock(&fixture, 1, 0), -EINVAL));
        cr_assert(eq(int, unlock(&fixture, 2, 0), -EINVAL));
        cr_assert(eq(int, unlock(&fixture, 1, 1), -EINVAL));
        cr_assert(eq(int, unlock(&fixture, 1, 2), -ENOENT));
        cr_assert(eq(int, unlock(&fixture, 3, 0), -ENOENT));
        end_attempt(&fixture, 1, 1, RUN_END_EXITED, 0);
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 1);
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUSPENDED));
        cr_assert(eq(int, why_of(&fixture, 2, 0), RUN_WHY_LOCK));
        cr_assert(eq(int, unlock(&fixture, 1, 0), 0));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_PENDING));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUSPENDED));
        cr_assert(node_of(&fixture, 1, 0).has_given_up);
        cr_assert(eq(int, unlock(&fixture, 1, 0), -EINVAL));
        /* It waits for its next attempt like any other, and keeps its lock from then on. */
        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_AS_RETRY, 0), 0));
        turn(&fixture);
        cr_assert(eq(int, why_of(&fixture, 1, 0), RUN_WHY_LOCK));
        cr_assert(eq(int, unlock(&fixture, 1, 0), -EINVAL));
        end_attempt(&fixture, 2, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_RUNNING));
        cr_assert(not(node_of(&fixture, 1, 0).has_given_up));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 1);
        cr_assert(eq(str, (char *) run_engine_held_lock(fixture.engine, 1, 0, 0), (char *) "db"));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_AS_SKIP, 0), 0));
        turn(&fixture);
        check_all_free(&fixture);
}

Test(run_lock, a_node_gives_up_its_lock_before_its_next_try_or_in_a_run_that_is_held) {
        const Plan deferred = { .n = 1, .nodes = { { .demand = LOCK, .retry = 1, .delay = USEC_PER_SEC } } };
        const Plan held = { .n = 1, .nodes = { { .demand = LOCK, .recover = RUN_RECOVER_RETRY } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 1, 1, &deferred), 0));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 1);
        cr_assert(eq(int, submit(&fixture, 0, 2, &held), 0));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_READY));
        cr_assert(eq(int, unlock(&fixture, 1, 0), 0));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        pass(&fixture, USEC_PER_SEC);
        cr_assert(eq(int, why_of(&fixture, 1, 0), RUN_WHY_LOCK));
        run_flow_unit(fixture.flows[0], RUN_UNIT_STOP, true);
        end_attempt(&fixture, 2, 0, RUN_END_INTERRUPTED, 0);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_READY));
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_READY));
        cr_assert(eq(int, unlock(&fixture, 2, 0), 0));
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_RUNNING));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        run_flow_unit(fixture.flows[0], RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_verb(fixture.engine, 2, RUN_VERB_RESUME, 0), 0));
        turn(&fixture);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        end_attempt(&fixture, 2, 0, RUN_END_EXITED, 0);
        check_all_free(&fixture);
}

Test(run_lock, the_lock_of_a_run_is_not_given_up) {
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &run_with_lock), 0));
        cr_assert(eq(str, (char *) run_engine_held_lock(fixture.engine, 1, RUN_NODE_NONE, 0), (char *) "db"));
        cr_assert(eq(int, unlock(&fixture, 1, 0), -EINVAL));
        cr_assert(eq(int, unlock(&fixture, 1, RUN_NODE_NONE), -ENOENT));
        run_engine_free(fixture.engine);
}

Test(run_lock, a_node_keeps_what_it_has_until_its_tree_is_gone) {
        const Plan plan = { .n = 1, .nodes = { { .demand = LOCK_AND_CPUS } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &plan), 0));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_CANCEL, 0), 0));
        turn(&fixture);
        cr_assert(eq(u32, fixture.world.n_ended, 1));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_READY));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        end_attempt(&fixture, 2, 0, RUN_END_EXITED, 0);
        check_all_free(&fixture);
}

Test(run_lock, a_run_without_a_place_keeps_nothing_back) {
        const Plan plan = { .n = 3, .nodes = { {}, {}, { .demand = LOCK } } };
        const Plan other = { .n = 1, .nodes = { { .demand = LOCK } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        cr_assert(eq(int, why_of(&fixture, 1, 2), RUN_WHY_PLACE));
        cr_assert(eq(int, submit(&fixture, 1, 2, &other), 0));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, why_of(&fixture, 1, 2), RUN_WHY_LOCK));
        end_attempt(&fixture, 2, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, node_state(&fixture, 1, 2), RUN_NODE_RUNNING));
        run_engine_free(fixture.engine);
}

Test(run_lock, a_paused_run_waits_for_no_lock) {
        const Plan plan = { .n = 1, .nodes = { { .demand = LOCK } } };
        Fixture fixture;

        set_up(&fixture);
        for (uint32_t i = 1; i <= 3; i++)
                cr_assert(eq(int, submit(&fixture, i % 2, i, &plan), 0));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 2, RUN_VERB_PAUSE, 0), 0));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_READY));
        cr_assert(eq(int, node_state(&fixture, 3, 0), RUN_NODE_RUNNING));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 2, RUN_VERB_RESUME, 0), 0));
        end_attempt(&fixture, 3, 0, RUN_END_EXITED, 0);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        run_engine_free(fixture.engine);
}

Test(run_lock, a_node_that_waits_for_what_its_own_run_holds_is_pending) {
        const Plan plan = { .run = TWO_CPUS, .n = 1, .nodes = { { .demand = THREE_CPUS } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_PENDING));
        cr_assert(eq(int, node_of(&fixture, 1, 0).reason, RUN_REASON_DEADLOCK));
        cr_assert(eq(int, state_of(&fixture, 1), RUN_SUSPENDED));
        cr_assert(eq(int, run_engine_verb(fixture.engine, 1, RUN_VERB_AS_SKIP, 0), 0));
        turn(&fixture);
        check_all_free(&fixture);
}

Test(run_lock, what_can_never_be_had_is_refused_with_the_node) {
        static const RunDemandNeed much[] = { { "cpu", 5 } };
        static const RunDemand demand = { .needs = much, .n_needs = 1 };
        const RunNodeSpec node = { .name = "big", .policy = { .demand = 1 } };
        cleanup_free_ char *problem = NULL;
        uint32_t taken;
        RunGraph *graph;
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { &node, 1, &demand, 1, 0 }, &graph, NULL), 0));
        cr_assert(eq(int, run_engine_check(fixture.engine, graph, &problem), -ERANGE));
        cr_assert(eq(str, problem, (char *) "Node \"big\": 5 of the resource 'cpu' are wanted, and there are 4 in all."));
        cr_assert(eq(int, run_engine_submit(fixture.flows[0], &(RunSubmit) { .id = 1, .graph = graph }, &taken),
                     -ERANGE));
        cr_assert(eq(int, run_engine_set_resource(fixture.engine, "cpu", 5), 0));
        cr_assert(eq(int, run_engine_check(fixture.engine, graph, &problem), 0));
        cr_assert(eq(int, run_engine_submit(fixture.flows[0], &(RunSubmit) { .id = 1, .graph = graph }, &taken), 0));
        run_graph_unref(graph);
        run_engine_free(fixture.engine);
}

/* — time — */

Test(run_lock, a_node_that_is_ready_for_too_long_times_out) {
        const Plan plan = { .n = 1, .nodes = { { .demand = LOCK, .queue_timeout = USEC_PER_MINUTE } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        pass(&fixture, USEC_PER_SEC);
        cr_assert(eq(int, submit(&fixture, 1, 2, &plan), 0));
        cr_assert(eq(u64, run_engine_deadline(fixture.engine), fixture.now + USEC_PER_MINUTE));
        pass(&fixture, USEC_PER_MINUTE - 1);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_READY));
        pass(&fixture, 1);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_TIMEOUT));
        cr_assert(eq(int, node_of(&fixture, 2, 0).reason, RUN_REASON_QUEUE));
        cr_assert(eq(int, state_of(&fixture, 2), RUN_FAILED));
        cr_assert(eq(int, node_state(&fixture, 1, 0), RUN_NODE_RUNNING));
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        check_all_free(&fixture);
}

Test(run_lock, a_queue_timeout_is_a_failure_by_the_policy_of_the_node) {
        const Plan plan = { .n = 1,
                            .nodes = { { .demand = LOCK,
                                         .queue_timeout = USEC_PER_MINUTE,
                                         .failure = RUN_POLICY_SUSPEND } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &plan), 0));
        pass(&fixture, USEC_PER_MINUTE);
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_PENDING));
        run_engine_free(fixture.engine);
}

Test(run_lock, nodes_begin_by_priority_and_then_by_the_way_to_an_end) {
        const Plan plan = { .n = 4, .nodes = { { .priority = 1 }, { .priority = 2 }, { .priority = 1 }, { .priority = 3 } } };
        static const uint32_t expected[] = { 3, 1, 0, 2 };
        RunSettings one = usual;
        Fixture fixture;

        set_up(&fixture);
        one.max_parallel = 1;
        run_flow_set(fixture.flows[0], &one);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        for (uint32_t i = 0; i < 4; i++) {
                cr_assert(eq(u32, fixture.world.n_spawned, i + 1));
                cr_assert(eq(u32, fixture.world.spawned[i].node, expected[i]));
                end_attempt(&fixture, 1, expected[i], RUN_END_EXITED, 0);
        }
        run_engine_free(fixture.engine);
}

/* One attempt a turn: which run has it? */
Test(run_lock, runs_take_turns_by_the_priority_of_their_nodes) {
        const Plan low = { .n = 1, .nodes = { { .priority = 1 } } }, high = { .n = 1, .nodes = { { .priority = 2 } } };
        RunGraph *graphs[] = { make_graph(&low), make_graph(&high), make_graph(&low), make_graph(&high) };
        static const uint32_t expected[] = { 2, 4, 1, 3 };
        Fixture fixture;
        uint32_t taken;

        set_up(&fixture);
        for (uint32_t i = 0; i < 4; i++) {
                cr_assert(eq(int,
                             run_engine_submit(fixture.flows[i / 2], &(RunSubmit) { .id = i + 1, .graph = graphs[i] },
                                               &taken),
                             0));
                run_graph_unref(graphs[i]);
        }
        for (uint32_t i = 0; i < 4; i++) {
                cr_assert(eq(int, run_engine_turn(fixture.engine, 1), i < 3));
                cr_assert(eq(int, node_state(&fixture, expected[i], 0), RUN_NODE_RUNNING));
        }
        run_engine_free(fixture.engine);
}

/* — restart, memory — */

/* The rows of run 1, given to an engine that knows nothing. */
static void restart(Fixture *old, const Plan *plan, Fixture *ret_fixture) {
        RunGraph *graph = make_graph(plan);

        set_up(ret_fixture);
        cr_assert(eq(int, run_engine_restore(ret_fixture->flows[0], graph, &old->world.run, old->world.nodes, plan->n), 0));
        run_engine_restored(ret_fixture->engine, old->world.batch, old->world.batch, old->now, old->now, false);
        ret_fixture->world.batch = old->world.batch;
        run_graph_unref(graph);
        turn(ret_fixture);
        run_engine_free(old->engine);
}

Test(run_lock, what_was_held_is_held_after_a_restart) {
        const Plan plan = { .run = LOCK,
                            .n = 3,
                            .nodes = { { .demand = LOCK, .retry = 1, .delay = USEC_PER_HOUR },
                                       { .demand = TWO_CPUS },
                                       { .demand = FOUR_CPUS } } };
        const Plan lock = { .n = 1, .nodes = { { .demand = LOCK } } }, cpus = { .n = 1, .nodes = { { .demand = 3 } } };
        Fixture before, after;

        set_up(&before);
        cr_assert(eq(int, submit(&before, 0, 1, &plan), 0));
        end_attempt(&before, 1, 0, RUN_END_EXITED, 1);
        restart(&before, &plan, &after);
        cr_assert(eq(int, node_state(&after, 1, 0), RUN_NODE_DEFERRED));
        cr_assert(eq(int, node_state(&after, 1, 1), RUN_NODE_RUNNING));
        cr_assert(eq(int, why_of(&after, 1, 2), RUN_WHY_RESOURCE));
        cr_assert(eq(int, submit(&after, 1, 2, &run_with_lock), 0));
        cr_assert(eq(int, why_of(&after, 2, RUN_NODE_NONE), RUN_WHY_LOCK));
        cr_assert(eq(int, submit(&after, 1, 3, &lock), 0));
        cr_assert(eq(int, why_of(&after, 3, 0), RUN_WHY_LOCK));
        pass(&after, 1);
        cr_assert(eq(int, submit(&after, 1, 4, &cpus), 0));
        end_attempt(&after, 1, 1, RUN_END_EXITED, 0);
        /* The node of the first run has waited longer. */
        cr_assert(eq(int, node_state(&after, 1, 2), RUN_NODE_RUNNING));
        cr_assert(eq(int, node_state(&after, 4, 0), RUN_NODE_READY));
        run_engine_free(after.engine);
}

Test(run_lock, what_was_given_up_is_free_after_a_restart) {
        const Plan plan = { .n = 2,
                            .nodes = { { .demand = LOCK, .retry = 2, .delay = USEC_PER_HOUR },
                                       { .demand = LOCK, .retry = 2, .delay = USEC_PER_HOUR } } };
        const Plan lock = { .n = 1, .nodes = { { .demand = LOCK } } };
        Fixture before, after, last;

        set_up(&before);
        cr_assert(eq(int, submit(&before, 0, 1, &plan), 0));
        end_attempt(&before, 1, 0, RUN_END_EXITED, 1);
        cr_assert(eq(int, unlock(&before, 1, 0), 0));
        end_attempt(&before, 1, 1, RUN_END_EXITED, 1);
        cr_assert(eq(int, unlock(&before, 1, 1), 0));
        restart(&before, &plan, &after);
        cr_assert(eq(ptr, (void *) run_engine_held_lock(after.engine, 1, 0, 0), NULL));
        cr_assert(eq(int, submit(&after, 1, 2, &lock), 0));
        cr_assert(eq(int, node_state(&after, 2, 0), RUN_NODE_RUNNING));
        end_attempt(&after, 2, 0, RUN_END_EXITED, 0);
        /* The one that takes it again has it after the next restart, too. */
        pass(&after, USEC_PER_HOUR);
        cr_assert(eq(int, node_state(&after, 1, 0), RUN_NODE_RUNNING));
        end_attempt(&after, 1, 0, RUN_END_EXITED, 1);
        restart(&after, &plan, &last);
        cr_assert(eq(str, (char *) run_engine_held_lock(last.engine, 1, 0, 0), (char *) "db"));
        cr_assert(eq(ptr, (void *) run_engine_held_lock(last.engine, 1, 1, 0), NULL));
        run_engine_free(last.engine);
}

Test(run_lock, a_node_waits_on_in_another_boot_whose_clock_is_behind) {
        const Plan plan = { .n = 2,
                            .nodes = { { .demand = FOUR_CPUS, .recover = RUN_RECOVER_RETRY },
                                       { .demand = FOUR_CPUS, .queue_timeout = 10 * USEC_PER_MINUTE } } };
        RunGraph *graph = make_graph(&plan);
        Fixture before, after;

        set_up(&before);
        pass(&before, USEC_PER_HOUR);
        cr_assert(eq(int, submit(&before, 0, 1, &plan), 0));
        set_up(&after);
        cr_assert(eq(int, run_engine_restore(after.flows[0], graph, &before.world.run, before.world.nodes, 2), 0));
        /* It had waited for four minutes of ten. */
        run_engine_restored(after.engine, 9, 9, 2 * USEC_PER_HOUR + 4 * USEC_PER_MINUTE, after.now, true);
        after.world.batch = 9;
        turn(&after);
        pass(&after, 5 * USEC_PER_MINUTE);
        cr_assert(eq(int, node_state(&after, 1, 1), RUN_NODE_READY));
        pass(&after, 2 * USEC_PER_MINUTE);
        cr_assert(eq(int, node_state(&after, 1, 1), RUN_NODE_TIMEOUT));
        run_graph_unref(graph);
        run_engine_free(after.engine);
        run_engine_free(before.engine);
}

Test(run_lock, a_run_comes_back_though_its_resource_is_gone) {
        const Plan plan = { .n = 1, .nodes = { { .demand = FOUR_CPUS } } };
        Fixture before, after;
        RunGraph *graph = make_graph(&plan);

        set_up(&before);
        cr_assert(eq(int, run_engine_verb(before.engine, 1, RUN_VERB_PAUSE, 0), -ENOENT));
        cr_assert(eq(int, submit(&before, 0, 1, &plan), 0));
        end_attempt(&before, 1, 0, RUN_END_INTERRUPTED, 0);
        set_up(&after);
        cr_assert(eq(int, run_engine_set_resource(after.engine, "cpu", 1), 0));
        before.world.nodes[0].state = RUN_NODE_READY;
        before.world.nodes[0].attempt = RUN_ATTEMPT_NONE;
        cr_assert(eq(int, run_engine_restore(after.flows[0], graph, &before.world.run, before.world.nodes, 1), 0));
        run_engine_restored(after.engine, 9, 9, before.now, before.now, false);
        turn(&after);
        cr_assert(eq(int, why_of(&after, 1, 0), RUN_WHY_RESOURCE));
        cr_assert(eq(int, run_engine_set_resource(after.engine, "cpu", 4), 0));
        turn(&after);
        cr_assert(eq(int, node_state(&after, 1, 0), RUN_NODE_RUNNING));
        run_graph_unref(graph);
        run_engine_free(after.engine);
        run_engine_free(before.engine);
}

Test(run_lock, a_run_is_made_or_refused_when_memory_is_short) {
        const Plan plan = { .run = LOCK, .n = 2, .nodes = { { .demand = LOCK_AND_CPUS }, { .demand = TWO_CPUS } } };
        bool was_reached = true;

        for (size_t n = 1; was_reached; n++) {
                RunGraph *graph = make_graph(&plan);
                uint32_t taken;
                Fixture fixture;
                int r;

                set_up(&fixture);
                double_memory_arm(n, false);
                r = run_engine_submit(fixture.flows[0], &(RunSubmit) { .id = 1, .graph = graph }, &taken);
                was_reached = double_memory_disarm();
                cr_assert(eq(int, r, was_reached ? -ENOMEM : 0));
                run_graph_unref(graph);
                run_engine_free(fixture.engine);
        }
}

Test(run_lock, no_memory_is_taken_when_a_lock_changes_hands) {
        const Plan plan = { .run = LOCK, .n = 1, .nodes = { { .demand = LOCK_AND_CPUS } } };
        Fixture fixture;

        set_up(&fixture);
        cr_assert(eq(int, submit(&fixture, 0, 1, &plan), 0));
        cr_assert(eq(int, submit(&fixture, 1, 2, &plan), 0));
        double_memory_arm(1, true);
        end_attempt(&fixture, 1, 0, RUN_END_EXITED, 0);
        cr_assert(not(double_memory_disarm()));
        cr_assert(eq(int, node_state(&fixture, 2, 0), RUN_NODE_RUNNING));
        run_engine_free(fixture.engine);
}
