/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The end of a run: compensations, and the final node
 *
 * These nodes have no parents, and none judges them. When nothing else of the
 * run is left to do, nodes that have succeeded are undone one by one, the last
 * success first; then the final node runs. Each is an attempt like any other,
 * in a row of its own: what was undone once is not undone again, and a
 * compensation of which nobody knows the end waits for a person, with its run
 * SUSPENDED. The order is the number that each success gets, which stands in
 * the row of the node. One that a core has stored to which it was none to undo
 * gets its number when it is given back.
 *
 * The compensation of a node that was a run of another flow has that run
 * undone, and is PENDING while that waits for a person. One of a node with
 * Foreach= undoes all instances that have succeeded, by their numbers, also if
 * the node has failed because of others.
 */

#include <errno.h>
#include <stdlib.h>

#include "run/run_private.h"

/* — which — */

/* The compensation of a node itself; RUN_NODE_NONE: it has none, or is one. */
static uint32_t compensation_of(const Run *run, uint32_t node) {
        return run_node_is_extra(run, node) ? RUN_NODE_NONE : run_graph_partner(run->graph, node);
}

/* @node has done something that could be undone. */
static bool has_success(const Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];

        if (compensation_of(run, node) == RUN_NODE_NONE)
                return false;
        if (run_graph_policy(run->graph, node)->is_foreach)
                return run_node_state_is_terminal(entry->state) && entry->at > 0;
        return entry->state == RUN_NODE_SUCCEEDED;
}

/* … and it was not undone since. */
static bool is_to_undo(const Run *run, uint32_t node) {
        return has_success(run, node) && run->nodes[compensation_of(run, node)].state == RUN_NODE_WAITING;
}

static bool is_undone(const Run *run, uint32_t node) {
        return has_success(run, node) && run->nodes[compensation_of(run, node)].state == RUN_NODE_SUCCEEDED;
}

/* The result asks for it, or a person has. */
static bool wants_undo(const Run *run) {
        const unsigned on = run_graph_undo_on(run->graph);

        switch (run->row.result) {
        case RUN_FAILED:
        case RUN_TIMEOUT:
                return on & RUN_UNDO_ON_FAILURE || run->row.reason == RUN_REASON_COMPENSATE;
        case RUN_CANCELLED:
                return on & RUN_UNDO_ON_CANCEL || run->row.reason == RUN_REASON_COMPENSATE;
        case RUN_CREATED:
        case RUN_QUEUED:
        case RUN_RUNNING:
        case RUN_AWAITING:
        case RUN_PAUSING:
        case RUN_PAUSED:
        case RUN_SUSPENDED:
        case RUN_STOPPING:
        case RUN_SUCCEEDED:
        case RUN_PARTIAL:
        case _RUN_STATE_MAX:
                break;
        }
        return run->row.reason == RUN_REASON_COMPENSATE;
}

static int compare_successes(const void *a, const void *b, void *userdata) {
        const Run *run = userdata;
        const usec_t left = run->nodes[*(const uint32_t *) a].at, right = run->nodes[*(const uint32_t *) b].at;

        return (left < right) - (left > right);
}

/* All that is to be undone, the last success first. */
static void list(Run *run) {
        run->n_undo = run->undo_at = 0;
        run->is_undo_listed = true;
        for (uint32_t i = 0; i < run->n && run->n_extra > 0; i++)
                if (is_to_undo(run, i))
                        run->undo[run->n_undo++] = i;
        if (run->n_undo > 1)
                qsort_r(run->undo, run->n_undo, sizeof(*run->undo), compare_successes, run);
}

/* The compensation that comes next; RUN_NODE_NONE: nothing is left to undo. */
static uint32_t find_next(Run *run) {
        if (!wants_undo(run))
                return RUN_NODE_NONE;
        if (!run->is_undo_listed)
                list(run);
        while (run->undo_at < run->n_undo && !is_to_undo(run, run->undo[run->undo_at]))
                run->undo_at++;
        return run->undo_at < run->n_undo ? run_graph_partner(run->graph, run->undo[run->undo_at]) : RUN_NODE_NONE;
}

/* — steps — */

static void begin(Run *run, uint32_t node, RunReason reason) {
        const uint32_t partner = run_graph_partner(run->graph, node);

        /* The command can tell by its key which success it undoes. */
        if (partner != RUN_NODE_NONE)
                run->nodes[node].earlier = run->nodes[partner].earlier;
        /* The deadline bounds the nodes of the run; its compensations are executed however late it is. */
        run->row.deadline = USEC_INFINITY;
        run_become(run, RUN_STOPPING, reason);
        run_node_become(run, node, RUN_NODE_READY, RUN_REASON_NONE);
}

bool run_undo_step(Run *run) {
        const uint32_t moving = run->extra_tally[RUN_NODE_READY] + run->extra_tally[RUN_NODE_RUNNING] +
                                run->extra_tally[RUN_NODE_DEFERRED];
        const uint32_t final = run_graph_final(run->graph);
        uint32_t next;

        if (moving > 0)
                return false;
        if (run->extra_tally[RUN_NODE_PENDING] > 0) {
                if (run->row.state == RUN_STOPPING)
                        run_become(run, RUN_SUSPENDED, run->row.reason);
                return false;
        }
        next = find_next(run);
        if (next != RUN_NODE_NONE)
                begin(run, next, RUN_REASON_COMPENSATE);
        else if (final != RUN_NODE_NONE && run->nodes[final].state == RUN_NODE_WAITING)
                begin(run, final, RUN_REASON_FINAL);
        else
                return true;
        return false;
}

