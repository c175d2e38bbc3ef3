/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Job types, modes, results and states as data
 *
 * All rules about a pair of types, or about a type and a unit's state, are in
 * this module. job_type_collapse() resolves the composite types, which exist
 * in a stage only before merging.
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
        JOB_MERGED,                             /* only in the history */
        _JOB_RESULT_MAX,
        _JOB_RESULT_INVALID = -22,
} JobResult;

DECLARE_STRING_TABLE(job_state, JobState);
DECLARE_STRING_TABLE(job_result, JobResult);

/*
 * Parses a type of the API. Beside all types it accepts "reload-or-restart" and "reload-or-try-restart": restart and
 * try-restart, replaced by a reload where the unit can reload. 0 or -EINVAL.
 */
int job_type_from_request(const char *word, JobType *ret_type, bool *ret_reload_if_possible);

/*
 * The type that results from two types on one unit (may be composite), or _JOB_TYPE_INVALID for a conflict. nop merges
 * with nop only.
 */
JobType job_type_merge(JobType a, JobType b);
bool job_type_conflicts(JobType a, JobType b);          /* nop conflicts with nothing */

/*
 * Resolves a composite type by the unit's state; returns other types unchanged. @has_stop: a stop is installed for the
 * unit.
 */
JobType job_type_collapse(JobType type, UnitActiveState state, bool has_stop);
/*
 * The same if a start may be running (@is_starting), which can take a reload. *@ret_absorbs_start: the resulting reload
 * stands for a start, too.
 */
JobType job_type_resolve(JobType type, UnitActiveState state, bool is_starting, bool has_stop,
                         bool *ret_absorbs_start);

/* Returns true if the unit is already in the state that @type leads to. */
bool job_type_is_redundant(JobType type, UnitActiveState state);
bool job_type_is_applicable(JobType type, const Unit *unit);

/* The first run type of a job: stop for a restart, otherwise the type itself. */
JobType job_type_first_run(JobType type);

/*
 * Returns true if the rest of a triggered job (its @type and present run type @run) satisfies a new job of type
 * @wanted.
 */
bool job_type_covers(JobType type, JobType run, JobType wanted);

/* For "a before b": returns true if @b must go first; otherwise @a must, unless one of them is a nop. */
bool job_type_second_goes_first(JobType run_of_b);
