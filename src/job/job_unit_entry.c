/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The queue of one unit
 *
 * A new job meets the pending job first, then the triggered one. It cancels a
 * pending job that it conflicts with. Without a conflict it is, in this order:
 * taken up by a triggered job that turns into a restart; covered by the rest
 * of the triggered job; merged into the pending job; or pending itself, behind
 * the triggered job or, for a stop, over it.
 */

#include <assert.h>

#include "job/job_unit_entry.h"

const JobUnitEntry job_unit_entry_none;

bool job_unit_entry_interrupts(const JobUnitEntry *entry) {
        return entry->triggered && entry->pending && entry->pending->type == JOB_STOP &&
               entry->triggered->type != JOB_STOP;
}

bool job_unit_entry_conflicts(const JobUnitEntry *entry, JobType type) {
        return (entry->pending && job_type_conflicts(type, entry->pending->type)) ||
               (entry->triggered && job_type_conflicts(type, entry->triggered->type));
}

static JobResistance resistance_of(const Job *installed, JobMode mode) {
        if (installed->is_irreversible)
                return JOB_RESISTS_AS_IRREVERSIBLE;
        return mode == JOB_FAIL || mode == JOB_LENIENT ? JOB_RESISTS_IN_MODE : JOB_NO_RESISTANCE;
}

static void resist(JobMeeting *meeting, Job *installed, JobResistance resistance) {
        if (resistance == JOB_NO_RESISTANCE || meeting->resistance != JOB_NO_RESISTANCE)
                return;
        meeting->resistance = resistance;
        meeting->resists = installed;
}

/*
 * Decides the conflicts: the pending job to be canceled, and a job that resists. Returns the pending job that remains.
 */
static Job *meet_conflicts(const JobUnitEntry *entry, const JobArrival *arrival, JobMeeting *meeting) {
        Job *pending = entry->pending;

        if (entry->triggered && job_type_conflicts(arrival->type, entry->triggered->type))
                resist(meeting, entry->triggered, resistance_of(entry->triggered, arrival->mode));
        if (!pending || !job_type_conflicts(arrival->type, pending->type))
                return pending;

        resist(meeting, pending, resistance_of(pending, arrival->mode));
        if (arrival->type == JOB_VERIFY_ACTIVE)
                resist(meeting, pending, JOB_RESISTS_VERIFY);
        meeting->canceled = pending;
        return NULL;
}

static void meet_pending(const JobUnitEntry *entry, Job *pending, const JobArrival *arrival, JobMeeting *meeting) {
        JobType merged = job_type_merge(pending->type, arrival->type);

        assert(merged >= 0);

        meeting->action = JOB_PLAN_MERGE;
        meeting->survivor = pending;
        meeting->type = job_type_resolve(merged, arrival->unit_state, job_unit_entry_is_starting(entry), false,
                                         &meeting->absorbs_start);
}

static void meet_nop(const JobUnitEntry *entry, JobMeeting *meeting) {
        if (!entry->nop)
                return;

        meeting->action = JOB_PLAN_MERGE;
        meeting->survivor = entry->nop;
}

JobMeeting job_unit_entry_meet(const JobUnitEntry *entry, const JobArrival *arrival) {
        JobMeeting meeting = { .action = JOB_PLAN_NEW, .type = arrival->type };
        const Job *triggered = entry->triggered;
        bool conflicts_with_triggered;
        Job *pending;

        assert(arrival->type < _JOB_TYPE_MAX_IN_TABLE);

        if (arrival->type == JOB_NOP) {
                meet_nop(entry, &meeting);
                return meeting;
        }

        pending = meet_conflicts(entry, arrival, &meeting);
        conflicts_with_triggered = triggered && job_type_conflicts(arrival->type, triggered->type);

        if (triggered && !conflicts_with_triggered) {
                if (arrival->type == JOB_RESTART && triggered->run_type != JOB_STOP) {
                        meeting.action = JOB_PLAN_TURN;
                        meeting.survivor = entry->triggered;
                        meeting.absorbed = pending;
                        return meeting;
                }
                if (job_type_covers(triggered->type, triggered->run_type, arrival->type)) {
                        meeting.action = JOB_PLAN_COVER;
                        meeting.survivor = entry->triggered;
                        meeting.type = triggered->type;
                        return meeting;
                }
        }

        if (pending)
                meet_pending(entry, pending, arrival, &meeting);
        meeting.interrupts = meeting.type == JOB_STOP && triggered && triggered->type != JOB_STOP;
        return meeting;
}
