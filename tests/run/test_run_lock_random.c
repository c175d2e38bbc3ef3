/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Random sequences of events and restarts: what runs and nodes hold is never too much, and nothing of it is lost
 *
 * What is held is told by the states alone, as the documents have it. In the end all runs come to an end, and everything
 * can be had at once. In the control both flows have locks of their own, which the same count must find.
 *
 * S004-27
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "run/run_engine.h"

#define SEQUENCES 400U
#define STEPS 150U
#define RUNS 12U
#define NODES 3U
#define CPUS 4U
#define PAIR 2U /* slots */

typedef struct Kept {
        bool is_there;
        RunGraph *graph;
        unsigned flow;
        RunRow row;
        RunNodeRow nodes[NODES];
        bool has_node[NODES];
} Kept;

typedef struct World {
        uint64_t random;
        uint32_t batch, n_runs;
        usec_t now;
        RunEngine *engine;
        RunFlow *flows[2];
        bool is_active[2];
        bool is_control;
        Kept kept[RUNS + 2]; /* by id */
        char fault[128];
} World;

#define say(world, ...) snprintf((world)->fault, sizeof((world)->fault), __VA_ARGS__)

static uint32_t pick(World *world, uint32_t n) {
        world->random ^= world->random << 13;
        world->random ^= world->random >> 7;
        world->random ^= world->random << 17;
        return (uint32_t) (world->random >> 33) % n;
}

/* — the host — */

static void put_run(void *userdata, const RunRow *row) {
        ((World *) userdata)->kept[row->id].row = *row;
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
        Kept *kept = &((World *) userdata)->kept[run];

        kept->nodes[row->node] = *row;
        kept->has_node[row->node] = true;
}

static int persist(void *userdata, uint32_t *ret_batch) {
        *ret_batch = ++((World *) userdata)->batch;
        return 0;
}

static void spawn(void *userdata, const RunAttemptKey *attempt) {
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = {
        .put_run = put_run, .put_node = put_node, .persist = persist, .spawn = spawn, .end = end, .random = get_random
};

static void turn(World *world) {
        while (run_engine_turn(world->engine, 1 + pick(world, 3)));
        run_engine_stored(world->engine, world->batch, world->batch);
}

/* — demands: a lock, a lock with two slots, CPUs — */

enum { NOTHING, DB, BOTH_SLOTS, ONE_CPU, TWO_CPUS, DB_AND_CPUS, ALL, N_DEMANDS = ALL };

static bool wants(uint32_t demand, const char *lock) {
        if (strcmp(lock, "db") == 0)
                return demand == DB || demand == DB_AND_CPUS || demand == ALL;
        return demand == BOTH_SLOTS || demand == ALL;
}

static uint32_t cpus_of(uint32_t demand) {
        return demand == ONE_CPU ? 1 : demand == TWO_CPUS || demand == DB_AND_CPUS ? 2 : demand == ALL ? CPUS : 0;
}

static RunGraph *make_graph(const RunPolicy *policies, uint32_t n, uint32_t run, bool is_other) {
        const RunDemandLock db[] = { { is_other ? "other-db" : "db", 1 } };
        const RunDemandLock all[] = { { is_other ? "other-db" : "db", 1 }, { "pair", PAIR } };
        const RunDemandNeed one[] = { { "cpu", 1 } }, two[] = { { "cpu", 2 } }, four[] = { { "cpu", CPUS } };
        const RunDemand demands[] = {
                { db, NULL, 1, 0 },      { all + 1, NULL, 1, 0 }, { NULL, one, 0, 1 },
                { NULL, two, 0, 1 },     { db, two, 1, 1 },       { all, four, 2, 1 },
        };
        static const char *const names[] = { "a", "b", "c" }, *const parents[] = { "a" };
        RunNodeSpec specs[NODES];
        RunGraph *graph;

        for (uint32_t i = 0; i < n; i++) {
                specs[i] = (RunNodeSpec) { .name = names[i], .policy = policies[i] };
                specs[i].policy.timeout = specs[i].policy.total_timeout = specs[i].policy.window = USEC_INFINITY;
                specs[i].policy.max_delay = USEC_INFINITY;
                if (i == 2) {
                        specs[i].parents = parents;
                        specs[i].n_parents = 1;
                }
        }
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { specs, n, demands, N_DEMANDS, run }, &graph, NULL), 0));
        return graph;
}

/* — what is held — */

static bool holds_lock(const RunPolicy *policy, const RunNodeRow *row) {
        if (row->state == RUN_NODE_RUNNING)
                return true;
        return row->number > 0 && !policy->gives_up_locks && !row->has_given_up &&
               (row->state == RUN_NODE_READY || row->state == RUN_NODE_DEFERRED || row->state == RUN_NODE_PENDING);
}

