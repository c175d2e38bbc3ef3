/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Instances of nodes with Foreach=
 *
 * When such a node begins, the graph of its run gets a node for each item, and
 * these stand between the node and its children. The node itself is RUNNING
 * without a process until all of them have ended, and becomes what they say. An
 * instance has no row before it begins: while its node is RUNNING, one without
 * a row is READY.
 */

#include <errno.h>

#include "run/run_private.h"

/* Calls for each instance of @node that is there. */
#define foreach_instance(run, of, instance)                                                                    \
        for (uint32_t k_ = 0, n_ = run_graph_count_items((run)->graph, of), instance;                          \
             k_ < n_ && ((instance) = run_graph_find_item((run)->graph, of, k_)) != RUN_NODE_NONE; k_++)

/* — turns: ForeachParallel= — */

static void give_turns(Run *run, RunItems *items) {
        const uint32_t limit = run_graph_policy(run->graph, items->node)->foreach_parallel;
        uint32_t node;

        while (items->n_waiting > 0 && items->n_turns < limit &&
               (node = run_graph_find_item(run->graph, items->node, items->next)) != RUN_NODE_NONE) {
                RunNode *entry = &run->nodes[node];

                items->next++;
                if (entry->state != RUN_NODE_READY || entry->has_turn)
                        continue;
                entry->has_turn = true;
                items->n_turns++;
                items->n_waiting--;
                run->n_waiting_turns--;
                run_node_offer(run, node);
        }
}

void run_items_give_turns(Run *run) {
        for (uint32_t i = 0; i < run->n_items && run->n_waiting_turns > 0; i++)
                give_turns(run, &run->items[i]);
}

/* — the end — */

/* The effect of the end of instances on their node, by weight, the least first. */
typedef enum ItemsEnd {
        ITEMS_SUCCEEDED,
        ITEMS_UNNEEDED,
        ITEMS_ENDED,
        ITEMS_CANCELLED,
        ITEMS_DEADLINE,
        ITEMS_FAILED,
} ItemsEnd;

static ItemsEnd end_of(const RunNode *entry, bool goes_on) {
        const RunReason reason = entry->reason;

        if (entry->state == RUN_NODE_SUCCEEDED)
                return ITEMS_SUCCEEDED;
        if (entry->state == RUN_NODE_SKIPPED && reason == RUN_REASON_SHORT_CIRCUIT)
                return ITEMS_UNNEEDED;
        if (entry->state == RUN_NODE_CANCELLED && reason == RUN_REASON_UNNEEDED)
                return ITEMS_CANCELLED;
        /* The end of an earlier round excuses nothing in one that goes on: not all items are done (C12). */
        if (goes_on)
                return ITEMS_FAILED;
        if (entry->state == RUN_NODE_SKIPPED && reason == RUN_REASON_ENDED)
                return ITEMS_ENDED;
        if (entry->state == RUN_NODE_CANCELLED && reason != RUN_REASON_JOB && reason != RUN_REASON_SUB_RUN)
                return ITEMS_CANCELLED;
        return entry->state == RUN_NODE_TIMEOUT && reason == RUN_REASON_DEADLINE ? ITEMS_DEADLINE : ITEMS_FAILED;
}

/* A person was asked about each instance already: FailurePolicy=suspend does not ask about the node, too. */
static void fail(Run *run, uint32_t node, RunReason reason) {
        if (run_graph_policy(run->graph, node)->failure == RUN_POLICY_SUSPEND && reason == RUN_REASON_NONE)
                run_node_become(run, node, RUN_NODE_FAILED, reason);
        else
                run_node_fail(run, node, RUN_NODE_FAILED, reason);
}

static void succeed(Run *run, uint32_t node) {
        const RunEngine *engine = run->flow->engine;
        const RunReason reason = engine->host->gather(engine->userdata, run->row.id, node);

        if (reason == RUN_REASON_NONE)
                run_node_become(run, node, RUN_NODE_SUCCEEDED, RUN_REASON_NONE);
        else
                run_node_fail(run, node, RUN_NODE_FAILED, reason);
}

/* @goes_on: the run does. */
static void complete(Run *run, uint32_t node, bool goes_on) {
        ItemsEnd end = ITEMS_SUCCEEDED;

        foreach_instance(run, node, i)
                end = MAX(end, end_of(&run->nodes[i], goes_on));
        switch (end) {
        case ITEMS_SUCCEEDED:
                succeed(run, node);
                break;
        case ITEMS_UNNEEDED:
                run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_SHORT_CIRCUIT);
                break;
        case ITEMS_ENDED:
                run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_ENDED);
                break;
        case ITEMS_CANCELLED:
                run_node_become(run, node, RUN_NODE_CANCELLED, RUN_REASON_ENDED);
                break;
        case ITEMS_DEADLINE:
                run_node_become(run, node, RUN_NODE_TIMEOUT, RUN_REASON_DEADLINE);
                break;
        case ITEMS_FAILED:
                fail(run, node, RUN_REASON_NONE);
        }
}

