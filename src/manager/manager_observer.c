/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passing on events of units, jobs and processes
 *
 * A change of a unit is reported to the engine first, then to listeners;
 * nothing here calls back into the unit. Notifications go to the unit of the
 * sender.
 */

#include <assert.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_message.h"
#include "manager/manager_owner.h"
#include "manager/manager_parts.h"
#include "manager/manager_section.h"

static void observer_changed(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new,
                             UnitChangeFlags flags) {
        Manager *manager = userdata;

        manager_turn_enter(&manager->turn, unit);
        if (old == UNIT_FAILED || new == UNIT_FAILED)
                manager_units_count_failed(&manager->rows, unit, new == UNIT_FAILED);
        manager_follow_group(manager, unit);
        job_manager_finish(manager->engine, unit, old, new, flags, manager->turn.now);
        manager_triggers_note(&manager->triggers, unit);
        if (unit_type_has_runs(unit->type))
                manager_runs_unit_changed(manager->runs, unit, old, new);
        manager_jobs_arm(&manager->jobs);
        manager_listeners_tell(&manager->listeners, unit_changed, unit);
        if (unit_state_is_inactive_or_failed(new)) {
                manager_journal_remove_unit(manager->log, unit);
                manager_unloading_consider(&manager->unloading, unit);
        }
}

static void observer_ready(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        job_manager_resume(manager->engine, unit);
        manager_jobs_arm(&manager->jobs);
}

static void observer_reloaded_itself(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        job_manager_notify_reload(manager->engine, unit, JOB_REPLACE, manager->turn.now);
        manager_jobs_arm(&manager->jobs);
}

/* A unit whose start a condition prevented is soon unloaded, and loaded again when somebody asks for the condition. */
static void recall_conditions(Manager *manager, Unit *unit) {
        const ManagerTurn *turn = &manager->turn;
        UnitAnswer answer;
        const char *unmet;
        usec_t at;

        if (!unit->settings.rare->conditions || unit->conditions_checked.monotonic > 0)
                return;
        unmet = job_manager_find_unmet(manager->engine, unit, &answer, &at);
        if (unmet &&
            unit_restore_unmet(unit, answer, unmet,
                               (UnitTimestamp) { .realtime = usec_sub(turn->now_realtime, usec_sub(turn->now, at)),
                                                .monotonic = at }))
                manager_turn_mark(turn, unit);
}

static void observer_added(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        manager->turn.has_news = true;
        recall_conditions(manager, unit);
        manager_listeners_tell(&manager->listeners, unit_added, unit);
        manager_unloading_consider(&manager->unloading, unit);
}

static void observer_removed(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        manager->turn.has_news = true;
        job_manager_forget_unit(manager->engine, unit, manager->turn.now);
        manager_listeners_tell(&manager->listeners, unit_removed, unit);
        manager_forget_unit(manager, unit);
}

static void observer_related(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        job_manager_unit_related(manager->engine, unit);
        manager_jobs_arm(&manager->jobs);
}

static UnitAnswer observer_check_conditions(void *userdata, Unit *unit) {
        return unit_file_check_conditions(unit);
}

const UnitObserverOps manager_observer_ops = {
        .changed = observer_changed,
        .ready = observer_ready,
        .reloaded_itself = observer_reloaded_itself,
        .added = observer_added,
        .removed = observer_removed,
        .related = observer_related,
        .check_conditions = observer_check_conditions,
};

void manager_forget_unit(Manager *manager, Unit *unit) {
        manager_turn_mark(&manager->turn, unit);
        manager_drop_owner(manager, unit);
        manager_log_forget_unit(manager->log, unit);
        manager_names_forget_unit(&manager->names, unit);
        manager_invocations_forget_unit(&manager->invocations, unit);
        manager_units_forget(&manager->rows, unit);
}

/* — jobs — */

/* A job's time limit has elapsed: runs the JobTimeoutAction= of the unit. */
static void act_on_timeout(Manager *manager, const JobInfo *job) {
        if (job->result != JOB_TIMEOUT || !job->unit ||
            job->unit->settings.rare->job_timeout_action == UNIT_ACTION_NONE)
                return;
        manager_stages_request(&manager->stages, job->unit, job->unit->settings.rare->job_timeout_action, -1,
                               "its job timed out");
}

static void mark_job(Manager *manager, const JobEvent *event) {
        manager_mark_job(manager->turn.state, event->job.id);
        manager_mark_job(manager->turn.state, event->forgotten);
        if (!event->job.unit)
                return;
        if (event->kind == JOB_EVENT_INSTALLED)
                manager_records_mark_awaiting(manager, event->job.unit);
        else
                manager_turn_mark(&manager->turn, event->job.unit);
}

void manager_take_job_event(const JobEvent *event, void *userdata) {
        Manager *manager = userdata;

        manager->turn.has_news = true;
        mark_job(manager, event);
        manager_message_tell(&manager->rows, event, manager->turn.now);
        manager_stages_watch(&manager->stages, event);
        if (event->kind == JOB_EVENT_INSTALLED)
                manager_runs_job_installed(manager->runs, &event->job);
        if (event->kind == JOB_EVENT_FINISHED) {
                act_on_timeout(manager, &event->job);
                manager_runs_job_ended(manager->runs, &event->job);
                if (event->job.unit) {
                        manager_triggers_note(&manager->triggers, event->job.unit);
                        manager_unloading_consider(&manager->unloading, event->job.unit);
                        manager_unloading_consider_handled(&manager->unloading, event->job.unit);
                }
        }
        manager_listeners_tell(&manager->listeners, job_event, event);
}

/* — notifications — */

void manager_take_notification(void *userdata, pid_t sender, char *const *assignments, int *fds, size_t n_fds) {
        Manager *manager = userdata;
        Unit *unit = manager_unit_by_pid(manager, sender);

        if (!unit) {
                log_debug("Notification from process %d, which belongs to no unit.", (int) sender);
                return;
        }
        manager_turn_enter(&manager->turn, unit);
        if (n_fds > 0 && unit->vtable->passed_fds)
                unit->vtable->passed_fds(unit, sender, assignments, fds, n_fds);
        if (unit->vtable->notified)
                unit->vtable->notified(unit, sender, assignments);
}
