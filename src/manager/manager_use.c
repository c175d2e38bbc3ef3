/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An attempt's use of units
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_use.h"

static void use_deinit(ManagerUse *use) {
        free(use->unit);
}

void manager_uses_deinit(ManagerUses *uses) {
        for (size_t i = 0; i < uses->n; i++)
                use_deinit(&uses->items[i]);
        vector_deinit(uses);
}

static int add(ManagerUses *uses, ManagerUse use, const char *unit) {
        int r;

        use.unit = strdup(unit);
        r = use.unit ? vector_push(uses, use) : -ENOMEM;
        if (r < 0)
                use_deinit(&use);
        return r;
}

static int add_all(ManagerUses *uses, const FlowNode *node) {
        static const ManagerUseKind kinds[_FLOW_UNIT_USE_MAX] = {
                [FLOW_REQUIRES_UNIT] = MANAGER_USE_REQUIRES,
                [FLOW_BINDS_TO_UNIT] = MANAGER_USE_BINDS_TO,
                [FLOW_REQUISITE_UNIT] = MANAGER_USE_REQUISITE,
                [FLOW_AFTER_UNIT] = MANAGER_USE_AFTER,
        };
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                strv_foreach(unit, node->units[i])
                        if (r == 0)
                                r = add(uses, (ManagerUse) { .kind = kinds[i] }, *unit);
        return r;
}

int manager_uses_make(ManagerUses *uses, const FlowNode *node) {
        const ManagerUse job = {
                .kind = MANAGER_USE_JOB,
                .operation = node->operation,
                .mode = node->job_mode,
                .wait_for = node->wait_for,
        };

        int r = add_all(uses, node);

        return r == 0 && node->unit ? add(uses, job, node->unit) : r;
}

/* — asking — */

/* How one use has ended. */
typedef struct UseEnd {
        bool is_set;
        RunEndKind kind;
        char *problem; /* owned; NULL */
} UseEnd;

static void end_with(UseEnd *end, RunEndKind kind, const char *format, ...) printf_(3, 4);

static void end_with(UseEnd *end, RunEndKind kind, const char *format, ...) {
        va_list arguments;

        end->is_set = true;
        end->kind = kind;
        va_start(arguments, format);
        (void) text_vformat(&end->problem, format, arguments);
        va_end(arguments);
}

static const JobPlanJob *find_job(const JobPlan *plan, const char *unit) {
        for (size_t i = 0; unit && i < plan->jobs.n; i++)
                if (strcmp(plan->jobs.items[i].unit, unit) == 0)
                        return &plan->jobs.items[i];
        return NULL;
}

static bool is_stop(const JobPlanJob *job) {
        return job && (job->type == JOB_STOP || job->type == JOB_RESTART);
}

/* From the stop of the flow to what was asked for, each with the relation that has led to it. */
static void add_chain(Text *text, const JobPlan *plan, const JobPlanJob *job) {
        for (size_t i = 0; job && i < plan->jobs.n; i++) {
                text_addf(text, "%s%s %s", i > 0 ? "; " : "", job_type_to_string(job->type), job->unit);
                if (job->puller)
                        text_addf(text, " because of %s", job->why);
                job = job->is_anchor ? NULL : find_job(plan, job->puller);
        }
}

/* A request that would stop the flow does nothing at all. */
static bool refuse_own_stop(const JobPlan *plan, const ManagerUse *use, const Unit *flow, UseEnd *end) {
        const JobPlanJob *job = find_job(plan, flow->id);
        cleanup_free_ char *chain = NULL;
        cleanup_(text_deinit) Text text = {};

        if (!is_stop(job))
                return false;
        add_chain(&text, plan, job);
        (void) text_finish(&text, &chain);
        end_with(end, RUN_END_REFUSED, "WouldStopItself: to %s %s would stop %s, which its run is part of: %s.",
                 flow_operation_to_string(use->operation), use->unit, flow->id, chain ? chain : "no memory");
        return true;
}

static int exec(ManagerUse *use, const ManagerUseContext *context, const JobRequest *request, JobOptions *options) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        const JobPlanJob *job;
        int r;

        options->wants_anchors_only = true;
        r = manager_jobs_exec(context->jobs, request, 1, options, &plan);
        if (r != JOB_MANAGER_E_SUCCESS)
                return r < 0 ? r : -ECANCELED;
        job = plan->anchors.n > 0 ? &plan->jobs.items[plan->anchors.items[0]] : NULL;
        use->job = job ? job->id : JOB_ID_NONE;
        use->is_own = job && (job->action == JOB_PLAN_NEW || job->action == JOB_PLAN_TURN);
        use->step = use->job != JOB_ID_NONE ? MANAGER_USE_ASKED : MANAGER_USE_WATCHED;
        return 0;
}

