/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The graph of a flow: nodes, edges, policies
 *
 * A graph is checked when it is made, and does not change any more; all runs
 * of a definition share it. Nodes are numbers in the order of the
 * definition. An edge takes four bytes in each direction, equal policies are
 * stored once.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/usec.h"
#include "run/run_demand.h"

/* In place of a parent's name: no parent. */
#define RUN_NO_NODE "N/A"
#define RUN_NODE_NONE UINT32_MAX

typedef enum RunReadiness {
        RUN_READY_ALL_SUCCEEDED,
        RUN_READY_ALL_FINISHED,
        RUN_READY_AT_LEAST, /* .amount parents */
        RUN_READY_AT_LEAST_PERCENT, /* .amount percent of them, rounded up */
        RUN_READY_ANY,
        RUN_READY_NAMED, /* those with RUN_EDGE_NAMED succeeded */
        /* Airflow's trigger rules, which look at failures too. */
        RUN_READY_NONE_FAILED,
        RUN_READY_ONE_FAILED,
        RUN_READY_ALL_FAILED,
        RUN_READY_ALWAYS,
        RUN_READY_NONE_SKIPPED,
        RUN_READY_ONE_DONE, /* succeeded or failed */
        RUN_READY_ALL_SKIPPED,
        RUN_READY_NONE_FAILED_MIN_ONE,
        RUN_READY_BY_POLICY, /* the host asks a command */
        _RUN_READINESS_MAX,
} RunReadiness;

/* Kinds of edges from a node to a parent; bits. */
typedef enum RunEdge {
        RUN_EDGE_OPTIONAL = 1 << 0, /* of AnyOf= or OptionalDependsOn= */
        RUN_EDGE_NAMED = 1 << 1, /* of RUN_READY_NAMED */
        RUN_EDGE_SKIP_SUCCEEDS = 1 << 2, /* a skip of the parent counts as success … */
        RUN_EDGE_SKIP_FAILS = 1 << 3, /* … or as failure */
        /* The graph sets these. */
        RUN_EDGE_IS_JUDGED = 1 << 4, /* the parent counts for readiness */
        RUN_EDGE_HANDS_FAILURE = 1 << 5, /* a parent that was skipped for a failure counts as failed */
        RUN_EDGE_OTHERWISE = 1 << 6, /* from a node with When= to the node with Otherwise= beside it */
        RUN_EDGE_ITEM = 1 << 7, /* from a node with Foreach= to one of its instances */
} RunEdge;

/* Results after which what has succeeded is undone; bits. */
enum {
        RUN_UNDO_ON_FAILURE = 1 << 0, /* or lateness */
        RUN_UNDO_ON_CANCEL = 1 << 1,
};

typedef enum RunRecover {
        RUN_RECOVER_RETRY, /* what was lost or interrupted runs again */
        RUN_RECOVER_PENDING, /* a person decides */
        RUN_RECOVER_FAIL,
} RunRecover;

/* Kinds of attempts. Only a process takes a place of MaxParallel=. */
typedef enum RunAction {
        RUN_ACTION_PROCESS,
        RUN_ACTION_JOB, /* of a unit */
        RUN_ACTION_RUN, /* of another flow; of a compensation, the end of such a run that is undone */
        RUN_ACTION_RANGE, /* the items of a batch, see run_range.h: a launch of them */
        _RUN_ACTION_MAX,
} RunAction;

/* The effect of a node's success on its run. */
typedef enum RunEndRun {
        RUN_END_RUN_NO,
        RUN_END_RUN_SUCCESS, /* the rest is skipped */
        RUN_END_RUN_FAILURE, /* and the run has failed */
} RunEndRun;

/* The effect of a failure when no try is left. */
typedef enum RunFailurePolicy {
        RUN_POLICY_END,
        RUN_POLICY_CONTINUE,
        RUN_POLICY_SUSPEND,
} RunFailurePolicy;

typedef enum RunBackoff {
        RUN_BACKOFF_FIXED,
        RUN_BACKOFF_LINEAR,
        RUN_BACKOFF_EXPONENTIAL,
} RunBackoff;

/* How a process ends: with an exit status, up to 255, or by a signal. */
#define RUN_ENDS 384U
#define RUN_END_BY_SIGNAL(signal) (256U + (signal))
typedef uint64_t RunEndSet[RUN_ENDS / 64]; /* a bit each */

static inline bool run_end_set_has(const RunEndSet ends, uint16_t end) {
        return ends[end / 64] >> end % 64 & 1;
}

