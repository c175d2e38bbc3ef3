/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Workflows as people ran them, in virtual time, beside a list scheduler that knows nothing of the engine
 *
 * S002-1, S004-3, S004-12, S004-18, S004-36
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_engine.h"

#define TASKS_MAX 128U
#define PARENTS_MAX 64U

typedef struct Task {
        usec_t duration;
        uint32_t parents[PARENTS_MAX], n_parents;
        uint32_t length; /* tasks on the longest way from it to an end */
} Task;

typedef struct Workflow {
        Task tasks[TASKS_MAX];
        uint32_t n;
} Workflow;

static const char *const names[] = {
        "1000genome-2ch-100k-001", "bacass-001",
        "blast-small-005",         "epigenomics-hep-1seq-100k-001",
        "helloworld-chain-5",      "helloworld-forkjoin-10",
        "montage-dss-05d-001",     "soykb-10fastq-10ch-001",
        "srasearch-10a-001",
};
static const uint32_t limits[] = { 1, 2, 3, 4, 7, 16, TASKS_MAX };

/* — workflows — */

static void measure_ways(Workflow *workflow) {
        bool has_changed = true;

        for (uint32_t i = 0; i < workflow->n; i++)
                workflow->tasks[i].length = 1;
        while (has_changed) {
                has_changed = false;
                for (uint32_t i = 0; i < workflow->n; i++) {
                        const Task *task = &workflow->tasks[i];

                        for (uint32_t k = 0; k < task->n_parents; k++) {
                                Task *parent = &workflow->tasks[task->parents[k]];

                                if (parent->length > task->length)
                                        continue;
                                parent->length = task->length + 1;
                                has_changed = true;
                        }
                }
        }
}

static void read_workflow(const char *name, Workflow *ret_workflow) {
        char path[4096], line[4096];
        FILE *input;

        snprintf(path, sizeof(path), "%s/workflows/%s.tsv", TEST_DATA, name);
        input = fopen(path, "re");
        cr_assert(input != NULL, "%s", path);
        *ret_workflow = (Workflow) {};
        while (fgets(line, sizeof(line), input)) {
                Task *task = &ret_workflow->tasks[ret_workflow->n];
                char *at, *end;

                if (line[0] == '#')
                        continue;
                cr_assert(lt(u32, ret_workflow->n++, TASKS_MAX));
                task->duration = strtoull(line, &at, 10);
                for (;; at = end) {
                        unsigned long parent = strtoul(at, &end, 10);

                        if (end == at)
                                break;
                        cr_assert(lt(u32, task->n_parents, PARENTS_MAX));
                        task->parents[task->n_parents++] = (uint32_t) parent;
                }
        }
        fclose(input);
        cr_assert(lt(u32, 1, ret_workflow->n));
        measure_ways(ret_workflow);
}

/* — what is right: whenever a place is free, the task with the longest way to an end is next — */

static bool is_ready(const Workflow *workflow, uint32_t i, const bool done[static TASKS_MAX]) {
        for (uint32_t k = 0; k < workflow->tasks[i].n_parents; k++)
                if (!done[workflow->tasks[i].parents[k]])
                        return false;
        return true;
}

static uint32_t choose(const Workflow *workflow, const bool begun[static TASKS_MAX], const bool done[static TASKS_MAX],
                       bool prefers_long) {
        uint32_t best = TASKS_MAX;

        for (uint32_t i = 0; i < workflow->n; i++) {
                uint32_t length = workflow->tasks[i].length;

                if (begun[i] || !is_ready(workflow, i, done))
                        continue;
                if (best == TASKS_MAX ||
                    (prefers_long ? length > workflow->tasks[best].length : length < workflow->tasks[best].length))
                        best = i;
        }
        return best;
}

/* When the last task ends. */
static usec_t schedule(const Workflow *workflow, uint32_t most, bool prefers_long) {
        bool begun[TASKS_MAX] = {}, done[TASKS_MAX] = {};
        usec_t ends[TASKS_MAX], now = 0;
        uint32_t n_running = 0, n_done = 0, next;

        while (n_done < workflow->n) {
                usec_t then = USEC_INFINITY;

                while (n_running < most && (next = choose(workflow, begun, done, prefers_long)) < TASKS_MAX) {
                        begun[next] = true;
                        ends[next] = now + workflow->tasks[next].duration;
                        n_running++;
                }
                for (uint32_t i = 0; i < workflow->n; i++)
                        if (begun[i] && !done[i] && ends[i] < then)
                                then = ends[i];
                now = then;
                for (uint32_t i = 0; i < workflow->n; i++)
                        if (begun[i] && !done[i] && ends[i] == now) {
                                done[i] = true;
                                n_running--;
                                n_done++;
                        }
        }
        return now;
}

/* — the engine — */

