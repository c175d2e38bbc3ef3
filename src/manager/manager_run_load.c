/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loading runs from the store
 *
 * One query is under way at a time, and the next one follows from its rows:
 * numbers that were given, the runs in each state that lives, how others have
 * ended that a unit is judged by, and for each that lives its definition and
 * its nodes. Then the engine has them, and attempts are told.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/text.h"
#include "flow/flow_spec.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_launch.h"
#include "manager/manager_run_alarm.h"
#include "manager/manager_run_blob.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_load.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"

#define LINES_A_TURN 500U
#define CAUSE_VALUES 16U /* that a cause has at most */
/* So long a machine may be without the right time after its boot. */
#define CLOCK_PATIENCE (90 * USEC_PER_SEC)

typedef enum LoadPhase {
        LOAD_LAST_RUN,
        LOAD_LAST_ALARM,
        LOAD_ALARMS, /* that are open */
        LOAD_OUTBOX, /* what nobody was told yet */
        LOAD_RUNS,
        LOAD_ENDED, /* how runs of units that are active have ended */
        LOAD_DEFINITION,
        LOAD_READING, /* the definition: no query */
        LOAD_NODES,
        LOAD_RESULTS, /* large ones, whose files were of an earlier boot */
        LOAD_END,
} LoadPhase;

/* A run whose row was read. */
typedef struct LoadRun {
        RunRow row;
        ManagerRunFacts facts;
        bool is_other_boot;
        usec_t at;
} LoadRun;

typedef struct LoadDefinition {
        uint8_t hash[MANAGER_RUN_HASH_BYTES];
        FlowDefinition *definition; /* a reference */
} LoadDefinition;

struct ManagerRunLoad {
        uint32_t id; /* of the only run; 0: all that live */
        LoadPhase phase;
        uint64_t query; /* under way; 0: none */
        RunState state; /* of the runs that are being read */
        VECTOR(LoadRun) runs;
        VECTOR(Unit *) units; /* references: of LOAD_ENDED … */
        size_t unit; /* … and the one that is looked at */
        VECTOR(LoadDefinition) definitions;
        size_t at; /* of .runs, from LOAD_DEFINITION on */
        VECTOR(RunNodeRow) nodes;
        VECTOR(RunExpansion) expansions; /* of nodes with Foreach= that were read */
        VECTOR(ManagerAttemptFacts) data; /* of each of .nodes; .result is owned */
        VECTOR(char *) tokens; /* the same, owned; NULL: it has none */
        size_t result; /* of .data, from LOAD_RESULTS on … */
        uint32_t chunk; /* … and the part of it that is read next */
        int fd; /* owned: of its file; 0: none */
        size_t n_cursor;
        RunStoreValue cursor[RUNSTORE_KEY_MAX];
        char cursor_text[300];
        bool has_failed, is_other_boot;
        usec_t then; /* the latest row */
};

static const RunState live_states[] = {
        RUN_CREATED, RUN_QUEUED, RUN_RUNNING, RUN_AWAITING, RUN_PAUSING, RUN_PAUSED, RUN_SUSPENDED, RUN_STOPPING,
};

static void ask(ManagerRuns *runs);

static void clear_data(ManagerRunLoad *load) {
        for (size_t i = 0; i < load->data.n; i++)
                manager_result_unref(load->data.items[i].result);
        vector_clear(&load->data);
        if (load->fd > 0)
                close(load->fd);
        load->fd = 0;
        for (size_t i = 0; i < load->tokens.n; i++)
                free(load->tokens.items[i]);
        vector_clear(&load->tokens);
}

ManagerRunLoad *manager_run_load_free(ManagerRunLoad *load) {
        if (!load)
                return NULL;
        for (size_t i = 0; i < load->runs.n; i++)
                manager_run_facts_deinit(&load->runs.items[i].facts);
        for (size_t i = 0; i < load->definitions.n; i++)
                flow_definition_unref(load->definitions.items[i].definition);
        for (size_t i = 0; i < load->units.n; i++)
                unit_unref(load->units.items[i]);
        vector_deinit(&load->units);
        vector_deinit(&load->runs);
        vector_deinit(&load->definitions);
        vector_deinit(&load->nodes);
        vector_deinit(&load->expansions);
        clear_data(load);
        vector_deinit(&load->data);
        vector_deinit(&load->tokens);
        free(load);
        return NULL;
}

