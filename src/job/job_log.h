/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What has been: the last ended jobs and the last transactions
 *
 * Two rings in memory, whole from the beginning: the manager does not grow
 * with the work it has done. A waiter that comes late learns a job's result here,
 * and a question why something did not happen finds what was dropped or
 * refused. An entry holds names, not units: the unit may be gone.
 */

#include "basic/id_map.h"
#include "job/job_cause.h"
#include "job/job_reason.h"
#include "job/job_record.h"

#define JOB_LOG_ENDED_MAX 10000U
#define JOB_LOG_TRANSACTIONS_MAX 1000U
#define JOB_LOG_TRANSACTIONS_BYTES (128U * 1024U)        /* but the last one is kept, however large */

/* Fixed in size, and its names are shared: what has ended costs no memory of its own. */
typedef struct JobEnded {
        uint32_t id;
        uint32_t merged_into;           /* the survivor, if this one had been absorbed */
        JobName *unit;                  /* a reference */
        uint8_t type, run_type, result; /* JobType, JobType, JobResult */
        bool is_irreversible;
        uint32_t step;                  /* in the record of its transaction, while that is kept */
        uint64_t transaction;
        uint64_t installed_at, triggered_at, ended_at;
        JobEndReason reason;            /* its name is a reference */
} JobEnded;

typedef struct JobLog {
        JobEnded *ended;                /* owned ring */
        size_t n_ended, next_ended;
        IdMap by_id;                    /* → JobEnded */
        JobTransactionRecord **transactions;    /* owned ring of references, the oldest first */
        size_t n_transactions, first_transaction;
        size_t n_bytes;                 /* of their records */
} JobLog;

/* Takes all memory that the rings will ever need: -ENOMEM. */
int job_log_init(JobLog *log);
void job_log_deinit(JobLog *log);

/* Takes over the references of @ended. Returns the id that is not known any more from now on, or JOB_ID_NONE. */
uint32_t job_log_add_ended(JobLog *log, JobEnded ended);
void job_log_add_transaction(JobLog *log, JobTransactionRecord *record);

/* From the oldest on: @i below n_ended. */
const JobEnded *job_log_at(const JobLog *log, size_t i);
const JobEnded *job_log_find(const JobLog *log, uint32_t id);
/* The last that ended of a unit, or NULL. */
const JobEnded *job_log_find_of_unit(const JobLog *log, const char *unit);
JobTransactionRecord *job_log_find_transaction(const JobLog *log, uint64_t id);
/* The first request that is still kept of a job that was absorbed. Without a record if none is. */
JobCause job_log_find_request(const JobLog *log, uint32_t id);
/* The last transaction that dropped a job of @unit or was refused with it among its requests, or NULL. */
JobTransactionRecord *job_log_find_drop(const JobLog *log, const char *unit, const JobDrop **ret_drop);
