/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The request and the plan of a transaction
 */

#include <stdlib.h>

#include "job/job_plan.h"

static const char *const job_plan_action_table[_JOB_PLAN_ACTION_MAX] = {
        [JOB_PLAN_NEW] = "new",
        [JOB_PLAN_MERGE] = "merge",
        [JOB_PLAN_COVER] = "cover",
        [JOB_PLAN_TURN] = "turn",
};

static const char *const job_drop_rule_table[_JOB_DROP_RULE_MAX] = {
        [JOB_DROP_CANNOT_LOAD] = "cannot-load",
        [JOB_DROP_NOT_APPLICABLE] = "not-applicable",
        [JOB_DROP_REQUIREMENT_FAILED] = "requirement-failed",
        [JOB_DROP_MINIMIZE_IMPACT] = "minimize-impact",
        [JOB_DROP_CONFLICT] = "conflict",
        [JOB_DROP_REDUNDANT] = "redundant",
        [JOB_DROP_CYCLE] = "cycle",
        [JOB_DROP_VERIFY_AGAINST_STOP] = "verify-against-stop",
        [JOB_DROP_NEEDS_DROPPED] = "needs-dropped",
        [JOB_DROP_UNREACHED] = "unreached",
};

DEFINE_STRING_TABLE(job_plan_action, JobPlanAction, job_plan_action_table)
DEFINE_STRING_TABLE(job_drop_rule, JobDropRule, job_drop_rule_table)

static void job_plan_job_deinit(JobPlanJob *job) {
        free(job->unit);
        free(job->puller);
        free(job->declared);
        free(job->why);
}

JobPlan *job_plan_free(JobPlan *plan) {
        if (!plan)
                return NULL;

        for (size_t i = 0; i < plan->jobs.n; i++)
                job_plan_job_deinit(&plan->jobs.items[i]);
        for (size_t i = 0; i < plan->dropped.n; i++) {
                free(plan->dropped.items[i].unit);
                free(plan->dropped.items[i].why);
        }
        for (size_t i = 0; i < plan->canceled.n; i++)
                free(plan->canceled.items[i].unit);
        for (size_t i = 0; i < plan->cycles.n; i++)
                free(plan->cycles.items[i]);
        vector_deinit(&plan->jobs);
        vector_deinit(&plan->anchors);
        vector_deinit(&plan->dropped);
        vector_deinit(&plan->canceled);
        vector_deinit(&plan->cycles);
        vector_deinit(&plan->edges);
        failure_deinit(&plan->failure);
        free(plan);
        return NULL;
}

static void job_plan_write_puller(const JobPlanJob *job, Sink *sink) {
        if (!job->puller)
                return;

        sink_entry_string(sink, "puller", job->puller);
        sink_entry_string(sink, "puller-type", job_type_to_string(job->puller_type));
        sink_entry_string(sink, "relation", unit_relation_to_string(job->relation));
        if (job->declared)
                sink_entry_string(sink, "declared", job->declared);
}

static void job_plan_write_job(const JobPlanJob *job, Sink *sink) {
        sink_open(sink, 'a', "{sv}");
        sink_entry_u32(sink, "id", job->id);
        sink_entry_string(sink, "unit", job->unit);
        sink_entry_string(sink, "type", job_type_to_string(job->type));
        sink_entry_string(sink, "action", job_plan_action_to_string(job->action));
        sink_entry_bool(sink, "anchor", job->is_anchor);
        sink_entry_bool(sink, "needed", job->is_needed);
        sink_entry_string(sink, "state", unit_active_state_to_string(job->unit_state));
        sink_entry_bool(sink, "interrupts", job->interrupts);
        sink_entry_open(sink, "cancels", "au");
        sink_open(sink, 'a', "u");
        for (size_t i = 0; i < ELEMENTSOF(job->cancels); i++)
                if (job->cancels[i] != JOB_ID_NONE)
                        sink_u32(sink, job->cancels[i]);
        sink_close(sink);
        sink_entry_close(sink);
        job_plan_write_puller(job, sink);
        sink_entry_string(sink, "why", job->why);
        sink_close(sink);
}

static void job_plan_write_dropped(const JobPlan *plan, Sink *sink) {
        sink_entry_open(sink, "dropped", "aa{sv}");
        sink_open(sink, 'a', "a{sv}");
        for (size_t i = 0; i < plan->dropped.n; i++) {
                const JobPlanDrop *drop = &plan->dropped.items[i];

                sink_open(sink, 'a', "{sv}");
                sink_entry_string(sink, "unit", drop->unit);
                sink_entry_string(sink, "type", job_type_to_string(drop->type));
                sink_entry_string(sink, "rule", job_drop_rule_to_string(drop->rule));
                sink_entry_string(sink, "why", drop->why);
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);
}

static void job_plan_write_canceled(const JobPlan *plan, Sink *sink) {
        sink_entry_open(sink, "canceled", "aa{sv}");
        sink_open(sink, 'a', "a{sv}");
        for (size_t i = 0; i < plan->canceled.n; i++) {
                const JobPlanCanceled *canceled = &plan->canceled.items[i];

                sink_open(sink, 'a', "{sv}");
                sink_entry_u32(sink, "id", canceled->id);
                sink_entry_string(sink, "unit", canceled->unit);
                sink_entry_string(sink, "type", job_type_to_string(canceled->type));
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);
}

static void job_plan_write_edges(const JobPlan *plan, Sink *sink) {
        sink_entry_open(sink, "edges", "a(uusb)");
        sink_open(sink, 'a', "(uusb)");
        for (size_t i = 0; i < plan->edges.n; i++) {
                const JobPlanEdge *edge = &plan->edges.items[i];

                sink_open(sink, 'r', "uusb");
                sink_u32(sink, edge->from);
                sink_u32(sink, edge->to);
                sink_string(sink, unit_relation_to_string(edge->relation));
                sink_bool(sink, edge->is_needed);
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);
}

void job_plan_write(const JobPlan *plan, Sink *sink) {
        bool ok = plan->failure.code == 0;

        sink_open(sink, 'a', "{sv}");
        sink_entry_bool(sink, "ok", ok);
        if (!ok) {
                sink_entry_string(sink, "error", plan->failure.name);
                sink_entry_string(sink, "message", failure_message(&plan->failure));
        }
        sink_entry_u64(sink, "transaction", plan->transaction);

        sink_entry_open(sink, "jobs", "aa{sv}");
        sink_open(sink, 'a', "a{sv}");
        for (size_t i = 0; i < plan->jobs.n; i++)
                job_plan_write_job(&plan->jobs.items[i], sink);
        sink_close(sink);
        sink_entry_close(sink);

        job_plan_write_dropped(plan, sink);
        job_plan_write_canceled(plan, sink);

        sink_entry_open(sink, "cycles", "as");
        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < plan->cycles.n; i++)
                sink_string(sink, plan->cycles.items[i]);
        sink_close(sink);
        sink_entry_close(sink);
        if (plan->has_edges)
                job_plan_write_edges(plan, sink);
        sink_close(sink);
}
