/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Jobs as plain records: ownership, and bytes
 */

#include <stdlib.h>

#include "job/job_record.h"

static void job_cause_record_deinit(JobCauseRecord *cause) {
        free(cause->requester);
        free(cause->command);
        free(cause->reason);
        free(cause->puller);
}

void job_record_deinit(JobRecord *record) {
        for (size_t i = 0; i < record->causes.n; i++)
                job_cause_record_deinit(&record->causes.items[i]);
        vector_deinit(&record->causes);
        vector_deinit(&record->aliases);
        free(record->unit);
}

static void drop_ended_record(JobEndedRecord *record) {
        free(record->unit);
        free(record->name);
}

void job_snapshot_deinit(JobSnapshot *snapshot) {
        for (size_t i = 0; i < snapshot->jobs.n; i++)
                job_record_deinit(&snapshot->jobs.items[i]);
        for (size_t i = 0; i < snapshot->ended.n; i++)
                drop_ended_record(&snapshot->ended.items[i]);
        for (size_t i = 0; i < snapshot->recoveries.n; i++) {
                free(snapshot->recoveries.items[i].unit);
                free(snapshot->recoveries.items[i].waits_for);
        }
        vector_deinit(&snapshot->jobs);
        vector_deinit(&snapshot->ended);
        vector_deinit(&snapshot->recoveries);
}

/* — as bytes — */

/* A negative value (none) is written as 0. */
static void put_or_none(RecordWriter *writer, int value) {
        record_put(writer, value < 0 ? 0 : (uint64_t) value + 1);
}

static void put_cause(RecordWriter *writer, const JobCauseRecord *cause) {
        record_put(writer, cause->transaction);
        record_put_string(writer, cause->requester);
        record_put_string(writer, cause->command);
        record_put_string(writer, cause->reason);
        record_put(writer, cause->uid);
        record_put(writer, cause->pid);
        record_put_string(writer, cause->puller);
        put_or_none(writer, cause->puller_type);
        put_or_none(writer, cause->relation);
        record_put(writer, cause->is_needed);
}

void job_record_write(const JobRecord *record, RecordWriter *writer) {
        record_put(writer, record->id);
        record_put_string(writer, record->unit);
        record_put(writer, (uint64_t) record->type);
        record_put(writer, (uint64_t) record->run_type);
        record_put(writer, (uint64_t) record->state);
        record_put(writer, (uint64_t) record->is_irreversible | (uint64_t) record->ignores_order << 1 |
                           (uint64_t) record->between_halves << 2 | (uint64_t) record->absorbed_start << 3 |
                           (uint64_t) record->is_paused << 4);
        record_put(writer, record->transaction);
        record_put(writer, record->installed_at);
        record_put(writer, record->triggered_at);
        record_put(writer, record->aliases.n);
        for (size_t i = 0; i < record->aliases.n; i++)
                record_put(writer, record->aliases.items[i]);
        record_put(writer, record->causes.n);
        for (size_t i = 0; i < record->causes.n; i++)
                put_cause(writer, &record->causes.items[i]);
        record_put(writer, record->n_more_causes);
}

static int get_or_none(RecordReader *reader, unsigned limit, int none) {
        uint64_t value = record_get_below(reader, limit + 1);

        return value == 0 ? none : (int) value - 1;
}

static JobCauseRecord get_cause(RecordReader *reader) {
        JobCauseRecord cause = { .transaction = record_get(reader) };

        cause.requester = record_get_string_copy(reader);
        cause.command = record_get_string_copy(reader);
        cause.reason = record_get_string_copy(reader);
        cause.uid = (uint32_t) record_get(reader);
        cause.pid = (uint32_t) record_get(reader);
        cause.puller = record_get_string_copy(reader);
        cause.puller_type = (JobType) get_or_none(reader, _JOB_TYPE_MAX, _JOB_TYPE_INVALID);
        cause.relation = (UnitRelationKind) get_or_none(reader, _UNIT_RELATION_MAX, _UNIT_RELATION_INVALID);
        cause.is_needed = record_get_below(reader, 2) != 0;
        return cause;
}

/* Reads the lists. A count is limited by the number of remaining bytes. */
static void get_lists(JobRecord *record, RecordReader *reader) {
        uint64_t n = record_get(reader);

        for (; n > 0 && !reader->has_failed; n--)
                if (vector_push(&record->aliases, (uint32_t) record_get(reader)) < 0)
                        reader->has_failed = true;
        n = record_get(reader);
        for (; n > 0 && !reader->has_failed; n--) {
                JobCauseRecord cause = get_cause(reader);

                if (vector_push(&record->causes, cause) < 0) {
                        job_cause_record_deinit(&cause);
                        reader->has_failed = true;
                }
        }
}

