/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shared by the files of job_manager
 */

#include "job/job_log.h"
#include "job/job_manager.h"
#include "job/job_notify.h"
#include "job/job_stat.h"
#include "job/job_table.h"
#include "job/job_transaction.h"

/* Reserved at the start: a change that is lost for lack of memory would leave its job waiting for ever. */
#define JOB_CHANGES_MIN 64

/* A change of a unit that was reported while a trigger was on the stack. */
typedef struct JobChange {
        uint32_t unit;
        UnitActiveState old, new;
        UnitChangeFlags flags;
} JobChange;

/* A job that is to end. */
typedef struct JobEnd {
        Job *job;                       /* borrowed: stays in the table until it is ended */
        JobResult result;
        uint32_t because;               /* index + 1 of the unit whose failure ends the job; 0: its own unit's */
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
        uint64_t last_refusal;          /* ids of refused transactions count down from the top of the range */
        uint64_t now;                   /* time passed to the call on the stack */

        bool is_triggering;             /* an operation of a unit is on the stack */
        bool has_cycle_to_come;         /* an order cycle that has no pending job yet */
        VECTOR(JobChange) changes;      /* reported while is_triggering */
        VECTOR(JobEnd) ends;
        VECTOR(JobSubscription) subscriptions;
};

/* How a job ends. */
typedef enum JobEndFlags {
        JOB_END_SPREADS = 1 << 0,       /* a bad result also ends dependents' pending jobs */
} JobEndFlags;

void job_manager_info(const JobManager *manager, const Job *job, JobInfo *ret_info);
void job_manager_emit(JobManager *manager, JobEventKind kind, const Job *job, const char *cause,
                      const Failure *failure);

/* Ends and frees @job, and ends the jobs that fail with it. @reason is the job's own; its name is borrowed. */
void job_manager_end(JobManager *manager, Job *job, JobResult result, JobEndFlags flags, JobEndReason reason);
/* Ends the stop half of a restart: the job goes on as a start, unless a pending stop replaces it. */
void job_manager_end_first_half(JobManager *manager, Job *job);
/* The unit of @pending, which had answered "not now", may be asked again. */
void job_manager_end_pause(JobManager *manager, Job *pending);
/* Handles one change of a unit, except for the follow-up requests. */
void job_manager_take_change(JobManager *manager, const JobChange *change);
/* Makes the waiting jobs of @unit's order neighbours scan all their neighbours again. */
void job_manager_rescan_neighbours(JobManager *manager, const Unit *unit);
/* Cancels the youngest pending job of each order cycle among the installed jobs. */
void job_manager_break_cycles(JobManager *manager);
/* Makes the follow-up requests queued by changes. */
void job_manager_follow_up(JobManager *manager);

/* — RestartOnDependency= — */

/* If @job of @unit ended because of a dependency that the unit recovers with, remembers that dependency. */
void job_manager_remember_recovery(JobManager *manager, const Job *job, const Unit *unit, const JobEnd *end);
/* If @unit has become active, requests starts for the units that recover with it. */
void job_manager_recover(JobManager *manager, const Unit *unit, const JobChange *change);
/* @unit is unloaded: no unit recovers with it any more. */
void job_manager_forget_recoveries(JobManager *manager, const Unit *unit);
/* Relations have changed: drops recoveries whose relation is gone. */
void job_manager_check_recoveries(JobManager *manager);

int job_manager_exec_record(JobManager *manager, const JobRequest *requests, size_t n,
                            const JobOptions *options, JobPlan **ret_plan);
