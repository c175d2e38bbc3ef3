/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of the job engine: save
 *
 * A snapshot is made of lists of plain records. It contains no relations:
 * order and blockers follow from the units.
 */

#include <stdlib.h>
#include <string.h>

#include "basic/fetch.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "job/job_manager_private.h"

/* The request or edge that made a job, with borrowed strings. False if it is unknown. */
static bool view_cause(JobCause cause, JobCauseRecord *ret_record) {
        const JobStep *step = job_cause_step(cause);
        const JobStep *puller;

        if (!cause.record || !step)
                return false;
        *ret_record = (JobCauseRecord) {
                .transaction = cause.record->id,
                .requester = cause.record->requester,
                .command = cause.record->command,
                .reason = cause.record->reason,
                .uid = cause.record->uid,
                .pid = cause.record->pid,
                .puller_type = _JOB_TYPE_INVALID,
                .relation = _UNIT_RELATION_INVALID,
                .is_needed = step->is_needed,
        };
        puller = job_cause_step((JobCause) { .record = cause.record, .step = step->puller });
        if (puller) {
                ret_record->puller = puller->unit->string;
                ret_record->puller_type = puller->type;
                ret_record->relation = step->relation;
        }
        return true;
}

/* The record's strings are borrowed: it lives as long as this call. */
static void write_job(const JobManager *manager, const Job *job, RecordWriter *writer) {
        JobCauseRecord causes[JOB_CAUSES_MAX];
        JobRecord record = {
                .id = job->id,
                .unit = (char *) unit_table_at(manager->units, job->unit)->id,
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
                .aliases = { .items = job_rare(job)->aliases.items, .n = job_rare(job)->aliases.n },
                .causes = { .items = causes },
                .n_more_causes = job->n_lost_causes,
        };

        for (size_t i = 0; i < job_count_causes(job) && record.causes.n < JOB_CAUSES_MAX; i++)
                if (view_cause(job_cause_at(job, i), &causes[record.causes.n]))
                        record.causes.n++;
        job_record_write(&record, writer);
}

static void write_ended(const JobEnded *ended, RecordWriter *writer) {
        const JobEndedRecord record = {
                .id = ended->id,
                .merged_into = ended->merged_into,
                .unit = ended->unit->string,
                .type = ended->type,
                .run_type = ended->run_type,
                .result = ended->result,
                .is_irreversible = ended->is_irreversible,
                .transaction = ended->transaction,
                .installed_at = ended->installed_at,
                .triggered_at = ended->triggered_at,
                .ended_at = ended->ended_at,
                .reason = ended->reason.code,
                .number = ended->reason.number,
                .name = ended->reason.name ? ended->reason.name->string : NULL,
        };

        job_ended_record_write(&record, writer);
}

void job_manager_write_record(const JobManager *manager, uint32_t id, RecordWriter *writer) {
        const Job *job = job_table_find(&manager->table, id);
        const JobEnded *ended;

        if (job) {
                if (job->id != id)
                        return;         /* absorbed: named in the survivor's record */
                record_put(writer, 0);
                write_job(manager, job, writer);
                return;
        }
        ended = job_log_find(&manager->log, id);
        if (!ended)
                return;
        record_put(writer, 1);
        write_ended(ended, writer);
}

static void fetch_job(const JobManager *manager, const Job *job, bool is_found) {
        if (!is_found)
                fetch_ahead(job);
        else if (unit_table_at(manager->units, job->unit))
                fetch_ahead(unit_table_at(manager->units, job->unit)->id_text);
}

static void fetch_ended(const JobEnded *ended, bool is_found) {
        if (!is_found) {
                fetch_ahead(ended);
                fetch_ahead(&ended->reason);
                return;
        }
        fetch_ahead(ended->unit);
        fetch_ahead(ended->reason.name);
}

void job_manager_fetch_record(const JobManager *manager, uint32_t id, bool is_found) {
        const Job *job = job_table_find(&manager->table, id);
        const JobEnded *ended;

        if (job) {
                fetch_job(manager, job, is_found);
                return;
        }
        ended = job_log_find(&manager->log, id);
        if (ended)
                fetch_ended(ended, is_found);
}

void job_manager_write_counters(const JobManager *manager, RecordWriter *writer) {
        record_put(writer, manager->table.alloc.cursor);
        record_put(writer, manager->last_transaction);
}

