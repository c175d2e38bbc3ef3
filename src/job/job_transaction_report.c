/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A transaction as a plan
 *
 * The plan is made before the commit, while the jobs to be canceled still
 * exist; the commit adds only the ids. Jobs are in commit order.
 */

#include <assert.h>

#include "basic/text.h"
#include "job/job_transaction_stage.h"

static int report_copy(char **ret_copy, const char *string) {
        *ret_copy = strdup(string);
        return *ret_copy ? 0 : -ENOMEM;
}

static int report_puller(JobTransaction *transaction, const JobEdge *edge, JobPlanJob *job) {
        char origin[512];
        int r;

        job->puller_type = edge->subject->type;
        job->relation = edge->relation;
        r = report_copy(&job->puller, edge->subject->unit->id);
        if (r < 0 || edge->origin == UNIT_ORIGIN_NONE)
                return r;

        unit_origin_format(transaction->units, edge->origin, origin, sizeof(origin));
        return report_copy(&job->declared, origin);
}

static const char *report_why(JobTransaction *transaction, const JobCandidate *candidate, const JobPlanJob *job) {
        char declaration[JOB_DECLARATION_TEXT_MAX];

        if (candidate->is_anchor)
                return "asked for";
        if (!job->puller)
                return "the request needs it";
        if (!job->declared)
                return job_stage_format(transaction, "mode %s of %s %s", job_mode_to_string(transaction->mode),
                                        job_type_to_string(job->puller_type), job->puller);
        job_declaration_format(job->relation, candidate->via->declared_there, job->puller,
                               candidate->unit->id, job->declared, declaration);
        return job_stage_format(transaction, "%s %s: %s", job_type_to_string(job->puller_type), job->puller,
                                declaration);
}

static void report_cancels(JobTransaction *transaction, const JobCandidate *candidate, JobPlanJob *job) {
        const JobUnitEntry *entry = job_table_peek(transaction->installed, candidate->index);
        size_t n = 0;

        if (candidate->meeting.canceled)
                job->cancels[n++] = candidate->meeting.canceled->id;
        if (candidate->meeting.interrupts)
                job->cancels[n++] = entry->triggered->id;
}

static int report_job(JobTransaction *transaction, JobCandidate *candidate, JobPlanJob *job) {
        const JobEdge *edge = candidate->via;
        int r;

        *job = (JobPlanJob) {
                .type = candidate->meeting.type,
                .action = candidate->meeting.action,
                .id = candidate->meeting.survivor ? candidate->meeting.survivor->id : JOB_ID_NONE,
                .is_anchor = candidate->is_anchor,
                .is_needed = candidate->matters,
                .interrupts = candidate->meeting.interrupts,
                .unit_state = candidate->unit->active_state,
                .puller_type = _JOB_TYPE_INVALID,
                .relation = _UNIT_RELATION_INVALID,
        };
        report_cancels(transaction, candidate, job);

        r = report_copy(&job->unit, candidate->unit->id);
        if (r == 0 && edge)
                r = report_puller(transaction, edge, job);
        if (r == 0)
                r = report_copy(&job->why, report_why(transaction, candidate, job));
        return r;
}

static int report_add_job(JobTransaction *transaction, JobPlan *plan, JobCandidate *candidate) {
        int r;

        r = vector_reserve(&plan->jobs, 1);
        if (r < 0)
                return r;
        assert(candidate->step == plan->jobs.n);
        return report_job(transaction, candidate, &plan->jobs.items[plan->jobs.n++]);
}

static int report_anchors(JobTransaction *transaction, uint32_t generation, JobPlan *plan) {
        int r = 0;

        for (size_t i = 0; i < transaction->anchors.n && r == 0; i++) {
                JobCandidate *anchor = job_candidate_survivor(transaction->anchors.items[i]);

                if (anchor->mark != generation)
                        r = report_add_job(transaction, plan, anchor);
                anchor->mark = generation;
                if (r == 0)
                        r = vector_push(&plan->anchors, anchor->step);
        }
        return r;
}

static int report_others(JobTransaction *transaction, uint32_t generation, JobPlan *plan) {
        int r = 0;

        for (size_t i = 0; i < transaction->steps.n && r == 0; i++)
                if (transaction->steps.items[i]->mark != generation)
                        r = report_add_job(transaction, plan, transaction->steps.items[i]);
        return r;
}

static int report_drops(const JobTransaction *transaction, JobPlan *plan) {
        for (size_t i = 0; i < transaction->drops.n; i++) {
                const JobTransactionDrop *drop = &transaction->drops.items[i];
                JobPlanDrop item = { .type = drop->candidate->type, .rule = drop->rule };

                item.unit = strdup(drop->candidate->unit->id);
                item.why = strdup(drop->why);
                if (!item.unit || !item.why || vector_push(&plan->dropped, item) < 0) {
                        free(item.unit);
                        free(item.why);
                        return -ENOMEM;
                }
        }
        return 0;
}

static int report_cycles(const JobTransaction *transaction, JobPlan *plan) {
        for (size_t i = 0; i < transaction->cycles.n; i++) {
                char *copy = strdup(transaction->cycles.items[i]);

                if (!copy || vector_push(&plan->cycles, copy) < 0) {
                        free(copy);
                        return -ENOMEM;
                }
        }
        return 0;
}

static int report_canceled_job(JobTransaction *transaction, JobPlan *plan, const Job *job) {
        JobPlanCanceled item;

        if (!job)
                return 0;

        item = (JobPlanCanceled) { .id = job->id, .type = job->type };
        item.unit = strdup(unit_table_at(transaction->units, job->unit)->id);
        if (!item.unit || vector_push(&plan->canceled, item) < 0) {
                free(item.unit);
                return -ENOMEM;
        }
        return 0;
}

/* Adds the jobs that isolate and flush cancel, of units outside the transaction. */
static int report_canceled(JobTransaction *transaction, JobPlan *plan) {
        int r = 0;

        if (transaction->mode != JOB_ISOLATE && transaction->mode != JOB_FLUSH)
                return 0;

        for (uint32_t i = 0; i < unit_table_size(transaction->units) && r == 0; i++) {
                const Unit *unit = unit_table_at(transaction->units, i);

                if (!unit || !job_stage_cancels_unstaged(transaction, unit))
                        continue;
                r = report_canceled_job(transaction, plan, job_table_peek(transaction->installed, i)->pending);
                if (r == 0)
                        r = report_canceled_job(transaction, plan, job_table_peek(transaction->installed, i)->nop);
        }
        return r;
}

static int report_rest(JobTransaction *transaction, uint32_t generation, JobPlan *plan) {
        bool is_accepted = transaction->failure.code == 0;
        int r = 0;

        if (is_accepted)
                r = report_others(transaction, generation, plan);
        if (r == 0)
                r = report_drops(transaction, plan);
        if (r == 0)
                r = report_cycles(transaction, plan);
        if (r == 0 && is_accepted)
                r = report_canceled(transaction, plan);
        return r;
}

int job_transaction_report(JobTransaction *transaction, bool anchors_only, JobPlan **ret_plan) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        uint32_t generation = ++transaction->generation;
        int r = 0;

        plan = calloc(1, sizeof(*plan));
        if (!plan)
                return -ENOMEM;

        (void) failure_copy(&plan->failure, &transaction->failure);
        if (transaction->failure.code == 0)
                r = report_anchors(transaction, generation, plan);
        if (r == 0 && !anchors_only)
                r = report_rest(transaction, generation, plan);
        if (r < 0)
                return r;

        *ret_plan = take_ptr(plan);
        return 0;
}