/* With a run that is undone for it the attempt ends when that has given up, too. */
static void give_up(Run *run, uint32_t node) {
        if (!run_node_waits_with_sub(&run->nodes[node])) {
                run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_ENDED);
                return;
        }
        run_node_go_on_with_sub(run, node);
        run_node_tell_end(run, node, RUN_OUTCOME_CANCELLED);
}

void run_undo_give_up(Run *run, bool with_final) {
        const uint32_t final = run_graph_final(run->graph);

        for (uint32_t i = 0; i < run->n && run->n_extra > 0; i++)
                if (is_to_undo(run, i))
                        run_node_become(run, run_graph_partner(run->graph, i), RUN_NODE_SKIPPED, RUN_REASON_ENDED);
        for (uint32_t i = 0; i < run->n && run->n_extra > 0; i++)
                if (run_node_is_extra(run, i) && run->nodes[i].state == RUN_NODE_PENDING)
                        give_up(run, i);
        if (with_final && final != RUN_NODE_NONE && run->nodes[final].state == RUN_NODE_WAITING)
                run_node_become(run, final, RUN_NODE_SKIPPED, RUN_REASON_ENDED);
}

void run_undo_restore(Run *run) {
        for (uint32_t i = 0; i < run->n && run->n_extra > 0; i++)
                if (run_undo_of(run, i) != RUN_NODE_NONE && run_node_state_is_terminal(run->nodes[i].state))
                        run->successes = MAX(run->successes, run->nodes[i].at);
}

static uint32_t count_unnumbered(const Run *run) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < run->n && run->n_extra > 0; i++)
                n += run_node_has_work(run, i) && run->nodes[i].at == 0;
        return n;
}

/* The largest of @numbers among the parents of @node. */
static usec_t number_above(const Run *run, uint32_t node, const usec_t *numbers) {
        uint32_t n;
        const uint32_t *parents = run_graph_parents(run->graph, node, &n);
        usec_t number = 0;

        for (uint32_t i = 0; i < n; i++)
                number = MAX(number, numbers[parents[i]]);
        return number;
}

/*
 * Between two numbers that are there is room for all that lack one; each of these comes right behind the last success
 * that it depends on.
 */
int run_undo_number(Run *run) {
        const uint32_t *order = run_graph_order(run->graph), step = count_unnumbered(run) + 1;
        cleanup_free_ usec_t *numbers = step > 1 ? calloc(run->n, sizeof(*numbers)) : NULL;
        uint32_t n = 0;

        if (step == 1)
                return 0;
        if (!numbers)
                return -ENOMEM;
        for (uint32_t i = 0; i < run->n; i++) {
                const uint32_t node = order[i];
                RunNode *entry = &run->nodes[node];

                numbers[node] = number_above(run, node, numbers);
                if (!run_node_has_work(run, node))
                        continue;
                entry->at = entry->at > 0 ? entry->at * step : numbers[node] / step * step + ++n;
                numbers[node] = MAX(numbers[node], entry->at);
                run->successes = MAX(run->successes, entry->at);
                run_change_node(run, node);
        }
        return 0;
}

/* — what people ask for — */

bool run_undo_can_begin(const Run *run) {
        for (uint32_t i = 0; i < run->n && run->n_extra > 0; i++)
                if (has_success(run, i) && !is_undone(run, i))
                        return true;
        return false;
}

bool run_engine_can_undo(const RunEngine *engine, uint32_t id) {
        const Run *run = run_find(engine, id);

        return run && run_undo_can_begin(run);
}

void run_undo_begin(Run *run) {
        for (uint32_t i = 0; i < run->n; i++) {
                const uint32_t partner = compensation_of(run, i);

                /* One that has failed is tried again. */
                if (partner != RUN_NODE_NONE && run->nodes[partner].state != RUN_NODE_SUCCEEDED &&
                    run->nodes[partner].state != RUN_NODE_WAITING)
                        run_node_become(run, partner, RUN_NODE_WAITING, RUN_REASON_NONE);
        }
        run->is_undo_listed = false;
        run_lock_move(run);
        /* As a new run, it wants its unit when the store has this. */
        run->is_put = run->is_stored = false;
        run->row.result = run->row.state;
        run_become(run, RUN_STOPPING, RUN_REASON_COMPENSATE);
}

bool run_undo_reset(Run *run) {
        const uint32_t final = run_graph_final(run->graph);
        bool has_reset = false;

        if (final != RUN_NODE_NONE && run->nodes[final].state != RUN_NODE_WAITING) {
                run->nodes[final].earlier++;
                run->nodes[final].number = 0;
                run_node_become(run, final, RUN_NODE_WAITING, RUN_REASON_NONE);
        }
        for (uint32_t i = 0; i < run->n && run->n_extra > 0; i++)
                has_reset |= is_undone(run, i);
        if (has_reset)
                run_reset_all(run, is_undone);
        run->is_undo_listed = false;
        return has_reset;
}

bool run_undo_would_reset(Run *run, uint32_t node) {
        return run->n_extra > 0 && run_would_reset(run, node, is_undone);
}
