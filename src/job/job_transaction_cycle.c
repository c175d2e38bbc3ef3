/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Breaking of order cycles, in a deterministic way
 *
 * In each component with a cycle, take one shortest cycle; of its candidates
 * that no anchor needs, drop the one whose loss drops the fewest jobs (those
 * that need it, and those that nothing else pulls in), ties decided by name;
 * repeat until the component has no cycle. Components are handled separately,
 * in the order of names, so many small cycles cost one search each. A final
 * search over everything confirms the result, because dropping a candidate
 * brings back the installed job that it would have canceled.
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_transaction_loss.h"
#include "job/job_transaction_order.h"

#define VICTIMS_MAX 1000                /* in one component */
#define EXACT_MAX 256                   /* nodes up to which a shortest cycle is searched from every node */
#define STARTS_MAX 64                   /* nodes, by name, to search from in a larger component */

static void cycle_trace(OrderGraph *graph, uint32_t start, uint32_t last, OrderNodes *cycle) {
        size_t n = graph->marks.items[last].depth + 1;

        vector_clear(cycle);
        if (vector_reserve(cycle, n) < 0) {
                graph->error = -ENOMEM;
                return;
        }
        cycle->n = n;
        for (uint32_t node = last; n-- > 0; node = graph->marks.items[node].parent)
                cycle->items[n] = node;
        assert(cycle->items[0] == start);
}

/* Searches breadth first from @start back to it, within @set, for a cycle shorter than *cycle. */
static void cycle_search_from(OrderGraph *graph, uint32_t start, uint32_t set, OrderNodes *queue, OrderNodes *cycle) {
        uint32_t seen = ++graph->last_seen;

        vector_clear(queue);
        graph->marks.items[start].seen = seen;
        graph->marks.items[start].depth = 0;
        if (vector_push(queue, start) < 0)
                graph->error = -ENOMEM;

        for (size_t i = 0; i < queue->n && graph->error == 0; i++) {
                OrderFrame frame = { .node = queue->items[i] };
                uint32_t depth = graph->marks.items[frame.node].depth;
                uint32_t next;

                if (cycle->n > 0 && depth + 1 >= cycle->n)
                        return;
                while ((next = order_graph_next(graph, &frame, set)) != ORDER_NODE_NONE) {
                        OrderMark *node = &graph->marks.items[next];

                        if (next == start) {
                                cycle_trace(graph, start, frame.node, cycle);
                                return;
                        }
                        if (node->seen == seen)
                                continue;
                        node->seen = seen;
                        node->parent = frame.node;
                        node->depth = depth + 1;
                        if (vector_push(queue, next) < 0)
                                graph->error = -ENOMEM;
                }
        }
}

/* Finds a shortest cycle in one component, whose nodes are sorted by name. */
static void cycle_find_shortest(OrderGraph *graph, const uint32_t *nodes, size_t n, OrderNodes *ret_cycle) {
        uint32_t set = ++graph->last_set;
        OrderNodes queue = {};
        size_t n_starts = n <= EXACT_MAX ? n : STARTS_MAX;

        vector_clear(ret_cycle);
        if (order_graph_reserve_marks(graph) < 0)
                return;
        for (size_t i = 0; i < n; i++)
                graph->marks.items[nodes[i]].set = set;

        for (size_t i = 0; i < n_starts && ret_cycle->n != 2 && graph->error == 0; i++)
                cycle_search_from(graph, nodes[i], set, &queue, ret_cycle);
        vector_deinit(&queue);
}

/* Returns true if the candidate joins a job that stays as it is. */
static bool cycle_adds_nothing(const JobMeeting *meeting) {
        return meeting->action == JOB_PLAN_COVER ||
               (meeting->action == JOB_PLAN_MERGE && meeting->survivor->type == meeting->type);
}

/* The candidate whose drop would remove the node, if it may be dropped. */
static JobCandidate *cycle_candidate(OrderGraph *graph, uint32_t node) {
        JobCandidate *candidate = order_graph_unit(graph, node)->candidate;

        if (!candidate || candidate->is_gone || candidate->matters || cycle_adds_nothing(&candidate->meeting))
                return NULL;
        return node % _ORDER_SLOT_MAX >= ORDER_PENDING ? candidate : NULL;
}

static JobCandidate *cycle_choose_victim(OrderGraph *graph, const OrderNodes *cycle) {
        JobCandidate *victim = NULL;
        size_t fewest = SIZE_MAX;

        for (size_t i = 0; i < cycle->n; i++) {
                JobCandidate *candidate = cycle_candidate(graph, cycle->items[i]);
                size_t losses;

                if (!candidate || candidate == victim)
                        continue;
                job_stage_begin_loss(graph->transaction);
                job_stage_add_loss(graph->transaction, candidate);
                losses = job_stage_spread_loss(graph->transaction, fewest);
                if (!victim || losses < fewest ||
                    (losses == fewest && strcmp(candidate->unit->id, victim->unit->id) < 0)) {
                        victim = candidate;
                        fewest = losses;
                }
        }
        return victim;
}

