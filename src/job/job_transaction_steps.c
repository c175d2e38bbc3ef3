/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The commit order
 *
 * The anchors come first, so that they get the first ids; then the other
 * candidates by depth in the order graph, and within a depth in expansion
 * order. Plan and record have the same order.
 */

#include <assert.h>

#include "job/job_transaction_stage.h"

static void steps_add(JobTransaction *transaction, JobCandidate *candidate, uint32_t place) {
        candidate->step = place;
        transaction->steps.items[place] = candidate;
}

static void steps_add_anchors(JobTransaction *transaction) {
        for (size_t i = 0; i < transaction->anchors.n; i++) {
                JobCandidate *anchor = job_candidate_survivor(transaction->anchors.items[i]);

                if (anchor->mark == transaction->generation)
                        continue;
                anchor->mark = transaction->generation;
                steps_add(transaction, anchor, (uint32_t) transaction->steps.n++);
        }
}

static bool steps_is_other(const JobTransaction *transaction, const JobCandidate *candidate) {
        return !candidate->is_gone && candidate->mark != transaction->generation;
}

/* By depth: the place of the next candidate. */
static uint32_t *steps_places(JobTransaction *transaction) {
        uint32_t *places, before = (uint32_t) transaction->steps.n;

        places = arena_alloc(&transaction->arena, transaction->n_depths * sizeof(*places));
        if (!places)
                return NULL;

        memset(places, 0, transaction->n_depths * sizeof(*places));
        for (size_t i = 0; i < transaction->candidates.n; i++)
                if (steps_is_other(transaction, transaction->candidates.items[i]))
                        places[transaction->candidates.items[i]->depth]++;

        for (size_t i = 0; i < transaction->n_depths; i++) {
                uint32_t n = places[i];

                places[i] = before;
                before += n;
        }
        return places;
}

int job_transaction_arrange(JobTransaction *transaction) {
        uint32_t *places;
        int r = 0;

        /* Jobs that ignore dependencies do not wait: all depths are 0. */
        if (!transaction->has_depths && transaction->mode != JOB_IGNORE_DEPENDENCIES)
                r = job_transaction_find_depths(transaction);
        if (r == 0)
                r = vector_reserve(&transaction->steps, transaction->candidates.n);
        if (r < 0)
                return r;

        transaction->generation++;
        steps_add_anchors(transaction);
        places = steps_places(transaction);
        if (!places)
                return -ENOMEM;

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];

                if (!steps_is_other(transaction, candidate))
                        continue;
                steps_add(transaction, candidate, places[candidate->depth]++);
                transaction->steps.n++;
        }
        return 0;
}
