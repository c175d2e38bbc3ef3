/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit changes and answers, and their effect on a job
 *
 * Decides which change of a unit ends the job, with which result, and whether
 * the job caused the change. An unexpected change has consequences of its own
 * (job_notify).
 */

#include "job/job_reaction.h"

static JobReaction end(JobResult result) {
        return (JobReaction) { .ends = true, .result = result };
}

static JobReaction end_unexpected(JobResult result) {
        return (JobReaction) { .ends = true, .result = result, .is_unexpected = true };
}

static JobReaction go_on(bool is_unexpected) {
        return (JobReaction) { .is_unexpected = is_unexpected };
}

static JobReaction job_react_start(UnitActiveState state, UnitChangeFlags flags) {
        switch (state) {
        case UNIT_ACTIVE:
        case UNIT_RELOADING:
                return end(JOB_DONE);
        case UNIT_ACTIVATING:
                return go_on(false);
        case UNIT_DEACTIVATING:
                return go_on(true);
        case UNIT_INACTIVE:
                return end_unexpected(flags & UNIT_CHANGE_SKIPPED ? JOB_SKIPPED : JOB_DONE);
        case UNIT_FAILED:
        case UNIT_MAINTENANCE:
        case _UNIT_ACTIVE_STATE_MAX:
        case _UNIT_ACTIVE_STATE_INVALID:
                return end_unexpected(JOB_FAILED);
        }
        return go_on(true);
}

static JobReaction job_react_verify(UnitActiveState state) {
        if (unit_state_is_active_or_reloading(state))
                return end(JOB_DONE);
        if (state == UNIT_ACTIVATING)
                return go_on(false);
        return end(JOB_SKIPPED);
}

static JobReaction job_react_stop(UnitActiveState state) {
        if (unit_state_is_inactive_or_failed(state))
                return end(JOB_DONE);
        if (state == UNIT_DEACTIVATING)
                return go_on(false);
        return end_unexpected(JOB_FAILED);
}

static JobReaction job_react_reload(UnitActiveState state, UnitChangeFlags flags) {
        switch (state) {
        case UNIT_ACTIVE:
                return end(flags & UNIT_CHANGE_RELOAD_FAILED ? JOB_FAILED : JOB_DONE);
        case UNIT_RELOADING:
        case UNIT_ACTIVATING:
                return go_on(false);
        case UNIT_DEACTIVATING:
                return go_on(true);
        case UNIT_INACTIVE:
                return end_unexpected(JOB_DONE);
        case UNIT_FAILED:
        case UNIT_MAINTENANCE:
        case _UNIT_ACTIVE_STATE_MAX:
        case _UNIT_ACTIVE_STATE_INVALID:
                return end_unexpected(JOB_FAILED);
        }
        return go_on(true);
}

JobReaction job_react(JobType run, UnitActiveState state, UnitChangeFlags flags) {
        switch (run) {
        case JOB_START:
                return job_react_start(state, flags);
        case JOB_VERIFY_ACTIVE:
                return job_react_verify(state);
        case JOB_STOP:
                return job_react_stop(state);
        case JOB_RELOAD:
                return job_react_reload(state, flags);
        case JOB_RESTART:
        case JOB_NOP:
        case JOB_TRY_RESTART:
        case JOB_TRY_RELOAD:
        case JOB_RELOAD_OR_START:
        case _JOB_TYPE_MAX:
        case _JOB_TYPE_INVALID:
                return go_on(true);
        }
        return go_on(true);
}

bool job_result_from_answer(UnitAnswer answer, JobResult *ret_result) {
        static const JobResult table[_UNIT_ANSWER_MAX] = {
                [UNIT_ALREADY] = JOB_DONE,
                [UNIT_CONDITION_UNMET] = JOB_DONE,
                [UNIT_ASSERT_UNMET] = JOB_ASSERT,
                [UNIT_CANNOT] = JOB_SKIPPED,
                [UNIT_UNSUPPORTED] = JOB_UNSUPPORTED,
                [UNIT_WRONG_STATE] = JOB_INVALID,
                [UNIT_DEPENDENCY_UNMET] = JOB_DEPENDENCY,
                [UNIT_ONCE] = JOB_ONCE,
                [UNIT_OPERATION_FAILED] = JOB_FAILED,
        };

        if (answer == UNIT_UNDER_WAY || answer == UNIT_NOT_NOW)
                return false;

        *ret_result = answer >= 0 && answer < _UNIT_ANSWER_MAX ? table[answer] : JOB_FAILED;
        return true;
}
