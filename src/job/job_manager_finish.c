/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of the job engine: the end of jobs
 *
 * A running job ends only by its unit's change of state. A bad result also
 * ends the dependents' jobs, one by one from a list and in a fixed order:
 * record and free the job, then its dependents, the jobs that waited for it,
 * OnFailure=, and subscribers.
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "basic/macro.h"
#include "job/job_cause.h"
#include "job/job_manager_private.h"
#include "job/job_reaction.h"
#include "unit/unit_table.h"

/* Room for every job of the table was reserved before the job was installed. */
static void end_queue(JobManager *manager, Job *job, JobResult result, uint32_t because) {
        JobEnd end = { .job = job, .result = result, .because = because };
        int r;

        if (job->is_ending)
                return;
        job->is_ending = true;
        r = vector_push(&manager->ends, end);
        assert(r == 0);
        (void) r;
}

/* The dependents' pending start and verify jobs end, too. */
static void end_dependents(JobManager *manager, const Unit *unit, UnitRelationKind kind, bool only_starts) {
        UnitRelations relations = unit_relations(unit, kind);

        for (size_t i = 0; i < relations.n; i++) {
                Job *pending = job_table_peek(&manager->table, relations.items[i].other)->pending;

                if (!pending)
                        continue;
                if (pending->run_type == JOB_START || (pending->run_type == JOB_VERIFY_ACTIVE && !only_starts))
                        end_queue(manager, pending, JOB_DEPENDENCY, unit->index + 1);
        }
}

/*
 * Returns true if the end of @job also ends a start that dependents count on: a restart in its stop half, unless the
 * unit stays active.
 */
static bool end_takes_start_along(const Unit *unit, const Job *job) {
        return job->type == JOB_RESTART && job->run_type == JOB_STOP &&
               !unit_state_is_active_or_reloading(unit->active_state);
}

static void end_spread(JobManager *manager, const Unit *unit, const Job *job, JobResult result) {
        JobType run = job->run_type;

        if (result == JOB_DONE) {
                if ((run == JOB_START || run == JOB_RELOAD) && !unit_state_is_active_or_reloading(unit->active_state))
                        end_dependents(manager, unit, UNIT_REQUISITE_OF, true);
                return;
        }

        if (run == JOB_START || run == JOB_VERIFY_ACTIVE || end_takes_start_along(unit, job)) {
                end_dependents(manager, unit, UNIT_REQUIRED_BY, false);
                end_dependents(manager, unit, UNIT_REQUISITE_OF, false);
                end_dependents(manager, unit, UNIT_BOUND_BY, false);
        }
        if (run == JOB_STOP)
                end_dependents(manager, unit, UNIT_CONFLICTED_BY, true);
}

static uint32_t end_log(JobManager *manager, const Job *job, uint32_t id, JobResult result, JobEndReason reason) {
        JobUnitEntry *entry = job_table_entry(&manager->table, job->unit);
        JobEnded ended = {
                .id = id,
                .merged_into = id == job->id ? JOB_ID_NONE : job->id,
                .unit = job_name_ref(entry->name),
                .type = job->type,
                .run_type = job->run_type,
                .result = (uint8_t) result,
                .is_irreversible = job->is_irreversible,
                .installed_at = job->installed_at,
                .triggered_at = job->triggered_at,
                .ended_at = manager->now,
                .transaction = job->cause.record ? job->cause.record->id : 0,
                .step = job->cause.step,
                .reason = reason,
        };

        job_name_ref(reason.name);
        return job_log_add_ended(&manager->log, ended);
}

static_assert(JOB_EVENT_CAUSE_MAX >= JOB_END_REASON_TEXT_MAX, "a cause fits");

const char *job_event_cause(const JobEvent *event, char buffer[static JOB_EVENT_CAUSE_MAX]) {
        return event->end ? job_end_reason_format(event->end, buffer) : event->cause;
}

