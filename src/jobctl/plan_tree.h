/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The jobs of a plan as a tree
 *
 * Each job is below the one that pulled it in.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "basic/vector.h"

typedef struct PlanRow {
        const json_t *job;      /* borrowed: one of the "jobs" of the plan */
        size_t depth;           /* 0: requested, or its puller is not in the plan */
        bool is_basic;          /* a target that each service has by default, or one of these; nothing else below it */
} PlanRow;

typedef VECTOR(PlanRow) PlanRows;

/* Appends a row for each of the jobs, in the order of their lines. 0 or -ENOMEM. */
int plan_tree_rows(const json_t *jobs, PlanRows *rows);

/* "Requires=b.service (a.service:3)": the reason of a job without its puller, which is the row above it. */
const char *plan_tree_reason(const PlanRow *row);
