/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's follow-ups: what a change of a unit asks of others
 */

#include <assert.h>

#include "model_private.h"

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
        model_count(m, wishes[mode][type]);
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
                if (!is_down(m->units[v].state) && m->units[v].state != UNIT_DEACTIVATING)
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

static void queue_rules(Model *m, int u, unsigned rules) {
        if (m->units[u].rules == 0)
                m->rule_queue[m->n_rule_queue++] = u;
        m->units[u].rules |= rules;
}

/* A unit may act, or be acted on, only so often in an interval; further rules are delayed. */
static bool may_act(Model *m, int u, unsigned rule) {
        ModelUnit *unit = &m->units[u];

        if (unit->rule_window == 0 || m->now >= unit->rule_window + MODEL_RULE_INTERVAL) {
                unsigned late = unit->delayed_rules & ~rule;

                unit->delayed_rules = 0;
                if (late)
                        queue_rules(m, u, late);
                unit->rule_window = m->now;
                unit->n_rule_requests = 0;
        }
        if (unit->n_rule_requests < MODEL_RULE_BURST) {
                unit->n_rule_requests++;
                return true;
        }
        model_count(m, n_limited);
        unit->delayed_rules |= rule;
        return false;
}

void model_wish_on_failure(Model *m, int u) {
        if (m->units[u].n_related[UNIT_ON_FAILURE] == 0 || !may_act(m, u, MODEL_RULE_FAILURE))
                return;
        model_each(m, u, UNIT_ON_FAILURE, v)
                model_wish(m, v, JOB_START, m->units[u].on_failure_mode);
}

static void wish_on_success(Model *m, int u) {
        if (m->units[u].n_related[UNIT_ON_SUCCESS] == 0 || !may_act(m, u, MODEL_RULE_SUCCESS))
                return;
        model_each(m, u, UNIT_ON_SUCCESS, v)
                model_wish(m, v, JOB_START, m->units[u].on_success_mode);
}

static void follow_end(Model *m, const ModelReport *report) {
        bool was_clean = report->old != UNIT_FAILED && report->old != UNIT_INACTIVE && report->old != UNIT_MAINTENANCE;

        if (report->flags & UNIT_CHANGE_WILL_RESTART)
                return;
        if (report->new == UNIT_FAILED && report->old != UNIT_FAILED)
                model_wish_on_failure(m, report->unit);
        if (report->new == UNIT_INACTIVE && was_clean)
                wish_on_success(m, report->unit);
}

/* The unit has become active: restarts the units that wait for it and still depend on it. */
static void recover_dependents(Model *m, const ModelReport *report) {
        static const UnitRelationKind over[] = { UNIT_REQUIRED_BY, UNIT_REQUISITE_OF, UNIT_BOUND_BY };

        if (!is_up(report->new) || is_up(report->old))
                return;
        for (unsigned i = 0; i < sizeof(over) / sizeof(over[0]); i++)
                model_each(m, report->unit, over[i], v)
                        if (m->units[v].waits_for == report->unit) {
                                m->units[v].waits_for = MODEL_NOBODY;
                                model_wish(m, v, JOB_START, JOB_REPLACE);
                        }
}

void model_forget_recovery(Model *m, int u) {
        m->units[u].waits_for = MODEL_NOBODY;
}

void model_follow_up(Model *m, const ModelReport *report, bool is_unexpected) {
        if (is_unexpected)
                follow_unexpected(m, report);
        follow_end(m, report);
        recover_dependents(m, report);
        model_look_at_rules(m, report->unit);
}

/* — rules about states: looked at when the next run begins, in the order in which something set them off — */

static void queue_neighbours(Model *m, int u, UnitRelationKind over, unsigned rule) {
        model_each(m, u, over, v)
                if (rule != MODEL_RULE_UNNEEDED || m->units[v].stops_when_unneeded)
                        queue_rules(m, v, rule);
}

