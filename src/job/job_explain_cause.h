/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The parts of an answer: causes and drops, as job_explain.h lists them
 */

#include "job/job_explain.h"

void job_explain_write_causes(const JobExplain *explain, JobCause cause);
/* Writes the client or rule that asked for the transaction and, with @drop, the chain to that dropped job. */
void job_explain_write_request(const JobExplain *explain, JobTransactionRecord *record, const JobDrop *drop);
void job_explain_write_other_causes(const JobExplain *explain, const Job *job);
void job_explain_write_drops(const JobExplain *explain, const JobTransactionRecord *record);
int job_explain_requester(const JobTransactionRecord *record, char **ret_text);