static FlowDefinition *find_definition(const ManagerRunLoad *load, const uint8_t hash[static MANAGER_RUN_HASH_BYTES]) {
        for (size_t i = 0; i < load->definitions.n; i++)
                if (memcmp(load->definitions.items[i].hash, hash, MANAGER_RUN_HASH_BYTES) == 0)
                        return load->definitions.items[i].definition;
        return NULL;
}

static LoadRun *present(const ManagerRunLoad *load) {
        return &load->runs.items[load->at];
}

/* — queries — */

static void filter(RunStoreQuery *query, unsigned column, RunStoreValue value) {
        query->filters[query->n_filters++] = (RunStoreFilter) { .column = column,
                                                               .compare = RUNSTORE_EQUAL,
                                                               .value = value };
}

static RunStoreValue number(uint64_t value) {
        return (RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = (int64_t) value };
}

/* Runs of the unit that have ended since it began to start. */
static void describe_ended(const Unit *unit, RunStoreQuery *query) {
        *query = (RunStoreQuery) { .table = RUNSTORE_RUN, .columns = UINT64_C(1) << RUN_ROW_STATE };
        filter(query, RUN_ROW_UNIT,
               (RunStoreValue) { .type = RUNSTORE_TEXT, .bytes = unit->id, .n = strlen(unit->id) });
        filter(query, RUN_ROW_ENDED, number(unit->inactive_exit.realtime));
        query->filters[1].compare = RUNSTORE_GREATER;
}

static void describe_query(const ManagerRunLoad *load, RunStoreQuery *query) {
        const char *word;

        switch (load->phase) {
        case LOAD_LAST_RUN:
                *query = (RunStoreQuery) { .table = RUNSTORE_RUN, .is_descending = true, .limit = 1 };
                break;
        case LOAD_LAST_ALARM:
                *query = (RunStoreQuery) { .table = RUNSTORE_ALARM, .is_descending = true, .limit = 1 };
                break;
        case LOAD_ALARMS:
                *query = (RunStoreQuery) { .table = RUNSTORE_ALARM };
                filter(query, ALARM_ACKNOWLEDGED, number(0));
                break;
        case LOAD_OUTBOX:
                *query = (RunStoreQuery) { .table = RUNSTORE_OUTBOX, .columns = UINT64_C(1) << OUTBOX_ID };
                filter(query, OUTBOX_STATE, (RunStoreValue) { .type = RUNSTORE_TEXT, .bytes = "waiting", .n = 7 });
                break;
        case LOAD_RUNS:
                *query = (RunStoreQuery) { .table = RUNSTORE_RUN };
                word = run_state_to_string(live_states[load->state]);
                if (load->id > 0)
                        filter(query, RUN_ROW_ID, number(load->id));
                else
                        filter(query, RUN_ROW_STATE,
                               (RunStoreValue) { .type = RUNSTORE_TEXT, .bytes = word, .n = strlen(word) });
                break;
        case LOAD_ENDED:
                describe_ended(load->units.items[load->unit], query);
                break;
        case LOAD_DEFINITION:
                *query = (RunStoreQuery) { .table = RUNSTORE_DEF };
                filter(query, DEF_HASH,
                       (RunStoreValue) { .type = RUNSTORE_BYTES,
                                        .bytes = present(load)->facts.definition,
                                        .n = MANAGER_RUN_HASH_BYTES });
                break;
        case LOAD_NODES:
                *query = (RunStoreQuery) { .table = RUNSTORE_NODE };
                filter(query, NODE_RUN, number(present(load)->row.id));
                break;
        case LOAD_RESULTS:
                manager_run_blob_query(query, load->data.items[load->result].result->hash, load->chunk);
                return;
        case LOAD_READING:
        case LOAD_END:
                return;
        }
        query->n_cursor = load->n_cursor;
        memcpy(query->cursor, load->cursor, sizeof(query->cursor));
}

static void give_up(ManagerRuns *runs) {
        const uint32_t id = runs->load->id;

        runs->load = manager_run_load_free(runs->load);
        runs->loaded(runs, id, true);
}

/* Commands about this run wait for the next link, which begins to load the run again. */
static void lose_link(ManagerRuns *runs) {
        if (runs->load->id > 0)
                runs->load = manager_run_load_free(runs->load);
        else
                give_up(runs);
}

static void ask(ManagerRuns *runs) {
        ManagerRunLoad *load = runs->load;
        RunStoreQuery query = {};
        int r;

        describe_query(load, &query);
        r = manager_run_link_query(runs->link, &query, &load->query);
        if (r == -ENOTCONN)
                lose_link(runs);
        else if (r < 0)
                give_up(runs);
}

