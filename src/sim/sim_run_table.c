/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Flows and runs that core has in memory
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"
#include "sim/sim_flow.h"

SimFlow *sim_runs_find_flow(const Sim *sim, const Unit *unit) {
        for (SimFlow *flow = sim->runs.flows; flow; flow = flow->next)
                if (flow->unit == unit)
                        return flow;
        return NULL;
}

static void free_flow(SimFlow *flow) {
        while (flow->first)
                sim_runs_remove(flow->first);
        flow_definition_unref(flow->definition);
        unit_unref(flow->unit);
        free(flow);
}

/* Flows stand in the order in which they were first named. */
SimFlow *sim_runs_flow(Sim *sim, Unit *unit) {
        static const RunSettings none = { .max_parallel = 1, .max_runs = 1, .timeout = USEC_INFINITY,
                                          .queue_timeout = USEC_INFINITY };
        SimFlow *flow = sim_runs_find_flow(sim, unit), **last = &sim->runs.flows;

        if (flow)
                return flow;
        flow = calloc(1, sizeof(*flow));
        if (!flow || run_flow_new(sim->runs.engine, &none, &flow->engine) < 0) {
                free(flow);
                return NULL;
        }
        flow->unit = unit_ref(unit);
        while (*last)
                last = &(*last)->next;
        *last = flow;
        if (unit->active_state == UNIT_ACTIVE ||
            (unit->active_state == UNIT_ACTIVATING && sim_flow_waits_for_end(unit)))
                run_flow_unit(flow->engine, RUN_UNIT_ACTIVE, false);
        return flow;
}

SimRun *sim_runs_find(const Sim *sim, uint32_t id) {
        for (const SimFlow *flow = sim->runs.flows; flow; flow = flow->next)
                for (SimRun *run = flow->first; run; run = run->next)
                        if (run->id == id)
                                return run;
        return NULL;
}

int sim_runs_add(SimFlow *flow, uint32_t id, FlowDefinition *definition, SimRun **ret_run) {
        const uint32_t n = run_graph_count(flow_definition_graph(definition));
        SimRun *run = calloc(1, sizeof(*run)), **last = &flow->first;

        if (!run)
                return -ENOMEM;
        run->nodes = calloc(n, sizeof(*run->nodes));
        if (!run->nodes) {
                free(run);
                return -ENOMEM;
        }
        for (uint32_t i = 0; i < n; i++)
                run->nodes[i] = (RunNodeRow) { .node = i, .generation = 1 };
        run->flow = flow;
        run->id = id;
        run->definition = flow_definition_ref(definition);
        while (*last)
                last = &(*last)->next;
        *last = run;
        flow->is_news = true;
        *ret_run = run;
        return 0;
}

int sim_runs_copy_cursor(const uint8_t *cursor, size_t n, uint8_t **ret_cursor) {
        *ret_cursor = cursor ? malloc(n) : NULL;
        if (cursor && !*ret_cursor)
                return -ENOMEM;
        if (cursor)
                memcpy(*ret_cursor, cursor, n);
        return 0;
}

void sim_runs_remove(SimRun *run) {
        SimRun **at = &run->flow->first;

        while (*at != run)
                at = &(*at)->next;
        *at = run->next;
        run->flow->is_news = true;
        flow_definition_unref(run->definition);
        free(run->nodes);
        free(run->cursor);
        free(run);
}

bool sim_runs_is_live(const Sim *sim, const SimRun *run) {
        RunRow row;
        RunWhy why;

        return run_engine_get(sim->runs.engine, run->id, &row, &why) == 0 && !run_state_is_terminal(row.state);
}

void sim_runs_drop(Sim *sim) {
        SimRuns *runs = &sim->runs;

        while (runs->flows) {
                SimFlow *flow = runs->flows;

                runs->flows = flow->next;
                free_flow(flow);
        }
        runs->engine = run_engine_free(runs->engine);
        vector_clear(&runs->replies);
}
