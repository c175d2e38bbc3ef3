/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Why a job ended
 *
 * A code, a number and a name: little enough to be kept of ten thousand ended
 * jobs. The sentence is made when it is asked for.
 */

#include "job/job_name.h"

/* The comment says what number and name of a reason stand for. */
typedef enum JobEndCode {
        JOB_END_UNSAID,
        JOB_END_ANSWER,                 /* number: UnitAnswer */
        JOB_END_UNIT_CHANGED,           /* number: UnitActiveState */
        JOB_END_UNIT_ACTIVE,
        JOB_END_UNIT_NOT_ACTIVE,
        JOB_END_UNIT_GONE,
        JOB_END_UNIT_UNUSABLE,          /* after a restart of the manager */
        JOB_END_DEPENDENCY,             /* name: the unit whose job failed */
        JOB_END_REPLACED,               /* number: the transaction */
        JOB_END_CLEARED,                /* number: the transaction (isolate, flush) */
        JOB_END_INTERRUPTED,            /* number: the job */
        JOB_END_STOPPED,                /* number: the job that stops the unit */
        JOB_END_CANCELED,               /* name: who asked */
        JOB_END_TIME_LIMIT,             /* name: what it waited for, as job_explain_wait() says it; or NULL */
        JOB_END_CYCLE,                  /* new unit files closed a cycle of order */
} JobEndCode;

typedef struct JobEndReason {
        JobEndCode code;
        uint32_t number;
        JobName *name;                  /* borrowed, or a reference where it is kept */
} JobEndReason;

#define JOB_END_REASON_TEXT_MAX 384

/* One sentence without a full stop; NULL if there is nothing to say. Returns @buffer. */
const char *job_end_reason_format(const JobEndReason *reason, char buffer[static JOB_END_REASON_TEXT_MAX]);
