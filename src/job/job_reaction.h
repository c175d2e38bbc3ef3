/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unit changes and answers, and their effect on a job
 */

#include <stdbool.h>

#include "job/job_type.h"

/* The effect of a unit's change on its triggered job. */
typedef struct JobReaction {
        bool ends;
        JobResult result;               /* valid if .ends */
        bool is_unexpected;
} JobReaction;

JobReaction job_react(JobType run, UnitActiveState state, UnitChangeFlags flags);

/* The result that a unit's answer means for the job. False for "under way" and "not now", which do not end it. */
bool job_result_from_answer(UnitAnswer answer, JobResult *ret_result);