int job_manager_list_records(const JobManager *manager, JobIds *ret_ids) {
        JobIds ids = {};
        int r;

        r = vector_reserve(&ids, manager->table.n_jobs + manager->log.n_ended);
        if (r < 0)
                return r;
        for (uint32_t i = 0; i < manager->table.n_entries; i++) {
                const JobUnitEntry *entry = job_table_peek(&manager->table, i);
                const Job *jobs[] = { entry->triggered, entry->pending, entry->nop };

                for (size_t k = 0; k < ELEMENTSOF(jobs); k++)
                        if (jobs[k] && vector_push(&ids, jobs[k]->id) < 0) {
                                vector_deinit(&ids);
                                return -ENOMEM;
                        }
        }
        for (size_t i = 0; i < manager->log.n_ended; i++)
                ids.items[ids.n++] = manager->log.ended[i].id;
        u32_sort(ids.items, ids.n);
        *ret_ids = ids;
        return 0;
}

const Unit *job_manager_recovers_with(const JobManager *manager, const Unit *unit) {
        uint32_t other = 0;

        if (manager->table.n_recovering > 0)
                other = job_table_peek(&manager->table, unit->index)->recovers_with;
        return other == 0 ? NULL : unit_table_at(manager->units, other - 1);
}

/* Copies the job by writing and reading its bytes, so that the parts of a job are listed in one place. */
static int save_record(const JobManager *manager, uint32_t id, RecordWriter *writer, JobSnapshot *snapshot) {
        RecordReader reader;

        record_writer_clear(writer);
        job_manager_write_record(manager, id, writer);
        if (writer->has_failed)
                return -ENOMEM;
        record_reader_init(&reader, writer->bytes, writer->n);
        return job_snapshot_read_record(snapshot, &reader);
}

static int save_jobs(const JobManager *manager, RecordWriter *writer, JobSnapshot *snapshot) {
        int r = 0;

        for (uint32_t i = 0; i < manager->table.n_entries && r == 0; i++) {
                const JobUnitEntry *entry = job_table_peek(&manager->table, i);

                if (entry->triggered)
                        r = save_record(manager, entry->triggered->id, writer, snapshot);
                if (r == 0 && entry->pending)
                        r = save_record(manager, entry->pending->id, writer, snapshot);
                if (r == 0 && entry->nop)
                        r = save_record(manager, entry->nop->id, writer, snapshot);
        }
        return r;
}

static int save_ended(const JobManager *manager, RecordWriter *writer, JobSnapshot *snapshot) {
        const JobLog *log = &manager->log;
        int r = 0;

        for (size_t i = 0; i < log->n_ended && r == 0; i++) {
                const JobEnded *ended = job_log_at(log, i);

                /* The id of an ended job may be in use again. */
                if (job_log_find(log, ended->id) == ended && !job_table_find(&manager->table, ended->id))
                        r = save_record(manager, ended->id, writer, snapshot);
        }
        return r;
}

static int save_recovery(const JobManager *manager, uint32_t unit, uint32_t waits_for, JobSnapshot *snapshot) {
        const Unit *other = waits_for == 0 ? NULL : unit_table_at(manager->units, waits_for - 1);
        JobRecoveryRecord record = {};

        if (!other)
                return 0;               /* unloaded: no unit file names it any more */
        if (text_copy(unit_table_at(manager->units, unit)->id, &record.unit) < 0 ||
            text_copy(other->id, &record.waits_for) < 0 ||
            vector_push(&snapshot->recoveries, record) < 0) {
                free(record.unit);
                free(record.waits_for);
                return -ENOMEM;
        }
        return 0;
}

static int save_recoveries(const JobManager *manager, JobSnapshot *snapshot) {
        int r = 0;

        for (uint32_t i = 0; i < manager->table.n_entries && r == 0; i++)
                r = save_recovery(manager, i, job_table_peek(&manager->table, i)->recovers_with, snapshot);
        return r;
}

int job_manager_save(const JobManager *manager, JobSnapshot *ret_snapshot) {
        JobSnapshot snapshot = {
                .last_id = manager->table.alloc.cursor,
                .last_transaction = manager->last_transaction,
        };
        RecordWriter writer = {};
        int r;

        r = save_jobs(manager, &writer, &snapshot);
        if (r == 0)
                r = save_ended(manager, &writer, &snapshot);
        if (r == 0)
                r = save_recoveries(manager, &snapshot);
        record_writer_deinit(&writer);
        if (r < 0) {
                job_snapshot_deinit(&snapshot);
                return r == -EBADMSG ? -ENOMEM : r;     /* our own bytes are valid: only memory was short */
        }

        *ret_snapshot = snapshot;
        return 0;
}
