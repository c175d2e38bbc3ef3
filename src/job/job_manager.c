/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of the job engine: requests
 *
 * Exec and plan build the same transaction in the same stage and differ in the
 * commit only, so a plan shows what exec does.
 */

#include <assert.h>
#include <stdlib.h>

#include "basic/text.h"
#include "job/job_manager_private.h"

int job_manager_new(JobManager **ret_manager, UnitTable *units) {
        JobManager *manager;

        assert(ret_manager);
        assert(units);

        manager = calloc(1, sizeof(*manager));
        if (!manager)
                return -ENOMEM;

        manager->units = units;
        manager->last_refusal = UINT64_MAX;
        job_transaction_init(&manager->transaction, units, &manager->table);
        job_notify_init(&manager->notify, units);
        if (job_table_init(&manager->table, units) < 0 || job_log_init(&manager->log) < 0 ||
            vector_reserve(&manager->changes, JOB_CHANGES_MIN) < 0) {
                job_manager_free(manager);
                return -ENOMEM;
        }

        *ret_manager = manager;
        return 0;
}

JobManager *job_manager_free(JobManager *manager) {
        if (!manager)
                return NULL;

        assert(!manager->is_triggering);

        job_log_deinit(&manager->log);
        job_transaction_deinit(&manager->transaction);
        job_notify_deinit(&manager->notify);
        job_table_deinit(&manager->table);
        vector_deinit(&manager->changes);
        vector_deinit(&manager->ends);
        vector_deinit(&manager->subscriptions);
        free(manager);
        return NULL;
}

void job_manager_set_holders(JobManager *manager, const JobHolders *holders) {
        manager->notify.holders = holders ? *holders : (JobHolders) {};
}

void job_manager_look(JobManager *manager, const Unit *unit) {
        job_notify_look(&manager->notify, unit);
}

int job_manager_subscribe(JobManager *manager, JobSubscriber subscriber, void *userdata) {
        JobSubscription subscription = { .subscriber = subscriber, .userdata = userdata };

        assert(subscriber);

        return vector_push(&manager->subscriptions, subscription);
}

void job_manager_info(const JobManager *manager, const Job *job, JobInfo *ret_info) {
        *ret_info = (JobInfo) {
                .id = job->id,
                .unit = unit_table_at(manager->units, job->unit),
                .type = job->type,
                .run_type = job->run_type,
                .state = job->state,
                .result = _JOB_RESULT_INVALID,
                .is_irreversible = job->is_irreversible,
                .ignores_order = job->ignores_order,
                .is_paused = job->pause != JOB_PAUSE_NONE,
                .blocker = job->blocker ? job->blocker->id : JOB_ID_NONE,
                .transaction = job->cause.record ? job->cause.record->id : 0,
                .installed_at = job->installed_at,
                .triggered_at = job->triggered_at,
                .deadline = job->deadline,
        };
}

static void job_manager_tell(JobManager *manager, const JobEvent *event) {
        for (size_t i = 0; i < manager->subscriptions.n; i++)
                manager->subscriptions.items[i].subscriber(event, manager->subscriptions.items[i].userdata);
}

void job_manager_emit(JobManager *manager, JobEventKind kind, const Job *job, const char *cause,
                      const Failure *failure) {
        JobEvent event = { .kind = kind, .cause = cause, .failure = failure };

        if (manager->subscriptions.n == 0)
                return;
        if (job)
                job_manager_info(manager, job, &event.job);
        job_manager_tell(manager, &event);
}

static void commit_cancel(void *userdata, Job *job, const JobCandidate *by) {
        JobManager *manager = userdata;
        JobEndReason reason = {
                .code = by ? JOB_END_REPLACED : JOB_END_CLEARED,
                .number = (uint32_t) (manager->last_transaction + 1),
        };

        job_manager_end(manager, job, JOB_CANCELED, 0, reason);
}

static void commit_touch(JobManager *manager, const Job *job) {
        job_table_set_recovery(&manager->table, job->unit, 0);
}

static void commit_installed(void *userdata, Job *job) {
        JobManager *manager = userdata;

        manager->stat.n_installed++;
        manager->stat.n_by_type[job->type]++;
        commit_touch(manager, job);
        job_manager_emit(manager, JOB_EVENT_INSTALLED, job, NULL, NULL);
}

static void commit_changed(void *userdata, Job *job) {
        JobManager *manager = userdata;

        manager->stat.n_joined++;
        commit_touch(manager, job);
        job_manager_emit(manager, JOB_EVENT_CHANGED, job, "another request was merged into it", NULL);
}

