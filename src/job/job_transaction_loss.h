/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Losses: what would be dropped with a candidate
 *
 * A loss is computed with marks on the candidates; nothing is dropped. Each
 * begin discards the marks of the loss before, and the results about the whole
 * stage (job_stage_touch()).
 */

#include "job/job_transaction_stage.h"

#define JOB_SEARCH_MAX 1024             /* edges that a search back to an anchor follows at most */
#define JOB_MARK_NONE UINT32_MAX

/* To compute a loss: begin, add the candidates that are lost, and spread the loss to what is lost with them. */
void job_stage_begin_loss(JobTransaction *transaction);
void job_stage_add_loss(JobTransaction *transaction, JobCandidate *candidate);
/* Returns how many candidates job_stage_drop() would drop for it. Stops counting at more than @limit. */
size_t job_stage_spread_loss(JobTransaction *transaction, size_t limit);
/* Whether the loss includes @candidate. Only after a spread without limit (SIZE_MAX). */
bool job_stage_would_lose(const JobTransaction *transaction, const JobCandidate *candidate);
/*
 * Whether each path from an anchor to @candidate passes a candidate with mark @lost. If so, .work contains @candidate
 * and its direct and indirect pullers without that mark. False, too, if the search would follow more than
 * JOB_SEARCH_MAX edges.
 */
bool job_stage_find_unreached(JobTransaction *transaction, JobCandidate *candidate, uint32_t lost);
