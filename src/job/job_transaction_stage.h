/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The stage: candidates, their edges, and how a candidate is dropped
 *
 * Only for the files of job_transaction. A dropped candidate and a cut edge
 * stay in memory until the stage is cleared, for the report.
 */

#include "job/job_transaction.h"

#define JOB_ORDER_UNIT_NONE UINT32_MAX

struct JobEdge {
        JobCandidate *subject;          /* the puller */
        JobCandidate *object;           /* the candidate pulled in */
        UnitOriginId origin;
        uint8_t relation;               /* from the subject's unit to the object's */
        bool is_needed;
        bool conflicts;                 /* a stop pulled in by Conflicts= */
        bool declared_there;            /* by the object's unit file, as the inverse relation */
        bool is_cut;
        JobEdge *next_of_subject;
        JobEdge *next_of_object;
};

struct JobCandidate {
        /* Walks read these members for each edge: they stand together, in few cache lines. */
        JobCandidate *next_of_unit;
        uint32_t mark;                  /* generation of the last walk that visited it */
        JobType type : 8;
        JobType pulled_as : 8;          /* type before collapsing; invalid if not pulled in */
        bool is_anchor;
        bool matters;                   /* an anchor needs it */
        bool is_gone;
        bool has_failed;
        bool is_unusable;               /* failed because of its own unit, not of a needed one */
        bool absorbs_start;
        bool is_secured;                /* the winner of a tie needs it: a candidate that is only wanted gives way */
        bool is_left_out;               /* by an earlier build of the transaction */
        bool meets_job;                 /* the unit has an installed job other than a nop (order check) */
        uint32_t index;                 /* of the unit */
        uint32_t n_pullers;             /* uncut edges to it */
        JobEdge *needs_first, *needs_last;      /* edges from it */
        JobEdge *pullers_first, *pullers_last;  /* edges to it */

        Unit *unit;
        const JobEdge *via;             /* edge by which job_stage_sweep() reached it; NULL for an anchor */
        uint32_t order;                 /* place in the transaction's candidates */
        uint32_t depth;                 /* longest chain of candidates that must go before it */
        uint32_t step;                  /* place in the order of the commit; before that the last search back from it */
        uint32_t id;                    /* job made for it by the commit */
        JobMeeting meeting;             /* with the installed jobs; set by the order check */
        Job *job;                       /* commit: prepared before, or the survivor */
        JobCandidate *merged_into;
        int failure_code;               /* with .has_failed */
        uint32_t n_losing;              /* edges to it that a loss would cut, while losses are counted */
        const char *failure_name;       /* static */
        const char *failure_message;    /* in the arena */
};

struct JobStageUnit {
        JobCandidate *first;            /* candidates of all types, dropped ones included */
        uint32_t order_unit;            /* place in the order check, or JOB_ORDER_UNIT_NONE */
        bool is_touched;
};

typedef VECTOR(JobStageUnit *) JobStageUnits;

/*
 * Invalidates the results about the whole stage (swept, depths). The functions below that add, drop or cut call this,
 * and searches that overwrite .mark, .step or .via of candidates do so, too.
 */
static inline void job_stage_touch(JobTransaction *transaction) {
        transaction->is_swept = transaction->has_depths = false;
}

/* Grows the array by unit index to cover all units: 0 or -ENOMEM. */
int job_stage_reserve(JobTransaction *transaction);

JobCandidate *job_candidate_survivor(JobCandidate *candidate);
const char *job_candidate_name(JobTransaction *transaction, const JobCandidate *candidate);     /* "start a.service" */

/* The live candidate of @unit that is not a nop, or NULL. After merging there is at most one. */
JobCandidate *job_stage_main(const JobTransaction *transaction, uint32_t unit);
JobCandidate *job_stage_find(const JobTransaction *transaction, const Unit *unit, JobType type);

/* Finds or adds a candidate; *@ret_is_new says which. 0 or -ENOMEM. */
int job_stage_add(JobTransaction *transaction, Unit *unit, JobType type, JobCandidate **ret_candidate,
                  bool *ret_is_new);
int job_stage_connect(JobTransaction *transaction, JobCandidate *subject, JobCandidate *object,
                      const UnitRelation *relation, JobEdge edge);

/*
 * Drops it and, transitively, those that need it; what no anchor reaches thereby goes too. Where much would have to be
 * looked at to know that (JOB_SEARCH_MAX), what pulls itself in by a ring stays until the next sweep.
 */
void job_stage_drop(JobTransaction *transaction, JobCandidate *candidate, JobDropRule rule, const char *why);
/* Drops the candidate alone: those that need it stay. */
void job_stage_drop_alone(JobTransaction *transaction, JobCandidate *candidate, JobDropRule rule, const char *why);
/* As if it had not been pulled in by that; what is unreached thereby goes, rings with the next sweep. */
void job_stage_cut_edge(JobTransaction *transaction, JobEdge *edge);
/* Drops what has failed, each for its own reason. */
void job_stage_drop_failed(JobTransaction *transaction);
/*
 * Drops the candidates that no anchor reaches, and stores in each of the others the edge on the way from an anchor.
 * Does nothing if the stage is unchanged since the last sweep.
 */
void job_stage_sweep(JobTransaction *transaction);

/*
 * The chain from an anchor to the candidate: "start a.service → start b.service (Requires= at a.service:3)". In the
 * arena.
 */
const char *job_stage_chain(JobTransaction *transaction, const JobCandidate *candidate);
const char *job_stage_format(JobTransaction *transaction, const char *format, ...) printf_(2, 3);     /* in the arena */
int job_transaction_refuse(JobTransaction *transaction, int code, const char *name, const char *message);
void job_stage_note(JobTransaction *transaction, const JobCandidate *candidate, JobDropRule rule, const char *why);

void job_stage_clear(JobTransaction *transaction);
/* Whether the commit cancels the pending job of @unit, because of the mode and because the unit was never staged. */
bool job_stage_cancels_unstaged(const JobTransaction *transaction, const Unit *unit);

/* — steps, in this order; each 0, JOB_TRANSACTION_E_REFUSED or -ENOMEM — */

int job_transaction_expand(JobTransaction *transaction, const JobRequest *requests, size_t n);
int job_transaction_add_mode_extras(JobTransaction *transaction);
int job_transaction_expand_pending(JobTransaction *transaction);         /* what the extras added */
int job_transaction_reduce_first(JobTransaction *transaction);
int job_transaction_mark_and_minimize(JobTransaction *transaction);
int job_transaction_merge(JobTransaction *transaction);
int job_transaction_settle(JobTransaction *transaction, const JobStageUnits *several);  /* part of the merge */
int job_transaction_reduce(JobTransaction *transaction);
int job_transaction_check_order(JobTransaction *transaction);
/* Quick check: false if it cannot decide. If true, the depths are known, too. */
bool job_transaction_is_ordered(JobTransaction *transaction);
int job_transaction_arrange(JobTransaction *transaction);                /* sets .steps to the commit order */

/*
 * Depths by the types of the candidates alone, without the installed jobs; members of a cycle are deepest. 0 or
 * -ENOMEM.
 */
int job_transaction_find_depths(JobTransaction *transaction);

/* Pulls in a candidate by an edge. For a unit that cannot be loaded the candidate has failed. */
int job_transaction_pull(JobTransaction *transaction, JobCandidate *puller, Unit *unit, JobType type,
                         const UnitRelation *relation, JobEdge edge);