int job_record_read(JobRecord *ret_record, RecordReader *reader) {
        JobRecord record = { .id = (uint32_t) record_get(reader) };
        uint64_t flags;

        record.unit = record_get_string_copy(reader);
        record.type = (JobType) record_get_below(reader, _JOB_TYPE_MAX);
        record.run_type = (JobType) record_get_below(reader, _JOB_TYPE_MAX);
        record.state = (JobState) record_get_below(reader, _JOB_STATE_MAX);
        flags = record_get_below(reader, 32);
        record.is_irreversible = flags & 1;
        record.ignores_order = flags & 2;
        record.between_halves = flags & 4;
        record.absorbed_start = flags & 8;
        record.is_paused = flags & 16;
        record.transaction = record_get(reader);
        record.installed_at = record_get(reader);
        record.triggered_at = record_get(reader);
        get_lists(&record, reader);
        record.n_more_causes = (uint32_t) record_get(reader);
        if (reader->has_failed || !record.unit) {
                job_record_deinit(&record);
                return -EBADMSG;
        }
        *ret_record = record;
        return 0;
}

void job_ended_record_write(const JobEndedRecord *record, RecordWriter *writer) {
        record_put(writer, record->id);
        record_put(writer, record->merged_into);
        record_put_string(writer, record->unit);
        record_put(writer, (uint64_t) record->type);
        record_put(writer, (uint64_t) record->run_type);
        record_put(writer, (uint64_t) record->result);
        record_put(writer, record->is_irreversible);
        record_put(writer, record->transaction);
        record_put(writer, record->installed_at);
        record_put(writer, record->triggered_at);
        record_put(writer, record->ended_at);
        record_put(writer, record->reason);
        record_put(writer, record->number);
        record_put_string(writer, record->name);
}

static int read_ended_record(JobEndedRecord *ret_record, RecordReader *reader) {
        JobEndedRecord record = { .id = (uint32_t) record_get(reader) };

        record.merged_into = (uint32_t) record_get(reader);
        record.unit = record_get_string_copy(reader);
        record.type = (JobType) record_get_below(reader, _JOB_TYPE_MAX);
        record.run_type = (JobType) record_get_below(reader, _JOB_TYPE_MAX);
        record.result = (JobResult) record_get_below(reader, _JOB_RESULT_MAX);
        record.is_irreversible = record_get_below(reader, 2) != 0;
        record.transaction = record_get(reader);
        record.installed_at = record_get(reader);
        record.triggered_at = record_get(reader);
        record.ended_at = record_get(reader);
        record.reason = (uint32_t) record_get_below(reader, UINT32_MAX);
        record.number = (uint32_t) record_get(reader);
        record.name = record_get_string_copy(reader);
        if (reader->has_failed || !record.unit || record.id == JOB_ID_NONE) {
                drop_ended_record(&record);
                return -EBADMSG;
        }
        *ret_record = record;
        return 0;
}

int job_snapshot_read_record(JobSnapshot *snapshot, RecordReader *reader) {
        int r;

        if (record_get_below(reader, 2) == 0) {
                r = vector_reserve(&snapshot->jobs, 1);
                if (r == 0)
                        r = job_record_read(&snapshot->jobs.items[snapshot->jobs.n], reader);
                if (r == 0)
                        snapshot->jobs.n++;
                return r;
        }
        r = vector_reserve(&snapshot->ended, 1);
        if (r == 0)
                r = read_ended_record(&snapshot->ended.items[snapshot->ended.n], reader);
        if (r == 0)
                snapshot->ended.n++;
        return r;
}

int job_snapshot_read_counters(JobSnapshot *snapshot, RecordReader *reader) {
        snapshot->last_id = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        snapshot->last_transaction = record_get(reader);
        return reader->has_failed ? -EBADMSG : 0;
}

static int compare_ends(const void *a, const void *b) {
        const JobEndedRecord *x = a, *y = b;

        if (x->ended_at != y->ended_at)
                return x->ended_at < y->ended_at ? -1 : 1;
        return (x->id > y->id) - (x->id < y->id);
}

void job_snapshot_sort(JobSnapshot *snapshot) {
        if (snapshot->ended.n > 1)
                qsort(snapshot->ended.items, snapshot->ended.n, sizeof(*snapshot->ended.items), compare_ends);
}
