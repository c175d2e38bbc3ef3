/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The request and the plan of a transaction
 *
 * A plan is the answer of exec and plan: the jobs with their causes, which
 * jobs were dropped and by which rule, which are merged, which would be
 * canceled, and the refusal, if any. The plan owns all its strings and arrays.
 */

#include "basic/failure.h"
#include "basic/sink.h"
#include "job/job_record.h"

/* A requested change of one unit: an anchor. */
typedef struct JobRequest {
        const char *unit;
        JobType type;
        bool reload_if_possible;        /* if the unit can: restart → reload-or-start, try-restart → try-reload */
        bool is_manual;                 /* requested by a person or program: RefuseManualStart= and …Stop= apply */
} JobRequest;

/* The outcome for a job of the transaction. */
typedef enum JobPlanAction {
        JOB_PLAN_NEW,                   /* a new job */
        JOB_PLAN_MERGE,                 /* into the unit's pending job, which keeps its id */
        JOB_PLAN_COVER,                 /* the running job already does it */
        JOB_PLAN_TURN,                  /* the running job becomes a restart */
        _JOB_PLAN_ACTION_MAX,
} JobPlanAction;

/* The rule that dropped a job of the transaction. */
typedef enum JobDropRule {
        JOB_DROP_CANNOT_LOAD,           /* pulled in, not needed, and its unit cannot be used */
        JOB_DROP_NOT_APPLICABLE,
        JOB_DROP_REQUIREMENT_FAILED,    /* a job that it needs failed */
        JOB_DROP_MINIMIZE_IMPACT,       /* mode fail or lenient */
        JOB_DROP_CONFLICT,              /* with another job of the transaction */
        JOB_DROP_REDUNDANT,
        JOB_DROP_CYCLE,
        JOB_DROP_VERIFY_AGAINST_STOP,
        JOB_DROP_NEEDS_DROPPED,         /* a job that it needs was dropped */
        JOB_DROP_UNREACHED,             /* no job needs it any more */
        _JOB_DROP_RULE_MAX,
} JobDropRule;

DECLARE_STRING_TABLE(job_plan_action, JobPlanAction);    /* "new", "merge", "cover", "turn" */
DECLARE_STRING_TABLE(job_drop_rule, JobDropRule);        /* "cannot-load", "redundant", … */

typedef struct JobPlanJob {
        char *unit;
        JobType type;                   /* type in the table after the commit */
        JobPlanAction action;
        uint32_t id;                    /* its id after exec; before, the job it merges into, or JOB_ID_NONE */
        bool is_anchor, is_needed, interrupts;
        UnitActiveState unit_state;
        uint32_t cancels[2];            /* installed jobs of the unit that this job cancels */
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

/* An edge between two jobs of the plan, given by their places in .jobs. */
typedef struct JobPlanEdge {
        uint32_t from, to;              /* @from pulled in @to or, with UNIT_AFTER, waits for it */
        UnitRelationKind relation;      /* from @from's unit to @to's; UNIT_AFTER: an edge of order */
        bool is_needed;                 /* @from fails if @to fails */
} JobPlanEdge;

typedef struct JobPlan {
        uint64_t transaction;           /* 0 if refused or only planned */
        Failure failure;                /* the refusal: code 0 if accepted */
        VECTOR(JobPlanJob) jobs;        /* anchors first in request order, then expansion order */
        VECTOR(uint32_t) anchors;       /* for each request, in order: the place of its job in .jobs */
        VECTOR(JobPlanDrop) dropped;
        VECTOR(JobPlanCanceled) canceled;       /* by isolate or flush, of units outside the transaction */
        VECTOR(char *) cycles;          /* owned strings: the broken cycles, edge by edge */
        VECTOR(JobPlanEdge) edges;      /* empty unless requested */
        bool has_edges;
} JobPlan;

JobPlan *job_plan_free(JobPlan *plan);
DEFINE_CLEANUP(JobPlan, job_plan_free)

/*
 * Writes the plan as an a{sv}: ok b, error s, message s, transaction t, jobs aa{sv} (id u, unit s, type s, action s,
 * anchor b, needed b, state s, interrupts b, cancels au, why s, and if pulled in: puller s, puller-type s, relation s,
 * declared s), dropped aa{sv} (unit s, type s, rule s, why s), canceled aa{sv} (id u, unit s, type s), cycles as; and
 * if wanted edges a(uusb): places of two jobs in jobs, the relation by which the first pulled in the second, if it
 * fails with it; relation After: the first waits for the second.
 */
void job_plan_write(const JobPlan *plan, Sink *sink);
