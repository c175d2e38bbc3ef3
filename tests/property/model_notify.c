/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's follow-ups: what a change of a unit asks of others
 */

#include <assert.h>

#include "model_private.h"

#define RULE_INTERVAL (10 * UINT64_C(1000000))
#define RULE_BURST 16

static bool is_down(UnitActiveState state) {
        return state == UNIT_INACTIVE || state == UNIT_FAILED;
}

static bool is_up_or_coming(UnitActiveState state) {
        return state == UNIT_ACTIVE || state == UNIT_RELOADING || state == UNIT_ACTIVATING;
}

static bool is_up(UnitActiveState state) {
        return state == UNIT_ACTIVE || state == UNIT_RELOADING;
}

void model_wish(Model *m, int unit, JobType type, JobMode mode) {
        assert(m->n_wishes < MODEL_WISHES_MAX);
        m->wishes[m->n_wishes++] = (ModelWish) { unit, type, mode };
}

static bool is_after(const Model *m, int u, int v) {
        model_each(m, u, UNIT_AFTER, w)
                if (w == v)
                        return true;
        return false;
}

static void start_by_itself(Model *m, int u, UnitRelationKind over, JobMode mode) {
        model_each(m, u, over, v)
                if (!is_after(m, u, v) && !is_up_or_coming(m->units[v].state))
                        model_wish(m, v, JOB_START, mode);
}

static void stop_by_itself(Model *m, int u, UnitRelationKind over) {
        model_each(m, u, over, v)
                if (is_up_or_coming(m->units[v].state))
                        model_wish(m, v, JOB_STOP, JOB_REPLACE);
}

static void follow_unexpected(Model *m, const ModelReport *report) {
        int u = report->unit;

        if (is_down(report->old) && is_up_or_coming(report->new)) {
                start_by_itself(m, u, UNIT_REQUIRES, JOB_REPLACE);
                start_by_itself(m, u, UNIT_BINDS_TO, JOB_REPLACE);
                start_by_itself(m, u, UNIT_UPHOLDS, JOB_REPLACE);
                start_by_itself(m, u, UNIT_WANTS, JOB_FAIL);
                stop_by_itself(m, u, UNIT_CONFLICTS);
                stop_by_itself(m, u, UNIT_CONFLICTED_BY);
        }
        if (is_up_or_coming(report->old) && (is_down(report->new) || report->new == UNIT_DEACTIVATING) &&
            !(report->flags & UNIT_CHANGE_WILL_RESTART)) {
                stop_by_itself(m, u, UNIT_BOUND_BY);
                stop_by_itself(m, u, UNIT_PROPAGATES_STOP_TO);
        }
}

void model_wish_on_failure(Model *m, int u) {
        model_each(m, u, UNIT_ON_FAILURE, v)
                model_wish(m, v, JOB_START, m->units[u].on_failure_mode);
}

static void follow_end(Model *m, const ModelReport *report) {
        bool was_clean = report->old != UNIT_FAILED && report->old != UNIT_INACTIVE && report->old != UNIT_MAINTENANCE;

        if (report->flags & UNIT_CHANGE_WILL_RESTART)
                return;
        if (report->new == UNIT_FAILED && report->old != UNIT_FAILED)
                model_wish_on_failure(m, report->unit);
        if (report->new == UNIT_INACTIVE && was_clean)
                model_each(m, report->unit, UNIT_ON_SUCCESS, v)
                        model_wish(m, v, JOB_START, m->units[report->unit].on_success_mode);
}

static void recover_dependents(Model *m, const ModelReport *report) {
        if (!is_up(report->new))
                return;
        for (int u = 0; u < m->n_units; u++)
                if (m->units[u].waits_for == report->unit) {
                        m->units[u].waits_for = MODEL_NOBODY;
                        model_wish(m, u, JOB_START, JOB_REPLACE);
                }
}

void model_forget_recovery(Model *m, int u) {
        m->units[u].waits_for = MODEL_NOBODY;
}

