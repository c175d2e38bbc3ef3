/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Execution order as a graph
 *
 * A restart is two nodes, stop and start, because its halves are ordered
 * differently; a graph of first halves alone would miss cycles through the
 * second ones. Components are found by Tarjan's algorithm with an explicit
 * stack.
 */

#include <assert.h>
#include <stdlib.h>

#include "basic/text.h"
#include "job/job_transaction_order.h"

void order_graph_init(OrderGraph *graph, JobTransaction *transaction) {
        *graph = (OrderGraph) { .transaction = transaction };
}

void order_graph_deinit(OrderGraph *graph) {
        for (size_t i = 0; i < graph->units.n; i++)
                graph->transaction->stage[graph->units.items[i].unit].order_unit = JOB_ORDER_UNIT_NONE;
        vector_deinit(&graph->units);
        vector_deinit(&graph->marks);
        vector_deinit(&graph->frames);
        vector_deinit(&graph->stack);
}

static bool has_node(OrderGraph *graph, uint32_t node) {
        return order_graph_unit(graph, node)->is_there[node % _ORDER_SLOT_MAX];
}

int order_graph_reserve_marks(OrderGraph *graph) {
        size_t n = graph->marks.n, wanted = graph->units.n * _ORDER_SLOT_MAX;

        if (n >= wanted)
                return 0;
        if (vector_reserve(&graph->marks, wanted - n) < 0) {
                graph->error = -ENOMEM;
                return graph->error;
        }
        memset(graph->marks.items + n, 0, (wanted - n) * sizeof(*graph->marks.items));
        graph->marks.n = wanted;
        return 0;
}

static OrderNode *order_node(const OrderGraph *graph, uint32_t node) {
        return &order_graph_unit(graph, node)->nodes[node % _ORDER_SLOT_MAX];
}

static void order_unit_set(OrderUnit *unit, unsigned slot, JobType type, JobType run, bool takes_part) {
        unit->is_there[slot] = true;
        unit->run[slot] = (uint8_t) run;
        unit->takes_part[slot] = takes_part;
        if (type != JOB_RESTART || run != JOB_STOP)
                return;

        unit->is_there[slot + 1] = true;
        unit->run[slot + 1] = JOB_START;
        unit->takes_part[slot + 1] = takes_part;
}

/* Fills in the halves that the unit will have after the commit. */
static void order_unit_view(OrderGraph *graph, OrderUnit *unit) {
        JobTransaction *transaction = graph->transaction;
        const JobUnitEntry *entry = job_table_peek(transaction->installed, unit->unit);
        const Job *triggered = entry->triggered, *pending = entry->pending;
        JobCandidate *candidate = job_stage_main(transaction, unit->unit);
        JobType type = pending ? pending->type : _JOB_TYPE_INVALID;

        *unit = (OrderUnit) { .unit = unit->unit };     /* its nodes will be visited anew */

        if (!candidate && job_stage_cancels_unstaged(transaction, unit_table_at(transaction->units, unit->unit)))
                pending = NULL;
        if (candidate) {
                const JobMeeting *meeting = &candidate->meeting;
                bool ignores_order = (meeting->survivor && meeting->survivor->ignores_order) ||
                                     (meeting->absorbed && meeting->absorbed->ignores_order);

                if (meeting->canceled)
                        pending = NULL;
                if (meeting->action == JOB_PLAN_TURN)
                        triggered = pending = NULL;
                if (meeting->action != JOB_PLAN_COVER) {
                        unit->candidate = candidate;
                        type = meeting->type;
                        if (meeting->action != JOB_PLAN_MERGE || pending->type != type)
                                pending = NULL;
                        order_unit_set(unit, ORDER_PENDING, type,
                                       pending ? pending->run_type : job_type_first_run(type),
                                       !ignores_order);
                }
        }
        if (!unit->candidate && pending)
                order_unit_set(unit, ORDER_PENDING, pending->type, pending->run_type, !pending->ignores_order);

        if (!triggered)
                return;
        unit->interrupts = unit->is_there[ORDER_PENDING] && type == JOB_STOP && triggered->type != JOB_STOP;
        order_unit_set(unit, ORDER_TRIGGERED, triggered->type, triggered->run_type, !triggered->ignores_order);
        if (unit->interrupts)
                unit->is_there[ORDER_TRIGGERED_SECOND] = false;
}

