/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flow=: a run that would be a part of itself
 *
 * No such run is ever made: the node fails that would submit the first flow
 * again. Nodes of a NodesFile= are not looked at.
 */

#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "basic/vector.h"
#include "unitfile/draft_type.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/verify_private.h"

/* Flows that a node leads to and that are looked at. */
#define FLOWS_MAX 500U

/* A flow that runs are made of, and how it was come to. */
typedef struct Part {
        UnitDraft *draft; /* owned */
        size_t above; /* the part that it is a part of; the first one is one of itself */
} Part;

typedef VECTOR(Part) Parts;

static void parts_deinit(Parts *parts) {
        for (size_t i = 0; i < parts->n; i++)
                unit_draft_free(parts->items[i].draft);
        vector_deinit(parts);
}

static const FlowNode *node_of(const UnitDraft *draft, size_t i) {
        const DraftSection *section = draft->instances.items[i];
        const FlowNode *node = draft_section_is_node(section) ? &((const FlowNodeSettings *) section->own)->node : NULL;

        return node && node->flow ? node : NULL;
}

/* 1: it is there; 0: it is not, or there are too many. */
static int add(Parts *parts, size_t above, const UnitFileLoader *quiet, const char *name) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        int r;

        for (size_t i = 0; i < parts->n; i++)
                if (strcmp(parts->items[i].draft->name, name) == 0)
                        return 1;
        if (parts->n >= FLOWS_MAX)
                return 0;
        r = unit_draft_read(quiet, name, unit_file_loader_has_type(quiet, NULL, unit_name_type(name)), &draft);
        if (r < 0)
                return r;
        if (draft->load_state != UNIT_LOADED || !unit_type_has_runs(draft->type))
                return 0;
        r = vector_push(parts, ((Part) { draft, above }));
        if (r < 0)
                return r;
        draft = NULL;
        return 1;
}

/* "b.flow, c.flow, a.flow": from the first of the parts to @flow. */
static int describe(const Parts *parts, size_t at, const char *flow, char **ret_chain) {
        cleanup_free_ char *chain = NULL;
        int r = text_copy(flow, &chain);

        for (;;) {
                char *longer;

                if (r == 0)
                        r = text_format(&longer, "%s, %s", parts->items[at].draft->name, chain);
                if (r < 0)
                        return r;
                free(chain);
                chain = longer;
                if (parts->items[at].above == at)
                        break;
                at = parts->items[at].above;
        }
        *ret_chain = take_ptr(chain);
        return 0;
}

/* The flows from @node on that lead back to @flow; NULL: none do. */
static int find_way_back(Parts *parts, const UnitDraft *flow, const UnitFileLoader *quiet, char **ret_chain) {
        int r = 0;

        for (size_t i = 0; i < parts->n && r >= 0; i++) {
                const UnitDraft *draft = parts->items[i].draft;

                for (size_t k = 0; k < draft->instances.n && r >= 0; k++) {
                        const FlowNode *node = node_of(draft, k);

                        if (node && strcmp(node->flow, flow->name) == 0)
                                return describe(parts, i, flow->name, ret_chain);
                        if (node)
                                r = add(parts, i, quiet, node->flow);
                }
        }
        return MIN(r, 0);
}

static int verify_node(UnitDraft *flow, const FlowNode *node, const UnitFileLoader *quiet) {
        const char *file = node->place.file;
        const unsigned place = unit_draft_find_node_setting(flow, node->name, "Flow", &file),
                       line = place > 0 ? place : node->place.line;
        cleanup_free_ char *chain = NULL;
        Parts parts = {};
        int r = add(&parts, 0, quiet, node->flow);

        if (r == 0)
                unit_draft_report(flow, UNIT_FILE_WARNING, file, line, "Flow",
                                  "Node %s: %s is not there, so that the node fails.", node->name, node->flow);
        if (r > 0)
                r = find_way_back(&parts, flow, quiet, &chain);
        if (r == 0 && chain)
                r = unit_draft_refuse(flow, file, line, "Flow", "Node %s: a run of %s would be a part of itself: %s.",
                                      node->name, flow->name, chain);
        parts_deinit(&parts);
        return MIN(r, 0);
}

int verify_flow_parts(UnitDraft *draft, const UnitFileLoader *quiet) {
        int r = 0;

        if (draft->type != UNIT_FLOW || draft->is_broken)
                return 0;
        for (size_t i = 0; i < draft->instances.n && r == 0; i++) {
                const FlowNode *node = node_of(draft, i);

                if (node)
                        r = verify_node(draft, node, quiet);
        }
        return r;
}