void run_items_complete(Run *run) {
        while (run->may_complete) {
                run->may_complete = false;
                for (uint32_t i = 0; i < run->n_items; i++)
                        if (run->items[i].n_open == 0 && run_node_is_split(run, run->items[i].node))
                                complete(run, run->items[i].node, run_has_begun(run) && run->row.state != RUN_STOPPING);
        }
}

/* — the beginning — */

static int set_items(Run *run, uint32_t node, uint32_t n) {
        const RunEngine *engine = run->flow->engine;
        RunGraph *graph;
        int r = run_graph_set_items(run->graph, node, n, &graph);

        if (r < 0)
                return r;
        r = engine->host->grow(engine->userdata, run->row.id, graph);
        if (r == 0)
                r = run_instance_grow(run, graph);
        run_graph_unref(graph);
        return r;
}

static void become_ready(Run *run, uint32_t instance) {
        run_node_become(run, instance, RUN_NODE_READY, RUN_REASON_NONE);
        if (run_item_is_untouched(run, instance))
                run_set_put(run, RUN_SET_CHANGED, instance, false);
}

void run_items_begin(Run *run, uint32_t node) {
        const RunEngine *engine = run->flow->engine;
        RunItems *items = run_items_find(run, node);
        uint32_t n = 0;
        const RunReason reason = engine->host->count(engine->userdata, run->row.id, node, &n);

        if (reason != RUN_REASON_NONE) {
                run_node_fail(run, node, RUN_NODE_FAILED, reason);
                return;
        }
        if (n == 0) {
                run_node_become(run, node, RUN_NODE_SUCCEEDED, RUN_REASON_NONE);
                return;
        }
        if (set_items(run, node, n) < 0) {
                /* Memory is short: when a person tries again, it may not be. */
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_FAILED);
                return;
        }
        run_node_idle(run, node, RUN_REASON_FOREACH);
        items->next = 0;
        foreach_instance(run, node, i)
                become_ready(run, i);
        /* How many parents they have is known now, which may be enough. */
        run_mark_children(run, run_graph_find_item(run->graph, node, 0));
        /* Instances that had ended were counted when they became ready, new ones were not. */
        items->n_open = n;
}

/* — beginning anew — */

void run_items_open(Run *run, uint32_t instance) {
        uint32_t item;
        const uint32_t node = run_graph_item_of(run->graph, instance, &item);
        RunNode *entry = &run->nodes[node];

        if (entry->state == RUN_NODE_RUNNING)
                return;
        entry->earlier++;
        run_node_idle(run, node, RUN_REASON_FOREACH);
}

static void go_on(Run *run, RunItems *items) {
        const bool has_ended = run_node_state_is_terminal(run->nodes[items->node].state);

        if (items->n_open > 0 && has_ended)
                run_items_open(run, run_graph_find_item(run->graph, items->node, 0));
        if (!run_node_is_split(run, items->node))
                return;
        if (items->n_open == 0) {
                complete(run, items->node, true);
                return;
        }
        foreach_instance(run, items->node, i)
                if (run->nodes[i].state == RUN_NODE_WAITING)
                        run_node_become(run, i, RUN_NODE_READY, RUN_REASON_NONE);
}

void run_items_go_on(Run *run) {
        for (uint32_t i = 0; i < run->n_items; i++)
                if (run_graph_count_items(run->graph, run->items[i].node) > 0)
                        go_on(run, &run->items[i]);
}

/* Children count the node again, and its instances count for nothing. Without memory they stay until it begins. */
static void unfold(Run *run, RunItems *items) {
        foreach_instance(run, items->node, i)
                if (run->nodes[i].state != RUN_NODE_WAITING)
                        run_node_reset(run, i);
        if (set_items(run, items->node, 0) == 0)
                items->n_open = 0;
}

void run_items_unfold(Run *run) {
        for (uint32_t i = 0; i < run->n_items; i++)
                if (run->nodes[run->items[i].node].state == RUN_NODE_WAITING &&
                    run_graph_count_items(run->graph, run->items[i].node) > 0)
                        unfold(run, &run->items[i]);
}

void run_items_retry(Run *run, uint32_t node) {
        run_reset_below(run, node, false);
        foreach_instance(run, node, i)
                if (run_node_state_is_terminal(run->nodes[i].state) && run->nodes[i].state != RUN_NODE_SUCCEEDED) {
                        run_node_reset(run, i);
                        run->nodes[i].is_wanted = true;
                }
}

/* — restart — */

void run_items_restore(Run *run, uint32_t node) {
        foreach_instance(run, node, i)
                if (run->nodes[i].state == RUN_NODE_WAITING)
                        become_ready(run, i);
}

void run_items_restored(Run *run) {
        for (uint32_t i = 0; i < run->n_items; i++) {
                RunItems *items = &run->items[i];

                items->n_open = 0;
                foreach_instance(run, items->node, k)
                        items->n_open += !run_node_state_is_terminal(run->nodes[k].state);
        }
}
