/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Order: which job goes first, and which waits
 *
 * For "a before b": if b's job is a stop, it goes first, otherwise a's job
 * does. A head job looks at its neighbours one after the other (first those it
 * is After, then those it is Before) and stops at the first that must go
 * first: its blocker. When the blocker goes, the scan goes on where it
 * stopped, so all scans of a transaction together are linear in its jobs and
 * order edges. A neighbour that gets a job after the scan has passed it adds
 * itself to the waiting job's late list, which is checked before dispatch.
 *
 * A nop, and a job that ignores order, neither waits nor blocks.
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_table_private.h"

static bool job_takes_part(const Job *job) {
        return job && job->run_type != JOB_NOP && !job->ignores_order;
}

static uint8_t job_order_mark(const Job *job) {
        if (!job_takes_part(job))
                return JOB_ORDER_NONE;
        return job_type_second_goes_first(job->run_type) ? JOB_ORDER_FIRST : JOB_ORDER_USUAL;
}

void job_order_note(JobUnitEntry *entry) {
        entry->order_triggered = job_order_mark(entry->triggered);
        entry->order_pending = job_order_mark(entry->pending);
}

/* The job of @unit that must go before one that is After (else Before) @unit and, if After, is no stop. */
static Job *job_order_blocker_at(const JobTable *table, uint32_t unit, bool is_after) {
        const JobUnitEntry *entry = job_table_peek(table, unit);
        uint8_t first = is_after ? JOB_ORDER_USUAL : JOB_ORDER_FIRST;

        /* Decided by the marks alone, so that the jobs need not be read. */
        if (entry->order_triggered >= first)
                return entry->triggered;
        return entry->order_pending >= first ? entry->pending : NULL;
}

/* Removes duplicates, and units without a job, from the late list. */
static void job_order_compact_late(const JobTable *table, JobRare *rare) {
        size_t n = 0;

        u32_sort(rare->late.items, rare->late.n);
        for (size_t i = 0; i < rare->late.n; i++) {
                uint32_t unit = rare->late.items[i];

                if (n > 0 && rare->late.items[n - 1] == unit)
                        continue;
                if (!job_unit_entry_is_empty(job_table_peek(table, unit)))
                        rare->late.items[n++] = unit;
        }
        rare->late.n = n;
}

static void job_order_add_late(JobTable *table, uint32_t waiting_unit, uint32_t unit) {
        Job *waiting = job_table_peek(table, waiting_unit)->pending;
        JobRare *rare;

        if (!waiting || waiting->scan == 0)
                return;

        rare = job_own_rare(waiting);
        if (rare && rare->late.n == rare->late.allocated)
                job_order_compact_late(table, rare);
        if (!rare || vector_push(&rare->late, unit) < 0) {
                table->n_scanning--;
                waiting->scan = 0;      /* no memory for the list: scan all neighbours again */
        }
}

void job_order_announce(JobTable *table, const Job *job) {
        const Unit *unit = unit_table_at(table->units, job->unit);
        UnitRelations relations;

        if (table->n_scanning == 0 || !job_takes_part(job))
                return;

        relations = unit_relations(unit, UNIT_BEFORE);
        for (size_t i = 0; i < relations.n; i++)
                job_order_add_late(table, relations.items[i].other, job->unit);

        if (!job_type_second_goes_first(job->run_type))
                return;
        relations = unit_relations(unit, UNIT_AFTER);
        for (size_t i = 0; i < relations.n; i++)
                job_order_add_late(table, relations.items[i].other, job->unit);
}

static void job_order_unblock(Job *job) {
        if (!job->blocker)
                return;
        LIST_REMOVE(job, waiter_link);
        job->blocker = NULL;
}

void job_order_reset(JobTable *table, Job *job) {
        job_order_unblock(job);
        if (job->scan > 0)
                table->n_scanning--;
        job->scan = 0;
        if (job->rare)
                vector_clear(&job->rare->late);
}

static void job_order_sync_job(JobTable *table, Job *job, bool may_go) {
        bool is_in;

        if (!job)
                return;

        is_in = job->ready_place != HEAP_NOWHERE;
        may_go = may_go && job->pause == JOB_PAUSE_NONE && !job->blocker;
        if (may_go && !is_in)
                job_ready_push(&table->ready, job);
        else if (!may_go && is_in)
                job_ready_remove(&table->ready, job);
        else if (is_in)
                job_ready_moved(&table->ready, job);
}

void job_order_sync(JobTable *table, uint32_t unit) {
        JobUnitEntry *entry = job_table_entry(table, unit);

        job_order_note(entry);
        job_order_sync_job(table, entry->pending, job_unit_entry_head(entry) == entry->pending);
        job_order_sync_job(table, entry->nop, true);
}

