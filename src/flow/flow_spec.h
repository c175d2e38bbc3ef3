/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From the settings of a flow to what its runs go through
 *
 * Nodes are added one by one, from the sections of the unit and from the lines
 * of NodesFile=, and need not stay. What a node executes is the caller's: the
 * graph knows it by a number.
 */

#include "basic/macro.h"
#include "run/run_engine.h"
#include "run/run_range.h"
#include "unitfile/flow_settings.h"

/* Names of the nodes of the end of a run, which no other node can have. */
#define FLOW_COMPENSATION "@compensate" /* behind the name of the node that it undoes */
#define FLOW_FINAL "@final"
/* The resource that launches of batches take one of each; the name is none that Resources= can have. */
#define FLOW_LAUNCHERS "@launchers"

typedef struct FlowSpec FlowSpec;

/* @flow is borrowed. 0 or -ENOMEM. */
int flow_spec_new(FlowSpec **ret_spec, const FlowSettings *flow);
FlowSpec *flow_spec_free(FlowSpec *spec);
DEFINE_CLEANUP(FlowSpec, flow_spec_free)
/* Gives back the memory of about @n_nodes, once the graph is made. Returns whether that of more is left. */
bool flow_spec_free_some(FlowSpec *spec, size_t n_nodes);

/* Adds a node; @command is the number of its command. A node that does nothing becomes a checkpoint. 0 or -ENOMEM. */
int flow_spec_add(FlowSpec *spec, const FlowNode *node, uint32_t command);
/* Adds the nodes of the unit's sections, whose commands are numbered from 0 on. 0 or -ENOMEM. */
int flow_spec_add_sections(FlowSpec *spec);

/* The exit statuses of items, by the node of a batch: nothing else of the policy is set. */
void flow_spec_item_policy(const FlowNode *node, RunPolicy *ret_policy);
/* The end of an item by that policy; one that was told to end was not worked on, as the first signal decides. */
RunRangeEnd flow_spec_item_end(const RunPolicy *policy, RunEndKind kind, uint16_t end, bool is_told);
/* The range of a batch, by [Batch] and the node of its items. */
void flow_spec_range_settings(const FlowRange *range, const FlowNode *node, uint32_t n_processors,
                              RunRangeSettings *ret_settings);
/* The rules for elements, from the node of a stream: tries, statuses, .recover, .failure and .timeout. */
void flow_spec_element_policy(const FlowNode *node, RunPolicy *ret_policy);

/* Whether any node that was added has KeepResult=no, or Save=. */
bool flow_spec_drops_results(const FlowSpec *spec);
bool flow_spec_saves_results(const FlowSpec *spec);

/*
 * The graph of all that was added, with what ends a run behind it, in steps: 1, 0 and errors as of run_graph_make().
 * Nothing is added between two steps.
 */
int flow_spec_make(FlowSpec *spec, uint64_t budget, RunGraph **ret_graph, char **ret_problem);

/*
 * The settings of runs of @flow, with @busy for those that are submitted while as many as MaxRuns= run; MaxParallel= is
 * four for each of @n_processors unless it is set.
 */
void flow_spec_settings(const FlowSettings *flow, FlowBusy busy, uint32_t n_processors, RunSettings *ret_settings);
