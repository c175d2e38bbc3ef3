/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The events of the simulation
 *
 * Events are written at once, so their order is that of the engine. A job
 * that goes from waiting to running is reported as "trigger" instead of "job-
 * changed", as readers of the output count dispatches.
 *
 * In a benchmark nobody reads events, and making 100,000 objects would be
 * measured instead of the engine: then no events are made at all.
 */

#include <assert.h>
#include <errno.h>

#include "sim/sim.h"
#include "sim/sim_event.h"
#include "sim/sim_unit.h"
#include "unitfile/unit_file.h"

int sim_events_init(SimEvents *events, FILE *output, bool is_quiet, bool is_needed) {
        *events = (SimEvents) {
                .output = is_quiet ? NULL : output,
                .is_needed = is_needed || !is_quiet,
                .since = json_array(),
        };
        return events->since ? 0 : -ENOMEM;
}

void sim_events_deinit(SimEvents *events) {
        json_decref(events->since);
        json_decref(events->last);
        events->since = events->last = NULL;
}

void sim_events_begin(SimEvents *events) {
        json_array_clear(events->since);
}

static void sim_events_check(SimEvents *events, int r) {
        if (r < 0 && events->error == 0)
                events->error = -ENOMEM;
}

json_t *sim_event_new(SimEvents *events, const char *name) {
        json_t *event;

        if (!events->is_needed)
                return NULL;
        event = json_pack("{s:s}", "ev", name);
        sim_events_check(events, event ? 0 : -ENOMEM);
        return event;
}

void sim_event_set(SimEvents *events, json_t *event, const char *key, json_t *value) {
        if (event)
                sim_events_check(events, json_object_set_new(event, key, value));
        else
                json_decref(value);
}

static void set_string(SimEvents *events, json_t *event, const char *key, const char *value) {
        if (event && value)
                sim_event_set(events, event, key, json_string(value));
}

void sim_event_merge(SimEvents *events, json_t *event, JsonSink *sink) {
        cleanup_(json_decrefp) json_t *object = NULL;

        if (json_sink_finish(sink, &object) < 0)
                sim_events_check(events, -ENOMEM);
        else if (event)
                sim_events_check(events, json_object_update(event, object));
}

static void sim_events_print(SimEvents *events, const json_t *event) {
        if (!events->output)
                return;
        sim_events_check(events, json_dumpf(event, events->output, JSON_COMPACT));
        fputc('\n', events->output);
}

void sim_event_emit(SimEvents *events, json_t *event) {
        if (!event)
                return;
        sim_events_print(events, event);
        json_decref(events->last);
        events->last = json_incref(event);
        sim_events_check(events, json_array_append_new(events->since, event));
}

void sim_event_set_failure(SimEvents *events, json_t *event, const Failure *failure) {
        sim_event_set(events, event, "ok", json_false());
        set_string(events, event, "error", failure->name);
        set_string(events, event, "message", failure_message(failure));
}

static json_t *sim_event_new_job(SimEvents *events, const char *name, const JobInfo *job) {
        json_t *event = sim_event_new(events, name);

        if (!event)
                return NULL;
        sim_event_set(events, event, "id", json_integer(job->id));
        set_string(events, event, "unit", job->unit ? job->unit->id : NULL);
        set_string(events, event, "type", job_type_to_string(job->type));
        return event;
}

/* The stored stage of a job between two events; never 0, which is "unknown". */
static uintptr_t sim_job_stage(const JobInfo *job) {
        return 1 + (uintptr_t) job->state * _JOB_TYPE_MAX + (uintptr_t) job->run_type;
}

/* Whether the job has just been passed to its unit. */
static bool sim_job_is_new_trigger(Sim *sim, const JobInfo *job) {
        uintptr_t before = (uintptr_t) id_map_get(&sim->job_states, job->id);

        if (id_map_put(&sim->job_states, job->id, (void *) sim_job_stage(job)) < 0)
                sim->events.error = -ENOMEM;
        return job->state == JOB_RUNNING && before != sim_job_stage(job);
}

static json_t *sim_event_new_trigger(Sim *sim, const JobInfo *job) {
        SimEvents *events = &sim->events;
        json_t *event = sim_event_new(events, "trigger");

        sim_event_set(events, event, "job", json_integer(job->id));
        set_string(events, event, "unit", job->unit->id);
        set_string(events, event, "run", job_type_to_string(job->run_type));
        return event;
}

