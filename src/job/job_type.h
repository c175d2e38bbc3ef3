/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Job types, modes, results and states as data
 *
 * Every rule about a pair of types, or about a type and a unit's state, is in
 * this module and in no other. Types that only exist on the way into a stage
 * (composite ones) are resolved by job_type_collapse().
 */

#include <stdbool.h>

#include "basic/string_table.h"
#include "unit/job_words.h"
#include "unit/unit.h"

typedef enum JobState {
        JOB_WAITING,                            /* pending */
        JOB_RUNNING,                            /* triggered */
        _JOB_STATE_MAX,
        _JOB_STATE_INVALID = -22,
} JobState;

typedef enum JobResult {
        JOB_DONE,
        JOB_CANCELED,
        JOB_TIMEOUT,
        JOB_FAILED,
        JOB_DEPENDENCY,
        JOB_SKIPPED,
        JOB_INVALID,
        JOB_ASSERT,
        JOB_UNSUPPORTED,
        JOB_COLLECTED,
        JOB_ONCE,
        JOB_MERGED,                             /* in history only */
        _JOB_RESULT_MAX,
        _JOB_RESULT_INVALID = -22,
} JobResult;

DECLARE_STRING_TABLE(job_state, JobState);
DECLARE_STRING_TABLE(job_result, JobResult);

/*
 * "reload-or-restart" and "reload-or-try-restart" are words of the API only: restart and try-restart, softened to a
 * reload where the unit can reload. Takes these and all types; 0 or -EINVAL.
 */
int job_type_from_request(const char *word, JobType *ret_type, bool *ret_reload_if_possible);

/*
 * The type that two types on a unit become (may be composite), or _JOB_TYPE_INVALID for a conflict. nop merges with nop
 * only.
 */
JobType job_type_merge(JobType a, JobType b);
bool job_type_conflicts(JobType a, JobType b);          /* nop conflicts with nothing */

/* Resolves a composite type by the unit's state; others stay. @has_stop: a stop is installed for the unit. */
JobType job_type_collapse(JobType type, UnitActiveState state, bool has_stop);
/*
 * The same where a start may be running (@is_starting): it can be reloaded then. *@ret_absorbs_start: the type became a
 * reload that stands for a start, too.
 */
JobType job_type_resolve(JobType type, UnitActiveState state, bool is_starting, bool has_stop,
                         bool *ret_absorbs_start);
JobType job_type_merge_and_collapse(JobType a, JobType b, UnitActiveState state);

/* Is the unit already where @type leads? */
bool job_type_is_redundant(JobType type, UnitActiveState state);
bool job_type_is_applicable(JobType type, const Unit *unit);

/* What a job of @type does first: a restart stops, the others do themselves. */
JobType job_type_first_run(JobType type);

/* Is what @run (a triggered job's @type and present run type) still has to do enough for a new @wanted? */
bool job_type_covers(JobType type, JobType run, JobType wanted);

/* For "a before b" and their run types: must @b go first? (Else @a must, unless one of them is a nop.) */
bool job_type_second_goes_first(JobType run_of_b);