typedef struct World {
        const Workflow *workflow;
        uint32_t most, n_running, batch;
        usec_t now;
        uint32_t n_spawned[TASKS_MAX];
        bool is_new[TASKS_MAX], done[TASKS_MAX];
        usec_t ends[TASKS_MAX];
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
        uint32_t i = attempt->node;

        cr_assert(lt(u32, i, world->workflow->n));
        cr_assert(eq(u32, ++world->n_spawned[i], 1));
        cr_assert(is_ready(world->workflow, i, world->done));
        cr_assert(le(u32, ++world->n_running, world->most));
        world->is_new[i] = true;
        world->ends[i] = world->now + world->workflow->tasks[i].duration;
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
        cr_assert(false, "nothing is to be ended");
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = {
        .put_run = put_run, .put_node = put_node, .persist = persist, .spawn = spawn, .end = end, .random = get_random
};

static RunGraph *make_graph(const Workflow *workflow) {
        static char texts[TASKS_MAX][12];
        static const char *parents[TASKS_MAX][PARENTS_MAX];
        static RunNodeSpec nodes[TASKS_MAX];
        RunGraph *graph;

        for (uint32_t i = 0; i < workflow->n; i++)
                snprintf(texts[i], sizeof(texts[i]), "t%u", i);
        for (uint32_t i = 0; i < workflow->n; i++) {
                const Task *task = &workflow->tasks[i];

                for (uint32_t k = 0; k < task->n_parents; k++)
                        parents[i][k] = texts[task->parents[k]];
                nodes[i] = (RunNodeSpec) { .name = texts[i], .parents = parents[i], .n_parents = task->n_parents };
                nodes[i].policy.timeout = nodes[i].policy.total_timeout = nodes[i].policy.window = USEC_INFINITY;
        }
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, workflow->n }, &graph, NULL), 0));
        return graph;
}

static void take_turns(RunEngine *engine, World *world) {
        bool is_more;

        do {
                is_more = run_engine_turn(engine, 1000);
                run_engine_stored(engine, world->batch, world->batch);
        } while (is_more);
        for (uint32_t i = 0; i < world->workflow->n; i++)
                if (world->is_new[i]) {
                        cr_assert(eq(int, run_engine_started(engine, &(RunAttemptKey) { 1, i, 1, 1 }, world->now), 0));
                        world->is_new[i] = false;
                }
}

/* Ends what ends next; false if nothing runs. */
static bool go_on(RunEngine *engine, World *world) {
        usec_t then = USEC_INFINITY;

        for (uint32_t i = 0; i < world->workflow->n; i++)
                if (world->n_spawned[i] > 0 && !world->done[i] && world->ends[i] < then)
                        then = world->ends[i];
        if (then == USEC_INFINITY)
                return false;
        world->now = then;
        run_engine_time(engine, then);
        for (uint32_t i = 0; i < world->workflow->n; i++)
                if (world->n_spawned[i] > 0 && !world->done[i] && world->ends[i] == then) {
                        world->done[i] = true;
                        world->n_running--;
                        cr_assert(eq(int, run_engine_ended(engine, &(RunAttemptKey) { 1, i, 1, 1 }, RUN_END_EXITED, 0),
                                     0));
                }
        return true;
}

/* Runs the workflow in virtual time: how long it took. */
static usec_t run(const Workflow *workflow, uint32_t most) {
        const RunSettings settings = {
                .max_parallel = most, .max_runs = 1, .timeout = USEC_INFINITY, .queue_timeout = USEC_INFINITY
        };
        World world = { .workflow = workflow, .most = most, .now = 1 };
        RunGraph *graph = make_graph(workflow);
        RunEngine *engine;
        RunFlow *flow;
        uint32_t id;
        RunRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_new(&engine, &host, &world), 0));
        cr_assert(eq(int, run_flow_new(engine, &settings, &flow), 0));
        run_engine_time(engine, world.now);
        run_flow_unit(flow, RUN_UNIT_ACTIVE, false);
        cr_assert(eq(int, run_engine_submit(flow, &(RunSubmit) { .id = 1, .graph = graph }, &id), 0));
        do
                take_turns(engine, &world);
        while (go_on(engine, &world));
        cr_assert(eq(int, run_engine_get(engine, 1, &row, &why), 0));
        cr_assert(eq(int, row.state, RUN_SUCCEEDED));
        for (uint32_t i = 0; i < workflow->n; i++)
                cr_assert(eq(u32, world.n_spawned[i], 1));
        run_engine_free(engine);
        run_graph_unref(graph);
        return world.now - 1;
}

Test(run_workflows, take_as_long_as_a_list_scheduler_says) {
        Workflow workflow;

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                read_workflow(names[i], &workflow);
                for (size_t k = 0; k < ELEMENTSOF(limits); k++)
                        cr_expect(eq(u64, run(&workflow, limits[k]), schedule(&workflow, limits[k], true)),
                                  "%s with %u at a time", names[i], limits[k]);
        }
}

/* Without a difference the comparison above would not see in which order the engine takes what is ready. */
Test(run_workflows, depend_on_the_order) {
        uint32_t n_longer = 0;
        Workflow workflow;

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                read_workflow(names[i], &workflow);
                for (size_t k = 0; k < ELEMENTSOF(limits); k++)
                        n_longer += schedule(&workflow, limits[k], false) > schedule(&workflow, limits[k], true);
        }
        cr_assert(ge(u32, n_longer, 8));
}
