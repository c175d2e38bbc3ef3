/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * One job
 *
 * This is the link between a job and its unit's states: which change ends a
 * job, with which result, and whether the change was the job's doing at all.
 * An unexpected change has consequences of its own (job_notify).
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "basic/heap.h"
#include "basic/usec.h"
#include "job/job_entry.h"

static const JobRare job_rare_none;

static_assert(sizeof(Job) <= 120, "with what malloc() puts in front of it a job has two lines of the cache");

JobRare *job_own_rare(Job *job) {
        JobRare *rare;

        if (job->rare != &job_rare_none)
                return (JobRare *) job->rare;

        rare = calloc(1, sizeof(*rare));
        if (rare)
                job->rare = rare;
        return rare;
}

static void job_free_rare(Job *job) {
        JobRare *rare;

        if (job->rare == &job_rare_none)
                return;

        rare = (JobRare *) job->rare;
        for (uint32_t i = 0; i < rare->n_more_causes; i++)
                job_transaction_record_unref(rare->more_causes[i].record);
        vector_deinit(&rare->late);
        vector_deinit(&rare->aliases);
        free(rare);
}

int job_new(Job **ret_job, uint32_t unit, JobType type, JobCause cause) {
        Job *job;

        assert(ret_job);
        assert(type < _JOB_TYPE_MAX_IN_TABLE);

        job = calloc(1, sizeof(*job));
        if (!job)
                return -ENOMEM;

        job->rare = &job_rare_none;
        job->unit = unit;
        job->type = type;
        job->run_type = job_type_first_run(type);
        job->ready_place = HEAP_NOWHERE;
        job->deadline_place = HEAP_NOWHERE;
        job->deadline = USEC_INFINITY;
        job->cause = cause;
        job_transaction_record_ref(cause.record);
        LIST_INIT(&job->waiters);

        *ret_job = job;
        return 0;
}

Job *job_free(Job *job) {
        if (!job)
                return NULL;

        assert(LIST_EMPTY(&job->waiters));
        assert(!job->blocker);
        assert(job->ready_place == HEAP_NOWHERE);
        assert(job->deadline_place == HEAP_NOWHERE);

        job_transaction_record_unref(job->cause.record);
        job_free_rare(job);
        free(job);
        return NULL;
}

void job_add_cause(Job *job, JobCause cause) {
        JobRare *rare = job_own_rare(job);

        if (!rare || rare->n_more_causes >= JOB_CAUSES_MAX - 1) {
                job->n_lost_causes++;
                return;
        }

        job_transaction_record_ref(cause.record);
        rare->more_causes[rare->n_more_causes++] = cause;
}

size_t job_count_causes(const Job *job) {
        return 1 + job->rare->n_more_causes;
}

JobCause job_cause_at(const Job *job, size_t i) {
        assert(i < job_count_causes(job));

        return i == 0 ? job->cause : job->rare->more_causes[i - 1];
}

void job_set_type(Job *job, JobType type) {
        if (job->type == type)
                return;

        job->type = type;
        job->run_type = job_type_first_run(type);
        job->between_halves = false;
}

static JobReaction end(JobResult result) {
        return (JobReaction) { .ends = true, .result = result };
}

static JobReaction end_unexpected(JobResult result) {
        return (JobReaction) { .ends = true, .result = result, .is_unexpected = true };
}

static JobReaction go_on(bool is_unexpected) {
        return (JobReaction) { .is_unexpected = is_unexpected };
}

static JobReaction job_react_start(UnitActiveState state, UnitChangeFlags flags) {
        switch (state) {
        case UNIT_ACTIVE:
        case UNIT_RELOADING:
                return end(JOB_DONE);
        case UNIT_ACTIVATING:
                return go_on(false);
        case UNIT_DEACTIVATING:
                return go_on(true);
        case UNIT_INACTIVE:
                return end_unexpected(flags & UNIT_CHANGE_SKIPPED ? JOB_SKIPPED : JOB_DONE);
        case UNIT_FAILED:
        case UNIT_MAINTENANCE:
        case _UNIT_ACTIVE_STATE_MAX:
        case _UNIT_ACTIVE_STATE_INVALID:
                return end_unexpected(JOB_FAILED);
        }
        return go_on(true);
}

