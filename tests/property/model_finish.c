/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's ends of jobs: by a unit's state, by a cancel, by time
 */

#include <assert.h>

#include "model_private.h"

#define NO_RESULT _JOB_RESULT_INVALID

void model_tell(Model *m, ModelTraceKind kind, uint32_t id, int detail, const char *error) {
        assert(m->trace->n < MODEL_TRACE_MAX);
        m->trace->items[m->trace->n++] = (ModelTrace) { kind, id, detail, error };
}

bool model_has_job(const Model *m, int u) {
        return m->units[u].triggered.id || m->units[u].pending.id || m->units[u].nop.id;
}

static bool is_it(const ModelJob *job, uint32_t id) {
        if (job->id == 0)
                return false;
        for (unsigned i = 0; i < job->n_aliases; i++)
                if (job->aliases[i] == id)
                        return true;
        return job->id == id;
}

ModelJob *model_find(Model *m, uint32_t id, int *ret_unit) {
        for (int u = 0; u < m->n_units; u++) {
                ModelUnit *unit = &m->units[u];
                ModelJob *const jobs[] = { &unit->triggered, &unit->pending, &unit->nop };

                for (int i = 0; i < 3; i++)
                        if (is_it(jobs[i], id)) {
                                *ret_unit = u;
                                return jobs[i];
                        }
        }
        return NULL;
}

/* — what an end leads to — */

static bool is_up(const ModelUnit *unit) {
        return unit->state == UNIT_ACTIVE || unit->state == UNIT_RELOADING;
}

/* Dependents end in the order of relations; the consequences follow after all of them. */
typedef struct ModelEnds {
        struct {
                int unit, because;
                ModelJob *job;
                JobResult result;
        } items[MODEL_UNITS_MAX + 1];
        int n;
} ModelEnds;

static void add_end(ModelEnds *ends, int unit, ModelJob *job, JobResult result, int because) {
        for (int i = 0; i < ends->n; i++)
                if (ends->items[i].job == job)
                        return;
        ends->items[ends->n].unit = unit;
        ends->items[ends->n].because = because;
        ends->items[ends->n].job = job;
        ends->items[ends->n++].result = result;
}

static void fail_pending(Model *m, ModelEnds *ends, int u, UnitRelationKind over, bool with_verify) {
        model_each(m, u, over, v) {
                ModelJob *job = &m->units[v].pending;

                if (job->id && (job->run == JOB_START || (with_verify && job->run == JOB_VERIFY_ACTIVE)))
                        add_end(ends, v, job, JOB_DEPENDENCY, u);
        }
}

static void pass_on(Model *m, ModelEnds *ends, int u, const ModelJob *gone, JobResult result) {
        JobType run = gone->run;
        bool takes_start_along = gone->type == JOB_RESTART && run == JOB_STOP && !is_up(&m->units[u]);

        if (result != JOB_DONE && (run == JOB_START || run == JOB_VERIFY_ACTIVE || takes_start_along)) {
                fail_pending(m, ends, u, UNIT_REQUIRED_BY, true);
                fail_pending(m, ends, u, UNIT_REQUISITE_OF, true);
                fail_pending(m, ends, u, UNIT_BOUND_BY, true);
        }
        if (result != JOB_DONE && run == JOB_STOP)
                fail_pending(m, ends, u, UNIT_CONFLICTED_BY, false);
        if (result == JOB_DONE && (run == JOB_START || run == JOB_RELOAD) && !is_up(&m->units[u]))
                fail_pending(m, ends, u, UNIT_REQUISITE_OF, false);
}

static bool depends_on(const Model *m, int u, int v) {
        static const UnitRelationKind kinds[] = { UNIT_REQUIRES, UNIT_REQUISITE, UNIT_BINDS_TO };

        for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
                model_each(m, u, kinds[i], w)
                        if (w == v)
                                return true;
        return false;
}

