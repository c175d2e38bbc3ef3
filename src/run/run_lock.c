/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The shares of runs and nodes in the pool, by their states
 *
 * A run that can wait for its place waits for its locks and resources, too,
 * and takes all in one step. A node waits while it is READY, and holds its
 * locks until it is terminal, its resources while an attempt runs. So what is
 * held after a restart follows from the states, and needs no rows.
 */

#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "run/run_private.h"

/* The demand of @node itself: the instances of a node with Foreach= take it in its place. */
static const RunDemand *demand_of(const RunGraph *graph, uint32_t node) {
        return node != RUN_NODE_NONE && run_graph_policy(graph, node)->is_foreach ? NULL
                                                                                  : run_graph_demand(graph, node);
}

static RunClaim *claim_of(const Run *run, uint32_t node) {
        return run->claims ? run->claims[node] : NULL;
}

bool run_lock_has(const Run *run, uint32_t node) {
        return claim_of(run, node);
}

static uint8_t priority_by(const Run *run, const RunPolicy *policy) {
        return policy->takes_priority ? run->settings.priority : policy->priority;
}

uint8_t run_node_priority(const Run *run, uint32_t node) {
        return priority_by(run, run_graph_policy(run->graph, node));
}

/* — memory — */

static RunGate *gate_of(Run *run, const RunGraph *graph, uint32_t node) {
        return run_graph_needs_no_place(graph, node) ? &run->wait_gate : &run->gate;
}

/* The node of the run above that @run belongs to, or the compensation of that, as long as it has @run undone. */
static uint32_t node_above(const Run *run) {
        const uint32_t node = run->row.parent_node;
        const uint32_t undo = node < run->parent->n ? run_undo_of(run->parent, node) : RUN_NODE_NONE;

        return undo != RUN_NODE_NONE && run_node_is_live(&run->parent->nodes[undo]) ? undo : node;
}

/* A sub-run has what the node has that it belongs to, and what is above that. */
static RunClaim *claim_above(const Run *run) {
        for (; run->parent; run = run->parent) {
                const Run *parent = run->parent;
                const uint32_t node = node_above(run);

                if (parent->claims && node < parent->n && parent->claims[node])
                        return parent->claims[node];
                if (parent->claim)
                        return parent->claim;
        }
        return NULL;
}

static int add_claim(Run *run, const RunGraph *graph, uint32_t node, bool is_restored, RunClaim **ret_claim) {
        const RunDemand *demand = demand_of(graph, node);
        const RunPolicy *policy = node != RUN_NODE_NONE ? run_graph_policy(graph, node) : NULL;
        const bool is_of_run = node == RUN_NODE_NONE;

        return !demand ? 0 :
                         run_claim_new(run->flow->engine->pool,
                                       &(RunClaimSpec) {
                                               .key = { run->row.id, is_of_run ? RUN_CLAIM_OF_RUN : node },
                                               .demand = *demand,
                                               .priority = is_of_run ? run->settings.priority :
                                                                       priority_by(run, policy),
                                               .above = is_of_run || !run->claim ? claim_above(run) : run->claim,
                                               .gate = is_of_run ? &run->flow->gate : gate_of(run, graph, node),
                                               .is_unchecked = is_restored,
                                               .userdata = run,
                                       },
                                       ret_claim);
}

/* Of the run, or of a node. */
static bool has_demands(const RunGraph *graph) {
        uint32_t n, of_run;

        (void) run_graph_demands(graph, &n, &of_run);
        return n > 0;
}

static bool has_demands_of_nodes(const Run *run) {
        for (uint32_t i = 0; i < run->n && has_demands(run->graph); i++)
                if (demand_of(run->graph, i))
                        return true;
        return false;
}

int run_lock_init(Run *run, bool is_restored) {
        int r = add_claim(run, run->graph, RUN_NODE_NONE, is_restored, &run->claim);

        if (r < 0 || !has_demands_of_nodes(run))
                return r;
        run->claims = calloc(run->n, sizeof(*run->claims));
        if (!run->claims)
                return -ENOMEM;
        for (uint32_t i = 0; i < run->n && r == 0; i++)
                r = add_claim(run, run->graph, i, is_restored, &run->claims[i]);
        return r;
}

