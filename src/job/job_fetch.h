/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Prefetching a job's unit
 *
 * The way from a job or a candidate to its unit leads over a pointer or a
 * place in the table, and from there to the unit's relations, to the units at
 * their other ends, and to the entries of these. A walk therefore prefetches
 * each of them some steps before it is read.
 */

#include "basic/fetch.h"
#include "unit/unit_table.h"

/* Distances, in steps of the walk. */
enum {
        FETCH_JOB = 24,                 /* a job or candidate */
        FETCH_PLACE = 20,               /* the slot of its unit in the unit table */
        FETCH_UNIT = 15,
        FETCH_RELATIONS = 9,
        FETCH_OTHER_PLACES = 6,
        FETCH_OTHERS = 3,
        FETCH_OTHERS_MAX = 4,           /* relations of one kind whose other ends are prefetched */
};

static inline void job_fetch_unit(const Unit *unit) {
        fetch_ahead(unit);
        fetch_ahead(&unit->settings);
}

/* The relations of most units are one allocation: see unit_relation_pack.c. */
static inline void job_fetch_relations(const Unit *unit) {
        if (!unit->buckets)
                return;
        fetch_ahead(unit->buckets);
        fetch_ahead(unit->buckets + 4);
        fetch_ahead(unit->buckets + 8);
}
