/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the settings of a flow to what its runs go through
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/arena.h"
#include "basic/hash.h"
#include "basic/index_table.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "flow/flow_spec.h"

#define PARALLEL_PER_PROCESSOR 4U
/* EX_TEMPFAIL of sysexits.h */
#define AGAIN_STATUS 75U
/* Of a compensation, and of the final command. */
#define END_TIMEOUT (90 * USEC_PER_SEC)
#define AGAIN_DELAY (5 * USEC_PER_SEC)
/* Chunks of the arena are as dear to free as the memory of so many nodes. */
#define NODES_A_CHUNK 64U

struct FlowSpec {
        const FlowSettings *flow; /* borrowed */
        VECTOR(RunNodeSpec) nodes;
        VECTOR(RunNodeSpec) extras, parts; /* compensations: commands; sub-runs that are undone */
        VECTOR(RunDemand) demands; /* equal ones once */
        IndexTable by_demand;
        uint32_t demand; /* of a run; index, plus one; 0: nothing */
        bool drops_results, saves_results; /* of any node */
        Arena memory; /* of names and lists */
        RunGraphMaker *maker; /* owned; NULL: the graph is not begun */
        size_t n_own; /* of .nodes, once it is: those of the end are behind them */
};

FlowSpec *flow_spec_free(FlowSpec *spec) {
        if (!spec)
                return NULL;
        run_graph_maker_free(spec->maker);
        vector_deinit(&spec->nodes);
        vector_deinit(&spec->extras);
        vector_deinit(&spec->parts);
        vector_deinit(&spec->demands);
        index_table_deinit(&spec->by_demand);
        arena_deinit(&spec->memory);
        free(spec);
        return NULL;
}

bool flow_spec_free_some(FlowSpec *spec, size_t n_nodes) {
        const size_t n = spec->nodes.allocated > n_nodes ? spec->nodes.allocated - n_nodes : 0;
        RunNodeSpec *fewer;

        assert(!spec->maker);

        if (n == 0)
                return arena_free_some(&spec->memory, MAX(n_nodes / NODES_A_CHUNK, (size_t) 1));
        /* The pages behind them go at once. */
        fewer = realloc(spec->nodes.items, n * sizeof(*fewer));
        if (!fewer)
                return false;
        spec->nodes.items = fewer;
        spec->nodes.allocated = n;
        spec->nodes.n = MIN(spec->nodes.n, n);
        return true;
}

/* — policies — */

static RunReadiness readiness_of(const FlowReadiness *readiness) {
        static const RunReadiness of[_FLOW_READY_MAX] = {
                [FLOW_READY_ALL_SUCCEEDED] = RUN_READY_ALL_SUCCEEDED,
                [FLOW_READY_ALL_FINISHED] = RUN_READY_ALL_FINISHED,
                [FLOW_READY_AT_LEAST] = RUN_READY_AT_LEAST,
                [FLOW_READY_ANY] = RUN_READY_ANY,
                [FLOW_READY_NAMED] = RUN_READY_NAMED,
                [FLOW_READY_NONE_FAILED] = RUN_READY_NONE_FAILED,
                [FLOW_READY_ONE_FAILED] = RUN_READY_ONE_FAILED,
                [FLOW_READY_ALL_FAILED] = RUN_READY_ALL_FAILED,
                [FLOW_READY_ALWAYS] = RUN_READY_ALWAYS,
                [FLOW_READY_NONE_SKIPPED] = RUN_READY_NONE_SKIPPED,
                [FLOW_READY_ONE_DONE] = RUN_READY_ONE_DONE,
                [FLOW_READY_ALL_SKIPPED] = RUN_READY_ALL_SKIPPED,
                [FLOW_READY_NONE_FAILED_MIN_ONE] = RUN_READY_NONE_FAILED_MIN_ONE,
                [FLOW_READY_ONE_SUCCESS] = RUN_READY_AT_LEAST,
                [FLOW_READY_BY_POLICY] = RUN_READY_BY_POLICY,
        };

        return readiness->kind == FLOW_READY_AT_LEAST && readiness->is_percent ? RUN_READY_AT_LEAST_PERCENT
                                                                               : of[readiness->kind];
}

