/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The definition of runs: a flow as it was when they were submitted
 *
 * A definition is made from text, never from a unit, which may be loaded again or be
 * gone: what is stored with a run is what the run executes. Runs share it.
 *
 * The lines of NodesFile= are read in steps. Their commands do not stay in
 * memory: a line is read again when its command is to run.
 */

#include "basic/failure.h"
#include "basic/macro.h"
#include "run/run_graph.h"
#include "unitfile/flow_nodes.h"

typedef struct FlowDefinition FlowDefinition;

/*
 * @text: of the unit @name (FlowSettings.text); @nodes: of its NodesFile=, NULL if it has none. Both are copied.
 * Returns a reference: 0, -EINVAL with @ret_failure, or -ENOMEM.
 */
int flow_definition_new(FlowDefinition **ret_definition, const UnitFileLoader *loader, const char *name,
                        const char *text, const char *nodes, Failure *ret_failure);
/* The same; takes *@nodes, unless that is NULL. */
int flow_definition_new_with(FlowDefinition **ret_definition, const UnitFileLoader *loader, const char *name,
                             const char *text, char **nodes, Failure *ret_failure);
FlowDefinition *flow_definition_ref(FlowDefinition *definition);
FlowDefinition *flow_definition_unref(FlowDefinition *definition); /* accepts NULL, returns NULL */
DEFINE_CLEANUP(FlowDefinition, flow_definition_unref)

/*
 * Reads up to @n_lines lines of NodesFile=, or makes a part of the graph that takes as long: 1 if there is more to do,
 * 0 if all are read and the graph is made, -EINVAL with @ret_failure, which names file and line, or -ENOMEM.
 */
int flow_definition_read(FlowDefinition *definition, unsigned n_lines, Failure *ret_failure);

bool flow_definition_has_lines(const FlowDefinition *definition); /* that are not read */
bool flow_definition_is_read(const FlowDefinition *definition); /* no step of reading it is left */
const char *flow_definition_text(const FlowDefinition *definition);
const char *flow_definition_nodes(const FlowDefinition *definition); /* NULL: none */
const FlowSettings *flow_definition_settings(const FlowDefinition *definition);
RunGraph *flow_definition_graph(const FlowDefinition *definition); /* NULL until it is made */

/* Whether any node has KeepResult=no, or Save=; once all is read. */
bool flow_definition_drops_results(const FlowDefinition *definition);
bool flow_definition_saves_results(const FlowDefinition *definition);

/* The commands and jobs of a node. */
typedef struct FlowCommand {
        FlowNodes lines; /* of a node in NodesFile= */
        bool has_lines;
        const FlowNode *node; /* NULL: it is not open; of a compensation: the one that it undoes */
        const FlowProcess *process; /* its own, or the flow's */
        ExecCommand *command; /* NULL: it does nothing, or asks for a job */
        const char *setting; /* static: that has the command */
        bool is_extra; /* a compensation, or the final node */
} FlowCommand;

/* Of any node, also of one without a command. 0, or -EINVAL, -ENOMEM. The definition must outlive it. */
int flow_command_open(FlowCommand *command, FlowDefinition *definition, uint32_t node);
void flow_command_close(FlowCommand *command); /* also one that is not open */