static bool is_busy(RunState state) {
        return state >= RUN_RUNNING && !run_state_is_terminal(state);
}

static uint32_t run_demand(const Kept *kept) {
        const RunDemand *demand = run_graph_demand(kept->graph, RUN_NODE_NONE);
        uint32_t number = NOTHING;

        /* Runs take a lock, or a CPU, or nothing. */
        if (demand)
                number = demand->n_locks > 0 ? DB : ONE_CPU;
        return number;
}

static void check(World *world) {
        uint32_t run_db = 0, db = 0, pair = 0, cpus = 0;

        for (uint32_t id = 1; id <= RUNS; id++) {
                const Kept *kept = &world->kept[id];
                RunRow row;
                RunWhy why;

                if (!kept->is_there || run_engine_get(world->engine, id, &row, &why) < 0)
                        continue;
                if (is_busy(row.state)) {
                        run_db += run_demand(kept) == DB;
                        cpus += cpus_of(run_demand(kept));
                }
                for (uint32_t i = 0; i < NODES; i++) {
                        const RunPolicy *policy = run_graph_policy(kept->graph, i);
                        RunNodeRow node;

                        (void) run_engine_get_node(world->engine, id, i, &node, &why);
                        db += holds_lock(policy, &node) && wants(policy->demand, "db");
                        pair += holds_lock(policy, &node) && wants(policy->demand, "pair");
                        cpus += node.state == RUN_NODE_RUNNING ? cpus_of(policy->demand) : 0;
                }
        }
        if (run_db > 1 || db > 1 || pair > PAIR || cpus > CPUS)
                say(world, "%u runs and %u nodes have a lock, %u the pair, and there are %u CPUs", run_db, db, pair, cpus);
}

/* — events — */

static const RunSettings settings = {
        .max_parallel = 2, .max_runs = 3, .max_queued = 8, .timeout = USEC_INFINITY, .queue_timeout = USEC_INFINITY
};

static void begin(World *world) {
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_engine_set_resource(world->engine, "cpu", CPUS), 0));
        for (unsigned i = 0; i < 2; i++)
                cr_assert(eq(int, run_flow_new(world->engine, &settings, &world->flows[i]), 0));
}

static int add(World *world, unsigned flow, uint32_t id, RunGraph *graph) {
        Kept *kept = &world->kept[id];
        uint32_t taken;
        int r = run_engine_submit(world->flows[flow], &(RunSubmit) { .id = id, .graph = graph }, &taken);

        if (r < 0)
                run_graph_unref(graph);
        else
                *kept = (Kept) { .is_there = true, .graph = graph, .flow = flow };
        return r;
}

static void submit(World *world) {
        static const uint32_t of_run[] = { NOTHING, NOTHING, DB, ONE_CPU };
        const unsigned flow = pick(world, 2);
        RunPolicy policies[NODES] = {};

        if (world->n_runs == RUNS)
                return;
        for (uint32_t i = 0; i < NODES; i++)
                policies[i] = (RunPolicy) { .demand = pick(world, N_DEMANDS + 1),
                                            .retry = pick(world, 3),
                                            .delay = pick(world, 2) * 10 * USEC_PER_SEC,
                                            .failure = pick(world, 3),
                                            .recover = pick(world, 3),
                                            .priority = (uint8_t) pick(world, 3),
                                            .gives_up_locks = pick(world, 3) == 0,
                                            .queue_timeout = pick(world, 5) == 0 ? USEC_PER_MINUTE : 0 };
        if (add(world, flow, world->n_runs + 1,
                make_graph(policies, NODES, of_run[pick(world, 4)], world->is_control && flow == 1)) == 0)
                world->n_runs++;
}

/* The end of a node's attempt, if there is one that was spawned. */
static void finish(World *world, uint32_t id, uint32_t node, RunEndKind kind, uint16_t status) {
        RunNodeRow row;
        RunWhy why;

        if (run_engine_get_node(world->engine, id, node, &row, &why) == 0 && row.state == RUN_NODE_RUNNING &&
            row.attempt >= RUN_ATTEMPT_IS_ASKED)
                cr_assert(eq(int,
                             run_engine_ended(world->engine, &(RunAttemptKey) { id, node, row.generation, row.number },
                                              kind, status),
                             0));
}

static void set_unit(World *world, unsigned flow, bool is_active) {
        world->is_active[flow] = is_active;
        run_flow_unit(world->flows[flow], is_active ? RUN_UNIT_ACTIVE : RUN_UNIT_STOP, true);
}

