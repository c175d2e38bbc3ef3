/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of the job engine: restore
 *
 * The snapshot was written by another process, perhaps of another version: it
 * is validated, not asserted. A triggered job comes back as triggered and is
 * not triggered again; its unit's state ends it. Records of transactions are
 * rebuilt from the causes of the jobs, which name unit and puller; the
 * declaration of the relation is looked up in the units.
 */

#include <assert.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "basic/text.h"
#include "job/job_manager_private.h"

typedef struct RestoreRecord {
        uint64_t transaction;
        JobTransactionRecord *record;   /* a reference */
        UT_hash_handle hh;
} RestoreRecord;

typedef struct RestoreStepKey {
        const JobTransactionRecord *record;
        const JobName *unit;            /* from the pool, so equal names are equal pointers */
} RestoreStepKey;

typedef struct RestoreStep {
        RestoreStepKey key;
        uint32_t step;
        UT_hash_handle hh;
} RestoreStep;

typedef struct JobRestore {
        JobManager *manager;            /* borrowed */
        RestoreRecord *records;         /* owned, by transaction */
        RestoreStep *steps;             /* owned, by record and unit */
} JobRestore;

static int restore_compare_records(RestoreRecord *a, RestoreRecord *b) {
        return (a->transaction > b->transaction) - (a->transaction < b->transaction);
}

/* Adds the completed records to the log, oldest first. */
static void restore_deinit(JobRestore *restore) {
        RestoreRecord *record, *next_record;
        RestoreStep *step, *next_step;

        HASH_SRT(hh, restore->records, restore_compare_records);
        HASH_ITER(hh, restore->records, record, next_record) {
                HASH_DEL(restore->records, record);
                job_log_add_transaction(&restore->manager->log, record->record);
                job_transaction_record_unref(record->record);
                free(record);
        }
        HASH_ITER(hh, restore->steps, step, next_step) {
                HASH_DEL(restore->steps, step);
                free(step);
        }
}

/* The record of the transaction that made a job, shared by all jobs of the transaction; NULL without memory. */
static JobTransactionRecord *restore_record(JobRestore *restore, const JobCauseRecord *cause) {
        cleanup_(job_transaction_record_unrefp) JobTransactionRecord *record = NULL;
        RestoreRecord *entry;

        HASH_FIND(hh, restore->records, &cause->transaction, sizeof(cause->transaction), entry);
        if (entry)
                return entry->record;

        record = job_transaction_record_new();
        if (!record || text_copy(cause->requester, &record->requester) < 0 ||
            text_copy(cause->command, &record->command) < 0 ||
            text_copy(cause->reason, &record->reason) < 0)
                return NULL;
        record->id = cause->transaction;
        record->uid = cause->uid;
        record->pid = cause->pid;
        record->time = restore->manager->now;

        entry = calloc(1, sizeof(*entry));
        if (!entry)
                return NULL;
        entry->transaction = cause->transaction;
        entry->record = record;
        HASH_ADD(hh, restore->records, transaction, sizeof(entry->transaction), entry);
        if (!entry->hh.tbl) {
                free(entry);
                return NULL;
        }
        return take_ptr(record);
}

static int restore_add_step(JobRestore *restore, JobTransactionRecord *record, const char *unit, JobType type,
                            uint32_t *ret_step) {
        cleanup_(job_name_unrefp) JobName *name = job_names_get(restore->manager->table.names, unit);
        RestoreStepKey key = { .record = record, .unit = name };
        RestoreStep *entry;

        if (!name)
                return -ENOMEM;
        HASH_FIND(hh, restore->steps, &key, sizeof(key), entry);
        if (entry) {
                *ret_step = entry->step;
                return 0;
        }

        entry = calloc(1, sizeof(*entry));
        if (!entry || vector_reserve(&record->steps, 1) < 0) {
                free(entry);
                return -ENOMEM;
        }
        entry->key = key;
        entry->step = (uint32_t) record->steps.n;
        HASH_ADD(hh, restore->steps, key, sizeof(entry->key), entry);
        if (!entry->hh.tbl) {
                free(entry);
                return -ENOMEM;
        }
        record->steps.items[record->steps.n++] =
                (JobStep) { .unit = take_ptr(name), .type = (uint8_t) type, .puller = JOB_STEP_NONE };
        *ret_step = entry->step;
        return 0;
}

static void restore_link(JobRestore *restore, JobStep *step, uint32_t puller, const JobCauseRecord *saved) {
        const Unit *unit = unit_table_find(restore->manager->units, step->unit->string);
        const Unit *other = unit_table_find(restore->manager->units, saved->puller);
        const UnitRelation *relation = NULL;

        step->puller = puller;
        if (saved->relation < 0 || saved->relation >= _UNIT_RELATION_MAX)
                return;

        step->relation = (uint8_t) saved->relation;
        if (unit && other)
                relation = unit_find_relation(other, saved->relation, unit);
        if (relation) {
                step->declared_there = relation->here == UNIT_ORIGIN_NONE;
                step->origin = step->declared_there ? relation->there : relation->here;
        }
}

