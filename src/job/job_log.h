/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What has been: the last ended jobs and the last transactions
 *
 * Two rings in memory. A waiter that comes late learns a job's result here,
 * and a question why something did not happen finds what was dropped or
 * refused. An entry holds names, not units: the unit may be gone.
 */

#include "basic/id_map.h"
#include "job/job_entry.h"

#define JOB_LOG_ENDED_MAX 10000U
#define JOB_LOG_TRANSACTIONS_MAX 1000U

typedef struct JobEnded {
        uint32_t id;
        uint32_t merged_into;           /* the survivor, if this one had been absorbed */
        JobName *unit;                  /* a reference */
        uint8_t type, run_type, result; /* JobType, JobType, JobResult */
        bool is_irreversible;
        uint64_t installed_at, triggered_at, ended_at;
        JobCause why;                   /* holds a reference to its record */
        char *cause;                    /* owned; of the end, or NULL */
} JobEnded;

typedef struct JobLog {
        JobEnded *ended;                /* owned ring, made at the first end */
        size_t n_ended, next_ended;
        IdMap by_id;                    /* → JobEnded */
        JobTransactionRecord *transactions[JOB_LOG_TRANSACTIONS_MAX];    /* references; a ring */
        size_t next_transaction;
} JobLog;

void job_log_deinit(JobLog *log);

/* Takes over the references and strings of @ended. Without memory the entry is lost, nothing else. */
void job_log_add_ended(JobLog *log, JobEnded ended);
void job_log_add_transaction(JobLog *log, JobTransactionRecord *record);

const JobEnded *job_log_find(const JobLog *log, uint32_t id);
/* The last that ended of a unit, or NULL. */
const JobEnded *job_log_find_of_unit(const JobLog *log, const char *unit);
const JobTransactionRecord *job_log_find_transaction(const JobLog *log, uint64_t id);
/* The last transaction that dropped a job of @unit or was refused with it among its requests, or NULL. */
const JobTransactionRecord *job_log_find_drop(const JobLog *log, const char *unit, const JobDrop **ret_drop);
