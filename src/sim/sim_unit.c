/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Units without processes
 *
 * All types are alike but for their ability to reload: the engine only sees
 * the answer of an operation and the following state. The script sets the
 * answer of a single operation; the default is "under way", or success with
 * --auto. Flows have runs, which end their operations (sim_flow.h).
 */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/sim.h"
#include "sim/sim_flow.h"
#include "sim/sim_unit.h"
#include "unitfile/draft_type.h"

#define OUTCOME_DEFAULT _SIM_OUTCOME_MAX

/* Unit.state_of_type; small, as the benchmark of the engine fetches it at each operation */
typedef struct SimUnit {
        uint8_t next[_SIM_OPERATION_MAX];       /* SimOutcome; OUTCOME_DEFAULT if nothing is scripted */
        bool will_restart;                      /* reported with the present state */
        uint8_t operation;                      /* SimOperation: hangs until .deadline, or has timed out */
        bool has_timed_out;
        bool is_flow_stop;                      /* the deadline is that of attempts */
        usec_t deadline;                        /* USEC_INFINITY: nothing hangs, or for ever */
} SimUnit;

static const char *const sim_operation_table[_SIM_OPERATION_MAX] = {
        [SIM_START] = "start",
        [SIM_STOP] = "stop",
        [SIM_RELOAD] = "reload",
};
DEFINE_STRING_TABLE_FROM(sim_operation, sim_operation_table)

static const char *const sim_outcome_table[_SIM_OUTCOME_MAX] = {
        [SIM_OUTCOME_UNDER_WAY] = "under-way",
        [SIM_OUTCOME_DONE] = "done",
        [SIM_OUTCOME_FAIL] = "fail",
        [SIM_OUTCOME_AGAIN] = "again",
        [SIM_OUTCOME_SKIP] = "skip",
        [SIM_OUTCOME_ASSERT] = "assert",
        [SIM_OUTCOME_UNSUPPORTED] = "unsupported",
        [SIM_OUTCOME_HANG] = "hang",
};
DEFINE_STRING_TABLE_FROM(sim_outcome, sim_outcome_table)

static Sim *sim_of_unit(const Unit *unit) {
        return container_of(unit_table_host(unit->table), Sim, host);
}

static int sim_unit_init(Unit *unit) {
        SimUnit *state = calloc(1, sizeof(*state));

        if (!state)
                return -ENOMEM;
        for (size_t i = 0; i < ELEMENTSOF(state->next); i++)
                state->next[i] = OUTCOME_DEFAULT;
        state->deadline = USEC_INFINITY;
        unit->state_of_type = state;
        return 0;
}

void sim_unit_end_hanging(Unit *unit) {
        SimUnit *state = unit->state_of_type;

        if (state->deadline != USEC_INFINITY)
                sim_of_unit(unit)->n_hanging--;
        state->deadline = USEC_INFINITY;
        state->has_timed_out = state->is_flow_stop = false;
}

/* The time limit that the unit file sets for @operation, or USEC_INFINITY. */
static usec_t sim_unit_limit(const Unit *unit, SimOperation operation) {
        const DraftType *type = draft_type_of(unit->type);

        return type && type->limit && unit->type_settings ? type->limit(unit->type_settings, operation == SIM_STOP) :
                                                            USEC_INFINITY;
}

static void sim_unit_hang_for(Unit *unit, SimOperation operation, usec_t limit) {
        SimUnit *state = unit->state_of_type;
        Sim *sim = sim_of_unit(unit);

        state->operation = (uint8_t) operation;
        state->deadline = usec_add(sim->now, limit);
        if (state->deadline != USEC_INFINITY)
                sim->n_hanging++;
}

static void sim_unit_hang(Unit *unit, SimOperation operation) {
        sim_unit_hang_for(unit, operation, sim_unit_limit(unit, operation));
}

static void sim_unit_deinit(Unit *unit) {
        sim_unit_end_hanging(unit);
        free(take_ptr(unit->state_of_type));
}

static SimOutcome sim_unit_take_outcome(Unit *unit, SimOperation operation) {
        SimUnit *state = unit->state_of_type;
        Sim *sim = sim_of_unit(unit);
        SimOutcome outcome = (SimOutcome) state->next[operation];

        state->next[operation] = OUTCOME_DEFAULT;
        sim->n_operations++;
        if (outcome == OUTCOME_DEFAULT && !sim_flow_is_of(unit))
                return sim->is_auto ? SIM_OUTCOME_DONE : SIM_OUTCOME_UNDER_WAY;
        return outcome;
}

static UnitAnswer sim_unit_succeed(Unit *unit, SimOperation operation) {
        if (operation == SIM_RELOAD)
                unit_publish(unit, UNIT_RELOADING, 0);
        unit_publish(unit, operation == SIM_STOP ? UNIT_INACTIVE : UNIT_ACTIVE, 0);
        return UNIT_UNDER_WAY;
}

static UnitAnswer sim_unit_fail(Unit *unit, SimOperation operation) {
        switch (operation) {
        case SIM_START:
                unit_publish(unit, UNIT_FAILED, 0);
                return UNIT_UNDER_WAY;
        case SIM_RELOAD:
                unit_publish(unit, UNIT_RELOADING, 0);
                unit_publish(unit, UNIT_ACTIVE, UNIT_CHANGE_RELOAD_FAILED);
                return UNIT_UNDER_WAY;
        case SIM_STOP:
        case _SIM_OPERATION_MAX:
                break;
        }
        return UNIT_OPERATION_FAILED;
}