/* All parents are optional: the first success is enough. */
static bool takes_any(const FlowNode *node) {
        for (size_t i = 0; i < node->depends_on.n; i++)
                if (node->depends_on.items[i].kind == FLOW_DEPENDS_ON)
                        return false;
        return node->depends_on.n > 0;
}

/* A command that may run again after a failure may do so after it was lost, too. */
static RunRecover recover_of(const FlowNode *node) {
        switch (node->recover) {
        case FLOW_RECOVER_RETRY:
                return RUN_RECOVER_RETRY;
        case FLOW_RECOVER_PENDING:
                return RUN_RECOVER_PENDING;
        case FLOW_RECOVER_FAIL:
                return RUN_RECOVER_FAIL;
        case FLOW_RECOVER_UNSET:
        case _FLOW_RECOVER_MAX:
                break;
        }
        return node->retry > 0 || node->idempotent ? RUN_RECOVER_RETRY : RUN_RECOVER_PENDING;
}

static RunFailurePolicy failure_of(FlowFailure failure) {
        switch (failure) {
        case FLOW_FAILURE_CONTINUE:
                return RUN_POLICY_CONTINUE;
        case FLOW_FAILURE_SUSPEND:
                return RUN_POLICY_SUSPEND;
        case FLOW_FAILURE_UNSET:
        case FLOW_FAILURE_END:
        case _FLOW_FAILURE_MAX:
                break;
        }
        return RUN_POLICY_END;
}

static RunBackoff backoff_of(FlowBackoff backoff) {
        switch (backoff) {
        case FLOW_BACKOFF_LINEAR:
                return RUN_BACKOFF_LINEAR;
        case FLOW_BACKOFF_EXPONENTIAL:
                return RUN_BACKOFF_EXPONENTIAL;
        case FLOW_BACKOFF_FIXED:
        case _FLOW_BACKOFF_MAX:
                break;
        }
        return RUN_BACKOFF_FIXED;
}

static void set_ends(RunEndSet ends, const ExitStatusSet *set) {
        static_assert(sizeof(RunEndSet) == sizeof(set->statuses) + sizeof(set->signals),
                      "an end is a status, or a signal behind all statuses");

        memcpy(ends, set->statuses, sizeof(set->statuses));
        memcpy(ends + ELEMENTSOF(set->statuses), set->signals, sizeof(set->signals));
}

static bool is_empty(const RunEndSet ends) {
        static const RunEndSet none;

        return memcmp(ends, none, sizeof(none)) == 0;
}

static RunEndRun end_run_of(FlowEndRun end_run) {
        switch (end_run) {
        case FLOW_END_RUN_SUCCESS:
                return RUN_END_RUN_SUCCESS;
        case FLOW_END_RUN_FAILURE:
                return RUN_END_RUN_FAILURE;
        case FLOW_END_RUN_NO:
        case _FLOW_END_RUN_MAX:
                break;
        }
        return RUN_END_RUN_NO;
}

static uint8_t priority_of(const FlowSettings *flow, const FlowClaim *claim) {
        uint32_t priority = claim->priority != FLOW_PRIORITY_UNSET ? claim->priority : flow->claim.priority;

        return (uint8_t) (priority != FLOW_PRIORITY_UNSET ? priority : FLOW_PRIORITY_MEDIUM);
}

static bool gives_up_locks(const FlowSettings *flow, const FlowClaim *claim) {
        return (claim->hold_lock != FLOW_HOLD_UNSET ? claim->hold_lock : flow->claim.hold_lock) == FLOW_HOLD_ATTEMPT;
}

/* Tries, statuses and times are those of items, which the launch knows: no launch is tried again for itself. */
static void make_range_policy(const FlowSpec *spec, const FlowNode *node, RunPolicy *ret_policy) {
        memset(ret_policy, 0, sizeof(*ret_policy));
        ret_policy->action = RUN_ACTION_RANGE;
        ret_policy->readiness = RUN_READY_ALL_SUCCEEDED;
        ret_policy->recover = RUN_RECOVER_RETRY;
        ret_policy->failure = RUN_POLICY_END;
        ret_policy->window = ret_policy->timeout = ret_policy->total_timeout = USEC_INFINITY;
        ret_policy->priority = priority_of(spec->flow, &node->claim);
        ret_policy->takes_priority = true;
        ret_policy->gives_up_locks = gives_up_locks(spec->flow, &node->claim);
        ret_policy->stays = true;
}

