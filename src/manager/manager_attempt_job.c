/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of an attempt
 *
 * A job is in the state of the manager with its attempt: both are there after
 * a death of core, or neither.
 */

#include <inttypes.h>
#include <string.h>

#include "basic/text.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_attempt_job.h"
#include "manager/manager_attempt_launch.h"

static bool is_defined(const ManagerAttempt *attempt) {
        return manager_attempt_command_is_defined(manager_attempt_basis(attempt)->command);
}

static ManagerUseResult step_uses(ManagerAttempt *attempt, RunEndKind *ret_kind, char **ret_problem) {
        const ManagerAttemptBasis *basis = manager_attempt_basis(attempt);
        cleanup_free_ char *who = NULL;
        bool has_changed = false;
        ManagerUseContext context = { .jobs = basis->host->jobs, .flow = basis->unit };
        ManagerUseResult result;

        if (text_format(&who, "run %" PRIu32 ", node %s", basis->state->key.run, manager_attempt_node(attempt)) < 0)
                return MANAGER_USES_WAIT;
        context.who = who;
        result = manager_uses_step(manager_attempt_uses(attempt), &context, ret_kind, ret_problem, &has_changed);
        if (has_changed)
                manager_attempt_mark(attempt);
        return result;
}

static void tell_begun(ManagerAttempt *attempt) {
        if (manager_attempt_state(attempt)->has_begun)
                return;
        if (manager_uses_job(manager_attempt_uses(attempt)) != JOB_ID_NONE || manager_attempt_sub(attempt)->run != 0)
                manager_attempt_note_begun(attempt);
}

/* Goes on when the units and folders that the command needs are there, or cannot be had. True: it has gone on. */
static bool step_process(ManagerAttempt *attempt) {
        cleanup_free_ char *problem = NULL;
        RunEndKind kind = RUN_END_FAILED;
        ManagerUseResult result;

        if (!is_defined(attempt))
                return false;
        result = step_uses(attempt, &kind, &problem);
        if (result == MANAGER_USES_WAIT)
                return false;
        if (problem)
                manager_attempt_complain(attempt, problem);
        if (result == MANAGER_USES_ENDED)
                manager_attempt_fail(attempt, kind);
        else
                manager_attempt_go_on(attempt);
        return true;
}

/* A unit that the attempt is bound to is gone, and with it what the attempt could do. */
static bool end_lost(ManagerAttempt *attempt) {
        const ManagerAttemptState *state = manager_attempt_state(attempt);
        const ManagerJobs *jobs = manager_attempt_basis(attempt)->host->jobs;
        cleanup_free_ char *sentence = NULL;
        const char *unit = state->step < MANAGER_ATTEMPT_CLEAN && !state->is_stopping
                                   ? manager_uses_find_lost(manager_attempt_uses(attempt), jobs)
                                   : NULL;

        if (!unit)
                return false;
        if (text_format(&sentence, "It ends, because %s, which it is bound to, is gone.", unit) == 0)
                manager_attempt_complain(attempt, sentence);
        manager_attempt_end_lost(attempt);
        return true;
}

/* The result of the run is taken as if a command had left it. */
static int leave_result(const ManagerAttemptBasis *basis, const ManagerSub *sub) {
        int r;

        if (!sub->result || sub->kind != RUN_END_EXITED)
                return 0;
        r = manager_attempt_folder_make(basis->host->folder, basis->folder);
        return r < 0 ? r : manager_attempt_folder_write(basis->folder, "result", sub->result);
}

/* The run has ended. */
static bool end_sub(ManagerAttempt *attempt, const ManagerSub *sub) {
        const int r = leave_result(manager_attempt_basis(attempt), sub);

        if (r < 0) {
                manager_attempt_say(manager_attempt_basis(attempt), LOG_LEVEL_WARNING,
                                    "The result of its run cannot be kept, which is tried again: %s", strerror(-r));
                manager_attempt_look_again(attempt);
                return false;
        }
        if (sub->problem)
                manager_attempt_complain(attempt, sub->problem);
        manager_attempt_end_job(attempt, sub->kind);
        return true;
}