static void next_phase(ManagerRunLoad *load, LoadPhase phase) {
        load->phase = phase;
        load->n_cursor = 0;
}

/* A text in the cursor stands in the page, which is gone by then. */
static void keep_cursor(ManagerRunLoad *load, const RunStorePage *page) {
        load->n_cursor = page->has_more ? page->n_cursor : 0;
        memcpy(load->cursor, page->cursor, sizeof(load->cursor));
        for (size_t i = 0; i < load->n_cursor; i++) {
                RunStoreValue *value = &load->cursor[i];

                if (value->type != RUNSTORE_TEXT || value->n >= sizeof(load->cursor_text))
                        continue;
                memcpy(load->cursor_text, value->bytes, value->n);
                load->cursor_text[value->n] = '\0';
                value->bytes = load->cursor_text;
        }
}

/* — the end — */

static RunAttemptKey key_of(const ManagerRun *run, const RunNodeRow *row) {
        return (RunAttemptKey) { run->id, row->node, row->generation, row->number };
}

/* One that the state lacks. */
static void begin_anew(ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row) {
        const RunAttemptKey key = key_of(run, row);

        if (manager_attempts_begin(runs->attempts, &key, ++run->facts.sequence, run->flow->unit, run->definition,
                                   run->graph) < 0)
                (void) run_engine_ended(runs->engine, &key, RUN_END_LOST, 0);
        else if (row->outcome != RUN_OUTCOME_OPEN)
                manager_attempts_end(runs->attempts, &key);
}

/* An attempt that its row calls running, and nobody knows. */
static void settle_unknown(ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, bool is_other_boot) {
        const RunAction action = run_graph_policy(run->graph, row->node)->action;
        const bool was_begun = row->attempt == RUN_ATTEMPT_IS_STARTED, has_to_end = row->outcome != RUN_OUTCOME_OPEN;
        const RunAttemptKey key = key_of(run, row);
        const bool is_complete = !is_other_boot && runs->knows_attempts;

        /* The next launch goes on where this one was, once the unit is active. */
        if (action == RUN_ACTION_RANGE) {
                if (was_begun || has_to_end || !is_complete)
                        (void) run_engine_ended(runs->engine, &key, RUN_END_INTERRUPTED, 0);
                return;
        }
        /* A run of another flow is as durable as this one, and found by its key. */
        if (action == RUN_ACTION_RUN) {
                if (was_begun || has_to_end)
                        begin_anew(runs, run, row);
                return;
        }
        /* The state of this boot would know it if it had been begun … */
        if (is_complete && !was_begun) {
                if (has_to_end)
                        (void) run_engine_ended(runs->engine, &key, RUN_END_FAILED, 0);
                /* … and the engine asks for it. */
                return;
        }
        /* A job is in the state with its attempt: this one was not asked for. */
        if (is_complete && action == RUN_ACTION_JOB) {
                begin_anew(runs, run, row);
                return;
        }
        log_write(LOG_LEVEL_WARNING, run->flow->unit->id,
                  "Run %" PRIu32 ", node %s: nobody knows how its attempt has ended.", run->id,
                  run_graph_name(run->graph, row->node));
        (void) run_engine_ended(runs->engine, &key, RUN_END_LOST, 0);
}

/* The row of a node has the decisions about its attempt that the state of the manager may lack: carries them out. */
static void settle_attempt(ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, bool is_other_boot) {
        const bool has_to_end = row->outcome != RUN_OUTCOME_OPEN;
        const RunAttemptKey key = key_of(run, row);

        manager_launch_give_cursor(runs, run, &key);
        if (row->attempt != RUN_ATTEMPT_NONE &&
            manager_attempts_resume(runs->attempts, &key, run->definition, run->graph, has_to_end) < 0)
                settle_unknown(runs, run, row, is_other_boot);
        if (manager_stream_is_of(run))
                manager_attempts_know_elements(runs->attempts, run->id);
        else if (row->attempt != RUN_ATTEMPT_NONE &&
                 run_graph_policy(run->graph, row->node)->action == RUN_ACTION_RANGE)
                manager_attempts_resume_items(runs->attempts, run->id, run->definition, run->graph);
}