static bool order_has_waiting_half(JobTransaction *transaction, uint32_t unit) {
        const JobUnitEntry *entry = job_table_peek(transaction->installed, unit);

        if (entry->pending || (entry->triggered && entry->triggered->type == JOB_RESTART))
                return true;
        return job_stage_main(transaction, unit);
}

uint32_t order_graph_add(OrderGraph *graph, uint32_t unit) {
        JobStageUnit *stage = &graph->transaction->stage[unit];
        OrderUnit order_unit = { .unit = unit };

        if (stage->order_unit != JOB_ORDER_UNIT_NONE)
                return stage->order_unit;
        if (!order_has_waiting_half(graph->transaction, unit))
                return JOB_ORDER_UNIT_NONE;

        order_unit_view(graph, &order_unit);
        if (vector_push(&graph->units, order_unit) < 0) {
                graph->error = -ENOMEM;
                return JOB_ORDER_UNIT_NONE;
        }
        stage->order_unit = (uint32_t) graph->units.n - 1;
        return stage->order_unit;
}

void order_graph_refresh(OrderGraph *graph, uint32_t order_unit) {
        order_unit_view(graph, &graph->units.items[order_unit]);
}

/* The next half of the same unit, unless the pending stop interrupts the triggered job. */
static uint32_t order_next_half(OrderGraph *graph, uint32_t node) {
        const OrderUnit *unit = order_graph_unit(graph, node);
        uint32_t slot = node % _ORDER_SLOT_MAX;

        if (unit->interrupts && slot < ORDER_PENDING)
                return ORDER_NODE_NONE;
        for (uint32_t next = slot + 1; next < _ORDER_SLOT_MAX; next++)
                if (unit->is_there[next])
                        return node - slot + next;
        return ORDER_NODE_NONE;
}

/*
 * The next half of @neighbour that must wait for @frame->node. If the node is before the neighbour, all halves but
 * stops wait for it. If the node is after the neighbour (@is_after) it is a stop, and all halves wait for it.
 */
static uint32_t order_next_of_neighbour(OrderGraph *graph, OrderFrame *frame, uint32_t neighbour, bool is_after) {
        uint32_t place = order_graph_add(graph, neighbour);
        const OrderUnit *unit;

        if (place == JOB_ORDER_UNIT_NONE)
                return ORDER_NODE_NONE;

        unit = &graph->units.items[place];
        for (; frame->slot < _ORDER_SLOT_MAX; frame->slot++) {
                if (frame->slot == ORDER_TRIGGERED || !unit->is_there[frame->slot] || !unit->takes_part[frame->slot])
                        continue;
                if (is_after || !job_type_second_goes_first(unit->run[frame->slot]))
                        return place * _ORDER_SLOT_MAX + frame->slot++;
        }
        return ORDER_NODE_NONE;
}

static bool order_in_set(const OrderGraph *graph, uint32_t node, uint32_t set) {
        if (node == ORDER_NODE_NONE || set == 0)
                return node != ORDER_NODE_NONE;
        return node < graph->marks.n && graph->marks.items[node].set == set;
}

static uint32_t order_next_by_relation(OrderGraph *graph, OrderFrame *frame, UnitRelationKind kind, uint32_t set) {
        uint32_t index = order_graph_unit(graph, frame->node)->unit;
        const Unit *unit = unit_table_at(graph->transaction->units, index);
        UnitRelations relations = unit_relations(unit, kind);

        for (; frame->at < relations.n; frame->at++, frame->slot = 0) {
                uint32_t next;

                do
                        next = order_next_of_neighbour(graph, frame, relations.items[frame->at].other,
                                                       kind == UNIT_AFTER);
                while (next != ORDER_NODE_NONE && !order_in_set(graph, next, set));
                if (next != ORDER_NODE_NONE)
                        return next;
        }
        return ORDER_NODE_NONE;
}

static void order_frame_advance(OrderFrame *frame) {
        frame->phase++;
        frame->at = 0;
        frame->slot = 0;
}

