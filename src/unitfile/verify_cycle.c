/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cycles in the order of starting
 *
 * Reads the units that the unit pulls in, directly and indirectly, as its
 * start would. Then searches for the shortest path over "after" from the unit
 * back to itself. Cycles without the unit are not its problem.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "basic/vector.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/verify_private.h"

#define NODES_MAX 2000U

typedef struct CycleNode {
        const UnitDraft *draft;         /* of the verified unit, … */
        UnitDraft *own;                 /* … or owned */
        size_t came_from;               /* predecessor, one step nearer to the unit; itself: not reached */
} CycleNode;

/* Edge of the order. */
typedef struct CycleEdge {
        size_t later, earlier;
        const DraftRelation *relation;  /* borrowed: the declaration */
        bool is_before;                 /* declared by the earlier unit */
} CycleEdge;

typedef struct Cycle {
        VECTOR(CycleNode) nodes;        /* the first is the verified unit */
        VECTOR(CycleEdge) edges;
} Cycle;

static void cycle_deinit(Cycle *cycle) {
        for (size_t i = 0; i < cycle->nodes.n; i++)
                unit_draft_free(cycle->nodes.items[i].own);
        vector_deinit(&cycle->nodes);
        vector_deinit(&cycle->edges);
}

/* The node's number; the number of nodes if there is none. */
static size_t cycle_find(const Cycle *cycle, const char *name) {
        size_t i = 0;

        while (i < cycle->nodes.n && strcmp(cycle->nodes.items[i].draft->name, name) != 0)
                i++;
        return i;
}

static bool relation_pulls_in(const DraftRelation *relation) {
        return relation->kind == UNIT_REQUIRES || relation->kind == UNIT_REQUISITE || relation->kind == UNIT_BINDS_TO ||
               relation->kind == UNIT_WANTS || relation->kind == UNIT_UPHOLDS;
}

static int cycle_read(const UnitFileLoader *quiet, const char *name, UnitDraft **ret_draft) {
        return unit_draft_read(quiet, name, unit_file_loader_has_type(quiet, NULL, unit_name_type(name)), ret_draft);
}

static int cycle_add(Cycle *cycle, const UnitFileLoader *quiet, const char *name) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL, *alias = NULL;
        CycleNode node = { .came_from = cycle->nodes.n };
        int r;

        if (cycle->nodes.n >= NODES_MAX || cycle_find(cycle, name) < cycle->nodes.n)
                return 0;
        r = cycle_read(quiet, name, &draft);
        /* An alias: continues with the aliased unit. */
        if (r == 0 && draft->load_state == UNIT_STUB) {
                alias = take_ptr(draft);
                r = cycle_read(quiet, alias->state->sources.id, &draft);
        }
        if (r < 0 || draft->load_state != UNIT_LOADED || cycle_find(cycle, draft->name) < cycle->nodes.n)
                return r;
        node.draft = node.own = draft;
        r = vector_push(&cycle->nodes, node);
        if (r == 0)
                draft = NULL;
        return r;
}

static int cycle_gather(Cycle *cycle, const UnitFileLoader *quiet) {
        for (size_t i = 0; i < cycle->nodes.n; i++) {
                const UnitDraft *draft = cycle->nodes.items[i].draft;

                for (size_t k = 0; k < draft->relations.n; k++) {
                        int r = relation_pulls_in(&draft->relations.items[k]) ?
                                        cycle_add(cycle, quiet, draft->relations.items[k].name) : 0;

                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

static int cycle_add_edges(Cycle *cycle, size_t node) {
        const UnitDraft *draft = cycle->nodes.items[node].draft;

        for (size_t i = 0; i < draft->relations.n; i++) {
                const DraftRelation *relation = &draft->relations.items[i];
                bool is_before = relation->kind == UNIT_BEFORE;
                CycleEdge edge = { .relation = relation, .is_before = is_before };
                size_t other;
                int r;

                if (relation->kind != UNIT_AFTER && !is_before)
                        continue;
                other = cycle_find(cycle, relation->name);
                if (other == cycle->nodes.n)
                        continue;
                edge.later = is_before ? other : node;
                edge.earlier = is_before ? node : other;
                r = vector_push(&cycle->edges, edge);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int cycle_say(const Cycle *cycle, const CycleEdge *last) {
        const UnitDraft *draft = cycle->nodes.items[0].draft;
        cleanup_(text_deinit) Text way = {};
        cleanup_free_ char *text = NULL;
        size_t *path = calloc(cycle->nodes.n, sizeof(*path)), n = 0;
        int r;

        if (!path)
                return -ENOMEM;
        for (size_t at = last->later; at != 0; at = cycle->nodes.items[at].came_from)
                path[n++] = at;
        text_add(&way, draft->name);
        while (n > 0)
                text_addf(&way, " after %s", cycle->nodes.items[path[--n]].draft->name);
        free(path);
        text_addf(&way, " after %s", draft->name);
        r = text_finish(&way, &text);
        if (r < 0)
                return r;
        unit_draft_report(draft, UNIT_FILE_ERROR, last->relation->file, last->relation->line,
                          last->is_before ? "Before" : "After",
                          "There is an ordering cycle: %s; not all of these units can be started.", text);
        return 0;
}

/* Breadth first, so the first path back is a shortest one. */
static int cycle_search(Cycle *cycle) {
        size_t *queue = calloc(cycle->nodes.n, sizeof(*queue)), n = 1;
        int r = 0;
        bool is_found = false;

        if (!queue)
                return -ENOMEM;
        for (size_t at = 0; at < n && !is_found && r == 0; at++)
                for (size_t i = 0; i < cycle->edges.n && !is_found; i++) {
                        const CycleEdge *edge = &cycle->edges.items[i];
                        CycleNode *earlier = &cycle->nodes.items[edge->earlier];

                        if (edge->later != queue[at])
                                continue;
                        is_found = edge->earlier == 0;
                        if (is_found) {
                                r = cycle_say(cycle, edge);
                        } else if (earlier->came_from == edge->earlier) {
                                earlier->came_from = queue[at];
                                queue[n++] = edge->earlier;
                        }
                }
        free(queue);
        return r;
}

int verify_cycle(const UnitDraft *draft, const UnitFileLoader *quiet) {
        cleanup_(cycle_deinit) Cycle cycle = {};
        CycleNode first = { .draft = draft };
        int r = vector_push(&cycle.nodes, first);

        if (r == 0)
                r = cycle_gather(&cycle, quiet);
        for (size_t i = 0; i < cycle.nodes.n && r == 0; i++)
                r = cycle_add_edges(&cycle, i);
        return r < 0 ? r : cycle_search(&cycle);
}
