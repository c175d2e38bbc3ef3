/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From the nodes of a flow to its graph
 *
 * Nodes are added one by one, from sections and from NodesFile=, and need not
 * stay. All errors name file and line.
 */

#include "basic/arena.h"
#include "basic/index_table.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft.h"

#define FLOW_NODES_MAX 1000000U

/* A node, by its number in the order of the files. */
typedef struct FlowGraphNode {
        const char *name;               /* borrowed from the graph */
        FlowPlace place;
        FlowPlace readiness_place;
        FlowReadiness readiness;
        FlowFailure failure;
        uint32_t first, n;              /* its edges */
        uint32_t n_judged;              /* of these by Readiness= */
        uint32_t first_output, n_outputs;
        bool has_condition, is_otherwise, is_foreach;
} FlowGraphNode;

typedef struct FlowGraphEdge {
        const char *name;               /* of the parent; borrowed from the graph */
        uint32_t parent;                /* set by flow_graph_finish() */
        FlowPlace place;
        FlowDependencyKind kind;
} FlowGraphEdge;

/* A node that an expression or a command of another one names. */
typedef struct FlowGraphReference {
        uint32_t node;                  /* UINT32_MAX: the flow */
        const char *name;               /* borrowed from the graph */
        const char *setting;            /* static */
        FlowPlace place;
        bool is_of_end;                 /* the other one has ended by then, whatever depends on what */
} FlowGraphReference;

/* A value that a node needs and that neither its section nor the flow's gives. */
typedef struct FlowGraphInput {
        uint32_t node;
        const char *key;                /* borrowed from the graph */
        FlowPlace place;
} FlowGraphInput;

typedef struct FlowGraph {
        UnitDraft *draft;               /* borrowed; also keeps the files of places */
        VECTOR(FlowGraphNode) nodes;
        VECTOR(FlowGraphEdge) edges;    /* the parents of each node, in the order of nodes */
        VECTOR(FlowGraphReference) references;
        VECTOR(FlowGraphInput) inputs;
        VECTOR(const char *) outputs;   /* keys, of each node, in the order of nodes; borrowed from .names */
        IndexTable by_name;
        Arena names;
        bool is_broken;                 /* an error was reported */
} FlowGraph;

static inline void flow_graph_init(FlowGraph *graph, UnitDraft *draft) {
        *graph = (FlowGraph) { .draft = draft };
}

void flow_graph_deinit(FlowGraph *graph);

/* Adds a copy of what the graph has of @node. A second node of the same name is reported. 0 or -ENOMEM. */
int flow_graph_add(FlowGraph *graph, const FlowNode *node);
/* Adds the nodes of all sections of the draft. 0 or -ENOMEM. */
int flow_graph_add_sections(FlowGraph *graph);

/*
 * To be called once all nodes are there: finds the parents. Reports names that no node has, parents that are named
 * twice, shares of parents that cannot be reached, a cycle, edge by edge, values of nodes that are not above the node
 * that wants them, inputs that nobody gives, or two parents do, and Otherwise= without a condition beside the node. 0
 * or -ENOMEM.
 */
int flow_graph_finish(FlowGraph *graph);

/* All of this for a flow whose nodes are all in its unit files. 0 or -ENOMEM. */
int flow_graph_check(UnitDraft *draft);
