/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The installed jobs
 *
 * The table owns all jobs, and finds them by id and by unit (an array by unit
 * index). It holds the ready queue and the queue of deadlines, and it knows
 * the order: which neighbour's job must go first, and which job waits for it.
 */

#include <assert.h>

#include "basic/heap.h"
#include "basic/id_map.h"
#include "job/job_alloc.h"
#include "job/job_entry.h"
#include "job/job_name.h"
#include "job/job_unit_entry.h"
#include "unit/unit_table.h"

/* Jobs that may be checked for order and dispatched: the heads of the units' queues, and nops. */
typedef struct JobReady {
        VECTOR(Job *) line;             /* borrowed, in dispatch order from .head on; NULL where a job was removed */
        size_t head;
        Heap others;                    /* jobs that were added out of that order */
        size_t n;                       /* in line and heap together */
} JobReady;

typedef struct JobTable {
        UnitTable *units;               /* borrowed */
        JobUnitEntry *entries;          /* owned, by unit index */
        size_t n_entries;
        IdMap by_id;                    /* an absorbed id finds its survivor */
        JobNames *names;                /* owned */
        size_t n_jobs;
        size_t n_scanning;              /* jobs whose scan of neighbours has begun; only these need announcements */
        size_t n_recovering;            /* entries that wait for another unit to recover with */
        JobReady ready;
        Heap deadlines;
        JobAlloc alloc;
} JobTable;

int job_table_init(JobTable *table, UnitTable *units);  /* -ENOMEM */
void job_table_deinit(JobTable *table);         /* frees the jobs that are left */

/* Reserves memory for @n_jobs more jobs and for all units, so that the calls marked below cannot fail. */
int job_table_reserve(JobTable *table, size_t n_jobs);

static inline const JobUnitEntry *job_table_peek(const JobTable *table, uint32_t unit) {
        return unit < table->n_entries ? &table->entries[unit] : &job_unit_entry_none;
}

static inline JobUnitEntry *job_table_entry(JobTable *table, uint32_t unit) {   /* the entry must be reserved */
        assert(unit < table->n_entries);

        return &table->entries[unit];
}

Job *job_table_find(const JobTable *table, uint32_t id);

/* A name for @unit that outlives it, kept in its entry (borrowed). NULL if memory is short. */
JobName *job_table_name(JobTable *table, uint32_t unit);

/* Remembers the unit whose failure ended the start of @unit: index + 1, or 0 for none. */
void job_table_set_recovery(JobTable *table, uint32_t unit, uint32_t recovers_with);

/* — edits: each updates the ready queue, and none fails, because memory was reserved — */

/* Gives @job an id, unless it has one, and puts it into the pending place of its unit, which must be free. */
void job_table_install(JobTable *table, Job *job);

/* Removes @job from all queues and wakes the jobs that waited for it. The caller becomes its owner. */
void job_table_remove(JobTable *table, Job *job);

/* Pending → triggered. */
void job_table_trigger(JobTable *table, Job *job, uint64_t now);
/*
 * Triggered → pending: between the halves of a restart, after "not now", or turned into a restart. The pending place
 * must be free.
 */
void job_table_put_back(JobTable *table, Job *job, JobType run_type);

/* Changes the type of an installed job (a merge). */
void job_table_set_type(JobTable *table, Job *job, JobType type);
void job_table_set_pause(JobTable *table, Job *job, JobPause pause);
/*
 * Computes the deadline: JobTimeoutSec= of the unit from the installation on and, while the job runs,
 * JobRunningTimeoutSec= from the trigger on.
 */
void job_table_update_deadline(JobTable *table, Job *job);

/* From now on the pending job takes no part in the order. */
void job_table_ignore_order(JobTable *table, Job *job);

/* Makes @absorbed (not in the table) an alias of @survivor, which takes over its id, aliases, causes and attributes. */
void job_table_absorb(JobTable *table, Job *survivor, Job *absorbed);

/* — order — */

/*
 * The first ready job that no other blocks; NULL if there is none. Blocked jobs on the way are parked with their
 * blockers.
 */
Job *job_table_next(JobTable *table);

/*
 * Returns true if @job, by its run type, must wait for @other of a neighbour; @ret_relation is the relation of @job's
 * unit.
 */
bool job_order_waits(const JobTable *table, const Job *job, const Job *other, UnitRelationKind *ret_relation);

/* The first job that must end before @job, found by a whole scan; NULL if none. For queries. */
Job *job_order_find_blocker(const JobTable *table, const Job *job, UnitRelationKind *ret_relation);

/* Relations have changed: the scan of the unit's pending job, or every scan, starts from the beginning. */
void job_table_rescan(JobTable *table, uint32_t unit);
void job_table_rescan_all(JobTable *table);
