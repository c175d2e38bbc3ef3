/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StartMode=finished: a node that waits for its own flow
 *
 * The start of such a flow waits for the end of its run. A node that starts a
 * unit which is ordered after the flow, or pulls such a unit in, waits for
 * that start: neither of them ever goes on.
 */

#include <errno.h>
#include <string.h>

#include "basic/vector.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/verify_private.h"

/* Units that a node leads to and that are looked at. */
#define UNITS_MAX 500U

typedef VECTOR(UnitDraft *) Drafts;

static void drafts_deinit(Drafts *drafts) {
        for (size_t i = 0; i < drafts->n; i++)
                unit_draft_free(drafts->items[i]);
        vector_deinit(drafts);
}

static int add(Drafts *drafts, const UnitFileLoader *quiet, const char *name) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        int r;

        if (drafts->n >= UNITS_MAX)
                return 0;
        r = unit_draft_read(quiet, name, unit_file_loader_has_type(quiet, NULL, unit_name_type(name)), &draft);
        if (r < 0 || draft->load_state != UNIT_LOADED)
                return r;
        for (size_t i = 0; i < drafts->n; i++)
                if (strcmp(drafts->items[i]->name, draft->name) == 0)
                        return 0;
        r = vector_push(drafts, draft);
        if (r == 0)
                draft = NULL;
        return r;
}

static bool pulls_in(const DraftRelation *relation) {
        return relation->kind == UNIT_REQUIRES || relation->kind == UNIT_BINDS_TO || relation->kind == UNIT_WANTS ||
               relation->kind == UNIT_UPHOLDS;
}

static bool has_relation(const UnitDraft *draft, UnitRelationKind kind, const char *name) {
        for (size_t i = 0; i < draft->relations.n; i++)
                if (draft->relations.items[i].kind == kind && strcmp(draft->relations.items[i].name, name) == 0)
                        return true;
        return false;
}

/* The first unit among @drafts, which grow by what they pull in, that is ordered after @flow; NULL: none is. */
static int find_later(Drafts *drafts, const UnitDraft *flow, const UnitFileLoader *quiet, const char **ret_later) {
        int r = 0;

        for (size_t i = 0; i < drafts->n && r == 0; i++) {
                const UnitDraft *draft = drafts->items[i];

                if (has_relation(draft, UNIT_AFTER, flow->name) || has_relation(flow, UNIT_BEFORE, draft->name)) {
                        *ret_later = draft->name;
                        return 0;
                }
                for (size_t k = 0; k < draft->relations.n && r == 0; k++)
                        if (pulls_in(&draft->relations.items[k]))
                                r = add(drafts, quiet, draft->relations.items[k].name);
        }
        return r;
}

static int verify_node(UnitDraft *flow, const FlowNode *node, const UnitFileLoader *quiet) {
        const char *later = NULL, *file = node->place.file;
        Drafts drafts = {};
        unsigned line;
        int r = add(&drafts, quiet, node->unit);

        if (r == 0)
                r = find_later(&drafts, flow, quiet, &later);
        line = unit_draft_find_node_setting(flow, node->name, "Unit", &file);
        if (r == 0 && later)
                unit_draft_report(flow, UNIT_FILE_WARNING, file, line > 0 ? line : node->place.line, "Unit",
                                  "Node %s starts %s%s%s, which is ordered after %s: with StartMode=finished the start "
                                  "of the flow waits for the node, and the node for the start.",
                                  node->name, node->unit, strcmp(later, node->unit) != 0 ? " and with it " : "",
                                  strcmp(later, node->unit) != 0 ? later : "", flow->name);
        drafts_deinit(&drafts);
        return r;
}

int verify_flow_start(UnitDraft *draft, const UnitFileLoader *quiet) {
        const FlowSettings *flow;
        int r = 0;

        if (draft->type != UNIT_FLOW || draft->is_broken)
                return 0;
        flow = draft->section.own;
        if (flow->start_mode != FLOW_START_FINISHED)
                return 0;
        for (size_t i = 0; i < draft->instances.n && r == 0; i++) {
                const FlowNode *node = &((const FlowNodeSettings *) draft->instances.items[i]->own)->node;

                if (node->unit && node->operation != FLOW_STOP)
                        r = verify_node(draft, node, quiet);
        }
        return r;
}
