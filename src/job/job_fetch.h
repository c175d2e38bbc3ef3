/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A job's unit, fetched ahead
 *
 * From a job or a candidate one comes to its unit by a pointer or a place in
 * the table, and from there to its relations, to their other ends, and to what
 * is kept of these. So each has to be asked for some steps before the next one.
 */

#include "basic/fetch.h"
#include "unit/unit_table.h"

/* How many steps before. */
enum {
        FETCH_JOB = 24,                 /* or candidate */
        FETCH_PLACE = 20,               /* of its unit in the table */
        FETCH_UNIT = 15,
        FETCH_RELATIONS = 9,
        FETCH_OTHER_PLACES = 6,
        FETCH_OTHERS = 3,
        FETCH_OTHERS_MAX = 4,           /* of one kind: with more of them, each is waited for less */
};

static inline void job_fetch_unit(const Unit *unit) {
        fetch_ahead(unit);
        fetch_ahead(&unit->settings);
}

/* Those of most units lie in one piece: see unit_relation_pack.c. */
static inline void job_fetch_relations(const Unit *unit) {
        if (!unit->buckets)
                return;
        fetch_ahead(unit->buckets);
        fetch_ahead(unit->buckets + 4);
        fetch_ahead(unit->buckets + 8);
}