/* The plan is made before anything happens, so that what must not be done is not begun. */
static void ask(ManagerUse *use, const ManagerUseContext *context, UseEnd *end) {
        const bool is_node = use->kind == MANAGER_USE_JOB;
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        cleanup_free_ char *reason = NULL;
        JobRequester requester = {};
        JobOptions options = { .mode = use->mode, .requester = &requester, .now = context->jobs->turn->now };
        JobRequest request = { .unit = use->unit, .is_manual = is_node };
        int r = job_type_from_request(flow_operation_to_string(use->operation), &request.type,
                                      &request.reload_if_possible);

        if (r == 0)
                r = text_format(&reason, "%s %s it", context->who, is_node ? "asks for" : "needs");
        requester.reason = reason;
        if (r == 0)
                r = manager_jobs_plan(context->jobs, &request, &options, &plan);
        if (r == JOB_MANAGER_E_SUCCESS && refuse_own_stop(plan, use, context->flow, end))
                return;
        if (r == JOB_MANAGER_E_SUCCESS)
                r = exec(use, context, &request, &options);
        if (r != 0)
                end_with(end, RUN_END_FAILED, "Cannot %s %s: %s", flow_operation_to_string(use->operation), use->unit,
                         plan && plan->failure.code != 0 ? failure_message(&plan->failure) :
                                                           strerror(r < 0 ? -r : EIO));
}

/* — what becomes of it — */

static RunEndKind kind_of(JobResult result) {
        if (result == JOB_TIMEOUT)
                return RUN_END_TIMEOUT;
        return result == JOB_CANCELED ? RUN_END_CANCELLED : RUN_END_FAILED;
}

/* A stop of the flow, in a shutdown for example, may have cancelled the job, too. */
static bool is_stopping(const ManagerUseContext *context) {
        return manager_jobs_is_stopping(context->jobs, context->flow);
}

static void take_result(ManagerUse *use, const ManagerUseContext *context, JobResult result, UseEnd *end) {
        const bool is_cancelled = result == JOB_CANCELED;

        if (use->kind == MANAGER_USE_AFTER) {
                use->step = MANAGER_USE_MET;
                return;
        }
        if (result == JOB_DONE || result == JOB_SKIPPED) {
                use->step = use->wait_for == FLOW_WAIT_FOR_JOB ? MANAGER_USE_MET : MANAGER_USE_WATCHED;
                return;
        }
        end_with(end, is_cancelled && is_stopping(context)  ? RUN_END_INTERRUPTED
                      : use->kind == MANAGER_USE_JOB ? kind_of(result)
                                                     : RUN_END_FAILED,
                 "Job %" PRIu32 " (%s %s) has ended: %s.", use->job, flow_operation_to_string(use->operation),
                 use->unit, job_result_to_string(result));
}

static void follow_job(ManagerUse *use, const ManagerUseContext *context, UseEnd *end) {
        JobInfo job;

        if (job_manager_find(context->jobs->engine, use->job, &job))
                use->job = job.id; /* another one may have absorbed it */
        else if (job_manager_find_ended(context->jobs->engine, use->job, &job))
                take_result(use, context, job.result, end);
        else
                end_with(end, RUN_END_LOST, "Nobody knows how job %" PRIu32 " (%s %s) has ended.", use->job,
                         flow_operation_to_string(use->operation), use->unit);
}

static void watch(ManagerUse *use, const ManagerUseContext *context, UseEnd *end) {
        const Unit *unit = unit_table_find(context->jobs->units, use->unit);
        const UnitActiveState state = unit ? unit->active_state : UNIT_INACTIVE;
        const bool is_over = unit_state_is_inactive_or_failed(state) && !(unit && unit_will_restart(unit));

        if (use->wait_for == FLOW_WAIT_FOR_JOB || (use->wait_for == FLOW_WAIT_FOR_INACTIVE && is_over &&
                                                   state != UNIT_FAILED) ||
            (use->wait_for == FLOW_WAIT_FOR_ACTIVE && unit_state_is_active_or_reloading(state)))
                use->step = MANAGER_USE_MET;
        else if (is_over)
                end_with(end, RUN_END_FAILED, "%s is %s.", use->unit, unit_active_state_to_string(state));
}

