/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shared by the table, its ready queue and its order: job_table*.c only
 */

#include "job/job_table.h"

void job_ready_init(JobReady *ready);
void job_ready_deinit(JobReady *ready);
int job_ready_reserve(JobReady *ready, size_t n_jobs);          /* @n_jobs: all jobs */
void job_ready_push(JobReady *ready, Job *job); /* the job must not be queued */
void job_ready_remove(JobReady *ready, Job *job);
void job_ready_moved(JobReady *ready, Job *job);                /* its place in the dispatch order has changed */
Job *job_ready_peek(JobReady *ready);           /* the first job, or NULL */
void job_order_note(JobUnitEntry *entry);         /* updates the order marks that neighbours read */
void job_order_announce(JobTable *table, const Job *job);       /* to the neighbours whose scans have passed it */
void job_order_reset(JobTable *table, Job *job);                /* forgets blocker and scan */
void job_order_wake(JobTable *table, Job *job);                 /* the jobs whose blocker it is */
void job_order_sync(JobTable *table, uint32_t unit);            /* updates the ready queue after an edit of the unit */

/* — job_table_walk.c: prefetching, without effect on the jobs — */

void job_walk_ready(const JobTable *table);     /* the jobs that job_table_next() will look at */
void job_walk_waiters(const JobTable *table, const Job *job);   /* jobs whose scans go on soon */
void job_walk_waiter(const JobTable *table, const Job *waiter); /* the job whose scan goes on now */
