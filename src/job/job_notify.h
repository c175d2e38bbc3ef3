/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Follow-up requests caused by changes of units
 *
 * A change that no job requested has consequences for neighbours; a change to
 * failed or inactive starts the units of OnFailure= and OnSuccess=; and some
 * settings hold as long as a state lasts (StopWhenUnneeded=, Upholds=,
 * BindsTo=). All of them become queued requests, which the manager runs as
 * ordinary transactions with the change as their cause. Only units of OnFailure=
 * and OnSuccess= with UnitVTable.triggered are told at once instead.
 *
 * Units can trigger each other for ever and, with no process in between, at
 * the speed of the engine: for example two targets that name each other in
 * OnFailure= and fail for a unit that both require. So OnFailure=, OnSuccess=
 * and the settings above act for one unit at most 16 times in 10 s; the excess
 * is delayed to the end of the interval and acts once. The count and the
 * delayed requests do not survive a restart of the manager.
 */

#include "basic/id_map.h"
#include "job/job_entry.h"
#include "job/job_holder.h"
#include "job/job_type.h"
#include "unit/unit_table.h"

typedef struct JobFollowUp {
        JobName *unit;                  /* a reference */
        JobName *reason;                /* a reference: "a.service changed to failed" */
        JobType type;
        JobMode mode;
} JobFollowUp;

/* The end of a run of a flow. */
typedef struct JobRunEnd {
        uint32_t run, round;
        bool has_failed; /* otherwise it has succeeded */
} JobRunEnd;

/* The rules to check for a unit. The first three depend on its state, the others were delayed by the limit. */
typedef enum JobRule {
        JOB_RULE_UNNEEDED = 1 << 0,
        JOB_RULE_UPHELD = 1 << 1,
        JOB_RULE_BOUND = 1 << 2,
        JOB_RULE_FAILURE = 1 << 3,
        JOB_RULE_SUCCESS = 1 << 4,
} JobRule;

typedef struct JobRuleLimit JobRuleLimit;

/* Returns true if the unit has a job. Implemented by the owner of table and notify. */
typedef bool (*JobNotifyHasJob)(const void *userdata, const Unit *unit);

typedef struct JobNotify {
        UnitTable *units;               /* borrowed */
        VECTOR(JobFollowUp) follow_ups; /* a queue, from .next on */
        size_t next;
        VECTOR(uint32_t) queue;         /* units whose rules are to be checked */
        uint8_t *rules;                 /* owned: by unit index, the rules in the queue */
        size_t n_rules;
        JobRuleLimit *limits;           /* owned list: units for which a rule acted within the interval */
        IdMap limits_by_unit;           /* by unit index + 1 */
        size_t purge_at;                /* number of limits at which expired ones are freed */
        JobHolders holders;
        uint64_t next_retry;            /* monotonic µs, or USEC_INFINITY */
} JobNotify;

void job_notify_init(JobNotify *notify, UnitTable *units);
void job_notify_deinit(JobNotify *notify);

/* A unit has changed; @is_unexpected: no job asked for it. */
void job_notify_change(JobNotify *notify, const Unit *unit, UnitActiveState old, UnitActiveState new,
                       UnitChangeFlags flags, bool is_unexpected, uint64_t now);
/* @job of the unit ended with a result that counts as a failed start. */
void job_notify_failure(JobNotify *notify, const Unit *unit, uint32_t job, uint64_t now);
/* A round of a run of @unit, a flow, has ended. */
void job_notify_run(JobNotify *notify, const Unit *unit, const JobRunEnd *end, uint64_t now);
/* The unit's state or job has changed: queues the rules that depend on it. */
void job_notify_look(JobNotify *notify, const Unit *unit);
int job_notify_request(JobNotify *notify, const Unit *unit, JobType type, JobMode mode, JobName *reason);

/* Checks the queued rules and adds their requests to the follow-ups. */
void job_notify_check_rules(JobNotify *notify, JobNotifyHasJob has_job, const void *userdata, uint64_t now);
/* Queues the rules whose limit has expired. */
void job_notify_expire(JobNotify *notify, uint64_t now);

/* Takes the next request; the caller owns its references. */
bool job_notify_next(JobNotify *notify, JobFollowUp *ret_follow_up);
bool job_notify_is_empty(const JobNotify *notify);
void job_notify_forget(JobNotify *notify, const Unit *unit);
