/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of the job engine: dispatch, time, and follow-ups
 *
 * Jobs are taken one at a time from the ready queue and handed to their units.
 * Changes that the unit reports during the trigger are queued and handled
 * right after it has returned, so no change meets a half-made trigger.
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "basic/fetch.h"
#include "job/job_explain.h"
#include "job/job_manager_private.h"
#include "job/job_reaction.h"

static void drain_changes(JobManager *manager) {
        for (size_t i = 0; i < manager->changes.n; i++) {
                JobChange change = manager->changes.items[i];

                job_manager_take_change(manager, &change);
        }
        vector_clear(&manager->changes);
}

static UnitAnswer operate(JobManager *manager, Unit *unit, JobType run) {
        UnitAnswer answer = UNIT_OPERATION_FAILED;

        manager->is_triggering = true;
        switch (run) {
        case JOB_START:
                answer = unit_start(unit);
                break;
        case JOB_STOP:
                answer = unit_stop(unit);
                break;
        case JOB_RELOAD:
                answer = unit_reload(unit);
                break;
        case JOB_VERIFY_ACTIVE:
        case JOB_RESTART:
        case JOB_NOP:
        case JOB_TRY_RESTART:
        case JOB_TRY_RELOAD:
        case JOB_RELOAD_OR_START:
        case _JOB_TYPE_MAX:
        case _JOB_TYPE_INVALID:
                assert(false);
                break;
        }
        manager->is_triggering = false;
        return answer;
}

static void put_back(JobManager *manager, Job *job) {
        /* The pending place is free: it was when the job was triggered, and no request was made since. */
        job_table_put_back(&manager->table, job, job->run_type);
        job_table_set_pause(&manager->table, job, JOB_PAUSE_NOT_NOW);
        job_table_update_deadline(&manager->table, job);
        job_manager_emit(manager, JOB_EVENT_CHANGED, job, "the unit is not ready for it", NULL);
}

static void take_answer(JobManager *manager, uint32_t id, UnitAnswer answer) {
        Job *job = job_table_find(&manager->table, id);
        JobResult result;

        /* A change reported during the trigger takes precedence over the answer. */
        if (!job || job->id != id || job->state != JOB_RUNNING)
                return;
        if (answer == UNIT_NOT_NOW) {
                put_back(manager, job);
                return;
        }
        if (!job_result_from_answer(answer, &result))
                return;
        if (job->type == JOB_RESTART && job->run_type == JOB_STOP && result == JOB_DONE)
                job_manager_end_first_half(manager, job);
        else
                job_manager_end(manager, job, result, JOB_END_SPREADS,
                                (JobEndReason) { .code = JOB_END_ANSWER, .number = answer });
}

/* Turns a reload that stands for a start, too, into a start if its unit has died in the meantime. */
static void resolve_reload(JobManager *manager, Job *job, const Unit *unit) {
        if (job->type != JOB_RELOAD || !job->absorbed_start || unit_state_is_active_or_reloading(unit->active_state))
                return;

        job_table_set_type(&manager->table, job, JOB_START);
        job->absorbed_start = false;
}

static void trigger(JobManager *manager, Job *job) {
        JobUnitEntry *entry = job_table_entry(&manager->table, job->unit);
        Unit *unit = unit_table_at(manager->units, job->unit);
        uint32_t id = job->id;
        UnitAnswer answer;

        if (job_unit_entry_interrupts(entry)) {
                manager->stat.n_interrupted++;
                job_manager_end(manager, entry->triggered, JOB_CANCELED, 0,
                                (JobEndReason) { .code = JOB_END_INTERRUPTED, .number = id });
        }

        fetch_ahead(entry->name);        /* read when the job ends */
        job_table_trigger(&manager->table, job, manager->now);
        job_table_update_deadline(&manager->table, job);
        manager->stat.n_triggered++;
        job_manager_emit(manager, JOB_EVENT_CHANGED, job, NULL, NULL);

        answer = operate(manager, unit, job->run_type);
        drain_changes(manager);
        take_answer(manager, id, answer);
}

static void verify(JobManager *manager, Job *job, const Unit *unit) {
        if (unit_state_is_active_or_reloading(unit->active_state))
                job_manager_end(manager, job, JOB_DONE, JOB_END_SPREADS,
                                (JobEndReason) { .code = JOB_END_UNIT_ACTIVE });
        else if (unit->active_state == UNIT_ACTIVATING) {
                job_table_set_pause(&manager->table, job, JOB_PAUSE_NOT_NOW);
                job_manager_emit(manager, JOB_EVENT_CHANGED, job, "the unit is not ready for it", NULL);
        } else
                job_manager_end(manager, job, JOB_SKIPPED, JOB_END_SPREADS,
                                (JobEndReason) { .code = JOB_END_UNIT_NOT_ACTIVE });
}

