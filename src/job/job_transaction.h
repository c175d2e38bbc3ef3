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
 *   7. order: how the candidates meet the installed jobs of their units; cycles
 *      of order are broken. A candidate dropped here may have won a conflict in
 *      step 5: then all steps are done again without it
 *   8. installed jobs: a conflict with one that may not be replaced refuses all
 *   9. commit: the table changes
 *
 * A refusal in steps 1 to 8 leaves the table as it was. A plan is a
 * transaction without step 9. No step recurses; the cost of each is linear in
 * what it touches.
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

/* A candidate that was dropped. */
typedef struct JobTransactionDrop {
        const JobCandidate *candidate;
        JobDropRule rule;
        const char *why;                /* in the arena */
} JobTransactionDrop;

/*
 * A part that was left out after conflicts had been settled: they are settled again without it. It outlives the stage,
 * so it refers to nothing there.
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
        uint32_t *waits;                /* owned, by unit index; all zero outside of the order check */
        size_t n_stage;                 /* length of .stage and .waits */
        VECTOR(uint32_t) touched;       /* units with candidates in the stage */
        VECTOR(JobCandidate *) candidates;       /* in expansion order; dropped candidates stay here */
        VECTOR(JobCandidate *) anchors; /* for each request; after merging use job_candidate_survivor() */
        VECTOR(JobCandidate *) work;    /* scratch of one step */
        VECTOR(JobCandidate *) winners; /* candidates in whose favour ties were settled */
        VECTOR(JobCandidate *) suspects;         /* candidates to which a drop has cut an edge */
        VECTOR(JobCandidate *) steps;   /* the remaining candidates, in commit order */
        VECTOR(JobTransactionDrop) drops;
        VECTOR(const char *) cycles;    /* descriptions of broken cycles, in the arena */
        VECTOR(JobLeftOut) left_out;    /* owned: candidates that this build leaves out from the merge on */
        size_t n_cycles_again;          /* entries of .cycles that belong to .left_out */
        size_t n_expanded, n_propagated;        /* candidates already expanded */
        size_t n_failed;                /* candidates whose failure is not propagated yet */
        uint32_t generation;            /* of the marks on candidates */
        uint32_t loss;                  /* the mark of candidates that would be lost */
        size_t n_depths;                /* greatest depth of a candidate + 1 */
        bool has_several;               /* a unit has more than one candidate */
        bool is_last;                   /* the build is not repeated */
        bool is_in_vain;                /* the winner of a tie was lost: the build is repeated without it */
        bool has_conflicts;             /* there were conflicts to settle */
        bool is_swept, has_depths;      /* results about the stage; job_stage_touch() clears them */
        bool is_incomplete;             /* memory was short: the next step returns -ENOMEM */
        Failure failure;
} JobTransaction;

/* Callbacks of a commit, in the order of its changes. */
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
 * Step 9, after a successful build. Takes ids, gives each job a cause in @record, and fills in the steps and drops of
 * @record. -ENOMEM leaves everything unchanged.
 */
int job_transaction_commit(JobTransaction *transaction, JobTransactionRecord *record, uint64_t now,
                           const JobCommitOps *ops, void *userdata);

/*
 * The plan: what a commit would do (so call this first), or why the transaction was refused. Jobs are in the order of
 * the record's steps: the anchors, then by depth in the order graph.
 */
int job_transaction_report(JobTransaction *transaction, bool anchors_only, JobPlan **ret_plan);

/* Adds the edges between the jobs to a full report made just before; a refused transaction has none. 0 or -ENOMEM. */
int job_transaction_report_edges(JobTransaction *transaction, JobPlan *plan);

/* Records the drops, of a refused transaction too. */
int job_transaction_record_drops(const JobTransaction *transaction, JobTransactionRecord *record);

/*
 * Looks for an order cycle among the installed jobs alone (after a reload of unit files). 1 with the youngest pending
 * job of a cycle and the cycle in words (valid until the next build), 0 if there is none, or -ENOMEM. The job is
 * JOB_ID_NONE if all jobs of the remaining cycles run: they are restarts, whose start halves will wait for each other.
 */
int job_transaction_find_stuck(JobTransaction *transaction, uint32_t *ret_id, const char **ret_cycle);