int run_lock_grow(Run *run, const RunGraph *graph) {
        const uint32_t n = run_graph_count(graph);
        bool has_more = false;
        RunClaim **claims;
        int r = 0;

        for (uint32_t i = run->n; i < n && !has_more && has_demands(graph); i++)
                has_more = demand_of(graph, i);
        if (!has_more && !run->claims)
                return 0;
        claims = calloc(n, sizeof(*claims));
        if (!claims)
                return -ENOMEM;
        if (run->claims)
                memcpy(claims, run->claims, run->n * sizeof(*claims));
        for (uint32_t i = run->n; i < n && r == 0; i++)
                r = add_claim(run, graph, i, false, &claims[i]);
        if (r < 0) {
                for (uint32_t i = run->n; i < n; i++)
                        run_claim_free(claims[i]);
                free(claims);
                return r;
        }
        free(run->claims);
        run->claims = claims;
        return 0;
}

void run_lock_deinit(Run *run) {
        for (uint32_t i = 0; i < run->n && run->claims; i++)
                run_claim_free(run->claims[i]);
        free(run->claims);
        run->claims = NULL;
        run->claim = run_claim_free(run->claim);
}

/* — nodes — */

/* Nothing of it runs, but it is to run, or may be. */
static bool is_at_rest(const RunNode *entry) {
        return (entry->state == RUN_NODE_READY || entry->state == RUN_NODE_DEFERRED ||
                entry->state == RUN_NODE_PENDING) && !run_node_is_live(entry);
}

static bool keeps_locks(const Run *run, uint32_t node) {
        return is_at_rest(&run->nodes[node]) && !run->nodes[node].has_given_up &&
               !run_graph_policy(run->graph, node)->gives_up_locks;
}

/* Claims that have waited for as long are served in the order of dispatch, which no other items of the run change. */
static uint64_t place_of(const RunGraph *graph, uint32_t node) {
        uint32_t item = 0;

        (void) run_graph_item_of(graph, node, &item);
        return (uint64_t) (UINT16_MAX - run_graph_way(graph, node)) << 48 |
               (uint64_t) run_graph_origin(graph, node) << 16 | MIN(item, (uint32_t) UINT16_MAX);
}

/* A node of a run that has not begun does not wait yet. */
static bool wait_for(Run *run, uint32_t node, RunClaim *claim) {
        if (!run_has_begun(run) || !run_item_has_turn(run, node))
                return true;
        run_claim_wait(claim, run->nodes[node].at, place_of(run->graph, node));
        return run_claim_find_cycle(claim, NULL, 0) == 0;
}

bool run_lock_node(Run *run, uint32_t node) {
        RunClaim *claim = claim_of(run, node);
        const RunNodeState state = run->nodes[node].state;

        if (!claim)
                return true;
        if (!is_at_rest(&run->nodes[node]))
                run->nodes[node].has_given_up = false;
        run_claim_leave(claim);
        /* An attempt that was interrupted leaves its node READY at once: its resources are free meanwhile. */
        if (state == RUN_NODE_RUNNING && run->nodes[node].is_idle)
                run_claim_release(claim, RUN_CLAIM_NEEDS);
        else if (!run_node_is_live(&run->nodes[node]))
                run_claim_release(claim, keeps_locks(run, node) ? RUN_CLAIM_NEEDS : RUN_CLAIM_ALL);
        return state != RUN_NODE_READY || wait_for(run, node, claim);
}

bool run_lock_restore_node(Run *run, uint32_t node) {
        RunClaim *claim = claim_of(run, node);
        const RunNode *entry = &run->nodes[node];
        const bool has_run = entry->number > 0 && !entry->has_given_up &&
                             !run_graph_policy(run->graph, node)->gives_up_locks;

        if (!claim)
                return true;
        if (run_node_is_live(entry))
                run_claim_force(claim, entry->is_idle ? RUN_CLAIM_LOCKS : RUN_CLAIM_ALL);
        else if (has_run && (entry->state == RUN_NODE_READY || keeps_locks(run, node)))
                run_claim_force(claim, RUN_CLAIM_LOCKS);
        if (entry->state != RUN_NODE_READY)
                return true;
        run_claim_leave(claim);
        return wait_for(run, node, claim);
}

