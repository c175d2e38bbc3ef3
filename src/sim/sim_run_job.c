/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Attempts that are jobs of units
 *
 * A job is asked for as the script would with exec. It outlives core, as all
 * jobs do, and is looked at again in each turn.
 */

#include <errno.h>

#include "sim/sim.h"

static JobType type_of(FlowOperation operation) {
        JobType type = JOB_START;
        bool reload;

        /* Whether the unit can reload instead is of no account here. */
        (void) job_type_from_request(flow_operation_to_string(operation), &type, &reload);
        return type;
}

static void begin(Sim *sim, SimAttempt *attempt, const FlowNode *node) {
        const JobRequest request = { .unit = node->unit, .type = type_of(node->operation), .is_manual = true };
        const JobRequester requester = { .reason = "a node asks for it" };
        const JobOptions options = { .mode = node->job_mode, .requester = &requester, .now = sim->now };
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        const int r = job_manager_exec(sim->jobs, &request, 1, &options, &plan);

        attempt->state = SIM_ATTEMPT_RUNS;
        attempt->started_at = sim->now;
        attempt->is_told = false;
        attempt->job = r == JOB_MANAGER_E_SUCCESS ? plan->jobs.items[plan->anchors.items[0]].id : JOB_ID_NONE;
        if (r < 0)
                sim->events.error = r;
        else if (r != JOB_MANAGER_E_SUCCESS)
                sim_attempt_end(&sim->runs.attempts, attempt, RUN_END_FAILED, 0);
}

bool sim_runs_begin_job(Sim *sim, SimAttempt *attempt) {
        const SimRun *run = sim_runs_find(sim, attempt->key.run);
        FlowCommand command;
        bool is_job;

        if (!run || flow_command_open(&command, run->definition, attempt->key.node) < 0)
                return false;
        is_job = command.node->unit && !command.is_extra;
        if (is_job)
                begin(sim, attempt, command.node);
        flow_command_close(&command);
        return is_job;
}

static RunEndKind kind_of(JobResult result) {
        switch (result) {
        case JOB_DONE:
        case JOB_SKIPPED:
                return RUN_END_EXITED;
        case JOB_CANCELED:
                return RUN_END_CANCELLED;
        case JOB_TIMEOUT:
                return RUN_END_TIMEOUT;
        case JOB_FAILED:
        case JOB_DEPENDENCY:
        case JOB_INVALID:
        case JOB_ASSERT:
        case JOB_UNSUPPORTED:
        case JOB_COLLECTED:
        case JOB_ONCE:
        case JOB_MERGED:
        case _JOB_RESULT_MAX:
        case _JOB_RESULT_INVALID:
                break;
        }
        return RUN_END_FAILED;
}

static void end(Sim *sim, SimAttempt *attempt, RunEndKind kind) {
        sim_attempt_end(&sim->runs.attempts, attempt, kind, 0);
        sim_runs_emit_attempt(sim, attempt, "ended");
        sim->runs.has_changed = true;
}

static void look(Sim *sim, SimAttempt *attempt) {
        const JobRequester requester = { .reason = "its node was ended" };
        JobInfo job;

        if (attempt->is_told_to_end) {
                if (job_manager_cancel(sim->jobs, attempt->job, &requester, sim->now, NULL) ==
                    JOB_MANAGER_E_NOT_CANCELABLE)
                        (void) job_manager_detach(sim->jobs, attempt->job, &requester, sim->now, NULL);
                end(sim, attempt, RUN_END_CANCELLED);
        } else if (job_manager_find(sim->jobs, attempt->job, &job))
                attempt->job = job.id;
        else
                end(sim, attempt, job_manager_find_ended(sim->jobs, attempt->job, &job) ? kind_of(job.result) :
                                                                                         RUN_END_LOST);
}

void sim_runs_look_at_jobs(Sim *sim) {
        SimAttempts *attempts = &sim->runs.attempts;

        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i].state == SIM_ATTEMPT_RUNS && attempts->all.items[i].job != JOB_ID_NONE)
                        look(sim, &attempts->all.items[i]);
}
