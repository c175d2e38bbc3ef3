/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Between the table, its ready queue and its order: job_table*.c only
 */

#include "job/job_table.h"

void job_ready_init(JobReady *ready);
void job_ready_deinit(JobReady *ready);
int job_ready_reserve(JobReady *ready, size_t n_jobs);          /* in all */
void job_ready_push(JobReady *ready, Job *job); /* it must be outside */
void job_ready_remove(JobReady *ready, Job *job);
void job_ready_moved(JobReady *ready, Job *job);                /* its place in the order has changed */
Job *job_ready_peek(JobReady *ready);           /* the first, or NULL */
void job_order_note(JobUnitEntry *entry);         /* what neighbours must know of its jobs */
void job_order_announce(JobTable *table, const Job *job);       /* to neighbours that have scanned past it */
void job_order_reset(JobTable *table, Job *job);                /* forget blocker and scan */
void job_order_wake(JobTable *table, Job *job);                 /* those that have it as their blocker */
void job_table_sync(JobTable *table, uint32_t unit);            /* ready queue after an edit of the unit */

/* — job_table_walk.c: memory is fetched ahead; nothing changes — */

void job_walk_ready(const JobTable *table);     /* what the next calls of job_table_next() look at */
void job_walk_waiters(const JobTable *table, const Job *job);   /* their scans will go on soon … */
void job_walk_waiter(const JobTable *table, const Job *waiter); /* … that of this one now */