static int cycle_refuse(OrderGraph *graph, const OrderNodes *cycle, const char *why) {
        JobTransaction *transaction = graph->transaction;
        const char *message;

        message = job_stage_format(transaction, "The order of these jobs is a cycle, %s: %s.", why,
                                   order_graph_describe(graph, cycle));
        return job_transaction_refuse(transaction, -EDEADLK, "TransactionOrderIsCyclic", message);
}

/* Drops one victim of a component of @n nodes. */
static int cycle_break_one(OrderGraph *graph, const uint32_t *nodes, size_t n) {
        JobTransaction *transaction = graph->transaction;
        OrderNodes cycle = {};
        JobCandidate *victim;
        const char *text;
        int r = 0;

        cycle_find_shortest(graph, nodes, n, &cycle);
        if (graph->error < 0 || cycle.n == 0) {
                vector_deinit(&cycle);
                return graph->error;
        }

        victim = cycle_choose_victim(graph, &cycle);
        if (!victim)
                r = cycle_refuse(graph, &cycle, "and none of them can be left out");
        else {
                text = job_stage_format(transaction, "%s; %s is left out", order_graph_describe(graph, &cycle),
                                        job_candidate_name(transaction, victim));
                r = vector_push(&transaction->cycles, text);
                job_stage_drop(transaction, victim, JOB_DROP_CYCLE,
                               job_stage_format(transaction, "to break an ordering cycle: %s", text));
        }
        vector_deinit(&cycle);
        return r;
}

/*
 * Returns true if the cycle includes something of this transaction. A candidate that cancels a stop over a running
 * restart counts even if it adds nothing, because it brings back the start half of the restart.
 */
static bool cycle_is_touched(OrderGraph *graph, const uint32_t *nodes, size_t n) {
        for (size_t i = 0; i < n; i++) {
                const JobCandidate *candidate = job_stage_main(graph->transaction,
                                                               order_graph_unit(graph, nodes[i])->unit);

                if (candidate && (candidate->meeting.canceled || !cycle_adds_nothing(&candidate->meeting)))
                        return true;
        }
        return false;
}

/*
 * Finds the components with a cycle that include something of this transaction. A cycle of installed jobs alone,
 * between restarts that are still in their stop halves, is left to job_manager_graph.c and does not refuse a request.
 */
static int cycle_find_components(OrderGraph *graph, const OrderNodes *roots, uint32_t set,
                                 OrderComponents *ret_components) {
        OrderNodes *nodes = &ret_components->nodes, *ends = &ret_components->ends;
        size_t n_nodes = 0, n_ends = 0;
        int r;

        r = order_graph_components(graph, roots, set, ret_components);
        if (r < 0)
                return r;
        for (size_t i = 0, from = 0, end; i < ends->n; i++, from = end) {
                end = ends->items[i];
                if (!cycle_is_touched(graph, nodes->items + from, end - from))
                        continue;
                memmove(nodes->items + n_nodes, nodes->items + from, (end - from) * sizeof(*nodes->items));
                n_nodes += end - from;
                ends->items[n_ends++] = (uint32_t) n_nodes;
        }
        nodes->n = n_nodes;
        ends->n = n_ends;
        return 0;
}

static void order_refresh_nodes(OrderGraph *graph, const OrderNodes *nodes) {
        for (size_t i = 0; i < nodes->n; i++)
                order_graph_refresh(graph, nodes->items[i] / _ORDER_SLOT_MAX);
}

/* Drops victims until the component has no cycle. */
static int cycle_break_component(OrderGraph *graph, const OrderNodes *members) {
        OrderComponents parts = {};
        size_t n_victims = 0;
        int r = 0;

        while (r == 0) {
                uint32_t set = ++graph->last_set;

                r = order_graph_reserve_marks(graph);
                if (r < 0)
                        break;
                for (size_t i = 0; i < members->n; i++)
                        graph->marks.items[members->items[i]].set = set;
                order_refresh_nodes(graph, members);
                r = cycle_find_components(graph, members, set, &parts);
                if (r < 0 || parts.ends.n == 0)
                        break;

                for (size_t i = 0, from = 0; i < parts.ends.n && r == 0; from = parts.ends.items[i++]) {
                        r = cycle_break_one(graph, parts.nodes.items + from, parts.ends.items[i] - from);
                        if (r == 0 && ++n_victims > VICTIMS_MAX)
                                r = job_transaction_refuse(graph->transaction, -EDEADLK, "TransactionOrderIsCyclic",
                                                           "More than 1000 jobs would have to be left out of one "
                                                           "group of jobs that wait for each other.");
                        order_refresh_nodes(graph, members);
                }
        }
        vector_deinit(&parts.nodes);
        vector_deinit(&parts.ends);
        return r;
}

