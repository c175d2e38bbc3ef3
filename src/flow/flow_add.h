/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Nodes for a run that has begun, as text behind that of its definition
 */

#include "basic/failure.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "run/run_graph.h"

typedef struct FlowAddition {
        Text text; /* sections, to stand behind the text of the definition */
        char **names; /* owned: of the nodes that are new */
        char **parents; /* owned: that these name */
} FlowAddition;

/*
 * Reads JSON Lines, as in NodesFile=. A node that names no parent gets @below, unless that is NULL; one that @text has
 * in the same words already is left out. 0, -ENOMEM, or -EINVAL with @ret_failure, which names the line. Requires
 * flow_addition_deinit() in any case.
 */
int flow_addition_read(FlowAddition *addition, const char *lines, const char *below, const char *text,
                       const RunGraph *graph, Failure *ret_failure);
void flow_addition_deinit(FlowAddition *addition);

/* Node @child waits, by @setting ("DependsOn"), for those of the new nodes that no other one of them waits for. */
void flow_addition_join(FlowAddition *addition, const char *child, const char *setting);

/*
 * Finds the nodes of @graph, that of a definition with @text, that were added without a parent of their own: they are
 * beside those that are added to the same node later. @are_unnamed: one for each node, of which these are set. 0 or
 * -ENOMEM.
 */
int flow_addition_find_unnamed(const char *text, const RunGraph *graph, bool *are_unnamed);

/* How many nodes of a definition with @text were added so. */
uint32_t flow_addition_count(const char *text);
