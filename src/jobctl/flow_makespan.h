/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * How long a run would take, by how long its nodes took in an earlier run
 *
 * A list scheduler in virtual time: a node begins when those that it waits for
 * have ended and MaxParallel= has a place, the most urgent first, as in a run.
 * Locks, resources and the pace of the machine do not count.
 */

#include <jansson.h>
#include <stdint.h>

#include "basic/usec.h"

typedef struct Makespan {
        usec_t span;
        uint32_t n_known; /* nodes that begin, and of which the earlier run says how long they took … */
        uint32_t n_unknown; /* … or does not: they count as if they took no time */
} Makespan;

/* @plan: as of PlanRun; @rows: the nodes of the earlier run. 0 or -ENOMEM. */
int flow_makespan(const json_t *plan, const json_t *rows, Makespan *ret_makespan);
