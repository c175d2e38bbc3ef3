/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Invariants that are checked in every random world
 */

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "double/double_sink.h"
#include "property_check.h"

typedef VECTOR(Job *) PropertyJobs;

static void jobs_of(PropertyWorld *world, PropertyJobs *jobs) {
        const JobTable *table = &world->jobs->table;

        for (size_t i = 0; i < table->n_entries; i++) {
                Job *const of_unit[] = { table->entries[i].triggered, table->entries[i].pending, table->entries[i].nop };

                for (size_t k = 0; k < ELEMENTSOF(of_unit); k++)
                        if (of_unit[k]) {
                                int r = vector_push(jobs, of_unit[k]);

                                assert(r == 0);
                                (void) r;
                        }
        }
}

static bool is_before(PropertyWorld *world, uint32_t a, uint32_t b) {
        UnitRelations before = unit_relations(unit_table_at(world->units->table, a), UNIT_BEFORE);

        for (size_t i = 0; i < before.n; i++)
                if (before.items[i].other == b)
                        return true;
        return false;
}

/* Of "a before b" the stop of b goes first, and otherwise a. */
static bool must_precede(PropertyWorld *world, const Job *first, const Job *second) {
        if (first->type == JOB_NOP || second->type == JOB_NOP || first->ignores_order || second->ignores_order)
                return false;
        if (is_before(world, first->unit, second->unit) && second->run_type != JOB_STOP)
                return true;
        return is_before(world, second->unit, first->unit) && first->run_type == JOB_STOP;
}

static const Job *find_precedent(PropertyWorld *world, const PropertyJobs *jobs, const Job *job) {
        for (size_t i = 0; i < jobs->n; i++)
                if (jobs->items[i] != job && must_precede(world, jobs->items[i], job))
                        return jobs->items[i];
        return NULL;
}

void property_check_event(PropertyWorld *world, const JobEvent *event) {
        uint32_t id = event->job.id;
        uint8_t *known = &world->ids[id];
        PropertyJobs jobs = {};

        switch (event->kind) {
        case JOB_EVENT_INSTALLED:
                if (*known != PROPERTY_ID_NEW)
                        property_fail(world, "id %u is given twice", id);
                *known = PROPERTY_ID_WAITING;
                break;
        case JOB_EVENT_FINISHED:
                if (*known != PROPERTY_ID_WAITING && *known != PROPERTY_ID_RUNNING)
                        property_fail(world, "job %u ends in state %u", id, *known);
                *known = PROPERTY_ID_ENDED;
                break;
        case JOB_EVENT_CHANGED:
                if (event->job.state == JOB_RUNNING && *known == PROPERTY_ID_WAITING) {
                        const Job *job = job_table_find(&world->jobs->table, id), *first;

                        jobs_of(world, &jobs);
                        first = find_precedent(world, &jobs, job);
                        if (first)
                                property_fail(world, "job %u is triggered before job %u", id, first->id);
                }
                *known = event->job.state == JOB_RUNNING ? PROPERTY_ID_RUNNING : PROPERTY_ID_WAITING;
                break;
        case JOB_EVENT_REFUSED:
        case JOB_EVENT_CYCLE_BROKEN:
                break;
        }
        vector_deinit(&jobs);
}

static void check_entry(PropertyWorld *world, const JobUnitEntry *entry) {
        const Job *triggered = entry->triggered, *pending = entry->pending, *nop = entry->nop;

        if (triggered && (triggered->state != JOB_RUNNING || triggered->run_type == JOB_NOP ||
                          triggered->run_type == JOB_VERIFY_ACTIVE || triggered->run_type == JOB_RESTART))
                property_fail(world, "job %u can't be a triggered one", triggered->id);
        if (pending && (pending->state != JOB_WAITING || pending->type == JOB_NOP))
                property_fail(world, "job %u can't be a pending one", pending->id);
        if (nop && (nop->state != JOB_WAITING || nop->type != JOB_NOP))
                property_fail(world, "job %u can't be a nop", nop->id);
}