uint32_t order_graph_next(OrderGraph *graph, OrderFrame *frame, uint32_t set) {
        uint32_t slot = frame->node % _ORDER_SLOT_MAX;
        uint32_t next = ORDER_NODE_NONE;

        if (frame->phase == 0) {
                next = order_next_half(graph, frame->node);
                order_frame_advance(frame);
                if (order_in_set(graph, next, set))
                        return next;
        }
        if (!order_graph_unit(graph, frame->node)->takes_part[slot])
                return ORDER_NODE_NONE;

        if (frame->phase == 1) {
                next = order_next_by_relation(graph, frame, UNIT_BEFORE, set);
                if (next != ORDER_NODE_NONE)
                        return next;
                order_frame_advance(frame);
        }
        if (!job_type_second_goes_first(order_graph_unit(graph, frame->node)->run[slot]))
                return ORDER_NODE_NONE;
        return order_next_by_relation(graph, frame, UNIT_AFTER, set);
}

static void order_visit(OrderGraph *graph, uint32_t node) {
        OrderFrame frame = { .node = node };

        *order_node(graph, node) = (OrderNode) { .index = graph->next_index + 1, .low = graph->next_index + 1 };
        graph->next_index++;
        if (vector_push(&graph->stack, node) < 0 || vector_push(&graph->frames, frame) < 0)
                graph->error = -ENOMEM;
}

static void order_close(OrderGraph *graph, uint32_t node, OrderComponents *components) {
        size_t first = components->nodes.n;
        uint32_t member;

        do {
                member = vector_pop(&graph->stack);
                order_node(graph, member)->index = ORDER_INDEX_CLOSED;
                if (vector_push(&components->nodes, member) < 0)
                        graph->error = -ENOMEM;
        } while (member != node);

        if (components->nodes.n - first < 2)
                components->nodes.n = first;
        else if (vector_push(&components->ends, (uint32_t) components->nodes.n) < 0)
                graph->error = -ENOMEM;
}

static void order_lower(OrderGraph *graph, uint32_t node, uint32_t low) {
        OrderNode *n = order_node(graph, node);

        n->low = MIN(n->low, low);
}

static void order_walk(OrderGraph *graph, uint32_t root, uint32_t set, OrderComponents *components) {
        order_visit(graph, root);

        while (graph->frames.n > 0 && graph->error == 0) {
                uint32_t node = vector_last(&graph->frames).node;
                uint32_t next = order_graph_next(graph, &vector_last(&graph->frames), set);
                OrderNode seen = *order_node(graph, next == ORDER_NODE_NONE ? node : next);

                if (next != ORDER_NODE_NONE && seen.index == 0)
                        order_visit(graph, next);
                else if (next != ORDER_NODE_NONE && seen.index != ORDER_INDEX_CLOSED)
                        order_lower(graph, node, seen.index);
                else if (next == ORDER_NODE_NONE) {
                        graph->frames.n--;
                        if (seen.low == seen.index)
                                order_close(graph, node, components);
                        if (graph->frames.n > 0)
                                order_lower(graph, vector_last(&graph->frames).node, seen.low);
                }
        }
}

static int order_compare_nodes(const void *a, const void *b, void *userdata) {
        OrderGraph *graph = userdata;
        uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
        const Unit *p = unit_table_at(graph->transaction->units, order_graph_unit(graph, x)->unit);
        const Unit *q = unit_table_at(graph->transaction->units, order_graph_unit(graph, y)->unit);
        int c = strcmp(p->id, q->id);

        return c != 0 ? c : (x > y) - (x < y);
}

typedef struct OrderPart {
        uint32_t first;                 /* node */
        uint32_t from, n;               /* place among the nodes */
} OrderPart;

static int order_compare_parts(const void *a, const void *b, void *userdata) {
        return order_compare_nodes(&((const OrderPart *) a)->first, &((const OrderPart *) b)->first, userdata);
}

/* Sorted by name: the order of discovery depends on declarations, and the choice of a victim must not. */
static void order_components_sort(OrderGraph *graph, OrderComponents *components) {
        OrderNodes sorted = {};
        VECTOR(OrderPart) parts = {};

        if (vector_reserve(&sorted, components->nodes.n) < 0 || vector_reserve(&parts, components->ends.n) < 0)
                graph->error = -ENOMEM;

        for (uint32_t i = 0, from = 0; i < components->ends.n && graph->error == 0;
             from = components->ends.items[i++]) {
                uint32_t *nodes = components->nodes.items + from, n = components->ends.items[i] - from;

                qsort_r(nodes, n, sizeof(*nodes), order_compare_nodes, graph);
                parts.items[parts.n++] = (OrderPart) { .first = nodes[0], .from = from, .n = n };
        }
        if (parts.n > 1)
                qsort_r(parts.items, parts.n, sizeof(*parts.items), order_compare_parts, graph);
        for (size_t i = 0; i < parts.n && graph->error == 0; i++) {
                memcpy(sorted.items + sorted.n, components->nodes.items + parts.items[i].from,
                       parts.items[i].n * sizeof(*sorted.items));
                sorted.n += parts.items[i].n;
                components->ends.items[i] = (uint32_t) sorted.n;
        }
        if (graph->error == 0 && sorted.n > 0)
                memcpy(components->nodes.items, sorted.items, sorted.n * sizeof(*sorted.items));
        vector_deinit(&sorted);
        vector_deinit(&parts);
}

