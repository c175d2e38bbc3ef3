/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The engine of src/run as a subject
 *
 * The adapter is the host: it keeps each row that the engine puts, by turn,
 * and gives those of the turns that are kept to a new engine after a restart.
 * Nothing else goes over a restart but the clock and the state of the unit,
 * which are not the engine's.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/vector.h"
#include "double/double_memory.h"
#include "run/run_engine.h"
#include "run_adapter.h"

/* SkipUnneeded=all is not there, nor what the README says. */
#define FEATURES (TRIAL_FEATURES & ~TRIAL_HAS_SKIP_ALL)

/* The status that is not retried is that of a process which a signal has killed: SIGSEGV. */
#define END_OF_STATUS_2 RUN_END_BY_SIGNAL(11)

typedef struct Kept {
        uint32_t turn, run;
        bool is_node;
        RunRow row;
        RunNodeRow node;
} Kept;

/* The graph that a run has from a turn on: with instances, or with nodes that were added, in that order. */
typedef struct Grown {
        uint32_t turn, run;
        RunGraph *graph; /* a reference */
        uint8_t additions[TRIAL_ADDITIONS_MAX];
        unsigned n_additions;
} Grown;

#define NEVER UINT32_MAX
#define ABSENT UINT8_MAX

/*
 * A process that the engine has forgotten: what a manager does then is the adapter's. It keeps the run from being tried
 * again, and ends it with the unit. By turn, so that it comes back after a restart.
 */
typedef struct Abandoned {
        RunAttemptKey key;
        uint32_t in, started_in, told_in, ended_in;
} Abandoned;

typedef struct World {
        usec_t now;
        bool is_active;
} World;

typedef struct Adapter {
        const TrialDefinition *definition; /* borrowed */
        RunGraph *graph;
        RunEngine *engine;
        RunFlow *flow;
        RunSettings settings;
        uint32_t turn; /* the present one */
        uint32_t accepted, durable;
        uint8_t n_runs;
        World world;
        VECTOR(Kept) rows; /* by turn */
        VECTOR(Grown) graphs; /* by turn, where they are not that of the definition */
        uint8_t generations[TRIAL_RUNS_MAX][TRIAL_NODES_MAX]; /* of nodes with Foreach=, at the beginning of the turn */
        VECTOR(World) worlds; /* at the end of each turn */
        Abandoned started[TRIAL_RUNS_MAX][TRIAL_NODES_MAX]; /* the last attempt of each node of which that was told */
        VECTOR(Abandoned) abandoned;
        uint8_t nodes[TRIAL_NODES_MAX]; /* of the engine, by those of the case; ABSENT: there is none, or not always */
        uint32_t asked[TRIAL_RUNS_MAX][TRIAL_NODES_MAX]; /* the generation about which a command was asked; 0: none */
} Adapter;

#define CHECK(call) \
        ({ \
                if ((call) < 0) \
                        abort(); \
        })

/* 0 is no time for the engine. */
static usec_t time_of(uint64_t seconds) {
        return (seconds + 1) * USEC_PER_SEC;
}

static uint64_t seconds_of(usec_t time) {
        return time == USEC_INFINITY ? TRIAL_NEVER : time / USEC_PER_SEC - 1;
}

static usec_t span_of(uint32_t seconds) {
        return seconds == 0 ? USEC_INFINITY : seconds * USEC_PER_SEC;
}

/* — instances — */

static RunGraph *graph_of(const Adapter *adapter, uint32_t run) {
        for (size_t i = adapter->graphs.n; i-- > 0;)
                if (adapter->graphs.items[i].run == run)
                        return adapter->graphs.items[i].graph;
        return adapter->graph;
}

#define NAME_MAX_OF_NODE 12

static void name_node(unsigned node, char *ret_name) {
        snprintf(ret_name, NAME_MAX_OF_NODE, "%u", node);
}

/* The number that the engine knows node @node of the case by; RUN_NODE_NONE. */
static uint32_t number_of(const Adapter *adapter, uint32_t run, unsigned node) {
        const TrialNode *spec = &adapter->definition->nodes[node];
        char name[NAME_MAX_OF_NODE];

        if (spec->added_in > 0) {
                name_node(node, name);
                return run_graph_find(graph_of(adapter, run), name);
        }
        if (spec->is_item)
                return run_graph_find_item(graph_of(adapter, run), spec->item_of, spec->item);
        return adapter->nodes[node] == ABSENT ? RUN_NODE_NONE : adapter->nodes[node];
}

/* The other way round, of nodes that are no instances and end no run. */
static unsigned node_of(const Adapter *adapter, uint32_t run, uint32_t number) {
        if (!trial_can_grow(adapter->definition))
                return number;
        return (unsigned) strtoul(run_graph_name(graph_of(adapter, run), number), NULL, 10);
}

/* — host — */

static void put_run(void *userdata, const RunRow *row) {
        Adapter *adapter = userdata;
        const Kept kept = { .turn = adapter->turn, .run = row->id, .row = *row };

        CHECK(vector_push(&adapter->rows, kept));
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
        Adapter *adapter = userdata;
        Kept kept = { .turn = adapter->turn, .run = run, .is_node = true, .node = *row };

        if (kept.node.batch == 0)
                kept.node.batch = adapter->turn;
        CHECK(vector_push(&adapter->rows, kept));
}

static int persist(void *userdata, uint32_t *ret_batch) {
        *ret_batch = ((Adapter *) userdata)->turn;
        return 0;
}

/* The player sees in the view which attempts may be spawned, and which are told to end. */
static void spawn(void *userdata, const RunAttemptKey *attempt) {
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
}

static bool is_same(const RunAttemptKey *a, const RunAttemptKey *b) {
        return a->run == b->run && a->node == b->node && a->generation == b->generation && a->number == b->number;
}

static void abandon(void *userdata, const RunAttemptKey *attempt) {
        Adapter *adapter = userdata;
        const Abandoned *started = &adapter->started[attempt->run - 1][node_of(adapter, attempt->run, attempt->node)];
        Abandoned entry = { .key = *attempt, .in = adapter->turn, .told_in = NEVER, .ended_in = NEVER };

        entry.started_in = is_same(&started->key, attempt) ? started->started_in : NEVER;
        CHECK(vector_push(&adapter->abandoned, entry));
}

static void ask(void *userdata, uint32_t run, uint32_t node, uint32_t generation) {
        ((Adapter *) userdata)->asked[run - 1][node] = generation;
}

