/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The record of a transaction, and the cause of a job
 *
 * A record holds the steps of a transaction, each with the step that pulled it
 * in, and the jobs that were dropped. A cause is a reference to a step. A
 * record lives as long as a job or the log of transactions refers to it, so
 * the chain from a job to its anchor can be shown after the jobs in between
 * have ended.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/failure.h"
#include "basic/vector.h"
#include "job/job_name.h"
#include "job/job_plan.h"
#include "job/job_type.h"

#define JOB_STEP_NONE UINT32_MAX

/* One job of a transaction, as it was staged. */
typedef struct JobStep {
        JobName *unit;                  /* a reference */
        uint32_t id;                    /* job made for this step, or JOB_ID_NONE */
        uint32_t puller;                /* place of the step that pulled this one in; JOB_STEP_NONE for an anchor */
        UnitOriginId origin;            /* where the relation to the puller was declared */
        uint8_t type;                   /* JobType */
        uint8_t relation;               /* UnitRelationKind of the puller to this unit */
        bool is_needed;
        bool is_anchor;
        bool declared_there;            /* by this unit's file, as the inverse: PartOf= rather than ConsistsOf= */
} JobStep;

#define JOB_DECLARATION_TEXT_MAX 1200

/*
 * The relation from @puller to @unit as its file declares it: "Requires=b.service (a.service:3)", or "PartOf=a.target
 * of b.service (b.service:2)". Returns @buffer.
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
        JobName *puller;                /* a reference; NULL for an anchor */
        char *why;                      /* owned */
} JobDrop;

typedef struct JobTransactionRecord {
        uint32_t n_references;
        JobMode mode;
        uint64_t id;                    /* a refused transaction has an id here, too */
        uint64_t time;
        char *requester;                /* owned; NULL if a rule made the request */
        char *command;                  /* owned; name of the requester's process, NULL if unknown */
        char *reason;                   /* owned */
        uint32_t uid, pid;
        VECTOR(JobStep) steps;
        VECTOR(JobDrop) drops;
        Failure failure;                /* code 0: the transaction was committed */
} JobTransactionRecord;

/* A reference to a step of a record. */
typedef struct JobCause {
        JobTransactionRecord *record;
        uint32_t step;
} JobCause;

JobTransactionRecord *job_transaction_record_new(void);
JobTransactionRecord *job_transaction_record_ref(JobTransactionRecord *record);
JobTransactionRecord *job_transaction_record_unref(JobTransactionRecord *record);
DEFINE_CLEANUP(JobTransactionRecord, job_transaction_record_unref)

const JobStep *job_cause_step(JobCause cause);          /* NULL if the cause has none */
