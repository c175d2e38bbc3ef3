/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The stage: candidates, edges, and what it means to drop one
 *
 * For the files of job_transaction only. A candidate that is gone, and an edge
 * that is cut, stay in memory until the stage is cleared, so that the report
 * can tell of them.
 */

#include "job/job_transaction.h"

#define JOB_ORDER_UNIT_NONE UINT32_MAX

struct JobEdge {
        JobCandidate *subject;          /* pulled in … */
        JobCandidate *object;           /* … this */
        UnitOriginId origin;
        uint8_t relation;               /* UnitRelationKind of the subject's unit to the object's */
        bool is_needed;
        bool conflicts;                 /* a stop that came through Conflicts= */
        bool declared_there;            /* by the object's file, as the inverse */
        bool is_cut;
        JobEdge *next_of_subject;
        JobEdge *next_of_object;
};

struct JobCandidate {
        /* Looked at along each edge to it: these lie together. */
        JobCandidate *next_of_unit;
        uint32_t mark;                  /* generation in which a walk met it */
        JobType type : 8;
        JobType pulled_as : 8;          /* before it was resolved by the unit's state; invalid if it was not pulled */
        bool is_anchor;
        bool matters;                   /* an anchor needs it */
        bool is_gone;
        bool has_failed;
        bool is_unusable;               /* it failed by its own unit, not by what it needs */
        bool absorbs_start;
        bool is_secured;                /* the winner of a tie needs it: what is only wanted gives way to it */
        bool is_left_out;               /* by a build before this one */
        bool meets_job;                 /* one of its unit's is installed that is no nop: from the order check on */
        uint32_t index;                 /* of the unit */
        uint32_t n_pullers;             /* edges to it that are not cut */
        JobEdge *needs_first, *needs_last;      /* edges from it */
        JobEdge *pullers_first, *pullers_last;  /* edges to it */

        Unit *unit;
        const JobEdge *via;             /* by which job_stage_sweep() came to it from an anchor; NULL for one */
        uint32_t order;                 /* place in the transaction's candidates */
        uint32_t depth;                 /* in how many rounds those that must go before it are gone, at the earliest */
        uint32_t step;                  /* place in the order of the commit; before that the last search back from it */
        uint32_t id;                    /* of the job that stands for it, once committed */
        JobMeeting meeting;             /* with the installed jobs, from the order check on */
        Job *job;                       /* commit: made beforehand, or the survivor */
        JobCandidate *merged_into;
        int failure_code;               /* of what has_failed */
        uint32_t n_losing;              /* edges to it that a loss would cut, while that is worked out */
        const char *failure_name;       /* static */
        const char *failure_message;    /* in the arena */
};

struct JobStageUnit {
        JobCandidate *first;            /* all types of the unit, those that are gone too */
        uint32_t order_unit;            /* place in the order check, or JOB_ORDER_UNIT_NONE */
        bool is_touched;
};

typedef VECTOR(JobStageUnit *) JobStageUnits;

/*
 * Something in the stage has changed: what was found out about all of it (it is swept, the depths) is forgotten. Every
 * function that changes a candidate or an edge calls this.
 */
static inline void job_stage_touch(JobTransaction *transaction) {
        transaction->is_swept = transaction->has_depths = false;
}

/* Makes the array by unit index large enough for all units: 0 or -ENOMEM. */
int job_stage_reserve(JobTransaction *transaction);

JobCandidate *job_candidate_survivor(JobCandidate *candidate);
const char *job_candidate_name(JobTransaction *transaction, const JobCandidate *candidate);     /* "start a.service" */

/* The live candidate of @unit that is not a nop (after merging there is at most one), or NULL. */
JobCandidate *job_stage_main(const JobTransaction *transaction, uint32_t unit);
JobCandidate *job_stage_find(const JobTransaction *transaction, const Unit *unit, JobType type);

/* Finds or adds; *@ret_is_new tells. -ENOMEM. */
int job_stage_add(JobTransaction *transaction, Unit *unit, JobType type, JobCandidate **ret_candidate,
                  bool *ret_is_new);
int job_stage_connect(JobTransaction *transaction, JobCandidate *subject, JobCandidate *object,
                      const UnitRelation *relation, JobEdge edge);

/*
 * Drops it and, transitively, those that need it; what no anchor reaches thereby goes too. Where much would have to be
 * looked at to know that (JOB_SEARCH_MAX), what pulls itself in by a ring stays until the next sweep.
 */
void job_stage_drop(JobTransaction *transaction, JobCandidate *candidate, JobDropRule rule, const char *why);
/* Drops it alone: those that need it stay. */
void job_stage_drop_alone(JobTransaction *transaction, JobCandidate *candidate, JobDropRule rule, const char *why);
/* As if it had not been pulled in by that; what is unreached thereby goes, rings with the next sweep. */
void job_stage_cut_edge(JobTransaction *transaction, JobEdge *edge);
/* Drops what has failed, each for its own reason. */
void job_stage_drop_failed(JobTransaction *transaction);
/* Removes what no anchor reaches, and leaves in each of the others the way to it. Free if nothing has changed. */
void job_stage_sweep(JobTransaction *transaction);

/* The chain from its anchor: "start a.service → start b.service (Requires= at a.service:3)". In the arena. */
const char *job_stage_chain(JobTransaction *transaction, const JobCandidate *candidate);
const char *job_stage_format(JobTransaction *transaction, const char *format, ...) printf_(2, 3);     /* in the arena */
int job_transaction_refuse(JobTransaction *transaction, int code, const char *name, const char *message);
void job_stage_note(JobTransaction *transaction, const JobCandidate *candidate, JobDropRule rule, const char *why);

void job_transaction_clear(JobTransaction *transaction);

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
/* At a glance: false if that can't be told. If it is, the depths are known, too. */
bool job_transaction_is_ordered(JobTransaction *transaction);
int job_transaction_arrange(JobTransaction *transaction);                /* the order of the commit, as .steps */

/* By the types of the candidates alone, whatever is installed: those of a circle are deepest. 0 or -ENOMEM. */
int job_transaction_find_depths(JobTransaction *transaction);

/* Pulls in a candidate by an edge; a unit that can't be loaded gives one that has failed. */
int job_transaction_pull(JobTransaction *transaction, JobCandidate *puller, Unit *unit, JobType type,
                         const UnitRelation *relation, JobEdge edge);
bool job_transaction_cancels_unstaged(const JobTransaction *transaction, const Unit *unit);