bool run_lock_keeps(const Run *run, uint32_t node) {
        const RunDemand *demand = demand_of(run->graph, node);

        return demand && demand->n_locks > 0 && run->nodes[node].number > 0 && keeps_locks(run, node);
}

bool run_lock_can_give_up(const Run *run, uint32_t node) {
        const RunClaim *claim = claim_of(run, node);

        return claim && is_at_rest(&run->nodes[node]) && run_claim_holds(claim, RUN_CLAIM_LOCKS);
}

const char *run_lock_held(const Run *run, uint32_t node, size_t at) {
        const RunClaim *claim = node == RUN_NODE_NONE ? run->claim : claim_of(run, node);
        RunLockRow row;

        return claim && run_claim_lock(claim, at, &row) ? row.name : NULL;
}

/* — runs — */

void run_lock_end(Run *run) {
        if (!run->claim)
                return;
        run_claim_leave(run->claim);
        run_claim_release(run->claim, RUN_CLAIM_ALL);
}

void run_lock_move(Run *run) {
        RunClaim *above = claim_above(run);

        if (run->claim)
                run_claim_move(run->claim, above);
        for (uint32_t i = 0; i < run->n && run->claims && !run->claim; i++)
                if (run->claims[i])
                        run_claim_move(run->claims[i], above);
}

bool run_lock_has_moved(const Run *run) {
        const RunClaim *above = claim_above(run);

        if (run->claim)
                return run_claim_above(run->claim) != above;
        for (uint32_t i = 0; i < run->n && run->claims; i++)
                if (run->claims[i] && run_claim_above(run->claims[i]) != above)
                        return true;
        return false;
}

void run_lock_leave(Run *run) {
        if (run->claim)
                run_claim_leave(run->claim);
        for (uint32_t i = 0; i < run->n && run->claims; i++)
                if (run->claims[i])
                        run_claim_leave(run->claims[i]);
}

void run_lock_restore(Run *run) {
        if (run->claim && run_is_busy(run))
                run_claim_force(run->claim, RUN_CLAIM_ALL);
}

void run_lock_ask(RunFlow *flow, bool has_place) {
        for (Run *run = flow->first; run; run = run->next) {
                if (!run->claim)
                        continue;
                if (run_can_wait(run))
                        run_claim_wait(run->claim,
                                       run->row.state == RUN_QUEUED ? run->row.queued_at : flow->engine->now,
                                       run->row.place);
                else
                        run_claim_leave(run->claim);
        }
        run_gate_set(flow->engine->pool, &flow->gate, !flow->is_active || !has_place);
}

/* — questions — */

int run_engine_set_resource(RunEngine *engine, const char *name, uint64_t total) {
        return run_pool_set_resource(engine->pool, name, total);
}

void run_engine_set_ageing(RunEngine *engine, bool is_on) {
        run_pool_set_ageing(engine->pool, is_on);
}

static int check_demand(const RunEngine *engine, const RunGraph *graph, uint32_t node, char **ret_problem) {
        const RunDemand *demand = run_graph_demand(graph, node);
        cleanup_free_ char *problem = NULL;
        int r = demand ? run_pool_check(engine->pool, demand, &problem) : 0, format;

        if (r == 0 || r == -ENOMEM)
                return r;
        if (node == RUN_NODE_NONE) {
                *ret_problem = take_ptr(problem);
                return r;
        }
        format = text_format(ret_problem, "Node \"%s\": %s", run_graph_name(graph, node), problem);
        return format < 0 ? format : r;
}

int run_engine_check(const RunEngine *engine, const RunGraph *graph, char **ret_problem) {
        int r = check_demand(engine, graph, RUN_NODE_NONE, ret_problem);

        for (uint32_t i = 0; i < run_graph_count(graph) && r == 0 && has_demands(graph); i++)
                r = check_demand(engine, graph, i, ret_problem);
        return r;
}

bool run_lock_why(const Run *run, uint32_t node, RunClaimWhy *ret_why) {
        const RunClaim *claim = node == RUN_NODE_NONE ? run->claim : claim_of(run, node);

        return claim && run_claim_why(claim, run->flow->engine->now, ret_why);
}