void model_look_at_rules(Model *m, int u) {
        static const UnitRelationKind needs[] = { UNIT_REQUIRES, UNIT_REQUISITE, UNIT_WANTS, UNIT_BINDS_TO, UNIT_UPHOLDS };
        const ModelUnit *unit = &m->units[u];

        if (unit->stops_when_unneeded)
                queue_rules(m, u, MODEL_RULE_UNNEEDED);
        if (unit->n_related[UNIT_UPHELD_BY] > 0)
                queue_rules(m, u, MODEL_RULE_UPHELD);
        if (unit->n_related[UNIT_BINDS_TO] > 0)
                queue_rules(m, u, MODEL_RULE_BOUND);
        if (is_down(unit->state)) {
                for (unsigned i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
                        queue_neighbours(m, u, needs[i], MODEL_RULE_UNNEEDED);
                queue_neighbours(m, u, UNIT_BOUND_BY, MODEL_RULE_BOUND);
        }
        if (is_up(unit->state))
                queue_neighbours(m, u, UNIT_UPHOLDS, MODEL_RULE_UPHELD);
}

static bool is_needed_over(const Model *m, int u, UnitRelationKind over) {
        model_each(m, u, over, v)
                if (model_has_job(m, v) || !is_down(m->units[v].state) || m->units[v].will_restart)
                        return true;
        return false;
}

static bool is_unneeded(const Model *m, int u) {
        const ModelUnit *unit = &m->units[u];

        return unit->stops_when_unneeded && is_up(unit->state) && !is_needed_over(m, u, UNIT_REQUIRED_BY) &&
               !is_needed_over(m, u, UNIT_REQUISITE_OF) && !is_needed_over(m, u, UNIT_WANTED_BY) &&
               !is_needed_over(m, u, UNIT_BOUND_BY) && !is_needed_over(m, u, UNIT_UPHELD_BY);
}

static bool is_upheld(const Model *m, int u) {
        if (!is_down(m->units[u].state))
                return false;
        model_each(m, u, UNIT_UPHELD_BY, v)
                if (is_up(m->units[v].state) && !model_has_job(m, v))
                        return true;
        return false;
}

static bool lost_what_it_binds_to(const Model *m, int u) {
        if (!is_up(m->units[u].state))
                return false;
        model_each(m, u, UNIT_BINDS_TO, v)
                if (is_down(m->units[v].state) && !m->units[v].will_restart && !model_has_job(m, v))
                        return true;
        return false;
}

static void act(Model *m, int u, unsigned rule, JobType type, JobMode mode) {
        if (may_act(m, u, rule))
                model_wish(m, u, type, mode);
}

static void look_at(Model *m, int u, unsigned rules) {
        if (rules & MODEL_RULE_FAILURE)
                model_wish_on_failure(m, u);
        if (rules & MODEL_RULE_SUCCESS)
                wish_on_success(m, u);
        if (m->units[u].load != UNIT_LOADED || model_has_job(m, u))
                return;
        if ((rules & MODEL_RULE_UPHELD) && is_upheld(m, u))
                act(m, u, MODEL_RULE_UPHELD, JOB_START, JOB_FAIL);
        if ((rules & MODEL_RULE_BOUND) && lost_what_it_binds_to(m, u))
                act(m, u, MODEL_RULE_BOUND, JOB_STOP, JOB_REPLACE);
        else if ((rules & MODEL_RULE_UNNEEDED) && is_unneeded(m, u))
                act(m, u, MODEL_RULE_UNNEEDED, JOB_STOP, JOB_FAIL);
}

void model_apply_rules(Model *m) {
        for (int i = 0; i < m->n_rule_queue; i++) {
                int u = m->rule_queue[i];
                unsigned rules = m->units[u].rules;

                m->units[u].rules = 0;
                look_at(m, u, rules);
        }
        m->n_rule_queue = 0;
        model_settle(m);
}

void model_retry_rules(Model *m, int u) {
        queue_rules(m, u, m->units[u].delayed_rules);
        m->units[u].delayed_rules = 0;
        m->units[u].rule_window = 0;
}

/* Rules depend on states only, so all are checked again, and the counters of the limit are reset. */
void model_restart(Model *m) {
        m->n_rule_queue = 0;
        m->has_cycle_to_come = true;
        for (int u = 0; u < m->n_units; u++)
                m->units[u].rules = m->units[u].delayed_rules = 0;
        for (int u = 0; u < m->n_units; u++) {
                m->units[u].rule_window = 0;
                model_look_at_rules(m, u);
        }
}

void model_settle(Model *m) {
        for (unsigned i = 0; i < m->n_wishes; i++) {
                ModelRequest request = { .unit = m->wishes[i].unit, .type = m->wishes[i].type };
                uint32_t anchors[MODEL_REQUESTS_MAX];
                const char *error = model_exec(m, &request, 1, m->wishes[i].mode, anchors);

                if (error)
                        model_tell(m, MODEL_TRACE_REFUSED, 0, 0, error);
        }
        m->n_wishes = 0;
}

void model_reloaded_itself(Model *m, int u, JobMode mode) {
        model_each(m, u, UNIT_PROPAGATES_RELOAD_TO, v)
                if (model_is_applicable(m, v, JOB_TRY_RELOAD))
                        model_wish(m, v, JOB_TRY_RELOAD, mode);
        model_settle(m);
}
