/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Death and what comes after it
 *
 * A new core has the rows of the store, and what is known of attempts. An exit
 * that core has not put into the store is known, too: it is told first.
 */

#include <errno.h>

#include "flow/flow_spec.h"
#include "sim/sim.h"
#include "sim/sim_flow.h"
#include "sim/sim_launch.h"

/* Launches of batches at a time. */
#define LAUNCHERS 64U

static void emit(Sim *sim, const char *name, const char *key, json_t *value) {
        json_t *event = sim_event_new(&sim->events, name);

        sim_event_set(&sim->events, event, key, value);
        sim_event_emit(&sim->events, event);
}

/* — death — */

static void drop_attempts(Sim *sim, bool all) {
        SimAttempts *attempts = &sim->runs.attempts;

        for (size_t i = attempts->all.n; i-- > 0;)
                if (all || attempts->all.items[i].state == SIM_ATTEMPT_ASKED)
                        sim_attempts_remove(attempts, &attempts->all.items[i]);
}

/* A row that was not accepted dies with core, and an attempt without a process was never there. */
void sim_runs_die(Sim *sim) {
        SimRuns *runs = &sim->runs;

        if (runs->is_down)
                return;
        sim_launches_die(sim);
        sim_runs_drop(sim);
        sim_store_drop_open(&runs->store);
        sim_store_drop(&runs->store, runs->store.accepted);
        drop_attempts(sim, false);
        runs->crash_at = SIM_CRASH_NOWHERE;
        runs->is_dying = false;
        runs->is_down = runs->has_changed = true;
        emit(sim, "crash", "of", json_string("core"));
}

void sim_runs_lose_store(Sim *sim) {
        SimStore *store = &sim->runs.store;

        /* Core has kept what is not durable, and sends it again. */
        if (sim->runs.is_down)
                sim_store_drop(store, store->durable);
        store->accepted = store->durable;
        emit(sim, "crash", "of", json_string("store"));
}

void sim_runs_lose_power(Sim *sim, JobManager *jobs) {
        sim_runs_die(sim);
        sim_store_drop(&sim->runs.store, sim->runs.store.durable);
        drop_attempts(sim, true);
        sim_launches_drop(sim);
        sim->runs.boot++;
        sim->runs.must_revive = true;
        job_manager_free(sim->jobs);
        sim->jobs = jobs;
        id_map_deinit(&sim->job_states);
        unit_table_foreach(sim->units, unit) {
                sim_unit_end_hanging(unit);
                sim_unit_set_will_restart(unit, false);
                unit->active_state = UNIT_INACTIVE;
        }
        emit(sim, "crash", "of", json_string("power"));
}

/* — boot — */

int sim_runs_begin(Sim *sim) {
        int r = run_engine_new(&sim->runs.engine, &sim_run_host, sim);

        if (r == 0)
                r = run_engine_set_resource(sim->runs.engine, FLOW_LAUNCHERS, LAUNCHERS);
        if (r == 0) {
                run_engine_wall(sim->runs.engine, sim->now, sim->now);
                run_engine_time(sim->runs.engine, sim->now);
        }
        return r;
}

/* Units in the midst of a start or stop of runs go on with it. */
static int resume_units(Sim *sim) {
        unit_table_foreach(sim->units, unit) {
                if (!sim_flow_is_of(unit) || unit_state_is_inactive_or_failed(unit->active_state))
                        continue;
                if (!sim_runs_flow(sim, unit))
                        return -ENOMEM;
                if (unit->active_state == UNIT_ACTIVATING && sim_runs_start_unit(&sim->host, unit) < 0)
                        return -ENOMEM;
        }
        return 0;
}

int sim_runs_boot(Sim *sim) {
        SimRuns *runs = &sim->runs;
        int r = sim_runs_begin(sim);

        if (r == 0)
                r = resume_units(sim);
        if (r < 0)
                return r;
        runs->is_down = runs->is_loaded = false;
        runs->last_id = runs->boot_job = 0;
        return 0;
}

/* — rows — */

/* The last row of run @id, with those of its nodes in @nodes. */
static const SimRow *find_rows(const SimStore *store, uint32_t id, RunNodeRow *nodes) {
        const SimRow *last = NULL;

        for (uint32_t b = 0; b < store->batches.n; b++)
                for (size_t i = 0; i < store->batches.items[b].rows.n; i++) {
                        const SimRow *row = &store->batches.items[b].rows.items[i];

                        if (row->id != id)
                                continue;
                        if (!row->is_node) {
                                last = row;
                                continue;
                        }
                        nodes[row->node.node] = row->node;
                        if (row->node.batch == 0)
                                nodes[row->node.node].batch = b + 1;
                }
        return last;
}

typedef struct Restored {
        bool is_other_boot; /* some live run was put in an earlier one … */
        usec_t then; /* … and the last of these at that time */
} Restored;

/* Nodes without a row are WAITING. */
static int restore_rows(Sim *sim, SimRun *run, Restored *restored) {
        const uint32_t n = run_graph_count(flow_definition_graph(run->definition));
        RunNodeRow *rows = calloc(n, sizeof(*rows));
        const SimRow *last;
        uint32_t n_rows = 0;
        int r;

        if (!rows)
                return -ENOMEM;
        last = find_rows(&sim->runs.store, run->id, rows);
        run->row = last->run;
        run->n_cursor = last->n_cursor;
        if (sim_runs_copy_cursor(last->cursor, last->n_cursor, &run->cursor) < 0) {
                free(rows);
                return -ENOMEM;
        }
        run->is_put = true;
        run->is_other_boot = last->boot != sim->runs.boot;
        if (run->is_other_boot && !run_state_is_terminal(run->row.state)) {
                restored->is_other_boot = true;
                restored->then = MAX(restored->then, last->at);
        }
        for (uint32_t i = 0; i < n; i++)
                if (rows[i].generation > 0) {
                        run->nodes[i] = rows[i];
                        rows[n_rows++] = rows[i];
                }
        r = run_engine_restore(run->flow->engine, flow_definition_graph(run->definition), &run->row, rows, n_rows);
        free(rows);
        return r;
}