static int order_roots(OrderGraph *graph, OrderNodes *ret_roots) {
        JobTransaction *transaction = graph->transaction;

        vector_clear(ret_roots);
        if (vector_reserve(ret_roots, transaction->candidates.n) < 0 ||
            vector_reserve(&graph->units, transaction->touched.n) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < transaction->candidates.n; i++) {
                const JobCandidate *candidate = transaction->candidates.items[i];
                uint32_t place;

                if (candidate->is_gone || candidate->type == JOB_NOP)
                        continue;
                place = order_graph_add(graph, candidate->index);
                for (uint32_t slot = ORDER_TRIGGERED_SECOND; slot < _ORDER_SLOT_MAX && graph->error == 0; slot++)
                        if (graph->units.items[place].is_there[slot] &&
                            vector_push(ret_roots, place * _ORDER_SLOT_MAX + slot) < 0)
                                return -ENOMEM;
        }
        return graph->error;
}

/*
 * One search over everything: 0 if there is no cycle (any more), 1 if some were broken, or a refusal as *ret_refusal.
 */
static int order_pass(OrderGraph *graph, int *ret_refusal) {
        OrderComponents components = {};
        OrderNodes roots = {};
        int r;

        r = order_roots(graph, &roots);
        if (r == 0)
                r = cycle_find_components(graph, &roots, 0, &components);

        for (size_t i = 0, from = 0; i < components.ends.n && r == 0; from = components.ends.items[i++]) {
                OrderNodes members = {
                        .items = components.nodes.items + from,
                        .n = components.ends.items[i] - from,
                };

                r = cycle_break_component(graph, &members);
        }
        if (r > 0) {
                *ret_refusal = r;
                r = 0;
        } else if (r == 0 && components.ends.n > 0)
                r = 1;

        vector_deinit(&roots);
        vector_deinit(&components.nodes);
        vector_deinit(&components.ends);
        return r;
}

int job_transaction_check_order(JobTransaction *transaction) {
        int r, refusal = 0;

        r = job_stage_reserve(transaction);
        if (r < 0)
                return r;
        if (transaction->mode == JOB_IGNORE_DEPENDENCIES)
                return 0;

        r = job_transaction_is_ordered(transaction) ? 0 : 1;
        if (r == 0)
                job_stage_sweep(transaction);
        while (r > 0 && refusal == 0) {
                OrderGraph graph;

                order_graph_init(&graph, transaction);
                r = order_pass(&graph, &refusal);
                order_graph_deinit(&graph);
                if (r >= 0 && refusal == 0)
                        job_stage_sweep(transaction);
        }

        if (r < 0)
                return r;
        if (refusal != 0)
                return refusal;
        return transaction->is_incomplete ? -ENOMEM : 0;
}

static int order_installed_roots(OrderGraph *graph, OrderNodes *ret_roots) {
        const JobTable *table = graph->transaction->installed;

        for (uint32_t i = 0; i < table->n_entries; i++) {
                uint32_t place;

                if (job_unit_entry_is_empty(job_table_peek(table, i)))
                        continue;
                place = order_graph_add(graph, i);
                if (place == JOB_ORDER_UNIT_NONE)
                        continue;
                for (uint32_t slot = ORDER_TRIGGERED_SECOND; slot < _ORDER_SLOT_MAX && graph->error == 0; slot++)
                        if (vector_push(ret_roots, place * _ORDER_SLOT_MAX + slot) < 0)
                                return -ENOMEM;
        }
        return graph->error;
}

static uint32_t cycle_youngest(OrderGraph *graph, const OrderNodes *cycle) {
        uint32_t youngest = JOB_ID_NONE;

        for (size_t i = 0; i < cycle->n; i++) {
                uint32_t unit = order_graph_unit(graph, cycle->items[i])->unit;
                const Job *pending = job_table_peek(graph->transaction->installed, unit)->pending;

                if (pending && cycle->items[i] % _ORDER_SLOT_MAX >= ORDER_PENDING)
                        youngest = MAX(youngest, pending->id);
        }
        return youngest;
}

int job_transaction_find_stuck(JobTransaction *transaction, uint32_t *ret_id, const char **ret_cycle) {
        OrderComponents components = {};
        OrderNodes roots = {}, cycle = {};
        OrderGraph graph;
        int r;

        job_stage_clear(transaction);
        transaction->mode = JOB_REPLACE;
        r = job_stage_reserve(transaction);
        if (r < 0)
                return r;

        order_graph_init(&graph, transaction);
        r = order_installed_roots(&graph, &roots);
        if (r == 0)
                r = order_graph_components(&graph, &roots, 0, &components);
        *ret_id = JOB_ID_NONE;
        for (size_t i = 0, from = 0; i < components.ends.n && r >= 0 && *ret_id == JOB_ID_NONE;
             from = components.ends.items[i++]) {
                cycle_find_shortest(&graph, components.nodes.items + from, components.ends.items[i] - from, &cycle);
                r = graph.error < 0 ? graph.error : 1;
                *ret_id = cycle_youngest(&graph, &cycle);
                *ret_cycle = r < 0 ? "" : order_graph_describe(&graph, &cycle);
        }

        order_graph_deinit(&graph);
        vector_deinit(&components.nodes);
        vector_deinit(&components.ends);
        vector_deinit(&roots);
        vector_deinit(&cycle);
        return r;
}