/* Reports one end for each id: the job's own, then those of the jobs that it absorbed. */
static void end_tell(JobManager *manager, const Job *job, JobResult result, JobEndReason reason) {
        JobEvent event = { .kind = JOB_EVENT_FINISHED, .end = &reason };

        job_manager_info(manager, job, &event.job);
        event.job.result = result;
        for (size_t i = 0; i <= job_rare(job)->aliases.n; i++) {
                event.job.id = i == 0 ? job->id : job_rare(job)->aliases.items[i - 1];
                event.forgotten = end_log(manager, job, event.job.id, result, reason);
                for (size_t s = 0; s < manager->subscriptions.n; s++)
                        manager->subscriptions.items[s].subscriber(&event, manager->subscriptions.items[s].userdata);
        }
}

/*
 * Returns true if the end of @job, a pending stop, lets a running restart go on to its start half; no order check has
 * included that half in the meantime.
 */
static bool end_leaves_restart(const JobTable *table, const Job *job) {
        const JobUnitEntry *entry = job_table_peek(table, job->unit);

        return job == entry->pending && job_unit_entry_interrupts(entry) && entry->triggered->type == JOB_RESTART &&
               entry->triggered->run_type == JOB_STOP;
}

static void end_one(JobManager *manager, const JobEnd *end, JobEndFlags flags, JobEndReason reason) {
        const Unit *unit = unit_table_at(manager->units, end->job->unit);
        Job *job = end->job;

        if (end_leaves_restart(&manager->table, job))
                manager->has_cycle_to_come = true;
        job_table_remove(&manager->table, job);
        manager->stat.n_by_result[end->result]++;
        manager->stat.n_by_result[JOB_MERGED] += job_rare(job)->aliases.n;
        if (flags & JOB_END_SPREADS)
                end_spread(manager, unit, job, end->result);
        if (end->result == JOB_TIMEOUT || end->result == JOB_DEPENDENCY)
                job_notify_failure(&manager->notify, unit, job->id, manager->now);
        job_manager_remember_recovery(manager, job, unit, end);
        job_notify_look(&manager->notify, unit);
        end_tell(manager, job, end->result, reason);
        job_free(job);
}

/* "Requires=b.service (a.service:3)", or "" if the dependency is gone since. */
static void end_write_dependency(const Unit *dependent, const Unit *failed,
                                 char buffer[static JOB_DECLARATION_TEXT_MAX]) {
        static const UnitRelationKind kinds[] = { UNIT_REQUIRES, UNIT_REQUISITE, UNIT_BINDS_TO, UNIT_CONFLICTS };
        const UnitRelation *relation = NULL;
        char origin[512];
        size_t i;

        buffer[0] = '\0';
        for (i = 0; i < ELEMENTSOF(kinds) && !relation; i++)
                relation = unit_find_relation(dependent, kinds[i], failed);
        if (!relation)
                return;
        unit_origin_format(dependent->table, relation->here != UNIT_ORIGIN_NONE ? relation->here : relation->there,
                           origin, sizeof(origin));
        job_declaration_format(kinds[i - 1], relation->here == UNIT_ORIGIN_NONE, dependent->id, failed->id, origin,
                               buffer);
}

/* "BindsTo=b.service (a.service:3)", with the conditions that prevented the start of b.service. NULL without memory. */
static JobName *end_ask_binding(const Unit *unit) {
        const Unit *other = unit_find_unbound(unit);
        char declaration[JOB_DECLARATION_TEXT_MAX], conditions[JOB_END_REASON_TEXT_MAX / 2];
        char text[JOB_DECLARATION_TEXT_MAX + JOB_END_REASON_TEXT_MAX];
        const char *unmet;

        if (!other)
                return NULL;
        end_write_dependency(unit, other, declaration);
        unmet = unit_list_unmet(other, conditions, sizeof(conditions));
        snprintf(text, sizeof(text), "%s%s%s%s", *declaration ? declaration : other->id, unmet ? ", where " : "",
                 unmet ? unmet : "", unmet ? " is not met" : "");
        return job_name_new(text);
}

