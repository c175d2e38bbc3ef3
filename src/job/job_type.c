/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Job types, results and states as data
 *
 * The merge table is systemd's, because clients know it. Merging followed by
 * collapsing is commutative and associative in every unit state, and
 * mergeability is transitive; the merge of candidates in a transaction and the
 * choice of victims there rely on it.
 */

#include <assert.h>

#include "job/job_type.h"

static const char *const job_state_table[_JOB_STATE_MAX] = {
        [JOB_WAITING] = "waiting",
        [JOB_RUNNING] = "running",
};

static const char *const job_result_table[_JOB_RESULT_MAX] = {
        [JOB_DONE] = "done",
        [JOB_CANCELED] = "canceled",
        [JOB_TIMEOUT] = "timeout",
        [JOB_FAILED] = "failed",
        [JOB_DEPENDENCY] = "dependency",
        [JOB_SKIPPED] = "skipped",
        [JOB_INVALID] = "invalid",
        [JOB_ASSERT] = "assert",
        [JOB_UNSUPPORTED] = "unsupported",
        [JOB_COLLECTED] = "collected",
        [JOB_ONCE] = "once",
        [JOB_MERGED] = "merged",
};

DEFINE_STRING_TABLE(job_state, JobState, job_state_table)
DEFINE_STRING_TABLE(job_result, JobResult, job_result_table)

#define X _JOB_TYPE_INVALID

static const int merge_table[_JOB_TYPE_MAX_MERGING][_JOB_TYPE_MAX_MERGING] = {
        /*                        start                verify-active      stop      reload               restart */
        [JOB_START] =         { JOB_START,           JOB_START,         X,        JOB_RELOAD_OR_START, JOB_RESTART },
        [JOB_VERIFY_ACTIVE] = { JOB_START,           JOB_VERIFY_ACTIVE, X,        JOB_RELOAD,          JOB_RESTART },
        [JOB_STOP] =          { X,                   X,                 JOB_STOP, X,                   X           },
        [JOB_RELOAD] =        { JOB_RELOAD_OR_START, JOB_RELOAD,        X,        JOB_RELOAD,          JOB_RESTART },
        [JOB_RESTART] =       { JOB_RESTART,         JOB_RESTART,       X,        JOB_RESTART,         JOB_RESTART },
};

#undef X

int job_type_from_request(const char *word, JobType *ret_type, bool *ret_reload_if_possible) {
        int type;

        assert(ret_type);
        assert(ret_reload_if_possible);

        if (!word)
                return -EINVAL;

        *ret_reload_if_possible = true;
        if (strcmp(word, "reload-or-restart") == 0) {
                *ret_type = JOB_RESTART;
                return 0;
        }
        if (strcmp(word, "reload-or-try-restart") == 0 || strcmp(word, "try-reload-or-restart") == 0) {
                *ret_type = JOB_TRY_RESTART;
                return 0;
        }

        *ret_reload_if_possible = false;
        type = job_type_from_string(word);
        if (type < 0)
                return type;

        *ret_type = type;
        return 0;
}

JobType job_type_merge(JobType a, JobType b) {
        if (a == JOB_NOP && b == JOB_NOP)
                return JOB_NOP;
        if (a >= _JOB_TYPE_MAX_MERGING || b >= _JOB_TYPE_MAX_MERGING)
                return _JOB_TYPE_INVALID;
        return merge_table[a][b];
}

bool job_type_conflicts(JobType a, JobType b) {
        if (a == JOB_NOP || b == JOB_NOP)
                return false;
        return job_type_merge(a, b) == _JOB_TYPE_INVALID;
}

JobType job_type_collapse(JobType type, UnitActiveState state, bool has_stop) {
        switch (type) {
        case JOB_TRY_RESTART:
                return unit_state_is_active_or_activating(state) && !has_stop ? JOB_RESTART : JOB_NOP;
        case JOB_TRY_RELOAD:
                return unit_state_is_active_or_reloading(state) && !has_stop ? JOB_RELOAD : JOB_NOP;
        case JOB_RELOAD_OR_START:
                return unit_state_is_active_or_reloading(state) ? JOB_RELOAD : JOB_START;
        case JOB_START:
        case JOB_VERIFY_ACTIVE:
        case JOB_STOP:
        case JOB_RELOAD:
        case JOB_RESTART:
        case JOB_NOP:
        case _JOB_TYPE_MAX:
        case _JOB_TYPE_INVALID:
                return type;
        }
        return type;
}

JobType job_type_resolve(JobType type, UnitActiveState state, bool is_starting, bool has_stop,
                         bool *ret_absorbs_start) {
        JobType resolved = job_type_collapse(type, state, has_stop);

        if (type == JOB_RELOAD_OR_START && is_starting)
                resolved = JOB_RELOAD;
        *ret_absorbs_start = type == JOB_RELOAD_OR_START && resolved == JOB_RELOAD;
        return resolved;
}

bool job_type_is_redundant(JobType type, UnitActiveState state) {
        switch (type) {
        case JOB_START:
        case JOB_VERIFY_ACTIVE:
                return unit_state_is_active_or_reloading(state);
        case JOB_STOP:
                return unit_state_is_inactive_or_failed(state);
        case JOB_NOP:
                return true;
        case JOB_RELOAD:
        case JOB_RESTART:
        case JOB_TRY_RESTART:
        case JOB_TRY_RELOAD:
        case JOB_RELOAD_OR_START:
        case _JOB_TYPE_MAX:
        case _JOB_TYPE_INVALID:
                return false;
        }
        return false;
}

bool job_type_is_applicable(JobType type, const Unit *unit) {
        switch (type) {
        case JOB_START:
        case JOB_VERIFY_ACTIVE:
        case JOB_NOP:
                return true;
        case JOB_STOP:
                return !unit->settings.is_perpetual;
        case JOB_RESTART:
        case JOB_TRY_RESTART:
                return unit_can_stop(unit) && unit_can_start(unit);
        case JOB_RELOAD:
        case JOB_TRY_RELOAD:
                return unit_can_reload(unit);
        case JOB_RELOAD_OR_START:
                return unit_can_reload(unit) && unit_can_start(unit);
        case _JOB_TYPE_MAX:
        case _JOB_TYPE_INVALID:
                return false;
        }
        return false;
}

JobType job_type_first_run(JobType type) {
        return type == JOB_RESTART ? JOB_STOP : type;
}

bool job_type_covers(JobType type, JobType run, JobType wanted) {
        if (run == JOB_START)
                return wanted == JOB_START || wanted == JOB_VERIFY_ACTIVE;
        if (type == JOB_RESTART)
                return wanted == JOB_START || wanted == JOB_VERIFY_ACTIVE || wanted == JOB_RELOAD ||
                       wanted == JOB_RESTART;

        /* A running reload never covers a new one: the configuration may have changed since it began. */
        return type == wanted && (type == JOB_STOP || type == JOB_VERIFY_ACTIVE);
}

bool job_type_second_goes_first(JobType run_of_b) {
        return run_of_b == JOB_STOP;
}