static void tell_known(ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, bool is_other_boot) {
        const RunAttemptKey key = key_of(run, row);
        ManagerAttemptFacts facts;

        if (manager_attempts_get(runs->attempts, &key, &facts) < 0)
                return;
        run->facts.sequence = MAX(run->facts.sequence, facts.id);
        (void) run_engine_known(runs->engine, &key);
}

static void foreach_node(ManagerRuns *runs, const ManagerRunLoad *load,
                         void (*visit)(ManagerRuns *, ManagerRun *, const RunNodeRow *, bool)) {
        for (size_t i = 0; i < load->runs.n; i++) {
                const LoadRun *loaded = &load->runs.items[i];
                ManagerRun *run = manager_run_find(runs, loaded->row.id);
                RunNodeRow row;
                RunWhy why;

                for (uint32_t k = 0; run && run_engine_get_node(runs->engine, run->id, k, &row, &why) == 0; k++)
                        visit(runs, run, &row, loaded->is_other_boot);
        }
}

static void finish(ManagerRuns *runs) {
        ManagerRunLoad *load = take_ptr(runs->load);
        const uint32_t durable = (uint32_t) runs->durable;

        if (load->id == 0)
                run_engine_restored(runs->engine, durable, durable, load->is_other_boot ? load->then : runs->now,
                                    runs->now, load->is_other_boot);
        /* Rows of two boots would have times of two clocks. */
        if (load->is_other_boot)
                run_engine_put_all(runs->engine);
        /* The end of one attempt may end others: by then the engine knows which ones there are. */
        foreach_node(runs, load, tell_known);
        foreach_node(runs, load, settle_attempt);
        runs->loaded(runs, load->id, false);
        manager_run_load_free(load);
}

/* — rows — */

static int take_last(ManagerRuns *runs, RunStorePage *page) {
        ManagerRunValues values;
        int r = manager_run_values_next(page, &values);

        if (r > 0)
                runs->last_id = MAX(runs->last_id, (uint32_t) manager_run_values_number(&values, RUN_ROW_ID));
        next_phase(runs->load, LOAD_LAST_ALARM);
        return MIN(r, 0);
}

static int take_last_alarm(ManagerRuns *runs, RunStorePage *page) {
        ManagerRunValues values;
        int r = manager_run_values_next(page, &values);

        if (r > 0)
                manager_alarms_set_last(runs->alarms, manager_run_values_number(&values, ALARM_ID));
        next_phase(runs->load, LOAD_ALARMS);
        return MIN(r, 0);
}

static int take_alarms(ManagerRuns *runs, RunStorePage *page) {
        ManagerRunValues values;
        int r;

        while ((r = manager_run_values_next(page, &values)) > 0)
                if ((r = manager_alarms_restore(runs->alarms, &values)) < 0)
                        return r;
        keep_cursor(runs->load, page);
        if (r == 0 && runs->load->n_cursor == 0)
                next_phase(runs->load, LOAD_OUTBOX);
        return r;
}

static int take_outbox(ManagerRuns *runs, RunStorePage *page) {
        ManagerRunValues values;
        int r;

        while ((r = manager_run_values_next(page, &values)) > 0)
                if ((r = manager_run_outbox_restore(runs, manager_run_values_number(&values, OUTBOX_ID))) < 0)
                        return r;
        keep_cursor(runs->load, page);
        if (r == 0 && runs->load->n_cursor == 0)
                next_phase(runs->load, LOAD_RUNS);
        return r;
}

/* The deadline of a run of an earlier boot: by the wall clock, but no later than it was when the row was written. */
static usec_t find_deadline(const ManagerRuns *runs, const LoadRun *run, usec_t wall) {
        const usec_t left = usec_sub(run->row.deadline, run->at),
                     by_wall = usec_sub(wall, runs->host.attempts.turn->now_realtime);

        if (run->row.deadline == USEC_INFINITY)
                return USEC_INFINITY;
        return usec_add(runs->now, MIN(left, MAX(by_wall, CLOCK_PATIENCE)));
}

