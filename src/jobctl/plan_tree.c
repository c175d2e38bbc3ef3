/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The jobs of a plan as a tree
 *
 * Pullers are found by their unit and type; a job that was merged with another
 * has another type than its dependents know, and is found by its unit alone.
 * After merging, jobs may have pulled in each other: whatever is not reached
 * from a requested job is a tree of its own.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/plan_tree.h"
#include "jobctl/value.h"

#define NONE SIZE_MAX

typedef struct PlanNode {
        const json_t *job;
        size_t parent, first_child, last_child, next;
        bool is_placed;
        size_t row;             /* once it is placed */
} PlanNode;

/* "a.service start" and "a.service" → index of the node */
static int index_nodes(const PlanNode *nodes, size_t n, json_t *index) {
        for (size_t i = n; i > 0; i--) {
                const char *unit = value_string(nodes[i - 1].job, "unit");
                cleanup_free_ char *key = NULL;

                if (text_format(&key, "%s %s", unit, value_string(nodes[i - 1].job, "type")) < 0 ||
                    json_object_set_new(index, key, json_integer((json_int_t) i)) < 0 ||
                    json_object_set_new(index, unit, json_integer((json_int_t) i)) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int find_parent(const json_t *index, const json_t *job, size_t *ret_parent) {
        const char *puller = value_string(job, "puller");
        cleanup_free_ char *key = NULL;
        const json_t *at;

        *ret_parent = NONE;
        if (!*puller || value_bool(job, "anchor"))
                return 0;
        if (text_format(&key, "%s %s", puller, value_string(job, "puller-type")) < 0)
                return -ENOMEM;
        at = json_object_get(index, key) ?: json_object_get(index, puller);
        if (at)
                *ret_parent = (size_t) json_integer_value(at) - 1;
        return 0;
}

static int join_nodes(PlanNode *nodes, size_t n) {
        json_t *index = json_object();
        int r = index ? index_nodes(nodes, n, index) : -ENOMEM;

        for (size_t i = 0; r == 0 && i < n; i++) {
                PlanNode *parent;

                r = find_parent(index, nodes[i].job, &nodes[i].parent);
                if (r < 0 || nodes[i].parent == NONE)
                        continue;
                parent = &nodes[nodes[i].parent];
                if (parent->last_child == NONE)
                        parent->first_child = i;
                else
                        nodes[parent->last_child].next = i;
                parent->last_child = i;
        }
        json_decref(index);
        return r;
}

static bool is_basic_target(const json_t *job) {
        const char *declared = value_string(job, "declared");

        return !value_bool(job, "anchor") && text_equal(value_string(job, "action"), "new") &&
               text_ends_with(value_string(job, "unit"), ".target") &&
               (text_starts_with(declared, "builtin:") || text_starts_with(declared, "default dependency"));
}

static void place(PlanNode *node, size_t depth, PlanRows *rows) {
        node->is_placed = true;
        node->row = rows->n;
        rows->items[rows->n++] = (PlanRow) { .job = node->job, .depth = depth,
                                             .is_basic = is_basic_target(node->job) };
}

static size_t find_unplaced(const PlanNode *nodes, size_t i) {
        while (i != NONE && nodes[i].is_placed)
                i = nodes[i].next;
        return i;
}

/* Everything below node @i, which is placed. The rows have room for it. */
static void place_descendants(PlanNode *nodes, size_t i, PlanRows *rows) {
        const size_t root = i;
        size_t depth = rows->items[nodes[root].row].depth;
        size_t next = find_unplaced(nodes, nodes[i].first_child);

        for (;;) {
                while (next == NONE && i != root) {
                        next = find_unplaced(nodes, nodes[i].next);
                        i = nodes[i].parent;
                        depth--;
                }
                if (next == NONE)
                        return;
                i = next;
                place(&nodes[i], ++depth, rows);
                next = find_unplaced(nodes, nodes[i].first_child);
        }
}

/* Backwards, so that rows come before those that they are below. */
static void spread_others(PlanRows *rows) {
        size_t above = 0;       /* rows of a smaller depth, which are not basic as one below them is not */

        for (size_t i = rows->n; i > 0; i--) {
                PlanRow *row = &rows->items[i - 1];

                if (row->depth < above)
                        row->is_basic = false;
                above = row->is_basic ? MIN(above, row->depth) : row->depth;
        }
}

int plan_tree_rows(const json_t *jobs, PlanRows *rows) {
        const size_t n = json_array_size(jobs);
        cleanup_free_ PlanNode *nodes = calloc(n + 1, sizeof(*nodes));
        int r;

        if (!nodes || vector_reserve(rows, n) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                nodes[i] = (PlanNode) { .job = json_array_get(jobs, i), .parent = NONE, .first_child = NONE,
                                        .last_child = NONE, .next = NONE };
        r = join_nodes(nodes, n);
        for (int wants_root = 1; r == 0 && wants_root >= 0; wants_root--)
                for (size_t i = 0; i < n; i++) {
                        if (nodes[i].is_placed || (wants_root && nodes[i].parent != NONE))
                                continue;
                        place(&nodes[i], 0, rows);
                        place_descendants(nodes, i, rows);
                }
        spread_others(rows);
        return r;
}

const char *plan_tree_reason(const PlanRow *row) {
        const char *why = value_string(row->job, "why"), *puller = value_string(row->job, "puller");
        cleanup_free_ char *prefix = NULL;

        if (row->depth == 0 || text_format(&prefix, "%s %s: ", value_string(row->job, "puller-type"), puller) < 0)
                return why;
        return text_starts_with(why, prefix) ? why + strlen(prefix) : why;
}