static const char *state_of(const ManagerUse *use, const ManagerJobs *jobs) {
        const Unit *unit = unit_table_find(jobs->units, use->unit);

        return unit_active_state_to_string(unit ? unit->active_state : UNIT_INACTIVE);
}

static void find_job_of(ManagerUse *use, const ManagerJobs *jobs) {
        const Unit *unit = unit_table_find(jobs->units, use->unit);
        JobInfo job;

        use->step = MANAGER_USE_MET;
        if (!unit || !job_manager_unit_job(jobs->engine, unit, &job))
                return;
        use->job = job.id;
        use->step = MANAGER_USE_ASKED;
}

static void require(ManagerUse *use, const ManagerJobs *jobs, UseEnd *end) {
        const Unit *unit = unit_table_find(jobs->units, use->unit);

        use->step = MANAGER_USE_MET;
        if (!unit || !unit_state_is_active_or_reloading(unit->active_state))
                end_with(end, RUN_END_FAILED, "%s, which it requires to be active, is %s.", use->unit,
                         state_of(use, jobs));
}

static void begin(ManagerUse *use, const ManagerUseContext *context, UseEnd *end) {
        switch (use->kind) {
        case MANAGER_USE_JOB:
        case MANAGER_USE_REQUIRES:
        case MANAGER_USE_BINDS_TO:
                ask(use, context, end);
                break;
        case MANAGER_USE_REQUISITE:
                require(use, context->jobs, end);
                break;
        case MANAGER_USE_AFTER:
        case _MANAGER_USE_KIND_MAX:
                find_job_of(use, context->jobs);
        }
}

static void step(ManagerUse *use, const ManagerUseContext *context, UseEnd *end) {
        if (use->step == MANAGER_USE_NEW)
                begin(use, context, end);
        if (use->step == MANAGER_USE_ASKED && !end->is_set)
                follow_job(use, context, end);
        if (use->step == MANAGER_USE_WATCHED && !end->is_set)
                watch(use, context, end);
}

static bool are_met(const ManagerUses *uses, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (uses->items[i].step != MANAGER_USE_MET)
                        return false;
        return true;
}

bool manager_uses_are_met(const ManagerUses *uses) {
        return are_met(uses, uses->n);
}

ManagerUseResult manager_uses_step(ManagerUses *uses, const ManagerUseContext *context, RunEndKind *ret_kind,
                                   char **ret_problem, bool *ret_has_changed) {
        for (size_t i = 0; i < uses->n; i++) {
                ManagerUse *use = &uses->items[i];
                const ManagerUse before = *use;
                UseEnd end = {};

                if (use->kind == MANAGER_USE_JOB && !are_met(uses, i))
                        break;
                step(use, context, &end);
                *ret_has_changed |= use->step != before.step || use->job != before.job;
                if (!end.is_set)
                        continue;
                *ret_kind = end.kind;
                *ret_problem = end.problem;
                return MANAGER_USES_ENDED;
        }
        return manager_uses_are_met(uses) ? MANAGER_USES_MET : MANAGER_USES_WAIT;
}

void manager_uses_cancel(ManagerUses *uses, const ManagerUseContext *context) {
        const JobRequester requester = { .reason = context->who };

        for (size_t i = 0; i < uses->n; i++) {
                ManagerUse *use = &uses->items[i];

                if (use->kind == MANAGER_USE_JOB && use->step == MANAGER_USE_ASKED && use->is_own)
                        manager_jobs_cancel(context->jobs, use->job, &requester);
        }
}

/* — holds — */

static bool holds(const ManagerUse *use) {
        return use->kind == MANAGER_USE_REQUIRES || use->kind == MANAGER_USE_BINDS_TO;
}

bool manager_uses_hold(const ManagerUses *uses, const Unit *unit) {
        for (size_t i = 0; i < uses->n; i++)
                if (holds(&uses->items[i]) && unit_has_name(unit, uses->items[i].unit))
                        return true;
        return false;
}

void manager_uses_release(const ManagerUses *uses, ManagerJobs *jobs) {
        for (size_t i = 0; i < uses->n; i++) {
                const Unit *unit = holds(&uses->items[i]) ? unit_table_find(jobs->units, uses->items[i].unit) : NULL;

                if (unit)
                        job_manager_look(jobs->engine, unit);
        }
        if (uses->n > 0)
                manager_jobs_arm(jobs);
}

