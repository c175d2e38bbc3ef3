/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The edges of a plan, for drawing it
 *
 * A job of a plan names one puller, the one on the way from an anchor; the
 * edges show all of them. For order there is an edge for each relation between
 * two units with jobs, even if other edges imply it. A restart counts as its
 * start half.
 */

#include <assert.h>

#include "job/job_transaction_stage.h"

static int add_edge(JobPlan *plan, const JobCandidate *from, const JobCandidate *to, UnitRelationKind relation,
                    bool is_needed) {
        assert(from->step < plan->jobs.n && to->step < plan->jobs.n);

        return vector_push(&plan->edges, ((JobPlanEdge) { from->step, to->step, relation, is_needed }));
}

static int add_pullers(JobPlan *plan, JobCandidate *candidate) {
        int r = 0;

        for (const JobEdge *edge = candidate->pullers_first; edge && r == 0; edge = edge->next_of_object) {
                const JobCandidate *subject = job_candidate_survivor(edge->subject);

                if (!edge->is_cut && !subject->is_gone && subject != candidate)
                        r = add_edge(plan, subject, candidate, (UnitRelationKind) edge->relation, edge->is_needed);
        }
        return r;
}

/* "a after b": a waits unless it stops; if b stops, a always waits. */
static int add_order(const JobTransaction *transaction, JobPlan *plan, const JobCandidate *candidate) {
        UnitRelations after = unit_relations(candidate->unit, UNIT_AFTER);
        int r = 0;

        if (candidate->type == JOB_NOP)
                return 0;
        for (size_t i = 0; i < after.n && r == 0; i++) {
                const JobCandidate *other = job_stage_main(transaction, after.items[i].other);

                if (!other || other == candidate)
                        continue;
                r = candidate->type == JOB_STOP ? add_edge(plan, other, candidate, UNIT_AFTER, false) :
                                                  add_edge(plan, candidate, other, UNIT_AFTER, false);
        }
        return r;
}

int job_transaction_report_edges(JobTransaction *transaction, JobPlan *plan) {
        int r = 0;

        plan->has_edges = true;
        if (transaction->failure.code < 0)
                return 0;
        for (size_t i = 0; i < transaction->candidates.n && r == 0; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];

                if (candidate->is_gone)
                        continue;
                r = add_pullers(plan, candidate);
                if (r == 0 && transaction->mode != JOB_IGNORE_DEPENDENCIES)
                        r = add_order(transaction, plan, candidate);
        }
        return r;
}