/* RestartOnDependency=: finds the unit whose failure it was; for an unmet BindsTo= the unit that is named there. */
static void remember_recovery(Model *m, int u, JobType run, JobResult result, int because) {
        if (result != JOB_DEPENDENCY || run != JOB_START || !m->units[u].restarts_on_dependency)
                return;
        model_each(m, u, UNIT_BINDS_TO, v)
                if (because == MODEL_NOBODY && !is_up(&m->units[v]))
                        because = v;
        if (because == MODEL_NOBODY || depends_on(m, u, because))
                m->units[u].waits_for = because;
}

/* The stop half is done: the same job goes on as a start, unless a stop came over it. */
static bool goes_on(Model *m, int u, ModelJob *job, JobResult result) {
        ModelUnit *unit = &m->units[u];

        if (job != &unit->triggered || job->type != JOB_RESTART || job->run != JOB_STOP || result != JOB_DONE)
                return false;
        if (unit->pending.id && unit->pending.type == JOB_STOP)
                return false;
        assert(!unit->pending.id);
        unit->pending = *job;
        unit->pending.run = JOB_START;
        unit->pending.is_between_halves = true;
        unit->pending.triggered_at = 0;
        *job = (ModelJob) {};
        return true;
}

/* Without the stop over it a running restart goes on to its start half, which no order check has seen meanwhile. */
static bool leaves_restart(const ModelUnit *unit, const ModelJob *job) {
        return job == &unit->pending && job->type == JOB_STOP && unit->triggered.id &&
               unit->triggered.type == JOB_RESTART && unit->triggered.run == JOB_STOP;
}

static void end_one(Model *m, ModelEnds *ends, int at, bool is_quiet) {
        int u = ends->items[at].unit;
        JobResult result = ends->items[at].result;
        ModelJob gone = *ends->items[at].job;

        m->has_cycle_to_come |= leaves_restart(&m->units[u], ends->items[at].job);
        *ends->items[at].job = (ModelJob) {};
        model_tell(m, MODEL_TRACE_END, gone.id, result, NULL);
        for (unsigned i = 0; i < gone.n_aliases; i++)
                model_tell(m, MODEL_TRACE_END, gone.aliases[i], result, NULL);
        if (!is_quiet)
                pass_on(m, ends, u, &gone, result);
        if (result == JOB_TIMEOUT || result == JOB_DEPENDENCY)
                model_wish_on_failure(m, u);
        remember_recovery(m, u, gone.run, result, ends->items[at].because);
        model_look_at_rules(m, u);
}

void model_end(Model *m, int u, ModelJob *job, JobResult result, bool is_quiet) {
        bool is_stopped_restart = job == &m->units[u].triggered && job->type == JOB_RESTART &&
                                  job->run == JOB_STOP && result == JOB_DONE;
        ModelEnds ends = {};

        if (goes_on(m, u, job, result))
                return;
        if (is_stopped_restart) {
                result = JOB_CANCELED;
                is_quiet = true;
        }
        add_end(&ends, u, job, result, MODEL_NOBODY);
        for (int i = 0; i < ends.n; i++)
                end_one(m, &ends, i, is_quiet);
}

/* — states — */

typedef struct ModelVerdict {
        int result;                     /* NO_RESULT: it goes on */
        bool is_unexpected;
} ModelVerdict;

static ModelVerdict judge_start(const ModelReport *report) {
        switch (report->new) {
        case UNIT_ACTIVE:
        case UNIT_RELOADING:
                return (ModelVerdict) { JOB_DONE, false };
        case UNIT_ACTIVATING:
                return (ModelVerdict) { NO_RESULT, false };
        case UNIT_DEACTIVATING:
                return (ModelVerdict) { NO_RESULT, true };
        case UNIT_INACTIVE:
                return (ModelVerdict) { report->flags & UNIT_CHANGE_SKIPPED ? JOB_SKIPPED : JOB_DONE, true };
        case UNIT_FAILED:
        case UNIT_MAINTENANCE:
        case _UNIT_ACTIVE_STATE_MAX:
        case _UNIT_ACTIVE_STATE_INVALID:
                break;
        }
        return (ModelVerdict) { JOB_FAILED, true };
}