static JobName *end_ask(const JobEndReason *reason, const Unit *unit, JobResult result) {
        if (result == JOB_DONE && reason->code == JOB_END_UNIT_CHANGED)
                return NULL;
        if (reason->code == JOB_END_ANSWER && reason->number == UNIT_DEPENDENCY_UNMET)
                return end_ask_binding(unit);
        return job_end_reason_ask(reason, unit);
}

/*
 * The job of @dependent ends because of the job of @failed, and this chain began with the job of @root, which ended for
 * @reason. Returns a reason that names the line of the dependency and the first cause; its name is a reference, or NULL
 * without memory.
 */
static JobEndReason end_pass_on(const JobEndReason *reason, const Unit *root, const Unit *failed,
                                const Unit *dependent) {
        char declaration[JOB_DECLARATION_TEXT_MAX], cause[JOB_END_REASON_TEXT_MAX];
        char text[JOB_DECLARATION_TEXT_MAX + JOB_END_REASON_TEXT_MAX];
        const char *why = job_end_reason_format(reason, cause);

        end_write_dependency(dependent, failed, declaration);
        snprintf(text, sizeof(text), "%s failed%s%s%s%s%s%s%s", failed->id, *declaration ? ", " : "", declaration,
                 root != failed ? ", as " : "", root != failed ? root->id : "", root != failed ? " failed" : "",
                 why ? ": " : "", why ? why : "");
        return (JobEndReason) { .code = JOB_END_DEPENDENCY_OF, .name = job_name_new(text) };
}

/* @root: the unit whose job ended first, for @reason. */
static void end_dependent(JobManager *manager, const JobEnd *end, JobEndFlags flags, JobEndReason reason,
                          const Unit *root) {
        const Unit *failed = unit_table_at(manager->units, end->because - 1);
        JobEndReason passed = end_pass_on(&reason, root, failed, unit_table_at(manager->units, end->job->unit));
        cleanup_(job_name_unrefp) JobName *told = passed.name;

        if (!told)
                passed = (JobEndReason) {
                        .code = JOB_END_DEPENDENCY,
                        .name = job_table_peek(&manager->table, end->because - 1)->name,
                };
        end_one(manager, end, flags, passed);
}

void job_manager_end(JobManager *manager, Job *job, JobResult result, JobEndFlags flags, JobEndReason reason) {
        const Unit *root = unit_table_at(manager->units, job->unit);
        cleanup_(job_name_unrefp) JobName *told = NULL;
        size_t first = manager->ends.n;

        assert(first == 0);

        if (!reason.name)
                reason.name = told = end_ask(&reason, root, result);
        end_queue(manager, job, result, 0);
        for (size_t i = first; i < manager->ends.n; i++) {
                JobEnd end = manager->ends.items[i];

                if (end.because == 0)
                        end_one(manager, &end, flags, reason);
                else
                        end_dependent(manager, &end, flags, reason, root);
        }
        vector_clear(&manager->ends);
}

void job_manager_end_first_half(JobManager *manager, Job *job) {
        JobUnitEntry *entry = job_table_entry(&manager->table, job->unit);

        if (entry->pending && entry->pending->type == JOB_STOP) {
                job_manager_end(manager, job, JOB_CANCELED, 0,
                                (JobEndReason) { .code = JOB_END_STOPPED, .number = entry->pending->id });
                return;
        }
        if (entry->pending) {
                Job *absorbed = entry->pending;

                job_table_remove(&manager->table, absorbed);
                job_table_absorb(&manager->table, job, absorbed);
                job_free(absorbed);
        }

        job->between_halves = true;
        job_table_put_back(&manager->table, job, JOB_START);
        job_table_update_deadline(&manager->table, job);
        job_manager_emit(manager, JOB_EVENT_CHANGED, job, "stopped, to be started", NULL);
}

static void change_end_triggered(JobManager *manager, Job *job, JobReaction reaction, const JobChange *change) {
        if (job->type == JOB_RESTART && job->run_type == JOB_STOP && reaction.result == JOB_DONE) {
                job_manager_end_first_half(manager, job);
                return;
        }
        job_manager_end(manager, job, reaction.result, JOB_END_SPREADS,
                        (JobEndReason) { .code = JOB_END_UNIT_CHANGED, .number = change->new });
}

