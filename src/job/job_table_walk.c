/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk over the ready queue, with prefetching
 *
 * The line says which jobs will be dispatched next, so their memory is
 * prefetched: first the job, then its unit, then the unit's relations, then
 * its neighbours. job_fetch.h has the distances.
 */

#include "job/job_fetch.h"
#include "job/job_table_private.h"

static void fetch_neighbours(const JobTable *table, const Job *job) {
        const Unit *unit = unit_table_at(table->units, job->unit);
        UnitRelations relations;

        relations = unit_relations(unit, job_type_second_goes_first(job->run_type) ? UNIT_BEFORE : UNIT_AFTER);
        for (size_t i = 0; i < relations.n && i < FETCH_OTHERS_MAX; i++)
                fetch_ahead(job_table_peek(table, relations.items[i].other));
}

void job_walk_ready(const JobTable *table) {
        const JobReady *ready = &table->ready;
        const Job *const *next = (const Job *const *) ready->line.items + ready->head;

        if (ready->line.n - ready->head <= FETCH_JOB)
                return;
        fetch_ahead(next[FETCH_JOB]);
        if (next[FETCH_PLACE])
                unit_table_fetch(table->units, next[FETCH_PLACE]->unit);
        if (next[FETCH_UNIT]) {
                const Unit *unit = unit_table_at(table->units, next[FETCH_UNIT]->unit);

                job_fetch_unit(unit);
                fetch_ahead(&unit->inactive_exit);      /* the dispatch mostly changes the unit's state */
                fetch_ahead(&unit->state_change);
        }
        if (next[FETCH_RELATIONS]) {
                const Unit *unit = unit_table_at(table->units, next[FETCH_RELATIONS]->unit);

                job_fetch_relations(unit);
                if (unit->state_of_type)
                        fetch_ahead(unit->state_of_type);
                if (unit->type_settings)
                        fetch_ahead(unit->type_settings);
        }
        if (next[FETCH_OTHERS])
                fetch_neighbours(table, next[FETCH_OTHERS]);
}

void job_walk_waiters(const JobTable *table, const Job *job) {
        const Job *waiter;

        LIST_FOREACH(waiter, &job->waiters, waiter_link) {
                fetch_ahead(&table->entries[waiter->unit]);
                fetch_ahead(unit_table_at(table->units, waiter->unit));
        }
}

void job_walk_waiter(const JobTable *table, const Job *waiter) {
        fetch_ahead(unit_table_at(table->units, waiter->unit)->buckets);
}