void job_order_wake(JobTable *table, Job *job) {
        job_walk_waiters(table, job);
        while (!LIST_EMPTY(&job->waiters)) {
                Job *waiter = LIST_FIRST(&job->waiters);

                job_walk_waiter(table, waiter);
                job_order_unblock(waiter);
                job_order_sync(table, waiter->unit);
        }
}

static bool unit_has_order(const Unit *unit, const Unit *other, UnitRelationKind kind) {
        return other && unit_has_relation(unit, kind, other);
}

/* The late list has no relation kind, so both directions are checked. */
static Job *job_order_check_late(const JobTable *table, const Job *job, const Unit *unit, uint32_t late) {
        const Unit *other = unit_table_at(table->units, late);
        Job *blocker = NULL;

        if (!job_type_second_goes_first(job->run_type) && unit_has_order(unit, other, UNIT_AFTER))
                blocker = job_order_blocker_at(table, late, true);
        if (!blocker && unit_has_order(unit, other, UNIT_BEFORE))
                blocker = job_order_blocker_at(table, late, false);
        return blocker;
}

/* Continues the scan of relations: the first neighbour's job that must go first, or NULL. */
static Job *job_order_scan_relations(const JobTable *table, Job *job, const Unit *unit) {
        UnitRelations after = unit_relations(unit, UNIT_AFTER);
        UnitRelations before = unit_relations(unit, UNIT_BEFORE);
        Job *blocker;

        if (job->scan < after.n && job_type_second_goes_first(job->run_type))
                job->scan = (uint32_t) after.n;         /* a stop goes before all of these */

        for (; job->scan < after.n + before.n; job->scan++) {
                bool is_after = job->scan < after.n;
                uint32_t other = is_after ? after.items[job->scan].other : before.items[job->scan - after.n].other;

                blocker = job_order_blocker_at(table, other, is_after);
                if (blocker)
                        return blocker;
        }
        return NULL;
}

/* Checks the late list; a unit without a blocker leaves it. */
static Job *job_order_scan_late(const JobTable *table, Job *job, const Unit *unit) {
        for (; job->rare->late.n > 0; job->rare->late.n--) {
                Job *blocker = job_order_check_late(table, job, unit, vector_last(&job->rare->late));

                if (blocker)
                        return blocker;
        }
        return NULL;
}

/* Continues @job's scan: its blocker, or NULL at the end of the scan. */
static Job *job_order_scan(JobTable *table, Job *job) {
        const Unit *unit = unit_table_at(table->units, job->unit);
        bool had_begun = job->scan > 0;
        Job *blocker;

        blocker = job_order_scan_relations(table, job, unit);
        if (!had_begun && job->scan > 0)
                table->n_scanning++;
        if (blocker)
                return blocker;

        return job->rare ? job_order_scan_late(table, job, unit) : NULL;
}

Job *job_table_next(JobTable *table) {
        Job *job, *blocker;

        while ((job = job_ready_peek(&table->ready))) {
                job_walk_ready(table);
                if (!job_takes_part(job))
                        return job;

                blocker = job_order_scan(table, job);
                if (!blocker)
                        return job;

                job_ready_remove(&table->ready, job);
                job->blocker = blocker;
                LIST_INSERT_HEAD(&blocker->waiters, job, waiter_link);
        }
        return NULL;
}

bool job_order_waits(const JobTable *table, const Job *job, const Job *other, UnitRelationKind *ret_relation) {
        const Unit *unit = unit_table_at(table->units, job->unit);
        const Unit *neighbour = unit_table_at(table->units, other->unit);
        bool after, before;

        if (!job_takes_part(job) || !job_takes_part(other))
                return false;

        after = !job_type_second_goes_first(job->run_type) && unit_has_order(unit, neighbour, UNIT_AFTER);
        before = job_type_second_goes_first(other->run_type) && unit_has_order(unit, neighbour, UNIT_BEFORE);
        if (ret_relation)
                *ret_relation = after ? UNIT_AFTER : UNIT_BEFORE;
        return after || before;
}

Job *job_order_find_blocker(const JobTable *table, const Job *job, UnitRelationKind *ret_relation) {
        const Unit *unit = unit_table_at(table->units, job->unit);
        static const UnitRelationKind kinds[] = { UNIT_AFTER, UNIT_BEFORE };

        if (!job_takes_part(job))
                return NULL;

        for (size_t k = job_type_second_goes_first(job->run_type) ? 1 : 0; k < ELEMENTSOF(kinds); k++) {
                UnitRelations relations = unit_relations(unit, kinds[k]);

                for (size_t i = 0; i < relations.n; i++) {
                        Job *blocker = job_order_blocker_at(table, relations.items[i].other, kinds[k] == UNIT_AFTER);

                        if (!blocker)
                                continue;
                        if (ret_relation)
                                *ret_relation = kinds[k];
                        return blocker;
                }
        }
        return NULL;
}