static ModelVerdict judge_verify(const ModelReport *report) {
        if (report->new == UNIT_ACTIVE || report->new == UNIT_RELOADING)
                return (ModelVerdict) { JOB_DONE, false };
        return (ModelVerdict) { report->new == UNIT_ACTIVATING ? NO_RESULT : JOB_SKIPPED, false };
}

static ModelVerdict judge_stop(const ModelReport *report) {
        if (report->new == UNIT_INACTIVE || report->new == UNIT_FAILED)
                return (ModelVerdict) { JOB_DONE, false };
        if (report->new == UNIT_DEACTIVATING)
                return (ModelVerdict) { NO_RESULT, false };
        return (ModelVerdict) { JOB_FAILED, true };
}

static ModelVerdict judge_reload(const ModelReport *report) {
        switch (report->new) {
        case UNIT_ACTIVE:
                return (ModelVerdict) { report->flags & UNIT_CHANGE_RELOAD_FAILED ? JOB_FAILED : JOB_DONE, false };
        case UNIT_RELOADING:
        case UNIT_ACTIVATING:
                return (ModelVerdict) { NO_RESULT, false };
        case UNIT_DEACTIVATING:
                return (ModelVerdict) { NO_RESULT, true };
        case UNIT_INACTIVE:
                return (ModelVerdict) { JOB_DONE, true };
        case UNIT_FAILED:
        case UNIT_MAINTENANCE:
        case _UNIT_ACTIVE_STATE_MAX:
        case _UNIT_ACTIVE_STATE_INVALID:
                break;
        }
        return (ModelVerdict) { JOB_FAILED, true };
}

static ModelVerdict judge(const Model *m, const ModelReport *report) {
        const ModelUnit *unit = &m->units[report->unit];

        if (!unit->triggered.id)
                return (ModelVerdict) { NO_RESULT, !(unit->pending.id && unit->pending.is_between_halves) };
        if (unit->triggered.run == JOB_START)
                return judge_start(report);
        if (unit->triggered.run == JOB_VERIFY_ACTIVE)
                return judge_verify(report);
        return unit->triggered.run == JOB_STOP ? judge_stop(report) : judge_reload(report);
}

static void end_pending_that_got_there(Model *m, const ModelReport *report) {
        ModelJob *pending = &m->units[report->unit].pending;
        bool is_up_now = report->new == UNIT_ACTIVE || report->new == UNIT_RELOADING;

        if (pending->id && is_up_now && (pending->run == JOB_START || pending->run == JOB_VERIFY_ACTIVE))
                model_end(m, report->unit, pending, JOB_DONE, false);
}

void model_handle_report(Model *m, const ModelReport *report) {
        ModelUnit *unit = &m->units[report->unit];
        ModelVerdict verdict = judge(m, report);

        model_count(m, reports[model_slot(&unit->triggered)][report->new]);
        model_count(m, pending_reports[model_slot(&unit->pending)][report->new]);
        unit->pending.is_paused = false;
        if (verdict.result != NO_RESULT)
                model_end(m, report->unit, &unit->triggered, verdict.result, false);
        end_pending_that_got_there(m, report);
        model_follow_up(m, report, verdict.is_unexpected);
}

void model_report(Model *m, int u, UnitActiveState new, UnitChangeFlags flags) {
        ModelReport report = { .unit = u, .old = m->units[u].state, .new = new, .flags = flags };

        m->units[u].state = new;
        m->units[u].will_restart = flags & UNIT_CHANGE_WILL_RESTART;
        if (m->is_triggering) {
                m->reports[m->n_reports++] = report;
                return;
        }
        model_handle_report(m, &report);
        model_settle(m);
}

/* — cancels and time — */