int order_graph_components(OrderGraph *graph, const OrderNodes *roots, uint32_t set, OrderComponents *ret_components) {
        vector_clear(&ret_components->nodes);
        vector_clear(&ret_components->ends);
        graph->next_index = 0;
        if (set == 0)
                for (size_t i = 0; i < graph->units.n; i++)
                        memset(graph->units.items[i].nodes, 0, sizeof(graph->units.items[i].nodes));
        else
                for (size_t i = 0; i < roots->n; i++)
                        order_node(graph, roots->items[i])->index = 0;

        for (size_t i = 0; i < roots->n && graph->error == 0; i++)
                if (has_node(graph, roots->items[i]) && order_node(graph, roots->items[i])->index == 0)
                        order_walk(graph, roots->items[i], set, ret_components);
        if (graph->error == 0 && ret_components->ends.n > 0)
                order_components_sort(graph, ret_components);
        return graph->error;
}

static const char *order_describe_edge(OrderGraph *graph, uint32_t from, uint32_t to) {
        JobTransaction *transaction = graph->transaction;
        const Unit *a = unit_table_at(transaction->units, order_graph_unit(graph, from)->unit);
        const Unit *b = unit_table_at(transaction->units, order_graph_unit(graph, to)->unit);
        bool stops = job_type_second_goes_first(order_graph_unit(graph, to)->run[to % _ORDER_SLOT_MAX]);
        const UnitRelation *relation = NULL;
        UnitRelationKind kind = UNIT_BEFORE;
        char origin[512];

        if (a == b)
                return "the same unit, one after the other";

        if (!stops)
                relation = unit_find_relation(a, UNIT_BEFORE, b);
        if (!relation) {
                kind = UNIT_AFTER;
                relation = unit_find_relation(a, UNIT_AFTER, b);
        }
        if (!relation)
                return "order";

        /* The file that declares the relation: Before= of one unit is After= of the other. */
        unit_origin_format(transaction->units, relation->here != UNIT_ORIGIN_NONE ? relation->here : relation->there,
                           origin, sizeof(origin));
        if (relation->here == UNIT_ORIGIN_NONE)
                return job_stage_format(transaction, "%s=%s at %s",
                                        unit_relation_to_string(unit_relation_inverse(kind)), a->id, origin);
        return job_stage_format(transaction, "%s=%s at %s", unit_relation_to_string(kind), b->id, origin);
}

#define DESCRIBED_MAX 1000              /* edges; a longer cycle is of no use to a reader */

const char *order_graph_describe(OrderGraph *graph, const OrderNodes *cycle) {
        JobTransaction *transaction = graph->transaction;
        const char *copy = NULL;
        Text text = {};

        for (size_t i = 0; i <= cycle->n && i <= DESCRIBED_MAX; i++) {
                uint32_t node = cycle->items[i % cycle->n];
                const OrderUnit *unit = order_graph_unit(graph, node);
                const char *type = job_type_to_string(unit->run[node % _ORDER_SLOT_MAX]);
                const char *id = unit_table_at(transaction->units, unit->unit)->id;

                text_addf(&text, "%s%s %s", i > 0 ? " → " : "", type, id);
                if (i > 0)
                        text_addf(&text, " (%s)", order_describe_edge(graph, cycle->items[i - 1], node));
        }
        if (cycle->n > DESCRIBED_MAX)
                text_addf(&text, " → … (%zu in all)", cycle->n);

        if (text.error == 0)
                copy = arena_strdup(&transaction->arena, text.string);
        text_deinit(&text);
        if (!copy)
                transaction->is_incomplete = true;
        return copy ? copy : "out of memory";
}
