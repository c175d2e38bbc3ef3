/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Execution order as a graph
 *
 * For the order check of job_transaction only. A node is one run half of a job
 * of the table as it will be after the commit; an edge leads from a half to
 * one that must wait for it. Nodes come into being as they are reached from
 * the stage, so installed jobs that do not wait for it cost nothing.
 */

#include "job/job_transaction_stage.h"

/* The halves of one unit, in the order in which they run. */
enum {
        ORDER_TRIGGERED,                /* what runs now: waits for nothing */
        ORDER_TRIGGERED_SECOND,         /* the start half of a running restart */
        ORDER_PENDING,
        ORDER_PENDING_SECOND,
        _ORDER_SLOT_MAX,
};

#define ORDER_NODE_NONE UINT32_MAX

/* For strongly connected components. */
typedef struct OrderNode {
        uint32_t index;                 /* 0: not visited; ORDER_INDEX_CLOSED: its component is known */
        uint32_t low;
} OrderNode;

#define ORDER_INDEX_CLOSED UINT32_MAX

/* One look at a neighbour meets all of this: it lies together. */
typedef struct OrderUnit {
        uint32_t unit;
        bool is_there[_ORDER_SLOT_MAX];
        uint8_t run[_ORDER_SLOT_MAX];   /* JobType */
        bool takes_part[_ORDER_SLOT_MAX];
        bool interrupts;                /* the pending stop does not wait for the triggered job */
        JobCandidate *candidate;        /* that the pending half is of, or NULL: an installed job's */
        OrderNode nodes[_ORDER_SLOT_MAX];
} OrderUnit;

/* What is kept of a node while a cycle is looked for; most graphs have none. */
typedef struct OrderMark {
        uint32_t set;                   /* which subset of nodes it is in */
        uint32_t seen;                  /* generation of a breadth-first search */
        uint32_t parent;                /* in that search */
        uint32_t depth;
} OrderMark;

/* Where the walk over one node's successors stands. */
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
        VECTOR(OrderMark) marks;        /* by node; those beyond its end are zero */
        VECTOR(OrderFrame) frames;
        OrderNodes stack;
        uint32_t next_index;
        uint32_t last_set;
        uint32_t last_seen;
        int error;                      /* 0 or -ENOMEM */
} OrderGraph;

/*
 * The components that have a cycle, one after the other: component i is nodes[ends[i - 1]] to nodes[ends[i] - 1]. Its
 * nodes are in the order of their units' names, and so are components, by their first nodes.
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

/* Marks for all nodes that there are: 0, or -ENOMEM as graph->error. */
int order_graph_reserve_marks(OrderGraph *graph);
/* The place of a unit's halves, added if it has one that waits; JOB_ORDER_UNIT_NONE otherwise. */
uint32_t order_graph_add(OrderGraph *graph, uint32_t unit);
/* After a drop: what is left of the unit's halves. */
void order_graph_refresh(OrderGraph *graph, uint32_t order_unit);

/* The next node that must wait for @frame->node; within @set unless that is 0. ORDER_NODE_NONE at the end. */
uint32_t order_graph_next(OrderGraph *graph, OrderFrame *frame, uint32_t set);

/* Finds the components with a cycle that are reached from @roots. */
int order_graph_components(OrderGraph *graph, const OrderNodes *roots, uint32_t set, OrderComponents *ret_components);

/* "start a.service → start b.service (After= at b.service:3) → …", in the arena; @cycle from first to last. */
const char *order_graph_describe(OrderGraph *graph, const OrderNodes *cycle);
