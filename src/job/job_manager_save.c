/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The face of the job engine: save and restore
 *
 * A snapshot is lists of plain records. Relations are not in it: order and
 * blockers follow from the units. A triggered job comes back as triggered and
 * is not triggered again; its unit's state ends it.
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_manager_private.h"

static int copy(char **ret_copy, const char *string) {
        *ret_copy = string ? strdup(string) : NULL;
        return string && !*ret_copy ? -ENOMEM : 0;
}

static int save_cause(JobRecord *record, JobCause cause) {
        const JobStep *step = job_cause_step(cause);
        const JobStep *puller = NULL;
        JobCauseRecord item = { .puller_type = _JOB_TYPE_INVALID, .relation = _UNIT_RELATION_INVALID };

        if (!cause.record || !step)
                return 0;
        if (vector_reserve(&record->causes, 1) < 0)
                return -ENOMEM;

        item.transaction = cause.record->id;
        item.uid = cause.record->uid;
        item.pid = cause.record->pid;
        item.is_needed = step->is_needed;
        puller = job_cause_step((JobCause) { .record = cause.record, .step = step->puller });
        if (puller) {
                item.puller_type = puller->type;
                item.relation = step->relation;
        }
        if (copy(&item.requester, cause.record->requester) < 0 || copy(&item.reason, cause.record->reason) < 0 ||
            copy(&item.puller, puller ? puller->unit->string : NULL) < 0) {
                free(item.requester);
                free(item.reason);
                return -ENOMEM;
        }
        record->causes.items[record->causes.n++] = item;
        return 0;
}

static int save_job(const JobManager *manager, const Job *job, JobSnapshot *snapshot) {
        JobRecord *record;
        int r;

        if (!job)
                return 0;
        r = vector_reserve(&snapshot->jobs, 1);
        if (r < 0)
                return r;

        record = &snapshot->jobs.items[snapshot->jobs.n++];
        *record = (JobRecord) {
                .id = job->id,
                .type = job->type,
                .run_type = job->run_type,
                .state = job->state,
                .is_irreversible = job->is_irreversible,
                .ignores_order = job->ignores_order,
                .between_halves = job->between_halves,
                .absorbed_start = job->absorbed_start,
                .is_paused = job->pause != JOB_PAUSE_NONE,
                .transaction = job->cause.record ? job->cause.record->id : 0,
                .installed_at = job->installed_at,
                .triggered_at = job->triggered_at,
                .n_more_causes = job->n_lost_causes,
        };
        r = copy(&record->unit, unit_table_at(manager->units, job->unit)->id);
        for (size_t i = 0; i < job->aliases.n && r == 0; i++)
                r = vector_push(&record->aliases, job->aliases.items[i]);
        for (size_t i = 0; i < job_count_causes(job) && r == 0; i++)
                r = save_cause(record, job_cause_at(job, i));
        return r;
}

static int save_recovery(const JobManager *manager, uint32_t unit, uint32_t waits_for, JobSnapshot *snapshot) {
        JobRecoveryRecord record = {};

        if (waits_for == 0)
                return 0;
        if (copy(&record.unit, unit_table_at(manager->units, unit)->id) < 0 ||
            copy(&record.waits_for, unit_table_at(manager->units, waits_for - 1)->id) < 0 ||
            vector_push(&snapshot->recoveries, record) < 0) {
                free(record.unit);
                free(record.waits_for);
                return -ENOMEM;
        }
        return 0;
}

int job_manager_save(const JobManager *manager, JobSnapshot *ret_snapshot) {
        JobSnapshot snapshot = {
                .last_id = manager->table.alloc.cursor,
                .last_transaction = manager->last_transaction,
        };
        int r = 0;

        for (uint32_t i = 0; i < manager->table.n_entries && r == 0; i++) {
                const JobUnitEntry *entry = job_table_peek(&manager->table, i);

                r = save_job(manager, entry->triggered, &snapshot);
                if (r == 0)
                        r = save_job(manager, entry->pending, &snapshot);
                if (r == 0)
                        r = save_job(manager, entry->nop, &snapshot);
                if (r == 0)
                        r = save_recovery(manager, i, entry->recovers_with, &snapshot);
        }
        if (r < 0) {
                job_snapshot_deinit(&snapshot);
                return r;
        }

        *ret_snapshot = snapshot;
        return 0;
}

