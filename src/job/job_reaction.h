/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What units do, and what it means for a job
 */

#include <stdbool.h>

#include "job/job_type.h"

/* The meaning of a unit's change for its triggered job. */
typedef struct JobReaction {
        bool ends;
        JobResult result;               /* if it ends */
        bool is_unexpected;
} JobReaction;

JobReaction job_react(JobType run, UnitActiveState state, UnitChangeFlags flags);

/* The result that an answer of a unit stands for; false for under-way and not-now, which end nothing. */
bool job_result_from_answer(UnitAnswer answer, JobResult *ret_result);