static int take_run(ManagerRuns *runs, const ManagerRunValues *values) {
        ManagerRunLoad *load = runs->load;
        LoadRun run = {};
        const char *boot;
        int r = manager_run_row_get(values, &run.row, &run.facts, &boot, &run.at);

        if (r == -EBADMSG) {
                log_error("Run %" PRIu64 " is left out: its row in the store cannot be read.",
                          manager_run_values_number(values, RUN_ROW_ID));
                manager_run_leave_out(runs, (uint32_t) manager_run_values_number(values, RUN_ROW_ID));
                return 0;
        }
        if (r < 0)
                return r;
        run.is_other_boot = !text_equal(boot, runs->boot);
        load->is_other_boot |= run.is_other_boot;
        if (run.is_other_boot) {
                load->then = MAX(load->then, run.at);
                run.row.deadline = find_deadline(runs, &run, manager_run_values_number(values, RUN_ROW_DEADLINE));
        }
        r = vector_push(&load->runs, run);
        if (r < 0)
                manager_run_facts_deinit(&run.facts);
        return r;
}

static int compare_runs(const void *a, const void *b) {
        const LoadRun *left = a, *right = b;

        return (left->row.id > right->row.id) - (left->row.id < right->row.id);
}

/* Units that are judged by how their runs have ended, of which the core before has told them nothing yet. */
static int list_units(ManagerRuns *runs) {
        ManagerRunLoad *load = runs->load;

        unit_table_foreach(runs->host.units, unit) {
                if (!unit_type_has_runs(unit->type) || unit_state_is_inactive_or_failed(unit->active_state))
                        continue;
                if (vector_push(&load->units, unit) < 0)
                        return -ENOMEM;
                unit_ref(unit);
        }
        return 0;
}

static void begin_definitions(ManagerRunLoad *load) {
        next_phase(load, load->runs.n > 0 ? LOAD_DEFINITION : LOAD_END);
}

static int take_runs(ManagerRuns *runs, RunStorePage *page) {
        ManagerRunLoad *load = runs->load;
        ManagerRunValues values;
        int r;

        while ((r = manager_run_values_next(page, &values)) > 0)
                if ((r = take_run(runs, &values)) < 0)
                        return r;
        keep_cursor(load, page);
        if (r < 0 || load->n_cursor > 0)
                return r;
        if (load->id == 0 && load->state + 1U < ELEMENTSOF(live_states)) {
                load->state++;
                return 0;
        }
        /* Runs that have sub-runs come before these. */
        if (load->runs.n > 1)
                qsort(load->runs.items, load->runs.n, sizeof(*load->runs.items), compare_runs);
        if (load->id == 0)
                r = list_units(runs);
        if (load->units.n > 0)
                next_phase(load, LOAD_ENDED);
        else
                begin_definitions(load);
        return r;
}

static int take_ended(ManagerRuns *runs, RunStorePage *page) {
        ManagerRunLoad *load = runs->load;
        ManagerFlow *flow = manager_run_flow(runs, load->units.items[load->unit]);
        ManagerRunValues values;
        int r;

        if (!flow)
                return -ENOMEM;
        while ((r = manager_run_values_next(page, &values)) > 0) {
                const int state = run_state_from_string(manager_run_values_text(&values, RUN_ROW_STATE));

                if (state >= 0)
                        manager_run_note_result(flow, (RunState) state);
        }
        keep_cursor(load, page);
        /* A failure decides. */
        if (r < 0 || (load->n_cursor > 0 && !flow->has_failed))
                return r;
        if (++load->unit < load->units.n)
                next_phase(load, LOAD_ENDED);
        else
                begin_definitions(load);
        return 0;
}

static void skip_run(ManagerRuns *runs, const char *why) {
        ManagerRunLoad *load = runs->load;

        log_write(LOG_LEVEL_ERROR, present(load)->facts.unit, "Run %" PRIu32 " is left out: %s.", present(load)->row.id,
                  why);
        manager_run_leave_out(runs, present(load)->row.id);
        next_phase(load, ++load->at < load->runs.n ? LOAD_DEFINITION : LOAD_END);
}

static int take_definition(ManagerRuns *runs, RunStorePage *page) {
        cleanup_(failure_deinit) Failure failure = {};
        ManagerRunLoad *load = runs->load;
        LoadDefinition entry = {};
        ManagerRunValues values;
        int r = manager_run_values_next(page, &values);

        if (r == 0)
                skip_run(runs, "its definition is not in the store");
        if (r <= 0)
                return r;
        memcpy(entry.hash, present(load)->facts.definition, sizeof(entry.hash));
        r = flow_definition_new(&entry.definition, runs->host.loader, present(load)->facts.unit,
                                manager_run_values_text(&values, DEF_TEXT), manager_run_values_text(&values, DEF_NODES),
                                &failure);
        if (r == -EINVAL) {
                skip_run(runs, failure_message(&failure));
                return 0;
        }
        if (r == 0)
                r = vector_push(&load->definitions, entry);
        if (r < 0) {
                flow_definition_unref(entry.definition);
                return r;
        }
        next_phase(load, LOAD_READING);
        return 0;
}

