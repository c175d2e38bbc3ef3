/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * One job
 *
 * A job is a wanted change of one unit. Its type says what was wanted, its run
 * type what it is doing or will do next: a restart runs as stop, then as start.
 * Its causes say why it is there.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "basic/vector.h"
#include "job/job_cause.h"
#include "job/job_record.h"
#include "job/job_type.h"

#define JOB_CAUSES_MAX 8U

/* What keeps a pending job from being dispatched, other than order. */
typedef enum JobPause {
        JOB_PAUSE_NONE,
        JOB_PAUSE_NOT_NOW,              /* the unit said so */
} JobPause;

/* What few jobs have. */
typedef struct JobRare {
        VECTOR(uint32_t) late;          /* units to look at again: they got a job after they were scanned */
        VECTOR(uint32_t) aliases;       /* ids of jobs that this one absorbed */
        JobCause more_causes[JOB_CAUSES_MAX - 1];
        uint32_t n_more_causes;
} JobRare;

typedef struct Job {
        /* What is looked at for each neighbour: it lies together. */
        uint32_t id;
        uint32_t unit;                  /* index */
        uint8_t type;                   /* JobType */
        uint8_t run_type;               /* JobType */
        uint8_t state;                  /* JobState */
        uint8_t pause;                  /* JobPause; goes away with the job */
        bool is_irreversible : 1;
        bool ignores_order : 1;
        bool between_halves : 1;        /* a restart that has stopped the unit and not yet started it */
        bool is_ending : 1;             /* on the list of those that end now */
        bool absorbed_start : 1;        /* a reload that must start the unit if it has died meanwhile */
        bool is_in_line : 1;            /* of the ready queue, not in its heap */
        int32_t priority;               /* JobPriority= of the unit */
        uint32_t ready_place;           /* in a part of the ready queue, or HEAP_NOWHERE */
        uint32_t scan;                  /* how many order neighbours have been looked at */
        uint32_t deadline_place;        /* in the queue of deadlines, or HEAP_NOWHERE */
        struct Job *blocker;            /* borrowed: must end first */
        LIST_HEAD(, Job) waiters;       /* Job.waiter_link: those that have this as their blocker */
        LIST_ENTRY(Job) waiter_link;

        uint64_t installed_at;
        uint64_t triggered_at;          /* 0 while it is pending */
        uint64_t deadline;              /* USEC_INFINITY: none */
        JobCause cause;
        JobRare *rare;                  /* owned; NULL for most: job_rare() reads it */
        uint32_t n_lost_causes;         /* that there was no room for */
} Job;

extern const JobRare job_rare_none;

/* The rare part, to be read. */
static inline const JobRare *job_rare(const Job *job) {
        return job->rare ? job->rare : &job_rare_none;
}

/* The rare part, to be changed: one of its own is made if it has none. NULL if memory is short. */
JobRare *job_own_rare(Job *job);

int job_new(Job **ret_job, uint32_t unit, JobType type, JobCause cause /* a reference is taken */);
Job *job_free(Job *job);

/* Adds a cause; when there is no memory or no room for it, it is counted. */
void job_add_cause(Job *job, JobCause cause);
size_t job_count_causes(const Job *job);
JobCause job_cause_at(const Job *job, size_t i);

/* Changes type and run type: what was done of the old type counts for a restart between its halves only. */
void job_set_type(Job *job, JobType type);