static void set_statuses(const FlowNode *node, RunPolicy *policy) {
        set_ends(policy->retry_ends, &node->retry_exit_status);
        set_ends(policy->no_retry_ends, &node->no_retry_exit_status);
        set_ends(policy->success_ends, &node->success_exit_status);
        set_ends(policy->pending_ends, &node->pending_exit_status);
        set_ends(policy->again_ends, &node->again_exit_status);
        if (node->again > 0 && is_empty(policy->again_ends))
                policy->again_ends[AGAIN_STATUS / 64] |= UINT64_C(1) << AGAIN_STATUS % 64;
        policy->again = node->again;
}

void flow_spec_item_policy(const FlowNode *node, RunPolicy *ret_policy) {
        *ret_policy = (RunPolicy) {};
        set_statuses(node, ret_policy);
}

RunRangeEnd flow_spec_item_end(const RunPolicy *policy, RunEndKind kind, uint16_t end, bool is_told) {
        const bool is_success = kind == RUN_END_EXITED && (end == 0 || run_end_set_has(policy->success_ends, end));

        /* Of what one that was told to end has done nobody can be sure. */
        if (is_told)
                return RUN_RANGE_RETURNED;
        if (is_success)
                return RUN_RANGE_SUCCESS;
        if (kind == RUN_END_LOST)
                return RUN_RANGE_LOST;
        if (kind == RUN_END_INTERRUPTED || kind == RUN_END_CANCELLED)
                return RUN_RANGE_RETURNED;
        if (kind != RUN_END_EXITED)
                return RUN_RANGE_FAILURE;
        return policy->again > 0 && run_end_set_has(policy->again_ends, end) ? RUN_RANGE_AGAIN
               : run_policy_retries(policy, end)                            ? RUN_RANGE_FAILURE
                                                                            : RUN_RANGE_FINAL;
}

static RunRangeBackoff range_backoff(FlowBackoff backoff) {
        return backoff == FLOW_BACKOFF_LINEAR        ? RUN_RANGE_LINEAR
               : backoff == FLOW_BACKOFF_EXPONENTIAL ? RUN_RANGE_EXPONENTIAL
                                                     : RUN_RANGE_FIXED;
}

void flow_spec_range_settings(const FlowRange *range, const FlowNode *node, uint32_t n_processors,
                              RunRangeSettings *ret_settings) {
        *ret_settings = (RunRangeSettings) {
                .n = range->items,
                .is_open = range->items == 0,
                .window = flow_range_window(range, n_processors),
                .slots = flow_range_slots(range, n_processors),
                .rate = range->rate,
                .period = range->rate_period,
                .burst = range->burst,
                .retry = node->retry,
                .backoff = range_backoff(node->retry_backoff),
                .delay = node->retry_delay,
                .max_delay = node->retry_max_delay,
                .jitter = node->retry_jitter,
                .max_errors = range->max_errors,
                .max_error_percent = range->max_error_percent,
                .max_errors_total = range->max_errors_total,
        };
}

static void set_tries(const FlowNode *node, RunPolicy *policy) {
        policy->recover = recover_of(node);
        policy->backoff = backoff_of(node->retry_backoff);
        policy->retry = node->retry;
        policy->jitter = node->retry_jitter;
        policy->delay = node->retry_delay;
        policy->max_delay = node->retry_max_delay;
        policy->window = node->retry_window;
        policy->timeout = node->timeout;
        policy->total_timeout = node->total_timeout;
}

void flow_spec_element_policy(const FlowNode *node, RunPolicy *ret_policy) {
        *ret_policy = (RunPolicy) {};
        set_tries(node, ret_policy);
        set_statuses(node, ret_policy);
        ret_policy->failure = node->failure_policy == FLOW_FAILURE_SUSPEND ? RUN_POLICY_SUSPEND : RUN_POLICY_CONTINUE;
}

