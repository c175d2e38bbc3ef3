/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The host of the engine of runs: rows in the store, and attempts
 *
 * The change of a row becomes an event when it is put, so the trace has what
 * the store gets.
 */

#include <errno.h>

#include "basic/text.h"
#include "sim/sim.h"

bool sim_runs_crashes_at(SimRuns *runs, SimCrash point) {
        if (runs->crash_at != point)
                return false;
        runs->crash_at = SIM_CRASH_NOWHERE;
        runs->is_dying = true;
        return true;
}

static void set_string(Sim *sim, json_t *event, const char *key, const char *value) {
        if (event && value)
                sim_event_set(&sim->events, event, key, json_string(value));
}

static void set_number(Sim *sim, json_t *event, const char *key, uint64_t value) {
        if (event)
                sim_event_set(&sim->events, event, key, json_integer((json_int_t) value));
}

/* — rows — */

static void emit_run(Sim *sim, const SimRun *run, const RunRow *row) {
        json_t *event;

        if (run->is_put && run->row.state == row->state && run->row.reason == row->reason &&
            run->row.is_held == row->is_held)
                return;
        event = sim_event_new(&sim->events, "run");
        set_number(sim, event, "run", run->id);
        set_string(sim, event, "unit", run->flow->unit->id);
        if (run->is_put)
                set_string(sim, event, "from", run_state_to_string(run->row.state));
        set_string(sim, event, "to", run_state_to_string(row->state));
        if (row->reason != RUN_REASON_NONE)
                set_string(sim, event, "reason", run_reason_to_string(row->reason));
        if (row->is_held)
                sim_event_set(&sim->events, event, "held", json_true());
        set_number(sim, event, "at", sim->now - SIM_EPOCH);
        sim_event_emit(&sim->events, event);
}

static void emit_node(Sim *sim, const SimRun *run, const RunNodeRow *before, const RunNodeRow *row) {
        json_t *event;

        if (before->state == row->state && before->reason == row->reason && before->generation == row->generation &&
            before->number == row->number)
                return;
        event = sim_event_new(&sim->events, "node");
        set_number(sim, event, "run", run->id);
        set_string(sim, event, "node", run_graph_name(flow_definition_graph(run->definition), row->node));
        set_string(sim, event, "from", run_node_state_to_string(before->state));
        set_string(sim, event, "to", run_node_state_to_string(row->state));
        if (row->reason != RUN_REASON_NONE)
                set_string(sim, event, "reason", run_reason_to_string(row->reason));
        sim_event_emit(&sim->events, event);
}

static void put_row(Sim *sim, SimRow *row) {
        row->at = sim->now;
        row->boot = sim->runs.boot;
        if (sim_store_put(&sim->runs.store, row) < 0)
                sim->events.error = -ENOMEM;
}

static void put_run(void *userdata, const RunRow *row) {
        Sim *sim = userdata;
        SimRun *run = sim_runs_find(sim, row->id);
        SimRow stored = { .id = row->id, .run = *row };

        if (!run)
                return;
        if (!run->is_put) {
                stored.definition = flow_definition_ref(run->definition);
                if (text_copy(run->flow->unit->id, &stored.unit) < 0)
                        sim->events.error = -ENOMEM;
        }
        stored.n_cursor = run->n_cursor;
        if (sim_runs_copy_cursor(run->cursor, run->n_cursor, &stored.cursor) < 0)
                sim->events.error = -ENOMEM;
        put_row(sim, &stored);
        emit_run(sim, run, row);
        if (run_state_is_terminal(row->state) != run_state_is_terminal(run->row.state))
                run->flow->is_news = true;
        if (run_state_is_terminal(row->state) && !run_state_is_terminal(run->row.state))
                run->flow->has_failed |= row->state == RUN_FAILED || row->state == RUN_TIMEOUT;
        if (row->state == RUN_SUCCEEDED || row->state == RUN_PARTIAL)
                run->flow->has_succeeded = true;
        run->row = *row;
        run->is_put = true;
}

static void put_node(void *userdata, uint32_t id, const RunNodeRow *row) {
        Sim *sim = userdata;
        SimRun *run = sim_runs_find(sim, id);
        SimRow stored = { .id = id, .is_node = true, .node = *row };

        if (!run)
                return;
        put_row(sim, &stored);
        emit_node(sim, run, &run->nodes[row->node], row);
        run->nodes[row->node] = *row;
}