static int record_new(JobManager *manager, JobMode mode, const JobRequester *requester,
                      JobTransactionRecord **ret_record) {
        cleanup_(job_transaction_record_unrefp) JobTransactionRecord *record = job_transaction_record_new();

        if (!record)
                return -ENOMEM;

        record->mode = mode;
        record->time = manager->now;
        if (requester) {
                record->uid = requester->uid;
                record->pid = requester->pid;
                if (text_copy(requester->name, &record->requester) < 0 ||
                    text_copy(requester->command, &record->command) < 0 ||
                    text_copy(requester->reason, &record->reason) < 0)
                        return -ENOMEM;
        }

        *ret_record = take_ptr(record);
        return 0;
}

/* Names the requests in the record of a refused transaction, so that job_log_find_drop() finds it. */
static int record_refusal(JobManager *manager, JobTransactionRecord *record, const JobRequest *requests,
                          size_t n) {
        int r;

        r = job_transaction_record_drops(&manager->transaction, record);
        for (size_t i = 0; i < n && r == 0; i++) {
                JobStep step = { .type = (uint8_t) requests[i].type, .is_anchor = true, .puller = JOB_STEP_NONE };

                step.unit = job_name_new(requests[i].unit);
                r = step.unit ? vector_push(&record->steps, step) : -ENOMEM;
                if (r < 0)
                        job_name_unref(step.unit);
        }
        if (r == 0)
                (void) failure_copy(&record->failure, &manager->transaction.failure);
        record->id = manager->last_refusal--;
        job_log_add_transaction(&manager->log, record);
        return r;
}

static void tell_cycles(JobManager *manager) {
        for (size_t i = 0; i < manager->transaction.cycles.n; i++) {
                Failure failure = {};

                failure_set(&failure, -EDEADLK, "TransactionOrderIsCyclic", "%s",
                            manager->transaction.cycles.items[i]);
                manager->stat.n_cycles_broken++;
                job_manager_emit(manager, JOB_EVENT_CYCLE_BROKEN, NULL, NULL, &failure);
                failure_deinit(&failure);
        }
}

static int commit(JobManager *manager, JobTransactionRecord *record, JobPlan *plan) {
        static const JobCommitOps ops = {
                .cancel = commit_cancel,
                .installed = commit_installed,
                .changed = commit_changed,
        };
        int r;

        /* All jobs of the table may end at once: reserve that list now, because it must not need memory then. */
        r = vector_reserve(&manager->ends, manager->table.n_jobs + manager->transaction.candidates.n);
        if (r < 0)
                return r;

        record->id = manager->last_transaction + 1;
        r = job_transaction_commit(&manager->transaction, record, manager->now, &ops, manager);
        if (r < 0)
                return r;

        manager->last_transaction++;
        manager->stat.n_committed++;
        job_log_add_transaction(&manager->log, record);
        tell_cycles(manager);
        if (!plan)
                return 0;

        plan->transaction = record->id;
        for (size_t i = 0; i < plan->jobs.n; i++)
                plan->jobs.items[i].id = record->steps.items[i].id;
        return 0;
}

int job_manager_exec_record(JobManager *manager, const JobRequest *requests, size_t n,
                            const JobOptions *options, JobPlan **ret_plan) {
        cleanup_(job_transaction_record_unrefp) JobTransactionRecord *record = NULL;
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        int built, r;

        r = record_new(manager, options->mode, options->requester, &record);
        if (r < 0)
                return r;

        built = job_transaction_build(&manager->transaction, requests, n, options->mode);
        if (built < 0)
                return built;
        if (ret_plan) {
                r = job_transaction_report(&manager->transaction, options->wants_anchors_only, &plan);
                if (r < 0)
                        return r;
        }

        if (built == JOB_TRANSACTION_E_REFUSED) {
                manager->stat.n_refused++;
                (void) record_refusal(manager, record, requests, n);
        } else {
                r = commit(manager, record, plan);
                if (r < 0)
                        return r;
        }

        if (ret_plan)
                *ret_plan = take_ptr(plan);
        return built == JOB_TRANSACTION_E_REFUSED ? JOB_MANAGER_E_REFUSED : 0;
}

int job_manager_exec(JobManager *manager, const JobRequest *requests, size_t n, const JobOptions *options,
                     JobPlan **ret_plan) {
        assert(manager);
        assert(!manager->is_triggering);
        assert(options);
        assert(n > 0);

        manager->now = options->now;
        return job_manager_exec_record(manager, requests, n, options, ret_plan);
}