/* The bytes of equal policies are equal, so that the graph stores them once. */
static void make_policy(const FlowSpec *spec, const FlowNode *node, RunPolicy *ret_policy) {
        memset(ret_policy, 0, sizeof(*ret_policy));
        ret_policy->action = node->flow ? RUN_ACTION_RUN : node->unit ? RUN_ACTION_JOB : RUN_ACTION_PROCESS;
        ret_policy->readiness = takes_any(node) ? RUN_READY_ANY : readiness_of(&node->readiness);
        ret_policy->amount = node->readiness.kind == FLOW_READY_ONE_SUCCESS ? 1 : node->readiness.n;
        ret_policy->failure = failure_of(flow_node_failure(spec->flow, node));
        set_tries(node, ret_policy);
        ret_policy->queue_timeout = node->claim.queue_timeout != USEC_INFINITY ? node->claim.queue_timeout : 0;
        ret_policy->priority = priority_of(spec->flow, &node->claim);
        ret_policy->takes_priority = node->claim.priority == FLOW_PRIORITY_UNSET;
        ret_policy->gives_up_locks = gives_up_locks(spec->flow, &node->claim);
        set_statuses(node, ret_policy);
        ret_policy->again_max = node->again_max;
        ret_policy->again_window = node->again_window == USEC_INFINITY ? 0 : node->again_window;
        ret_policy->has_condition = node->when;
        ret_policy->is_otherwise = node->otherwise;
        ret_policy->is_foreach = node->foreach;
        ret_policy->foreach_parallel = node->foreach ? node->foreach_parallel : 0;
        ret_policy->has_gate = node->has_gate;
        ret_policy->has_callback = node->has_callback;
        ret_policy->sleep = node->sleep;
        ret_policy->sleeps_until = node->sleep_until;
        ret_policy->is_goal = node->always;
        ret_policy->stays = !flow_node_may_be_skipped(spec->flow, node);
        ret_policy->has_default = flow_data_has_default(&node->data, FLOW_DEFAULT_ON_FAILURE);
        ret_policy->has_default_for_timeout = flow_data_has_default(&node->data, FLOW_DEFAULT_ON_TIMEOUT);
        ret_policy->has_default_for_skip = flow_data_has_default(&node->data, FLOW_DEFAULT_ON_SKIP);
        ret_policy->drops_result = node->data.drops_result;
        ret_policy->saves_result = node->data.saves_result;
        ret_policy->end_run = end_run_of(node->end_run);
        ret_policy->tells_begin = flow_node_targets(spec->flow, node, true)->n > 0;
        ret_policy->tells_end = flow_node_targets(spec->flow, node, false)->n > 0;
}

/* Nothing tries again by itself what ends a run, and nobody knows better than a person what became of it. */
static void make_end_policy(const FlowSpec *spec, const FlowClaim *claim, RunFailurePolicy failure,
                            RunPolicy *ret_policy) {
        memset(ret_policy, 0, sizeof(*ret_policy));
        ret_policy->action = RUN_ACTION_PROCESS;
        ret_policy->readiness = RUN_READY_ALL_SUCCEEDED;
        ret_policy->recover = RUN_RECOVER_PENDING;
        ret_policy->failure = failure;
        ret_policy->delay = ret_policy->max_delay = AGAIN_DELAY;
        ret_policy->window = ret_policy->total_timeout = USEC_INFINITY;
        ret_policy->timeout = END_TIMEOUT;
        ret_policy->priority = priority_of(spec->flow, claim);
        ret_policy->takes_priority = claim->priority == FLOW_PRIORITY_UNSET;
        ret_policy->gives_up_locks = gives_up_locks(spec->flow, claim);
}

/* — demands — */

static uint32_t hash_demand(const FlowClaim *claim) {
        uint64_t hash = HASH_BEGIN;

        strv_foreach(lock, claim->locks)
                hash = hash_add(hash, *lock);
        for (size_t i = 0; i < claim->needs.n; i++)
                hash = hash_add(hash, claim->needs.items[i].name) ^ claim->needs.items[i].amount;
        hash ^= claim->lock_slots;
        return (uint32_t) (hash ^ hash >> 32);
}

