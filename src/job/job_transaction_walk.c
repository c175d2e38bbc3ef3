/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walks over a transaction, with prefetching
 *
 * job_fetch.h has the distances: memory at the start of a chain of pointers is
 * prefetched earlier than memory at its end.
 */

#include "job/job_fetch.h"
#include "job/job_transaction_rule.h"
#include "job/job_transaction_stage.h"
#include "job/job_transaction_walk.h"

/* Prefetches the whole candidate, which is larger than a cache line. */
static void fetch_candidate(const JobCandidate *candidate) {
        fetch_ahead(candidate);
        fetch_ahead(&candidate->unit);
        fetch_ahead(&candidate->merged_into);
}

void job_walk_candidates(const JobTransaction *transaction, size_t at) {
        const JobCandidate *const *next = (const JobCandidate *const *) transaction->candidates.items + at;
        size_t n = transaction->candidates.n - at;

        if (n > FETCH_JOB)
                fetch_candidate(next[FETCH_JOB]);
        if (n > FETCH_UNIT)
                fetch_ahead(next[FETCH_UNIT]->unit);
        if (n > FETCH_RELATIONS)
                job_fetch_relations(next[FETCH_RELATIONS]->unit);
}

static void fetch_other(const JobTransaction *transaction, uint32_t other, size_t steps) {
        if (steps == FETCH_OTHER_PLACES) {
                unit_table_fetch(transaction->units, other);
                fetch_ahead(&transaction->stage[other]);
        } else if (other < transaction->n_stage && transaction->stage[other].first)
                fetch_ahead(transaction->stage[other].first);
        else {
                fetch_ahead(unit_table_at(transaction->units, other));
                fetch_ahead(job_table_peek(transaction->installed, other));
        }
}

/* Prefetches the first other ends of each relation over which the candidate will pull in others. */
static void fetch_others(const JobTransaction *transaction, size_t at, size_t steps) {
        const JobCandidate *candidate = transaction->candidates.items[at + steps];
        const JobPullRules *rules = candidate->type == JOB_STOP ? &job_rules_stop : &job_rules_start;

        for (size_t k = 0; k < rules->n; k++) {
                UnitRelations relations = unit_relations(candidate->unit, rules->items[k].relation);

                for (size_t i = 0; i < relations.n && i < FETCH_OTHERS_MAX; i++)
                        fetch_other(transaction, relations.items[i].other, steps);
        }
}

void job_walk_expansion(const JobTransaction *transaction, size_t at) {
        size_t n = transaction->candidates.n - at;

        job_walk_candidates(transaction, at);
        if (n > FETCH_OTHER_PLACES)
                fetch_others(transaction, at, FETCH_OTHER_PLACES);
        if (n > FETCH_OTHERS)
                fetch_others(transaction, at, FETCH_OTHERS);
}

void job_walk_needs(const JobTransaction *transaction, size_t at) {
        const JobCandidate *candidate;

        if (at + FETCH_OTHERS >= transaction->work.n)
                return;
        candidate = transaction->work.items[at + FETCH_OTHERS];
        for (const JobEdge *edge = candidate->needs_first; edge; edge = edge->next_of_subject)
                fetch_ahead(edge->object);
}

void job_walk_steps(const JobTransaction *transaction, size_t at) {
        const JobCandidate *const *next = (const JobCandidate *const *) transaction->steps.items + at;
        size_t n = transaction->steps.n - at;

        if (n > FETCH_JOB)
                fetch_candidate(next[FETCH_JOB]);
        if (n > FETCH_UNIT) {
                job_fetch_unit(next[FETCH_UNIT]->unit);
                fetch_ahead(next[FETCH_UNIT]->via);
        }
        if (n > FETCH_OTHER_PLACES)
                fetch_ahead(job_table_peek(transaction->installed, next[FETCH_OTHER_PLACES]->index));
        if (n <= FETCH_OTHERS)
                return;
        fetch_ahead(job_table_peek(transaction->installed, next[FETCH_OTHERS]->index)->name);
        fetch_ahead(next[FETCH_OTHERS]->unit->id);      /* read by the subscribers */
        if (next[FETCH_OTHERS]->via)
                fetch_ahead(&next[FETCH_OTHERS]->via->subject->step);
}

void job_walk_units(const UnitTable *units, const uint32_t *indexes, size_t at, size_t n) {
        const uint32_t *next = indexes + at;

        n -= at;
        if (n > FETCH_PLACE)
                unit_table_fetch(units, next[FETCH_PLACE]);
        if (n > FETCH_UNIT)
                fetch_ahead(unit_table_at(units, next[FETCH_UNIT]));
        if (n > FETCH_RELATIONS)
                job_fetch_relations(unit_table_at(units, next[FETCH_RELATIONS]));
}