static int persist(void *userdata, uint32_t *ret_batch) {
        Sim *sim = userdata;
        SimRuns *runs = &sim->runs;
        int r;

        if (sim_runs_crashes_at(runs, SIM_CRASH_SENT))
                return -EPIPE;
        r = sim_store_send(&runs->store, &runs->batch);
        if (r < 0) {
                sim->events.error = r;
                return r;
        }
        runs->has_changed = true;
        *ret_batch = runs->batch;
        return 0;
}

/* — attempts — */

static void emit_end(Sim *sim, json_t *event, const SimAttempt *attempt) {
        if (attempt->kind == RUN_END_LOST)
                set_string(sim, event, "result", "lost");
        else if (attempt->kind == RUN_END_INTERRUPTED)
                set_string(sim, event, "result", "interrupted");
        else if (attempt->kind != RUN_END_EXITED)
                set_string(sim, event, "result",
                           attempt->kind == RUN_END_CANCELLED ? "cancelled" :
                           attempt->kind == RUN_END_TIMEOUT   ? "timeout" :
                           attempt->kind == RUN_END_WITH_ERRORS ? "errors" :
                                                                "failed");
        else if (attempt->end >= RUN_END_BY_SIGNAL(0))
                set_number(sim, event, "signal", attempt->end - RUN_END_BY_SIGNAL(0));
        else
                set_number(sim, event, "exit", attempt->end);
}

void sim_runs_emit_attempt(Sim *sim, const SimAttempt *attempt, const char *state) {
        json_t *event = sim_event_new(&sim->events, "attempt");

        set_number(sim, event, "run", attempt->key.run);
        set_string(sim, event, "node", attempt->node);
        if (attempt->is_item) {
                set_number(sim, event, "item", attempt->item);
                set_number(sim, event, "try", attempt->tries + UINT64_C(1));
        } else {
                set_number(sim, event, "generation", attempt->key.generation);
                set_number(sim, event, "number", attempt->key.number);
        }
        set_string(sim, event, "state", state);
        if (text_equal(state, "ended"))
                emit_end(sim, event, attempt);
        set_number(sim, event, "at", sim->now - SIM_EPOCH);
        sim_event_emit(&sim->events, event);
}

static void spawn(void *userdata, const RunAttemptKey *key) {
        Sim *sim = userdata;
        const SimRun *run = sim_runs_find(sim, key->run);
        SimRuns *runs = &sim->runs;
        const char *node;

        if (!run || sim_attempts_find(&runs->attempts, key))
                return;
        node = run_graph_name(flow_definition_graph(run->definition), key->node);
        if (sim_attempts_ask(&runs->attempts, key, run->flow->unit->id, node) < 0)
                sim->events.error = -ENOMEM;
        (void) sim_runs_crashes_at(runs, SIM_CRASH_ASKED);
        runs->has_changed = true;
}

static void end(void *userdata, const RunAttemptKey *key, RunOutcome outcome) {
        Sim *sim = userdata;
        SimAttempt *attempt = sim_attempts_find(&sim->runs.attempts, key);
        const SimRun *run = sim_runs_find(sim, key->run);

        if (!attempt || !run || attempt->state == SIM_ATTEMPT_OVER || attempt->is_told_to_end)
                return;
        sim_runs_emit_attempt(sim, attempt, "told-to-end");
        sim_attempt_tell_to_end(attempt, sim->now, flow_definition_settings(run->definition)->timeout_stop);
        sim->runs.has_changed = true;
}

/* The script says what the command answers. */
static void ask(void *userdata, uint32_t id, uint32_t node, uint32_t generation) {
        Sim *sim = userdata;
        const SimRun *run = sim_runs_find(sim, id);
        json_t *event = run ? sim_event_new(&sim->events, "question") : NULL;

        if (!event)
                return;
        set_number(sim, event, "run", id);
        set_string(sim, event, "node", run_graph_name(flow_definition_graph(run->definition), node));
        set_number(sim, event, "generation", generation);
        sim_event_emit(&sim->events, event);
}

static usec_t wake(void *userdata, uint32_t id, uint32_t node) {
        const Sim *sim = userdata;
        const SimRun *run = sim_runs_find(sim, id);
        FlowCommand command;
        usec_t time;

        if (!run || flow_command_open(&command, run->definition, node) < 0)
                return 0;
        time = flow_node_wake(command.node, sim->now);
        flow_command_close(&command);
        return time;
}

/* A simulation is the same each time. */
static uint32_t get_random(void *userdata) {
        return 0;
}

const RunHost sim_run_host = {
        .put_run = put_run,
        .put_node = put_node,
        .persist = persist,
        .spawn = spawn,
        .end = end,
        .ask = ask,
        .wake = wake,
        .random = get_random,
};
