/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Units and their runs
 *
 * A run asks for a start of its unit, a stop of the unit holds its runs.
 */

#include <errno.h>

#include "basic/text.h"
#include "sim/sim.h"
#include "sim/sim_flow.h"

static Sim *sim_of(UnitHost *host) {
        return container_of(host, Sim, host);
}

/* All units are being stopped. */
static bool is_ending(const Sim *sim) {
        const Unit *target = unit_table_find(sim->units, "shutdown.target");

        return target && (target->active_state == UNIT_ACTIVE || target->active_state == UNIT_ACTIVATING ||
                          job_manager_unit_has_type(sim->jobs, target, JOB_START));
}

/* The boot lasts to the end of the turn in which its job ends. */
static void end_boot(Sim *sim) {
        JobInfo job;

        if (sim->runs.boot_job > 0 && !job_manager_find(sim->jobs, sim->runs.boot_job, &job)) {
                sim->runs.boot_job = 0;
                sim->runs.has_changed = true;
        }
}

/* — from units — */

int sim_runs_start_unit(UnitHost *host, Unit *unit) {
        SimFlow *flow = sim_runs_flow(sim_of(host), unit);

        if (!flow)
                return -ENOMEM;
        flow->has_failed = flow->has_succeeded = flow->is_stopping = false;
        flow->problem = NULL;
        flow->is_news = flow->is_starting = true;
        if (sim_flow_waits_for_end(unit))
                run_flow_unit(flow->engine, RUN_UNIT_ACTIVE, sim_of(host)->runs.boot_job == 0);
        return 0;
}

static void interrupt(Sim *sim, const Unit *unit) {
        SimAttempts *attempts = &sim->runs.attempts;
        const FlowSettings *settings = unit->type_settings;

        for (size_t i = 0; i < attempts->all.n; i++) {
                SimAttempt *attempt = &attempts->all.items[i];

                if (attempt->state == SIM_ATTEMPT_OVER || !text_equal(attempt->unit, unit->id))
                        continue;
                attempt->is_interrupted = true;
                sim_attempt_tell_to_end(attempt, sim->now, settings ? settings->timeout_stop : 0);
                sim->runs.has_changed = true;
        }
}

void sim_runs_stop_unit(UnitHost *host, Unit *unit, bool interrupts) {
        Sim *sim = sim_of(host);
        SimFlow *flow = sim_runs_find_flow(sim, unit);

        if (flow && !flow->is_stopping)
                run_flow_unit(flow->engine, RUN_UNIT_STOP, !is_ending(sim));
        if (flow)
                flow->is_stopping = flow->is_news = true;
        if (interrupts)
                interrupt(sim, unit);
}

void sim_runs_unit_changed(Sim *sim, Unit *unit, UnitActiveState old, UnitActiveState new) {
        SimFlow *flow;

        if (!sim_flow_is_of(unit) || old == new || !(flow = sim_runs_find_flow(sim, unit)))
                return;
        if (new == UNIT_ACTIVE)
                run_flow_unit(flow->engine, RUN_UNIT_ACTIVE, sim->runs.boot_job == 0);
        else if (unit_state_is_inactive_or_failed(new))
                run_flow_unit(flow->engine, RUN_UNIT_INACTIVE, false);
        flow->is_stopping = flow->is_stopping && !unit_state_is_inactive_or_failed(new);
        flow->is_news = true;
}

/* Runs that are not durable have asked for no start job yet: a stop cancels them as it cancels that job. */
static void cancel_unasked(Sim *sim, const JobInfo *job) {
        SimFlow *flow = job->unit && job->type == JOB_STOP ? sim_runs_find_flow(sim, job->unit) : NULL;

        if (!flow || !unit_state_is_inactive_or_failed(job->unit->active_state) || is_ending(sim))
                return;
        run_flow_unit(flow->engine, RUN_UNIT_CANCELLED, false);
        flow->is_news = true;
}

