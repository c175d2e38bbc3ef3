/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Nodes of a flow from a file: NodesFile=
 *
 * A line has one node, as a JSON object: {"Node":"name", "Exec":"/bin/true",
 * "DependsOn":["a","b"], "Retry":3}. A value is what would stand in a [Node …]
 * section: text, a number, true and false for yes and no; an array stands for
 * as many lines.
 */

#include "basic/json.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft.h"

#define FLOW_NODES_FILE_MAX (256U * 1024U * 1024U)

typedef struct FlowNodes {
        UnitDraft *draft;               /* borrowed: of the flow, whose files were read */
        const char *path;               /* borrowed from the flow's settings */
        const char *next;               /* borrowed: the rest of the text */
        unsigned line;
        bool is_open;                   /* .section is in use */
        DraftSection section;           /* of the present node */
        JsonReader json;
} FlowNodes;

/*
 * Begins to read @text, which stands in the file @path. Errors are reported by the draft, with file and line, and
 * refuse the unit. 0 or -ENOMEM; requires flow_nodes_end() in either case.
 */
int flow_nodes_begin(FlowNodes *nodes, UnitDraft *draft, const char *path, const char *text);
void flow_nodes_end(FlowNodes *nodes);

/*
 * Reads one line, of at most 256 KiB: 1 with its node, complete and valid until the next call; 0 at the end, -EBADMSG
 * for a line that was reported (the next one can be read), or -ENOMEM.
 */
int flow_nodes_next(FlowNodes *nodes, FlowNode **ret_node);
