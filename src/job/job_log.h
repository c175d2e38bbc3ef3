/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * History: the last ended jobs and the last transactions
 *
 * Two rings in memory, allocated as a whole at the start: the manager does not
 * grow with the work it has done. A client that asks late still gets a job's
 * result, and "why" finds jobs that were dropped or refused. An entry holds
 * names, not units, because the unit may be unloaded.
 */

#include "basic/id_map.h"
#include "job/job_cause.h"
#include "job/job_reason.h"
#include "job/job_record.h"

#define JOB_LOG_ENDED_MAX 10000U
#define JOB_LOG_TRANSACTIONS_MAX 1000U
#define JOB_LOG_TRANSACTIONS_BYTES (128U * 1024U)        /* the newest record is kept, whatever its size */

/* Fixed in size, with shared names: an ended job allocates nothing of its own but the text of a failure. */
typedef struct JobEnded {
        uint32_t id;
        uint32_t merged_into;           /* the job that absorbed this one, or JOB_ID_NONE */
        JobName *unit;                  /* a reference */
        uint8_t type, run_type, result; /* JobType, JobType, JobResult */
        bool is_irreversible;
        uint32_t step;                  /* in the record of its transaction, as long as that is kept */
        uint64_t transaction;
        uint64_t installed_at, triggered_at, ended_at;
        JobEndReason reason;            /* the reason's name is a reference */
} JobEnded;

typedef struct JobLog {
        JobEnded *ended;                /* owned ring */
        size_t n_ended, next_ended;
        IdMap by_id;                    /* → JobEnded */
        IdMap unmet;                    /* hash of a unit's name → its last start, if conditions prevented it */
        JobTransactionRecord **transactions;    /* owned ring of references, oldest first */
        size_t n_transactions, first_transaction;
        size_t n_bytes;                 /* total size of the records */
} JobLog;

/* Allocates all memory that the rings will ever need: 0 or -ENOMEM. */
int job_log_init(JobLog *log);
void job_log_deinit(JobLog *log);

/* Takes over the references of @ended. Returns the id that left the ring to make room, or JOB_ID_NONE. */
uint32_t job_log_add_ended(JobLog *log, JobEnded ended);
void job_log_add_transaction(JobLog *log, JobTransactionRecord *record);

/* The @i-th ended job, oldest first; @i must be below n_ended. */
const JobEnded *job_log_at(const JobLog *log, size_t i);
const JobEnded *job_log_find(const JobLog *log, uint32_t id);
/* The last ended job of a unit, or NULL. */
const JobEnded *job_log_find_of_unit(const JobLog *log, const char *unit);
/* The last ended start of a unit, if conditions or assertions prevented it; else NULL. */
const JobEnded *job_log_find_unmet(const JobLog *log, const char *unit);
JobTransactionRecord *job_log_find_transaction(const JobLog *log, uint64_t id);
/* The first request, of those still kept, for an absorbed job. The cause has no record if none is kept. */
JobCause job_log_find_request(const JobLog *log, uint32_t id);
/* The last transaction that dropped a job of @unit, or that was refused with @unit among its requests; NULL if none. */
JobTransactionRecord *job_log_find_drop(const JobLog *log, const char *unit, const JobDrop **ret_drop);
