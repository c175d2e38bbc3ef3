/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A new job and the queue of its unit
 *
 * Some cases one by one; then all contents of a queue against all new jobs, by
 * a second implementation of the rules.
 */

#include "double/double_assert.h"
#include "job/job_unit_entry.h"

/* A job of the queue: its type and what it does now. */
typedef struct Slot {
        JobType type, run;
} Slot;

#define NOBODY { _JOB_TYPE_INVALID, _JOB_TYPE_INVALID }
#define IN(t) { (t), (t) }
#define STOPPING { JOB_RESTART, JOB_STOP }
#define STARTING { JOB_RESTART, JOB_START }

static const Slot triggered_slots[] = {
        NOBODY, IN(JOB_START), IN(JOB_STOP), IN(JOB_RELOAD), STOPPING, STARTING,
};
static const Slot pending_slots[] = {
        NOBODY, IN(JOB_START), IN(JOB_VERIFY_ACTIVE), IN(JOB_STOP), IN(JOB_RELOAD), STOPPING, STARTING,
};

typedef struct Queue {
        Job triggered, pending, nop;
        JobUnitEntry entry;
} Queue;

static void slot_fill(Job *job, uint32_t id, Slot slot, JobState state, Job **place) {
        *job = (Job) { .id = id, .type = (uint8_t) slot.type, .run_type = (uint8_t) slot.run, .state = (uint8_t) state };
        if (slot.type >= 0)
                *place = job;
}

static void queue_fill(Queue *queue, Slot triggered, Slot pending) {
        *queue = (Queue) {};
        slot_fill(&queue->triggered, 1, triggered, JOB_RUNNING, &queue->entry.triggered);
        slot_fill(&queue->pending, 2, pending, JOB_WAITING, &queue->entry.pending);
}

static JobMeeting meet(const Queue *queue, JobType type, JobMode mode, UnitActiveState state) {
        JobArrival arrival = { .type = type, .mode = mode, .unit_state = state };

        return job_unit_entry_meet(&queue->entry, &arrival);
}

/* — the rules, once more — */

static bool rule_conflicts(const Job *job, JobType new) {
        return job && (job->type == JOB_STOP) != (new == JOB_STOP);
}

/* Returns true if the steps that the triggered job still has to do include those of @new. */
static bool rule_covers(const Job *job, JobType new) {
        bool will_start = job->run_type == JOB_START || job->type == JOB_RESTART;
        bool starts_anew = job->type == JOB_RESTART && job->run_type == JOB_STOP;

        switch (new) {
        case JOB_START:
        case JOB_VERIFY_ACTIVE:
                return will_start;
        case JOB_RELOAD:
        case JOB_RESTART:
                return starts_anew;
        case JOB_STOP:
                return job->type == JOB_STOP;
        case JOB_NOP:
        case JOB_TRY_RESTART:
        case JOB_TRY_RELOAD:
        case JOB_RELOAD_OR_START:
        case _JOB_TYPE_MAX:
        case _JOB_TYPE_INVALID:
                return false;
        }
        return false;
}

/* The strongest type wins: restart, then reload, then start, then verify. */
static JobType rule_merge(JobType a, JobType b, bool is_starting, UnitActiveState state) {
        bool is_there = state == UNIT_ACTIVE || state == UNIT_RELOADING;

        if (a == b)
                return a;
        if (a == JOB_RESTART || b == JOB_RESTART)
                return JOB_RESTART;
        if ((a == JOB_RELOAD && b == JOB_START) || (a == JOB_START && b == JOB_RELOAD))
                return is_there || is_starting ? JOB_RELOAD : JOB_START;
        return a == JOB_VERIFY_ACTIVE ? b : a;
}

