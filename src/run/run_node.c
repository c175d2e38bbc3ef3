/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * States of nodes
 *
 * A change of a node changes counts of its children and marks them. Marks are
 * walked in the order of the graph, which only goes forward: each child is
 * judged once, when all that is above it has been.
 */

#include "run/run_private.h"
#include "run/run_ready.h"

static void count_parent(RunNode *child, RunParent parent, uint32_t by) {
        if (parent == RUN_PARENT_SUCCEEDED)
                child->succeeded += by;
        else if (parent == RUN_PARENT_FAILED)
                child->failed += by;
        else if (parent == RUN_PARENT_SKIPPED)
                child->skipped += by;
        else if (parent == RUN_PARENT_PENDING)
                child->pending += by;
}

/* The parents of @node may have changed. */
static void mark(Run *run, uint32_t node) {
        const uint32_t rank = run_graph_rank(run->graph, node);

        run->first_marked = MIN(run->first_marked, rank);
        run->end_marked = MAX(run->end_marked, rank + 1);
        run_set_put(run, RUN_SET_MARKED, rank, true);
}

static void tell_children(Run *run, uint32_t node, RunParent from, RunParent to) {
        uint32_t n;
        const uint32_t *children = run_graph_children(run->graph, node, &n);

        if (n == 0 && run_node_state_is_terminal(run->nodes[node].state))
                run->may_be_unneeded = true;
        if (from == to)
                return;
        for (uint32_t i = 0; i < n; i++) {
                count_parent(&run->nodes[children[i]], from, UINT32_MAX);
                count_parent(&run->nodes[children[i]], to, 1);
                mark(run, children[i]);
        }
}

void run_node_become(Run *run, uint32_t node, RunNodeState state, RunReason reason) {
        RunNode *entry = &run->nodes[node];
        const RunNodeState from = entry->state;

        run->tally[from]--;
        run->tally[state]++;
        entry->state = state;
        entry->reason = reason;
        if (state != RUN_NODE_RUNNING) {
                run_hold_attempt(run, node, false);
                entry->attempt = RUN_ATTEMPT_NONE;
                entry->outcome = RUN_OUTCOME_OPEN;
                if (state != RUN_NODE_DEFERRED)
                        entry->at = state == RUN_NODE_READY ? run->flow->engine->now : 0;
        }
        if (from == RUN_NODE_READY || state == RUN_NODE_READY) {
                const uint32_t urgency = run_graph_urgency(run->graph, node);

                run_set_put(run, RUN_SET_READY, urgency, state == RUN_NODE_READY && !run_lock_has(run, node));
                run->first_ready = MIN(run->first_ready, urgency);
        }
        run_set_put(run, RUN_SET_PENDING, node, state == RUN_NODE_PENDING);
        run->may_be_unneeded = run->may_be_unneeded || state == RUN_NODE_PENDING;
        run_change_node(run, node);
        run_node_time(run, node);
        tell_children(run, node, run_parent_of(from), run_parent_of(state));
        if (!run_lock_node(run, node))
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_DEADLOCK);
}

void run_node_restore(Run *run, uint32_t node) {
        if (!run_lock_restore_node(run, node))
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_DEADLOCK);
}

void run_node_begin_all(Run *run) {
        for (uint32_t i = 0; i < run->n; i++) {
                if (run->nodes[i].state != RUN_NODE_READY)
                        continue;
                run->nodes[i].at = run->flow->engine->now;
                /* Of other nodes the time is of no account after a restart. */
                if (run_lock_has(run, i) || run_graph_policy(run->graph, i)->queue_timeout > 0)
                        run_change_node(run, i);
                run_node_time(run, i);
                if (!run_lock_node(run, i))
                        run_node_become(run, i, RUN_NODE_PENDING, RUN_REASON_DEADLOCK);
        }
}

/* — judging — */

static RunNodeEvent ask_parents(const Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];
        RunCounts counts;
        uint32_t n;

        (void) run_graph_parents(run->graph, node, &n);
        counts = (RunCounts) { .n = {
                                      [RUN_PARENT_UNFINISHED] = n - entry->succeeded - entry->failed - entry->skipped -
                                                                entry->pending,
                                      [RUN_PARENT_SUCCEEDED] = entry->succeeded,
                                      [RUN_PARENT_FAILED] = entry->failed,
                                      [RUN_PARENT_SKIPPED] = entry->skipped,
                                      [RUN_PARENT_PENDING] = entry->pending,
                              } };
        return run_ready(run_graph_policy(run->graph, node), &counts);
}

/* Whether a failure is why @node is skipped: that of a parent, or one further up. */
static bool has_failure_above(const Run *run, uint32_t node) {
        uint32_t n;
        const uint32_t *parents = run_graph_parents(run->graph, node, &n);

        if (run->nodes[node].failed > 0)
                return true;
        for (uint32_t i = 0; i < n; i++)
                if (run->nodes[parents[i]].state == RUN_NODE_SKIPPED &&
                    run->nodes[parents[i]].reason == RUN_REASON_UPSTREAM_FAILED)
                        return true;
        return false;
}