static usec_t wake(void *userdata, uint32_t run, uint32_t node) {
        const Adapter *adapter = userdata;
        const usec_t at = time_of(adapter->definition->nodes[node_of(adapter, run, node)].sleep);

        return at > adapter->world.now ? at : 0;
}

static RunCondition judge(void *userdata, uint32_t run, uint32_t node) {
        static const RunCondition of[] = { RUN_CONDITION_TRUE, RUN_CONDITION_TRUE, RUN_CONDITION_FALSE,
                                           RUN_CONDITION_BROKEN };

        const Adapter *adapter = userdata;

        return of[adapter->definition->nodes[node_of(adapter, run, node)].when];
}

/* In each generation there is another list. */
static RunReason count(void *userdata, uint32_t run, uint32_t node, uint32_t *ret_n) {
        const Adapter *adapter = userdata;
        const uint8_t n = adapter->definition->nodes[node].items[(adapter->generations[run - 1][node] - 1) % 2];

        *ret_n = n;
        if (n == TRIAL_ITEMS_BROKEN)
                return RUN_REASON_EXPRESSION;
        return n == TRIAL_ITEMS_TOO_MANY ? RUN_REASON_TOO_MANY : RUN_REASON_NONE;
}

static int grow(void *userdata, uint32_t run, RunGraph *graph) {
        Adapter *adapter = userdata;
        const Grown grown = { .turn = adapter->turn, .run = run, .graph = run_graph_ref(graph) };

        CHECK(vector_push(&adapter->graphs, grown));
        return 0;
}

