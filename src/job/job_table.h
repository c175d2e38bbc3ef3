/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The installed jobs
 *
 * Owner of all jobs: by id, by unit (an array by the unit's index), the ready
 * queue and the queue of deadlines. Order lives here too: which neighbour's
 * job must go first, and which job waits for it.
 */

#include <assert.h>

#include "basic/heap.h"
#include "basic/id_map.h"
#include "job/job_alloc.h"
#include "job/job_entry.h"
#include "job/job_name.h"
#include "job/job_unit_entry.h"
#include "unit/unit_table.h"

/* Heads and nops that may be checked for order and dispatched, the first first. */
typedef struct JobReady {
        VECTOR(Job *) line;             /* borrowed, in their order, from .head on; NULL where one has left */
        size_t head;
        Heap others;                    /* that came out of that order */
        size_t n;                       /* of both */
} JobReady;

typedef struct JobTable {
        UnitTable *units;               /* borrowed */
        JobUnitEntry *entries;          /* owned, by unit index */
        size_t n_entries;
        IdMap by_id;                    /* absorbed ids too: they find their survivor */
        JobNames *names;                /* owned */
        size_t n_jobs;
        size_t n_scanning;              /* jobs whose scan of neighbours has begun: others want no announcements */
        size_t n_recovering;            /* entries that wait for another unit to recover with */
        JobReady ready;
        Heap deadlines;
        JobAlloc alloc;
} JobTable;

int job_table_init(JobTable *table, UnitTable *units);  /* -ENOMEM */
void job_table_deinit(JobTable *table);         /* frees the jobs that are left */

/* Makes room for @n_jobs further jobs and for all units, so that the calls below that say so cannot fail. */
int job_table_reserve(JobTable *table, size_t n_jobs);

/* The queue of a unit; an empty one if none was made room for yet. */
extern const JobUnitEntry job_unit_entry_none;

static inline const JobUnitEntry *job_table_peek(const JobTable *table, uint32_t unit) {
        return unit < table->n_entries ? &table->entries[unit] : &job_unit_entry_none;
}

static inline JobUnitEntry *job_table_entry(JobTable *table, uint32_t unit) {   /* room must have been made */
        assert(unit < table->n_entries);

        return &table->entries[unit];
}

Job *job_table_find(const JobTable *table, uint32_t id);

/* A name for @unit that lives on; kept in its entry (borrowed). NULL if memory is short. */
JobName *job_table_name(JobTable *table, uint32_t unit);

/* Remembers the unit whose failure ended the start of @unit: index + 1, or 0 for none. */
void job_table_set_recovery(JobTable *table, uint32_t unit, uint32_t recovers_with);

/* — edits; each leaves the ready queue right. Room must have been made: none fails. — */

/* Gives @job an id (unless it has one) and puts it among the pending of its unit, where its place must be free. */
void job_table_install(JobTable *table, Job *job);

/* Takes @job out of everything and wakes those that waited for it. The caller owns it then. */
void job_table_remove(JobTable *table, Job *job);

/* Pending → triggered. */
void job_table_trigger(JobTable *table, Job *job, uint64_t now);
/* Triggered → pending again: between halves, put back, turned into a restart. The pending place must be free. */
void job_table_put_back(JobTable *table, Job *job, JobType run_type);

/* The type changes in place (a merge). */
void job_table_set_type(JobTable *table, Job *job, JobType type);
void job_table_set_pause(JobTable *table, Job *job, JobPause pause);
/* By the unit's JobTimeoutSec= from its installation, and JobRunningTimeoutSec= from its trigger while it runs. */
void job_table_update_deadline(JobTable *table, Job *job);

/* A pending job takes no part in the order from now on. */
void job_table_ignore_order(JobTable *table, Job *job);

/* @absorbed (out of the table) goes on as an alias of @survivor: id, aliases, causes, attributes. */
void job_table_absorb(JobTable *table, Job *survivor, Job *absorbed);

/* — order — */

/* The first ready job, looked at by order: NULL if none is left. Those that must wait are parked with their blocker. */
Job *job_table_next(JobTable *table);

/* Would @job (by its run type) have to wait for @other of a neighbour? By which relation of @job's unit? */
bool job_order_waits(const JobTable *table, const Job *job, const Job *other, UnitRelationKind *ret_relation);

/* The first job that must end before @job, scanning from the start; NULL if none. For questions. */
Job *job_order_find_blocker(const JobTable *table, const Job *job, UnitRelationKind *ret_relation);

/* Relations have changed: the scan of the unit's pending job starts anew, or every scan. */
void job_table_rescan(JobTable *table, uint32_t unit);
void job_table_rescan_all(JobTable *table);
