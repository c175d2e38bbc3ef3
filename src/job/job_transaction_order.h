/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Execution order as a graph
 *
 * Only for the order check of job_transaction. A node is one run half of a
 * job, in the table as it will be after the commit; an edge leads from a half
 * to one that must wait for it. Nodes are created when the search reaches them
 * from the stage, so unrelated installed jobs cost nothing.
 */

#include "job/job_transaction_stage.h"

/* The halves of one unit, in the order in which they run. */
enum {
        ORDER_TRIGGERED,                /* the running half: waits for nothing */
        ORDER_TRIGGERED_SECOND,         /* the start half of a running restart */
        ORDER_PENDING,
        ORDER_PENDING_SECOND,
        _ORDER_SLOT_MAX,
};

#define ORDER_NODE_NONE UINT32_MAX

/* The node's state in the search for strongly connected components. */
typedef struct OrderNode {
        uint32_t index;                 /* 0: not visited; ORDER_INDEX_CLOSED: its component is known */
        uint32_t low;
} OrderNode;

#define ORDER_INDEX_CLOSED UINT32_MAX

/* The check of a neighbour reads all of these members: they stand together, in few cache lines. */
typedef struct OrderUnit {
        uint32_t unit;
        bool is_there[_ORDER_SLOT_MAX];
        uint8_t run[_ORDER_SLOT_MAX];   /* JobType */
        bool takes_part[_ORDER_SLOT_MAX];
        bool interrupts;                /* the pending stop does not wait for the triggered job */
        JobCandidate *candidate;        /* the owner of the pending half; NULL for an installed job */
        OrderNode nodes[_ORDER_SLOT_MAX];
} OrderUnit;

/* Data of a node for the search for a cycle; allocated only when there is one. */
typedef struct OrderMark {
        uint32_t set;                   /* subset of nodes that contains it */
        uint32_t seen;                  /* generation of a breadth-first search */
        uint32_t parent;                /* predecessor in that search */
        uint32_t depth;
} OrderMark;

/* State of the walk over one node's successors. */
typedef struct OrderFrame {
        uint32_t node;
        uint32_t at;                    /* place among the relations */
        uint8_t phase;
        uint8_t slot;
} OrderFrame;

typedef VECTOR(uint32_t) OrderNodes;

typedef struct OrderGraph {
        JobTransaction *transaction;    /* borrowed */
        VECTOR(OrderUnit) units;
        VECTOR(OrderMark) marks;        /* by node; missing entries are zero */
        VECTOR(OrderFrame) frames;
        OrderNodes stack;
        uint32_t next_index;
        uint32_t last_set;
        uint32_t last_seen;
        int error;                      /* 0 or -ENOMEM */
} OrderGraph;

/*
 * The components that contain a cycle: component i is nodes[ends[i - 1]] to nodes[ends[i] - 1]. The nodes of a
 * component are sorted by unit name, the components by their first nodes.
 */
typedef struct OrderComponents {
        OrderNodes nodes;
        OrderNodes ends;
} OrderComponents;

void order_graph_init(OrderGraph *graph, JobTransaction *transaction);
void order_graph_deinit(OrderGraph *graph);

static inline OrderUnit *order_graph_unit(const OrderGraph *graph, uint32_t node) {
        return &graph->units.items[node / _ORDER_SLOT_MAX];
}

/* Allocates marks for all nodes: 0, or -ENOMEM, also in graph->error. */
int order_graph_reserve_marks(OrderGraph *graph);
/* The place of a unit's halves, added if one of them waits; JOB_ORDER_UNIT_NONE otherwise. */
uint32_t order_graph_add(OrderGraph *graph, uint32_t unit);
/* Recomputes the unit's halves after a drop. */
void order_graph_refresh(OrderGraph *graph, uint32_t order_unit);

/* The next node that must wait for @frame->node, within @set unless @set is 0. ORDER_NODE_NONE at the end. */
uint32_t order_graph_next(OrderGraph *graph, OrderFrame *frame, uint32_t set);

/* Finds the components with a cycle that can be reached from @roots. */
int order_graph_components(OrderGraph *graph, const OrderNodes *roots, uint32_t set, OrderComponents *ret_components);

/* "start a.service → start b.service (After= at b.service:3) → …", in the arena; @cycle is in order. */
const char *order_graph_describe(OrderGraph *graph, const OrderNodes *cycle);