static int restore_run(Sim *sim, const SimRow *first, Restored *restored) {
        SimFlow *flow;
        SimRun *run;
        Unit *unit;
        int r;

        r = unit_table_load(sim->units, first->unit, &unit);
        if (r < 0)
                return r;
        flow = sim_runs_flow(sim, unit);
        r = flow ? sim_runs_add(flow, first->id, first->definition, &run) : -ENOMEM;
        if (r == 0)
                r = restore_rows(sim, run, restored);
        sim->runs.last_id = MAX(sim->runs.last_id, first->id);
        return r;
}

/* — attempts — */

/* Exits, in their order. */
static void tell_exits(Sim *sim) {
        SimAttempts *attempts = &sim->runs.attempts;
        SimAttempt *next;

        for (;;) {
                next = NULL;
                for (size_t i = 0; i < attempts->all.n; i++) {
                        SimAttempt *attempt = &attempts->all.items[i];

                        if (attempt->state == SIM_ATTEMPT_OVER && !attempt->is_told && !attempt->is_item &&
                            (!next || attempt->order < next->order))
                                next = attempt;
                }
                if (!next)
                        return;
                /* The store does not know the attempt: the node is executed again, by one with the same key. */
                if (run_engine_ended(sim->runs.engine, &next->key, next->kind, next->end) < 0)
                        sim_attempts_remove(attempts, next);
                else
                        next->is_told = true;
        }
}

/* Settles an attempt that runs by its row. */
static void settle_attempt(Sim *sim, SimRun *run, const RunNodeRow *row) {
        const RunAttemptKey key = { run->id, row->node, row->generation, row->number };
        SimAttempt *attempt;

        if (row->state != RUN_NODE_RUNNING)
                return;
        attempt = sim_attempts_find(&sim->runs.attempts, &key);
        if (attempt) {
                attempt->is_told = true;
                (void) run_engine_started(sim->runs.engine, &key, attempt->started_at);
        } else if (run->is_other_boot || row->attempt == RUN_ATTEMPT_IS_STARTED) {
                (void) run_engine_ended(sim->runs.engine, &key, RUN_END_LOST, 0);
        }
}

/* Attempts that the store does not know are killed. */
static void drop_unknown(Sim *sim) {
        SimAttempts *attempts = &sim->runs.attempts;

        for (size_t i = attempts->all.n; i-- > 0;) {
                SimAttempt *attempt = &attempts->all.items[i];

                if (attempt->is_told || (attempt->is_item && sim_runs_find(sim, attempt->key.run)))
                        continue;
                sim_runs_emit_attempt(sim, attempt, "killed");
                sim_attempts_remove(attempts, attempt);
        }
}

static void settle_attempts(Sim *sim) {
        SimAttempts *attempts = &sim->runs.attempts;

        for (size_t i = 0; i < attempts->all.n; i++) {
                /* What core knew of items it knows again. */
                if (attempts->all.items[i].is_item)
                        continue;
                attempts->all.items[i].is_told = false;
                attempts->all.items[i].batch = 0;
        }
        tell_exits(sim);
        for (SimFlow *flow = sim->runs.flows; flow; flow = flow->next)
                for (SimRun *run = flow->first; run; run = run->next) {
                        RunNodeRow row;
                        RunWhy why;

                        flow->is_news = true;
                        for (uint32_t i = 0; run_engine_get_node(sim->runs.engine, run->id, i, &row, &why) == 0; i++)
                                settle_attempt(sim, run, &row);
                }
        drop_unknown(sim);
}

static void emit_loaded(Sim *sim, bool is_other_boot) {
        json_t *event = sim_event_new(&sim->events, "loaded");
        json_int_t n = 0;

        for (const SimFlow *flow = sim->runs.flows; flow; flow = flow->next)
                for (const SimRun *run = flow->first; run; run = run->next)
                        n++;
        sim_event_set(&sim->events, event, "runs", json_integer(n));
        sim_event_set(&sim->events, event, "other-boot", json_boolean(is_other_boot));
        sim_event_emit(&sim->events, event);
}

int sim_runs_load(Sim *sim) {
        SimRuns *runs = &sim->runs;
        SimStore *store = &runs->store;
        Restored restored = {};

        /* The store answers when all that it has accepted is durable. */
        if (store->mode == SIM_STORE_HANG || store->durable < store->accepted)
                return 0;
        for (uint32_t b = 0; b < store->batches.n; b++)
                for (size_t i = 0; i < store->batches.items[b].rows.n; i++) {
                        const SimRow *row = &store->batches.items[b].rows.items[i];
                        int r = row->unit ? restore_run(sim, row, &restored) : 0;

                        if (r < 0)
                                return r;
                }
        runs->is_loaded = runs->has_changed = true;
        runs->batch = runs->told_accepted = (uint32_t) store->batches.n;
        emit_loaded(sim, restored.is_other_boot);
        if (!restored.is_other_boot)
                restored.then = sim->now;
        run_engine_restored(runs->engine, store->durable, store->durable, restored.then, sim->now,
                            restored.is_other_boot);
        /* Rows of two boots would have times of two clocks. */
        if (restored.is_other_boot)
                run_engine_put_all(runs->engine);
        sim_launches_restore(sim);
        settle_attempts(sim);
        return 0;
}
