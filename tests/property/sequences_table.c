/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The alphabet of the sequences
 *
 * Requests of each type, in each mode that makes a difference for one unit;
 * dispatches, with each answer of the unit; changes that the unit reports by
 * itself; cancels, time, unit files, and a restart of the manager.
 */

#include <assert.h>

#include "sequences.h"

SequenceOperation sequence_operations[SEQUENCE_OPERATIONS_MAX];
unsigned n_sequence_operations;
FuzzUnit sequence_units[SEQUENCE_UNITS_MAX];
unsigned n_sequence_units;

static SequenceOperation *add(void) {
        assert(n_sequence_operations < SEQUENCE_OPERATIONS_MAX);
        return &sequence_operations[n_sequence_operations++];
}

static SequenceOperation *add_step(FuzzStep step) {
        SequenceOperation *operation = add();

        operation->steps[operation->n++] = step;
        return operation;
}

/* One request or two in one transaction. */
static SequenceOperation *add_exec(JobMode mode, JobType first, JobType second) {
        FuzzStep step = { .kind = FUZZ_EXEC, .mode = mode, .n_requests = second == _JOB_TYPE_INVALID ? 1 : 2 };

        step.requests[0] = (ModelRequest) { .type = first, .is_manual = true };
        if (second != _JOB_TYPE_INVALID)
                step.requests[1] = (ModelRequest) { .type = second, .is_manual = true };
        return add_step(step);
}

static void add_execs(void) {
        static const struct {
                JobMode mode;
                JobType types[8];
                unsigned n;
        } others[] = {
                { JOB_FAIL, { JOB_START, JOB_STOP, JOB_RESTART, JOB_RELOAD, JOB_VERIFY_ACTIVE }, 5 },
                { JOB_LENIENT, { JOB_START, JOB_STOP }, 2 },
                { JOB_REPLACE_IRREVERSIBLY, { JOB_START, JOB_STOP, JOB_RESTART, JOB_RELOAD, JOB_NOP }, 5 },
                { JOB_IGNORE_DEPENDENCIES, { JOB_START, JOB_STOP, JOB_RESTART }, 3 },
                { JOB_ISOLATE, { JOB_START, JOB_STOP }, 2 },
                { JOB_FLUSH, { JOB_NOP, JOB_START }, 2 },
                { JOB_TRIGGERING, { JOB_STOP }, 1 },
                { JOB_RESTART_DEPENDENCIES, { JOB_START }, 1 },
        };

        for (JobType type = 0; type < _JOB_TYPE_MAX; type++)
                add_exec(JOB_REPLACE, type, _JOB_TYPE_INVALID)->is_basic = type < _JOB_TYPE_MAX_IN_TABLE;
        for (size_t i = 0; i < ELEMENTSOF(others); i++)
                for (unsigned k = 0; k < others[i].n; k++)
                        add_exec(others[i].mode, others[i].types[k], _JOB_TYPE_INVALID);
        add_exec(JOB_REPLACE, JOB_START, JOB_RELOAD);
        add_exec(JOB_REPLACE, JOB_STOP, JOB_RESTART);
        add_exec(JOB_REPLACE, JOB_VERIFY_ACTIVE, JOB_NOP);
        add_exec(JOB_REPLACE, JOB_RESTART, _JOB_TYPE_INVALID)->steps[0].requests[0].reload_if_possible = true;
        add_exec(JOB_REPLACE, JOB_TRY_RESTART, _JOB_TYPE_INVALID)->steps[0].requests[0].reload_if_possible = true;
}

/* Dispatches; each operation of the unit has this outcome. */
static SequenceOperation *add_run(ModelOutcome outcome, unsigned budget) {
        SequenceOperation *operation = add();

        for (ModelOperation of = 0; of < _MODEL_OPERATION_MAX; of++)
                operation->steps[operation->n++] = (FuzzStep) { .kind = FUZZ_RESULT, .operation = of, .outcome = outcome };
        operation->steps[operation->n++] = (FuzzStep) { .kind = FUZZ_RUN, .budget = budget };
        return operation;
}

static void add_runs(void) {
        for (ModelOutcome outcome = 0; outcome < _MODEL_OUTCOME_MAX; outcome++)
                add_run(outcome, 1)->is_common = outcome == MODEL_DONE || outcome == MODEL_AGAIN;
        sequence_operations[n_sequence_operations - _MODEL_OUTCOME_MAX].is_basic = true;
        add_run(MODEL_UNDER_WAY, 0);
        add_run(MODEL_DONE, 0);
}

static SequenceOperation *add_state(UnitActiveState state, UnitChangeFlags flags) {
        return add_step((FuzzStep) { .kind = FUZZ_STATE, .state = state, .flags = flags });
}

static void add_states(void) {
        for (UnitActiveState state = 0; state < _UNIT_ACTIVE_STATE_MAX; state++)
                add_state(state, 0)->is_basic = state == UNIT_INACTIVE || state == UNIT_ACTIVE;
        sequence_operations[n_sequence_operations - _UNIT_ACTIVE_STATE_MAX + UNIT_FAILED].is_common = true;
        add_state(UNIT_INACTIVE, UNIT_CHANGE_WILL_RESTART);
        add_state(UNIT_INACTIVE, UNIT_CHANGE_SKIPPED);
        add_state(UNIT_ACTIVE, UNIT_CHANGE_RELOAD_FAILED);
        add_state(UNIT_FAILED, UNIT_CHANGE_WILL_RESTART);
}

static void add_units(void) {
        static const FuzzUnit usual = { .is_there = true, .load = UNIT_LOADED, .can_reload = true, .allows_isolate = true,
                                        .on_failure_mode = JOB_REPLACE, .on_success_mode = JOB_FAIL };
        FuzzUnit limited = usual, plain = usual, unneeded = usual;

        limited.timeout = 5;
        limited.running_timeout = 3;
        plain.can_reload = false;
        unneeded.stops_when_unneeded = true;
        for (UnitActiveState state = 0; state < _UNIT_ACTIVE_STATE_MAX; state++) {
                sequence_units[n_sequence_units] = usual;
                sequence_units[n_sequence_units++].state = state;
        }
        for (UnitActiveState state = UNIT_INACTIVE; state <= UNIT_ACTIVE; state += UNIT_ACTIVE - UNIT_INACTIVE) {
                limited.state = plain.state = unneeded.state = state;
                sequence_units[n_sequence_units++] = limited;
                sequence_units[n_sequence_units++] = plain;
                sequence_units[n_sequence_units++] = unneeded;
        }
}

void sequence_fill_tables(void) {
        add_execs();
        add_runs();
        add_states();
        for (unsigned pick = 0; pick < 4; pick++)
                add_step((FuzzStep) { .kind = FUZZ_CANCEL, .pick = pick })->is_basic = pick == 0;
        add_step((FuzzStep) { .kind = FUZZ_READY })->is_common = true;
        add_step((FuzzStep) { .kind = FUZZ_CLEAR });
        add_step((FuzzStep) { .kind = FUZZ_ADVANCE, .seconds = 2 });
        add_step((FuzzStep) { .kind = FUZZ_RELATE });
        add_step((FuzzStep) { .kind = FUZZ_RESTART })->is_common = true;
        add_step((FuzzStep) { .kind = FUZZ_RELOADED });
        add_units();
        for (unsigned i = 0; i < n_sequence_operations; i++)
                sequence_operations[i].is_common |= sequence_operations[i].is_basic;
}
