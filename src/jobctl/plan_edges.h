/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The edges of a plan, as they are to be drawn
 *
 * At most one from one job to another: that it pulls in the other, and that it
 * waits for it, is mostly said of the same two.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "basic/vector.h"

typedef struct PlanEdge {
        uint32_t from, to;              /* places in the plan's jobs */
        const char *relation;           /* borrowed from the plan; by which it pulls in, or NULL */
        bool is_needed;                 /* it fails with the other */
        bool waits;                     /* for the end of the other */
        bool is_implied;                /* without it the others would say as much */
} PlanEdge;

typedef VECTOR(PlanEdge) PlanEdges;

/* Sorted by .from and .to. 0 or -ENOMEM; give it up by vector_deinit(). */
int plan_edges_read(const json_t *plan, PlanEdges *ret_edges);

/* NULL if there is none. */
const PlanEdge *plan_edges_find(const PlanEdges *edges, uint32_t from, uint32_t to);