static void check_job(PropertyWorld *world, const PropertyJobs *jobs, const Job *job) {
        const JobTable *table = &world->jobs->table;
        const JobUnitEntry *entry = &table->entries[job->unit];
        const Job *first = find_precedent(world, jobs, job);
        bool is_behind = job == entry->pending && entry->triggered &&
                         (job->type != JOB_STOP || entry->triggered->type == JOB_STOP);
        bool may_be_ready = job->state == JOB_WAITING && !is_behind && job->pause == JOB_PAUSE_NONE;
        bool is_ready = job->ready_place != HEAP_NOWHERE;

        if (is_ready && (!may_be_ready || job->blocker))
                property_fail(world, "job %u is ready, but may not be", job->id);
        if (!is_ready && may_be_ready && !first)
                property_fail(world, "job %u could go, but is not ready", job->id);
        if (job->blocker && !must_precede(world, job->blocker, job))
                property_fail(world, "job %u waits for job %u for no reason", job->id, job->blocker->id);
        if (job_table_find(table, job->id) != job)
                property_fail(world, "job %u is not found", job->id);
        for (size_t i = 0; i < job_rare(job)->aliases.n; i++)
                if (job_table_find(table, job_rare(job)->aliases.items[i]) != job)
                        property_fail(world, "job %u is not found by alias %u", job->id, job_rare(job)->aliases.items[i]);
        if (job->pause != JOB_PAUSE_NONE && job->state == JOB_RUNNING)
                property_fail(world, "job %u runs and is paused", job->id);
        if (job->deadline != USEC_INFINITY && job->deadline_place == HEAP_NOWHERE)
                property_fail(world, "job %u has a lost deadline", job->id);
}

/* The blocker that the explanation names must go first, and there is always an explanation. */
static void check_explanation(PropertyWorld *world, const PropertyJobs *jobs, const Job *job) {
        const JobUnitEntry *entry = &world->jobs->table.entries[job->unit];
        bool is_behind = job == entry->pending && entry->triggered &&
                         (job->type != JOB_STOP || entry->triggered->type == JOB_STOP);
        const Job *first = find_precedent(world, jobs, job);
        const char *text, *blockers;
        DoubleSink sink;
        char what[16];
        uint32_t id;

        double_sink_init(&sink);
        snprintf(what, sizeof(what), "%u", job->id);
        if (job_manager_explain(world->jobs, what, world->units->clock.now, &sink.sink) < 0)
                property_fail(world, "job %u can't be explained", job->id);
        text = double_sink_string(&sink);
        blockers = strstr(text, "blockers=[{id=");

        if (!strstr(text, "summary=") || !strstr(text, "causes="))
                property_fail(world, "job %u: no cause in %s", job->id, text);
        if (job->state == JOB_WAITING && (is_behind || first) != !!blockers)
                property_fail(world, "job %u: wrong blockers in %s", job->id, text);
        if (job->state == JOB_WAITING && !blockers && !strstr(text, job->pause ? "pause=" : "is ready"))
                property_fail(world, "job %u: no reason to wait in %s", job->id, text);
        if (job->state == JOB_WAITING && blockers && sscanf(blockers, "blockers=[{id=%u", &id) == 1) {
                const Job *named = job_table_find(&world->jobs->table, id);

                if (!named || (!must_precede(world, named, job) && named != entry->triggered))
                        property_fail(world, "job %u: false blocker in %s", job->id, text);
        }
        double_sink_deinit(&sink);
}

static void check_neighbours(PropertyWorld *world, const PropertyJobs *jobs, const Job *job) {
        JobInfos before = {};
        size_t n = 0;

        if (job_manager_neighbours(world->jobs, job->id, true, &before) != 0)
                property_fail(world, "job %u has no neighbours", job->id);
        for (size_t i = 0; i < jobs->n && job->state == JOB_WAITING; i++)
                n += jobs->items[i] != job && must_precede(world, jobs->items[i], job);
        if (n != before.n)
                property_fail(world, "job %u: %zu jobs before it, not %zu", job->id, n, before.n);
        vector_deinit(&before);
}

/* Each id that was installed is in the table, absorbed by one there, or has ended. */
static void check_counters(PropertyWorld *world, const PropertyJobs *jobs) {
        const JobStat *stat = &world->jobs->stat;
        uint64_t n_ids = 0, n_ended = 0, n_types = 0;

        for (size_t i = 0; i < jobs->n; i++)
                n_ids += 1 + job_rare(jobs->items[i])->aliases.n;
        for (size_t i = 0; i < _JOB_RESULT_MAX; i++)
                n_ended += stat->n_by_result[i];
        for (size_t i = 0; i < _JOB_TYPE_MAX_IN_TABLE; i++)
                n_types += stat->n_by_type[i];
        if (stat->n_installed + world->n_restored != n_ids + n_ended)
                property_fail(world, "%" PRIu64 " installed, %" PRIu64 " there, %" PRIu64 " ended", stat->n_installed,
                              n_ids, n_ended);
        if (n_types != stat->n_installed || jobs->n != job_manager_count(world->jobs))
                property_fail(world, "the counters do not agree");
}