/* The runs of a flow end its operations. */
static UnitAnswer sim_unit_operate_flow(Unit *unit, SimOperation operation) {
        UnitAnswer answer;
        usec_t timeout;

        if (operation == SIM_START)
                return sim_flow_start(unit);
        answer = sim_flow_stop(unit, &timeout);
        ((SimUnit *) unit->state_of_type)->is_flow_stop = true;
        sim_unit_hang_for(unit, SIM_STOP, timeout);
        return answer;
}

static UnitAnswer sim_unit_operate(Unit *unit, SimOperation operation) {
        sim_unit_end_hanging(unit);
        switch (sim_unit_take_outcome(unit, operation)) {
        case SIM_OUTCOME_HANG:
                sim_unit_hang(unit, operation);
                return UNIT_UNDER_WAY;
        case SIM_OUTCOME_UNDER_WAY:
                return UNIT_UNDER_WAY;
        case SIM_OUTCOME_DONE:
                return sim_unit_succeed(unit, operation);
        case SIM_OUTCOME_FAIL:
                return sim_unit_fail(unit, operation);
        case SIM_OUTCOME_AGAIN:
                return UNIT_NOT_NOW;
        case SIM_OUTCOME_SKIP:
                return UNIT_CONDITION_UNMET;
        case SIM_OUTCOME_ASSERT:
                return UNIT_ASSERT_UNMET;
        case SIM_OUTCOME_UNSUPPORTED:
                return UNIT_UNSUPPORTED;
        case OUTCOME_DEFAULT:
                return sim_unit_operate_flow(unit, operation);
        }
        return UNIT_OPERATION_FAILED;
}

static UnitAnswer sim_unit_start(Unit *unit) {
        return sim_unit_operate(unit, SIM_START);
}

static UnitAnswer sim_unit_stop(Unit *unit) {
        return sim_unit_operate(unit, SIM_STOP);
}

static UnitAnswer sim_unit_reload(Unit *unit) {
        return sim_unit_operate(unit, SIM_RELOAD);
}

static bool sim_unit_can_reload(const Unit *unit) {
        const DraftType *type = draft_type_of(unit->type);

        return type && type->can_reload && unit->type_settings && type->can_reload(unit->type_settings);
}

static bool sim_unit_will_restart(const Unit *unit) {
        const SimUnit *state = unit->state_of_type;

        return state->will_restart;
}

/* The text lasts until the failure of another unit is asked for. */
static const char *sim_unit_failure(const Unit *unit) {
        const SimUnit *state = unit->state_of_type;
        Sim *sim = sim_of_unit(unit);
        char span[USEC_FORMAT_MAX];

        if (!state->has_timed_out)
                return NULL;
        snprintf(sim->failure, sizeof(sim->failure), "the %s timed out after %s",
                 sim_operation_table[state->operation],
                 usec_format(sim_unit_limit(unit, (SimOperation) state->operation), span));
        return sim->failure;
}

usec_t sim_units_next_deadline(const Sim *sim) {
        usec_t next = USEC_INFINITY;

        if (sim->n_hanging > 0)
                unit_table_foreach(sim->units, unit)
                        next = MIN(next, ((const SimUnit *) unit->state_of_type)->deadline);
        return next;
}

static void sim_unit_expire(Unit *unit) {
        SimUnit *state = unit->state_of_type;

        if (state->is_flow_stop) {
                sim_unit_end_hanging(unit);
                sim_flow_interrupt(unit);
                return;
        }
        sim_unit_end_hanging(unit);
        if (state->operation == SIM_RELOAD) {
                (void) sim_unit_fail(unit, SIM_RELOAD);
                return;
        }
        state->has_timed_out = true;
        unit_publish(unit, UNIT_FAILED, 0);
}

void sim_units_expire(Sim *sim) {
        if (sim->n_hanging > 0)
                unit_table_foreach(sim->units, unit)
                        if (((const SimUnit *) unit->state_of_type)->deadline <= sim->now)
                                sim_unit_expire(unit);
}

static void sim_unit_runs_changed(Unit *unit) {
        if (sim_flow_runs_changed(unit))
                sim_unit_end_hanging(unit);
}

UnitVTable sim_unit_vtable(UnitType type) {
        return (UnitVTable) {
                .type = type,
                .init = sim_unit_init,
                .deinit = sim_unit_deinit,
                .can_reload = sim_unit_can_reload,
                .start = sim_unit_start,
                .stop = sim_unit_stop,
                .reload = sim_unit_reload,
                .failure = sim_unit_failure,
                .will_restart = sim_unit_will_restart,
                .runs_changed = type == UNIT_FLOW || type == UNIT_BATCH ? sim_unit_runs_changed : NULL,
        };
}

void sim_unit_set_outcome(Unit *unit, SimOperation operation, SimOutcome outcome) {
        SimUnit *state = unit->state_of_type;

        assert(operation < _SIM_OPERATION_MAX);
        assert(outcome < _SIM_OUTCOME_MAX);
        state->next[operation] = (uint8_t) outcome;
}

void sim_unit_set_will_restart(Unit *unit, bool will_restart) {
        SimUnit *state = unit->state_of_type;

        state->will_restart = will_restart;
}
