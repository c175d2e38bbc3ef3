/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flows with runs, and the runs that live
 */

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "flow/flow_spec.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_keep.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"
#include "runstore/sha256.h"
#include "types/unit_ask.h"

#define LARGE_NODES 10000U

ManagerRun *manager_run_find(const ManagerRuns *runs, uint32_t id) {
        return id == 0 ? NULL : id_map_get(&runs->by_id, id);
}

ManagerRun *manager_run_find_name(const ManagerRuns *runs, const char *name) {
        for (const ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (ManagerRun *run = flow->first; run; run = run->next)
                        if (run->facts.deleted == 0 && strcmp(run->facts.name, name) == 0)
                                return run;
        return NULL;
}

/* — flows and runs — */

ManagerFlow *manager_run_find_flow(const ManagerRuns *runs, const Unit *unit) {
        ManagerFlow *flow = runs->flows;

        while (flow && flow->unit != unit)
                flow = flow->next;
        return flow;
}

void manager_run_hash(const char *text, const uint8_t *nodes_hash, uint8_t hash[static MANAGER_RUN_HASH_BYTES]) {
        uint8_t both[2 * SHA256_BYTES] = {};

        sha256(text, strlen(text), both);
        if (nodes_hash)
                memcpy(both + SHA256_BYTES, nodes_hash, SHA256_BYTES);
        sha256(both, sizeof(both), hash);
}

void manager_run_set_settings(ManagerRuns *runs, ManagerFlow *flow, const FlowSettings *settings, FlowBusy busy) {
        RunSettings run_settings;

        flow_spec_settings(settings, busy, runs->n_processors, &run_settings);
        run_flow_set(flow->engine, &run_settings);
}

void manager_run_leave_out(ManagerRuns *runs, uint32_t id) {
        runs->has_lost_count |= vector_push(&runs->left_out, id) < 0;
}

bool manager_run_waits_for_end(const Unit *unit) {
        const FlowSettings *settings = unit->type_settings;

        return settings && settings->start_mode == FLOW_START_FINISHED;
}

ManagerFlow *manager_run_flow(ManagerRuns *runs, Unit *unit) {
        static const RunSettings none = {
                .max_parallel = 1, .max_runs = 1, .timeout = USEC_INFINITY, .queue_timeout = USEC_INFINITY
        };
        ManagerFlow *flow = manager_run_find_flow(runs, unit);

        if (flow)
                return flow;
        flow = calloc(1, sizeof(*flow));
        if (!flow || run_flow_new(runs->engine, &none, &flow->engine) < 0) {
                free(flow);
                return NULL;
        }
        if (unit->type_settings)
                manager_run_set_settings(runs, flow, unit->type_settings, FLOW_BUSY_QUEUE);
        flow->unit = unit_ref(unit);
        flow->next = runs->flows;
        if (flow->next)
                flow->next->previous = flow;
        runs->flows = flow;
        if (unit->active_state == UNIT_ACTIVE ||
            (unit->active_state == UNIT_ACTIVATING && manager_run_waits_for_end(unit)))
                run_flow_unit(flow->engine, RUN_UNIT_ACTIVE, false);
        /* A node may sleep until a time of that clock: when it is set, the turn that follows looks at it. */
        if (unit_host(unit)->ops->watch_clock)
                unit_host(unit)->ops->watch_clock(unit_host(unit));
        return flow;
}

void manager_run_note_result(ManagerFlow *flow, RunState state) {
        flow->has_failed |= state == RUN_FAILED || state == RUN_TIMEOUT;
        flow->has_succeeded |= state == RUN_SUCCEEDED || state == RUN_PARTIAL;
}

/* A definition takes more memory while it is read than later, in many small pieces, which malloc() keeps for itself. */
static void trim_memory(const FlowDefinition *definition) {
        if (run_graph_count(flow_definition_graph(definition)) >= LARGE_NODES)
                malloc_trim(0);
}

void manager_run_drop_spare(ManagerRuns *runs) {
        flow_definition_unref(runs->spare.kept.definition);
        free(runs->spare.unit);
        runs->spare = (ManagerSpare) {};
}

static void keep_spare(ManagerRuns *runs, ManagerFlow *flow) {
        if (!flow->kept.definition || !flow_definition_graph(flow->kept.definition))
                return;
        manager_run_drop_spare(runs);
        runs->spare.unit = strdup(flow->unit->id);
        if (!runs->spare.unit)
                return;
        runs->spare.kept = flow->kept;
        flow->kept = (ManagerKept) {};
        trim_memory(runs->spare.kept.definition);
}

const ManagerKept *manager_run_find_kept(const ManagerRuns *runs, const Unit *unit) {
        const ManagerFlow *flow = manager_run_find_flow(runs, unit);
        const ManagerSpare *spare = &runs->spare;

        if (flow && flow->kept.definition)
                return &flow->kept;
        return spare->kept.definition && strcmp(spare->unit, unit->id) == 0 ? &spare->kept : NULL;
}

void manager_run_keep_definition(ManagerRuns *runs, ManagerFlow *flow, FlowDefinition *definition,
                                 const ManagerTexts *texts) {
        const ManagerKept *kept = manager_run_find_kept(runs, flow->unit);

        if (kept && kept->definition == definition) {
                if (kept != &flow->kept)
                        flow->kept = (ManagerKept) { flow_definition_ref(definition), *texts, kept->is_stored };
                flow->kept.texts.nodes = texts->nodes;
                return;
        }
        flow_definition_unref(flow->kept.definition);
        flow->kept = (ManagerKept) { flow_definition_ref(definition), *texts, false };
        trim_memory(definition);
}

static bool is_of_kept(const ManagerRun *run) {
        return run->flow->kept.definition &&
               memcmp(run->facts.definition, run->flow->kept.texts.hash, MANAGER_RUN_HASH_BYTES) == 0;
}

bool manager_run_has_stored(const ManagerRun *run) {
        return is_of_kept(run) && run->flow->kept.is_stored;
}

void manager_run_note_stored(ManagerRun *run) {
        if (is_of_kept(run))
                run->flow->kept.is_stored = true;
}

void manager_run_forget_stored(ManagerRuns *runs) {
        runs->spare.kept.is_stored = false;
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                flow->kept.is_stored = false;
}

void manager_run_drop_flow(ManagerRuns *runs, ManagerFlow *flow) {
        keep_spare(runs, flow);
        if (flow->previous)
                flow->previous->next = flow->next;
        else
                runs->flows = flow->next;
        if (flow->next)
                flow->next->previous = flow->previous;
        (void) run_flow_forget(flow->engine);
        flow_definition_unref(flow->kept.definition);
        unit_unref(flow->unit);
        free(flow);
}

int manager_run_add(ManagerFlow *flow, ManagerRuns *runs, uint32_t id, FlowDefinition *definition,
                    ManagerRunFacts *facts, ManagerRun **ret_run) {
        ManagerRun *run = calloc(1, sizeof(*run));

        if (run)
                run->marks = calloc(run_graph_count(flow_definition_graph(definition)), sizeof(*run->marks));
        if (!run || !run->marks || id_map_put(&runs->by_id, id, run) < 0) {
                if (run)
                        free(run->marks);
                free(run);
                return -ENOMEM;
        }
        run->id = id;
        run->flow = flow;
        run->definition = flow_definition_ref(definition);
        run->graph = run_graph_ref(flow_definition_graph(definition));
        if (manager_run_data_init(run) < 0) {
                (void) id_map_remove(&runs->by_id, id);
                run_graph_unref(run->graph);
                flow_definition_unref(run->definition);
                free(run->marks);
                free(run);
                return -ENOMEM;
        }
        run->facts = *facts;
        *facts = (ManagerRunFacts) {};
        run->next = flow->first;
        if (run->next)
                run->next->previous = run;
        flow->first = run;
        flow->is_news = true;
        *ret_run = run;
        return 0;
}

void manager_run_remove(ManagerRuns *runs, ManagerRun *run) {
        if (run->previous)
                run->previous->next = run->next;
        else
                run->flow->first = run->next;
        if (run->next)
                run->next->previous = run->previous;
        run->flow->is_news = true;
        (void) id_map_remove(&runs->by_id, run->id);
        for (size_t i = 0; i < run->sayings.n; i++)
                free(run->sayings.items[i].reason);
        vector_deinit(&run->sayings);
        manager_run_data_leave(runs, run);
        manager_run_drop_items(run);
        manager_stream_free(run->stream);
        run_graph_unref(run->graph);
        manager_run_free_readers(run->readers);
        flow_definition_unref(run->definition);
        manager_run_facts_deinit(&run->facts);
        free(run->marks);
        free(run);
}

/* By the engine: what was put into the store last may be older. */
static bool is_live(const ManagerRuns *runs, const ManagerRun *run) {
        RunRow row;
        RunWhy why;

        return run_engine_get(runs->engine, run->id, &row, &why) == 0 && !run_state_is_terminal(row.state);
}

uint32_t manager_run_count_live(const ManagerRuns *runs, const ManagerFlow *flow) {
        uint32_t n = 0;

        for (const ManagerRun *run = flow->first; run; run = run->next)
                n += is_live(runs, run);
        return n;
}

uint32_t manager_run_find_parent_node(const ManagerRuns *runs, const ManagerRunFacts *facts) {
        const ManagerRun *parent = facts->parent > 0 ? manager_run_find(runs, facts->parent) : NULL;

        return parent && facts->parent_node ? run_graph_find(parent->graph, facts->parent_node) : RUN_NODE_NONE;
}

int manager_run_find_node(const ManagerRun *run, const char *name, uint32_t *ret_node, Failure *ret_failure) {
        *ret_node = 0;
        if (!name)
                return 0;
        *ret_node = run_graph_find(run->graph, name);
        if (*ret_node != RUN_NODE_NONE)
                return 0;
        return failure_set(ret_failure, -ENOENT, "NoSuchNode", "Run %" PRIu32 " of %s has no node %s.", run->id,
                           run->flow->unit->id, name);
}

/* — questions — */

int manager_runs_node(const ManagerRuns *runs, uint32_t run, uint32_t node, RunNodeRow *ret_row, RunWhy *ret_why) {
        return run_engine_get_node(runs->engine, run, node, ret_row, ret_why);
}

bool manager_runs_is_of_end(const ManagerRuns *runs, uint32_t id, uint32_t node) {
        const ManagerRun *run = manager_run_find(runs, id);

        return run && run_graph_is_extra(run->graph, node);
}

const char *manager_runs_node_name(const ManagerRuns *runs, uint32_t id, uint32_t node) {
        const ManagerRun *run = manager_run_find(runs, id);
        const RunGraph *graph = run ? run->graph : NULL;

        return graph && node < run_graph_count(graph) ? run_graph_name(graph, node) : NULL;
}

uint32_t manager_runs_find_node(const ManagerRuns *runs, uint32_t id, const char *name) {
        const ManagerRun *run = manager_run_find(runs, id);

        return run ? run_graph_find(run->graph, name) : RUN_NODE_NONE;
}

int manager_runs_why(const ManagerRuns *runs, uint32_t id, const char *node, RunWhy *ret_why) {
        const ManagerRun *run = manager_run_find(runs, id);
        RunNodeRow node_row;
        uint32_t number;
        RunRow row;

        if (!run || manager_run_find_node(run, node, &number, NULL) < 0)
                return -ENOENT;
        return node ? run_engine_get_node(runs->engine, id, number, &node_row, ret_why)
                    : run_engine_get(runs->engine, id, &row, ret_why);
}