static void dispatch(JobManager *manager, Job *job) {
        const Unit *unit = unit_table_at(manager->units, job->unit);

        resolve_reload(manager, job, unit);
        if (job->type == JOB_NOP)
                job_manager_end(manager, job, JOB_DONE, 0, (JobEndReason) {});
        else if (job->type == JOB_VERIFY_ACTIVE)
                verify(manager, job, unit);
        else
                trigger(manager, job);
}

static bool has_job(const void *userdata, const Unit *unit) {
        const JobTable *table = userdata;

        return !job_unit_entry_is_empty(job_table_peek(table, unit->index));
}

void job_manager_follow_up(JobManager *manager) {
        JobFollowUp follow_up;

        while (job_notify_next(&manager->notify, &follow_up)) {
                JobRequest request = { .unit = follow_up.unit->string, .type = follow_up.type };
                JobRequester requester = {
                        .reason = follow_up.reason ? follow_up.reason->string : "a unit changed its state",
                };
                const JobOptions options = { .mode = follow_up.mode, .requester = &requester };
                int r;

                manager->stat.n_follow_ups++;
                r = job_manager_exec_record(manager, &request, 1, &options, NULL);
                if (r == JOB_MANAGER_E_REFUSED)
                        job_manager_emit(manager, JOB_EVENT_REFUSED, NULL, requester.reason,
                                         &manager->transaction.failure);
                job_name_unref(follow_up.unit);
                job_name_unref(follow_up.reason);
        }
}

bool job_manager_run(JobManager *manager, unsigned budget, uint64_t now) {
        Job *job;

        assert(!manager->is_triggering);

        manager->now = now;
        if (manager->has_cycle_to_come)
                job_manager_break_cycles(manager);
        job_notify_check_rules(&manager->notify, has_job, &manager->table, now);
        job_manager_follow_up(manager);

        for (unsigned n = 0; n < budget && (job = job_table_next(&manager->table)); n++) {
                dispatch(manager, job);
                job_manager_follow_up(manager);
        }
        return job_manager_has_ready(manager);
}

bool job_manager_has_ready(const JobManager *manager) {
        return manager->table.ready.n > 0 || !job_notify_is_empty(&manager->notify);
}

void job_manager_resume(JobManager *manager, Unit *unit) {
        Job *pending = job_table_peek(&manager->table, unit->index)->pending;

        if (pending)
                job_manager_end_pause(manager, pending);
}

void job_manager_notify_reload(JobManager *manager, Unit *unit, JobMode mode, uint64_t now) {
        UnitRelations relations = unit_relations(unit, UNIT_PROPAGATES_RELOAD_TO);
        cleanup_(job_name_unrefp) JobName *reason = NULL;
        char text[UNIT_NAME_MAX + 64];

        manager->now = now;
        if (relations.n == 0)
                return;

        snprintf(text, sizeof(text), "unit %s reloaded", unit->id);
        reason = job_name_new(text);
        for (size_t i = 0; i < relations.n; i++) {
                const Unit *other = unit_table_at(manager->units, relations.items[i].other);

                if (job_type_is_applicable(JOB_TRY_RELOAD, other))
                        (void) job_notify_request(&manager->notify, other, JOB_TRY_RELOAD, mode, reason);
        }
        if (!manager->is_triggering)
                job_manager_follow_up(manager);
}

void job_manager_notify_run(JobManager *manager, const Unit *unit, const JobRunEnd *end, uint64_t now) {
        manager->now = now;
        job_notify_run(&manager->notify, unit, end, now);
        job_manager_follow_up(manager);
}

uint64_t job_manager_next_deadline(const JobManager *manager) {
        const Job *job = heap_peek(&manager->table.deadlines);
        uint64_t deadline = job ? job->deadline : USEC_INFINITY;

        return MIN(deadline, manager->notify.next_retry);
}

/* The sentence is formatted now, because the jobs that this one waited for may be gone later. */
static void expire(JobManager *manager, Job *job) {
        const JobExplain explain = {
                .units = manager->units,
                .table = &manager->table,
                .log = &manager->log,
                .now = manager->now,
        };
        cleanup_(job_name_unrefp) JobName *name = NULL;
        cleanup_free_ char *wait = NULL;

        if (job_explain_wait(&explain, job, &wait) == 0)
                name = job_names_get(manager->table.names, wait);
        job_manager_end(manager, job, JOB_TIMEOUT, JOB_END_SPREADS,
                        (JobEndReason) { .code = JOB_END_TIME_LIMIT, .name = name });
}

void job_manager_expire(JobManager *manager, uint64_t now) {
        Job *job;

        manager->now = now;
        job_notify_expire(&manager->notify, now);
        while ((job = heap_peek(&manager->table.deadlines)) && job->deadline <= now)
                expire(manager, job);
        job_manager_follow_up(manager);
}
