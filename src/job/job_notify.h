/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From changes of units to follow-up requests
 *
 * A change that no job asked for has consequences for neighbours; a change
 * into failed or inactive starts what OnFailure= and OnSuccess= name; and some
 * settings hold as long as a state lasts (StopWhenUnneeded=, Upholds=,
 * BindsTo=). All of them become requests in a queue, made by the manager as
 * ordinary transactions with the change as their cause.
 *
 * Units can set each other off for ever, and without a process in between at
 * the speed of the engine: two targets that name each other in OnFailure= and
 * fail for what both require. So OnFailure=, OnSuccess= and the settings act
 * for one unit at most 16 times in 10 s; what is more comes once when they are
 * over. A restart of the manager forgets the count, and what was held back.
 */

#include "basic/id_map.h"
#include "job/job_entry.h"
#include "job/job_type.h"
#include "unit/unit_table.h"

typedef struct JobFollowUp {
        JobName *unit;                  /* a reference */
        JobName *reason;                /* a reference: "a.service changed to failed" */
        JobType type;
        JobMode mode;
} JobFollowUp;

/* Which rules are to be looked at for a unit: the first three depend on its state, the others were held back. */
typedef enum JobRule {
        JOB_RULE_UNNEEDED = 1 << 0,
        JOB_RULE_UPHELD = 1 << 1,
        JOB_RULE_BOUND = 1 << 2,
        JOB_RULE_FAILURE = 1 << 3,
        JOB_RULE_SUCCESS = 1 << 4,
} JobRule;

typedef struct JobRuleLimit JobRuleLimit;

/* Does the unit have a job? The owner of table and notify answers. */
typedef bool (*JobNotifyHasJob)(const void *userdata, const Unit *unit);

typedef struct JobNotify {
        UnitTable *units;               /* borrowed */
        VECTOR(JobFollowUp) follow_ups; /* a queue: from next on */
        size_t next;
        VECTOR(uint32_t) queue;         /* units whose rules are to be looked at */
        uint8_t *rules;                 /* owned: by unit index, those that are in the queue */
        size_t n_rules;
        JobRuleLimit *limits;           /* owned list: units that were acted on lately */
        IdMap limits_by_unit;           /* by index + 1 */
        size_t purge_at;                /* so many limits: time to free those that are over */
        uint64_t next_retry;            /* monotonic µs, or USEC_INFINITY */
} JobNotify;

void job_notify_init(JobNotify *notify, UnitTable *units);
void job_notify_deinit(JobNotify *notify);

/* A unit has changed; @is_unexpected: no job asked for it. */
void job_notify_change(JobNotify *notify, const Unit *unit, UnitActiveState old, UnitActiveState new,
                       UnitChangeFlags flags, bool is_unexpected, uint64_t now);
/* A job of the unit ended in a way that counts as failure of its start. */
void job_notify_failure(JobNotify *notify, const Unit *unit, uint64_t now);
/* The unit's state or job has changed: look at the rules that depend on it. */
void job_notify_look(JobNotify *notify, const Unit *unit);
int job_notify_request(JobNotify *notify, const Unit *unit, JobType type, JobMode mode, JobName *reason);

/* Looks at the queued rules; what they ask is among the follow-ups then. */
void job_notify_check_rules(JobNotify *notify, JobNotifyHasJob has_job, const void *userdata, uint64_t now);
/* Rules that were over their limit are queued again. */
void job_notify_expire(JobNotify *notify, uint64_t now);

/* The next request; the caller owns its references. */
bool job_notify_next(JobNotify *notify, JobFollowUp *ret_follow_up);
bool job_notify_is_empty(const JobNotify *notify);
void job_notify_forget(JobNotify *notify, const Unit *unit);
