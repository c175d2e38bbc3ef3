/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * One job
 *
 * A job is a wanted change of one unit. Its type says what was requested, its
 * run type what it does now or will do next: a restart runs as a stop, then as
 * a start. Its causes say which requests led to it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "basic/vector.h"
#include "job/job_cause.h"
#include "job/job_record.h"
#include "job/job_type.h"

#define JOB_CAUSES_MAX 8U

/* A reason other than order that keeps a pending job from being dispatched. */
typedef enum JobPause {
        JOB_PAUSE_NONE,
        JOB_PAUSE_NOT_NOW,              /* the unit answered "not now" */
} JobPause;

/* The part of a job that few jobs need. */
typedef struct JobRare {
        VECTOR(uint32_t) late;          /* units to check again: they got a job after the scan had passed them */
        VECTOR(uint32_t) aliases;       /* ids of jobs that this one absorbed */
        JobCause more_causes[JOB_CAUSES_MAX - 1];
        uint32_t n_more_causes;
} JobRare;

typedef struct Job {
        /* The members that are read for each neighbour stand together, in few cache lines. */
        uint32_t id;
        uint32_t unit;                  /* index */
        uint8_t type;                   /* JobType */
        uint8_t run_type;               /* JobType */
        uint8_t state;                  /* JobState */
        uint8_t pause;                  /* JobPause; removed with the job */
        bool is_irreversible : 1;
        bool ignores_order : 1;
        bool between_halves : 1;        /* a restart whose unit has stopped and not started yet */
        bool is_ending : 1;             /* in the manager's list of jobs to be ended */
        bool absorbed_start : 1;        /* a reload that starts the unit if it has died meanwhile */
        bool is_in_line : 1;            /* in the line of the ready queue, not in its heap */
        int32_t priority;               /* JobPriority= of the unit */
        uint32_t ready_place;           /* place in the line or heap of the ready queue, or HEAP_NOWHERE */
        uint32_t scan;                  /* number of order neighbours already checked */
        uint32_t deadline_place;        /* place in the queue of deadlines, or HEAP_NOWHERE */
        struct Job *blocker;            /* borrowed: the job that must end first */
        LIST_HEAD(, Job) waiters;       /* Job.waiter_link: jobs whose blocker is this job */
        LIST_ENTRY(Job) waiter_link;

        uint64_t installed_at;
        uint64_t triggered_at;          /* 0 while the job is pending */
        uint64_t deadline;              /* USEC_INFINITY: none */
        JobCause cause;
        JobRare *rare;                  /* owned; NULL for most jobs: read with job_rare() */
        uint32_t n_lost_causes;         /* causes dropped for lack of room */
} Job;

extern const JobRare job_rare_none;

/* The rare part, for reading. */
static inline const JobRare *job_rare(const Job *job) {
        return job->rare ? job->rare : &job_rare_none;
}

/* The rare part, for writing: allocated at the first call. NULL if memory is short. */
JobRare *job_own_rare(Job *job);

int job_new(Job **ret_job, uint32_t unit, JobType type, JobCause cause /* a reference is taken */);
Job *job_free(Job *job);

/* Adds a cause. Without memory or room it is only counted. */
void job_add_cause(Job *job, JobCause cause);
size_t job_count_causes(const Job *job);
JobCause job_cause_at(const Job *job, size_t i);

/* Changes type and run type. Progress under the old type is kept only for a restart between its halves. */
void job_set_type(Job *job, JobType type);
