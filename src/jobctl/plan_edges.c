/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The edges of the drawing of a plan
 *
 * Units have order relations to near and far units; most of these follow from
 * others and would only add lines, so they are left out. Edges that pull a
 * job in are always drawn, except that isolate stops a unit that another job
 * stops as well.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "jobctl/plan_edges.h"
#include "jobctl/value.h"

/* A larger graph is for programs: it is not reduced. */
#define REDUCED_MAX 1024U

#define BITS 64U

typedef struct Reach {
        uint64_t *bits;         /* owned; a row for each job: the jobs that it waits for, directly or not */
        size_t n_words;         /* words in a row */
} Reach;

static int compare(const void *a, const void *b) {
        const PlanEdge *x = a, *y = b;

        if (x->from != y->from)
                return x->from < y->from ? -1 : 1;
        return x->to < y->to ? -1 : x->to > y->to;
}

/* Of several relations the edge is named after the one that is needed. */
static void merge(PlanEdge *into, const PlanEdge *from) {
        if (from->relation && (!into->relation || (from->is_needed && !into->is_needed)))
                into->relation = from->relation;
        into->is_needed |= from->is_needed;
        into->waits |= from->waits;
}

static void merge_all(PlanEdges *edges) {
        size_t kept = 0;

        if (edges->n > 1)
                qsort(edges->items, edges->n, sizeof(*edges->items), compare);
        for (size_t i = 0; i < edges->n; i++)
                if (kept > 0 && compare(&edges->items[kept - 1], &edges->items[i]) == 0)
                        merge(&edges->items[kept - 1], &edges->items[i]);
                else
                        edges->items[kept++] = edges->items[i];
        edges->n = kept;
}

static bool reaches(const Reach *reach, uint32_t from, uint32_t to) {
        return reach->bits[from * reach->n_words + to / BITS] >> to % BITS & 1;
}

/* True if this added a job. */
static bool reach_add(Reach *reach, const PlanEdge *edge) {
        uint64_t *from = reach->bits + edge->from * reach->n_words, *to = reach->bits + edge->to * reach->n_words;
        bool is_new = !reaches(reach, edge->from, edge->to);

        from[edge->to / BITS] |= UINT64_C(1) << edge->to % BITS;
        for (size_t i = 0; i < reach->n_words; i++) {
                is_new |= (to[i] & ~from[i]) != 0;
                from[i] |= to[i];
        }
        return is_new;
}

static bool is_implied(const PlanEdges *edges, const Reach *reach, const PlanEdge *edge, size_t first_of_job) {
        if (edge->relation || reaches(reach, edge->to, edge->from))
                return false;
        for (size_t i = first_of_job; i < edges->n && edges->items[i].from == edge->from; i++) {
                const PlanEdge *way = &edges->items[i];

                if (way->waits && way->to != edge->to && reaches(reach, way->to, edge->to))
                        return true;
        }
        return false;
}

static int find_implied(PlanEdges *edges, size_t n_jobs) {
        Reach reach = { .n_words = (n_jobs + BITS - 1) / BITS };
        cleanup_free_ uint64_t *bits = NULL;
        size_t first_of_job = 0;
        bool is_new = true;

        if (n_jobs == 0 || n_jobs > REDUCED_MAX)
                return 0;
        reach.bits = bits = calloc(n_jobs * reach.n_words, sizeof(*bits));
        if (!bits)
                return -ENOMEM;
        while (is_new) {
                is_new = false;
                for (size_t i = 0; i < edges->n; i++)
                        if (edges->items[i].waits)
                                is_new |= reach_add(&reach, &edges->items[i]);
        }
        for (size_t i = 0; i < edges->n; i++) {
                if (edges->items[first_of_job].from != edges->items[i].from)
                        first_of_job = i;
                edges->items[i].is_implied = is_implied(edges, &reach, &edges->items[i], first_of_job);
        }
        return 0;
}

/* The mode of the request pulls the job in, not a unit file. */
static bool is_of_mode(const json_t *jobs, uint32_t at) {
        const json_t *job = json_array_get(jobs, at);

        return *value_string(job, "puller") && !*value_string(job, "declared");
}

static int find_of_mode(PlanEdges *edges, const json_t *jobs) {
        cleanup_free_ uint32_t *n_pullers = calloc(json_array_size(jobs) + 1, sizeof(*n_pullers));

        if (!n_pullers)
                return -ENOMEM;
        for (size_t i = 0; i < edges->n; i++)
                n_pullers[edges->items[i].to] += !!edges->items[i].relation;
        for (size_t i = 0; i < edges->n; i++) {
                PlanEdge *edge = &edges->items[i];
                const json_t *from = json_array_get(jobs, edge->from);

                if (edge->relation && !edge->waits && n_pullers[edge->to] > 1 && value_bool(from, "anchor") &&
                    is_of_mode(jobs, edge->to))
                        edge->is_implied = true;
        }
        return 0;
}

int plan_edges_read(const json_t *plan, PlanEdges *ret_edges) {
        size_t n_jobs = json_array_size(json_object_get(plan, "jobs"));
        PlanEdges edges = {};
        json_t *item;
        size_t i;
        int r = 0;

        json_array_foreach(json_object_get(plan, "edges"), i, item) {
                uint64_t from = value_item_u64(item, 0), to = value_item_u64(item, 1);
                const char *relation = value_item_string(item, 2);
                bool is_order = strcmp(relation, "After") == 0;
                PlanEdge edge = {
                        .from = (uint32_t) from,
                        .to = (uint32_t) to,
                        .relation = is_order ? NULL : relation,
                        .is_needed = json_is_true(json_array_get(item, 3)),
                        .waits = is_order,
                };

                if (from < n_jobs && to < n_jobs && from != to && r == 0)
                        r = vector_push(&edges, edge);
        }
        merge_all(&edges);
        if (r == 0)
                r = find_implied(&edges, n_jobs);
        if (r == 0)
                r = find_of_mode(&edges, json_object_get(plan, "jobs"));
        if (r < 0) {
                vector_deinit(&edges);
                return r;
        }
        *ret_edges = edges;
        return 0;
}

const PlanEdge *plan_edges_find(const PlanEdges *edges, uint32_t from, uint32_t to) {
        PlanEdge wanted = { .from = from, .to = to };

        return edges->n == 0 ? NULL : bsearch(&wanted, edges->items, edges->n, sizeof(wanted), compare);
}