/* The settings that decide about a node, plain data; times in µs. */
typedef struct RunPolicy {
        RunAction action;
        RunReadiness readiness;
        uint32_t amount; /* of at-least */
        RunRecover recover;
        RunFailurePolicy failure;
        RunBackoff backoff;
        uint32_t retry; /* tries after the first */
        uint32_t jitter; /* percent of the delay */
        uint32_t again_max; /* "not yet" so often at most; 0: no limit */
        usec_t again; /* before a node that said "not yet" runs again; 0: it cannot say so */
        usec_t delay, max_delay; /* between tries */
        usec_t window; /* from the first try; USEC_INFINITY: none */
        usec_t again_window; /* of "not yet", from the first attempt; 0: none */
        usec_t sleep; /* the node does nothing for so long; 0: it does not sleep */
        usec_t timeout, total_timeout; /* of an attempt, of all; USEC_INFINITY: none */
        RunEndSet retry_ends; /* are retried; empty: every one … */
        RunEndSet no_retry_ends; /* … but these */
        RunEndSet success_ends; /* beside status 0 */
        RunEndSet again_ends; /* say "not yet", with .again */
        RunEndSet pending_ends; /* ask for a person */
        bool has_condition; /* When=: the host judges it when the parents allow the node */
        bool is_otherwise; /* runs if each node with a condition and the same parents was skipped for that */
        bool is_goal; /* is never unneeded, like a node without children */
        bool stays; /* is not skipped as unneeded */
        bool has_default, has_default_for_timeout; /* a failure that another value stands in for ends no run */
        bool has_default_for_skip; /* of no account to the engine */
        bool tells_begin, tells_end; /* the same: others are told of these */
        RunEndRun end_run;
        usec_t queue_timeout; /* from READY to the start; 0: none */
        uint32_t demand; /* index in .demands of the graph, plus one; 0: nothing is taken */
        uint8_t priority;
        bool takes_priority; /* that of its run, in place of .priority */
        bool sleeps_until; /* it does nothing until a time that the host names */
        bool has_gate; /* a person approves the node before it begins */
        bool gives_up_locks; /* while it is DEFERRED or PENDING */
        bool is_foreach; /* Foreach=: instances of the node act in its place */
        bool is_item; /* it is such an instance; run_graph_set_items() makes them */
        uint32_t foreach_parallel; /* instances that run at a time; 0: no limit of their own */
        bool drops_result, saves_result; /* of no account to the engine */
        bool has_callback; /* an attempt that has succeeded waits until somebody else completes the node */
} RunPolicy;

/* Whether the node is tried again after a process that has failed with @end. */
bool run_policy_retries(const RunPolicy *policy, uint16_t end);

/* Whether the node waits in place of an attempt. */
static inline bool run_policy_sleeps(const RunPolicy *policy) {
        return policy->sleep > 0 || policy->sleeps_until;
}

typedef struct RunNodeSpec {
        const char *name; /* all pointers are borrowed, and need not stay */
        const char *const *parents; /* names; RUN_NO_NODE counts as none */
        const uint8_t *edges; /* RunEdge of each; NULL: none has any */
        uint32_t n_parents;
        uint32_t payload; /* opaque: what the owner finds the node's command by */
        RunPolicy policy;
        uint32_t undoes; /* of one of the .n_extra nodes: which node; RUN_NODE_NONE: it is the final one */
} RunNodeSpec;

/*
 * Beside the nodes of the definition there may be those of the end of a run, which depend on nothing and are judged by
 * nothing: compensations, each of which undoes a node, and the final one.
 */
typedef struct RunGraphSpec {
        const RunNodeSpec *nodes;
        uint32_t n_nodes;
        const RunDemand *demands; /* copied */
        uint32_t n_demands;
        uint32_t demand; /* of a run, as in RunPolicy */
        const struct RunExpansion *expansions; /* copied: of run_graph_expand() … */
        uint32_t n_expansions;
        struct RunGraph *definition; /* … which takes a reference; NULL: it is one itself */
        uint32_t first_extra, n_extra; /* those of the end, which stand together */
        unsigned undo_on; /* RUN_UNDO_ON_… */
} RunGraphSpec;

typedef struct RunGraph RunGraph;

/*
 * Instances of a node with Foreach=, which have numbers behind all nodes of the definition. A number stays with its
 * instance as long as the run, so that a node that is executed again with more items has several of these.
 */
typedef struct RunExpansion {
        uint32_t node;
        uint32_t first, n; /* numbers of instances … */
        uint32_t item; /* … the first of which is this one, from 0 */
        uint32_t used; /* so many of them are there now; the others have no edges */
} RunExpansion;

/*
 * Makes a graph with one reference. 0, -ENOMEM, or -EINVAL with a sentence in *ret_problem (owned by the caller) for a
 * graph without nodes, a node called N/A, two nodes of a name, a parent that does not exist, is the node itself or is
 * named twice, a share of parents that cannot be reached, and a cycle, which is named edge by edge.
 */
int run_graph_new(const RunGraphSpec *spec, RunGraph **ret_graph, char **ret_problem);
RunGraph *run_graph_ref(RunGraph *graph);
RunGraph *run_graph_unref(RunGraph *graph); /* accepts NULL, returns NULL */
DEFINE_CLEANUP(RunGraph, run_graph_unref)

/*
 * Makes a graph in steps. What @spec points to has to stay meanwhile. A step looks at nodes some @budget times, or goes
 * over all of them once. 1: there is more to do; else as run_graph_new(), and the maker is of no use any more.
 */
typedef struct RunGraphMaker RunGraphMaker;