static JobMeeting rule_meet(Queue *queue, JobType new, UnitActiveState state) {
        Job *triggered = queue->entry.triggered, *pending = queue->entry.pending;
        JobMeeting expected = { .action = JOB_PLAN_NEW, .type = new };
        bool is_starting = triggered && triggered->run_type == JOB_START;

        if (rule_conflicts(pending, new)) {
                expected.canceled = pending;
                pending = NULL;
        }
        if (triggered && new == JOB_RESTART && triggered->type != JOB_STOP && triggered->run_type != JOB_STOP) {
                expected.action = JOB_PLAN_TURN;
                expected.survivor = triggered;
                expected.absorbed = pending;
        } else if (triggered && rule_covers(triggered, new)) {
                expected.action = JOB_PLAN_COVER;
                expected.survivor = triggered;
                expected.type = triggered->type;
        } else if (pending) {
                bool both = (pending->type == JOB_START && new == JOB_RELOAD) ||
                            (pending->type == JOB_RELOAD && new == JOB_START);

                expected.action = JOB_PLAN_MERGE;
                expected.survivor = pending;
                expected.type = rule_merge(pending->type, new, is_starting, state);
                expected.absorbs_start = both && expected.type == JOB_RELOAD;
        }
        expected.interrupts = expected.action != JOB_PLAN_COVER && expected.type == JOB_STOP && triggered &&
                              triggered->type != JOB_STOP;
        return expected;
}

static bool rule_resists(const Queue *queue, JobType new, JobMode mode) {
        const Job *const installed[] = { queue->entry.triggered, queue->entry.pending };

        for (size_t i = 0; i < ELEMENTSOF(installed); i++)
                if (rule_conflicts(installed[i], new) &&
                    (installed[i]->is_irreversible || mode == JOB_FAIL || mode == JOB_LENIENT))
                        return true;
        return new == JOB_VERIFY_ACTIVE && rule_conflicts(queue->entry.pending, new);
}

/* Returns true if the two can be in one queue: a covered job never becomes pending. */
static bool is_reachable(Slot triggered, Slot pending) {
        Job job = { .type = (uint8_t) triggered.type, .run_type = (uint8_t) triggered.run };

        if (triggered.type < 0 || pending.type < 0)
                return true;
        if (pending.type == JOB_RESTART && (pending.run == JOB_START || triggered.type != JOB_STOP))
                return false;
        return !rule_covers(&job, pending.type);
}

static const char *word(const Job *job) {
        return job ? job_type_to_string(job->type) : "-";
}

static void check_meeting(Queue *queue, JobType new, JobMode mode, UnitActiveState state) {
        JobMeeting expected = rule_meet(queue, new, state), actual = meet(queue, new, mode, state);
        bool resists = rule_resists(queue, new, mode);

        cr_assert(actual.action == expected.action && actual.type == expected.type &&
                          actual.survivor == expected.survivor && actual.canceled == expected.canceled &&
                          actual.absorbed == expected.absorbed && actual.interrupts == expected.interrupts &&
                          actual.absorbs_start == expected.absorbs_start,
                  "%s running, %s waiting, new %s, unit %s: %s as %s", word(queue->entry.triggered),
                  word(queue->entry.pending), job_type_to_string(new), unit_active_state_to_string(state),
                  job_plan_action_to_string(actual.action), job_type_to_string(actual.type));
        cr_assert(resists == (actual.resistance != JOB_NO_RESISTANCE), "%s running, %s waiting, new %s, mode %s",
                  word(queue->entry.triggered), word(queue->entry.pending), job_type_to_string(new),
                  job_mode_to_string(mode));
        cr_assert(eq(int, actual.resists != NULL, resists));
}

static void check_all_arrivals(Queue *queue) {
        static const JobMode modes[] = { JOB_REPLACE, JOB_FAIL, JOB_LENIENT, JOB_REPLACE_IRREVERSIBLY, JOB_ISOLATE };

        for (JobType new = 0; new < (JobType) _JOB_TYPE_MAX_MERGING; new++)
                for (size_t m = 0; m < ELEMENTSOF(modes); m++)
                        for (UnitActiveState state = 0; state < _UNIT_ACTIVE_STATE_MAX; state++)
                                for (unsigned irreversible = 0; irreversible < 4; irreversible++) {
                                        queue->triggered.is_irreversible = irreversible & 1;
                                        queue->pending.is_irreversible = irreversible & 2;
                                        check_meeting(queue, new, modes[m], state);
                                }
}

Test(job_unit_entry, every_arrival_meets_every_queue_by_the_rules) {
        size_t n = 0;

        for (size_t t = 0; t < ELEMENTSOF(triggered_slots); t++)
                for (size_t p = 0; p < ELEMENTSOF(pending_slots); p++) {
                        Queue queue;

                        if (!is_reachable(triggered_slots[t], pending_slots[p]))
                                continue;
                        queue_fill(&queue, triggered_slots[t], pending_slots[p]);
                        check_all_arrivals(&queue);
                        n++;
                }
        cr_assert(lt(sz, 20, n));
}