/* Units that the node requires come first. True: it has gone on, or ended. */
static bool step_sub_units(ManagerAttempt *attempt) {
        cleanup_free_ char *problem = NULL;
        RunEndKind kind = RUN_END_FAILED;
        const ManagerUseResult result = step_uses(attempt, &kind, &problem);

        if (problem)
                manager_attempt_complain(attempt, problem);
        if (result == MANAGER_USES_ENDED)
                manager_attempt_end_job(attempt, kind);
        return result != MANAGER_USES_WAIT;
}

/* The attempt is over when its run is, also if it was told to end. True if the end was told. */
static bool step_sub(ManagerAttempt *attempt) {
        const ManagerAttemptState *state = manager_attempt_state(attempt);
        const ManagerAttemptsHost *host = manager_attempt_basis(attempt)->host;
        ManagerSub *sub = manager_attempt_sub(attempt);

        if (state->is_abandoned) {
                manager_attempt_end_job(attempt, RUN_END_CANCELLED);
                return true;
        }
        if (state->step == MANAGER_ATTEMPT_COLLECT || !is_defined(attempt))
                return false;
        (void) end_lost(attempt);
        if (manager_attempt_waits_for_units(attempt))
                return step_sub_units(attempt);
        if (sub->not_before > host->turn->now) {
                manager_attempt_look_at(attempt, sub->not_before - host->turn->now);
                return false;
        }
        if (!sub->has_end)
                host->ops->step_sub(host->userdata, &state->key, sub, state->is_stopping);
        if (sub->has_changed)
                manager_attempt_mark(attempt);
        sub->has_changed = false;
        tell_begun(attempt);
        return sub->has_end && end_sub(attempt, sub);
}

/* The same for one that is a launch. */
static bool step_launch(ManagerAttempt *attempt) {
        const ManagerAttemptState *state = manager_attempt_state(attempt);
        const ManagerAttemptsHost *host = manager_attempt_basis(attempt)->host;
        ManagerLaunch *launch = manager_attempt_launch(attempt);

        if (state->is_abandoned) {
                host->ops->abandon_launch(host->userdata, &state->key);
                manager_attempt_end_job(attempt, RUN_END_CANCELLED);
                return true;
        }
        if (state->step == MANAGER_ATTEMPT_COLLECT || !is_defined(attempt))
                return false;
        if (!launch->has_end)
                host->ops->step_launch(host->userdata, &state->key, launch, state->is_stopping);
        if (launch->has_changed) {
                manager_launch_keep(launch);
                manager_attempt_mark(attempt);
        }
        launch->has_changed = false;
        if (launch->number > 0 && !state->has_begun)
                manager_attempt_note_begun(attempt);
        if (launch->has_end)
                manager_attempt_end_job(attempt, launch->kind);
        return launch->has_end;
}

/* The same for one that is a job, which the end of the attempt cancels. */
static bool step_job(ManagerAttempt *attempt) {
        const ManagerAttemptState *state = manager_attempt_state(attempt);
        cleanup_free_ char *problem = NULL;
        RunEndKind kind = RUN_END_EXITED;
        ManagerUseResult result;
        bool has_lost;

        has_lost = end_lost(attempt);
        if (state->is_stopping) {
                if (!state->is_abandoned)
                        manager_attempt_cancel_job(attempt);
                manager_attempt_end_job(attempt, has_lost ? RUN_END_FAILED : RUN_END_CANCELLED);
                return true;
        }
        if (!is_defined(attempt))
                return false;
        result = step_uses(attempt, &kind, &problem);
        if (problem)
                manager_attempt_complain(attempt, problem);
        if (result != MANAGER_USES_ENDED)
                tell_begun(attempt);
        if (result == MANAGER_USES_WAIT)
                return false;
        manager_attempt_end_job(attempt, kind);
        return true;
}

bool manager_attempt_job_step(ManagerAttempt *attempt) {
        const ManagerAttemptState *state = manager_attempt_state(attempt);

        if (state->is_range)
                return step_launch(attempt);
        if (state->is_sub)
                return step_sub(attempt);
        if (state->is_job)
                return step_job(attempt);
        return manager_attempt_waits_for_units(attempt) ? step_process(attempt) : end_lost(attempt);
}
