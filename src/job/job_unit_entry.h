/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The queue of one unit
 *
 * At most one triggered job and, pending beside it, at most one job that
 * changes or verifies the unit and at most one nop. The head, and whether the
 * pending job may go before the triggered one has ended (an interrupt), are
 * derived from these pointers after every edit, so they cannot be stale.
 *
 * job_unit_entry_meet() computes how a new job meets the queue, and changes
 * nothing: the plan, the order check and the commit all use it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "job/job_entry.h"

typedef enum JobOrderMark {
        JOB_ORDER_NONE,                 /* no job, or a job that ignores order */
        JOB_ORDER_USUAL,                /* goes before the jobs of units after this unit */
        JOB_ORDER_FIRST,                /* goes before the jobs of units before this unit, too */
} JobOrderMark;

typedef struct JobUnitEntry {
        Job *triggered;                 /* owned by the job table, like the two below */
        Job *pending;
        Job *nop;
        JobName *name;                  /* a reference; NULL until needed */
        uint32_t recovers_with;         /* index + 1 of the unit whose failure ended this unit's start; 0: none */
        uint8_t order_triggered;        /* JobOrderMark of the triggered and the pending job, read by neighbours */
        uint8_t order_pending;
} JobUnitEntry;

/* A new job, as an input of job_unit_entry_meet(). */
typedef struct JobArrival {
        JobType type;
        JobMode mode;
        UnitActiveState unit_state;
} JobArrival;

typedef enum JobResistance {
        JOB_NO_RESISTANCE,
        JOB_RESISTS_IN_MODE,            /* mode fail or lenient, and a conflict with an installed job */
        JOB_RESISTS_AS_IRREVERSIBLE,
        JOB_RESISTS_VERIFY,             /* a verify does not cancel a stop */
} JobResistance;

/* The outcome for a new job and for the installed ones. */
typedef struct JobMeeting {
        JobPlanAction action : 8;
        JobType type : 8;               /* type of the resulting job in the table */
        JobResistance resistance : 8;   /* if set, the rest is the outcome without the resistance */
        bool absorbs_start;             /* a reload that stands for a start, too */
        bool interrupts;                /* to be dispatched over the triggered job */
        Job *survivor;                  /* merge, cover, turn: the resulting job */
        Job *canceled;                  /* the pending job that the new one cancels */
        Job *absorbed;                  /* the pending job that a turning triggered job absorbs */
        Job *resists;                   /* the installed job that resists */
} JobMeeting;

JobMeeting job_unit_entry_meet(const JobUnitEntry *entry, const JobArrival *arrival);

static inline bool job_unit_entry_is_empty(const JobUnitEntry *entry) {
        return !entry->triggered && !entry->pending && !entry->nop;
}

/* The queue of a unit that has no entry yet. */
extern const JobUnitEntry job_unit_entry_none;

/* Returns true if a start of the unit runs now. */
static inline bool job_unit_entry_is_starting(const JobUnitEntry *entry) {
        return entry->triggered && entry->triggered->run_type == JOB_START;
}

static inline bool job_unit_entry_has_stop(const JobUnitEntry *entry) {
        return (entry->triggered && entry->triggered->type == JOB_STOP) ||
               (entry->pending && entry->pending->type == JOB_STOP);
}

/* Returns true if the pending job may be dispatched over the triggered one. */
bool job_unit_entry_interrupts(const JobUnitEntry *entry);

/* The pending job (never a nop) that may be dispatched next, or NULL. */
static inline Job *job_unit_entry_head(const JobUnitEntry *entry) {
        return entry->triggered && !job_unit_entry_interrupts(entry) ? NULL : entry->pending;
}

/* Returns true if a job of @type conflicts with an installed job of the unit. */
bool job_unit_entry_conflicts(const JobUnitEntry *entry, JobType type);

/* The job shown for the unit: the triggered one, else the pending one, else the nop. */
static inline Job *job_unit_entry_main(const JobUnitEntry *entry) {
        if (entry->triggered)
                return entry->triggered;
        return entry->pending ? entry->pending : entry->nop;
}