const char *manager_uses_find_lost(const ManagerUses *uses, const ManagerJobs *jobs) {
        for (size_t i = 0; i < uses->n; i++) {
                const ManagerUse *use = &uses->items[i];
                const Unit *unit = unit_table_find(jobs->units, use->unit);

                if (use->kind == MANAGER_USE_BINDS_TO && use->step == MANAGER_USE_MET &&
                    (!unit || (unit_state_is_inactive_or_failed(unit->active_state) && !unit_will_restart(unit) &&
                               !manager_jobs_will_start(jobs, unit))))
                        return use->unit;
        }
        return NULL;
}

/* — what can be asked — */

uint32_t manager_uses_job(const ManagerUses *uses) {
        uint32_t job = JOB_ID_NONE;

        for (size_t i = 0; i < uses->n; i++)
                job = uses->items[i].job != JOB_ID_NONE ? uses->items[i].job : job;
        return job;
}

static void explain_use(const ManagerUse *use, const ManagerJobs *jobs, Text *text) {
        const Unit *unit = unit_table_find(jobs->units, use->unit);
        JobInfo job;

        if (use->step == MANAGER_USE_ASKED && job_manager_find(jobs->engine, use->job, &job))
                text_addf(text, "it waits for job %" PRIu32 " (%s %s), which %s: see 'jobctl why %" PRIu32 "'", job.id,
                          job_type_to_string(job.type), use->unit, job.state == JOB_RUNNING ? "runs" : "waits",
                          job.id);
        else if (use->step == MANAGER_USE_WATCHED)
                text_addf(text, "it waits until %s is %s; it is %s", use->unit, flow_wait_for_to_string(use->wait_for),
                          unit_active_state_to_string(unit ? unit->active_state : UNIT_INACTIVE));
        else
                text_addf(text, "it is about to %s %s", flow_operation_to_string(use->operation), use->unit);
}

/* StartMode=finished: the job is ordered behind the start of the flow, which waits for the end of this run. */
static void explain_circle(const ManagerUse *use, const ManagerJobs *jobs, const Unit *flow, Text *text) {
        const Unit *unit = unit_table_find(jobs->units, use->unit);

        if (use->step == MANAGER_USE_ASKED && flow->active_state == UNIT_ACTIVATING && unit &&
            unit_has_relation(unit, UNIT_AFTER, flow))
                text_addf(text,
                          "; that waits for the start of %s, which waits for the end of this run (StartMode=finished): "
                          "neither goes on before the job, the node or the run is cancelled",
                          flow->id);
}

bool manager_uses_explain(const ManagerUses *uses, const ManagerJobs *jobs, const Unit *flow, Text *text) {
        for (size_t i = 0; i < uses->n; i++)
                if (uses->items[i].step != MANAGER_USE_MET) {
                        explain_use(&uses->items[i], jobs, text);
                        explain_circle(&uses->items[i], jobs, flow, text);
                        return true;
                }
        return false;
}

/* — records — */

void manager_uses_write(const ManagerUses *uses, RecordWriter *writer) {
        record_put(writer, uses->n);
        for (size_t i = 0; i < uses->n; i++) {
                const ManagerUse *use = &uses->items[i];

                record_put_string(writer, use->unit);
                record_put(writer, use->kind);
                record_put(writer, use->step);
                record_put(writer, use->job);
                record_put(writer, use->is_own);
                record_put(writer, use->operation);
                record_put(writer, use->mode);
                record_put(writer, use->wait_for);
        }
}

int manager_uses_read(ManagerUses *uses, RecordReader *reader) {
        for (uint64_t n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                const char *unit = record_get_string(reader);
                ManagerUse use = {
                        .kind = (ManagerUseKind) record_get_below(reader, _MANAGER_USE_KIND_MAX),
                        .step = (ManagerUseStep) record_get_below(reader, _MANAGER_USE_STEP_MAX),
                };

                use.job = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
                use.is_own = record_get_below(reader, 2) != 0;
                use.operation = (FlowOperation) record_get_below(reader, _FLOW_OPERATION_MAX);
                use.mode = (JobMode) record_get_below(reader, _JOB_MODE_MAX);
                use.wait_for = (FlowWaitFor) record_get_below(reader, _FLOW_WAIT_FOR_MAX);
                if (reader->has_failed || !unit)
                        return -EBADMSG;
                if (add(uses, use, unit) < 0)
                        return -ENOMEM;
        }
        return reader->has_failed ? -EBADMSG : 0;
}
