/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The edges of the drawing of a plan
 *
 * At most one edge from one job to another: a job that pulls in another
 * mostly waits for the same one.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "basic/vector.h"

typedef struct PlanEdge {
        uint32_t from, to;              /* indexes in the plan's jobs */
        const char *relation;           /* borrowed from the plan: the relation that pulls the job in, or NULL */
        bool is_needed;                 /* @from fails if @to fails */
        bool waits;                     /* @from waits for the end of @to */
        bool is_implied;                /* the edge follows from other edges */
} PlanEdge;

typedef VECTOR(PlanEdge) PlanEdges;

/* Sorted by .from and .to. 0 or -ENOMEM; free it with vector_deinit(). */
int plan_edges_read(const json_t *plan, PlanEdges *ret_edges);

/* The edge, or NULL. */
const PlanEdge *plan_edges_find(const PlanEdges *edges, uint32_t from, uint32_t to);
