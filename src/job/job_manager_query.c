/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of the job engine: queries
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_explain.h"
#include "job/job_manager_private.h"

bool job_manager_find(const JobManager *manager, uint32_t id, JobInfo *ret_job) {
        const Job *job = job_table_find(&manager->table, id);

        if (job)
                job_manager_info(manager, job, ret_job);
        return job;
}

bool job_manager_find_ended(const JobManager *manager, uint32_t id, JobInfo *ret_job) {
        const JobEnded *ended = job_log_find(&manager->log, id);

        if (!ended)
                return false;
        *ret_job = (JobInfo) {
                .id = ended->id,
                .unit = unit_table_find(manager->units, ended->unit->string),
                .type = ended->type,
                .run_type = ended->run_type,
                .state = ended->triggered_at > 0 ? JOB_RUNNING : JOB_WAITING,
                .result = ended->result,
                .is_irreversible = ended->is_irreversible,
                .transaction = ended->transaction,
                .installed_at = ended->installed_at,
                .triggered_at = ended->triggered_at,
                .deadline = UINT64_MAX,
        };
        return true;
}

bool job_manager_unit_job(const JobManager *manager, const Unit *unit, JobInfo *ret_job) {
        const Job *job = job_unit_entry_main(job_table_peek(&manager->table, unit->index));

        if (job)
                job_manager_info(manager, job, ret_job);
        return job;
}

bool job_manager_unit_has_type(const JobManager *manager, const Unit *unit, JobType type) {
        const JobUnitEntry *entry = job_table_peek(&manager->table, unit->index);

        return (entry->triggered && entry->triggered->type == type) ||
               (entry->pending && entry->pending->type == type) || (entry->nop && entry->nop->type == type);
}

size_t job_manager_count(const JobManager *manager) {
        return manager->table.n_jobs;
}

static int compare_infos(const void *a, const void *b) {
        const JobInfo *x = a, *y = b;

        return x->id < y->id ? -1 : x->id > y->id;
}

static int infos_add(const JobManager *manager, JobInfos *infos, const Job *job) {
        JobInfo info;

        if (!job)
                return 0;
        job_manager_info(manager, job, &info);
        return vector_push(infos, info);
}

static void infos_sort(JobInfos *infos) {
        if (infos->n > 1)
                qsort(infos->items, infos->n, sizeof(*infos->items), compare_infos);
}

/* Removes duplicates: a unit may be related in both directions. */
static void infos_unify(JobInfos *infos) {
        size_t n = 0;

        for (size_t i = 0; i < infos->n; i++)
                if (n == 0 || infos->items[n - 1].id != infos->items[i].id)
                        infos->items[n++] = infos->items[i];
        infos->n = n;
}

int job_manager_list(const JobManager *manager, JobInfos *ret_jobs) {
        JobInfos infos = {};
        int r = vector_reserve(&infos, manager->table.n_jobs);

        for (uint32_t i = 0; i < manager->table.n_entries && r == 0; i++) {
                const JobUnitEntry *entry = job_table_peek(&manager->table, i);

                r = infos_add(manager, &infos, entry->triggered);
                if (r == 0)
                        r = infos_add(manager, &infos, entry->pending);
                if (r == 0)
                        r = infos_add(manager, &infos, entry->nop);
        }
        if (r < 0) {
                vector_deinit(&infos);
                return r;
        }

        infos_sort(&infos);
        *ret_jobs = infos;
        return 0;
}

static int neighbours_of_unit(const JobManager *manager, const Job *job, uint32_t other, bool before, JobInfos *infos) {
        const JobUnitEntry *entry = job_table_peek(&manager->table, other);
        Job *const jobs[] = { entry->triggered, entry->pending };

        for (size_t i = 0; i < ELEMENTSOF(jobs); i++) {
                bool counts;

                if (!jobs[i] || (!before && jobs[i]->state == JOB_RUNNING))
                        continue;
                counts = before ? job_order_waits(&manager->table, job, jobs[i], NULL) :
                                  job_order_waits(&manager->table, jobs[i], job, NULL);
                if (counts && infos_add(manager, infos, jobs[i]) < 0)
                        return -ENOMEM;
        }
        return 0;
}

int job_manager_neighbours(const JobManager *manager, uint32_t id, bool before, JobInfos *ret_jobs) {
        static const UnitRelationKind order[] = { UNIT_AFTER, UNIT_BEFORE };
        const Job *job = job_table_find(&manager->table, id);
        JobInfos infos = {};

        if (!job)
                return JOB_MANAGER_E_NO_SUCH_JOB;

        for (size_t k = 0; k < ELEMENTSOF(order) && !(before && job->state == JOB_RUNNING); k++) {
                UnitRelations relations = unit_relations(unit_table_at(manager->units, job->unit), order[k]);

                for (size_t i = 0; i < relations.n; i++)
                        if (neighbours_of_unit(manager, job, relations.items[i].other, before, &infos) < 0) {
                                vector_deinit(&infos);
                                return -ENOMEM;
                        }
        }
        infos_sort(&infos);
        infos_unify(&infos);
        *ret_jobs = infos;
        return 0;
}

int job_manager_explain(const JobManager *manager, const char *what, uint64_t now, Sink *sink) {
        JobExplain explain = {
                .units = manager->units,
                .table = &manager->table,
                .log = &manager->log,
                .holders = manager->notify.holders,
                .now = now,
                .sink = sink,
        };

        assert(what);
        assert(sink);

        return job_explain(&explain, what);
}

void job_manager_write_job(const JobManager *manager, const JobInfo *job, Sink *sink) {
        const JobEnded *ended = job->result >= 0 ? job_log_find(&manager->log, job->id) : NULL;
        const Job *live = job_table_find(&manager->table, job->id);
        const Job *blocker = live && live->state == JOB_WAITING ?
                job_order_find_blocker(&manager->table, live, NULL) : NULL;

        sink_open(sink, 'a', "{sv}");
        sink_entry_u32(sink, "id", job->id);
        sink_entry_string(sink, "unit", ended ? ended->unit->string : job->unit ? job->unit->id : "");
        sink_entry_string(sink, "type", job_type_to_string(job->type));
        sink_entry_string(sink, "run", job_type_to_string(job->run_type));
        if (job->result >= 0)
                sink_entry_string(sink, "result", job_result_to_string(job->result));
        else
                sink_entry_string(sink, "state", job_state_to_string(job->state));
        sink_entry_bool(sink, "irreversible", job->is_irreversible);
        sink_entry_bool(sink, "ignore-order", job->ignores_order);
        sink_entry_bool(sink, "paused", job->is_paused);
        if (blocker)
                sink_entry_u32(sink, "blocker", blocker->id);
        sink_entry_u64(sink, "transaction", job->transaction);
        if (live && live->cause.record && live->cause.record->requester)
                sink_entry_string(sink, "requester", live->cause.record->requester);
        sink_entry_u64(sink, "installed-at", job->installed_at);
        if (job->triggered_at > 0)
                sink_entry_u64(sink, "triggered-at", job->triggered_at);
        sink_close(sink);
}

void job_manager_write_stats(const JobManager *manager, Sink *sink) {
        sink_open(sink, 'a', "{sv}");
        job_stat_write(&manager->stat, manager->table.n_jobs, manager->table.ready.n, sink);
        sink_close(sink);
}