static void judge(Run *run, uint32_t node) {
        const RunNodeState state = run->nodes[node].state;
        RunNodeEvent verdict;

        if (state != RUN_NODE_WAITING && state != RUN_NODE_BLOCKED)
                return;
        verdict = ask_parents(run, node);
        if (verdict == RUN_NODE_EVENT_FIT)
                run_node_become(run, node, RUN_NODE_READY, RUN_REASON_NONE);
        else if (verdict == RUN_NODE_EVENT_NEVER)
                run_node_become(run, node, RUN_NODE_SKIPPED,
                                has_failure_above(run, node) ? RUN_REASON_UPSTREAM_FAILED : RUN_REASON_UPSTREAM);
        else if (state != (verdict == RUN_NODE_EVENT_BLOCK ? RUN_NODE_BLOCKED : RUN_NODE_WAITING))
                run_node_become(run, node, verdict == RUN_NODE_EVENT_BLOCK ? RUN_NODE_BLOCKED : RUN_NODE_WAITING,
                                RUN_REASON_NONE);
}

void run_judge(Run *run) {
        const uint32_t *order = run_graph_order(run->graph);
        const bool is_judged = run_is_judged(run);

        /* What is marked on the way stands further on, and may move the end. */
        while ((run->first_marked = run_set_next(run, RUN_SET_MARKED, run->first_marked, run->end_marked)) <
               run->end_marked) {
                run_set_put(run, RUN_SET_MARKED, run->first_marked, false);
                if (is_judged)
                        judge(run, order[run->first_marked]);
        }
        run->first_marked = run->n;
        run->end_marked = 0;
}

void run_judge_all(Run *run) {
        for (uint32_t i = 0; i < run->n; i++)
                mark(run, i);
        run_judge(run);
}

/* — many nodes — */

void run_node_skip_rest(Run *run) {
        for (uint32_t i = 0; i < run->n; i++)
                if (run->nodes[i].state < RUN_NODE_SUCCEEDED && run->nodes[i].state != RUN_NODE_RUNNING)
                        run_node_become(run, i, RUN_NODE_SKIPPED, RUN_REASON_ENDED);
}

void run_node_reset(Run *run, uint32_t node) {
        RunNode *entry = &run->nodes[node];

        entry->generation++;
        entry->number = 0;
        entry->failures = entry->agains = entry->losses = 0;
        entry->first_at = 0;
        run_node_become(run, node, RUN_NODE_WAITING, RUN_REASON_NONE);
        mark(run, node);
}

static void mark_children(Run *run, uint32_t node) {
        uint32_t n;
        const uint32_t *children = run_graph_children(run->graph, node, &n);

        for (uint32_t i = 0; i < n; i++)
                mark(run, children[i]);
}

/* Marks @node and all below it: one walk forward. Whoever marks judges all nodes later, or clears the marks. */
static void mark_below(Run *run, uint32_t node) {
        const uint32_t *order = run_graph_order(run->graph);

        for (uint32_t at = run_graph_rank(run->graph, node); at < run->end_marked;
             at = run_set_next(run, RUN_SET_MARKED, at + 1, run->end_marked))
                mark_children(run, order[at]);
}

void run_reset_below(Run *run, uint32_t node, bool all) {
        const uint32_t *order = run_graph_order(run->graph);

        /* No mark is left of what came before. */
        run_judge(run);
        mark(run, node);
        mark_below(run, node);
        for (uint32_t at = run->first_marked; at < run->end_marked;
             at = run_set_next(run, RUN_SET_MARKED, at + 1, run->end_marked)) {
                const RunNodeState state = run->nodes[order[at]].state;

                if (!run_set_has(run, RUN_SET_MARKED, at) || order[at] == node)
                        continue;
                if (all ? run_node_state_is_terminal(state) : state == RUN_NODE_SKIPPED || state == RUN_NODE_CANCELLED)
                        run_node_reset(run, order[at]);
        }
}

/* A walk with early end: most nodes have a goal near. */
static bool has_live_goal(Run *run, uint32_t node, bool *ret_has_goal) {
        const uint32_t *order = run_graph_order(run->graph);
        const uint32_t first = run_graph_rank(run->graph, node);
        bool has_live = false;

        *ret_has_goal = false;
        mark(run, node);
        for (uint32_t at = first; at < run->end_marked && !has_live;
             at = run_set_next(run, RUN_SET_MARKED, at + 1, run->end_marked)) {
                uint32_t n;

                (void) run_graph_children(run->graph, order[at], &n);
                if (n == 0 && order[at] != node) {
                        *ret_has_goal = true;
                        has_live = !run_node_state_is_terminal(run->nodes[order[at]].state);
                }
                mark_children(run, order[at]);
        }
        for (uint32_t at = first; at < run->end_marked; at = run_set_next(run, RUN_SET_MARKED, at + 1, run->end_marked))
                run_set_put(run, RUN_SET_MARKED, at, false);
        run->first_marked = run->n;
        run->end_marked = 0;
        return has_live;
}

void run_drop_unneeded(Run *run) {
        while (run->may_be_unneeded && run_is_open(run)) {
                run->may_be_unneeded = false;
                for (uint32_t i = 0; (i = run_set_next(run, RUN_SET_PENDING, i, run->n)) < run->n; i++) {
                        bool has_goal;

                        if (has_live_goal(run, i, &has_goal) || !has_goal)
                                continue;
                        run_node_become(run, i, RUN_NODE_CANCELLED, RUN_REASON_UNNEEDED);
                        run_judge(run);
                }
        }
}