void sim_runs_job_event(const JobEvent *event, void *userdata) {
        const JobInfo *job = &event->job;
        Sim *sim = userdata;
        SimFlow *flow;

        if (event->kind == JOB_EVENT_INSTALLED)
                cancel_unasked(sim, job);
        if (event->kind != JOB_EVENT_FINISHED || !job->unit || job->type != JOB_START || job->result == JOB_DONE ||
            job->unit->active_state == UNIT_ACTIVE || !(flow = sim_runs_find_flow(sim, job->unit)))
                return;
        if (job->unit->active_state == UNIT_ACTIVATING && sim_flow_waits_for_end(job->unit))
                return;
        run_flow_unit(flow->engine, job->result == JOB_CANCELED ? RUN_UNIT_CANCELLED : RUN_UNIT_FAILED, false);
        flow->is_news = true;
}

void sim_runs_get(UnitHost *host, const Unit *unit, UnitRuns *ret_runs) {
        Sim *sim = sim_of(host);
        const SimFlow *flow = sim_runs_find_flow(sim, unit);

        *ret_runs = (UnitRuns) { .n_attempts = sim_attempts_count(&sim->runs.attempts, unit->id) };
        if (!flow)
                return;
        for (const SimRun *run = flow->first; run; run = run->next)
                ret_runs->n_live += sim_runs_is_live(sim, run);
        ret_runs->is_starting = flow->is_starting || !sim->runs.is_loaded;
        ret_runs->has_failed = flow->has_failed;
        ret_runs->has_succeeded = flow->has_succeeded;
        ret_runs->problem = flow->problem;
}

/* — to units — */

static int ask_for(Sim *sim, SimFlow *flow, const char *reason) {
        const JobRequest request = { .unit = flow->unit->id, .type = JOB_START };
        const JobRequester requester = { .reason = reason };
        const JobOptions options = { .mode = JOB_REPLACE, .requester = &requester, .now = sim->now };
        JobInfo job;
        int r;

        if (flow->unit->active_state == UNIT_ACTIVE || is_ending(sim) ||
            job_manager_unit_job(sim->jobs, flow->unit, &job))
                return 0;
        r = job_manager_exec(sim->jobs, &request, 1, &options, NULL);
        if (r < 0)
                return r;
        sim->runs.has_changed = true;
        if (r == JOB_MANAGER_E_REFUSED)
                run_flow_unit(flow->engine, RUN_UNIT_FAILED, false);
        return 0;
}

/* A run that the end of the earlier boot has held. */
static bool has_held(const Sim *sim, const SimFlow *flow) {
        for (const SimRun *run = flow->first; run; run = run->next) {
                RunRow row;
                RunWhy why;

                if (run_engine_get(sim->runs.engine, run->id, &row, &why) == 0 && row.is_held &&
                    !row.is_held_by_person)
                        return true;
        }
        return false;
}

static int ask_for_units(Sim *sim) {
        const bool revives = sim->runs.must_revive && sim->runs.boot_job == 0;
        int r = 0;

        for (SimFlow *flow = sim->runs.flows; r == 0 && flow; flow = flow->next)
                if (run_flow_wants_unit(flow->engine))
                        r = ask_for(sim, flow, "a run of it");
                else if (revives && unit_state_is_inactive_or_failed(flow->unit->active_state) && has_held(sim, flow))
                        r = ask_for(sim, flow, "runs that were interrupted");
        sim->runs.must_revive = sim->runs.must_revive && !revives;
        return r;
}

int sim_runs_tell_units(Sim *sim) {
        int r = sim->runs.is_loaded ? ask_for_units(sim) : 0;

        for (SimFlow *flow = sim->runs.flows; r == 0 && flow && sim->runs.is_loaded; flow = flow->next) {
                if (!flow->is_news)
                        continue;
                flow->is_news = false;
                sim->runs.has_changed = true;
                if (flow->unit->vtable->runs_changed)
                        flow->unit->vtable->runs_changed(flow->unit);
        }
        end_boot(sim);
        return r;
}