static RunReason gather(void *userdata, uint32_t run, uint32_t node) {
        return RUN_REASON_NONE;
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = {
        .put_run = put_run, .put_node = put_node, .persist = persist, .spawn = spawn, .end = end, .abandon = abandon,
        .judge = judge, .ask = ask, .wake = wake, .random = get_random,
        .count = count, .grow = grow, .gather = gather
};

/* — definition — */

/* Must ones beside optional ones, of which there are none: nothing is waited for. */
static bool has_no_must(const TrialNode *node) {
        for (unsigned i = 0; i < node->n_parents; i++)
                if (node->is_marked[i])
                        return false;
        return node->readiness == TRIAL_MUST && node->n_parents > 0;
}

static RunPolicy policy_of(const TrialDefinition *definition, const TrialNode *node) {
        static const RunReadiness readiness[] = {
                [TRIAL_ALL_SUCCEEDED] = RUN_READY_ALL_SUCCEEDED,
                [TRIAL_ALL_FINISHED] = RUN_READY_ALL_FINISHED,
                [TRIAL_AT_LEAST] = RUN_READY_AT_LEAST,
                [TRIAL_AT_LEAST_PERCENT] = RUN_READY_AT_LEAST_PERCENT,
                [TRIAL_ANY] = RUN_READY_ANY,
                [TRIAL_NAMED] = RUN_READY_NAMED,
                [TRIAL_MUST] = RUN_READY_ALL_SUCCEEDED,
                [TRIAL_OPTIONAL] = RUN_READY_ANY,
                [TRIAL_NONE_FAILED] = RUN_READY_NONE_FAILED,
                [TRIAL_ONE_FAILED] = RUN_READY_ONE_FAILED,
                [TRIAL_ALL_FAILED] = RUN_READY_ALL_FAILED,
                [TRIAL_ALWAYS] = RUN_READY_ALWAYS,
                [TRIAL_NONE_SKIPPED] = RUN_READY_NONE_SKIPPED,
                [TRIAL_ONE_DONE] = RUN_READY_ONE_DONE,
                [TRIAL_ALL_SKIPPED] = RUN_READY_ALL_SKIPPED,
                [TRIAL_NONE_FAILED_MIN_ONE] = RUN_READY_NONE_FAILED_MIN_ONE,
                [TRIAL_ONE_SUCCESS] = RUN_READY_AT_LEAST,
        };
        static const RunRecover recover[] = { RUN_RECOVER_RETRY, RUN_RECOVER_PENDING, RUN_RECOVER_FAIL };
        static const RunFailurePolicy failure[] = { RUN_POLICY_SUSPEND, RUN_POLICY_CONTINUE, RUN_POLICY_END };
        static const RunEndRun end_run[] = { RUN_END_RUN_NO, RUN_END_RUN_SUCCESS, RUN_END_RUN_FAILURE };
        static const RunBackoff backoff[] = { RUN_BACKOFF_FIXED, RUN_BACKOFF_LINEAR, RUN_BACKOFF_EXPONENTIAL };
        RunPolicy policy = {
                .readiness = node->asks_policy ? RUN_READY_BY_POLICY :
                             has_no_must(node) ? RUN_READY_ALWAYS : readiness[node->readiness],
                .amount = node->readiness == TRIAL_ONE_SUCCESS ? 1U : node->amount,
                .recover = recover[node->recover],
                .failure = failure[node->policy],
                .backoff = backoff[node->backoff],
                .retry = node->retry,
                .again_max = node->again_max,
                .again = node->again * USEC_PER_SEC,
                .delay = node->retry_delay * USEC_PER_SEC,
                .max_delay = node->retry_max_delay * USEC_PER_SEC,
                .window = USEC_INFINITY,
                .timeout = span_of(node->timeout),
                .total_timeout = span_of(node->total_timeout),
                .queue_timeout = node->queue_timeout * USEC_PER_SEC,
                .again_window = node->again_max_time * USEC_PER_SEC,
                .has_condition = node->when != TRIAL_WHEN_NONE,
                .is_goal = node->is_always_needed,
                .stays = node->is_always_needed || node->skip_unneeded == TRIAL_SKIP_NONE,
                .has_default = node->default_on & TRIAL_DEFAULT_ON_FAILURE,
                .has_default_for_timeout = node->default_on & TRIAL_DEFAULT_ON_TIMEOUT,
                .end_run = end_run[node->end_run],
                .action = node->action == TRIAL_ACTION_JOB ? RUN_ACTION_JOB :
                          node->action == TRIAL_ACTION_RUN ? RUN_ACTION_RUN : RUN_ACTION_PROCESS,
                .sleep = node->action == TRIAL_ACTION_SLEEP ? node->sleep * USEC_PER_SEC : 0,
                .sleeps_until = node->action == TRIAL_ACTION_SLEEP_UNTIL,
                .has_gate = node->has_gate,
                .has_callback = node->has_callback,
                .gives_up_locks = node->gives_up_locks,
                /* As a flow makes it of its files. */
                .priority = node->takes_priority ? definition->priority : node->priority,
                .takes_priority = node->takes_priority,
                .is_foreach = node->is_foreach,
                .foreach_parallel = node->foreach_parallel,
        };

        policy.again_ends[TRIAL_STATUS_AGAIN / 64] |= UINT64_C(1) << TRIAL_STATUS_AGAIN % 64;
        if (node->is_picky)
                policy.no_retry_ends[END_OF_STATUS_2 / 64] |= UINT64_C(1) << END_OF_STATUS_2 % 64;
        if (node->can_be_pending)
                policy.pending_ends[0] |= 1U << TRIAL_STATUS_PENDING;
        return policy;
}

/* What node @i takes, as number i + 1 of the graph; the run what n_nodes takes. */
static RunDemand demand_of(const TrialDefinition *definition, unsigned at) {
        static const char *const names[] = { "a", "b" };
        static RunDemandLock locks[TRIAL_NODES_MAX + 1][TRIAL_LOCKS_MAX];
        static RunDemandNeed needs[TRIAL_NODES_MAX + 1];
        const bool is_run = at == definition->n_nodes;
        const TrialNode *node = &definition->nodes[is_run ? 0 : at];
        RunDemand demand = { .locks = locks[at], .needs = &needs[at] };

        needs[at] = (RunDemandNeed) { is_run ? "of runs" : "of nodes", is_run ? definition->run_need : node->need };
        demand.n_needs = needs[at].amount > 0;
        if (is_run && definition->run_slots > 0)
                locks[at][demand.n_locks++] = (RunDemandLock) { names[0], definition->run_slots };
        for (unsigned i = 0; i < TRIAL_LOCKS_MAX && !is_run; i++)
                if ((node->locks >> i & 1) != 0)
                        locks[at][demand.n_locks++] = (RunDemandLock) { names[i], node->slots[i] };
        return demand;
}

static uint8_t edge_of(const TrialNode *node, unsigned parent) {
        const bool is_optional = node->readiness == TRIAL_ANY || node->readiness == TRIAL_OPTIONAL ||
                                 (node->readiness == TRIAL_MUST && !node->is_marked[parent]);
        unsigned edge = is_optional ? RUN_EDGE_OPTIONAL : 0;

        if (node->readiness == TRIAL_NAMED && node->is_marked[parent])
                edge |= RUN_EDGE_NAMED;
        if (node->skip_counts[parent])
                edge |= node->skip_counts_as[parent] == TRIAL_PARENT_SUCCEEDED ? RUN_EDGE_SKIP_SUCCEEDS
                                                                               : RUN_EDGE_SKIP_FAILS;
        return (uint8_t) edge;
}

/* A graph has no Otherwise= without a condition beside it; a case that was made smaller may. */
static bool has_decider(const TrialDefinition *definition, const TrialNode *node) {
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (trial_decides_about(&definition->nodes[i], node))
                        return true;
        return false;
}

/* Behind the others stand those that end a run, as many as there are. Returns how many there are then. */
static unsigned add_ends(Adapter *adapter, RunNodeSpec *specs, char (*names)[NAME_MAX_OF_NODE], unsigned n) {
        const TrialDefinition *definition = adapter->definition;
        const unsigned n_views = trial_n_views(definition);

        for (unsigned i = definition->n_nodes; i < n_views; i++) {
                const bool is_final = i == n_views - 1;

                if (is_final ? !definition->has_final : !definition->nodes[i - definition->n_nodes].has_undo)
                        continue;
                adapter->nodes[i] = (uint8_t) n;
                snprintf(names[n], sizeof(names[n]), "e%u", i);
                specs[n] = (RunNodeSpec) { .name = names[n], .policy = policy_of(definition, &definition->nodes[i]),
                                           .undoes = is_final ? RUN_NODE_NONE : i - definition->n_nodes };
                n++;
        }
        return n;
}

/* Nodes that were not added later, then those of each addition. Returns how many. */
static unsigned list_nodes(const TrialDefinition *definition, const Grown *grown, uint8_t *nodes) {
        unsigned n = 0;

        for (unsigned a = 0; a <= grown->n_additions; a++) {
                const unsigned addition = a > 0 ? grown->additions[a - 1] : 0;

                for (unsigned i = 0; i < trial_n_own(definition); i++)
                        if (definition->nodes[i].added_in == addition)
                                nodes[n++] = (uint8_t) i;
        }
        return n;
}

/* @grown: what was added. */
static RunGraph *make_graph(Adapter *adapter, const Grown *grown) {
        const TrialDefinition *definition = adapter->definition;
        static const char *parents[TRIAL_NODES_MAX][TRIAL_PARENTS_MAX];
        static uint8_t edges[TRIAL_NODES_MAX][TRIAL_PARENTS_MAX];
        static RunNodeSpec specs[TRIAL_NODES_MAX];
        static char names[TRIAL_NODES_MAX][NAME_MAX_OF_NODE], end_names[TRIAL_NODES_MAX][NAME_MAX_OF_NODE];
        static RunDemand demands[TRIAL_NODES_MAX + 1];
        uint8_t nodes[TRIAL_NODES_MAX];
        bool is_there[TRIAL_NODES_MAX] = {};
        const unsigned n = list_nodes(definition, grown, nodes);
        char *problem = NULL;
        RunGraph *graph;
        unsigned n_all;

        for (unsigned i = 0; i <= definition->n_nodes; i++)
                demands[i] = demand_of(definition, i);
        for (unsigned at = 0; at < n; at++) {
                name_node(nodes[at], names[nodes[at]]);
                is_there[nodes[at]] = true;
        }
        for (unsigned at = 0; at < n; at++) {
                const unsigned i = nodes[at];
                const TrialNode *node = &definition->nodes[i];
                unsigned n_parents = 0;

                for (unsigned k = 0; k < node->n_parents; k++) {
                        if (!is_there[node->parents[k]])
                                continue;
                        parents[i][n_parents] = names[node->parents[k]];
                        edges[i][n_parents++] = edge_of(node, k);
                }
                specs[at] = (RunNodeSpec) {
                        .name = names[i], .parents = parents[i], .edges = edges[i], .n_parents = n_parents,
                        .payload = trial_needs_no_attempt(node) ? RUN_NODE_NONE : i,
                        .policy = policy_of(definition, node)
                };
                specs[at].policy.demand = node->locks != 0 || node->need > 0 ? i + 1 : 0;
                specs[at].policy.is_otherwise = node->is_otherwise && has_decider(definition, node);
        }
        n_all = add_ends(adapter, specs, end_names, n);
        CHECK(run_graph_new(&(RunGraphSpec) { .nodes = specs, .n_nodes = n_all, .demands = demands,
                                               .first_extra = n, .n_extra = n_all - n,
                                               .undo_on = (definition->undoes_failure ? RUN_UNDO_ON_FAILURE : 0U) |
                                                          (definition->undoes_cancel ? RUN_UNDO_ON_CANCEL : 0U),
                                               .n_demands = definition->n_nodes + 1U,
                                               .demand = trial_run_takes(definition) ? definition->n_nodes + 1U : 0 },
                            &graph, &problem));
        return graph;
}

/* The graph of each run as it begins. */
static void make_first_graph(Adapter *adapter) {
        uint8_t nodes[TRIAL_NODES_MAX];
        const unsigned n = list_nodes(adapter->definition, &(Grown) {}, nodes);

        memset(adapter->nodes, ABSENT, sizeof(adapter->nodes));
        for (unsigned at = 0; at < n; at++)
                adapter->nodes[nodes[at]] = (uint8_t) at;
        adapter->graph = make_graph(adapter, &(Grown) {});
}

static bool takes_something(const TrialDefinition *definition) {
        bool takes = trial_run_takes(definition);

        for (unsigned i = 0; i < definition->n_nodes; i++)
                takes = takes || trial_takes(&definition->nodes[i]);
        return takes;
}

/*
 * A run that ends in slices keeps its locks and its place of MaxRuns= until the turn ends, and who has them next depends on
 * when that is. In the model a run ends at once.
 */
static bool can_end_in_slices(const TrialDefinition *definition) {
        return definition->max_runs == TRIAL_RUNS_MAX && !takes_something(definition);
}

static void make_engine(Adapter *adapter) {
        CHECK(run_engine_new(&adapter->engine, &host, adapter));
        /* Other events happen while nodes are left that end with their run. */
        if (can_end_in_slices(adapter->definition))
                run_engine_set_slice(adapter->engine, 1);
        /* The model knows no age. */
        run_engine_set_ageing(adapter->engine, false);
        if (adapter->definition->total > 0) {
                CHECK(run_engine_set_resource(adapter->engine, "of nodes", adapter->definition->total));
                CHECK(run_engine_set_resource(adapter->engine, "of runs", adapter->definition->total));
        }
        CHECK(run_flow_new(adapter->engine, &adapter->settings, &adapter->flow));
}

/* The wall clock is never set. */
static void tell_time(Adapter *adapter, usec_t now) {
        adapter->world.now = now;
        run_engine_wall(adapter->engine, now, now);
        run_engine_time(adapter->engine, now);
}

static void *new_adapter(const TrialDefinition *definition) {
        static const RunTimeoutMode timeout_modes[] = { RUN_TIMEOUT_TERMINATE, RUN_TIMEOUT_DRAIN, RUN_TIMEOUT_ABANDON };
        static const RunBusy busy[] = { RUN_BUSY_QUEUE, RUN_BUSY_REJECT, RUN_BUSY_SKIP, RUN_BUSY_REPLACE };
        Adapter *adapter = calloc(1, sizeof(*adapter));

        if (!adapter)
                abort();
        adapter->definition = definition;
        adapter->turn = 1;
        adapter->world.now = time_of(0);
        adapter->settings = (RunSettings) {
                .max_parallel = definition->max_parallel,
                .max_runs = definition->max_runs,
                .max_queued = definition->max_queued,
                .on_busy = busy[definition->on_busy],
                .end_kills = definition->end_kills,
                .timeout_mode = timeout_modes[definition->timeout_mode],
                .timeout = span_of(definition->timeout),
                .queue_timeout = span_of(definition->queue_timeout),
                .priority = definition->priority,
        };
        make_first_graph(adapter);
        make_engine(adapter);
        tell_time(adapter, adapter->world.now);
        /* The world before the first turn. */
        CHECK(vector_push(&adapter->worlds, adapter->world));
        return adapter;
}

/* Graphs that were made after @turn. */
static void drop_graphs(Adapter *adapter, uint32_t turn) {
        while (adapter->graphs.n > 0 && adapter->graphs.items[adapter->graphs.n - 1].turn > turn)
                run_graph_unref(adapter->graphs.items[--adapter->graphs.n].graph);
}

static void free_adapter(void *subject) {
        Adapter *adapter = subject;

        run_engine_free(adapter->engine);
        drop_graphs(adapter, 0);
        vector_deinit(&adapter->graphs);
        run_graph_unref(adapter->graph);
        vector_deinit(&adapter->rows);
        vector_deinit(&adapter->worlds);
        vector_deinit(&adapter->abandoned);
        free(adapter);
}

/* — restart — */

static void restore_run(Adapter *adapter, uint32_t id) {
        static RunNodeRow nodes[TRIAL_NODES_MAX];
        bool has_row[TRIAL_NODES_MAX] = {};
        const RunRow *row = NULL;
        uint32_t n = 0;

        for (size_t i = 0; i < adapter->rows.n; i++) {
                const Kept *kept = &adapter->rows.items[i];

                if (kept->run != id)
                        continue;
                if (!kept->is_node)
                        row = &kept->row;
                else {
                        nodes[kept->node.node] = kept->node;
                        has_row[kept->node.node] = true;
                }
        }
        if (!row)
                return;
        for (unsigned i = 0; i < TRIAL_NODES_MAX; i++)
                if (has_row[i])
                        nodes[n++] = nodes[i];
        CHECK(run_engine_restore(adapter->flow, graph_of(adapter, id), row, nodes, n));
        adapter->n_runs++;
}

/* What was after @turn has not been. */
static void restore_abandoned(Adapter *adapter, uint32_t turn) {
        size_t n = 0;

        for (unsigned r = 0; r < TRIAL_RUNS_MAX; r++)
                for (unsigned i = 0; i < TRIAL_NODES_MAX; i++)
                        if (adapter->started[r][i].started_in > turn)
                                adapter->started[r][i] = (Abandoned) {};
        for (size_t i = 0; i < adapter->abandoned.n; i++) {
                Abandoned *entry = &adapter->abandoned.items[i];

                if (entry->in > turn)
                        continue;
                entry->started_in = entry->started_in > turn ? NEVER : entry->started_in;
                entry->told_in = entry->told_in > turn ? NEVER : entry->told_in;
                entry->ended_in = entry->ended_in > turn ? NEVER : entry->ended_in;
                adapter->abandoned.items[n++] = *entry;
        }
        adapter->abandoned.n = n;
}

static void restart(Adapter *adapter, const TrialEvent *event) {
        World then;

        while (adapter->rows.n > 0 && adapter->rows.items[adapter->rows.n - 1].turn > event->turn)
                adapter->rows.n--;
        restore_abandoned(adapter, event->turn);
        adapter->worlds.n = event->turn + 1;
        then = adapter->worlds.items[event->turn];
        adapter->world = then;
        if (event->is_other_boot)
                adapter->world = (World) { .now = time_of(event->at) };
        adapter->turn = event->turn + 1;
        adapter->accepted = event->turn;
        adapter->durable = event->durable;
        adapter->n_runs = 0;
        memset(adapter->asked, 0, sizeof(adapter->asked));
        run_engine_free(adapter->engine);
        drop_graphs(adapter, event->turn);
        make_engine(adapter);
        run_engine_wall(adapter->engine, adapter->world.now, adapter->world.now);
        for (uint32_t id = 1; id <= TRIAL_RUNS_MAX; id++)
                restore_run(adapter, id);
        if (adapter->world.is_active)
                run_flow_unit(adapter->flow, RUN_UNIT_ACTIVE, false);
        run_engine_restored(adapter->engine, event->turn, event->durable, then.now, adapter->world.now,
                            event->is_other_boot);
}

/* — events — */

static int submit(Adapter *adapter, const TrialEvent *event) {
        const RunSubmit submit = { .id = event->run + 1U, .key = event->key, .graph = adapter->graph,
                                   .has_priority = event->priority > 0, .priority = event->priority };
        uint32_t id;
        int r;

        r = run_engine_submit(adapter->flow, &submit, &id);
        if (r == 0 && id == submit.id)
                adapter->n_runs++;
        return r;
}

static Abandoned *find_abandoned(Adapter *adapter, const RunAttemptKey *key) {
        for (size_t i = 0; i < adapter->abandoned.n; i++)
                if (is_same(&adapter->abandoned.items[i].key, key) && adapter->abandoned.items[i].ended_in == NEVER)
                        return &adapter->abandoned.items[i];
        return NULL;
}

static int tell_abandoned(Adapter *adapter, Abandoned *entry, const TrialEvent *event) {
        if (event->kind != TRIAL_STARTED)
                entry->ended_in = adapter->turn;
        else if (entry->started_in == NEVER)
                entry->started_in = adapter->turn;
        return 0;
}

static RunEndKind kind_of_end(const TrialEvent *event) {
        static const RunEndKind kinds[_TRIAL_END_MAX] = {
                [TRIAL_END_STATUS] = RUN_END_EXITED,
                [TRIAL_END_RESULT_INVALID] = RUN_END_RESULT_INVALID,
                [TRIAL_END_RESULT_TOO_LARGE] = RUN_END_RESULT_TOO_LARGE,
                [TRIAL_END_OUTPUT_MISSING] = RUN_END_OUTPUT_MISSING,
                [TRIAL_END_INPUT_MISSING] = RUN_END_INPUT_MISSING,
                [TRIAL_END_FAILED] = RUN_END_FAILED,
                [TRIAL_END_TIMEOUT] = RUN_END_TIMEOUT,
                [TRIAL_END_CANCELLED] = RUN_END_CANCELLED,
                [TRIAL_END_REFUSED] = RUN_END_REFUSED,
        };

        if (event->kind == TRIAL_LOST)
                return RUN_END_LOST;
        return event->kind == TRIAL_INTERRUPTED ? RUN_END_INTERRUPTED : kinds[event->end];
}

static int tell_attempt(Adapter *adapter, const TrialEvent *event) {
        const RunAttemptKey key = { event->run + 1U, number_of(adapter, event->run + 1U, event->node),
                                    event->generation, event->number };
        Abandoned *abandoned = find_abandoned(adapter, &key);

        if (event->kind == TRIAL_SUB_WAITS)
                return run_engine_sub_waits(adapter->engine, &key, event->waits) < 0 ? -ENOENT : 0;
        if (abandoned)
                return tell_abandoned(adapter, abandoned, event);
        if (event->kind == TRIAL_STARTED) {
                adapter->started[event->run][event->node] = (Abandoned) { .key = key, .started_in = adapter->turn };
                return run_engine_started(adapter->engine, &key, time_of(event->at));
        }
        return run_engine_ended(adapter->engine, &key, kind_of_end(event),
                                event->status == 2 ? END_OF_STATUS_2 : event->status);
}

static bool has_abandoned(const Adapter *adapter, uint32_t run) {
        for (size_t i = 0; i < adapter->abandoned.n; i++)
                if (adapter->abandoned.items[i].key.run == run && adapter->abandoned.items[i].ended_in == NEVER)
                        return true;
        return false;
}

static void end_abandoned(Adapter *adapter) {
        for (size_t i = 0; i < adapter->abandoned.n; i++)
                if (adapter->abandoned.items[i].told_in == NEVER)
                        adapter->abandoned.items[i].told_in = adapter->turn;
}

static int answer(Adapter *adapter, const TrialEvent *event) {
        static const RunAnswer answers[_TRIAL_ANSWER_MAX] = {
                [TRIAL_ANSWER_READY] = RUN_ANSWER_READY, [TRIAL_ANSWER_WAIT] = RUN_ANSWER_WAIT,
                [TRIAL_ANSWER_NEVER] = RUN_ANSWER_NEVER, [TRIAL_ANSWER_FAIL] = RUN_ANSWER_FAIL,
                [TRIAL_ANSWER_PENDING] = RUN_ANSWER_PENDING,
        };
        uint32_t *asked = &adapter->asked[event->run][event->node];

        if (*asked == event->generation)
                *asked = 0;
        return run_engine_answered(adapter->engine, event->run + 1U, event->node, event->generation,
                                   answers[event->answer]);
}

static void look_at_node(const Adapter *adapter, unsigned run, unsigned node, TrialView *view);

/*
 * A manager finds no parent of a name that is not there; what has begun or ended above and below is the engine's matter.
 * The same nodes again make the same graph again, with which the run goes on.
 */
static int add_nodes(Adapter *adapter, const TrialEvent *event) {
        const TrialDefinition *definition = adapter->definition;
        Grown grown = { .turn = adapter->turn, .run = event->run + 1U };
        uint8_t addition = event->node < definition->n_nodes ? definition->nodes[event->node].added_in : 0;
        char *problem = NULL;
        static TrialView view;
        int r;

        if (addition == 0)
                return -EINVAL;
        view.n_attempts = 0;
        for (unsigned i = 0; i < definition->n_nodes; i++)
                look_at_node(adapter, event->run, i, &view);
        for (size_t i = 0; i < adapter->graphs.n; i++)
                if (adapter->graphs.items[i].run == grown.run) {
                        memcpy(grown.additions, adapter->graphs.items[i].additions, sizeof(grown.additions));
                        grown.n_additions = adapter->graphs.items[i].n_additions;
                }
        if (view.runs[event->run].nodes[event->node].state == TRIAL_NODE_ABSENT) {
                if (!trial_knows_parents(definition, view.runs[event->run].nodes, addition))
                        return -EINVAL;
                grown.additions[grown.n_additions++] = addition;
        }
        grown.graph = make_graph(adapter, &grown);
        CHECK(vector_push(&adapter->graphs, grown));
        r = run_engine_grow(adapter->engine, grown.run, grown.graph, &problem);
        free(problem);
        if (r < 0)
                run_graph_unref(adapter->graphs.items[--adapter->graphs.n].graph);
        return r;
}

static int give_verb(Adapter *adapter, const TrialEvent *event) {
        static const RunVerb verbs[_TRIAL_EVENT_MAX] = {
                [TRIAL_PAUSE] = RUN_VERB_PAUSE,   [TRIAL_RESUME] = RUN_VERB_RESUME, [TRIAL_STOP] = RUN_VERB_STOP,
                [TRIAL_CANCEL] = RUN_VERB_CANCEL, [TRIAL_RETRY] = RUN_VERB_RETRY,   [TRIAL_RERUN] = RUN_VERB_RERUN,
                [TRIAL_SKIP] = RUN_VERB_SKIP,     [TRIAL_APPROVE] = RUN_VERB_APPROVE,
                [TRIAL_REJECT] = RUN_VERB_REJECT,         [TRIAL_COMPENSATE] = RUN_VERB_COMPENSATE,
                [TRIAL_UNLOCK] = RUN_VERB_UNLOCK,
        };
        static const RunVerb resolutions[] = { RUN_VERB_AS_SUCCESS, RUN_VERB_AS_FAILED, RUN_VERB_AS_RETRY,
                                               RUN_VERB_AS_SKIP };
        const bool begins_again = event->kind == TRIAL_RETRY || event->kind == TRIAL_RERUN ||
                                  event->kind == TRIAL_RESOLVE;
        const RunVerb verb = event->kind == TRIAL_RESOLVE ? resolutions[event->resolution] : verbs[event->kind];

        const uint32_t number = number_of(adapter, event->run + 1U, event->node);

        if (event->kind == TRIAL_ADD)
                return add_nodes(adapter, event);
        if (event->kind == TRIAL_COMPLETE)
                return run_engine_complete(adapter->engine, event->run + 1U, number, event->generation,
                                           event->resolution == TRIAL_AS_SUCCESS ? RUN_COMPLETION_SUCCESS
                                                                                 : RUN_COMPLETION_FAILURE);
        if (begins_again && has_abandoned(adapter, event->run + 1U))
                return -EBUSY;
        if (number == RUN_NODE_NONE)
                return verb >= RUN_VERB_RETRY && verb != RUN_VERB_COMPENSATE
                               ? -EINVAL
                               : run_engine_verb(adapter->engine, event->run + 1U, verb, 0);
        return run_engine_verb(adapter->engine, event->run + 1U, verb, number);
}

static void tell_unit(Adapter *adapter, const TrialEvent *event) {
        static const RunUnitEvent events[_TRIAL_EVENT_MAX] = {
                [TRIAL_UNIT_ACTIVE] = RUN_UNIT_ACTIVE,       [TRIAL_UNIT_FAILED] = RUN_UNIT_FAILED,
                [TRIAL_UNIT_CANCELLED] = RUN_UNIT_CANCELLED, [TRIAL_UNIT_STOP] = RUN_UNIT_STOP,
                [TRIAL_UNIT_INACTIVE] = RUN_UNIT_INACTIVE,
        };

        if (event->kind == TRIAL_UNIT_ACTIVE || event->kind == TRIAL_UNIT_STOP || event->kind == TRIAL_UNIT_INACTIVE)
                adapter->world.is_active = event->kind == TRIAL_UNIT_ACTIVE;
        run_flow_unit(adapter->flow, events[event->kind], event->by_person);
        if (event->kind == TRIAL_UNIT_STOP)
                end_abandoned(adapter);
}

static void tell_store(Adapter *adapter, const TrialEvent *event) {
        *(event->kind == TRIAL_ACCEPTED ? &adapter->accepted : &adapter->durable) = event->turn;
        run_engine_stored(adapter->engine, adapter->accepted, adapter->durable);
}

static void note_generations(Adapter *adapter) {
        for (unsigned r = 0; r < adapter->n_runs; r++)
                for (unsigned i = 0; i < trial_n_own(adapter->definition); i++) {
                        RunNodeRow row;
                        RunWhy why;

                        if (!adapter->definition->nodes[i].is_foreach)
                                continue;
                        CHECK(run_engine_get_node(adapter->engine, r + 1, i, &row, &why));
                        adapter->generations[r][i] = (uint8_t) row.generation;
                }
}

/* The watchdog finds nothing in an engine that is right, and changes nothing of it. */
static void find_oversight(void *userdata, uint32_t run, uint32_t node, RunOversight oversight) {
        fprintf(stderr, "The watchdog: run %u, node %d: %s.\n", run, (int) node, run_oversight_to_string(oversight));
        abort();
}

static void end_turn(Adapter *adapter) {
        note_generations(adapter);
        /* In slices, as a caller that has more to do would. */
        while (run_engine_turn(adapter->engine, 2))
                ;
        run_engine_watch_begin(adapter->engine);
        while (run_engine_watch(adapter->engine, 3, find_oversight, adapter))
                ;
        CHECK(vector_push(&adapter->worlds, adapter->world));
        adapter->turn++;
}

static int tell(Adapter *adapter, const TrialEvent *event) {
        if ((event->kind >= TRIAL_STARTED && event->kind <= TRIAL_INTERRUPTED) || event->kind == TRIAL_SUB_WAITS)
                return tell_attempt(adapter, event);
        if (trial_is_verb(event->kind))
                return give_verb(adapter, event);
        if (event->kind == TRIAL_ANSWERED)
                return answer(adapter, event);
        if (event->kind >= TRIAL_UNIT_ACTIVE && event->kind <= TRIAL_UNIT_INACTIVE)
                tell_unit(adapter, event);
        else if (event->kind == TRIAL_SUBMIT)
                return submit(adapter, event);
        else if (event->kind == TRIAL_TIME) {
                tell_time(adapter, time_of(event->at));
        } else if (event->kind == TRIAL_ACCEPTED || event->kind == TRIAL_DURABLE)
                tell_store(adapter, event);
        else if (event->kind == TRIAL_TURN)
                end_turn(adapter);
        else if (event->kind == TRIAL_RESTART)
                restart(adapter, event);
        return 0;
}

/*
 * Nothing that happens to a run takes memory: only new runs, nodes and instances
 * do. A turn is left out, for what it tells is kept here.
 */
static int apply(void *subject, const TrialEvent *event) {
        Adapter *adapter = subject;
        const bool may_allocate = event->kind == TRIAL_SUBMIT || event->kind == TRIAL_ADD || event->kind == TRIAL_RESTART ||
                                  event->kind == TRIAL_TURN || adapter->definition->n_items > 0;
        int r;

        if (may_allocate)
                return tell(adapter, event);
        CHECK(vector_reserve(&adapter->abandoned, TRIAL_RUNS_MAX * TRIAL_NODES_MAX));
        double_memory_arm(1, true);
        r = tell(adapter, event);
        if (double_memory_disarm())
                abort();
        return r;
}

/* — what is seen — */

static TrialReason reason_of_run(RunReason reason) {
        static const TrialReason reasons[_RUN_REASON_MAX] = {
                [RUN_REASON_RETRY] = TRIAL_REASON_RETRY,
                [RUN_REASON_AGAIN] = TRIAL_REASON_AGAIN,
                [RUN_REASON_STATUS] = TRIAL_REASON_STATUS,
                [RUN_REASON_LOST] = TRIAL_REASON_LOST,
                [RUN_REASON_INTERRUPTED] = TRIAL_REASON_INTERRUPTED,
                [RUN_REASON_POISON] = TRIAL_REASON_POISON,
                [RUN_REASON_FAILED] = TRIAL_REASON_FAILED,
                [RUN_REASON_UPSTREAM] = TRIAL_REASON_UPSTREAM,
                [RUN_REASON_UPSTREAM_FAILED] = TRIAL_REASON_UPSTREAM_FAILED,
                [RUN_REASON_ENDED] = TRIAL_REASON_ENDED,
                [RUN_REASON_OPERATOR] = TRIAL_REASON_OPERATOR,
                [RUN_REASON_UNNEEDED] = TRIAL_REASON_UNNEEDED,
                [RUN_REASON_DEADLINE] = TRIAL_REASON_DEADLINE,
                [RUN_REASON_QUEUE] = TRIAL_REASON_QUEUE,
                [RUN_REASON_WHEN] = TRIAL_REASON_WHEN,
                [RUN_REASON_EXPRESSION] = TRIAL_REASON_EXPRESSION,
                [RUN_REASON_SHORT_CIRCUIT] = TRIAL_REASON_SHORT_CIRCUIT,
                [RUN_REASON_POLICY] = TRIAL_REASON_POLICY,
                [RUN_REASON_SLEEP] = TRIAL_REASON_SLEEP,
                [RUN_REASON_JOB] = TRIAL_REASON_JOB,
                [RUN_REASON_GATE] = TRIAL_REASON_GATE,
                [RUN_REASON_REJECTED] = TRIAL_REASON_REJECTED,
                [RUN_REASON_RESULT_INVALID] = TRIAL_REASON_RESULT_INVALID,
                [RUN_REASON_RESULT_TOO_LARGE] = TRIAL_REASON_RESULT_TOO_LARGE,
                [RUN_REASON_OUTPUT_MISSING] = TRIAL_REASON_OUTPUT_MISSING,
                [RUN_REASON_INPUT_MISSING] = TRIAL_REASON_INPUT_MISSING,
                [RUN_REASON_REFUSED] = TRIAL_REASON_REFUSED,
                [RUN_REASON_CALLBACK] = TRIAL_REASON_CALLBACK,
                [RUN_REASON_COMPENSATE] = TRIAL_REASON_COMPENSATE,
                [RUN_REASON_FINAL] = TRIAL_REASON_FINAL,
                [RUN_REASON_FOREACH] = TRIAL_REASON_FOREACH,
                [RUN_REASON_TOO_MANY] = TRIAL_REASON_TOO_MANY,
                [RUN_REASON_SUB_RUN] = TRIAL_REASON_SUB_RUN,
                [RUN_REASON_UNIT] = TRIAL_REASON_UNIT,
                [RUN_REASON_DEPENDENCY] = TRIAL_REASON_DEPENDENCY,
        };

        return reasons[reason];
}

/* That what runs is not needed is not shown. */
static TrialReason reason_of(const TrialNode *spec, const RunNodeRow *row) {
        if (row->state == RUN_NODE_RUNNING && row->reason == RUN_REASON_SHORT_CIRCUIT) {
                if (spec->action == TRIAL_ACTION_JOB)
                        return TRIAL_REASON_JOB;
                if (spec->action == TRIAL_ACTION_RUN)
                        return TRIAL_REASON_SUB_RUN;
                if (spec->is_foreach)
                        return TRIAL_REASON_FOREACH;
                return trial_needs_no_attempt(spec) ? TRIAL_REASON_SLEEP : TRIAL_REASON_NONE;
        }
        return reason_of_run(row->reason);
}

static TrialWhy why_of(RunWhy why) {
        static const TrialWhy whys[_RUN_WHY_MAX] = {
                [RUN_WHY_NOTHING] = TRIAL_FOR_NOTHING, [RUN_WHY_PARENTS] = TRIAL_FOR_PARENTS,
                [RUN_WHY_HUMAN] = TRIAL_FOR_HUMAN,     [RUN_WHY_TIME] = TRIAL_FOR_TIME,
                [RUN_WHY_PROCESS] = TRIAL_FOR_PROCESS, [RUN_WHY_END] = TRIAL_FOR_END,
                [RUN_WHY_STORE] = TRIAL_FOR_STORE,     [RUN_WHY_PLACE] = TRIAL_FOR_PLACE,
                [RUN_WHY_RUN] = TRIAL_FOR_RUN,         [RUN_WHY_UNIT] = TRIAL_FOR_UNIT,
                [RUN_WHY_GATE] = TRIAL_FOR_GATE,       [RUN_WHY_JOB] = TRIAL_FOR_JOB,
                [RUN_WHY_POLICY] = TRIAL_FOR_POLICY,   [RUN_WHY_CALLBACK] = TRIAL_FOR_CALLBACK,
                [RUN_WHY_COMPENSATE] = TRIAL_FOR_COMPENSATION, [RUN_WHY_FINAL] = TRIAL_FOR_FINAL,
                [RUN_WHY_LOCK] = TRIAL_FOR_LOCK,       [RUN_WHY_RESOURCE] = TRIAL_FOR_RESOURCE,
                [RUN_WHY_ITEMS] = TRIAL_FOR_ITEMS,     [RUN_WHY_SUB_RUN] = TRIAL_FOR_SUB_RUN,
        };

        return whys[why];
}

static void look_at_abandoned(const Adapter *adapter, TrialView *view) {
        for (size_t i = 0; i < adapter->abandoned.n; i++) {
                const Abandoned *entry = &adapter->abandoned.items[i];

                if (entry->ended_in == NEVER)
                        view->attempts[view->n_attempts++] = (TrialAttempt) {
                                .run = (uint8_t) (entry->key.run - 1),
                                .node = (uint8_t) node_of(adapter, entry->key.run, entry->key.node),
                                .generation = (uint8_t) entry->key.generation,
                                .number = (uint8_t) entry->key.number,
                                .state = entry->started_in == NEVER ? TRIAL_ATTEMPT_SPAWNED : TRIAL_ATTEMPT_RUNNING,
                                .is_ending = entry->told_in != NEVER,
                                .is_abandoned = true,
                        };
        }
}

static void look_at_node(const Adapter *adapter, unsigned run, unsigned node, TrialView *view) {
        TrialNodeView *seen = &view->runs[run].nodes[node];
        RunNodeRow row;
        RunWhy why;

        const uint32_t number = number_of(adapter, run + 1, node);

        if (number == RUN_NODE_NONE) {
                *seen = (TrialNodeView) { .generation = 1, .why = TRIAL_FOR_RUN };
                if (adapter->definition->nodes[node].is_item || adapter->definition->nodes[node].added_in > 0)
                        *seen = (TrialNodeView) { .state = TRIAL_NODE_ABSENT };
                return;
        }
        CHECK(run_engine_get_node(adapter->engine, run + 1, number, &row, &why));
        *seen = (TrialNodeView) {
                .state = (TrialNodeState) row.state,
                .reason = reason_of(&adapter->definition->nodes[node], &row),
                .generation = (uint8_t) row.generation,
                .why = why_of(why),
                .not_before = row.state == RUN_NODE_DEFERRED ? seconds_of(row.at) : 0,
                .is_asked = (row.state == RUN_NODE_WAITING || row.state == RUN_NODE_BLOCKED) &&
                            adapter->asked[run][node] == row.generation,
        };
        if (row.attempt != RUN_ATTEMPT_NONE)
                view->attempts[view->n_attempts++] = (TrialAttempt) {
                        .run = (uint8_t) run,
                        .node = (uint8_t) node,
                        .generation = (uint8_t) row.generation,
                        .number = (uint8_t) row.number,
                        .state = (TrialAttemptState) (row.attempt - RUN_ATTEMPT_IS_HELD),
                        .is_ending = row.outcome != RUN_OUTCOME_OPEN,
                };
}

/* No trial has a batch, which alone is AWAITING: that is no state of it. */
static TrialRunState state_of_run(RunState state) {
        static const TrialRunState states[_RUN_STATE_MAX] = {
                [RUN_CREATED] = TRIAL_RUN_CREATED,     [RUN_QUEUED] = TRIAL_RUN_QUEUED,
                [RUN_RUNNING] = TRIAL_RUN_RUNNING,     [RUN_AWAITING] = _TRIAL_RUN_STATE_MAX,
                [RUN_PAUSING] = TRIAL_RUN_PAUSING,     [RUN_PAUSED] = TRIAL_RUN_PAUSED,
                [RUN_SUSPENDED] = TRIAL_RUN_SUSPENDED, [RUN_STOPPING] = TRIAL_RUN_STOPPING,
                [RUN_SUCCEEDED] = TRIAL_RUN_SUCCEEDED, [RUN_PARTIAL] = TRIAL_RUN_PARTIAL,
                [RUN_FAILED] = TRIAL_RUN_FAILED,       [RUN_TIMEOUT] = TRIAL_RUN_TIMEOUT,
                [RUN_CANCELLED] = TRIAL_RUN_CANCELLED,
        };

        return states[state];
}

/* States of nodes have the order of run_trial.h, and so have the reasons that a run has. */
static void look(void *subject, TrialView *ret_view) {
        const Adapter *adapter = subject;
        const unsigned n_views = trial_n_views(adapter->definition);

        memset(ret_view, 0, sizeof(*ret_view));
        ret_view->n_runs = adapter->n_runs;
        ret_view->deadline = seconds_of(run_engine_deadline(adapter->engine));
        for (unsigned r = 0; r < adapter->n_runs; r++) {
                TrialRunView *seen = &ret_view->runs[r];
                RunRow row;
                RunWhy why;

                CHECK(run_engine_get(adapter->engine, r + 1, &row, &why));
                seen->state = state_of_run(row.state);
                seen->reason = reason_of_run(row.reason);
                seen->is_held = row.is_held;
                seen->round = (uint8_t) row.round;
                seen->why = why_of(why);
                for (unsigned i = 0; i < n_views; i++)
                        look_at_node(adapter, r, i, ret_view);
        }
        look_at_abandoned(adapter, ret_view);
}

const TrialSubject run_adapter_subject = {
        .name = "engine", .features = FEATURES, .new_subject = new_adapter, .free_subject = free_adapter, .apply = apply, .look = look
};