/* The record of a transaction that restored jobs came from: made with the first of them, shared by the rest. */
static JobTransactionRecord *restore_record(JobManager *manager, const JobCauseRecord *cause) {
        cleanup_(job_transaction_record_unrefp) JobTransactionRecord *record = NULL;

        record = job_log_find_transaction(&manager->log, cause->transaction);
        if (record)
                return job_transaction_record_ref(take_ptr(record));

        record = job_transaction_record_new();
        if (!record || copy(&record->requester, cause->requester) < 0 || copy(&record->reason, cause->reason) < 0)
                return NULL;
        record->id = cause->transaction;
        record->uid = cause->uid;
        record->pid = cause->pid;
        record->time = manager->now;
        job_log_add_transaction(&manager->log, record);
        return take_ptr(record);
}

static uint32_t record_find_step(const JobTransactionRecord *record, const char *unit) {
        for (size_t i = 0; i < record->steps.n; i++)
                if (strcmp(record->steps.items[i].unit->string, unit) == 0)
                        return (uint32_t) i;
        return JOB_STEP_NONE;
}

static int record_add_step(JobTransactionRecord *record, const char *unit, JobType type, uint32_t *ret_step) {
        JobStep step = { .type = (uint8_t) type, .puller = JOB_STEP_NONE };

        *ret_step = record_find_step(record, unit);
        if (*ret_step != JOB_STEP_NONE)
                return 0;

        step.unit = job_name_new(unit);
        if (!step.unit || vector_push(&record->steps, step) < 0) {
                job_name_unref(step.unit);
                return -ENOMEM;
        }
        *ret_step = (uint32_t) record->steps.n - 1;
        return 0;
}

static int restore_cause(JobManager *manager, const JobRecord *job, const JobCauseRecord *saved, JobCause *ret_cause) {
        cleanup_(job_transaction_record_unrefp) JobTransactionRecord *record = restore_record(manager, saved);
        uint32_t at, puller = JOB_STEP_NONE;

        if (!record)
                return -ENOMEM;
        if (record_add_step(record, job->unit, job->type, &at) < 0)
                return -ENOMEM;
        if (saved->puller && record_add_step(record, saved->puller, saved->puller_type, &puller) < 0)
                return -ENOMEM;

        record->steps.items[at].id = job->id;
        record->steps.items[at].is_needed = saved->is_needed;
        record->steps.items[at].is_anchor = !saved->puller;
        /* A chain read from outside must end: only what was there first may pull in what came later. */
        if (puller != JOB_STEP_NONE && record->steps.items[puller].puller == JOB_STEP_NONE && puller != at) {
                record->steps.items[at].puller = puller;
                record->steps.items[at].relation = (uint8_t) saved->relation;
        }
        *ret_cause = (JobCause) { .record = record, .step = at };
        return 0;
}

static bool record_is_sound(const JobRecord *record) {
        return record->id != JOB_ID_NONE && record->unit && record->type >= 0 &&
               record->type < _JOB_TYPE_MAX_IN_TABLE && record->run_type >= 0 &&
               record->run_type < _JOB_TYPE_MAX_IN_TABLE && record->run_type != JOB_RESTART &&
               record->state >= 0 && record->state < _JOB_STATE_MAX;
}

static bool place_is_free(const JobUnitEntry *entry, const JobRecord *record) {
        if (record->state == JOB_RUNNING)
                return !entry->triggered && record->type != JOB_NOP;
        return record->type == JOB_NOP ? !entry->nop : !entry->pending;
}

/* It cannot go on; whoever waits for it is told in the log. */
static void restore_as_ended(JobManager *manager, const JobRecord *record) {
        JobEnded ended = {
                .id = record->id,
                .unit = job_names_get(manager->table.names, record->unit ? record->unit : ""),
                .type = (uint8_t) record->type,
                .run_type = (uint8_t) record->run_type,
                .result = JOB_COLLECTED,
                .installed_at = record->installed_at,
                .ended_at = manager->now,
                .transaction = record->transaction,
                .step = JOB_STEP_NONE,
                .reason.code = JOB_END_UNIT_UNUSABLE,
        };

        if (ended.unit)
                job_log_add_ended(&manager->log, ended);
}