int job_manager_plan(JobManager *manager, const JobRequest *requests, size_t n, const JobOptions *options,
                     JobPlan **ret_plan) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        int built, r;

        assert(manager);
        assert(!manager->is_triggering);
        assert(options);
        assert(n > 0);
        assert(ret_plan);

        manager->now = options->now;
        manager->stat.n_planned++;

        built = job_transaction_build(&manager->transaction, requests, n, options->mode);
        if (built < 0)
                return built;
        r = job_transaction_report(&manager->transaction, false, &plan);
        if (r == 0 && options->wants_edges)
                r = job_transaction_report_edges(&manager->transaction, plan);
        if (r < 0)
                return r;
        *ret_plan = take_ptr(plan);
        return built == JOB_TRANSACTION_E_REFUSED ? JOB_MANAGER_E_REFUSED : 0;
}

static void cancel(JobManager *manager, Job *job, const JobRequester *requester) {
        cleanup_(job_name_unrefp) JobName *name = NULL;

        if (requester && requester->name)
                name = job_names_get(manager->table.names, requester->name);
        job_manager_end(manager, job, JOB_CANCELED, JOB_END_SPREADS,
                        (JobEndReason) { .code = JOB_END_CANCELED, .name = name });
}

static int no_such_job(const JobManager *manager, uint32_t id, Failure *ret_failure) {
        failure_set(ret_failure, -ENOENT, "NoSuchJob", "Job %u does not exist%s.", id,
                    job_log_find(&manager->log, id) ? " any more: it has ended" : "");
        return JOB_MANAGER_E_NO_SUCH_JOB;
}

int job_manager_cancel(JobManager *manager, uint32_t id, const JobRequester *requester, uint64_t now,
                       Failure *ret_failure) {
        const Job *job = job_table_find(&manager->table, id);
        const Unit *unit;

        if (!job || job->state != JOB_RUNNING)
                return job_manager_detach(manager, id, requester, now, ret_failure);

        manager->now = now;
        unit = unit_table_at(manager->units, job->unit);
        failure_set(ret_failure, -EBUSY, "JobNotCancelable",
                    "Job %u (%s %s) is running and ends with the unit's own change of state; %s.", id,
                    job_type_to_string(job->type), unit->id,
                    job->run_type == JOB_STOP ? "it ends when the unit has stopped" : "stop the unit to end it");
        return JOB_MANAGER_E_NOT_CANCELABLE;
}

int job_manager_detach(JobManager *manager, uint32_t id, const JobRequester *requester, uint64_t now,
                       Failure *ret_failure) {
        Job *job = job_table_find(&manager->table, id);

        manager->now = now;
        if (!job)
                return no_such_job(manager, id, ret_failure);
        cancel(manager, job, requester);
        job_manager_follow_up(manager);
        return 0;
}

static Job *first_of(const JobUnitEntry *entry, bool with_running) {
        return entry->pending ?: entry->nop ?: (with_running ? entry->triggered : NULL);
}

/*
 * Follow-up requests are made after all jobs have ended: made earlier, they would be canceled and made again for ever.
 */
static size_t cancel_all(JobManager *manager, const JobRequester *requester, uint64_t now, bool detaches) {
        size_t n = 0;

        manager->now = now;
        for (uint32_t i = 0; i < manager->table.n_entries; i++) {
                const JobUnitEntry *entry = job_table_peek(&manager->table, i);

                for (Job *job; (job = first_of(entry, detaches)); n++)
                        cancel(manager, job, requester);
        }
        job_manager_follow_up(manager);
        return n;
}

const char *job_manager_find_unmet(const JobManager *manager, const Unit *unit, UnitAnswer *ret_answer,
                                   usec_t *ret_at) {
        const JobEnded *ended = job_log_find_unmet(&manager->log, unit->id);

        if (!ended)
                return NULL;
        *ret_answer = (UnitAnswer) ended->reason.number;
        *ret_at = ended->ended_at;
        return ended->reason.name->string;
}

size_t job_manager_cancel_all(JobManager *manager, const JobRequester *requester, uint64_t now) {
        return cancel_all(manager, requester, now, false);
}

size_t job_manager_detach_all(JobManager *manager, const JobRequester *requester, uint64_t now) {
        return cancel_all(manager, requester, now, true);
}