static bool is_demand(const RunDemand *demand, const FlowClaim *claim) {
        if (demand->n_locks != strv_length(claim->locks) || demand->n_needs != claim->needs.n)
                return false;
        for (size_t i = 0; i < demand->n_locks; i++)
                if (strcmp(demand->locks[i].name, claim->locks[i]) != 0 || demand->locks[i].slots != claim->lock_slots)
                        return false;
        for (size_t i = 0; i < demand->n_needs; i++)
                if (strcmp(demand->needs[i].name, claim->needs.items[i].name) != 0 ||
                    demand->needs[i].amount != claim->needs.items[i].amount)
                        return false;
        return true;
}

static int make_demand(FlowSpec *spec, const FlowClaim *claim, RunDemand *ret_demand) {
        const size_t n_locks = strv_length(claim->locks);
        RunDemandLock *locks = arena_alloc(&spec->memory, n_locks * sizeof(*locks));
        RunDemandNeed *needs = arena_alloc(&spec->memory, claim->needs.n * sizeof(*needs));

        if (!locks || !needs)
                return -ENOMEM;
        for (size_t i = 0; i < n_locks; i++) {
                locks[i] = (RunDemandLock) { arena_strdup(&spec->memory, claim->locks[i]), claim->lock_slots };
                if (!locks[i].name)
                        return -ENOMEM;
        }
        for (size_t i = 0; i < claim->needs.n; i++) {
                const FlowNeed *need = &claim->needs.items[i];

                needs[i] = (RunDemandNeed) { arena_strdup(&spec->memory, need->name), need->amount };
                if (!needs[i].name)
                        return -ENOMEM;
        }
        *ret_demand = (RunDemand) { locks, needs, n_locks, claim->needs.n };
        return 0;
}

/* *ret_demand is 0 for a claim of nothing. */
static int find_demand(FlowSpec *spec, const FlowClaim *claim, uint32_t *ret_demand) {
        const uint32_t hash = hash_demand(claim);
        RunDemand demand;
        uint32_t index;
        int r;

        *ret_demand = 0;
        if (!claim->locks && claim->needs.n == 0)
                return 0;
        for (size_t probe = 0; index_table_next(&spec->by_demand, hash, &probe, &index);)
                if (is_demand(&spec->demands.items[index], claim)) {
                        *ret_demand = index + 1;
                        return 0;
                }
        r = make_demand(spec, claim, &demand);
        if (r == 0)
                r = index_table_reserve(&spec->by_demand, 1);
        if (r == 0)
                r = vector_push(&spec->demands, demand);
        if (r < 0)
                return r;
        *ret_demand = (uint32_t) spec->demands.n;
        return index_table_put(&spec->by_demand, hash, *ret_demand - 1);
}

int flow_spec_new(FlowSpec **ret_spec, const FlowSettings *flow) {
        cleanup_(flow_spec_freep) FlowSpec *spec = calloc(1, sizeof(*spec));
        int r;

        if (!spec)
                return -ENOMEM;
        spec->flow = flow;
        r = find_demand(spec, &flow->claim, &spec->demand);
        if (r < 0)
                return r;
        *ret_spec = take_ptr(spec);
        return 0;
}

/* — nodes — */

static const FlowParent *find_parent(const FlowParents *parents, const char *name) {
        for (size_t i = 0; i < parents->n; i++)
                if (strcmp(parents->items[i].name, name) == 0)
                        return &parents->items[i];
        return NULL;
}

static uint8_t edge_of(const FlowNode *node, const FlowDependency *dependency) {
        const bool is_any = dependency->kind == FLOW_DEPENDS_ON && node->readiness.kind == FLOW_READY_ANY;
        const FlowParent *skip = find_parent(&node->skip_counts_as, dependency->name);
        unsigned edge = dependency->kind != FLOW_DEPENDS_ON || is_any ? RUN_EDGE_OPTIONAL : 0;

        if (find_parent(&node->named, dependency->name))
                edge |= RUN_EDGE_NAMED;
        if (skip)
                edge |= skip->is_success ? RUN_EDGE_SKIP_SUCCEEDS : RUN_EDGE_SKIP_FAILS;
        return (uint8_t) edge;
}