void job_manager_end_pause(JobManager *manager, Job *pending) {
        if (pending->pause != JOB_PAUSE_NOT_NOW)
                return;
        job_table_set_pause(&manager->table, pending, JOB_PAUSE_NONE);
        job_manager_emit(manager, JOB_EVENT_CHANGED, pending, "the unit may be asked again", NULL);
}

/* Ends a pending start or verify of a unit that is active already. */
static void change_end_pending(JobManager *manager, const JobChange *change) {
        Job *pending = job_table_peek(&manager->table, change->unit)->pending;

        if (!pending)
                return;
        job_manager_end_pause(manager, pending);
        if (unit_state_is_active_or_reloading(change->new) &&
            (pending->run_type == JOB_START || pending->run_type == JOB_VERIFY_ACTIVE))
                job_manager_end(manager, pending, JOB_DONE, JOB_END_SPREADS,
                                (JobEndReason) { .code = JOB_END_UNIT_ACTIVE });
}

void job_manager_take_change(JobManager *manager, const JobChange *change) {
        const Unit *unit = unit_table_at(manager->units, change->unit);
        const JobUnitEntry *entry;
        bool is_unexpected = true;

        if (!unit)
                return;

        entry = job_table_peek(&manager->table, change->unit);
        if (entry->triggered) {
                JobReaction reaction = job_react(entry->triggered->run_type, change->new, change->flags);

                is_unexpected = reaction.is_unexpected;
                if (reaction.ends)
                        change_end_triggered(manager, entry->triggered, reaction, change);
        } else if (entry->pending && entry->pending->between_halves)
                is_unexpected = false;

        change_end_pending(manager, change);
        job_notify_change(&manager->notify, unit, change->old, change->new, change->flags, is_unexpected,
                          manager->now);
        job_manager_recover(manager, unit, change);
        job_notify_look(&manager->notify, unit);
}

/*
 * Queues a change that came while a trigger was on the stack. Without memory the last change of the same unit is
 * extended.
 */
static void changes_add(JobManager *manager, const JobChange *change) {
        if (vector_push(&manager->changes, *change) == 0)
                return;

        for (size_t i = manager->changes.n; i-- > 0;)
                if (manager->changes.items[i].unit == change->unit) {
                        manager->changes.items[i].new = change->new;
                        manager->changes.items[i].flags |= change->flags;
                        return;
                }
}

void job_manager_finish(JobManager *manager, Unit *unit, UnitActiveState old, UnitActiveState new,
                        UnitChangeFlags flags, uint64_t now) {
        JobChange change = { .unit = unit->index, .old = old, .new = new, .flags = flags };

        manager->now = now;
        if (manager->is_triggering) {
                changes_add(manager, &change);
                return;
        }
        job_manager_take_change(manager, &change);
        job_manager_follow_up(manager);
}

static void forget_jobs(JobManager *manager, const Unit *unit) {
        JobUnitEntry *entry = job_table_entry(&manager->table, unit->index);

        while (!job_unit_entry_is_empty(entry))
                job_manager_end(manager, job_unit_entry_main(entry), JOB_COLLECTED, JOB_END_SPREADS,
                                (JobEndReason) { .code = JOB_END_UNIT_GONE });
        if (entry->name && entry->name->n_references > 1)
                job_names_keep(manager->table.names, entry->name);
        entry->name = job_name_unref(entry->name);
        job_table_set_recovery(&manager->table, unit->index, 0);
}

void job_manager_forget_unit(JobManager *manager, Unit *unit, uint64_t now) {
        manager->now = now;
        job_notify_forget(&manager->notify, unit);
        job_manager_rescan_neighbours(manager, unit);   /* their relation to @unit goes */
        if (unit->index < manager->table.n_entries)
                forget_jobs(manager, unit);
        job_manager_forget_recoveries(manager, unit);
}