static JobReaction job_react_verify(UnitActiveState state) {
        if (unit_state_is_active_or_reloading(state))
                return end(JOB_DONE);
        if (state == UNIT_ACTIVATING)
                return go_on(false);
        return end(JOB_SKIPPED);
}

static JobReaction job_react_stop(UnitActiveState state) {
        if (unit_state_is_inactive_or_failed(state))
                return end(JOB_DONE);
        if (state == UNIT_DEACTIVATING)
                return go_on(false);
        return end_unexpected(JOB_FAILED);
}

static JobReaction job_react_reload(UnitActiveState state, UnitChangeFlags flags) {
        switch (state) {
        case UNIT_ACTIVE:
                return end(flags & UNIT_CHANGE_RELOAD_FAILED ? JOB_FAILED : JOB_DONE);
        case UNIT_RELOADING:
        case UNIT_ACTIVATING:
                return go_on(false);
        case UNIT_DEACTIVATING:
                return go_on(true);
        case UNIT_INACTIVE:
                return end_unexpected(JOB_DONE);
        case UNIT_FAILED:
        case UNIT_MAINTENANCE:
        case _UNIT_ACTIVE_STATE_MAX:
        case _UNIT_ACTIVE_STATE_INVALID:
                return end_unexpected(JOB_FAILED);
        }
        return go_on(true);
}

JobReaction job_react(JobType run, UnitActiveState state, UnitChangeFlags flags) {
        switch (run) {
        case JOB_START:
                return job_react_start(state, flags);
        case JOB_VERIFY_ACTIVE:
                return job_react_verify(state);
        case JOB_STOP:
                return job_react_stop(state);
        case JOB_RELOAD:
                return job_react_reload(state, flags);
        case JOB_RESTART:
        case JOB_NOP:
        case JOB_TRY_RESTART:
        case JOB_TRY_RELOAD:
        case JOB_RELOAD_OR_START:
        case _JOB_TYPE_MAX:
        case _JOB_TYPE_INVALID:
                return go_on(true);
        }
        return go_on(true);
}

bool job_result_from_answer(UnitAnswer answer, JobResult *ret_result) {
        static const JobResult table[_UNIT_ANSWER_MAX] = {
                [UNIT_ALREADY] = JOB_DONE,
                [UNIT_CONDITION_UNMET] = JOB_DONE,
                [UNIT_ASSERT_UNMET] = JOB_ASSERT,
                [UNIT_CANNOT] = JOB_SKIPPED,
                [UNIT_UNSUPPORTED] = JOB_UNSUPPORTED,
                [UNIT_WRONG_STATE] = JOB_INVALID,
                [UNIT_DEPENDENCY_UNMET] = JOB_DEPENDENCY,
                [UNIT_ONCE] = JOB_ONCE,
                [UNIT_OPERATION_FAILED] = JOB_FAILED,
        };

        if (answer == UNIT_UNDER_WAY || answer == UNIT_NOT_NOW)
                return false;

        *ret_result = answer >= 0 && answer < _UNIT_ANSWER_MAX ? table[answer] : JOB_FAILED;
        return true;
}

JobTransactionRecord *job_transaction_record_new(void) {
        JobTransactionRecord *record = calloc(1, sizeof(*record));

        if (record)
                record->n_references = 1;
        return record;
}

JobTransactionRecord *job_transaction_record_ref(JobTransactionRecord *record) {
        if (record)
                record->n_references++;
        return record;
}

JobTransactionRecord *job_transaction_record_unref(JobTransactionRecord *record) {
        if (!record || --record->n_references > 0)
                return NULL;

        for (size_t i = 0; i < record->steps.n; i++)
                job_name_unref(record->steps.items[i].unit);
        for (size_t i = 0; i < record->drops.n; i++) {
                job_name_unref(record->drops.items[i].unit);
                job_name_unref(record->drops.items[i].puller);
                free(record->drops.items[i].why);
        }
        vector_deinit(&record->steps);
        vector_deinit(&record->drops);
        failure_deinit(&record->failure);
        free(record->requester);
        free(record->command);
        free(record->reason);
        free(record);
        return NULL;
}