static int list_parents(FlowSpec *spec, const FlowNode *node, RunNodeSpec *entry) {
        const char **parents = arena_alloc(&spec->memory, node->depends_on.n * sizeof(*parents));
        uint8_t *edges = arena_alloc(&spec->memory, node->depends_on.n * sizeof(*edges));

        if (!parents || !edges)
                return -ENOMEM;
        for (size_t i = 0; i < node->depends_on.n; i++) {
                parents[i] = arena_strdup(&spec->memory, node->depends_on.items[i].name);
                if (!parents[i])
                        return -ENOMEM;
                edges[i] = edge_of(node, &node->depends_on.items[i]);
        }
        entry->parents = parents;
        entry->edges = edges;
        entry->n_parents = (uint32_t) node->depends_on.n;
        return 0;
}

/* The compensation of @node, whose number is @number, with the same locks: its command, or that its run is undone. */
static int add_compensation(FlowSpec *spec, const FlowNode *node, uint32_t number, uint32_t demand) {
        RunNodeSpec entry = { .payload = number, .undoes = number };
        cleanup_free_ char *name = NULL;

        if (!node->compensation && !node->flow)
                return 0;
        if (text_format(&name, "%s" FLOW_COMPENSATION, node->name) < 0)
                return -ENOMEM;
        entry.name = arena_strdup(&spec->memory, name);
        if (!entry.name)
                return -ENOMEM;
        make_end_policy(spec, &node->claim, RUN_POLICY_SUSPEND, &entry.policy);
        entry.policy.demand = demand;
        if (node->compensation)
                return vector_push(&spec->extras, entry);
        /* Whatever undoes a node of that run has a time limit of its own. */
        entry.policy.action = RUN_ACTION_RUN;
        entry.policy.timeout = USEC_INFINITY;
        return vector_push(&spec->parts, entry);
}

/* Earlier versions undid no sub-runs: these come last, so that all other nodes have the numbers that they had. */
static int add_extras(FlowSpec *spec) {
        int r = vector_reserve(&spec->nodes, spec->extras.n + spec->parts.n + 1);

        for (size_t i = 0; i < spec->extras.n && r == 0; i++)
                r = vector_push(&spec->nodes, spec->extras.items[i]);
        if (r == 0 && spec->flow->final) {
                RunNodeSpec entry = { .name = FLOW_FINAL, .undoes = RUN_NODE_NONE };

                make_end_policy(spec, &spec->flow->claim, RUN_POLICY_CONTINUE, &entry.policy);
                r = vector_push(&spec->nodes, entry);
        }
        for (size_t i = 0; i < spec->parts.n && r == 0; i++)
                r = vector_push(&spec->nodes, spec->parts.items[i]);
        return r;
}

/* A launch of a batch takes a launcher of the host, see FLOW_LAUNCHERS; that of a stream, which never ends, none. */
static int find_node_demand(FlowSpec *spec, const FlowNode *node, uint32_t *ret_demand) {
        FlowNeed launcher = { (char[]) { FLOW_LAUNCHERS }, 1 };
        const FlowClaim claim = { .needs = { .items = &launcher, .n = 1 } };

        return find_demand(spec, node->is_range && !spec->flow->is_stream ? &claim : &node->claim, ret_demand);
}

int flow_spec_add(FlowSpec *spec, const FlowNode *node, uint32_t command) {
        RunNodeSpec entry = { .payload = flow_node_acts(node) ? command : RUN_NODE_NONE };
        int r;

        entry.name = arena_strdup(&spec->memory, node->name);
        if (!entry.name)
                return -ENOMEM;
        r = list_parents(spec, node, &entry);
        if (r < 0)
                return r;
        if (node->is_range)
                make_range_policy(spec, node, &entry.policy);
        else
                make_policy(spec, node, &entry.policy);
        spec->drops_results |= entry.policy.drops_result;
        spec->saves_results |= entry.policy.saves_result;
        r = find_node_demand(spec, node, &entry.policy.demand);
        if (r == 0)
                r = add_compensation(spec, node, (uint32_t) spec->nodes.n, entry.policy.demand);
        if (r < 0)
                return r;
        return vector_push(&spec->nodes, entry);
}