static int restore_cause(JobRestore *restore, const JobRecord *job, const JobCauseRecord *saved, JobCause *ret_cause) {
        bool is_type = saved->puller_type >= 0 && saved->puller_type < _JOB_TYPE_MAX;
        JobType puller_type = is_type ? saved->puller_type : JOB_NOP;
        JobTransactionRecord *record = restore_record(restore, saved);
        uint32_t at, puller = JOB_STEP_NONE;
        JobStep *step;

        if (!record || restore_add_step(restore, record, job->unit, job->type, &at) < 0)
                return -ENOMEM;
        if (saved->puller && restore_add_step(restore, record, saved->puller, puller_type, &puller) < 0)
                return -ENOMEM;

        step = &record->steps.items[at];
        step->id = job->id;
        step->type = (uint8_t) job->type;
        step->is_needed = saved->is_needed;
        step->is_anchor = !saved->puller;
        if (puller != JOB_STEP_NONE && puller != at)
                restore_link(restore, step, puller, saved);
        *ret_cause = (JobCause) { .record = record, .step = at };
        return 0;
}

static bool record_has_sound_types(const JobRecord *record) {
        if (record->type < 0 || record->type >= _JOB_TYPE_MAX_IN_TABLE)
                return false;
        if (record->run_type != job_type_first_run(record->type) &&
            !(record->type == JOB_RESTART && record->run_type == JOB_START))
                return false;
        /* A running verify or nop does not exist: a verify ends or waits, a nop ends at once. */
        return record->state == JOB_WAITING ||
               (record->state == JOB_RUNNING && record->type != JOB_VERIFY_ACTIVE && record->type != JOB_NOP);
}

static bool place_is_free(const JobUnitEntry *entry, const JobRecord *record) {
        if (record->state == JOB_RUNNING)
                return !entry->triggered;
        return record->type == JOB_NOP ? !entry->nop : !entry->pending;
}

/* Writes a job that cannot continue, and the jobs it absorbed, into the history as ended. */
static void restore_as_ended(JobRestore *restore, const JobRecord *record, uint32_t id) {
        bool has_types = record_has_sound_types(record);
        JobEnded ended = {
                .id = id,
                .merged_into = id == record->id ? JOB_ID_NONE : record->id,
                .type = has_types ? (uint8_t) record->type : JOB_NOP,
                .run_type = has_types ? (uint8_t) record->run_type : JOB_NOP,
                .result = JOB_COLLECTED,
                .installed_at = record->installed_at,
                .ended_at = restore->manager->now,
                .transaction = record->transaction,
                .step = JOB_STEP_NONE,
                .reason.code = JOB_END_UNIT_UNUSABLE,
        };

        if (id == JOB_ID_NONE || job_table_find(&restore->manager->table, id))
                return;
        ended.unit = job_names_get(restore->manager->table.names, record->unit ? record->unit : "");
        if (ended.unit)
                job_log_add_ended(&restore->manager->log, ended);
}

static void restore_attributes(JobRestore *restore, const JobRecord *record, Job *job) {
        job->id = record->id;
        job->run_type = (uint8_t) record->run_type;
        job->state = (uint8_t) record->state;
        job->is_irreversible = record->is_irreversible;
        job->ignores_order = record->ignores_order;
        job->between_halves = record->between_halves && record->type == JOB_RESTART && record->run_type == JOB_START;
        job->absorbed_start = record->absorbed_start && record->type == JOB_RELOAD;
        job->installed_at = record->installed_at;
        job->triggered_at = record->state == JOB_RUNNING ? record->triggered_at : 0;
        job->n_lost_causes = record->n_more_causes;
        job->priority = unit_table_at(restore->manager->units, job->unit)->settings.job_priority;

        for (size_t i = 1; i < record->causes.n; i++) {
                JobCause cause;

                if (restore_cause(restore, record, &record->causes.items[i], &cause) == 0)
                        job_add_cause(job, cause);
        }
}

static void restore_aliases(JobManager *manager, const JobRecord *record, Job *job) {
        for (size_t i = 0; i < record->aliases.n; i++) {
                uint32_t id = record->aliases.items[i];
                JobRare *rare = job_own_rare(job);

                if (!rare || id == JOB_ID_NONE || job_table_find(&manager->table, id))
                        continue;
                if (vector_push(&rare->aliases, id) == 0 && id_map_put(&manager->table.by_id, id, job) < 0)
                        rare->aliases.n--;
        }
}

