/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What the engine of runs takes for a turn, in processor time, as JSON: in ns
 *
 *     turns
 *
 * "completion": the least of some ends of a node that 1,000 others wait for, with the turn that follows; "wide": the same
 * with a hundred times as many, which shows that it is these that are measured. "submit": the least of some submissions of
 * a flow of 100,000 nodes, with the turn that follows. "turn": the longest one while the 100,000 nodes of a flow begin and
 * end, 16 at a time: their ends, the turn, and the answer of the store.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "run/run_engine.h"

#define LARGE 100000U
#define PARALLEL 16U
#define CHILDREN 1000U
#define WIDE (100 * CHILDREN)
#define TRIALS 20
#define WIDE_TRIALS 3
#define ATTEMPTS_A_TURN 64U /* as the manager */

typedef struct World {
        uint32_t batch, n_spawned;
        RunAttemptKey *spawned; /* owned */
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

        world->spawned[world->n_spawned++] = *attempt;
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = {
        .put_run = put_run, .put_node = put_node, .persist = persist, .spawn = spawn, .end = end, .random = get_random
};

static uint64_t now(void) {
        struct timespec time;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static void check(int r, const char *what) {
        if (r >= 0)
                return;
        fprintf(stderr, "turns: %s: %d\n", what, r);
        exit(1);
}

static void *make(size_t n, size_t size) {
        void *made = calloc(n, size);

        check(made ? 0 : -1, "no memory");
        return made;
}

/* Each node waits for the one before it that stands at i / @fan. */
static RunGraph *make_graph(uint32_t n, uint32_t fan) {
        RunNodeSpec *nodes = make(n, sizeof(RunNodeSpec));
        const char **parents = make(n, sizeof(char *));
        char (*names)[16] = make(n, sizeof(*names));
        RunGraph *graph;

        for (uint32_t i = 0; i < n; i++) {
                (void) snprintf(names[i], sizeof(names[i]), "n%u", i);
                parents[i] = i == 0 ? NULL : names[(i - 1) / fan];
                nodes[i] = (RunNodeSpec) { .name = names[i], .parents = &parents[i], .n_parents = i > 0 };
                nodes[i].policy.recover = RUN_RECOVER_RETRY;
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
        }
        check(run_graph_new(&(RunGraphSpec) { nodes, n }, &graph, NULL), "the graph");
        free(names);
        free(parents);
        free(nodes);
        return graph;
}

static RunEngine *make_engine(World *world, uint32_t parallel, RunGraph *graph) {
        const RunSettings settings = { .max_parallel = parallel,
                                       .max_runs = 1,
                                       .max_queued = 1,
                                       .timeout = USEC_INFINITY,
                                       .queue_timeout = USEC_INFINITY };
        RunEngine *engine;
        RunFlow *flow;
        uint32_t id;

        check(run_engine_new(&engine, &host, world), "the engine");
        check(run_flow_new(engine, &settings, &flow), "the flow");
        run_engine_time(engine, 1);
        run_flow_unit(flow, RUN_UNIT_ACTIVE, false);
        check(run_engine_submit(flow, &(RunSubmit) { .id = 1, .graph = graph }, &id), "the run");
        return engine;
}

/* Ends what has begun, and lets the next begin. */
static void turn(RunEngine *engine, World *world, const RunAttemptKey *begun, uint32_t n) {
        for (uint32_t i = 0; i < n; i++) {
                check(run_engine_started(engine, &begun[i], 1), "a start");
                check(run_engine_ended(engine, &begun[i], RUN_END_EXITED, 0), "an end");
        }
        (void) run_engine_turn(engine, ATTEMPTS_A_TURN);
        run_engine_stored(engine, world->batch, world->batch);
}

/* Of some submissions of a graph that is known: until the first node is asked for. */
static uint64_t shortest_submission(void) {
        RunGraph *graph = make_graph(LARGE, 2);
        uint64_t least = UINT64_MAX;

        for (unsigned i = 0; i < WIDE_TRIALS; i++) {
                World world = { .spawned = make(LARGE, sizeof(RunAttemptKey)) };
                uint64_t begin = now();
                RunEngine *engine = make_engine(&world, PARALLEL, graph);

                (void) run_engine_turn(engine, ATTEMPTS_A_TURN);
                begin = now() - begin;
                least = begin < least ? begin : least;
                run_engine_free(engine);
                free(world.spawned);
        }
        run_graph_unref(graph);
        return least;
}

static uint64_t longest_turn(void) {
        World world = { .spawned = make(LARGE, sizeof(RunAttemptKey)) };
        RunGraph *graph = make_graph(LARGE, 2);
        RunEngine *engine = make_engine(&world, PARALLEL, graph);
        RunAttemptKey begun[PARALLEL];
        uint64_t longest = 0;
        RunRow row = {};
        RunWhy why;

        do {
                uint32_t n = world.n_spawned;
                uint64_t begin = now();

                for (uint32_t i = 0; i < n; i++)
                        begun[i] = world.spawned[i];
                world.n_spawned = 0;
                turn(engine, &world, begun, n);
                begin = now() - begin;
                longest = begin > longest ? begin : longest;
                check(run_engine_get(engine, 1, &row, &why), "the state");
        } while (row.state != RUN_SUCCEEDED);
        run_engine_free(engine);
        run_graph_unref(graph);
        free(world.spawned);
        return longest;
}

static uint64_t shortest_completion(uint32_t n_children, unsigned n_trials) {
        uint64_t least = UINT64_MAX;
        RunGraph *graph = make_graph(n_children + 1, n_children);

        for (unsigned i = 0; i < n_trials; i++) {
                World world = { .spawned = make(n_children + 1, sizeof(RunAttemptKey)) };
                RunEngine *engine = make_engine(&world, n_children, graph);
                RunAttemptKey root;
                uint64_t begin;

                turn(engine, &world, NULL, 0);
                check(world.n_spawned == 1 ? 0 : -1, "the root does not begin");
                root = world.spawned[0];
                world.n_spawned = 0;
                begin = now();
                check(run_engine_started(engine, &root, 1), "a start");
                check(run_engine_ended(engine, &root, RUN_END_EXITED, 0), "an end");
                while (run_engine_turn(engine, ATTEMPTS_A_TURN))
                        ;
                begin = now() - begin;
                least = begin < least ? begin : least;
                run_engine_stored(engine, world.batch, world.batch);
                check(world.n_spawned == n_children ? 0 : -1, "not all children begin");
                run_engine_free(engine);
                free(world.spawned);
        }
        run_graph_unref(graph);
        return least;
}

int main(void) {
        printf("{\"completion\":%llu,\"wide\":%llu,\"submit\":%llu,\"turn\":%llu}\n",
               (unsigned long long) shortest_completion(CHILDREN, TRIALS),
               (unsigned long long) shortest_completion(WIDE, WIDE_TRIALS), (unsigned long long) shortest_submission(),
               (unsigned long long) longest_turn());
        return 0;
}
