/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's units
 *
 * What all units do before their type is asked, as unit/unit.h has it, and then
 * what jobd-sim's units do: the outcome that was set for the next operation, or
 * "under way".
 */

#include "model_private.h"

static bool is_up(const ModelUnit *unit) {
        return unit->state == UNIT_ACTIVE || unit->state == UNIT_RELOADING;
}

static bool is_unbound(const Model *m, int u) {
        model_each(m, u, UNIT_BINDS_TO, v) {
                bool is_after = false;

                model_each(m, u, UNIT_AFTER, w)
                        is_after |= w == v;
                if (is_after && !is_up(&m->units[v]))
                        return true;
        }
        return false;
}

static UnitAnswer succeed(Model *m, int u, ModelOperation operation) {
        if (operation == MODEL_RELOAD)
                model_report(m, u, UNIT_RELOADING, 0);
        model_report(m, u, operation == MODEL_STOP ? UNIT_INACTIVE : UNIT_ACTIVE, 0);
        return UNIT_UNDER_WAY;
}

static UnitAnswer fail(Model *m, int u, ModelOperation operation) {
        if (operation == MODEL_STOP)
                return UNIT_OPERATION_FAILED;
        if (operation == MODEL_RELOAD) {
                model_report(m, u, UNIT_RELOADING, 0);
                model_report(m, u, UNIT_ACTIVE, UNIT_CHANGE_RELOAD_FAILED);
        } else {
                model_report(m, u, UNIT_FAILED, 0);
        }
        return UNIT_UNDER_WAY;
}

static UnitAnswer act(Model *m, int u, ModelOperation operation) {
        ModelOutcome outcome = m->units[u].outcomes[operation];

        m->units[u].outcomes[operation] = MODEL_UNDER_WAY;
        switch (outcome) {
        case MODEL_UNDER_WAY:
                return UNIT_UNDER_WAY;
        case MODEL_DONE:
                return succeed(m, u, operation);
        case MODEL_FAIL:
                return fail(m, u, operation);
        case MODEL_AGAIN:
                return UNIT_NOT_NOW;
        case MODEL_SKIP:
                return UNIT_CONDITION_UNMET;
        case MODEL_ASSERT:
                return UNIT_ASSERT_UNMET;
        case MODEL_UNSUPPORTED:
                return UNIT_UNSUPPORTED;
        case _MODEL_OUTCOME_MAX:
                break;
        }
        return UNIT_OPERATION_FAILED;
}

static UnitAnswer start(Model *m, int u) {
        const ModelUnit *unit = &m->units[u];

        if (is_up(unit))
                return UNIT_ALREADY;
        if (unit->state == UNIT_MAINTENANCE)
                return UNIT_NOT_NOW;
        if (unit->load != UNIT_LOADED)
                return UNIT_OPERATION_FAILED;
        if (is_unbound(m, u))
                return UNIT_DEPENDENCY_UNMET;
        return act(m, u, MODEL_START);
}

static UnitAnswer stop(Model *m, int u) {
        const ModelUnit *unit = &m->units[u];

        if (unit->state == UNIT_INACTIVE || unit->state == UNIT_FAILED)
                return UNIT_ALREADY;
        return act(m, u, MODEL_STOP);
}

static UnitAnswer reload(Model *m, int u) {
        const ModelUnit *unit = &m->units[u];

        if (unit->load != UNIT_LOADED)
                return UNIT_OPERATION_FAILED;
        if (!unit->can_reload && unit->n_related[UNIT_PROPAGATES_RELOAD_TO] == 0)
                return UNIT_CANNOT;
        if (unit->state == UNIT_RELOADING)
                return UNIT_NOT_NOW;
        if (unit->state != UNIT_ACTIVE)
                return UNIT_WRONG_STATE;
        if (!unit->can_reload)
                return UNIT_ALREADY;
        return act(m, u, MODEL_RELOAD);
}

UnitAnswer model_operate(Model *m, int u, JobType run) {
        if (run == JOB_START)
                return start(m, u);
        if (run == JOB_STOP)
                return stop(m, u);
        return reload(m, u);
}