int run_graph_begin(const RunGraphSpec *spec, RunGraphMaker **ret_maker); /* 0 or -ENOMEM */
int run_graph_make(RunGraphMaker *maker, uint64_t budget, RunGraph **ret_graph, char **ret_problem);
RunGraphMaker *run_graph_maker_free(RunGraphMaker *maker); /* accepts NULL, returns NULL */
DEFINE_CLEANUP(RunGraphMaker, run_graph_maker_free)

/*
 * The graph of a run whose nodes with Foreach= have instances: NODE[0] … between the node and its children, which count
 * each instance as a parent in place of the node. @definition is the graph without instances. 0, -ENOMEM, or -EINVAL
 * for expansions that cannot be.
 */
int run_graph_expand(RunGraph *definition, const RunExpansion *expansions, uint32_t n, RunGraph **ret_graph);
/* The same as @graph, but with @n instances of @node; 0: it has none (any more). As of run_graph_expand(). */
int run_graph_set_items(RunGraph *graph, uint32_t node, uint32_t n, RunGraph **ret_graph);
RunGraph *run_graph_definition(RunGraph *graph); /* borrowed: the graph without instances */
const RunExpansion *run_graph_expansions(const RunGraph *graph, uint32_t *ret_n);
/* The node that @node is an instance of, and of which item; RUN_NODE_NONE: it is none. */
uint32_t run_graph_item_of(const RunGraph *graph, uint32_t node, uint32_t *ret_item);
uint32_t run_graph_find_item(const RunGraph *graph, uint32_t node, uint32_t item); /* RUN_NODE_NONE: there is none */
uint32_t run_graph_count_items(const RunGraph *graph, uint32_t node);
/* As the definition has it: of an instance its node. */
uint32_t run_graph_origin(const RunGraph *graph, uint32_t node);

uint32_t run_graph_count(const RunGraph *graph);
uint32_t run_graph_count_extra(const RunGraph *graph); /* those of the end */
bool run_graph_is_extra(const RunGraph *graph, uint32_t node); /* one of these */
/* The compensation of a node, or the node that a compensation undoes; RUN_NODE_NONE: there is none. */
uint32_t run_graph_partner(const RunGraph *graph, uint32_t node);
unsigned run_graph_undo_on(const RunGraph *graph); /* RUN_UNDO_ON_… */
uint32_t run_graph_final(const RunGraph *graph); /* the node that ends a run; RUN_NODE_NONE: there is none */
uint32_t run_graph_find(const RunGraph *graph, const char *name); /* or RUN_NODE_NONE */
const char *run_graph_name(const RunGraph *graph, uint32_t node);
uint32_t run_graph_payload(const RunGraph *graph, uint32_t node);
const RunPolicy *run_graph_policy(const RunGraph *graph, uint32_t node);
/*
 * Parents and children; their number in *ret_n. The parents of a node with Otherwise= are followed by the nodes with a
 * condition beside it.
 */
const uint32_t *run_graph_parents(const RunGraph *graph, uint32_t node, uint32_t *ret_n);
const uint32_t *run_graph_children(const RunGraph *graph, uint32_t node, uint32_t *ret_n);
/* RunEdge of each of these. */
const uint8_t *run_graph_parent_edges(const RunGraph *graph, uint32_t node);
const uint8_t *run_graph_child_edges(const RunGraph *graph, uint32_t node);
/* Whether @child is a child of @node; if so, with what joins the two. */
bool run_graph_find_edge(const RunGraph *graph, uint32_t node, uint32_t child, uint8_t *ret_edge);
/* A goal has is_goal in its policy, or no children but those that run otherwise. */
bool run_graph_is_goal(const RunGraph *graph, uint32_t node);
uint32_t run_graph_count_judged(const RunGraph *graph, uint32_t node); /* of its parents */
/* All nodes, parents before their children; as the definition has them where both may come first. */
const uint32_t *run_graph_order(const RunGraph *graph);
uint32_t run_graph_rank(const RunGraph *graph, uint32_t node); /* its place in that order */
/* All nodes by priority; of equal ones those with the longest way to an end first, then as the definition has them. */
const uint32_t *run_graph_by_urgency(const RunGraph *graph);
uint32_t run_graph_urgency(const RunGraph *graph, uint32_t node); /* its place among these */
uint32_t run_graph_way(const RunGraph *graph, uint32_t node); /* edges of that way, at most 65535 */
/* The demand of a node, or with RUN_NODE_NONE of a run: borrowed; NULL: none. */
const RunDemand *run_graph_demand(const RunGraph *graph, uint32_t node);
/*
 * Since when the node is READY counts after a restart: its wait has a limit, or others wait for the same. So an
 * instance has a row before it begins.
 */
bool run_graph_dates_wait(const RunGraph *graph, uint32_t node);
/* All demands, and which of them is that of a run, as in RunGraphSpec. */
const RunDemand *run_graph_demands(const RunGraph *graph, uint32_t *ret_n, uint32_t *ret_of_run);
/* The memory of the graph in bytes, without the allocator's own; that of its definition is not in it. */
size_t run_graph_bytes(const RunGraph *graph);
