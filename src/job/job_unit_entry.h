/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The queue of one unit
 *
 * At most one triggered job; pending beside it at most one that changes or
 * verifies, and at most one nop. Whether the pending one may go before the
 * triggered one has ended (an interrupt) and which is the head is derived from
 * these pointers after every edit, so it cannot go stale.
 *
 * What a new job meets here is worked out by job_unit_entry_meet(), which
 * changes nothing: the plan, the order check and the commit all use it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "job/job_entry.h"

typedef enum JobOrderMark {
        JOB_ORDER_NONE,                 /* no job, or one that takes no part in order */
        JOB_ORDER_USUAL,                /* it goes before what is after its unit */
        JOB_ORDER_FIRST,                /* it goes before what its unit is after, too */
} JobOrderMark;

typedef struct JobUnitEntry {
        Job *triggered;                 /* owned by the job table, as are all of these */
        Job *pending;
        Job *nop;
        JobName *name;                  /* a reference; NULL until a job needed it */
        uint32_t recovers_with;         /* index + 1 of the unit whose failure ended our start; 0: none */
        uint8_t order_triggered;        /* JobOrderMark: what neighbours must know of the two jobs */
        uint8_t order_pending;
} JobUnitEntry;

/* A new job, as the queue sees it. */
typedef struct JobArrival {
        JobType type;
        JobMode mode;
        UnitActiveState unit_state;
} JobArrival;

typedef enum JobResistance {
        JOB_NO_RESISTANCE,
        JOB_RESISTS_IN_MODE,            /* mode fail or lenient: it conflicts with an installed job */
        JOB_RESISTS_AS_IRREVERSIBLE,
        JOB_RESISTS_VERIFY,             /* a verify does not cancel a stop */
} JobResistance;

/* What becomes of the new job and of those that are there. */
typedef struct JobMeeting {
        JobPlanAction action : 8;
        JobType type : 8;               /* of the job that will stand for it in the table */
        JobResistance resistance : 8;   /* the rest tells what would be without it */
        bool absorbs_start;             /* a reload that must remember the start in it */
        bool interrupts;                /* it will be dispatched over the triggered job */
        Job *survivor;                  /* merge, cover, turn: the job that stands for it */
        Job *canceled;                  /* the pending job that it cancels */
        Job *absorbed;                  /* the pending job that a triggered one absorbs when it turns */
        Job *resists;                   /* the installed job that does */
} JobMeeting;

JobMeeting job_unit_entry_meet(const JobUnitEntry *entry, const JobArrival *arrival);

static inline bool job_unit_entry_is_empty(const JobUnitEntry *entry) {
        return !entry->triggered && !entry->pending && !entry->nop;
}

/* Does a job bring the unit up right now? */
static inline bool job_unit_entry_is_starting(const JobUnitEntry *entry) {
        return entry->triggered && entry->triggered->run_type == JOB_START;
}

static inline bool job_unit_entry_has_stop(const JobUnitEntry *entry) {
        return (entry->triggered && entry->triggered->type == JOB_STOP) ||
               (entry->pending && entry->pending->type == JOB_STOP);
}

/* Does the pending job go over the triggered one? */
bool job_unit_entry_interrupts(const JobUnitEntry *entry);

/* The pending job (never a nop) that may be dispatched next, or NULL. */
static inline Job *job_unit_entry_head(const JobUnitEntry *entry) {
        return entry->triggered && !job_unit_entry_interrupts(entry) ? NULL : entry->pending;
}

/* Does a job of @type conflict with one of those here? */
bool job_unit_entry_conflicts(const JobUnitEntry *entry, JobType type);

/* The job that stands for the unit: the triggered one, else the pending one, else the nop. */
static inline Job *job_unit_entry_main(const JobUnitEntry *entry) {
        if (entry->triggered)
                return entry->triggered;
        return entry->pending ? entry->pending : entry->nop;
}
