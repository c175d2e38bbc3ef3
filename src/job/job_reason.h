/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Why a job ended
 *
 * A code, a number and a name: small enough to be kept for ten thousand ended
 * jobs. The sentence is formatted on demand.
 */

#include <stdbool.h>
#include <stddef.h>

#include "job/job_name.h"
#include "unit/unit.h"

/* The comments say what a reason's number and name mean. */
typedef enum JobEndCode {
        JOB_END_UNSAID,
        JOB_END_ANSWER,                 /* number: UnitAnswer; name: unmet conditions, or the binding; or NULL */
        JOB_END_UNIT_CHANGED,           /* number: UnitActiveState; name: why it failed, or NULL */
        JOB_END_UNIT_ACTIVE,
        JOB_END_UNIT_NOT_ACTIVE,
        JOB_END_UNIT_GONE,
        JOB_END_UNIT_UNUSABLE,          /* after a restart of the manager */
        JOB_END_DEPENDENCY,             /* name: the unit whose job failed */
        JOB_END_REPLACED,               /* number: the transaction */
        JOB_END_CLEARED,                /* number: the transaction (isolate, flush) */
        JOB_END_INTERRUPTED,            /* number: the job */
        JOB_END_STOPPED,                /* number: the job that stops the unit */
        JOB_END_CANCELED,               /* name: the client or rule that canceled it */
        JOB_END_TIME_LIMIT,             /* name: what the job waited for (job_explain_wait()), or NULL */
        JOB_END_CYCLE,                  /* new unit files closed an order cycle */
        JOB_END_DEPENDENCY_OF,          /* name: the unit whose job failed, a blank, and the rest of the sentence */
        _JOB_END_MAX,
} JobEndCode;

typedef struct JobEndReason {
        JobEndCode code;
        uint32_t number;
        JobName *name;                  /* borrowed; a reference in a JobEnded */
} JobEndReason;

#define JOB_END_REASON_TEXT_MAX 1024

/* One sentence without a full stop, written to @buffer; NULL if there is nothing to say. */
const char *job_end_reason_format(const JobEndReason *reason, char buffer[static JOB_END_REASON_TEXT_MAX]);

/*
 * The details of the reason that the unit knows, for .name of the reason: a reference; NULL if there are none or memory
 * ran out.
 */
JobName *job_end_reason_ask(const JobEndReason *reason, const Unit *unit);

/* Conditions or assertions prevented the start, and .name has them. */
bool job_end_reason_is_unmet(const JobEndReason *reason);

/* The name of the unit whose job failed, the first @ret_length bytes of the string; NULL if the reason is another. */
const char *job_end_reason_dependency(const JobEndReason *reason, size_t *ret_length);
