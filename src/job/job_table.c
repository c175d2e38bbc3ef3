/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The installed jobs
 *
 * Membership in the ready queue is recomputed from the unit's queue after
 * every edit (job_order_sync()); there is no flag that could be stale. A job
 * that must wait for a neighbour is not in the ready queue: it is in the list
 * of that one job, its blocker, and returns when the blocker ends or changes.
 */

#include <assert.h>
#include <stdlib.h>

#include "basic/usec.h"
#include "job/job_table_private.h"

static int deadline_compare(const void *a, const void *b) {
        const Job *x = a, *y = b;

        if (x->deadline != y->deadline)
                return x->deadline < y->deadline ? -1 : 1;
        return x->id < y->id ? -1 : x->id > y->id;
}

static uint32_t *deadline_place(void *job) {
        return &((Job *) job)->deadline_place;
}

static bool id_is_taken(uint32_t id, void *userdata) {
        const JobTable *table = userdata;

        return id_map_get(&table->by_id, id);
}

int job_table_init(JobTable *table, UnitTable *units) {
        *table = (JobTable) { .units = units, .names = job_names_new() };
        job_ready_init(&table->ready);
        heap_init(&table->deadlines, deadline_compare, deadline_place);
        job_alloc_init(&table->alloc, UINT32_MAX, id_is_taken, table);
        return table->names ? 0 : -ENOMEM;
}

static void job_table_drop(JobTable *table, Job *job) {
        if (!job)
                return;
        job_table_remove(table, job);
        job_free(job);
}

void job_table_deinit(JobTable *table) {
        for (size_t i = 0; i < table->n_entries; i++) {
                JobUnitEntry *entry = &table->entries[i];

                job_table_drop(table, entry->triggered);
                job_table_drop(table, entry->pending);
                job_table_drop(table, entry->nop);
                entry->name = job_name_unref(entry->name);
        }
        assert(table->n_jobs == 0);
        assert(table->ready.n == 0);

        free(table->entries);
        job_ready_deinit(&table->ready);
        heap_deinit(&table->deadlines);
        id_map_deinit(&table->by_id);
        job_names_free(table->names);
        *table = (JobTable) {};
}

static int job_table_reserve_entries(JobTable *table, size_t wanted) {
        JobUnitEntry *entries;
        size_t n;

        if (wanted <= table->n_entries)
                return 0;

        n = wanted + wanted / 2 + 16;
        entries = realloc(table->entries, n * sizeof(*entries));
        if (!entries)
                return -ENOMEM;

        memset(entries + table->n_entries, 0, (n - table->n_entries) * sizeof(*entries));
        table->entries = entries;
        table->n_entries = n;
        return 0;
}

int job_table_reserve(JobTable *table, size_t n_jobs) {
        int r;

        r = job_table_reserve_entries(table, unit_table_size(table->units));
        if (r == 0)
                r = id_map_reserve(&table->by_id, n_jobs);
        if (r == 0)
                r = job_ready_reserve(&table->ready, table->n_jobs + n_jobs);
        if (r == 0)
                r = heap_reserve(&table->deadlines, table->n_jobs + n_jobs);
        return r;
}

Job *job_table_find(const JobTable *table, uint32_t id) {
        return id == JOB_ID_NONE ? NULL : id_map_get(&table->by_id, id);
}

JobName *job_table_name(JobTable *table, uint32_t unit) {
        JobUnitEntry *entry = job_table_entry(table, unit);

        if (!entry->name) {
                const char *id = unit_table_at(table->units, unit)->id;

                entry->name = job_names_find(table->names, id) ?: job_name_new(id);
        }
        return entry->name;
}

void job_table_set_recovery(JobTable *table, uint32_t unit, uint32_t recovers_with) {
        JobUnitEntry *entry = job_table_entry(table, unit);

        table->n_recovering += (recovers_with != 0) - (entry->recovers_with != 0);
        entry->recovers_with = recovers_with;
}

static Job **job_table_place(JobUnitEntry *entry, const Job *job) {
        if (job->state == JOB_RUNNING)
                return &entry->triggered;
        return job->type == JOB_NOP ? &entry->nop : &entry->pending;
}

void job_table_install(JobTable *table, Job *job) {
        JobUnitEntry *entry = job_table_entry(table, job->unit);
        Job **place = job_table_place(entry, job);
        int r = 0;

        assert(!*place);

        if (job->id == JOB_ID_NONE)
                r = job_alloc_next(&table->alloc, &job->id);
        assert(r == 0);                 /* there are never 2³² jobs at once */
        r = id_map_put(&table->by_id, job->id, job);
        assert(r == 0);                 /* job_table_reserve() */
        (void) r;

        *place = job;
        table->n_jobs++;
        job_order_announce(table, job);
        job_order_sync(table, job->unit);
}

