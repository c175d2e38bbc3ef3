/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of job_manager share
 */

#include "job/job_log.h"
#include "job/job_manager.h"
#include "job/job_notify.h"
#include "job/job_stat.h"
#include "job/job_table.h"
#include "job/job_transaction.h"

/* Room from the start: a change that has no place in memory would leave its job waiting for ever. */
#define JOB_CHANGES_MIN 64

/* A change of a unit that came while a trigger was on the stack. */
typedef struct JobChange {
        uint32_t unit;
        UnitActiveState old, new;
        UnitChangeFlags flags;
} JobChange;

/* A job that is to end. */
typedef struct JobEnd {
        Job *job;                       /* borrowed: in the table until it is its turn */
        JobResult result;
        uint32_t because;               /* index + 1 of the unit whose failure it is; 0: its own */
} JobEnd;

typedef struct JobSubscription {
        JobSubscriber subscriber;
        void *userdata;                 /* borrowed */
} JobSubscription;

struct JobManager {
        UnitTable *units;               /* borrowed */
        JobTable table;
        JobTransaction transaction;
        JobNotify notify;
        JobLog log;
        JobStat stat;
        uint64_t last_transaction;
        uint64_t last_refusal;          /* refused ones count from the top of the range down */
        uint64_t now;                   /* of the call that is on the stack */

        bool is_triggering;             /* an operation of a unit is on the stack */
        bool has_cycle_to_come;         /* a cycle of order with no pending job in it yet */
        VECTOR(JobChange) changes;      /* what came meanwhile */
        VECTOR(JobEnd) ends;
        VECTOR(JobSubscription) subscriptions;
};

/* How a job ends. */
typedef enum JobEndFlags {
        JOB_END_SPREADS = 1 << 0,       /* a bad result ends dependents' pending jobs, too */
} JobEndFlags;

void job_manager_info(const JobManager *manager, const Job *job, JobInfo *ret_info);
void job_manager_emit(JobManager *manager, JobEventKind kind, const Job *job, const char *cause,
                      const Failure *failure);

/* Ends @job (it is freed) and what falls with it; @reason is of its own end, its name borrowed. */
void job_manager_end(JobManager *manager, Job *job, JobResult result, JobEndFlags flags, JobEndReason reason);
/* The stop half of a restart is done: it goes on as a start, unless a stop is over it. */
void job_manager_end_first_half(JobManager *manager, Job *job);
/* The unit of @pending had answered "not now": it may be asked again. */
void job_manager_end_pause(JobManager *manager, Job *pending);
/* One change of a unit, with what follows from it but for the follow-up requests. */
void job_manager_take_change(JobManager *manager, const JobChange *change);
/* Waiting jobs of the order neighbours of @unit look at all of theirs again. */
void job_manager_rescan_neighbours(JobManager *manager, const Unit *unit);
/* Cancels the youngest pending job of each cycle of order among the installed ones. */
void job_manager_break_cycles(JobManager *manager);
/* Makes the requests that changes have left. */
void job_manager_follow_up(JobManager *manager);

/* — RestartOnDependency= — */

/* If @job, of @unit, ended for what the unit depends on: remembers that. */
void job_manager_remember_recovery(JobManager *manager, const Job *job, const Unit *unit, const JobEnd *end);
/* @unit has become active, perhaps: asks for what fell with it. */
void job_manager_recover(JobManager *manager, const Unit *unit, const JobChange *change);
/* @unit goes: no unit recovers with it any more. */
void job_manager_forget_recoveries(JobManager *manager, const Unit *unit);
/* Relations have changed. */
void job_manager_check_recoveries(JobManager *manager);

int job_manager_exec_record(JobManager *manager, const JobRequest *requests, size_t n,
                            const JobOptions *options, JobPlan **ret_plan);