/* — the cases of the design — */

typedef struct Case {
        Slot triggered, pending;
        JobType new;
        JobPlanAction action;
        JobType type;
        unsigned survivor, canceled, absorbed;  /* 1: triggered, 2: pending, 0: none */
        bool interrupts;
} Case;

static const Case cases[] = {
        /* Nothing is there. */
        { NOBODY, NOBODY, JOB_START, JOB_PLAN_NEW, JOB_START, 0, 0, 0, false },
        /* Merged into the one that waits. */
        { NOBODY, IN(JOB_START), JOB_START, JOB_PLAN_MERGE, JOB_START, 2, 0, 0, false },
        { NOBODY, IN(JOB_START), JOB_RESTART, JOB_PLAN_MERGE, JOB_RESTART, 2, 0, 0, false },
        { NOBODY, IN(JOB_VERIFY_ACTIVE), JOB_START, JOB_PLAN_MERGE, JOB_START, 2, 0, 0, false },
        { NOBODY, STARTING, JOB_START, JOB_PLAN_MERGE, JOB_RESTART, 2, 0, 0, false },
        /* A conflict cancels the one that waits. */
        { NOBODY, IN(JOB_START), JOB_STOP, JOB_PLAN_NEW, JOB_STOP, 0, 2, 0, false },
        { NOBODY, STARTING, JOB_STOP, JOB_PLAN_NEW, JOB_STOP, 0, 2, 0, false },
        { NOBODY, IN(JOB_STOP), JOB_START, JOB_PLAN_NEW, JOB_START, 0, 2, 0, false },
        /* A stop interrupts what runs, and waits for a stop that runs. */
        { IN(JOB_START), NOBODY, JOB_STOP, JOB_PLAN_NEW, JOB_STOP, 0, 0, 0, true },
        { IN(JOB_RELOAD), NOBODY, JOB_STOP, JOB_PLAN_NEW, JOB_STOP, 0, 0, 0, true },
        { STOPPING, NOBODY, JOB_STOP, JOB_PLAN_NEW, JOB_STOP, 0, 0, 0, true },
        { IN(JOB_STOP), NOBODY, JOB_START, JOB_PLAN_NEW, JOB_START, 0, 0, 0, false },
        { IN(JOB_STOP), NOBODY, JOB_VERIFY_ACTIVE, JOB_PLAN_NEW, JOB_VERIFY_ACTIVE, 0, 0, 0, false },
        { IN(JOB_STOP), IN(JOB_START), JOB_STOP, JOB_PLAN_COVER, JOB_STOP, 1, 2, 0, false },
        { IN(JOB_START), IN(JOB_STOP), JOB_START, JOB_PLAN_COVER, JOB_START, 1, 2, 0, false },
        /* A restart over what runs turns it. */
        { IN(JOB_START), NOBODY, JOB_RESTART, JOB_PLAN_TURN, JOB_RESTART, 1, 0, 0, false },
        { IN(JOB_START), IN(JOB_RELOAD), JOB_RESTART, JOB_PLAN_TURN, JOB_RESTART, 1, 0, 2, false },
        { IN(JOB_START), IN(JOB_STOP), JOB_RESTART, JOB_PLAN_TURN, JOB_RESTART, 1, 2, 0, false },
        { IN(JOB_RELOAD), NOBODY, JOB_RESTART, JOB_PLAN_TURN, JOB_RESTART, 1, 0, 0, false },
        { STARTING, NOBODY, JOB_RESTART, JOB_PLAN_TURN, JOB_RESTART, 1, 0, 0, false },
        /* Covered by what is still to come. */
        { IN(JOB_START), NOBODY, JOB_START, JOB_PLAN_COVER, JOB_START, 1, 0, 0, false },
        { IN(JOB_START), IN(JOB_RELOAD), JOB_START, JOB_PLAN_COVER, JOB_START, 1, 0, 0, false },
        { STOPPING, NOBODY, JOB_RELOAD, JOB_PLAN_COVER, JOB_RESTART, 1, 0, 0, false },
        { STOPPING, NOBODY, JOB_RESTART, JOB_PLAN_COVER, JOB_RESTART, 1, 0, 0, false },
        { STOPPING, IN(JOB_STOP), JOB_START, JOB_PLAN_COVER, JOB_RESTART, 1, 2, 0, false },
        /* A reload never covers a reload. */
        { IN(JOB_RELOAD), NOBODY, JOB_RELOAD, JOB_PLAN_NEW, JOB_RELOAD, 0, 0, 0, false },
        { IN(JOB_START), NOBODY, JOB_RELOAD, JOB_PLAN_NEW, JOB_RELOAD, 0, 0, 0, false },
        { STARTING, IN(JOB_RELOAD), JOB_RELOAD, JOB_PLAN_MERGE, JOB_RELOAD, 2, 0, 0, false },
};

