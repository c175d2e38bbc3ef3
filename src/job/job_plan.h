/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What is asked of a transaction, and what it does or would do
 *
 * The answer of exec and plan: the jobs with their causes, what was dropped
 * and by which rule, what is merged, what would be canceled, and the refusal
 * if there is one. All strings and arrays are the plan's.
 */

#include "basic/failure.h"
#include "basic/sink.h"
#include "job/job_record.h"

/* One wanted change: an anchor. */
typedef struct JobRequest {
        const char *unit;
        JobType type;
        bool reload_if_possible;        /* where the unit can: restart → reload-or-start, try-restart → try-reload */
        bool is_manual;                 /* a person or program asks: RefuseManualStart= and …Stop= count */
} JobRequest;

/* What becomes of a job of the transaction. */
typedef enum JobPlanAction {
        JOB_PLAN_NEW,                   /* a job of its own */
        JOB_PLAN_MERGE,                 /* into the unit's pending job, which keeps its id */
        JOB_PLAN_COVER,                 /* the running job does it already */
        JOB_PLAN_TURN,                  /* the running job becomes a restart */
        _JOB_PLAN_ACTION_MAX,
} JobPlanAction;

/* The rule by which a job of the transaction was left out. */
typedef enum JobDropRule {
        JOB_DROP_CANNOT_LOAD,           /* pulled in, not needed, and its unit cannot be used */
        JOB_DROP_NOT_APPLICABLE,
        JOB_DROP_REQUIREMENT_FAILED,    /* it needs one that failed */
        JOB_DROP_MINIMIZE_IMPACT,       /* mode fail or lenient */
        JOB_DROP_CONFLICT,              /* with another job of the transaction */
        JOB_DROP_REDUNDANT,
        JOB_DROP_CYCLE,
        JOB_DROP_VERIFY_AGAINST_STOP,
        JOB_DROP_NEEDS_DROPPED,         /* needs one that was dropped */
        JOB_DROP_UNREACHED,             /* nothing needs it any more */
        _JOB_DROP_RULE_MAX,
} JobDropRule;

DECLARE_STRING_TABLE(job_plan_action, JobPlanAction);    /* "new", "merge", "cover", "turn" */
DECLARE_STRING_TABLE(job_drop_rule, JobDropRule);        /* "cannot-load", "redundant", … */

typedef struct JobPlanJob {
        char *unit;
        JobType type;                   /* as it will be in the table */
        JobPlanAction action;
        uint32_t id;                    /* after exec; before it the job merged into, or JOB_ID_NONE */
        bool is_anchor, is_needed, interrupts;
        UnitActiveState unit_state;
        uint32_t cancels[2];            /* installed jobs of the unit that it cancels */
        char *puller;                   /* NULL for an anchor */
        JobType puller_type;
        UnitRelationKind relation;
        char *declared;                 /* "file:line" of the relation, or NULL */
        char *why;                      /* one sentence */
} JobPlanJob;

typedef struct JobPlanDrop {
        char *unit;
        JobType type;
        JobDropRule rule;
        char *why;
} JobPlanDrop;

typedef struct JobPlanCanceled {
        uint32_t id;
        char *unit;
        JobType type;
} JobPlanCanceled;

/* Between two jobs of the plan, by their places in .jobs. */
typedef struct JobPlanEdge {
        uint32_t from, to;              /* @from pulled in @to; or, of order, waits for it */
        UnitRelationKind relation;      /* of the units; UNIT_AFTER: of order */
        bool is_needed;                 /* @from fails with @to */
} JobPlanEdge;

typedef struct JobPlan {
        uint64_t transaction;           /* 0 if it was refused or only planned */
        Failure failure;                /* the refusal: code 0 if accepted */
        VECTOR(JobPlanJob) jobs;        /* anchors first in request order, then expansion order */
        VECTOR(uint32_t) anchors;       /* for each request, in order: the place of its job in .jobs */
        VECTOR(JobPlanDrop) dropped;
        VECTOR(JobPlanCanceled) canceled;       /* by isolate and flush, of units outside the transaction */
        VECTOR(char *) cycles;          /* owned strings: cycles that were broken, edge by edge */
        VECTOR(JobPlanEdge) edges;      /* all of them, if they were wanted */
        bool has_edges;
} JobPlan;

JobPlan *job_plan_free(JobPlan *plan);
DEFINE_CLEANUP(JobPlan, job_plan_free)

/*
 * Writes it as an a{sv}: ok b, error s, message s, transaction t,
 * jobs aa{sv} (id u, unit s, type s, action s, anchor b,
 * needed b, state s, interrupts b, cancels au, why s, and if pulled: puller s, puller-type s, relation s, declared s),
 * dropped aa{sv} (unit s, type s, rule s, why s), canceled aa{sv} (id u, unit s, type s), cycles as; and if wanted
 * edges a(uusb): places of two jobs in jobs, the relation by which the first pulled in the second, if it fails with
 * it; relation After: the first waits for the second.
 */
void job_plan_write(const JobPlan *plan, Sink *sink);
