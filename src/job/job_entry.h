/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * One job, and the record of the transaction that made it
 *
 * A job is a wanted change of one unit. Its type says what was wanted, its run
 * type what it is doing or will do next: a restart runs as stop, then as start.
 * Why it is there is a reference into the record of its transaction, which
 * lives as long as a job, or the log of transactions, holds it; so the chain
 * to the anchor can be told even when the jobs in between have ended.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "basic/failure.h"
#include "basic/vector.h"
#include "job/job_plan.h"
#include "job/job_record.h"
#include "job/job_type.h"

#define JOB_CAUSES_MAX 8U
#define JOB_STEP_NONE UINT32_MAX

typedef struct JobNames JobNames;
typedef struct JobNameEntry JobNameEntry;

/* A name that outlives its unit. */
typedef struct JobName {
        uint32_t n_references;
        JobNameEntry *entry;            /* owned: by which a pool finds it; NULL if it stands alone */
        char string[];
} JobName;

/*
 * Why a job ended, as a code: of ten thousand ended jobs it is kept. What number and name say depends on the code.
 */
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

/* One job of a transaction, as it was staged. */
typedef struct JobStep {
        JobName *unit;                  /* a reference */
        uint32_t id;                    /* of the job that it became, or JOB_ID_NONE */
        uint32_t puller;                /* place of the step that pulled it in; JOB_STEP_NONE for an anchor */
        UnitOriginId origin;            /* where that relation was declared */
        uint8_t type;                   /* JobType */
        uint8_t relation;               /* UnitRelationKind of the puller to this unit */
        bool is_needed;
        bool is_anchor;
        bool declared_there;            /* by this unit's file, as the inverse: PartOf= rather than ConsistsOf= */
} JobStep;

#define JOB_DECLARATION_TEXT_MAX 1200

/*
 * How the relation from @puller to @unit is written where it was declared: "Requires=b.service (a.service:3)", or
 * "PartOf=a.target of b.service (b.service:2)". Returns @buffer.
 */
const char *job_declaration_format(UnitRelationKind relation, bool declared_there, const char *puller,
                                   const char *unit, const char *origin,
                                   char buffer[static JOB_DECLARATION_TEXT_MAX]);

typedef struct JobDrop {
        JobName *unit;                  /* a reference */
        uint8_t type;                   /* JobType */
        uint8_t rule;                   /* JobDropRule */
        uint8_t puller_type;            /* JobType */
        uint8_t relation;               /* UnitRelationKind of the puller to this unit */
        bool declared_there;            /* as in a step */
        UnitOriginId origin;
        JobName *puller;                /* a reference; NULL if it was asked for */
        char *why;                      /* owned */
} JobDrop;

typedef struct JobTransactionRecord {
        uint32_t n_references;
        JobMode mode;
        uint64_t id;                    /* also a refused one has an own number here */
        uint64_t time;
        char *requester;                /* owned; NULL if a rule asked */
        char *command;                  /* owned; of the requester's process, NULL if not known */
        char *reason;                   /* owned */
        uint32_t uid, pid;
        VECTOR(JobStep) steps;
        VECTOR(JobDrop) drops;
        Failure failure;                /* code 0: it was committed */
} JobTransactionRecord;

/* A reference to a step of a record. */
typedef struct JobCause {
        JobTransactionRecord *record;
        uint32_t step;
} JobCause;

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
        const JobRare *rare;            /* owned, unless it is the one that all share; never NULL */
        uint32_t n_lost_causes;         /* that there was no room for */
} Job;

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

/* What a change of a unit means for its triggered job (section 6). */
typedef struct JobReaction {
        bool ends;
        JobResult result;               /* if it ends */
        bool is_unexpected;
} JobReaction;

JobReaction job_react(JobType run, UnitActiveState state, UnitChangeFlags flags);

/* The result that an answer of a unit stands for; false for under-way and not-now, which end nothing. */
bool job_result_from_answer(UnitAnswer answer, JobResult *ret_result);

/* — names and records: counted references — */

JobName *job_name_new(const char *string);              /* one that stands alone */
JobNames *job_names_new(void);
JobNames *job_names_free(JobNames *names);              /* no name may be left */
JobName *job_names_find(JobNames *names, const char *string);    /* a reference to the one in the pool, or NULL */
JobName *job_names_get(JobNames *names, const char *string);     /* the same, put there if need be; NULL: no memory */
void job_names_keep(JobNames *names, JobName *name);    /* its unit goes: from now on it is found by its string */
JobName *job_name_ref(JobName *name);
JobName *job_name_unref(JobName *name);
DEFINE_CLEANUP(JobName, job_name_unref)

JobTransactionRecord *job_transaction_record_new(void);
JobTransactionRecord *job_transaction_record_ref(JobTransactionRecord *record);
JobTransactionRecord *job_transaction_record_unref(JobTransactionRecord *record);
DEFINE_CLEANUP(JobTransactionRecord, job_transaction_record_unref)

const JobStep *job_cause_step(JobCause cause);          /* NULL if it has none */