const char *model_cancel(Model *m, uint32_t id, bool detaches) {
        int u;
        ModelJob *job = model_find(m, id, &u);

        if (!job)
                return "NoSuchJob";
        if (job == &m->units[u].triggered && !detaches)
                return "JobNotCancelable";
        model_end(m, u, job, JOB_CANCELED, false);
        model_settle(m);
        return NULL;
}

/* The follow-ups are requested after all jobs have been canceled. */
unsigned model_cancel_all(Model *m) {
        unsigned n = 0;

        for (int u = 0; u < m->n_units; u++) {
                ModelUnit *unit = &m->units[u];

                for (; unit->pending.id || unit->nop.id; n++)
                        model_end(m, u, unit->pending.id ? &unit->pending : &unit->nop, JOB_CANCELED, false);
        }
        model_settle(m);
        return n;
}

static uint64_t deadline_of(const ModelUnit *unit, const ModelJob *job) {
        uint64_t deadline = MODEL_NEVER;

        if (job->id && unit->timeout != MODEL_NEVER)
                deadline = job->installed_at + unit->timeout;
        if (job == &unit->triggered && job->id && unit->running_timeout != MODEL_NEVER &&
            job->triggered_at + unit->running_timeout < deadline)
                deadline = job->triggered_at + unit->running_timeout;
        return deadline;
}

/* The job with the earliest deadline, the oldest of several. */
static ModelJob *find_first_due(Model *m, int *ret_unit, uint64_t *ret_deadline) {
        ModelJob *first = NULL;

        *ret_deadline = MODEL_NEVER;
        for (int u = 0; u < m->n_units; u++) {
                ModelUnit *unit = &m->units[u];
                ModelJob *const jobs[] = { &unit->triggered, &unit->pending, &unit->nop };

                for (int i = 0; i < 3; i++) {
                        uint64_t deadline = deadline_of(unit, jobs[i]);

                        if (deadline == MODEL_NEVER || deadline > *ret_deadline)
                                continue;
                        if (first && deadline == *ret_deadline && jobs[i]->id > first->id)
                                continue;
                        first = jobs[i];
                        *ret_unit = u;
                        *ret_deadline = deadline;
                }
        }
        return first;
}

static uint64_t end_of_window(const ModelUnit *unit) {
        return unit->rule_window + MODEL_RULE_INTERVAL;
}

uint64_t model_next_deadline(const Model *m) {
        uint64_t deadline;
        int u;

        (void) find_first_due((Model *) m, &u, &deadline);
        for (u = 0; u < m->n_units; u++)
                if (m->units[u].delayed_rules && end_of_window(&m->units[u]) < deadline)
                        deadline = end_of_window(&m->units[u]);
        return deadline;
}

void model_expire(Model *m) {
        uint64_t deadline;
        ModelJob *job;
        int u;

        for (u = 0; u < m->n_units; u++)
                if (m->units[u].delayed_rules && end_of_window(&m->units[u]) <= m->now)
                        model_retry_rules(m, u);
        while ((job = find_first_due(m, &u, &deadline)) && deadline <= m->now)
                model_end(m, u, job, JOB_TIMEOUT, false);
        model_settle(m);
}

/* Restarts in their stop halves may be all that is in it: then what is to be canceled comes with their start halves. */
void model_break_installed_cycles(Model *m) {
        uint32_t id;

        m->has_cycle_to_come = false;
        while (model_find_stuck(m, &id)) {
                ModelJob *job;
                int u;

                if (id == 0) {
                        m->has_cycle_to_come = true;
                        return;
                }
                job = model_find(m, id, &u);
                model_end(m, u, job, JOB_CANCELED, false);
        }
}

/* A unit that no longer depends on another one does not wait for its recovery. */
static void check_recoveries(Model *m) {
        for (int u = 0; u < m->n_units; u++)
                if (m->units[u].waits_for != MODEL_NOBODY && !depends_on(m, u, m->units[u].waits_for))
                        m->units[u].waits_for = MODEL_NOBODY;
}

void model_graph_changed(Model *m) {
        check_recoveries(m);
        model_break_installed_cycles(m);
        model_settle(m);
}
