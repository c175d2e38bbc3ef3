/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * From a unit to a run of it
 */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "basic/text.h"
#include "flow/flow_spec.h"
#include "sim/sim.h"
#include "sim/sim_launch.h"
#include "unitfile/file_text.h"
#include "unitfile/flow_nodes.h"

static int read_nodes(const char *path, char **ret_text, Failure *ret_failure) {
        FileProblem problem;
        struct stat st;
        int r = file_text_read_up_to(path, FLOW_NODES_FILE_MAX, "The file is larger than 256 MiB.", ret_text, &st,
                                     &problem);

        if (r == -EBADMSG)
                return failure_set(ret_failure, -EINVAL, "BadUnitSetting", "%s:%u: %s", path, problem.line,
                                   problem.text);
        if (r < 0 && r != -ENOMEM)
                return failure_set(ret_failure, -EINVAL, "LoadFailed", "The file %s of NodesFile= cannot be read: %s.",
                                   path, strerror(-r));
        return r;
}

/* The definition of a run, that of the last one if nothing has changed: a reference. */
static int define(Sim *sim, SimFlow *flow, FlowDefinition **ret_definition, Failure *ret_failure) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        const FlowSettings *settings = flow->unit->type_settings;
        cleanup_free_ char *nodes = NULL;
        int r = 0;

        if (flow->unit->load_state != UNIT_LOADED || !settings || !settings->text)
                return failure_set(ret_failure, -EINVAL, "NoSuchUnit", "Unit %s is not loaded.", flow->unit->id);
        if (settings->nodes_file)
                r = read_nodes(settings->nodes_file, &nodes, ret_failure);
        if (r < 0)
                return r;
        if (flow->definition && text_equal(flow_definition_text(flow->definition), settings->text) &&
            text_equal(flow_definition_nodes(flow->definition), nodes)) {
                *ret_definition = flow_definition_ref(flow->definition);
                return 0;
        }
        r = flow_definition_new(&definition, sim->loader, flow->unit->id, settings->text, nodes, ret_failure);
        if (r == 0)
                r = flow_definition_read(definition, UINT_MAX, ret_failure);
        if (r < 0)
                return r;
        flow_definition_unref(flow->definition);
        flow->definition = flow_definition_ref(definition);
        *ret_definition = take_ptr(definition);
        return 0;
}

/* Refused by OnBusy=, MaxQueued= or the store: why, as a failure, or none for OnBusy=skip. */
static int refuse(const SimFlow *flow, const FlowSettings *settings, FlowBusy busy, int error, Failure *ret_failure) {
        const char *unit = flow->unit->id;

        if (error == -EBUSY && busy == FLOW_BUSY_SKIP)
                return 0;
        if (error == -EBUSY && busy == FLOW_BUSY_QUEUE)
                return failure_set(ret_failure, error, "Busy",
                                   "%s has %u runs that wait, which is all that MaxQueued= allows.", unit,
                                   settings->max_queued);
        if (error == -EBUSY)
                return failure_set(ret_failure, error, "Busy",
                                   "%s has %u runs, which is all that MaxRuns= allows, and OnBusy=reject.", unit,
                                   settings->max_runs);
        if (error == -EAGAIN)
                return failure_set(ret_failure, error, "StoreBusy",
                                   "The store of runs does not take more at present; try again.");
        return error;
}

static int submit(Sim *sim, SimFlow *flow, FlowDefinition *definition, FlowBusy busy, RunSubmit *wanted,
                  uint32_t *ret_id) {
        SimRuns *runs = &sim->runs;
        RunSettings settings;
        SimRun *run;
        int r;

        r = sim_runs_add(flow, wanted->id, definition, &run);
        if (r < 0)
                return r;
        flow_spec_settings(flow_definition_settings(definition), busy, SIM_PROCESSORS, &settings);
        run_flow_set(flow->engine, &settings);
        run_engine_set_store(runs->engine, runs->store.mode == SIM_STORE_FULL ? RUN_STORE_FULL : RUN_STORE_OPEN);
        r = run_engine_submit(flow->engine, wanted, ret_id);
        if (r < 0 || *ret_id != wanted->id)
                sim_runs_remove(run);
        else
                runs->last_id = wanted->id;
        return r;
}

static bool has_foreach(const RunGraph *graph) {
        for (uint32_t i = 0; i < run_graph_count(graph); i++)
                if (run_graph_policy(graph, i)->is_foreach)
                        return true;
        return false;
}

int sim_runs_submit(Sim *sim, SimFlow *flow, int busy, uint64_t key, uint32_t *ret_id, Failure *ret_failure) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        const FlowSettings *settings;
        RunSubmit wanted = { .id = sim->runs.last_id + 1, .key = key };
        int r = define(sim, flow, &definition, ret_failure);

        if (r < 0)
                return r;
        if (has_foreach(flow_definition_graph(definition)))
                return failure_set(ret_failure, -EINVAL, "NotSupported",
                                   "%s has a node with Foreach=, and a simulation knows no results to make a list of.",
                                   flow->unit->id);
        settings = flow_definition_settings(definition);
        if (flow->unit->type == UNIT_BATCH && sim_launch_problem(settings))
                return failure_set(ret_failure, -EINVAL, "NotSupported", "%s has %s.", flow->unit->id,
                                   sim_launch_problem(settings));
        if (busy < 0)
                busy = settings->on_busy;
        wanted.graph = flow_definition_graph(definition);
        r = submit(sim, flow, definition, (FlowBusy) busy, &wanted, ret_id);
        sim->runs.has_changed = true;
        if (r == 0)
                return 0;
        *ret_id = 0;
        return refuse(flow, settings, (FlowBusy) busy, r, ret_failure);
}

static bool has_live(const Sim *sim, const SimFlow *flow) {
        for (const SimRun *run = flow->first; run; run = run->next)
                if (sim_runs_is_live(sim, run))
                        return true;
        return false;
}

/* A start submits a run, unless the flow has one that lives. */
int sim_runs_submit_starts(Sim *sim) {
        for (SimFlow *flow = sim->runs.flows; flow; flow = flow->next) {
                cleanup_(failure_deinit) Failure failure = {};
                uint32_t id;
                int r = 0;

                if (!flow->is_starting)
                        continue;
                flow->is_starting = false;
                flow->is_news = true;
                if (!has_live(sim, flow))
                        r = sim_runs_submit(sim, flow, -1, 0, &id, &failure);
                if (r < 0 && failure.code == 0)
                        return r;
                if (r < 0)
                        flow->problem = "no run could be made";
        }
        return 0;
}