static int restore_attributes(JobManager *manager, const JobRecord *record, Job *job) {
        job->id = record->id;
        job->type = (uint8_t) record->type;
        job->run_type = (uint8_t) record->run_type;
        job->state = (uint8_t) record->state;
        job->is_irreversible = record->is_irreversible;
        job->ignores_order = record->ignores_order;
        job->between_halves = record->between_halves && record->type == JOB_RESTART;
        job->absorbed_start = record->absorbed_start;
        job->installed_at = record->installed_at;
        job->triggered_at = record->state == JOB_RUNNING ? record->triggered_at : 0;
        job->n_lost_causes = record->n_more_causes;
        job->priority = unit_table_at(manager->units, job->unit)->settings.job_priority;

        for (size_t i = 1; i < record->causes.n; i++) {
                JobCause cause;

                if (restore_cause(manager, record, &record->causes.items[i], &cause) == 0)
                        job_add_cause(job, cause);
        }
        return 0;
}

static void restore_aliases(JobManager *manager, const JobRecord *record, Job *job) {
        for (size_t i = 0; i < record->aliases.n; i++) {
                uint32_t id = record->aliases.items[i];

                if (id == JOB_ID_NONE || job_table_find(&manager->table, id))
                        continue;
                if (vector_push(&job->aliases, id) == 0 && id_map_put(&manager->table.by_id, id, job) < 0)
                        job->aliases.n--;
        }
}

static int restore_job(JobManager *manager, const JobRecord *record) {
        JobCause cause = {};
        Unit *unit;
        Job *job;
        int r;

        if (!record_is_sound(record))
                return -EINVAL;
        r = unit_table_load(manager->units, record->unit, &unit);
        if (r < 0)
                return r;
        r = job_table_reserve(&manager->table, 1);
        if (r < 0)
                return r;
        if (!job_table_name(&manager->table, unit->index))
                return -ENOMEM;
        if ((unit->load_state != UNIT_LOADED && record->type != JOB_STOP) ||
            !place_is_free(job_table_peek(&manager->table, unit->index), record) ||
            job_table_find(&manager->table, record->id))
                return -EINVAL;
        if (record->causes.n > 0)
                (void) restore_cause(manager, record, &record->causes.items[0], &cause);

        r = job_new(&job, unit->index, record->type, cause);
        if (r < 0)
                return r;
        restore_attributes(manager, record, job);
        job_table_install(&manager->table, job);
        restore_aliases(manager, record, job);
        job_table_update_deadline(&manager->table, job);
        if (record->is_paused && job->state == JOB_WAITING)
                job_table_set_pause(&manager->table, job, JOB_PAUSE_NOT_NOW);
        return 0;
}

static void restore_recovery(JobManager *manager, const JobRecoveryRecord *record) {
        const Unit *unit = unit_table_find(manager->units, record->unit);
        const Unit *other = unit_table_find(manager->units, record->waits_for);

        if (!unit || !other || job_table_reserve(&manager->table, 0) < 0)
                return;
        job_table_entry(&manager->table, unit->index)->recovers_with = other->index + 1;
}

int job_manager_restore(JobManager *manager, const JobSnapshot *snapshot, uint64_t now) {
        int r;

        assert(manager->table.n_jobs == 0);

        manager->now = now;
        manager->last_transaction = snapshot->last_transaction;
        r = vector_reserve(&manager->ends, snapshot->jobs.n);
        if (r < 0)
                return r;

        for (size_t i = 0; i < snapshot->jobs.n; i++) {
                r = restore_job(manager, &snapshot->jobs.items[i]);
                if (r == -ENOMEM)
                        return r;
                if (r < 0)
                        restore_as_ended(manager, &snapshot->jobs.items[i]);
        }
        for (size_t i = 0; i < snapshot->recoveries.n; i++)
                restore_recovery(manager, &snapshot->recoveries.items[i]);
        job_alloc_restore(&manager->table.alloc, snapshot->last_id);
        return 0;
}
