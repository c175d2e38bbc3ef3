/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What would go with a candidate
 *
 * Each look takes new marks: it forgets what the stage knew of itself, and the
 * marks of the look before.
 */

#include "job/job_transaction_stage.h"

#define JOB_SEARCH_MAX 1024             /* edges to look at for a way back to an anchor */
#define JOB_MARK_NONE UINT32_MAX

/* What if some candidates were lost: begin, add them, and spread that to what goes with them. */
void job_stage_begin_loss(JobTransaction *transaction);
void job_stage_add_loss(JobTransaction *transaction, JobCandidate *candidate);
/* How many candidates that are, as job_stage_drop() would drop them; it stops when they are more than @limit. */
size_t job_stage_spread_loss(JobTransaction *transaction, size_t limit);
/* Is it among them? If there was no limit (SIZE_MAX). */
bool job_stage_would_lose(const JobTransaction *transaction, const JobCandidate *candidate);
/* Does no anchor reach it but through a candidate with mark @lost? Then .work has it and those on all ways to it. */
bool job_stage_find_unreached(JobTransaction *transaction, JobCandidate *candidate, uint32_t lost);