void property_check_rest(PropertyWorld *world) {
        const JobTable *table = &world->jobs->table;
        PropertyJobs jobs = {};

        jobs_of(world, &jobs);
        if (world->jobs->ends.n > 0 || world->jobs->changes.n > 0)
                property_fail(world, "something was left to do");
        for (size_t i = 0; i < table->n_entries; i++)
                check_entry(world, &table->entries[i]);
        for (size_t i = 0; i < jobs.n; i++) {
                check_job(world, &jobs, jobs.items[i]);
                check_explanation(world, &jobs, jobs.items[i]);
                check_neighbours(world, &jobs, jobs.items[i]);
        }
        check_counters(world, &jobs);
        vector_deinit(&jobs);
}

/* Removes jobs that wait for none of the rest, repeatedly; the jobs that remain wait for each other. */
void property_check_idle(PropertyWorld *world) {
        PropertyJobs jobs = {};
        bool any = true;

        jobs_of(world, &jobs);
        for (size_t i = 0; i < jobs.n; i++) {
                const Job *job = jobs.items[i];

                if (job->state == JOB_WAITING && job->pause == JOB_PAUSE_NONE &&
                    !world->jobs->table.entries[job->unit].triggered && !find_precedent(world, &jobs, job))
                        property_fail(world, "job %u waits for nothing", job->id);
        }
        while (any) {
                any = false;
                for (size_t i = 0; i < jobs.n && !any; i++) {
                        const Job *job = jobs.items[i];

                        if (job->state == JOB_WAITING && find_precedent(world, &jobs, job))
                                continue;
                        jobs.items[i] = vector_last(&jobs);
                        jobs.n--;
                        any = true;
                }
        }
        if (jobs.n > 0)
                property_fail(world, "job %u waits for itself in the end", jobs.items[0]->id);
        vector_deinit(&jobs);
}

static int compare_jobs(const void *a, const void *b) {
        const Job *x = *(Job *const *) a, *y = *(Job *const *) b;

        return (x->id > y->id) - (x->id < y->id);
}

void property_describe_jobs(PropertyWorld *world, Text *text) {
        PropertyJobs jobs = {};

        jobs_of(world, &jobs);
        if (jobs.n > 0)
                qsort(jobs.items, jobs.n, sizeof(*jobs.items), compare_jobs);
        for (size_t i = 0; i < jobs.n; i++) {
                const Job *job = jobs.items[i];

                text_addf(text, "%u %s %s/%s %s%s%s%s%s%s %" PRIu64 " %" PRIu64 " %" PRIu64 " by %" PRIu64 " +%zu+%u:",
                          job->id, unit_table_at(world->units->table, job->unit)->id, job_type_to_string(job->type),
                          job_type_to_string(job->run_type), job_state_to_string(job->state),
                          job->is_irreversible ? " irreversible" : "", job->ignores_order ? " unordered" : "",
                          job->between_halves ? " halfway" : "", job->absorbed_start ? " or-start" : "",
                          job->pause ? " paused" : "", job->installed_at, job->triggered_at, job->deadline,
                          job->cause.record ? job->cause.record->id : 0, job_count_causes(job), job->n_lost_causes);
                for (size_t k = 0; k < job_rare(job)->aliases.n; k++)
                        text_addf(text, " %u", job_rare(job)->aliases.items[k]);
                text_add_char(text, '\n');
        }
        vector_deinit(&jobs);
}

void property_describe(PropertyWorld *world, Text *text) {
        JobStat stat = world->jobs->stat;
        const uint8_t *bytes = (const uint8_t *) &stat;

        stat.n_refused = stat.n_planned = 0;
        property_describe_jobs(world, text);
        text_addf(text, "last %u %" PRIu64 " ready %zu, ", world->jobs->table.alloc.cursor,
                  world->jobs->last_transaction, world->jobs->table.ready.n);
        for (size_t i = 0; i < sizeof(stat); i++)
                text_addf(text, "%02x", bytes[i]);
}

void property_describe_plan(JobPlan *plan, Text *text) {
        DoubleSink sink;

        plan->transaction = 0;
        for (size_t i = 0; i < plan->jobs.n; i++)
                if (plan->jobs.items[i].action == JOB_PLAN_NEW)
                        plan->jobs.items[i].id = 0;
        double_sink_init(&sink);
        job_plan_write(plan, &sink.sink);
        text_add(text, double_sink_string(&sink));
        double_sink_deinit(&sink);
        for (size_t i = 0; i < plan->anchors.n; i++)
                text_addf(text, " %u", plan->anchors.items[i]);
}
