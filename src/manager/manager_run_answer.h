/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Answers to those who have asked for something
 *
 * A request that changes a run is answered when the store has it for good.
 */

#include "manager/manager_run_get.h"

void manager_run_tell(ManagerRuns *runs, const ManagerRunAnswer *answer); /* whoever has asked */
void manager_run_answer(ManagerRuns *runs, ManagerRunTicket ticket, uint32_t run, const Failure *failure);
void manager_run_answer_failure(ManagerRuns *runs, ManagerRunTicket ticket, int code, const char *name,
                                const char *sentence);
/* Answers when what changes in this turn is durable. */
void manager_run_await(ManagerRuns *runs, ManagerRunTicket ticket, ManagerRunAnswerKind kind, uint32_t run);
void manager_run_await_count(ManagerRuns *runs, ManagerRunTicket ticket, uint32_t run, uint32_t n);
void manager_run_answer_durable(ManagerRuns *runs);
void manager_run_refuse_awaited(ManagerRuns *runs, const Failure *failure); /* what was asked for stays done */