static void set_data(const ManagerRunLoad *load, ManagerRun *run) {
        for (size_t i = 0; i < load->nodes.n; i++) {
                const RunNodeRow *row = &load->nodes.items[i];
                const RunAttemptKey key = { run->id, row->node, row->generation, row->number };

                run->data[row->node].cause = load->data.items[i].cause;
                if (row->number > 0 && (row->state != RUN_NODE_RUNNING || row->reason == RUN_REASON_CALLBACK ||
                                        row->completion != RUN_COMPLETION_NONE))
                        manager_run_data_set(run, &key, &load->data.items[i]);
                run->data[row->node].is_completed = row->completion != RUN_COMPLETION_NONE &&
                                                    run->data[row->node].result;
                run->data[row->node].token = take_ptr(load->tokens.items[i]);
        }
}

static int compare_expansions(const void *a, const void *b) {
        const RunExpansion *left = a, *right = b;

        return (left->first > right->first) - (left->first < right->first);
}

/* The graph of the run gets the instances that it had. */
static int expand(const ManagerRunLoad *load, ManagerRun *run) {
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        int r;

        if (load->expansions.n == 0)
                return 0;
        qsort(load->expansions.items, load->expansions.n, sizeof(*load->expansions.items), compare_expansions);
        r = run_graph_expand(flow_definition_graph(run->definition), load->expansions.items,
                             (uint32_t) load->expansions.n, &graph);
        return r < 0 ? r : manager_run_set_graph(run, graph);
}

/* A run goes on by the definition that it was made from, whatever has become of the file of its unit. */
static void restore_settings(ManagerRuns *runs, const ManagerRun *run) {
        const FlowSettings *settings = flow_definition_settings(run->definition);
        RunSettings run_settings;

        flow_spec_settings(settings, settings->on_busy, runs->n_processors, &run_settings);
        (void) run_engine_restore_settings(runs->engine, run->id, &run_settings);
}

static int add_run(ManagerRuns *runs) {
        ManagerRunLoad *load = runs->load;
        LoadRun *loaded = present(load);
        FlowDefinition *definition = find_definition(load, loaded->facts.definition);
        ManagerFlow *flow;
        ManagerRun *run;
        Unit *unit;
        int r = unit_table_load(runs->host.units, loaded->facts.unit, &unit);

        if (r < 0)
                return r;
        flow = manager_run_flow(runs, unit);
        r = flow ? manager_run_add(flow, runs, loaded->row.id, definition, &loaded->facts, &run) : -ENOMEM;
        if (r < 0)
                return r;
        r = expand(load, run);
        if (r < 0) {
                manager_run_remove(runs, run);
                return r;
        }
        run->is_put = true;
        run->put_sequence = run->facts.sequence;
        for (size_t i = 0; i < load->nodes.n; i++)
                if (load->nodes.items[i].node < run_graph_count(run->graph))
                        manager_run_mark_node(run, &load->nodes.items[i]);
        run->put_state = run->new_state = run->told_state = loaded->row.state;
        run->is_told = true;
        run->batch = runs->durable;
        run->is_over = run_state_is_terminal(loaded->row.state);
        run->told_round = run->is_over ? loaded->row.round : 0;
        loaded->row.parent_node = manager_run_find_parent_node(runs, &run->facts);
        r = run_engine_restore(flow->engine, run->graph, &loaded->row, load->nodes.items, (uint32_t) load->nodes.n);
        if (r < 0) {
                manager_run_remove(runs, run);
                return r;
        }
        restore_settings(runs, run);
        set_data(load, run);
        return 0;
}

static int end_nodes(ManagerRuns *runs) {
        ManagerRunLoad *load = runs->load;
        int r = add_run(runs);

        if (r == -ENOMEM)
                return r;
        if (r < 0) {
                log_error("Run %" PRIu32 " is left out: its rows in the store do not fit.", present(load)->row.id);
                manager_run_leave_out(runs, present(load)->row.id);
        }
        vector_clear(&load->nodes);
        vector_clear(&load->expansions);
        clear_data(load);
        next_phase(load, ++load->at < load->runs.n ? LOAD_DEFINITION : LOAD_END);
        return 0;
}

