/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Losses: what would be dropped with a candidate
 *
 * The candidates that need it are lost with it, and so is all that no anchor
 * reaches without these. An object is lost if all its pullers are lost. An object
 * that keeps a puller is a suspect, because pullers that pull in each other in a
 * ring may have lost their way to an anchor. Suspects are examined last, each by
 * a search back to an anchor.
 */

#include <assert.h>

#include "job/job_transaction_loss.h"

static void loss_push(JobTransaction *transaction, JobCandidate *candidate) {
        if (vector_push(&transaction->work, candidate) < 0)
                transaction->is_incomplete = true;
}

void job_stage_add_loss(JobTransaction *transaction, JobCandidate *candidate) {
        if (candidate->is_gone || candidate->mark == transaction->loss)
                return;
        candidate->mark = transaction->loss;
        loss_push(transaction, candidate);
}

static void loss_follow(JobTransaction *transaction, const JobCandidate *lost) {
        uint32_t suspected = transaction->loss - 1;

        for (JobEdge *edge = lost->pullers_first; edge; edge = edge->next_of_object)
                if (!edge->is_cut && edge->is_needed)
                        job_stage_add_loss(transaction, edge->subject);

        for (JobEdge *edge = lost->needs_first; edge; edge = edge->next_of_subject) {
                JobCandidate *object = edge->object;

                if (edge->is_cut || object->is_anchor || object->mark == transaction->loss)
                        continue;
                if (object->mark != suspected) {
                        object->mark = suspected;
                        object->n_losing = 0;
                        if (vector_push(&transaction->suspects, object) < 0)
                                transaction->is_incomplete = true;
                }
                if (++object->n_losing == object->n_pullers)
                        job_stage_add_loss(transaction, object);
        }
}

void job_stage_begin_loss(JobTransaction *transaction) {
        assert(transaction->work.n == 0);

        job_stage_touch(transaction);
        transaction->generation += 2;
        transaction->loss = transaction->generation;
        vector_clear(&transaction->suspects);
}

size_t job_stage_spread_loss(JobTransaction *transaction, size_t limit) {
        size_t n = 0;

        for (size_t at = 0;; at++) {
                while (transaction->work.n > 0 && n <= limit) {
                        n++;
                        loss_follow(transaction, vector_pop(&transaction->work));
                }
                if (n > limit || at >= transaction->suspects.n)
                        break;
                if (transaction->suspects.items[at]->mark == transaction->loss ||
                    !job_stage_find_unreached(transaction, transaction->suspects.items[at], transaction->loss))
                        continue;
                for (size_t i = 0; i < transaction->work.n; i++)
                        transaction->work.items[i]->mark = transaction->loss;
        }
        vector_clear(&transaction->work);
        return n;
}

bool job_stage_would_lose(const JobTransaction *transaction, const JobCandidate *candidate) {
        return candidate->mark == transaction->loss;
}

/* Adds the pullers of @candidate. False if the search has followed too many edges (JOB_SEARCH_MAX). */
static bool search_add_pullers(JobTransaction *transaction, const JobCandidate *candidate, uint32_t lost,
                               uint32_t search, size_t *n_edges) {
        for (JobEdge *edge = candidate->pullers_first; edge; edge = edge->next_of_object) {
                JobCandidate *puller = edge->subject;

                if (++*n_edges > JOB_SEARCH_MAX)
                        return false;
                if (edge->is_cut || puller->mark == lost || puller->step == search)
                        continue;
                puller->step = search;
                loss_push(transaction, puller);
        }
        return true;
}

/* A breadth-first search from puller to puller. */
bool job_stage_find_unreached(JobTransaction *transaction, JobCandidate *candidate, uint32_t lost) {
        uint32_t search = ++transaction->generation;
        bool is_unreached = true;
        size_t n_edges = 0;

        assert(transaction->work.n == 0);

        candidate->step = search;
        loss_push(transaction, candidate);
        for (size_t at = 0; at < transaction->work.n && is_unreached; at++)
                is_unreached = !transaction->work.items[at]->is_anchor &&
                               search_add_pullers(transaction, transaction->work.items[at], lost, search, &n_edges);
        if (!is_unreached)
                vector_clear(&transaction->work);
        return is_unreached;
}