void model_follow_up(Model *m, const ModelReport *report, bool is_unexpected) {
        static const UnitRelationKind needs[] = { UNIT_REQUIRES, UNIT_REQUISITE, UNIT_WANTS, UNIT_BINDS_TO, UNIT_UPHOLDS };
        int u = report->unit;

        if (is_unexpected)
                follow_unexpected(m, report);
        follow_end(m, report);
        recover_dependents(m, report);

        if (is_down(report->new)) {
                for (unsigned i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
                        model_each(m, u, needs[i], v)
                                m->units[v].check_unneeded = true;
                model_each(m, u, UNIT_BOUND_BY, w)
                        m->units[w].check_bound = true;
                m->units[u].check_upheld = true;
        }
        if (is_up(report->new)) {
                model_each(m, u, UNIT_UPHOLDS, v)
                        m->units[v].check_upheld = true;
                m->units[u].check_unneeded = m->units[u].check_bound = true;
        }
}

void model_look_at_rules(Model *m, int u) {
        m->units[u].check_unneeded = m->units[u].check_upheld = m->units[u].check_bound = true;
}

/* — rules about states — */

static bool is_needed_over(const Model *m, int u, UnitRelationKind over) {
        model_each(m, u, over, v)
                if (model_has_job(m, v) || !is_down(m->units[v].state) || m->units[v].will_restart)
                        return true;
        return false;
}

static bool is_unneeded(const Model *m, int u) {
        const ModelUnit *unit = &m->units[u];

        return unit->stops_when_unneeded && is_up_or_coming(unit->state) && !model_has_job(m, u) &&
               !is_needed_over(m, u, UNIT_REQUIRED_BY) && !is_needed_over(m, u, UNIT_REQUISITE_OF) &&
               !is_needed_over(m, u, UNIT_WANTED_BY) && !is_needed_over(m, u, UNIT_BOUND_BY) &&
               !is_needed_over(m, u, UNIT_UPHELD_BY);
}

static bool should_be_up(const Model *m, int u) {
        if (!is_down(m->units[u].state) || model_has_job(m, u))
                return false;
        model_each(m, u, UNIT_UPHELD_BY, v)
                if (is_up(m->units[v].state) && !model_has_job(m, v))
                        return true;
        return false;
}

static bool lost_what_it_binds_to(const Model *m, int u) {
        if (!is_up(m->units[u].state) || model_has_job(m, u))
                return false;
        model_each(m, u, UNIT_BINDS_TO, v)
                if (is_down(m->units[v].state) && !model_has_job(m, v))
                        return true;
        return false;
}

static bool may_ask(Model *m, int u) {
        ModelUnit *unit = &m->units[u];

        if (unit->rule_window == 0 || m->now >= unit->rule_window + RULE_INTERVAL) {
                unit->rule_window = m->now;
                unit->n_rule_requests = 0;
        }
        return unit->n_rule_requests++ < RULE_BURST;
}

static bool apply_rules(Model *m) {
        for (int u = 0; u < m->n_units; u++) {
                ModelUnit *unit = &m->units[u];
                bool unneeded = unit->check_unneeded && is_unneeded(m, u);
                bool upheld = unit->check_upheld && should_be_up(m, u);
                bool bound = unit->check_bound && lost_what_it_binds_to(m, u);

                unit->check_unneeded = unit->check_upheld = unit->check_bound = false;
                if (!(unneeded || upheld || bound) || !may_ask(m, u))
                        continue;
                if (upheld)
                        model_wish(m, u, JOB_START, JOB_FAIL);
                else
                        model_wish(m, u, JOB_STOP, bound ? JOB_REPLACE : JOB_FAIL);
                return true;
        }
        return false;
}

static void grant(Model *m) {
        for (unsigned i = 0; i < m->n_wishes; i++) {
                ModelRequest request = { .unit = m->wishes[i].unit, .type = m->wishes[i].type };
                uint32_t anchors[MODEL_REQUESTS_MAX];
                const char *error = model_exec(m, &request, 1, m->wishes[i].mode, anchors);

                if (error)
                        model_tell(m, MODEL_TRACE_REFUSED, 0, 0, error);
        }
        m->n_wishes = 0;
}

void model_settle(Model *m) {
        do
                grant(m);
        while (apply_rules(m));
}

void model_reloaded_itself(Model *m, int u, JobMode mode) {
        model_each(m, u, UNIT_PROPAGATES_RELOAD_TO, v)
                model_wish(m, v, JOB_TRY_RELOAD, mode);
        model_settle(m);
}
