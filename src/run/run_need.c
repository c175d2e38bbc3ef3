/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Short circuit: nodes that nothing below them needs
 *
 * A node is needed if it is a goal, or if a child that has not started is
 * there. A child that has started, or was decided, needs its parents no more
 * if it would have taken any of them; one that was skipped as unneeded needs
 * none. So what is needed changes only where a child with such an edge
 * starts, or is to start anew: its parents are doubted, and doubts are walked
 * against the order of the graph, from below, so that each node is looked at
 * once. What a person has asked for is needed. What waits for a person before it has begun stays, needed or not; if it
 * is not, it needs nothing itself.
 */

#include "run/run_private.h"

/* The child at the other end of @edge needs its parent. */
static bool child_needs(const RunNode *child, uint8_t edge) {
        if (run_node_is_skipped_as_unneeded(child) || child->is_unneeded)
                return false;
        if (!run_node_has_started(child, child->state))
                return true;
        return !(edge & (RUN_EDGE_OPTIONAL | RUN_EDGE_OTHERWISE));
}

static bool is_needed(const Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        const uint8_t *edges = run_graph_child_edges(run->graph, node);
        const uint32_t *children;
        uint32_t n;

        if (policy->stays || run->nodes[node].is_wanted || run_graph_is_goal(run->graph, node))
                return true;
        children = run_graph_children(run->graph, node, &n);
        for (uint32_t i = 0; i < n; i++)
                if (child_needs(&run->nodes[children[i]], edges[i]))
                        return true;
        return false;
}

/* A process runs that nobody needs. */
static bool is_marked(const RunNode *node) {
        return node->state == RUN_NODE_RUNNING && node->reason == RUN_REASON_SHORT_CIRCUIT;
}

/* A person has to decide about @node, which has not begun. */
static bool is_stuck(const RunNode *node) {
        return node->state == RUN_NODE_PENDING && !run_node_has_started(node, RUN_NODE_PENDING) &&
               !run_node_is_at_gate(node);
}

void run_forget_doubts(Run *run) {
        const uint32_t *order = run_graph_order(run->graph);

        while (run->end_doubted > 0)
                run_set_put(run, RUN_SET_DOUBTED, --run->end_doubted, false);
        for (uint32_t rank = run->n; rank-- > 0 && run_is_judged(run);) {
                RunNode *node = &run->nodes[order[rank]];

                node->is_unneeded = is_stuck(node) && !is_needed(run, order[rank]);
        }
}

static void set_unneeded(Run *run, uint32_t node, bool is_unneeded) {
        if (run->nodes[node].is_unneeded == is_unneeded)
                return;
        run->nodes[node].is_unneeded = is_unneeded;
        run_doubt_parents(run, node);
}

static void skip(Run *run, uint32_t node) {
        switch ((RunNodeState) run->nodes[node].state) {
        case RUN_NODE_WAITING:
        case RUN_NODE_BLOCKED:
        case RUN_NODE_READY:
        case RUN_NODE_DEFERRED:
                run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_SHORT_CIRCUIT);
                break;
        case RUN_NODE_RUNNING:
                if (run->nodes[node].is_idle) {
                        run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_SHORT_CIRCUIT);
                        break;
                }
                /* The process goes on, and counts if it succeeds. */
                run->nodes[node].reason = RUN_REASON_SHORT_CIRCUIT;
                run_change_node(run, node);
                break;
        case RUN_NODE_PENDING:
                /* Nothing has begun: whether a person approves the node is of no account any more. */
                if (run_node_is_at_gate(&run->nodes[node]))
                        run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_SHORT_CIRCUIT);
                else
                        /* The node stays, but what is above is not needed for it. */
                        set_unneeded(run, node, is_stuck(&run->nodes[node]));
                break;
        case RUN_NODE_SUCCEEDED:
        case RUN_NODE_FAILED:
        case RUN_NODE_TIMEOUT:
        case RUN_NODE_CANCELLED:
        case RUN_NODE_SKIPPED:
        case _RUN_NODE_STATE_MAX:
                break;
        }
}

void run_skip_unneeded(Run *run) {
        const uint32_t *order = run_graph_order(run->graph);

        while (run->end_doubted > 0) {
                const uint32_t rank = --run->end_doubted;

                if (!run_set_has(run, RUN_SET_DOUBTED, rank))
                        continue;
                run_set_put(run, RUN_SET_DOUBTED, rank, false);
                if (!run_is_judged(run))
                        continue;
                /* A node that is skipped marks its parents, which stand further in front. */
                if (!is_needed(run, order[rank])) {
                        skip(run, order[rank]);
                        continue;
                }
                set_unneeded(run, order[rank], false);
                if (is_marked(&run->nodes[order[rank]])) {
                        run->nodes[order[rank]].reason = run_attempt_reason(run, order[rank]) & UINT8_MAX;
                        run_change_node(run, order[rank]);
                }
        }
}
