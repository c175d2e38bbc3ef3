/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Transactions
 *
 * Requests become a stage of candidates, with an edge from each to what it
 * pulled in. A transaction goes through nine steps:
 *
 *   1. anchors: the unit of each request is loaded, the request is checked
 *   2. expansion: candidates pull in others over the relations of their units
 *   3. extras: what the mode adds (isolate, triggering, restart-dependencies)
 *   4. first reduction: what changes nothing goes, with what it pulled in.
 *      Marks: which candidates an anchor needs; the others must do no harm
 *   5. merge: the candidates of a unit become one job
 *   6. reduction: what turns out to change nothing goes
 *   7. order: what the candidates meet in the queues of their units; cycles of
 *      order are broken
 *      order are broken. What goes here may have won a conflict in step 5: then
 *      all is done again without it
 *   8. installed jobs: a conflict with one that may not be replaced refuses all
 *   9. commit: the table changes
 *
 * A refusal in steps 1 to 8 leaves the table as it was. A plan is a transaction
 * without step 9. No step recurses; each costs what it touches.
 */

#include "basic/arena.h"
#include "basic/failure.h"
#include "job/job_entry.h"
#include "job/job_plan.h"
#include "job/job_table.h"

enum {
        JOB_TRANSACTION_E_SUCCESS,
        JOB_TRANSACTION_E_REFUSED,      /* JobTransaction.failure says why */
};

typedef struct JobCandidate JobCandidate;
typedef struct JobEdge JobEdge;
typedef struct JobStageUnit JobStageUnit;

/* A candidate that was left out. */
typedef struct JobTransactionDrop {
        const JobCandidate *candidate;
        JobDropRule rule;
        const char *why;                /* in the arena */
} JobTransactionDrop;

/*
 * What was left out after conflicts had been settled: they are settled again without it. It outlives the stage, so it
 * refers to nothing there.
 */
typedef struct JobLeftOut {
        uint32_t order;                 /* of the candidate: it is found there again, the requests being the same */
        uint32_t unit;                  /* index */
        JobDropRule rule;
        char *why;                      /* owned */
        char *cycle;                    /* owned; the sentence of .cycles, NULL if there is none */
} JobLeftOut;

typedef struct JobTransaction {
        UnitTable *units;               /* borrowed */
        JobTable *installed;            /* borrowed */
        JobMode mode;

        Arena arena;                    /* candidates, edges, sentences */
        JobStageUnit *stage;            /* owned, by unit index */
        uint32_t *waits;                /* owned, by unit index; all zero but for a moment in the order check */
        size_t n_stage;                 /* of both */
        VECTOR(uint32_t) touched;       /* units with something in the stage */
        VECTOR(JobCandidate *) candidates;       /* in expansion order; a candidate that is gone stays here */
        VECTOR(JobCandidate *) anchors; /* for each request; after merging use job_candidate_survivor() */
        VECTOR(JobCandidate *) work;    /* scratch of one step */
        VECTOR(JobCandidate *) winners; /* for which ties were settled */
        VECTOR(JobCandidate *) suspects;         /* what a drop has cut an edge to */
        VECTOR(JobCandidate *) steps;   /* what is left, in the order of the commit */
        VECTOR(JobTransactionDrop) drops;
        VECTOR(const char *) cycles;    /* broken ones, in the arena */
        VECTOR(JobLeftOut) left_out;    /* owned: what this build does without from the merge on */
        size_t n_cycles_again;          /* of .cycles, those of .left_out */
        size_t n_expanded, n_propagated;        /* how far expansion has come in the candidates */
        size_t n_failed;                /* candidates whose failure has not travelled yet */
        uint32_t generation;            /* of marks on candidates */
        uint32_t loss;                  /* the mark of what would be lost */
        size_t n_depths;                /* more than the largest of a candidate */
        bool has_several;               /* a unit has more than one candidate */
        bool is_last;                   /* not to be built again */
        bool is_in_vain;                /* a tie was settled for one that was lost: to be built again without it */
        bool has_conflicts;             /* some had to be settled */
        bool is_swept, has_depths;      /* found out about the stage; job_stage_touch() forgets both */
        bool is_incomplete;             /* memory was short: -ENOMEM at the next step */
        Failure failure;
} JobTransaction;

/* How a commit tells of what it does, in order. */
typedef struct JobCommitOps {
        void (*cancel)(void *userdata, Job *job, const JobCandidate *by /* NULL: isolate or flush */);
        void (*installed)(void *userdata, Job *job);
        void (*changed)(void *userdata, Job *job);
} JobCommitOps;

void job_transaction_init(JobTransaction *transaction, UnitTable *units, JobTable *installed);
void job_transaction_deinit(JobTransaction *transaction);

/* Steps 1 to 8: 0, JOB_TRANSACTION_E_REFUSED, or -ENOMEM. */
int job_transaction_build(JobTransaction *transaction, const JobRequest *requests, size_t n, JobMode mode);

/*
 * Step 9, after a build that went well. Takes ids; each job gets a cause in @record, whose steps and drops are filled.
 * -ENOMEM leaves everything as it was.
 */
int job_transaction_commit(JobTransaction *transaction, JobTransactionRecord *record, uint64_t now,
                           const JobCommitOps *ops, void *userdata);

/*
 * The plan: what a commit will do (call it before that), or why the transaction was refused. Jobs are in the order of
 * the record's steps: the anchors, then those that wait for no other, and so on.
 */
int job_transaction_report(JobTransaction *transaction, bool anchors_only, JobPlan **ret_plan);

/* Adds the edges between the jobs of a whole report that was just made: none of a refused one. 0 or -ENOMEM. */
int job_transaction_report_edges(JobTransaction *transaction, JobPlan *plan);

/* The drops, for the record of a refused transaction as well. */
int job_transaction_record_drops(const JobTransaction *transaction, JobTransactionRecord *record);

/*
 * Among the installed jobs alone (after a reload of unit files): 1 with the youngest pending job of a cycle and the
 * cycle in words (valid until the next build), 0 if there is none, or -ENOMEM. The job is JOB_ID_NONE if all jobs of
 * the cycles that are left run: restarts, whose start halves will wait for each other.
 */
int job_transaction_find_stuck(JobTransaction *transaction, uint32_t *ret_id, const char **ret_cycle);