/* All that is not in the rows is gone. */
static void restart(World *world, bool is_other_boot) {
        const usec_t then = world->now;

        run_engine_free(world->engine);
        begin(world);
        for (uint32_t id = 1; id <= RUNS; id++) {
                Kept *kept = &world->kept[id];
                RunNodeRow rows[NODES];
                uint32_t n = 0;

                for (uint32_t i = 0; i < NODES; i++)
                        if (kept->is_there && kept->has_node[i])
                                rows[n++] = kept->nodes[i];
                if (kept->is_there)
                        cr_assert(eq(int,
                                     run_engine_restore(world->flows[kept->flow], kept->graph, &kept->row, rows, n),
                                     0));
        }
        world->now += is_other_boot ? USEC_PER_HOUR : 0;
        run_engine_restored(world->engine, world->batch, world->batch, then, world->now, is_other_boot);
        turn(world);
        for (unsigned i = 0; i < 2; i++)
                if (world->is_active[i])
                        set_unit(world, i, true);
}

static void step(World *world) {
        const uint32_t id = 1 + pick(world, RUNS), node = pick(world, NODES);

        switch (pick(world, 12)) {
        case 0:
        case 1:
                submit(world);
                break;
        case 2:
                (void) run_engine_verb(world->engine, id, pick(world, _RUN_VERB_MAX), node);
                break;
        case 3:
                world->now += pick(world, 3) == 0 ? USEC_PER_MINUTE : USEC_PER_SEC;
                run_engine_time(world->engine, world->now);
                break;
        case 4:
                if (pick(world, 3) == 0)
                        set_unit(world, id % 2, !world->is_active[id % 2]);
                break;
        case 5:
                restart(world, pick(world, 2) == 0);
                break;
        default:
                finish(world, id, node, pick(world, 4) > 0 ? RUN_END_EXITED : pick(world, 4), pick(world, 2));
        }
        turn(world);
}

/* — the end — */

static bool is_over(const World *world) {
        for (uint32_t id = 1; id <= RUNS; id++)
                if (world->kept[id].is_there && !run_state_is_terminal(world->kept[id].row.state))
                        return false;
        return true;
}

/* Everybody does what can be done. */
static void come_to_an_end(World *world) {
        for (unsigned i = 0; i < 100 && !is_over(world); i++) {
                for (unsigned flow = 0; flow < 2; flow++)
                        set_unit(world, flow, true);
                for (uint32_t id = 1; id <= RUNS; id++) {
                        (void) run_engine_verb(world->engine, id, RUN_VERB_RESUME, 0);
                        for (uint32_t node = 0; node < NODES; node++) {
                                (void) run_engine_verb(world->engine, id, RUN_VERB_AS_SUCCESS,
                                                       world->kept[id].nodes[node].state == RUN_NODE_PENDING ? node :
                                                                                                               NODES);
                                finish(world, id, node, RUN_END_EXITED, 0);
                        }
                }
                world->now += 20 * USEC_PER_SEC;
                run_engine_time(world->engine, world->now);
                turn(world);
                check(world);
        }
        if (!is_over(world))
                say(world, "a run does not come to an end");
}

static void check_nothing_is_held(World *world) {
        const RunPolicy all[] = { { .demand = ALL } };
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, add(world, 0, RUNS + 1, make_graph(all, 1, DB, false)), 0));
        turn(world);
        (void) run_engine_get_node(world->engine, RUNS + 1, 0, &row, &why);
        if (row.state != RUN_NODE_RUNNING)
                say(world, "something is still held");
}

static bool play(uint64_t seed, bool is_control, char ret_fault[static 128]) {
        World world = { .random = seed * 2654435761U + 88172645463325252U, .now = USEC_PER_HOUR, .is_control = is_control };

        begin(&world);
        run_engine_time(world.engine, world.now);
        for (unsigned i = 0; i < 2; i++)
                set_unit(&world, i, true);
        for (uint32_t i = 0; i < STEPS && world.fault[0] == '\0'; i++) {
                step(&world);
                check(&world);
        }
        if (world.fault[0] == '\0')
                come_to_an_end(&world);
        if (world.fault[0] == '\0')
                check_nothing_is_held(&world);
        run_engine_free(world.engine);
        for (uint32_t i = 0; i < ELEMENTSOF(world.kept); i++)
                run_graph_unref(world.kept[i].graph);
        memcpy(ret_fault, world.fault, sizeof(world.fault));
        return world.fault[0] == '\0';
}

Test(run_lock_random, nothing_is_held_twice_and_nothing_is_lost) {
        char fault[128];

        for (uint64_t seed = 1; seed <= SEQUENCES; seed++)
                cr_assert(play(seed, false, fault), "seed %lu: %s", seed, fault);
}

Test(run_lock_random, control_locks_of_their_own_are_found) {
        uint64_t seed = 1;
        char fault[128];

        while (seed <= SEQUENCES && play(seed, true, fault))
                seed++;
        cr_assert(le(u64, seed, SEQUENCES));
}