/* Finds the unit of a job that can continue, and makes room for the job in the table: 0, -EINVAL or -ENOMEM. */
static int restore_find_unit(JobManager *manager, const JobRecord *record, Unit **ret_unit) {
        const JobUnitEntry *entry;
        int r;

        if (record->id == JOB_ID_NONE || !record->unit || !record_has_sound_types(record))
                return -EINVAL;
        r = unit_table_load(manager->units, record->unit, ret_unit);
        if (r < 0)
                return r;
        r = job_table_reserve(&manager->table, 1);
        if (r < 0)
                return r;
        if (!job_table_name(&manager->table, (*ret_unit)->index))
                return -ENOMEM;

        entry = job_table_peek(&manager->table, (*ret_unit)->index);
        if (((*ret_unit)->load_state != UNIT_LOADED && record->type != JOB_STOP) || !place_is_free(entry, record) ||
            job_table_find(&manager->table, record->id))
                return -EINVAL;
        return 0;
}

static int restore_job(JobRestore *restore, const JobRecord *record) {
        JobManager *manager = restore->manager;
        JobCause cause = {};
        Unit *unit;
        Job *job;
        int r;

        r = restore_find_unit(manager, record, &unit);
        if (r < 0)
                return r;
        if (record->causes.n > 0)
                (void) restore_cause(restore, record, &record->causes.items[0], &cause);

        r = job_new(&job, unit->index, record->type, cause);
        if (r < 0)
                return r;
        restore_attributes(restore, record, job);
        job_table_install(&manager->table, job);
        restore_aliases(manager, record, job);
        job_table_update_deadline(&manager->table, job);
        if (record->is_paused && job->state == JOB_WAITING)
                job_table_set_pause(&manager->table, job, JOB_PAUSE_NOT_NOW);
        return 0;
}

static bool is_sound_reason(uint32_t code, uint32_t number) {
        if (code == JOB_END_ANSWER)
                return number < _UNIT_ANSWER_MAX;
        if (code == JOB_END_UNIT_CHANGED)
                return number < _UNIT_ACTIVE_STATE_MAX;
        return code < _JOB_END_MAX;
}

static void restore_ended(JobManager *manager, const JobEndedRecord *record) {
        JobEnded ended = {
                .id = record->id,
                .merged_into = record->merged_into,
                .type = (uint8_t) record->type,
                .run_type = (uint8_t) record->run_type,
                .result = (uint8_t) record->result,
                .is_irreversible = record->is_irreversible,
                .step = JOB_STEP_NONE,
                .transaction = record->transaction,
                .installed_at = record->installed_at,
                .triggered_at = record->triggered_at,
                .ended_at = record->ended_at,
        };

        if (record->id == JOB_ID_NONE || record->type < 0 || record->run_type < 0 || record->result < 0)
                return;
        if (is_sound_reason(record->reason, record->number))
                ended.reason = (JobEndReason) { .code = (JobEndCode) record->reason, .number = record->number };
        ended.unit = job_names_get(manager->table.names, record->unit ? record->unit : "");
        if (!ended.unit)
                return;
        if (record->name && ended.reason.code != JOB_END_UNSAID)
                ended.reason.name = job_names_get(manager->table.names, record->name);
        job_log_add_ended(&manager->log, ended);
}

static void restore_recovery(JobManager *manager, const JobRecoveryRecord *record) {
        const Unit *unit, *other;

        if (!record->unit || !record->waits_for)
                return;
        unit = unit_table_find(manager->units, record->unit);
        other = unit_table_find(manager->units, record->waits_for);
        if (!unit || !other || job_table_reserve(&manager->table, 0) < 0)
                return;
        job_table_set_recovery(&manager->table, unit->index, other->index + 1);
}

static int restore_jobs(JobRestore *restore, const JobSnapshot *snapshot) {
        for (size_t i = 0; i < snapshot->jobs.n; i++) {
                const JobRecord *record = &snapshot->jobs.items[i];
                int r = restore_job(restore, record);

                if (r == -ENOMEM)
                        return r;
                if (r == 0)
                        continue;
                restore_as_ended(restore, record, record->id);
                for (size_t k = 0; k < record->aliases.n; k++)
                        restore_as_ended(restore, record, record->aliases.items[k]);
        }
        return 0;
}

int job_manager_restore(JobManager *manager, const JobSnapshot *snapshot, uint64_t now) {
        JobRestore restore = { .manager = manager };
        int r;

        assert(manager->table.n_jobs == 0);

        manager->now = now;
        manager->last_transaction = snapshot->last_transaction;
        r = vector_reserve(&manager->ends, snapshot->jobs.n);
        if (r < 0)
                return r;

        for (size_t i = 0; i < snapshot->ended.n; i++)
                restore_ended(manager, &snapshot->ended.items[i]);
        r = restore_jobs(&restore, snapshot);
        restore_deinit(&restore);
        if (r < 0)
                return r;

        for (size_t i = 0; i < snapshot->recoveries.n; i++)
                restore_recovery(manager, &snapshot->recoveries.items[i]);
        job_alloc_restore(&manager->table.alloc, snapshot->last_id);

        /*
         * Neither the queued rules nor has_cycle_to_come are saved: rules depend on states alone, and unit files may
         * have changed, so all are checked again.
         */
        manager->has_cycle_to_come = true;
        unit_table_foreach(manager->units, unit)
                job_notify_look(&manager->notify, unit);
        return 0;
}