Test(job_unit_entry, cases_of_the_design) {
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                const Case *c = &cases[i];
                Queue queue;
                Job *const jobs[] = { NULL, &queue.triggered, &queue.pending };
                JobMeeting meeting;

                queue_fill(&queue, c->triggered, c->pending);
                meeting = meet(&queue, c->new, JOB_REPLACE, UNIT_INACTIVE);
                cr_assert(meeting.action == c->action && meeting.type == c->type, "case %zu: %s as %s", i,
                          job_plan_action_to_string(meeting.action), job_type_to_string(meeting.type));
                cr_assert(meeting.survivor == jobs[c->survivor] && meeting.canceled == jobs[c->canceled] &&
                                  meeting.absorbed == jobs[c->absorbed] && meeting.interrupts == c->interrupts,
                          "case %zu", i);
                cr_assert(eq(int, meeting.resistance, JOB_NO_RESISTANCE), "case %zu", i);
        }
}

static JobResistance resistance(Queue *queue, JobType type, JobMode mode) {
        return meet(queue, type, mode, UNIT_ACTIVE).resistance;
}

Test(job_unit_entry, modes_fail_and_lenient_replace_nothing) {
        Queue queue;

        queue_fill(&queue, (Slot) NOBODY, (Slot) IN(JOB_START));
        cr_assert(eq(int, resistance(&queue, JOB_STOP, JOB_FAIL), JOB_RESISTS_IN_MODE));
        cr_assert(eq(int, resistance(&queue, JOB_STOP, JOB_LENIENT), JOB_RESISTS_IN_MODE));
        cr_assert(eq(int, resistance(&queue, JOB_STOP, JOB_REPLACE), JOB_NO_RESISTANCE));
        cr_assert(eq(int, resistance(&queue, JOB_RESTART, JOB_FAIL), JOB_NO_RESISTANCE));
}

Test(job_unit_entry, irreversible_jobs_resist_in_every_mode) {
        Queue queue;

        queue_fill(&queue, (Slot) IN(JOB_STOP), (Slot) NOBODY);
        queue.triggered.is_irreversible = true;
        for (JobMode mode = 0; mode < _JOB_MODE_MAX; mode++)
                cr_assert(eq(int, resistance(&queue, JOB_START, mode), JOB_RESISTS_AS_IRREVERSIBLE));
        cr_assert(eq(int, resistance(&queue, JOB_STOP, JOB_REPLACE), JOB_NO_RESISTANCE));
}

Test(job_unit_entry, verify_cancels_no_waiting_stop_but_waits_behind_a_running_one) {
        Queue queue;

        queue_fill(&queue, (Slot) NOBODY, (Slot) IN(JOB_STOP));
        cr_assert(eq(int, resistance(&queue, JOB_VERIFY_ACTIVE, JOB_REPLACE), JOB_RESISTS_VERIFY));
        queue_fill(&queue, (Slot) IN(JOB_STOP), (Slot) NOBODY);
        cr_assert(eq(int, resistance(&queue, JOB_VERIFY_ACTIVE, JOB_REPLACE), JOB_NO_RESISTANCE));
}