static json_t *sim_event_new_change(Sim *sim, const JobInfo *job) {
        SimEvents *events = &sim->events;
        json_t *event;

        if (sim_job_is_new_trigger(sim, job))
                return sim_event_new_trigger(sim, job);

        event = sim_event_new_job(events, "job-changed", job);
        set_string(events, event, "run", job_type_to_string(job->run_type));
        set_string(events, event, "state", job_state_to_string(job->state));
        sim_event_set(events, event, "irreversible", json_boolean(job->is_irreversible));
        sim_event_set(events, event, "paused", json_boolean(job->is_paused));
        if (job->blocker != JOB_ID_NONE)
                sim_event_set(events, event, "blocker", json_integer(job->blocker));
        return event;
}

/* A verify job ends within its dispatch, without an event in which it is running. */
static bool sim_job_was_only_looking(const Sim *sim, const JobInfo *job) {
        if (!sim->is_running)
                return false;
        if (job->type == JOB_NOP)
                return job->result == JOB_DONE;
        return job->type == JOB_VERIFY_ACTIVE && (job->result == JOB_DONE || job->result == JOB_SKIPPED);
}

static json_t *sim_event_new_removed(Sim *sim, const JobInfo *job) {
        json_t *event;

        if (sim_job_was_only_looking(sim, job))
                sim_event_emit(&sim->events, sim_event_new_trigger(sim, job));
        event = sim_event_new_job(&sim->events, "job-removed", job);
        set_string(&sim->events, event, "result", job_result_to_string(job->result));
        (void) id_map_remove(&sim->job_states, job->id);
        return event;
}

static json_t *sim_event_new_failure(SimEvents *events, const char *name, const Failure *failure) {
        json_t *event = sim_event_new(events, name);

        if (failure) {
                set_string(events, event, "error", failure->name);
                set_string(events, event, "message", failure_message(failure));
        }
        return event;
}

static json_t *sim_event_make(Sim *sim, const JobEvent *event) {
        switch (event->kind) {
        case JOB_EVENT_INSTALLED:
                (void) sim_job_is_new_trigger(sim, &event->job);
                return sim_event_new_job(&sim->events, "job-new", &event->job);
        case JOB_EVENT_CHANGED:
                return sim_event_new_change(sim, &event->job);
        case JOB_EVENT_FINISHED:
                return sim_event_new_removed(sim, &event->job);
        case JOB_EVENT_REFUSED:
                return sim_event_new_failure(&sim->events, "refused", event->failure);
        case JOB_EVENT_CYCLE_BROKEN:
                return sim_event_new_failure(&sim->events, "cycle-broken", event->failure);
        }
        return NULL;
}

void sim_job_event(const JobEvent *event, void *userdata) {
        Sim *sim = userdata;
        char cause[JOB_EVENT_CAUSE_MAX];
        json_t *json;

        if (!sim->events.is_needed)
                return;
        json = sim_event_make(sim, event);
        set_string(&sim->events, json, "cause", job_event_cause(event, cause));
        sim_event_emit(&sim->events, json);
}

static void sim_unit_changed(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new,
                             UnitChangeFlags flags) {
        Sim *sim = userdata;
        json_t *event = sim_event_new(&sim->events, "unit");

        sim_unit_set_will_restart(unit, flags & UNIT_CHANGE_WILL_RESTART);
        set_string(&sim->events, event, "unit", unit->id);
        set_string(&sim->events, event, "from", unit_active_state_to_string(old));
        set_string(&sim->events, event, "to", unit_active_state_to_string(new));
        sim_event_emit(&sim->events, event);
        job_manager_finish(sim->jobs, unit, old, new, flags, sim->now);
        if (sim->unit_changed)
                sim->unit_changed(sim, unit, old, new);
}

static void sim_unit_ready(void *userdata, Unit *unit) {
        Sim *sim = userdata;

        job_manager_resume(sim->jobs, unit);
}

static void sim_unit_reloaded_itself(void *userdata, Unit *unit) {
        Sim *sim = userdata;

        job_manager_notify_reload(sim->jobs, unit, JOB_FAIL, sim->now);
}

static void sim_unit_added(void *userdata, Unit *unit) {
}

static void sim_unit_removed(void *userdata, Unit *unit) {
        Sim *sim = userdata;

        if (sim->jobs)
                job_manager_forget_unit(sim->jobs, unit, sim->now);
}

static void sim_unit_related(void *userdata, Unit *unit) {
        Sim *sim = userdata;

        if (sim->jobs)
                job_manager_unit_related(sim->jobs, unit);
}

/* Conditions depend on the machine, which a simulation does not have: they are met unless the script says "skip". */
static UnitAnswer sim_check_conditions(void *userdata, Unit *unit) {
        return UNIT_UNDER_WAY;
}

const UnitObserverOps sim_observer_ops = {
        .changed = sim_unit_changed,
        .ready = sim_unit_ready,
        .reloaded_itself = sim_unit_reloaded_itself,
        .added = sim_unit_added,
        .removed = sim_unit_removed,
        .related = sim_unit_related,
        .check_conditions = sim_check_conditions,
};