/* The instances of a node with Foreach=, whose row comes before theirs. */
static int take_instances(ManagerRunLoad *load, uint32_t node, const ManagerRunValues *values) {
        const char *at = manager_run_values_text(values, NODE_INSTANCES);
        uint32_t left = (uint32_t) MIN(manager_run_values_number(values, NODE_ITEMS), UINT32_MAX), item = 0;
        int n_bytes, r = 0;

        for (unsigned first, n; r == 0 && sscanf(at, "%u:%u%n", &first, &n, &n_bytes) == 2; at += n_bytes) {
                r = vector_push(&load->expansions,
                                ((RunExpansion) { node, first, n, item, MIN(left, n) }));
                left -= MIN(left, n);
                item += n;
        }
        return r;
}

/* The number of a node, also of an instance: "scan[3]". */
static uint32_t find_node(const ManagerRunLoad *load, const RunGraph *graph, const char *name) {
        const char *bracket = strrchr(name, '[');
        cleanup_free_ char *base = bracket ? strndup(name, (size_t) (bracket - name)) : NULL;
        uint32_t node;
        unsigned item;

        if (!bracket)
                return run_graph_find(graph, name);
        node = base ? run_graph_find(graph, base) : RUN_NODE_NONE;
        if (node == RUN_NODE_NONE || sscanf(bracket, "[%u]", &item) != 1)
                return RUN_NODE_NONE;
        for (size_t i = 0; i < load->expansions.n; i++) {
                const RunExpansion *expansion = &load->expansions.items[i];

                if (expansion->node == node && item >= expansion->item && item - expansion->item < expansion->n)
                        return expansion->first + (item - expansion->item);
        }
        return RUN_NODE_NONE;
}

/* Large results whose files are of an earlier boot are read from the store, one after the other. */
static int next_result(ManagerRuns *runs) {
        ManagerRunLoad *load = runs->load;

        for (; load->result < load->data.n; load->result++) {
                const ManagerResult *result = load->data.items[load->result].result;

                if (!result || !result->path || result->n > 0)
                        continue;
                load->chunk = 0;
                next_phase(load, LOAD_RESULTS);
                return 0;
        }
        return end_nodes(runs);
}

/* The node that a row names as the first failure, plus one; 0: none. */
static uint32_t find_cause(const ManagerRunLoad *load, const RunGraph *graph, const char *json) {
        size_t budget = CAUSE_VALUES;
        const JsonValue *name;
        JsonTree tree = {};
        uint32_t node = RUN_NODE_NONE;

        if (!*json || json_tree_read(json, strlen(json), &tree, NULL) < 0)
                return 0;
        name = json_value_find(tree.values, "node", &budget);
        if (name && name->kind == JSON_TOKEN_STRING)
                node = find_node(load, graph, name->text);
        json_tree_deinit(&tree);
        return node != RUN_NODE_NONE ? node + 1 : 0;
}

static int add_token(ManagerRunLoad *load, const ManagerRunValues *values) {
        const char *text = manager_run_values_text(values, NODE_TOKEN);
        char *token;
        int r = text_copy(*text ? text : NULL, &token);

        if (r == 0)
                r = vector_push(&load->tokens, token);
        if (r < 0)
                free(token);
        return r;
}

static int take_nodes(ManagerRuns *runs, RunStorePage *page) {
        ManagerRunLoad *load = runs->load;
        const RunGraph *graph = flow_definition_graph(find_definition(load, present(load)->facts.definition));
        ManagerRunValues values;
        int r;

        while ((r = manager_run_values_next(page, &values)) > 0) {
                ManagerAttemptFacts data = {};
                RunNodeRow row;
                const char *name;

                r = manager_run_row_get_node(&values, &row, &name);
                if (r == 0)
                        row.node = find_node(load, graph, name);
                if (r == 0)
                        r = take_instances(load, row.node, &values);
                row.batch = (uint32_t) runs->durable;
                /* A node that the definition lacks makes the run unusable, which is said with it. */
                if (r == 0)
                        r = manager_run_row_get_data(&values, &row, present(load)->row.id, runs->host.folder, &data);
                if (r == 0)
                        data.cause = find_cause(load, graph, manager_run_values_text(&values, NODE_CAUSE));
                if (r == 0)
                        r = add_token(load, &values);
                if (r == 0)
                        r = vector_push(&load->nodes, row);
                if (r == 0)
                        r = vector_push(&load->data, data);
                if (r < 0) {
                        manager_result_unref(data.result);
                        return r;
                }
        }
        keep_cursor(load, page);
        if (r < 0 || load->n_cursor > 0)
                return r;
        load->result = 0;
        return next_result(runs);
}