const JobStep *job_cause_step(JobCause cause) {
        if (!cause.record || cause.step >= cause.record->steps.n)
                return NULL;
        return &cause.record->steps.items[cause.step];
}

const char *job_declaration_format(UnitRelationKind relation, bool declared_there, const char *puller,
                                   const char *unit, const char *origin,
                                   char buffer[static JOB_DECLARATION_TEXT_MAX]) {
        if (declared_there)
                snprintf(buffer, JOB_DECLARATION_TEXT_MAX, "%s=%s of %s (%s)",
                         unit_relation_to_string(unit_relation_inverse(relation)), puller, unit, origin);
        else
                snprintf(buffer, JOB_DECLARATION_TEXT_MAX, "%s=%s (%s)", unit_relation_to_string(relation), unit,
                         origin);
        return buffer;
}

static const char *job_answer_text(UnitAnswer answer) {
        switch (answer) {
        case UNIT_ALREADY:
                return "the unit was there already";
        case UNIT_CONDITION_UNMET:
                return "a condition is not met";
        case UNIT_ASSERT_UNMET:
                return "an assertion is not met";
        case UNIT_CANNOT:
                return "the unit has no such operation";
        case UNIT_UNSUPPORTED:
                return "units of this type are not supported here";
        case UNIT_WRONG_STATE:
                return "the unit is not active";
        case UNIT_DEPENDENCY_UNMET:
                return "a unit that it binds to is not active";
        case UNIT_ONCE:
                return "the unit can't be started a second time";
        case UNIT_UNDER_WAY:
        case UNIT_NOT_NOW:
        case UNIT_OPERATION_FAILED:
        case _UNIT_ANSWER_MAX:
        case _UNIT_ANSWER_INVALID:
                return "the operation failed";
        }
        return "the operation failed";
}

static int job_end_reason_write(const JobEndReason *reason, char *buffer, size_t size) {
        const char *name = reason->name ? reason->name->string : "somebody";

        switch (reason->code) {
        case JOB_END_UNSAID:
                return 0;
        case JOB_END_ANSWER:
                return snprintf(buffer, size, "%s", job_answer_text(reason->number));
        case JOB_END_UNIT_CHANGED:
                return snprintf(buffer, size, "the unit is %s", unit_active_state_to_string(reason->number));
        case JOB_END_UNIT_ACTIVE:
                return snprintf(buffer, size, "the unit is active");
        case JOB_END_UNIT_NOT_ACTIVE:
                return snprintf(buffer, size, "the unit is not active");
        case JOB_END_UNIT_GONE:
                return snprintf(buffer, size, "the unit is gone");
        case JOB_END_UNIT_UNUSABLE:
                return snprintf(buffer, size, "its unit can't be used any more after a restart of the manager");
        case JOB_END_DEPENDENCY:
                return snprintf(buffer, size, "dependency on %s failed", name);
        case JOB_END_REPLACED:
                return snprintf(buffer, size, "replaced in transaction %u", reason->number);
        case JOB_END_CLEARED:
                return snprintf(buffer, size, "cleared by transaction %u", reason->number);
        case JOB_END_INTERRUPTED:
                return snprintf(buffer, size, "interrupted by job %u", reason->number);
        case JOB_END_STOPPED:
                return snprintf(buffer, size, "job %u stops the unit", reason->number);
        case JOB_END_CANCELED:
                return snprintf(buffer, size, "canceled by %s", name);
        case JOB_END_TIME_LIMIT:
                return snprintf(buffer, size, "its time limit is over%s%s", reason->name ? ": " : "",
                                reason->name ? name : "");
        case JOB_END_CYCLE:
                return snprintf(buffer, size, "new unit files closed a cycle of order");
        }
        return 0;
}

const char *job_end_reason_format(const JobEndReason *reason, char buffer[static JOB_END_REASON_TEXT_MAX]) {
        return job_end_reason_write(reason, buffer, JOB_END_REASON_TEXT_MAX) > 0 ? buffer : NULL;
}