static void job_table_set_deadline(JobTable *table, Job *job, uint64_t deadline) {
        int r = 0;

        job->deadline = deadline;
        if (deadline == USEC_INFINITY)
                heap_remove(&table->deadlines, job);
        else if (job->deadline_place == HEAP_NOWHERE)
                r = heap_push(&table->deadlines, job);
        else
                heap_moved(&table->deadlines, job);
        assert(r == 0);                 /* job_table_reserve() */
        (void) r;
}

static uint64_t time_limit(uint64_t from, uint64_t span) {
        return span == 0 ? USEC_INFINITY : usec_add(from, span);
}

void job_table_update_deadline(JobTable *table, Job *job) {
        const UnitSettings *settings = &unit_table_at(table->units, job->unit)->settings;
        uint64_t running = settings->has_job_running_timeout ? settings->job_running_timeout : settings->job_timeout;
        uint64_t deadline = time_limit(job->installed_at, settings->job_timeout);

        if (job->state == JOB_RUNNING)
                deadline = MIN(deadline, time_limit(job->triggered_at, running));
        job_table_set_deadline(table, job, deadline);
}

void job_table_remove(JobTable *table, Job *job) {
        JobUnitEntry *entry = job_table_entry(table, job->unit);
        Job **place = job_table_place(entry, job);

        assert(*place == job);

        job_ready_remove(&table->ready, job);
        job_table_set_deadline(table, job, USEC_INFINITY);
        job_order_reset(table, job);

        *place = NULL;
        table->n_jobs--;
        id_map_remove(&table->by_id, job->id);
        for (size_t i = 0; i < job_rare(job)->aliases.n; i++)
                id_map_remove(&table->by_id, job_rare(job)->aliases.items[i]);

        job_order_wake(table, job);
        job_order_sync(table, job->unit);
}

void job_table_trigger(JobTable *table, Job *job, uint64_t now) {
        JobUnitEntry *entry = job_table_entry(table, job->unit);

        assert(entry->pending == job);
        assert(!entry->triggered);

        job_ready_remove(&table->ready, job);
        job_order_reset(table, job);

        entry->pending = NULL;
        entry->triggered = job;
        job->state = JOB_RUNNING;
        job->pause = JOB_PAUSE_NONE;
        job->between_halves = false;
        job->triggered_at = now;
        job_order_sync(table, job->unit);
}

void job_table_put_back(JobTable *table, Job *job, JobType run_type) {
        JobUnitEntry *entry = job_table_entry(table, job->unit);

        assert(entry->triggered == job);
        assert(!entry->pending);

        entry->triggered = NULL;
        entry->pending = job;
        job->state = JOB_WAITING;
        job->triggered_at = 0;
        if (job->run_type != run_type) {
                job->run_type = run_type;
                job_order_announce(table, job);
        }
        job_order_wake(table, job);
        job_order_sync(table, job->unit);
}

void job_table_set_type(JobTable *table, Job *job, JobType type) {
        JobType run_type = job->run_type;

        assert(job->state == JOB_WAITING);

        job_set_type(job, type);
        if (job->run_type == run_type)
                return;

        job->pause = JOB_PAUSE_NONE;    /* the unit has not been asked for this type */
        job_order_reset(table, job);
        job_order_sync(table, job->unit);       /* first, because the job's rank has changed */
        job_order_announce(table, job);
        job_order_wake(table, job);
}

void job_table_set_pause(JobTable *table, Job *job, JobPause pause) {
        job->pause = pause;
        job_order_sync(table, job->unit);
}

static void job_table_alias(JobTable *table, Job *survivor, uint32_t id) {
        JobRare *rare = job_own_rare(survivor);

        if (!rare || vector_push(&rare->aliases, id) < 0)
                return;                 /* the caller reports the end of the absorbed id */
        if (id_map_put(&table->by_id, id, survivor) < 0)
                rare->aliases.n--;
}

void job_table_absorb(JobTable *table, Job *survivor, Job *absorbed) {
        assert(survivor->unit == absorbed->unit);

        survivor->is_irreversible |= absorbed->is_irreversible;
        survivor->ignores_order |= absorbed->ignores_order;
        for (size_t i = 0; i < job_count_causes(absorbed); i++)
                job_add_cause(survivor, job_cause_at(absorbed, i));

        job_table_alias(table, survivor, absorbed->id);
        for (size_t i = 0; i < job_rare(absorbed)->aliases.n; i++)
                job_table_alias(table, survivor, job_rare(absorbed)->aliases.items[i]);
        job_order_note(job_table_entry(table, survivor->unit));
}

void job_table_ignore_order(JobTable *table, Job *job) {
        assert(job->state == JOB_WAITING);

        job->ignores_order = true;
        job_order_reset(table, job);
        job_order_wake(table, job);
        job_order_sync(table, job->unit);
}

void job_table_rescan(JobTable *table, uint32_t unit) {
        Job *pending = job_table_peek(table, unit)->pending;

        if (!pending)
                return;
        job_order_reset(table, pending);
        job_order_sync(table, unit);
}

void job_table_rescan_all(JobTable *table) {
        for (uint32_t i = 0; i < table->n_entries; i++)
                job_table_rescan(table, i);
}