static int open_result(ManagerRuns *runs, const ManagerResult *result) {
        int r = manager_attempt_folder_make_results(runs->host.folder);

        if (r < 0)
                return r;
        (void) unlink(result->path);
        runs->load->fd = open(result->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
        if (runs->load->fd >= 0)
                return 0;
        runs->load->fd = 0;
        return -errno;
}

/* A result that cannot be read back is missed by who wants it, and keeps the run from nothing else. */
static int take_result(ManagerRuns *runs, RunStorePage *page) {
        ManagerRunLoad *load = runs->load;
        ManagerResult *result = load->data.items[load->result].result;
        int r = load->fd > 0 ? 0 : open_result(runs, result);

        if (r == 0)
                r = manager_run_blob_write(page, load->fd);
        if (r > 0) {
                load->chunk++;
                return 0;
        }
        if (r == 0)
                result->n = (size_t) MAX(lseek(load->fd, 0, SEEK_CUR), 0);
        if (r < 0 || result->n == 0)
                log_write(LOG_LEVEL_ERROR, present(load)->facts.unit,
                          "Run %" PRIu32 ": a large result cannot be read back from the store: %s",
                          present(load)->row.id, r < 0 ? strerror(-r) : "it is not there");
        if (load->fd > 0)
                close(load->fd);
        if (load->fd > 0 && r < 0)
                (void) unlink(result->path);
        load->fd = 0;
        load->result++;
        return next_result(runs);
}

/* Goes on where no query is needed. */
static void go_on(ManagerRuns *runs) {
        ManagerRunLoad *load = runs->load;

        if (load->phase == LOAD_DEFINITION && find_definition(load, present(load)->facts.definition))
                next_phase(load, LOAD_READING);
        if (load->phase == LOAD_END)
                finish(runs);
        else if (load->phase == LOAD_READING)
                runs->host.attempts.turn->has_news = true;
        else
                ask(runs);
}

void manager_run_load_step(ManagerRuns *runs) {
        cleanup_(failure_deinit) Failure failure = {};
        ManagerRunLoad *load = runs->load;
        int r;

        if (!load || load->phase != LOAD_READING || load->query != 0)
                return;
        r = flow_definition_read(find_definition(load, present(load)->facts.definition), LINES_A_TURN, &failure);
        if (r > 0) {
                manager_turn_wake(runs->host.attempts.turn);
                return;
        }
        if (r == -ENOMEM) {
                give_up(runs);
                return;
        }
        if (r < 0)
                skip_run(runs, failure_message(&failure));
        else
                next_phase(load, LOAD_NODES);
        go_on(runs);
}

bool manager_run_load_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page) {
        static int (*const takes[])(ManagerRuns * runs, RunStorePage * page) = {
                [LOAD_LAST_RUN] = take_last, [LOAD_LAST_ALARM] = take_last_alarm, [LOAD_ALARMS] = take_alarms,
                [LOAD_OUTBOX] = take_outbox, [LOAD_RUNS] = take_runs,             [LOAD_ENDED] = take_ended,
                [LOAD_DEFINITION] = take_definition, [LOAD_NODES] = take_nodes,   [LOAD_RESULTS] = take_result,
        };
        ManagerRunLoad *load = runs->load;

        if (!load || load->query != query)
                return false;
        load->query = 0;
        if (takes[load->phase](runs, page) < 0) {
                log_error("The runs in the store cannot be loaded.");
                give_up(runs);
        } else {
                go_on(runs);
        }
        return true;
}

bool manager_run_load_refused(ManagerRuns *runs, uint64_t query, const RunStoreRefusal *refusal) {
        if (!runs->load || runs->load->query != query)
                return false;
        if (refusal->reason == RUNSTORE_REFUSED_UNAVAILABLE)
                lose_link(runs);
        else
                give_up(runs);
        return true;
}

void manager_run_load_begin(ManagerRuns *runs, uint32_t id) {
        manager_run_remains_finish(runs, id);
        runs->load = calloc(1, sizeof(*runs->load));
        if (!runs->load) {
                runs->loaded(runs, id, true);
                return;
        }
        runs->load->id = id;
        runs->load->phase = id > 0 ? LOAD_RUNS : LOAD_LAST_RUN;
        ask(runs);
}
