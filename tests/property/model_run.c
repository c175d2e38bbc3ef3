/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's dispatch: of all that may go, the first by priority, kind and id
 */

#include "model_private.h"

static bool blocks(const Model *m, int u, const ModelJob *job, int v, const ModelJob *other) {
        if (!other->id || other->type == JOB_NOP || other->ignores_order || job->ignores_order || job->type == JOB_NOP)
                return false;
        return u != v && model_goes_first(m, v, other->run, u, job->run);
}

/* A neighbour's job, pending or triggered, must go first. */
static bool is_blocked(const Model *m, int u, const ModelJob *job) {
        for (int v = 0; v < m->n_units; v++)
                if (blocks(m, u, job, v, &m->units[v].triggered) || blocks(m, u, job, v, &m->units[v].pending))
                        return true;
        return false;
}

bool model_is_blocker(const Model *m, int u, const ModelJob *job, uint32_t blocker) {
        for (int v = 0; v < m->n_units; v++) {
                const ModelUnit *unit = &m->units[v];

                if (unit->triggered.id == blocker && blocks(m, u, job, v, &unit->triggered))
                        return true;
                if (unit->pending.id == blocker && blocks(m, u, job, v, &unit->pending))
                        return true;
        }
        return false;
}

static bool is_interrupt(const ModelUnit *unit) {
        return unit->triggered.id && unit->pending.type == JOB_STOP && unit->triggered.type != JOB_STOP;
}

bool model_may_go(const Model *m, int u, const ModelJob *job) {
        const ModelUnit *unit = &m->units[u];

        if (!job->id || job->is_paused)
                return false;
        if (job == &unit->nop)
                return true;
        return (!unit->triggered.id || is_interrupt(unit)) && !is_blocked(m, u, job);
}

static int rank(JobType run) {
        return run == JOB_STOP ? 0 : run == JOB_VERIFY_ACTIVE ? 1 : 2;
}

static bool goes_sooner(const Model *m, int u, const ModelJob *job, int v, const ModelJob *other) {
        if (m->units[u].priority != m->units[v].priority)
                return m->units[u].priority > m->units[v].priority;
        if (rank(job->run) != rank(other->run))
                return rank(job->run) < rank(other->run);
        return job->id < other->id;
}

static ModelJob *find_next(Model *m, int *ret_unit) {
        ModelJob *next = NULL;

        for (int u = 0; u < m->n_units; u++) {
                ModelJob *const heads[] = { &m->units[u].pending, &m->units[u].nop };

                for (int i = 0; i < 2; i++)
                        if (model_may_go(m, u, heads[i]) && (!next || goes_sooner(m, u, heads[i], *ret_unit, next))) {
                                next = heads[i];
                                *ret_unit = u;
                        }
        }
        return next;
}

static void put_back(Model *m, int u) {
        ModelUnit *unit = &m->units[u];

        unit->pending = unit->triggered;
        unit->pending.is_paused = true;
        unit->pending.triggered_at = 0;
        unit->triggered = (ModelJob) {};
}

/* Handles the answer of the operation for the triggered job. */
static void take_answer(Model *m, int u, UnitAnswer answer) {
        static const int results[_UNIT_ANSWER_MAX] = {
                [UNIT_ALREADY] = JOB_DONE,
                [UNIT_CONDITION_UNMET] = JOB_DONE,
                [UNIT_ASSERT_UNMET] = JOB_ASSERT,
                [UNIT_CANNOT] = JOB_SKIPPED,
                [UNIT_UNSUPPORTED] = JOB_UNSUPPORTED,
                [UNIT_WRONG_STATE] = JOB_INVALID,
                [UNIT_DEPENDENCY_UNMET] = JOB_DEPENDENCY,
                [UNIT_ONCE] = JOB_ONCE,
                [UNIT_OPERATION_FAILED] = JOB_FAILED,
        };

        if (answer == UNIT_UNDER_WAY)
                return;
        if (answer == UNIT_NOT_NOW)
                put_back(m, u);
        else
                model_end(m, u, &m->units[u].triggered, results[answer], false);
}

static void handle_reports(Model *m) {
        for (unsigned i = 0; i < m->n_reports; i++) {
                ModelReport report = m->reports[i];

                model_handle_report(m, &report);
        }
        m->n_reports = 0;
}

static void dispatch(Model *m, int u) {
        ModelUnit *unit = &m->units[u];
        UnitAnswer answer;

        if (unit->triggered.id) {
                model_count(m, interrupted[model_slot(&unit->triggered)]);
                model_end(m, u, &unit->triggered, JOB_CANCELED, true);
        }
        unit->triggered = unit->pending;
        unit->pending = (ModelJob) {};
        unit->triggered.triggered_at = m->now;
        unit->triggered.is_between_halves = false;
        model_tell(m, MODEL_TRACE_TRIGGER, unit->triggered.id, unit->triggered.run, NULL);

        m->is_triggering = true;
        answer = model_operate(m, u, unit->triggered.run);
        m->is_triggering = false;
        model_count(m, answers[unit->triggered.run][answer]);
        take_answer(m, u, answer);
        handle_reports(m);
}

/* A reload that absorbed a start is that start if the unit has died meanwhile. */
static void resolve_again(Model *m, ModelUnit *unit) {
        ModelJob *job = &unit->pending;

        if (!job->absorbed_start || unit->state == UNIT_ACTIVE || unit->state == UNIT_RELOADING)
                return;
        job->type = job->run = JOB_START;
        job->absorbed_start = false;
        model_count(m, n_fallbacks);
}

/* A verify only looks: while the unit is activating the answer is "not now", and it never stays triggered. */
static void verify(Model *m, int u) {
        ModelUnit *unit = &m->units[u];
        bool is_up = unit->state == UNIT_ACTIVE || unit->state == UNIT_RELOADING;

        if (unit->state == UNIT_ACTIVATING)
                unit->pending.is_paused = true;
        else
                model_end(m, u, &unit->pending, is_up ? JOB_DONE : JOB_SKIPPED, false);
}

static void take_head(Model *m, int u) {
        resolve_again(m, &m->units[u]);
        if (m->units[u].pending.run == JOB_VERIFY_ACTIVE)
                verify(m, u);
        else
                dispatch(m, u);
}

bool model_run(Model *m, unsigned budget) {
        int u = 0;

        if (m->has_cycle_to_come)
                model_break_installed_cycles(m);
        model_apply_rules(m);
        for (; budget > 0; budget--) {
                const ModelJob *next = find_next(m, &u);

                if (!next)
                        return false;
                if (next == &m->units[u].nop)
                        model_end(m, u, &m->units[u].nop, JOB_DONE, false);
                else
                        take_head(m, u);
                model_settle(m);
        }
        return find_next(m, &u) != NULL;
}

void model_resume(Model *m, int u) {
        m->units[u].pending.is_paused = false;
}

bool model_is_stuck(const Model *m) {
        bool has_pending = false;

        for (int u = 0; u < m->n_units; u++) {
                const ModelUnit *unit = &m->units[u];

                if (unit->triggered.id || unit->pending.is_paused || unit->nop.id || model_may_go(m, u, &unit->pending))
                        return false;
                has_pending |= unit->pending.id != 0;
        }
        return has_pending;
}