Test(job_unit_entry, reload_that_takes_in_a_start_remembers_it) {
        Queue queue;

        queue_fill(&queue, (Slot) NOBODY, (Slot) IN(JOB_RELOAD));
        cr_assert(meet(&queue, JOB_START, JOB_REPLACE, UNIT_ACTIVE).absorbs_start);
        cr_assert(eq(int, meet(&queue, JOB_START, JOB_REPLACE, UNIT_ACTIVE).type, JOB_RELOAD));
        cr_assert(eq(int, meet(&queue, JOB_START, JOB_REPLACE, UNIT_FAILED).type, JOB_START));
        cr_assert(not(meet(&queue, JOB_START, JOB_REPLACE, UNIT_FAILED).absorbs_start));
        cr_assert(not(meet(&queue, JOB_VERIFY_ACTIVE, JOB_REPLACE, UNIT_ACTIVE).absorbs_start));
}

Test(job_unit_entry, nop_merges_with_a_nop_and_lies_beside_the_rest) {
        Queue queue;
        JobMeeting meeting;

        queue_fill(&queue, (Slot) IN(JOB_START), (Slot) IN(JOB_STOP));
        meeting = meet(&queue, JOB_NOP, JOB_FAIL, UNIT_ACTIVE);
        cr_assert(eq(int, meeting.action, JOB_PLAN_NEW));
        cr_assert(eq(int, meeting.resistance, JOB_NO_RESISTANCE));

        slot_fill(&queue.nop, 3, (Slot) IN(JOB_NOP), JOB_WAITING, &queue.entry.nop);
        meeting = meet(&queue, JOB_NOP, JOB_FAIL, UNIT_ACTIVE);
        cr_assert(eq(int, meeting.action, JOB_PLAN_MERGE));
        cr_assert(meeting.survivor == &queue.nop);
        cr_assert(meet(&queue, JOB_START, JOB_REPLACE, UNIT_ACTIVE).survivor != &queue.nop);
}

Test(job_unit_entry, head_is_the_waiting_job_unless_one_runs_that_it_does_not_interrupt) {
        for (size_t t = 0; t < ELEMENTSOF(triggered_slots); t++)
                for (size_t p = 0; p < ELEMENTSOF(pending_slots); p++) {
                        bool interrupts, is_free = triggered_slots[t].type < 0;
                        Queue queue;

                        queue_fill(&queue, triggered_slots[t], pending_slots[p]);
                        interrupts = !is_free && pending_slots[p].type == JOB_STOP && triggered_slots[t].type != JOB_STOP;
                        cr_assert(eq(int, job_unit_entry_interrupts(&queue.entry), interrupts));
                        cr_assert(job_unit_entry_head(&queue.entry) == (is_free || interrupts ? queue.entry.pending : NULL));
                }
}

Test(job_unit_entry, main_job_is_the_running_then_the_waiting_then_the_nop) {
        Queue queue;

        queue_fill(&queue, (Slot) IN(JOB_START), (Slot) IN(JOB_STOP));
        slot_fill(&queue.nop, 3, (Slot) IN(JOB_NOP), JOB_WAITING, &queue.entry.nop);
        cr_assert(job_unit_entry_main(&queue.entry) == &queue.triggered);
        queue.entry.triggered = NULL;
        cr_assert(job_unit_entry_main(&queue.entry) == &queue.pending);
        queue.entry.pending = NULL;
        cr_assert(job_unit_entry_main(&queue.entry) == &queue.nop);
        cr_assert(not(job_unit_entry_is_empty(&queue.entry)));
        queue.entry.nop = NULL;
        cr_assert(job_unit_entry_main(&queue.entry) == NULL);
        cr_assert(job_unit_entry_is_empty(&queue.entry));
}

Test(job_unit_entry, stop_of_a_restart_is_not_a_stop) {
        Queue queue;

        queue_fill(&queue, (Slot) STOPPING, (Slot) NOBODY);
        cr_assert(not(job_unit_entry_has_stop(&queue.entry)));
        cr_assert(not(job_unit_entry_conflicts(&queue.entry, JOB_START)));
        cr_assert(job_unit_entry_conflicts(&queue.entry, JOB_STOP));
        queue_fill(&queue, (Slot) STOPPING, (Slot) IN(JOB_STOP));
        cr_assert(job_unit_entry_has_stop(&queue.entry));
        queue_fill(&queue, (Slot) IN(JOB_STOP), (Slot) NOBODY);
        cr_assert(job_unit_entry_has_stop(&queue.entry));
        cr_assert(job_unit_entry_conflicts(&queue.entry, JOB_RELOAD));
}