bool flow_spec_drops_results(const FlowSpec *spec) {
        return spec->drops_results;
}

bool flow_spec_saves_results(const FlowSpec *spec) {
        return spec->saves_results;
}

int flow_spec_add_sections(FlowSpec *spec) {
        int r = vector_reserve(&spec->nodes, spec->flow->nodes.n);

        for (size_t i = 0; r == 0 && i < spec->flow->nodes.n; i++)
                r = flow_spec_add(spec, &spec->flow->nodes.items[i], (uint32_t) i);
        return r;
}

static int begin_graph(FlowSpec *spec) {
        const size_t n = spec->n_own = spec->nodes.n;
        int r = add_extras(spec);
        const RunGraphSpec graph = {
                .nodes = spec->nodes.items,
                .n_nodes = (uint32_t) spec->nodes.n,
                .first_extra = (uint32_t) n,
                .n_extra = (uint32_t) (spec->nodes.n - n),
                .demands = spec->demands.items,
                .n_demands = (uint32_t) spec->demands.n,
                .demand = spec->demand,
                .undo_on = (spec->flow->compensate_on & FLOW_COMPENSATE_ON_FAILURE ? RUN_UNDO_ON_FAILURE : 0U) |
                           (spec->flow->compensate_on & FLOW_COMPENSATE_ON_CANCEL ? RUN_UNDO_ON_CANCEL : 0U),
        };

        return r == 0 ? run_graph_begin(&graph, &spec->maker) : r;
}

int flow_spec_make(FlowSpec *spec, uint64_t budget, RunGraph **ret_graph, char **ret_problem) {
        int r = spec->maker ? 0 : begin_graph(spec);

        if (r == 0)
                r = run_graph_make(spec->maker, budget, ret_graph, ret_problem);
        if (r > 0)
                return r;
        spec->maker = run_graph_maker_free(spec->maker);
        spec->nodes.n = spec->n_own;
        return r;
}

/* — runs — */

static RunBusy busy_of(FlowBusy busy) {
        switch (busy) {
        case FLOW_BUSY_REJECT:
                return RUN_BUSY_REJECT;
        case FLOW_BUSY_SKIP:
                return RUN_BUSY_SKIP;
        case FLOW_BUSY_REPLACE:
                return RUN_BUSY_REPLACE;
        case FLOW_BUSY_QUEUE:
        case _FLOW_BUSY_MAX:
                break;
        }
        return RUN_BUSY_QUEUE;
}

static RunTimeoutMode timeout_mode_of(FlowTimeoutMode mode) {
        switch (mode) {
        case FLOW_TIMEOUT_DRAIN:
                return RUN_TIMEOUT_DRAIN;
        case FLOW_TIMEOUT_ABANDON:
                return RUN_TIMEOUT_ABANDON;
        case FLOW_TIMEOUT_TERMINATE:
        case _FLOW_TIMEOUT_MODE_MAX:
                break;
        }
        return RUN_TIMEOUT_TERMINATE;
}

void flow_spec_settings(const FlowSettings *flow, FlowBusy busy, uint32_t n_processors, RunSettings *ret_settings) {
        *ret_settings = (RunSettings) {
                .max_parallel = flow->max_parallel > 0 ? flow->max_parallel : PARALLEL_PER_PROCESSOR * n_processors,
                .max_runs = flow->max_runs,
                .max_queued = flow->max_queued,
                .on_busy = busy_of(busy),
                .end_kills = flow->end_mode == FLOW_END_KILL,
                .timeout_mode = timeout_mode_of(flow->timeout_mode),
                .timeout = flow->run_timeout,
                .queue_timeout = flow->claim.queue_timeout,
                .priority = priority_of(flow, &flow->claim),
        };
}
