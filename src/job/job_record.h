/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Jobs as plain records, for save and restore
 *
 * No pointers into the engine: a record can be written to a file as it is.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/record.h"
#include "basic/vector.h"
#include "job/job_type.h"

#define JOB_ID_NONE 0U

/*
 * The cause of a job: the request, and the edge by which the job was pulled in. At most 8 per job; further ones are
 * only counted.
 */
typedef struct JobCauseRecord {
        uint64_t transaction;
        char *requester;                /* owned; bus name or NULL */
        char *command;                  /* owned; of the requester's process, or NULL */
        char *reason;                   /* owned; the rule, or NULL */
        uint32_t uid, pid;
        char *puller;                   /* owned; unit of the job that pulled this one in, NULL for an anchor */
        JobType puller_type;
        UnitRelationKind relation;
        bool is_needed;
} JobCauseRecord;

typedef struct JobRecord {
        uint32_t id;
        char *unit;                     /* owned */
        JobType type, run_type;
        JobState state;
        bool is_irreversible, ignores_order, between_halves, absorbed_start, is_paused;
        uint64_t transaction, installed_at, triggered_at;
        VECTOR(uint32_t) aliases;       /* ids of absorbed jobs */
        VECTOR(JobCauseRecord) causes;
        uint32_t n_more_causes;
} JobRecord;

/* A job that has ended. */
typedef struct JobEndedRecord {
        uint32_t id, merged_into;
        char *unit;                     /* owned */
        JobType type, run_type;
        JobResult result;
        bool is_irreversible;
        uint64_t transaction, installed_at, triggered_at, ended_at;
        uint32_t reason, number;        /* a JobEndCode and its number */
        char *name;                     /* owned, or NULL */
} JobEndedRecord;

/* A unit that starts again when another becomes active (RestartOnDependency=). */
typedef struct JobRecoveryRecord {
        char *unit;                     /* owned */
        char *waits_for;                /* owned */
} JobRecoveryRecord;

typedef struct JobSnapshot {
        uint32_t last_id;
        uint64_t last_transaction;
        VECTOR(JobRecord) jobs;
        VECTOR(JobEndedRecord) ended;   /* oldest first */
        VECTOR(JobRecoveryRecord) recoveries;
} JobSnapshot;

void job_record_deinit(JobRecord *record);
void job_snapshot_deinit(JobSnapshot *snapshot);

/*
 * Writes a job record as bytes, and reads it back: 0, -EBADMSG, or -ENOMEM with nothing to be freed. All values read
 * are in range.
 */
void job_record_write(const JobRecord *record, RecordWriter *writer);
int job_record_read(JobRecord *ret_record, RecordReader *reader);
void job_ended_record_write(const JobEndedRecord *record, RecordWriter *writer);

/* Adds what job_manager_write_record() or job_manager_write_counters() wrote: 0, -EBADMSG or -ENOMEM. */
int job_snapshot_read_record(JobSnapshot *snapshot, RecordReader *reader);
int job_snapshot_read_counters(JobSnapshot *snapshot, RecordReader *reader);
/* After all records were read, in any order: sorts the ended jobs by the time of their ends. */
void job_snapshot_sort(JobSnapshot *snapshot);
